"""The scopes of a template: nunjucks's frames, and the context behind them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from suitecase.formats.promptfoo.rendering.errors import UnsupportedTemplateError
from suitecase.formats.promptfoo.rendering.values import (
    OBJECT_NAMES,
    UNDEFINED,
    Undefined,
    imported,
)


class Context:
    """The variables of a template, and what nunjucks offers besides."""

    def __init__(self, variables: Mapping[str, Any], offered: dict[str, Callable[[], Any]]) -> None:
        self._given = variables
        self._offered = offered
        self._values: dict[str, Any] = {}

    def lookup(self, name: str) -> Any:
        """Return the value of a variable."""
        if name not in self._values:
            if name in self._given:
                self._values[name] = imported(self._given[name])
            elif name in self._offered:
                self._values[name] = self._offered[name]()
            elif name in OBJECT_NAMES:
                raise UnsupportedTemplateError(f"`{name}` is a name of JavaScript")
            else:
                return UNDEFINED
        return self._values[name]

    def set(self, name: str, value: Any) -> None:
        """Set a variable for all of the template."""
        self._values[name] = value


class Frame:
    """A scope: the template's, or that of a loop.

    Attributes:
        bound: names of a loop, which hide others even if they are `undefined`.
    """

    def __init__(self, parent: Frame | None = None, bound: tuple[str, ...] = ()) -> None:
        self.parent = parent
        self.bound = frozenset(bound)
        self.variables: dict[str, Any] = {}

    def lookup(self, name: str) -> Any:
        """Return the value of a name; None of Python where no scope has it, in a list otherwise."""
        frame: Frame | None = self
        while frame is not None:
            if name in frame.bound:
                return [frame.variables.get(name, UNDEFINED)]
            value = frame.variables.get(name, UNDEFINED)
            if not isinstance(value, Undefined):
                return [value]
            frame = frame.parent
        return None

    def set(self, name: str, value: Any) -> None:
        """Set a name where it has a value already, otherwise in this scope."""
        frame: Frame | None = self
        while frame is not None:
            known = frame.variables.get(name, UNDEFINED)
            if name in frame.bound or not isinstance(known, Undefined):
                frame.variables[name] = value
                return
            frame = frame.parent
        self.variables[name] = value


class Scope:
    """What names stand for at the place of a template that is being filled in."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._frame = Frame()

    def lookup(self, name: str) -> Any:
        """Return the value of a name, `undefined` if it has none."""
        found = self._frame.lookup(name)
        return found[0] if found else self._context.lookup(name)

    def set(self, name: str, value: Any) -> None:
        """Set a name: outside of loops for all of the template."""
        self._frame.set(name, value)
        if self._frame.parent is None:
            self._context.set(name, value)

    @contextmanager
    def loop(self, names: tuple[str, ...]) -> Iterator[dict[str, Any]]:
        """Enter the scope of a loop; yield the values of its names, to be changed in each step."""
        outer = self._frame
        self._frame = Frame(outer, names)
        try:
            yield self._frame.variables
        finally:
            self._frame = outer
