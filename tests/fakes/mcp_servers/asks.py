"""Asks its client for things; its tool returns what was answered."""
import json
import sys

from base import Server, reply, send, text


class Asks(Server):
    def call(self, request):
        answers = []
        for id, method in enumerate(("ping", "roots/list",
                                     "sampling/createMessage",
                                     "elicitation/create", "what/ever")):
            send({"jsonrpc": "2.0", "id": "q" + str(id), "method": method,
                  "params": {}})
            answers.append(json.loads(sys.stdin.readline()))
        reply(request, text(json.dumps(answers)))


Asks().serve()
