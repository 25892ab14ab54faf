from extline import Context, Extension, Response, ToolError

ext = Extension("{{name}}", "0.1.0")


@ext.tool
def greet(who: str, *, ctx: Context) -> str:
    """Greets somebody by name.

    who: Whom to greet
    """
    ctx.update("thinking of a greeting")
    if not who.strip():
        raise ToolError("nobody to greet", field="/who")
    return f"Hello, {who}!"


@ext.command("{{name}}", "asks the model for a greeting")
def ask(args: str) -> Response:
    return Response.prompt(f"Greet {args} in one line.")


if __name__ == "__main__":
    ext.run()
