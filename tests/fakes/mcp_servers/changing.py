"""Its list of tools changes when its tool is called: `add`, `remove`, `change`
or a `storm` of 500 notices for one change. `lists` tells how often it was
asked for the list."""
from base import Server, notify, reply, text, tool

CHANGED = "notifications/tools/list_changed"


class Changing(Server):
    lists = 0
    tools = [tool("add"), tool("remove"), tool("change"), tool("storm"),
             tool("lists"), tool("victim")]

    def list(self, request):
        self.lists += 1
        super().list(request)

    def call(self, request):
        name = request["params"]["name"]
        notices = 1
        if name == "lists":
            return reply(request, text(str(self.lists)))
        if name == "remove":
            self.tools = [t for t in self.tools if t["name"] != "victim"]
        if name == "change":
            self.tools = [t for t in self.tools if t["name"] != "victim"]
            self.tools.append(tool("victim", description="Something else."))
        if name in ("add", "storm"):
            self.tools = self.tools + [tool("new")]
        if name == "storm":
            notices = 500
        for _ in range(notices):
            notify(CHANGED)
        reply(request, text("changed"))


Changing().serve()
