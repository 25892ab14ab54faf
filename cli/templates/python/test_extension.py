from extension import ext
from extline import Response
from extline.testing import Host


def test_it_greets_by_name() -> None:
    with Host(ext) as host:
        assert host.call("greet", who="Ada").text == "Hello, Ada!"
        assert host.call("greet", who=" ").field == "/who"
        assert host.command("{{name}}", "Ada") == Response.prompt("Greet Ada in one line.")
