"""Closes its standard input after the list, and goes on."""
import os
import time

from base import Server


class ClosesInput(Server):
    def list(self, request):
        super().list(request)
        os.close(0)
        time.sleep(600)


ClosesInput().serve()
