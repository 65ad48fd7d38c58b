"""Speaks the version of the protocol that its argument names. `stateless` is
2026-07-28 only: no initialize, and a version in every request."""
import sys

from base import Server, refuse, reply

VERSION = sys.argv[1]
KEY = "io.modelcontextprotocol/protocolVersion"


class Versions(Server):
    version = VERSION

    def handle(self, message):
        if VERSION != "stateless" or "id" not in message:
            return super().handle(message)
        meta = message.get("params", {}).get("_meta", {})
        if message["method"] == "initialize":
            return refuse(message, -32601, "Method not found")
        if meta.get(KEY) != "2026-07-28":
            return refuse(message, -32602, "no version in the request")
        if message["method"] == "server/discover":
            return reply(message, {
                "supportedVersions": ["2026-07-28"],
                "capabilities": {"tools": {}}, "resultType": "complete",
                "serverInfo": {"name": "modern", "version": "9"}})
        super().handle(message)


Versions().serve()
