"""The scopes of a template: the frames of nunjucks, and the context outside of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from suitecase.formats.promptfoo.rendering.errors import UnsupportedTemplateError
from suitecase.formats.promptfoo.rendering.values import UNDEFINED, Undefined, to_javascript
from suitecase.formats.promptfoo.templates.javascript import OBJECT_NAMES


class Context:
    """The variables of a template, and the globals of nunjucks."""

    def __init__(
        self, variables: Mapping[str, Any], globals_: dict[str, Callable[[], Any]]
    ) -> None:
        self._variables = variables
        self._globals = globals_
        self._values: dict[str, Any] = {}

    def lookup(self, name: str) -> Any:
        """Return the value of a variable."""
        if name not in self._values:
            if name in self._variables:
                self._values[name] = to_javascript(self._variables[name])
            elif name in self._globals:
                self._values[name] = self._globals[name]()
            elif name in OBJECT_NAMES:
                raise UnsupportedTemplateError(
                    f"`{name}` is a JavaScript built-in, which is not supported"
                )
            else:
                return UNDEFINED
        return self._values[name]

    def set(self, name: str, value: Any) -> None:
        """Set a variable for the whole template."""
        self._values[name] = value


class Frame:
    """A scope: the template's, or that of a loop.

    Attributes:
        bound: the names of a loop, which hide outer ones even if they are `undefined`.
    """

    def __init__(self, parent: Frame | None = None, bound: tuple[str, ...] = ()) -> None:
        self.parent = parent
        self.bound = frozenset(bound)
        self.variables: dict[str, Any] = {}

    def lookup(self, name: str) -> Any:
        """Return the value of a name as a list of one item; None if no scope has the name."""
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
        """Set a name in the nearest scope that has it, otherwise in this one."""
        frame: Frame | None = self
        while frame is not None:
            known = frame.variables.get(name, UNDEFINED)
            if name in frame.bound or not isinstance(known, Undefined):
                frame.variables[name] = value
                return
            frame = frame.parent
        self.variables[name] = value


class Scope:
    """The values of names at the current place of a template."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._frame = Frame()

    def lookup(self, name: str) -> Any:
        """Return the value of a name, `undefined` if it has none."""
        found = self._frame.lookup(name)
        return found[0] if found else self._context.lookup(name)

    def set(self, name: str, value: Any) -> None:
        """Set a name; outside of loops, for the whole template."""
        self._frame.set(name, value)
        if self._frame.parent is None:
            self._context.set(name, value)

    @contextmanager
    def loop(self, names: tuple[str, ...]) -> Iterator[dict[str, Any]]:
        """Enter the scope of a loop; yield its variables, which every iteration updates."""
        outer = self._frame
        self._frame = Frame(outer, names)
        try:
            yield self._frame.variables
        finally:
            self._frame = outer
