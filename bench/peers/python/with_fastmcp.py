"""A server with fastmcp, as its readme has it."""

import os

# Otherwise it asks the package index for a newer version when it starts.
os.environ["FASTMCP_CHECK_FOR_UPDATES"] = "off"

from fastmcp import FastMCP  # noqa: E402

server = FastMCP("echo")


@server.tool
def echo(text: str) -> str:
    """Answers with the text."""
    return text


server.run()
