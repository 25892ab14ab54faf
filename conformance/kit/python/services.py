"""What the kit asks its host for beside tools: secrets, values that are kept, the history, programs."""
import os

from calls import Failed
from frames import Raw, encode

VERSION = 2  # Of the values that it keeps.


class Secret:
    def __init__(self, value):
        self.value = value

    def __str__(self):
        return "***"


class Services:
    def __init__(self, kit):
        self.kit = kit

    def ask(self, call, method, **params):
        return self.kit.questions.ask(call, method, params)[1]

    def secret(self, call):
        key = Secret(self.value_of(call, call.string("name")))
        return f"{key} {key.value}"

    def value_of(self, call, name):
        if "secret.get" in self.kit.host_methods:
            return self.ask(call, "secret.get", name=name)["value"]
        if not os.environ.get(name):
            raise Failed("not_found", f"{name} is not set")
        return os.environ[name]

    def variable(self, call):
        return self.ask(call, "env.get", name=call.string("name"))["value"]

    def state(self, call, method, params):
        return self.ask(call, "state." + method, slot_version=VERSION, scope="session", **params)

    def keep(self, call):
        op, key = call.string("op"), call.string("key")
        if op == "set":
            self.state(call, "set", {"key": key, "value": call.args.get("value")})
            return "kept"
        if op == "list":
            keys = self.of_all_pages(lambda more: self.state(call, "list", {"prefix": key, **more}), "keys")
            return Raw(encode([one["key"] for one in keys]))
        if op == "delete":
            return Raw(encode({"deleted": self.state(call, "delete", {"key": key})["deleted"]}))
        if op == "add":
            return Raw(encode({"value": self.add(call, key)}))
        return Raw(encode({"value": self.state(call, "get", {"key": key}).get("value")}))

    def add(self, call, key):
        while True:
            found = self.state(call, "get", {"key": key})
            value = found.get("value", 0) + 1
            try:
                self.state(call, "set", {"key": key, "value": value, "revision": found["revision"]})
                return value
            except Failed as failed:
                if failed.error["kind"] != "conflict":
                    raise

    def of_all_pages(self, ask, name):
        """What stands under that name on every page."""
        page = ask({})
        found = page[name]
        while "next" in page:
            page = ask({"after": page["next"]})
            found = found + page[name]
        return found

    def history(self, call):
        op = call.string("op")
        if op == "append":
            return self.ask(call, "session.append", type="note", data=call.args.get("data"))["id"]
        if op == "branch":
            entries = self.of_all_pages(lambda more: self.ask(call, "session.branch", types=["note"], **more), "entries")
            return Raw(encode([entry["data"] for entry in entries]))
        info = self.ask(call, "session.info")
        return Raw(encode({"durable": info["durable"], "id": info["id"]}))

    def run(self, call):
        params = {"command": call.string("command"), "args": call.args["args"], "stream": True}
        heard, ran = self.kit.questions.ask(call, "exec.run", params)
        return Raw(encode({"code": ran.get("code"), "heard": heard,
                           "signal": ran.get("signal"), "stdout": ran["stdout"]}))

    def agent(self, call):
        op = call.string("op")
        if op == "state":
            return self.ask(call, "agent.state")["model"]
        if op == "abort":
            return Raw(encode({"calls": self.ask(call, "agent.abort", reason="it was to end")["calls"]}))
        if op == "tools":
            return Raw(encode([one["name"] for one in self.ask(call, "tools.list")["tools"]]))
        if op == "models":
            return Raw(encode([one["id"] for one in self.ask(call, "models.list")["models"]]))
        return Raw(encode(self.ask(call, "tools." + op, names=call.args["names"])["changed"]))

    def named(self):
        return {"secret": self.secret, "variable": self.variable, "keep": self.keep, "history": self.history,
                "run": self.run, "agent": self.agent}
