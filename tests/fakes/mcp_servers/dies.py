"""Ends at the point that its argument names."""
import os
import signal
import sys
import time

from base import Server, raw

POINT = sys.argv[1]
if POINT == "at_start":
    print("cannot find the database", file=sys.stderr)
    sys.exit(3)


class Dies(Server):
    def initialize(self, request):
        if POINT == "in_initialize":
            os._exit(4)
        super().initialize(request)

    def list(self, request):
        if POINT == "in_list":
            os._exit(5)
        super().list(request)
        if POINT == "after_list":
            os._exit(6)

    def call(self, request):
        print("last words", file=sys.stderr, flush=True)
        if POINT == "in_call":
            os._exit(0)
        if POINT == "killed_in_call":
            os.kill(os.getpid(), signal.SIGKILL)
        if POINT == "half_a_line":
            raw(b'{"jsonrpc":"2.0","id":')
            os._exit(0)
        if POINT == "closes_output":
            os.close(1)
            time.sleep(600)
        if POINT == "answers_and_ends":
            super().call(request)
            os._exit(0)


Dies().serve()
