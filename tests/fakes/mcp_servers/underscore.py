"""Has one tool, called as its argument says."""
import sys

from base import Server, tool

server = Server()
server.tools = [tool(sys.argv[1])]
server.serve()
