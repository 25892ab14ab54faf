"""The Python SDK under the benchmark: one tool that answers with its text."""

from extline import Extension

ext = Extension("echo", "1.0.0")


@ext.tool
def echo(text: str) -> str:
    """Answers with the text.

    text: What to answer
    """
    return text


if __name__ == "__main__":
    ext.run()
