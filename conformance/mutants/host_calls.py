"""The calls that host.py makes: tools through interceptors and guards, and commands."""

import json
import threading
import time

from host_basics import Failure, Pending, broken, whole
from host_pending import RESOLVE


def depth(value):
    if isinstance(value, dict):
        return 1 + max(map(depth, value.values()), default=0)
    if isinstance(value, list):
        return 1 + max(map(depth, value), default=0)
    return 0


def fits(value, schema):
    """Whether arguments fit a schema, as far as this host knows JSON Schema."""
    kinds = {"integer": int, "string": str}
    for name, wanted in schema.get("properties", {}).items():
        kind = kinds.get(wanted.get("type"))
        if kind and name in value and not isinstance(value[name], kind):
            return False
    return True


class Calls:
    """The part of a host that calls its extensions."""

    def call(self, request, parent=None):
        """Calls a tool, for the model or for the call of another."""
        if request["tool"] == RESOLVE:
            args = self.model_args(request["args"])
            if parent and not broken("extensions-resolve"):
                return Failure("permission", "an extension cannot resolve what is pending")
            if isinstance(args, Failure):
                return args
            return self.reviewed(RESOLVE, args, self.resolve(args), False)
        owner = self.owners().get(request["tool"])
        if owner is None or "half" in owner[1]:
            return Failure("not_found", "unknown tool")
        if broken("newest-owns"):
            owner = self.all_owners()[request["tool"]][-1]
        extension, tool = owner
        refused = self.refuses(request["tool"])
        if refused:
            return refused
        args = self.model_args(request["args"])
        if isinstance(args, Failure):
            return args
        if tool.get("execution") == "sequential" and not broken("ignores-sequential"):
            lock = extension.turns.setdefault(request["tool"], threading.Lock())
            with lock:
                return self.gate(extension, tool, args, parent)
        return self.gate(extension, tool, args, parent)

    def ask_by_method(self, request):
        """Asks an extension for one of its methods: what came before the answer, and the answer."""
        extension = next(one for one in self.extensions if one.name == request["extension"])
        method = request["method"]
        if method not in extension.methods and not broken("requests-any-method"):
            return Failure("unsupported", f"{extension.name} does not serve {method}")
        pending = Pending("response")
        id_ = extension.id(pending)
        extension.send({"type": "request", "id": id_, "method": method, "params": request.get("params")})
        answer = pending.wait(self.seconds("tool_ms"))
        extension.pending.pop(id_, None)
        if isinstance(answer, Failure):
            return answer
        error = answer.get("error")
        if error and not broken("request-errors-are-results"):
            return Failure(error["code"], error["message"])
        return {"result": answer.get("result"), "parts": pending.parts}

    def model_args(self, text):
        try:
            if broken("args-as-they-came"):
                # As a host would that passes the model's text on.
                parse = dict
                args = json.loads(text, object_pairs_hook=lambda pairs: parse(reversed(pairs)))
            elif broken("numbers-as-doubles"):
                args = json.loads(text, parse_int=float)
            else:
                args = whole(json.loads(text))
        except ValueError as error:
            if broken("passes-any-args"):
                return {}
            return Failure("validation", f"the arguments are no JSON: {error}")
        if broken("escapes-markup-twice"):
            args = json.loads(json.dumps(args).replace("<", "&lt;"))
        if not isinstance(args, dict) and not broken("passes-any-args"):
            return Failure("validation", "the arguments are no object")
        if depth(args) > 64 and not broken("passes-deep-args"):
            return Failure("validation", "the arguments nest too deep")
        return args

    def gate(self, extension, tool, args, parent):
        valid = lambda: fits(args, tool.get("schema", {}))
        if broken("validates-first") and not valid():
            return Failure("validation", "the arguments do not fit")
        phases = ["intercept", "guard"]
        if broken("guards-before-rewrites"):
            phases.reverse()
        if parent and broken("calls-around-the-gate"):
            phases = []
        first, for_a_person = args, []
        for phase in phases:
            if phase == "guard" and not valid() and not broken("validates-first"):
                return Failure("validation", "the arguments do not fit")
            args = self.asked(phase, tool["name"], args, for_a_person)
            if isinstance(args, Failure):
                return args
        denied = self.approve(extension, tool, first, args, parent, for_a_person)
        if denied:
            return denied
        outcome = self.run(extension, tool, args, parent)
        reviewed = self.reviewed(tool["name"], args, outcome, parent is not None)
        if reviewed is not outcome and broken("runs-again-what-was-replaced"):
            self.run(extension, tool, args, parent)
        return reviewed

    def run(self, extension, tool, args, parent):
        seconds = self.seconds("tool_ms")
        if "timeout_ms" in tool and not broken("ignores-timeout-ms"):
            seconds = tool["timeout_ms"] / 1000
        frame = {"type": "tool_call", "id": "", "name": tool["name"], "args": args}
        if broken("calls-without-name"):
            del frame["name"]
        answer = extension.ask("tool_result", frame, seconds, parent)
        answer = self.with_banner(extension, frame["id"], answer)
        if isinstance(answer, Failure) and answer.kind == "timeout":
            if "tool_cancel" in extension.capabilities or broken("cancels-for-all"):
                extension.send({"type": "tool_cancel", "id": frame["id"]})
        return answer

    def asked(self, phase, tool, args, for_a_person):
        """The arguments after all who want to be asked, or why not; and what a person is to decide."""
        extensions = list(self.extensions)
        if broken("asks-backwards"):
            extensions.reverse()
        first, blocked = args, None
        for extension in extensions:
            kind = "guards" if phase == "guard" else "intercept"
            is_missing = "tool_call" in extension.declared - set(extension.subscribed["guards"])
            if phase == "guard" and (is_missing or extension.unclear):
                return Failure("permission", f"the guard of {extension.name} cannot be asked")
            if "tool_call" not in extension.subscribed[kind]:
                continue
            if phase == "guard" and broken("no-guards"):
                continue
            if extension.state == "failed":
                stands = phase == "guard" or extension.on_failure.get("tool_call") == "block"
                if stands and not broken("forgets-dead-guards"):
                    return Failure("permission", f"the guard of {extension.name} is gone")
                continue
            frame = {
                "type": "event_intercept", "id": "", "event": "tool_call", "phase": phase,
                "tool_name": tool, "tool_args": first if broken("asks-with-first-args") else args}
            answer = extension.ask(
                "event_intercept_response", frame, self.seconds("intercept_ms"))
            if isinstance(answer, Failure):
                if answer.kind == "timeout" and broken("silence-allows"):
                    continue
                if answer.kind == "transient" and broken("the-dead-allow"):
                    continue
                failure = extension.on_failure.get("tool_call", "block")
                if failure == "allow" and not broken("ignores-on-failure"):
                    continue
                return Failure("permission", f"{extension.name} did not decide: {answer}")
            if answer.get("ask") and phase == "guard":
                for_a_person.append(answer.get("reason", "a guard asks"))
            elif answer.get("block") and not broken("ignores-blocks"):
                if for_a_person and broken("asks-about-what-is-blocked"):
                    continue
                blocked = blocked or Failure("permission", answer.get("reason", "blocked"))
                if not broken("asks-on-after-block"):
                    return blocked
            new = answer.get("modified_args")
            if new is not None and (phase != "guard" or broken("guards-rewrite")):
                if not isinstance(new, dict) and not broken("takes-any-modified-args"):
                    return Failure("permission", "modified_args are no object")
                if not broken("ignores-rewrites"):
                    args = new
        return blocked or args

    def command(self, request):
        for extension in self.extensions:
            for name in extension.commands:
                same = name.lower() == request["name"].lower()
                if broken("commands-by-case"):
                    same = name == request["name"]
                if not same:
                    continue
                name = request["name"] if broken("passes-typed-name") else name
                frame = {"type": "command_invoked", "id": "", "name": name}
                args = request.get("args", "")
                if broken("squeezes-spaces"):
                    args = " ".join(args.split())
                if args or broken("writes-empty-args"):
                    frame["args"] = args
                answer = extension.ask("command_response", frame, self.seconds("command_ms"))
                return answer if isinstance(answer, Failure) else self.outcome(answer)
        return Failure("not_found", "unknown command")

    def outcome(self, answer):
        if answer.get("error") and not broken("action-before-error"):
            return Failure("internal", answer["error"])
        action = answer.get("action")
        if action in ("prompt", "insert", "display"):
            return {"action": action, "text": answer.get(action, "")}
        if action == "open_panel":
            return {"action": action, "panel": answer["open_panel"]["id"]}
        if action == "noop" or broken("any-action-displays"):
            return {"action": "noop"}
        return Failure("protocol", f"the action {action} is unknown")

    # What extensions ask of the tools of others.

    def call_tool(self, caller, frame):
        """Answers a call_tool, once: at once where it is refused, else when the tool has ended."""
        try:
            parent = self.parent_of(caller, frame)
        except Failure as failure:
            if failure.kind != "protocol" or not broken("ignores-bad-calls"):
                caller.send(nested_answer(frame, failure))
            return
        caller.asked.add(frame["id"])
        threading.Thread(target=self.nested, args=[caller, frame, parent], daemon=True).start()

    def parent_of(self, caller, frame):
        """The call that it belongs to; one of its own where it names none."""
        name, parent = frame.get("name"), Pending("none")
        if not isinstance(name, str):
            raise Failure("protocol", "a call_tool without a name")
        if len(caller.asked) >= 256 and not broken("calls-without-limit"):
            raise Failure("budget", "256 calls have no answer yet")
        if frame.get("parent_id") is not None:
            named = caller.pending.get(frame["parent_id"])
            is_open = named and named.kind == "tool_result" and not named.done.is_set()
            if not is_open and not broken("takes-any-parent"):
                raise Failure("stale", "the call that it belongs to is over")
            parent = named or parent
        if name in parent.chain and not broken("chains-come-round"):
            raise Failure("budget", f"{name} is in the chain already")
        if len(parent.chain) >= 4 and not broken("chains-without-end"):
            raise Failure("budget", "a chain of more than four calls")
        return parent

    def nested(self, caller, frame, parent):
        if not broken("calls-before-all-are-ready"):
            self.started.wait()
        request = {"tool": frame["name"], "args": json.dumps(frame.get("args") or {})}
        answer = nested_answer(frame, self.call(request, parent))
        caller.asked.discard(frame["id"])
        for _ in range(2 if broken("answers-calls-twice") else 1):
            caller.send(answer)

    def give_up(self, extension, id_, pending):
        """Cancels a call, and what was called for it."""
        pending.cancelled = pending.cancelled or time.monotonic()
        if "tool_cancel" in extension.capabilities or broken("cancels-for-all"):
            if not broken("never-cancels"):
                extension.send({"type": "tool_cancel", "id": id_})
        else:
            pending.give(Failure("cancelled", "nobody wants it any more"))
        self.end_children(pending)

    def end_children(self, pending):
        children, pending.children = pending.children, []
        for child in children:
            if not child[2].done.is_set() and not broken("children-live-on"):
                self.give_up(*child)


def nested_answer(frame, outcome):
    answer = {"type": "tool_result", "id": frame["id"], "name": frame.get("name") or ""}
    if isinstance(outcome, Failure):
        text = f"{outcome.kind}: {outcome}"
        return {**answer, "content": [{"type": "text", "text": text}], "is_error": True}
    answer["content"] = outcome.get("content", [])
    if outcome.get("is_error"):
        answer["is_error"] = True
    left = 262144
    for block in answer["content"]:
        if len(block.get("text", "")) > left and not broken("never-truncates"):
            block["text"] = block["text"][:left]
            answer["truncated"] = True
        left -= len(block.get("text", ""))
    return answer
