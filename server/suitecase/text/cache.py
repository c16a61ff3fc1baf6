"""Caches of values that layers derive from a text, kept with the text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, ParamSpec, Protocol, TypeVar, cast

T = TypeVar("T")
P = ParamSpec("P")


class Cached(Protocol):
    """A source of derived values, which live as long as it does."""

    @property
    def derived(self) -> dict[Cache[Any], Any]:
        """The value of each cache."""
        ...


class Cache(Generic[T]):
    """A value for each source. Each layer has its own caches."""

    __slots__ = ()

    def get(self, source: Cached) -> T | None:
        """Return the value of a source; None if there is none yet."""
        return cast("T | None", source.derived.get(self))

    def set(self, source: Cached, value: T) -> None:
        """Set the value of a source."""
        source.derived[self] = value

    def of(
        self, source: Cached, make: Callable[P, T], *arguments: P.args, **options: P.kwargs
    ) -> T:
        """Return the value of a source, computed on first use.

        Args:
            source: the source.
            make: computes the value.
            *arguments: its arguments.
            **options: its keyword arguments.
        """
        try:
            return cast("T", source.derived[self])
        except KeyError:
            value = source.derived[self] = make(*arguments, **options)
            return value
