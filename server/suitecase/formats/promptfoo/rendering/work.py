"""How much a template may compute."""

from __future__ import annotations

from typing import Any

from suitecase.formats.promptfoo.rendering.errors import UnsupportedTemplateError
from suitecase.formats.promptfoo.rendering.values import SafeText

#: Templates take some hundred steps; so many take about a second.
_MOST_STEPS = 500_000
#: The length of the longest string, and of all strings in a list or mapping together.
_MOST_CHARACTERS = 10_000_000
_CHARACTERS_PER_STEP = 100
_ITEMS_PER_STEP = 10
#: Strings in lists are rarely copied, so they cost less.
_LISTED_CHARACTERS_PER_STEP = 1000


class Work:
    """What is left of what a template may compute."""

    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left = _MOST_STEPS

    def step(self, amount: float = 1) -> None:
        """Count steps.

        Raises:
            UnsupportedTemplateError: there were too many.
        """
        # An amount may be infinite, or no number.
        if not amount <= self.left:
            raise UnsupportedTemplateError("the template takes too long to be filled in")
        self.left -= int(amount)

    def made(self, value: object) -> None:
        """Count what a text or a list took to be made, or takes to be looked through."""
        if isinstance(value, SafeText):
            value = value.text
        if isinstance(value, str):
            self.characters(len(value))
        elif isinstance(value, list | dict):
            self._looked_through(value)

    def _looked_through(self, value: list[Any] | dict[str, Any]) -> None:
        """Count what is in a list or a mapping, as often as it is in there."""
        found: list[Any] = [value]
        most = self.left * _ITEMS_PER_STEP
        count = characters = 0
        while found and count <= most:
            it = found.pop()
            if isinstance(it, dict):
                it = list(it.values())
            if isinstance(it, list):
                found += it
                count += len(it)
            elif isinstance(it, SafeText):
                characters += len(it.text)
            elif isinstance(it, str):
                characters += len(it)
        self._check_length(characters)
        self.step(1 + count / _ITEMS_PER_STEP + characters / _LISTED_CHARACTERS_PER_STEP)

    def characters(self, count: float) -> None:
        """Count a text that is going to be made, before it is."""
        self._check_length(count)
        self.step(1 + count // _CHARACTERS_PER_STEP)

    def _check_length(self, count: float) -> None:
        if not count <= _MOST_CHARACTERS:
            raise UnsupportedTemplateError("a text in the template becomes too long")
