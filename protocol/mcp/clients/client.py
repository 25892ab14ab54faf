"""The official client for Python: what it sees of a server, as JSON.

Arguments: `legacy` or `modern`, then the command of the server, or its URL. In TOKEN is what a server with a
URL wants to be told. Where TOOL has the name of a tool and its arguments, as JSON, only that is
called, and its questions are answered by ANSWERS, field by field.
"""

import asyncio
import json
import os
import sys

from httpx2 import AsyncClient
from mcp import Client, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import ElicitResult

MODES = {"legacy": "legacy", "modern": "auto"}


def transport(program, *arguments):
    if not program.startswith("http:"):
        return stdio_client(StdioServerParameters(command=program, args=arguments))
    headers = {"Authorization": f"Bearer {os.environ['TOKEN']}"} if "TOKEN" in os.environ else {}
    return streamable_http_client(program, http_client=AsyncClient(headers=headers))


async def look(mode, command):
    told = []

    async def on_progress(progress, total, message):
        told.append([progress, total, message])

    async with Client(transport(*command), mode=MODES[mode]) as client:
        tools = await client.list_tools()
        answer = await client.call_tool("weather", {"city": "Berlin"}, progress_callback=on_progress)
        refused = await client.call_tool("weather", {"city": "Berlin", "units": "k"})
        prompt = await client.get_prompt("weather", {"args": "Berlin"})
        return {
            "version": client.protocol_version,
            "server": client.server_info.name,
            "tools": [tool.name for tool in tools.tools],
            "answer": answer.content[0].text,
            "refused": [refused.is_error, refused.content[0].text],
            "progress": told,
            "prompt": prompt.messages[0].content.text,
        }


async def ask(mode, command, tool, arguments, answers):
    asked = []

    async def on_elicitation(context, params):
        asked.append(params.message)
        fields = params.requested_schema["properties"]
        return ElicitResult(action="accept", content={name: answers[name] for name in fields if name in answers})

    async with Client(transport(*command), mode=MODES[mode], elicitation_callback=on_elicitation) as client:
        answer = await client.call_tool(tool, arguments)
        return {"asked": asked, "answer": answer.content[0].text}


if __name__ == "__main__":
    mode, *command = sys.argv[1:]
    tool = json.loads(os.environ.get("TOOL", "[]"))
    does = ask(mode, command, *tool, json.loads(os.environ["ANSWERS"])) if tool else look(mode, command)
    print(json.dumps(asyncio.run(does)))
