"""Does what the protocol says. Its tool `echo` returns its arguments, `env`
its environment, `fail` an error, `blocks` one content block of each type."""
import base64
import os

from base import Server, reply, text, tool

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n0123456789").decode()


class Polite(Server):
    tools = [tool("echo", annotations={"readOnlyHint": True,
                                       "openWorldHint": False}),
             tool("env"), tool("fail"), tool("blocks"),
             tool("structured"), tool("large"), tool("pid")]

    def call(self, request):
        name = request["params"]["name"]
        if name == "env":
            lines = sorted(k + "=" + v for k, v in os.environ.items())
            return reply(request, text("\n".join(lines)))
        if name == "pid":
            return reply(request, text(str(os.getpid())))
        if name == "fail":
            result = text("the disk is on fire")
            result["isError"] = True
            return reply(request, result)
        if name == "structured":
            return reply(request, {"content": [],
                                   "structuredContent": {"degrees": 21}})
        if name == "large":
            return reply(request, text("x" * (20 << 20)))
        if name == "blocks":
            return reply(request, {"content": [
                {"type": "text", "text": "words"},
                {"type": "image", "mimeType": "image/png", "data": PNG},
                {"type": "audio", "mimeType": "audio/wav",
                 "data": base64.b64encode(b"RIFFsound").decode()},
                {"type": "resource_link", "uri": "file:///a", "name": "a"},
                {"type": "resource", "resource": {"uri": "mem://b",
                                                  "text": "inside"}},
                {"type": "resource", "resource": {
                    "uri": "mem://c", "mimeType": "application/zip",
                    "blob": base64.b64encode(b"PK").decode()}},
                {"type": "hologram"},
                {"type": "image", "mimeType": "image/png", "data": "%%%"}]})
        super().call(request)


Polite().serve()
