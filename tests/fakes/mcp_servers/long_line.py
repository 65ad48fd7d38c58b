"""Its tool answers with a line of 64 MiB."""
from base import Server, raw, reply, text, tool


class LongLine(Server):
    tools = [tool("long"), tool("short")]

    def call(self, request):
        if request["params"]["name"] == "short":
            return reply(request, text("short"))
        raw(b'{"result":{"content":[{"type":"text","text":"')
        for _ in range(64):
            raw(b"y" * (1 << 20))
        raw(b'"}]},"jsonrpc":"2.0","id":%d}\n' % request["id"])


LongLine().serve()
