"""What layers derive from a text, kept with the text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, ParamSpec, Protocol, TypeVar, cast

T = TypeVar("T")
P = ParamSpec("P")


class Cached(Protocol):
    """Something that values are derived from; they live as long as it does."""

    @property
    def derived(self) -> dict[Cache[Any], Any]:
        """The value of each cache."""
        ...


class Cache(Generic[T]):
    """A value for each of the things that it is derived from. A layer has caches of its own."""

    __slots__ = ()

    def get(self, source: Cached) -> T | None:
        """Return the value of a thing; None where there is none yet."""
        return cast("T | None", source.derived.get(self))

    def set(self, source: Cached, value: T) -> None:
        """Keep the value of a thing."""
        source.derived[self] = value

    def of(
        self, source: Cached, make: Callable[P, T], *arguments: P.args, **options: P.kwargs
    ) -> T:
        """Return the value of a thing, which is made when it is first asked for.

        Args:
            source: the thing.
            make: makes the value.
            *arguments: what it takes.
            **options: what it takes by name.
        """
        try:
            return cast("T", source.derived[self])
        except KeyError:
            value = source.derived[self] = make(*arguments, **options)
            return value
