"""The difference of two texts as one replaced stretch."""

from __future__ import annotations

from typing import NamedTuple


class Replaced(NamedTuple):
    """A stretch of a text, from `start` to `end`, and how many characters now stand there."""

    start: int
    end: int
    length: int

    @classmethod
    def between(cls, old: str, new: str) -> Replaced:
        """Return the stretch in which two texts differ."""
        most = min(len(old), len(new))
        before = shared_length(old, new, most)
        after = shared_length(old, new, most - before, from_end=True)
        return cls(before, len(old) - after, len(new) - after - before)

    @property
    def shift(self) -> int:
        """The offset by which the text after the stretch moved."""
        return self.length - (self.end - self.start)

    @property
    def new_end(self) -> int:
        """The end of the new characters."""
        return self.start + self.length


def shared_length(old: str, new: str, most: int, *, from_end: bool = False) -> int:
    """Return the length of the common prefix or suffix of two texts, by bisection.

    Args:
        old: a text.
        new: another.
        most: the maximum length.
        from_end: whether their ends are compared.
    """
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        same = (
            old[len(old) - middle :] == new[len(new) - middle :]
            if from_end
            else old[:middle] == new[:middle]
        )
        low, high = (middle, high) if same else (low, middle - 1)
    return low
