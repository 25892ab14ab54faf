"""The forge, where change requests are opened: one call of its HTTP interface."""

from __future__ import annotations

import json
import urllib.error
import urllib.request

from extline import Secret, ToolError

# Seconds that it has for an answer.
PATIENCE = 30


def open_request(url: str, token: Secret, **request: str) -> str:
    """Opens a change request, and gives the address of it."""
    headers = {"authorization": f"Bearer {token.reveal()}", "content-type": "application/json"}
    asked = urllib.request.Request(f"{url.rstrip('/')}/requests", json.dumps(request).encode(), headers)
    try:
        with urllib.request.urlopen(asked, timeout=PATIENCE) as answer:
            address: str = json.load(answer)["url"]
    except urllib.error.HTTPError as error:
        if error.code in (401, 403):
            hint = "the person sets another one: extline secret set repo-assistant forge_token"
            raise ToolError.permission(f"{url} does not take the key", hint=hint) from None
        raise ToolError.transient(f"{url} answered {error.code} {error.reason}") from error
    except OSError as error:
        raise ToolError.transient(f"{url} cannot be reached: {error}") from error
    return address
