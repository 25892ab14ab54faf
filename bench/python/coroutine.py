"""The same as a coroutine, which runs as a task of asyncio."""

from extline import Extension

ext = Extension("echo", "1.0.0")


@ext.tool
async def echo(text: str) -> str:
    """Answers with the text.

    text: What to answer
    """
    return text


if __name__ == "__main__":
    ext.run()
