"""Answers with ids that nobody gave, then twice with the right one."""
from base import Server, reply, send, text


class WrongIds(Server):
    def call(self, request):
        right = request["id"]
        for wrong in (right + 1000, str(right), None, -1, 1.5, {}):
            reply({"id": wrong}, text("wrong"))
        send({"jsonrpc": "2.0", "result": text("no id")})
        reply(request, text("right"))
        reply(request, text("again"))


WrongIds().serve()
