"""A server with the official SDK of MCP, as its readme has it: `with_mcp.py function|coroutine`.

The coroutine's result is text alone; that of the function stands twice, as the SDK has it of itself.
"""

import sys

from mcp.server import MCPServer

server = MCPServer("echo")

if sys.argv[1] == "coroutine":

    @server.tool(structured_output=False)
    async def echo(text: str) -> str:
        """Answers with the text."""
        return text

else:

    @server.tool()
    def echo(text: str) -> str:
        """Answers with the text."""
        return text


server.run()
