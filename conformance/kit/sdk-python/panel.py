"""The panel, which shows what was typed."""
import time

from memory import MESSAGE, kit

ID = "keys"

typed = []


@kit.panel(ID)
def handle(input, ctx):
    shown = ctx.panel(ID)
    if input.kind == "resize":
        shown.render(title=f"{input.width}x{input.height}")
    elif input.kind == "close":
        shown.render(lines=["too late"])
        ctx.notify("closed")
    elif input.key == "tab":
        shown.close()
    elif input.key in ("rune", "enter"):
        press(input.text if input.key == "rune" else None)
        shown.render(lines=["".join(typed)])


def press(text):
    if text == "!":
        raise ValueError(MESSAGE)
    if text is None:
        time.sleep(0.02)
    typed.append("/" if text is None else text)
