"""Errors of one target, or of one evaluator, that come one after the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

#: Where `--max-errors` says nothing else.
DEFAULT_MAX_ERRORS = 10


@dataclass(slots=True)
class Failures:
    """How often each target and evaluator failed since it last worked, and why the last time.

    Replays and mocks are not counted: asking them is free.
    """

    in_a_row: dict[str, int] = field(default_factory=dict)
    _why: dict[str, str] = field(default_factory=dict)

    @classmethod
    def after(cls, earlier: Mapping[str, int], most: int) -> Failures:
        """Begin with what failed in the runs before this one.

        Each may be tried once more: it may have been repaired, or be another one of that name.
        """
        return cls({name: min(number, most - 1) for name, number in earlier.items() if most > 1})

    def failed(self, name: str, why: str) -> None:
        """Count an error."""
        self.in_a_row[name] = self.in_a_row.get(name, 0) + 1
        self._why[name] = why

    def worked(self, name: str) -> None:
        """Forget the errors before."""
        self.in_a_row.pop(name, None)

    def reason(self, most: int) -> str | None:
        """Return why nothing more should be asked, for people; None where nothing failed as often.

        Args:
            most: so many errors in a row; 0 for no limit.
        """
        for name, number in self.in_a_row.items():
            if 0 < most <= number:
                times = "once" if number == 1 else f"{number:,} times in a row"
                return (
                    f"{name} failed {times}, so no further case was begun (--max-errors {most}): "
                    f"{self._why.get(name, 'it failed before')}"
                )
        return None
