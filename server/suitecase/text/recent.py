"""Results kept for texts that were looked at recently, and forgotten where nobody has the text any more.

A cache of a fixed number of results is too large for the texts of one file that is being edited: each keystroke makes
another one. It is too small where a suite names many files. So what was used since the last time that results were
forgotten stays, and everything else goes.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import update_wrapper
from typing import Any, Generic, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Recent(Generic[P, T]):
    """A function whose results are kept by its arguments; several threads may call it.

    Args:
        function: the function, of arguments that can be keys of a dictionary.
        most: the results that are kept at most, twice over.
    """

    def __init__(self, function: Callable[P, T], most: int) -> None:
        self._function = function
        self._most = most
        self._used: dict[Hashable, T] = {}
        self._before: dict[Hashable, T] = {}
        update_wrapper(self, function)

    def __call__(self, *arguments: P.args, **options: P.kwargs) -> T:
        key: Hashable = (arguments, *options.items()) if options else arguments
        used = self._used
        try:
            return used[key]
        except KeyError:
            pass
        before = self._before
        result = before[key] if key in before else self._function(*arguments, **options)
        if len(used) >= self._most:
            self.forget_unused()
            used = self._used
        used[key] = result
        return result

    def __len__(self) -> int:
        return len(self._used.keys() | self._before.keys())

    def forget_unused(self) -> None:
        """Forget the results that were not used since the last time."""
        self._before, self._used = self._used, {}


_ALL: list[Recent[Any, Any]] = []


def recent(most: int) -> Callable[[Callable[P, T]], Recent[P, T]]:
    """Return a decorator that keeps the results of a function of texts; see `Recent`."""

    def decorate(function: Callable[P, T]) -> Recent[P, T]:
        decorated = Recent(function, most)
        _ALL.append(decorated)
        return decorated

    return decorate


def forget_unused() -> None:
    """Forget the results for texts that were not looked at since the last time."""
    for it in _ALL:
        it.forget_unused()
