"""A polite MCP server over standard input and output, and the pieces of it.

The servers in this folder are this one with one fault each."""
import json
import sys
import threading

_lock = threading.Lock()


def raw(data):
    with _lock:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()


def send(message):
    raw(json.dumps(message).encode() + b"\n")


def reply(request, result):
    send({"jsonrpc": "2.0", "id": request["id"], "result": result})


def refuse(request, code, message, data=None):
    error = {"code": code, "message": message}
    if data is not None:
        error["data"] = data
    send({"jsonrpc": "2.0", "id": request["id"], "error": error})


def notify(method, params=None):
    send({"jsonrpc": "2.0", "method": method, "params": params or {}})


def tool(name, **more):
    entry = {"name": name, "description": "Does " + name + ".",
             "inputSchema": {"type": "object"}}
    entry.update(more)
    return entry


def text(value):
    return {"content": [{"type": "text", "text": value}]}


class Server:
    version = "2025-11-25"
    tools = [tool("echo")]

    def initialize(self, request):
        reply(request, {
            "protocolVersion": self.version,
            "capabilities": {"tools": {"listChanged": True}},
            "serverInfo": {"name": "fake", "version": "1.2.3"}})

    def list(self, request):
        reply(request, {"tools": self.tools})

    def call(self, request):
        params = request["params"]
        reply(request, text(json.dumps(params.get("arguments", {}))))

    def notification(self, message):
        pass

    def other(self, request):
        refuse(request, -32601, "Method not found")

    def handle(self, message):
        method = message.get("method")
        if "id" not in message or method is None:
            return self.notification(message)
        known = {"initialize": self.initialize, "tools/list": self.list,
                 "tools/call": self.call}
        known.get(method, self.other)(message)

    def serve(self):
        for line in sys.stdin:
            self.handle(json.loads(line))
