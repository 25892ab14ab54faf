"""The actions that extensions propose to host.py, and the tool by which the model resolves them."""

import threading

from host_basics import Failure, Pending, broken

METHOD = "pending.push"
RESOLVE = "resolve"
MOST = 64


def text_of(words, is_error=False):
    return {"content": [{"type": "text", "text": words}], "is_error": is_error}


class Actions:
    """The part of a host that has actions pending: a list of dicts, the oldest first."""

    def begin_actions(self):
        self.actions, self.released, self.count = [], [], 0
        self.resolving = threading.Lock()

    def offers_resolve(self):
        return (bool(self.actions) or broken("resolve-at-all-times")) and not broken("resolve-is-not-offered")

    def push(self, extension, frame):
        params = frame.get("params") or {}
        handle, label = params.get("handle"), params.get("label")
        if not handle or not isinstance(handle, str) or not label or not isinstance(label, str):
            return Failure("validation", f"{METHOD}: /handle and /label are texts")
        own = [one for one in self.actions if one["extension"] is extension]
        if any(one["handle"] == handle for one in own):
            return Failure("conflict", f"an action {handle} is pending")
        if len(own) >= MOST:
            return Failure("budget", "too many actions are pending")
        self.count += 1
        parent = (frame.get("parent") or {}).get("id")
        action = {"id": f"a{self.count}", "extension": extension, "handle": handle, "label": label, "call": parent}
        self.actions.append(action)
        return {"action_id": action["id"]}

    def with_banner(self, extension, id_, answer):
        """The answer to a call, with what was proposed in it."""
        labels = [one["label"] for one in self.actions if (one["extension"], one["call"]) == (extension, id_)]
        if isinstance(answer, Failure) or not labels or broken("pending-without-banner"):
            return answer
        banner = {"type": "text", "text": f"Staged as a proposal: {', '.join(labels)}. Nothing was changed yet."}
        return {**answer, "content": [*answer["content"], banner]}

    def release(self, extension):
        """The extension has ended."""
        gone = [one for one in self.actions if one["extension"] is extension]
        if not broken("the-dead-are-asked"):
            self.actions = [one for one in self.actions if one["extension"] is not extension]
            self.released += [] if broken("applies-the-next") else [one["label"] for one in gone]

    def resolve(self, args):
        with self.resolving:
            if self.released:
                told, self.released = ", ".join(self.released), []
                return text_of(f"no longer pending: {told}. Nothing was done.", True)
            if not self.actions:
                return text_of("Nothing is pending.", args.get("action") == "apply")
            action = self.actions[-1 if broken("newest-is-resolved") else 0]
            return self.resolve_one(action, args)

    def resolve_one(self, action, args):
        applies = args.get("action") == "apply"
        method = "pending.apply" if applies else "pending.reject"
        extension = action["extension"]
        if broken("pending-has-to-be-named") and method not in extension.methods:
            return text_of("the extension does not serve it", True)
        pending = Pending("response")
        id_ = extension.id(pending)
        params = {"handle": action["handle"], "reason": args.get("reason", "")}
        extension.send({"type": "request", "id": id_, "method": method, "params": params})
        answer = pending.wait(self.seconds("tool_ms"))
        extension.pending.pop(id_, None)
        why = str(answer) if isinstance(answer, Failure) else (answer.get("error") or {}).get("message")
        result = {} if why is not None else answer.get("result") or {}
        failed = why is not None or result.get("is_error") is True
        if failed and applies and not broken("failing-is-applied"):
            if action not in self.actions and action["label"] in self.released:
                # Its extension has ended meanwhile, and that is told here.
                self.released.remove(action["label"])
            return text_of(f"Apply failed: {why}", True)
        if failed and not applies and broken("discarding-can-fail"):
            return text_of(f"Discard failed: {why}", True)
        if action in self.actions and not (applies and broken("applies-twice")):
            self.actions.remove(action)
        said = result.get("content") or text_of("Applied." if applies else "Discarded.")["content"]
        return {"content": said, "is_error": False}
