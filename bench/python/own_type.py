"""The same with an argument of a type of the author's own, a dataclass."""

from dataclasses import dataclass

from extline import Extension

ext = Extension("echo", "1.0.0")


@dataclass
class Style:
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
