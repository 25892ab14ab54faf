"""Events, interceptors and the guard."""
import time

from memory import MESSAGE, kit, labels


def record(event):
    if event.event == "turn_start" and event.step is not None and event.step % 10 == 0:
        time.sleep(0.02)
    parts = [event.event, event.step, event.tool_name, event.text]
    labels.append(" ".join(str(part) for part in parts if part is not None))
    if event.event == "turn_end" and event.error == "throw":
        raise ValueError(MESSAGE)


for name in ("session_start", "turn_start", "turn_end", "tool_call", "assistant_message"):
    kit.on(name)(record)
kit.on("tool_result", tools=["bash", "mcp_*"])(record)


@kit.intercept("tool_call")
def first(call):
    do = call.args.get("do")
    if do == "block":
        return call.block("the kit says no")
    if do == "rewrite":
        return call.rewrite({**call.args, "first": True})
    if do == "throw":
        raise ValueError(MESSAGE)
    if do == "hang":
        time.sleep(60)
    if do == "late":
        time.sleep(0.7)
        return call.block("too late")


@kit.intercept("tool_call")
def second(call):
    if call.args.get("first") is True:
        return call.rewrite({**call.args, "second": True})


@kit.guard(name="kit")
def guard(call, ctx):
    do = call.args.get("do")
    if do == "veto":
        return call.block("vetoed")
    if do == "veto_unless":
        return call.ask("it is grave")
    if do == "veto_throw":
        raise ValueError(MESSAGE)
    if do == "veto_ask" and not ctx.ui.confirm("May it?"):
        return call.block("the person says no")
    if do == "veto_hang":
        time.sleep(60)
    if call.args.get("second") is True and call.args.get("veto") is True:
        return call.block("saw second")


@kit.intercept("turn_start", on_failure="allow")
def turn_start(turn):
    if turn.step == 900:
        return turn.block("enough")
    if turn.step == 901:
        raise ValueError(MESSAGE)


@kit.intercept("assistant_message")
def assistant_message(message):
    if message.text == "throw":
        raise ValueError(MESSAGE)
    if message.text == "erase":
        return message.replace("")
    if "forbidden" in message.text:
        return message.block("an unkind word")
    if "plain" in message.text:
        return message.replace(message.text.replace("plain", "better"))


@kit.intercept("before_agent_start")
def before_agent_start(start):
    if start.current_prompt == "throw":
        raise ValueError(MESSAGE)
    if start.current_prompt == "keep":
        return None
    return start.system_prompt("" if start.current_prompt == "remove" else start.current_prompt + " (kit)")


@kit.intercept("tool_result", on_failure="block")
def tool_result(result):
    if result.text == "throw":
        raise ValueError(MESSAGE)
    if result.text == "withhold":
        return result.withhold("not for you")
    if result.text == "fail":
        return result.fail("it was no good")
    if result.text == "cut":
        return result.replace("***")
    if result.text == "all":
        return result.replace("***", structured_content={"n": 1}, details={"d": 2}, is_error=False)


@kit.intercept("user_prompt_submit")
def user_prompt_submit(prompt):
    if prompt.text == "throw":
        raise ValueError(MESSAGE)
    if prompt.text == "handled":
        return prompt.handled()
    if "forbidden" in prompt.text:
        return prompt.block("not here")
    if "plain" in prompt.text:
        return prompt.replace(prompt.text.replace("plain", "better"))
