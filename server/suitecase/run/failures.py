"""Consecutive errors of a target or an evaluator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

#: The default of `--max-errors`.
DEFAULT_MAX_ERRORS = 10


@dataclass(slots=True)
class Failures:
    """Consecutive errors of each target and evaluator, with the last message.

    Replays and mocks are not counted, since calling them is free.
    """

    in_a_row: dict[str, int] = field(default_factory=dict)
    _why: dict[str, str] = field(default_factory=dict)

    @classmethod
    def after(cls, earlier: Mapping[str, int], most: int) -> Failures:
        """Start with the counts of earlier runs.

        Each may be tried once more, since it may have been repaired or replaced.
        """
        return cls({name: min(number, most - 1) for name, number in earlier.items() if most > 1})

    def failed(self, name: str, why: str) -> None:
        """Count an error."""
        self.in_a_row[name] = self.in_a_row.get(name, 0) + 1
        self._why[name] = why

    def worked(self, name: str) -> None:
        """Reset the count."""
        self.in_a_row.pop(name, None)

    def reason(self, most: int) -> str | None:
        """Return why the run should stop, for users; None if it should not.

        Args:
            most: the maximum of errors in a row; 0 for no limit.
        """
        for name, number in self.in_a_row.items():
            if 0 < most <= number:
                times = "once" if number == 1 else f"{number:,} times in a row"
                return (
                    f"{name} failed {times}, so no further case was started (--max-errors {most}): "
                    f"{self._why.get(name, 'it failed before')}"
                )
        return None
