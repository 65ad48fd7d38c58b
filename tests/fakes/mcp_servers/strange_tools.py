"""A list with schemas and names of every strange kind among good ones."""
import json

from base import Server, raw, tool


def deep(levels):
    return ('{"type":"object","properties":{"a":' * levels + '{"type":"object"}'
            + "}}" * levels)


NODE = {"type": "object", "$ref": "#/$defs/node", "$defs": {
    "node": {"type": "object", "properties": {
        "child": {"$ref": "#/$defs/node"}}}}}

TOOLS = [
    tool("good"),
    tool("cyclic", inputSchema=NODE),
    tool("root_cycle", inputSchema={"type": "object", "properties": {
        "again": {"$ref": "#"}}}),
    tool("dangling", inputSchema={"type": "object",
                                  "$ref": "#/$defs/nowhere"}),
    tool("remote", inputSchema={"type": "object",
                                "$ref": "http://example.com/schema.json"}),
    tool("no_type", inputSchema={"properties": {"a": {"type": "string"}}}),
    tool("boolean", inputSchema=True),
    tool("list", inputSchema={"type": "array"}),
    {"name": "no_schema"},
    tool("slow_pattern", inputSchema={"type": "object", "patternProperties": {
        "(a+)+$": {"type": "string"}}}),
    tool("bad_output", outputSchema={"$ref": "#/nowhere"}),
    tool("a.b"), tool("a b"), tool("a_b"),
    tool("good", description="the same name again"),
    tool("查询"), tool("搜索"),
    tool("", description="nothing"), {"description": "nameless"}, 17,
    tool("hidden\u202etxt", title="T\u202eT",
         description="Line\nwith \u200b marks\u001b[31m"),
    tool("long", description="w" * 100000),
    tool("x" * 80),
]


class Strange(Server):
    def list(self, request):
        head = json.dumps({"jsonrpc": "2.0", "id": request["id"]})[:-1]
        tools = json.dumps(TOOLS)[:-1]
        absurd = '{"name": "absurd", "description": "Too deep."'
        raw((head + ', "result": {"tools": ' + tools + ", " + absurd +
             ', "inputSchema": ' + deep(5000) + "}, " +
             json.dumps(tool("last")) + "]}}\n").encode())


Strange().serve()
