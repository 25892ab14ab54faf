"""A server of the official SDK for Python, as its users write one."""

from mcp.server import MCPServer

server = MCPServer("notes")


@server.tool()
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


server.run()
