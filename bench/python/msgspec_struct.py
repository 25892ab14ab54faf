"""The same with an argument of a type of msgspec's, which makes and checks it."""

import msgspec
from extline import Extension

ext = Extension("echo", "1.0.0")


class Style(msgspec.Struct):
    """How to answer."""

    loud: bool = False


@ext.tool
def echo(text: str, style: Style | None = None) -> str:
    """Answers with the text.

    text: What to answer
    style: How to answer
    """
    return text.upper() if style and style.loud else text


if __name__ == "__main__":
    ext.run()
