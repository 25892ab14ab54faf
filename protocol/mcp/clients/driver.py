"""The driver of the official client for Python, for `extline conformance mcp-client` (docs/tester/mcp-clients.md).

Argument: `legacy` or `auto`, how the client begins with a server.
"""

import asyncio
import json
import os
import sys

from mcp import Client, StdioServerParameters, stdio_client


class Server:
    def __init__(self, told):
        self.name, self.state, self.problem, self.tools = told["name"], "starting", None, []
        self.parameters = StdioServerParameters(command=told["command"], args=told["args"])
        self.begun, self.ending, self.client = asyncio.Event(), asyncio.Event(), None

    async def run(self):
        try:
            async with Client(stdio_client(self.parameters), mode=sys.argv[1]) as self.client:
                await self.list()
                self.state = "ready"
                self.begun.set()
                await self.ending.wait()
            self.state = "ended"
        except Exception as error:
            self.state, self.problem = "failed", reason(error)
        finally:
            self.begun.set()

    async def list(self):
        cursor = None
        while True:
            page = await self.client.list_tools(cursor=cursor)
            self.tools += [tool.name for tool in page.tools]
            cursor = page.next_cursor
            if cursor is None:
                return


def reason(error):
    """The first error in a group of them."""
    while getattr(error, "exceptions", None):
        error = error.exceptions[0]
    return f"{type(error).__name__}: {error}"


class Driver:
    def __init__(self):
        self.servers, self.runs, self.calls = {}, [], {}

    async def serve(self):
        lines = asyncio.StreamReader(limit=1 << 24)
        protocol = asyncio.StreamReaderProtocol(lines)
        await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, sys.stdin)
        while line := await lines.readline():
            request = json.loads(line)
            self.calls[request["id"]] = asyncio.create_task(self.answer(request))
        # Its servers see the end of their stdin.
        os._exit(0)

    async def answer(self, request):
        act = getattr(self, f"on_{request['op']}", None)
        try:
            said = {"ok": await act(request)} if act else {"unsupported": f"there is no op {request['op']}"}
        except asyncio.CancelledError:
            said = {"ok": {"error": {"message": "it was given up"}}}
        print(json.dumps({"id": request["id"], **said}), flush=True)

    async def on_start(self, request):
        self.servers = {told["name"]: Server(told) for told in request["servers"]}
        self.runs = [asyncio.create_task(server.run()) for server in self.servers.values()]
        for server in self.servers.values():
            await server.begun.wait()
        return True

    async def on_servers(self, _):
        return [{"name": one.name, "state": one.state, "problem": one.problem} for one in self.servers.values()]

    async def on_tools(self, _):
        return [{"name": tool, "server": one.name} for one in self.servers.values() for tool in one.tools]

    async def on_call(self, request):
        client = self.servers[request["server"]].client
        seconds = request["timeout_ms"] / 1000 if "timeout_ms" in request else None
        try:
            answer = await client.call_tool(
                request["tool"], json.loads(request["args"]), read_timeout_seconds=seconds)
        except Exception as error:
            return {"error": {"message": reason(error)}}
        told = answer.model_dump(mode="json", by_alias=True, exclude_none=True)
        result = {"content": told["content"], "is_error": bool(told.get("isError"))}
        if "structuredContent" in told:
            result["structured_content"] = told["structuredContent"]
        return {"result": result}

    async def on_cancel(self, request):
        return self.calls[request["call"]].cancel()

    async def on_stop(self, _):
        for server in self.servers.values():
            server.ending.set()
        await asyncio.gather(*self.runs)
        return True


asyncio.run(Driver().serve())
