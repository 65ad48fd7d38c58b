"""Does not answer the method that its first argument names. The calls that it
is told to cancel are answered by a tool `cancelled`."""
import json
import sys

from base import Server, notify, reply, text, tool

METHOD = sys.argv[1]


class Silent(Server):
    tools = [tool("wait"), tool("cancelled"), tool("progress")]
    cancelled = []

    def handle(self, message):
        if message.get("method") != METHOD:
            super().handle(message)

    def notification(self, message):
        if message.get("method") == "notifications/cancelled":
            self.cancelled.append(message["params"])
            # Too late, and not wanted any more.
            reply({"id": message["params"]["requestId"]}, text("late"))

    def call(self, request):
        name = request["params"]["name"]
        if name == "cancelled":
            reply(request, text(json.dumps(self.cancelled)))
        if name == "progress":
            token = request["params"]["_meta"]["progressToken"]
            for i in range(1, 4):
                notify("notifications/progress",
                       {"progressToken": token, "progress": i, "total": 3,
                        "message": "step\u202e " + str(i)})
            notify("notifications/progress",
                   {"progressToken": "nobody", "progress": 1})
            reply(request, text("done"))


Silent().serve()
