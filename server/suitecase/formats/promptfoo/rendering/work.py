"""How much a template may compute."""

from __future__ import annotations

from typing import Any

from suitecase.formats.promptfoo.rendering.errors import UnsupportedTemplateError

#: Templates take some hundred steps; so many take about a second.
_MOST_STEPS = 500_000
#: No text is longer.
LONGEST = 10_000_000
#: So many characters count as a step.
_CHARACTERS = 100
#: So many items of lists and mappings count as a step.
_ITEMS = 10


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
        if isinstance(value, str):
            self.characters(len(value))
        elif isinstance(value, list | dict):
            self._looked_through(value)

    def _looked_through(self, value: list[Any] | dict[str, Any]) -> None:
        """Count what is in a list or a mapping, as often as it is in there."""
        found: list[Any] = [value]
        most = self.left * _ITEMS
        count = 0
        while found:
            it = found.pop()
            if isinstance(it, dict):
                it = list(it.values())
            if isinstance(it, list):
                found += it
                count += len(it)
                if count > most:
                    break
        self.step(1 + count / _ITEMS)

    def characters(self, count: float) -> None:
        """Count a text that is going to be made, before it is."""
        if not count <= LONGEST:
            raise UnsupportedTemplateError("a text in the template becomes too long")
        self.step(1 + count // _CHARACTERS)
