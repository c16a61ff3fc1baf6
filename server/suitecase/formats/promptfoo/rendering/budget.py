"""How much a template may compute."""

from __future__ import annotations

from typing import Any

from suitecase.formats.promptfoo.rendering.errors import UnsupportedTemplateError
from suitecase.formats.promptfoo.rendering.values import SafeString

#: Most templates take some hundred steps; this many take about a second.
_MOST_STEPS = 500_000
#: The length of the longest string, and of all strings in a list or mapping together.
_MOST_CHARACTERS = 10_000_000
_CHARACTERS_PER_STEP = 100
_ITEMS_PER_STEP = 10
#: Strings in lists are rarely copied, so they cost less.
_LISTED_CHARACTERS_PER_STEP = 1000


class Budget:
    """The steps that a template may still take.

    Every method raises `UnsupportedTemplateError` if there are not enough steps left, or if a string
    is too long.
    """

    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left = _MOST_STEPS

    def spend(self, steps: float = 1) -> None:
        """Spend steps; they may be infinite or NaN, which is always too many."""
        if not steps <= self.left:
            raise UnsupportedTemplateError("the template takes too long to be filled in")
        self.left -= int(steps)

    def spend_on(self, value: object) -> None:
        """Spend what it takes to create a string, a list or a mapping, or to read all of it."""
        if isinstance(value, SafeString):
            value = value.text
        if isinstance(value, str):
            self.spend_on_characters(len(value))
        elif isinstance(value, list | dict):
            self._spend_on_items(value)

    def spend_on_characters(self, count: float) -> None:
        """Spend what it takes to create a string, before it is created."""
        _check_length(count)
        self.spend(1 + count // _CHARACTERS_PER_STEP)

    def _spend_on_items(self, value: list[Any] | dict[str, Any]) -> None:
        """Count everything in a list or a mapping; an item that is in it twice counts twice."""
        found: list[Any] = [value]
        most = self.left * _ITEMS_PER_STEP
        count = characters = 0
        while found and count <= most:
            item = found.pop()
            if isinstance(item, dict):
                item = list(item.values())
            if isinstance(item, list):
                found += item
                count += len(item)
            elif isinstance(item, SafeString):
                characters += len(item.text)
            elif isinstance(item, str):
                characters += len(item)
        _check_length(characters)
        self.spend(1 + count / _ITEMS_PER_STEP + characters / _LISTED_CHARACTERS_PER_STEP)


def _check_length(characters: float) -> None:
    if not characters <= _MOST_CHARACTERS:
        raise UnsupportedTemplateError("a string in the template becomes too long")
