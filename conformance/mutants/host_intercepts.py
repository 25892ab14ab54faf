"""What host.py asks extensions about texts and results: messages, prompts, and what tools came to."""

from host_basics import Failure, broken


class Intercepts:
    """The part of a host that asks before somebody reads something."""

    def ask_one(self, extension, point, members):
        frame = {"type": "event_intercept", "id": "", "event": point, "phase": "intercept", **members}
        return extension.ask("event_intercept_response", frame, self.seconds("intercept_ms"))

    def intercept(self, request):
        """What becomes of a message, or of a prompt."""
        point, text = request["event"], request["text"]
        result = {}
        for extension in self.extensions:
            if point not in extension.subscribed["intercept"]:
                continue
            answer = self.ask_one(extension, point, {"text": text})
            if isinstance(answer, Failure):
                continue
            if answer.get("handled") and not broken("sends-what-is-handled"):
                result = result or {"handled": extension.name}
            elif answer.get("block") and not broken("ignores-blocks"):
                result = result or {"blocked": answer.get("reason", ""), "by": extension.name}
            if result and not broken("asks-on-about-prompts"):
                return result
            new = answer.get("replace_text", "" if broken("absent-text-empties") else None)
            if new is not None and not broken("ignores-rewrites"):
                text = new
        return result or {"text": text}

    def reviewed(self, tool, args, outcome, is_nested):
        """What the caller of a tool gets, once all who want to see it have."""
        is_failure = isinstance(outcome, Failure)
        unseen = (is_failure and broken("failures-are-unseen")
                  or is_nested and broken("nested-results-are-unseen") or broken("results-are-unseen"))
        result = shown(outcome) if is_failure else outcome
        is_changed = False
        for extension in self.extensions if not unseen else []:
            if "tool_result" not in extension.subscribed["intercept"]:
                continue
            seen = {name: result[name] for name in SEEN if name in result}
            about = {"tool_name": tool, "tool_args": args, "result": seen}
            answer = self.ask_one(extension, "tool_result", about)
            if isinstance(answer, Failure):
                default = "block" if broken("results-fail-closed") else "allow"
                declared = extension.on_failure.get("tool_result", default)
                if declared != "block" or broken("results-fail-open"):
                    continue
                answer = {"block": True, "reason": f"its interceptor failed: {answer}"}
            if answer.get("block") and not broken("withholds-nothing"):
                return withheld(tool, extension, answer, result)
            if "replace_result" in answer and not broken("ignores-rewrites"):
                result, is_changed = replaced(result, answer["replace_result"]), True
        return result if is_changed else outcome


SEEN = ("content", "is_error", "structured_content", "details", "error")


def shown(failure):
    """A failure in the words of the host, as the model would read it."""
    error = {"kind": failure.kind, "message": str(failure)}
    return {"content": [{"type": "text", "text": str(failure)}], "is_error": True, "error": error}


def replaced(result, new):
    result = {**result, **new}
    if "content" not in new:
        return result
    if "structured_content" not in new and not broken("keeps-the-old-value"):
        result.pop("structured_content", None)
    if "error" in result and not broken("keeps-the-old-message"):
        text = "".join(block.get("text", "") for block in new["content"])
        kept = {name: result["error"][name] for name in ("kind", "retry_after_ms") if name in result["error"]}
        result["error"] = {**kept, "message": text}
    if "is_error" not in new and broken("replaced-is-no-failure"):
        result["is_error"] = False
    return result


def withheld(tool, extension, answer, result):
    text = f"the result of {tool} was withheld by {extension.name}: {answer.get('reason', '')}"
    if broken("withholds-in-silence"):
        text = "the result was withheld"
    error = {"kind": "permission", "message": text}
    kept = ("effects", "structured_content") if broken("withheld-leaves-the-value") else ("effects",)
    left = {name: result[name] for name in kept if name in result}
    return {**left, "content": [{"type": "text", "text": text}], "is_error": True, "error": error}
