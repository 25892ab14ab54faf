"""What a host gives the kit: secrets, values that are kept, the history, programs."""
from memory import kit, tool

NAME = '{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}'
KEEP = '{"type":"object","properties":{"op":{"enum":["get","set","delete","list","add"]},"key":{"type":"string"},"value":{}},"required":["op","key"]}'
HISTORY = '{"type":"object","properties":{"op":{"enum":["append","branch","info"]},"data":{}},"required":["op"]}'
RUN = '{"type":"object","properties":{"command":{"type":"string"},"args":{"type":"array","items":{"type":"string"}}},"required":["command","args"]}'

AGENT = '{"type":"object","properties":{"op":{"enum":["state","abort","tools","activate","deactivate","models"]},"names":{"type":"array","items":{"type":"string"}}},"required":["op"]}'


@tool("secret", "Asks for a secret.", NAME)
def secret(name, ctx):
    key = ctx.secret(name)
    return f"{key} {key.reveal()}"


@tool("variable", "Asks for a variable.", NAME)
def variable(name, ctx):
    return ctx.env(name)


@tool("keep", "Keeps values.", KEEP)
def keep(op, key, ctx, value=None):
    values = ctx.state.session
    if op == "get":
        return {"value": values.get(key)}
    if op == "set":
        values[key] = value
        return "kept"
    if op == "delete":
        return {"deleted": values.delete(key)}
    if op == "list":
        return values.list(key)
    return {"value": values.modify(key, lambda n: n + 1, 0)}


@tool("history", "Reads and writes the history.", HISTORY)
def history(op, ctx, data=None):
    if op == "append":
        return ctx.history.append("note", data)
    if op == "branch":
        return [entry["data"] for entry in ctx.history.branch(["note"])]
    info = ctx.history.info()
    return {"durable": info["durable"], "id": info["id"]}


@tool("run", "Has a program run.", RUN)
def run(command, args, ctx):
    heard = []
    ran = ctx.exec(command, args, on_output=lambda text, stream: heard.append({"stream": stream, "text": text}))
    return {"code": ran.code, "heard": heard, "signal": ran.signal, "stdout": ran.stdout}


@tool("agent", "Asks how the agent stands.", AGENT)
def agent(op, ctx, names=()):
    if op == "state":
        return ctx.agent.state()["model"]
    if op == "abort":
        return {"calls": ctx.agent.abort("it was to end")}
    if op == "tools":
        return [one["name"] for one in ctx.agent.tools()]
    if op == "models":
        return [one["id"] for one in ctx.agent.models()]
    return ctx.agent.activate(names) if op == "activate" else ctx.agent.deactivate(names)


kit.state(version=2, migrate=lambda values, version: {f"v{version}": values})
