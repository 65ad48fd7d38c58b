"""Writes to standard output what is no message, in every way."""
from base import Server, raw, reply, send, text


class Noisy(Server):
    def initialize(self, request):
        raw(b"Server started\n\n\x1b[32mready\x1b[0m\n")
        raw(b"\xef\xbb\xbf")
        super().initialize(request)

    def call(self, request):
        raw(b"caf\xe9 \xff\xfe\n")
        raw(b'{"half": \n')
        raw(b"[1, 2\n")
        send([{"jsonrpc": "2.0", "method": "notifications/message",
               "params": {}}])
        send({"hello": "world"})
        raw(b"[db] connected ")
        reply(request, text("in spite of it"))


Noisy().serve()
