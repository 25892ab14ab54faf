"""What the names in a function's string annotations stand for."""

from __future__ import annotations

import sys

from ._signature import layers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Scope:
    """The names an annotation of ``function`` can see: its module's, those it closes over, and
    those of the function or class it is being defined in."""

    __slots__ = ("_function", "_locals")

    def __init__(self, function: Any) -> None:
        self._function = layers(function, wrapped=True)[-1]
        self._locals: dict[str, Any] | None = None

    @property
    def globals(self) -> dict[str, Any]:
        found: dict[str, Any] = getattr(self._function, "__globals__", {})
        return found

    @property
    def locals(self) -> dict[str, Any]:
        if self._locals is None:
            self._locals = {**self._definers(), **self._closed_over()}
        return self._locals

    def resolve(self, text: str) -> Any:
        """What a string annotation says. Raises NameError, SyntaxError or whatever evaluating it
        raises."""
        return eval(text, self.globals, self.locals)

    def _definers(self) -> dict[str, Any]:
        """The variables of the functions and classes that ``function`` is being defined in: of the
        callers whose code holds its code."""
        inner = getattr(self._function, "__code__", None)
        found: dict[str, Any] = {}
        frame = sys._getframe(1).f_back
        while frame is not None:
            if any(inner is constant for constant in frame.f_code.co_consts):
                if frame.f_locals is not frame.f_globals:
                    found = {**frame.f_locals, **found}
                inner = frame.f_code
            frame = frame.f_back
        return found

    def _closed_over(self) -> dict[str, Any]:
        found = {one.__name__: one for one in getattr(self._function, "__type_params__", ())}
        names = getattr(getattr(self._function, "__code__", None), "co_freevars", ())
        for name, cell in zip(names, getattr(self._function, "__closure__", None) or ()):
            try:
                found[name] = cell.cell_contents
            except ValueError:
                continue  # assigned later than the function
        return found
