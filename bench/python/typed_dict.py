"""The same with an argument of a type of the author's own, a TypedDict."""

from typing import TypedDict

from extline import Extension

ext = Extension("echo", "1.0.0")


class Style(TypedDict, total=False):
    """How to answer."""

    loud: bool


@ext.tool
def echo(text: str, style: Style | None = None) -> str:
    """Answers with the text.

    text: What to answer
    style: How to answer
    """
    return text.upper() if style and style.get("loud") else text


if __name__ == "__main__":
    ext.run()
