"""Consecutive errors of a target or an evaluator, and consecutive replies of a judge that cannot be read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

#: The default of `--max-errors`.
DEFAULT_MAX_ERRORS = 10
#: So many judgements in a row that could not be read are reported.
UNREADABLE_REPORTED = 3
_NOT_THE_FORM = "this judge does not keep to the form: "


@dataclass(slots=True)
class Failures:
    """Consecutive errors of each target and evaluator, with the last message.

    Replays and mocks are not counted, since calling them is free.
    """

    in_a_row: dict[str, int] = field(default_factory=dict)
    _why: dict[str, str] = field(default_factory=dict)
    #: By judge, the most judgements in a row that could not be read.
    _unreadable: dict[str, int] = field(default_factory=dict)

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
        if why.startswith(_NOT_THE_FORM):
            most = max(self._unreadable.get(name, 0), self.in_a_row[name])
            self._unreadable[name] = most

    def judged(self, judge: str, unreadable: str | None) -> None:
        """Count a judgement.

        Args:
            judge: the target that judges.
            unreadable: why none of its replies could be read; None if one could.
        """
        name = f"the judge `{judge}`"
        if unreadable is None:
            self.worked(name)
        else:
            self.failed(name, f"{_NOT_THE_FORM}{unreadable}")

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

    def remarks(self) -> list[str]:
        """Return what users should know of judges that do not keep to the form, for the end of a run."""
        return [
            f"{name} could not be read {number:,} times in a row: {self._why[name]}. A larger model, or a "
            "server that takes JSON Schemas, keeps to it better"
            for name, number in self._unreadable.items()
            if number >= UNREADABLE_REPORTED
        ]
