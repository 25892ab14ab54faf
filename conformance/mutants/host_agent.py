"""What host.py tells its extensions of the agent, and what they may have it do."""

from host_basics import Failure, broken

METHODS = ["agent.state", "agent.abort", "tools.list", "tools.activate", "tools.deactivate", "models.list"]


class Agent:
    """The part of a host that stands for its agent: `inactive` has the tools that each extension has deactivated."""

    def begin_agent(self):
        self.inactive = {}

    def is_active(self, tool):
        return not any(tool in tools for tools in self.inactive.values())

    def refuses(self, tool):
        """Why a tool may not be called."""
        if self.is_active(tool) or broken("deactivated-are-called"):
            return None
        return Failure("permission", f"{tool} is not active")

    def ask_agent(self, extension, frame):
        method, params = frame["method"], frame.get("params") or {}
        if method == "agent.state":
            return {"idle": not self.calls, "queued": 0, "model": "", "provider": "", "cwd": self.request["cwd"],
                    "auto_approve": False}
        if method == "models.list":
            return {"models": []}
        if method == "tools.list":
            return {"tools": [{"name": name, "description": tool.get("description") or "", "extension": owner.name,
                               "active": self.is_active(name)} for name, (owner, tool) in self.owners().items()]}
        if method == "agent.abort":
            return self.abort(extension, frame)
        return self.change(extension, method == "tools.activate", params.get("names") or [])

    def change(self, extension, to_active, names):
        unknown = [name for name in names if name not in self.owners()]
        if unknown and not broken("unknown-tools-are-skipped"):
            return Failure("not_found", f"there is no tool {unknown[0]}")
        before = {name: self.is_active(name) for name in names}
        own = self.inactive.setdefault(extension.name, set())
        if to_active and broken("anybody-activates"):
            for tools in self.inactive.values():
                tools.difference_update(names)
        elif to_active:
            own.difference_update(names)
        elif broken("deactivates-all-others"):
            self.inactive[extension.name] = set(names)
        else:
            own.update(names)
        return {"changed": [name for name in names if self.is_active(name) != before[name]]}

    def activate_all_of(self, extension):
        """It has ended."""
        if not broken("deactivated-for-ever"):
            self.inactive.pop(extension.name, None)

    def abort(self, extension, frame):
        parent = (frame.get("parent") or {}).get("id")
        ended = 0
        for other in [] if broken("aborts-nothing") else self.extensions:
            for id_, pending in list(other.pending.items()):
                if pending.kind != "tool_result" or other is extension and id_ == parent:
                    continue
                if "tool_cancel" in other.capabilities:
                    other.send({"type": "tool_cancel", "id": id_})
                pending.give(Failure("cancelled", "aborted"))
                ended += 1
        return {"calls": ended}
