"""Lists its tools in pages: `good` pages, the `same` cursor for ever, or
`endless` new ones."""
import sys

from base import Server, reply, tool

KIND = sys.argv[1]


class Pages(Server):
    def list(self, request):
        cursor = request["params"].get("cursor")
        if KIND == "good":
            # An empty string is a cursor, too.
            step = {None: ("a", ""), "": ("b", "two"), "two": ("c", None)}
            name, following = step[cursor]
        elif KIND == "same":
            name, following = "t" + str(cursor), "again"
        else:
            name = "t" + str(len(cursor or ""))
            following = (cursor or "") + "x"
        page = {"tools": [tool(name)]}
        if following is not None:
            page["nextCursor"] = following
        reply(request, page)


Pages().serve()
