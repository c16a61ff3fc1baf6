"""What was decided about a gate, for everything that shows it. Standard library only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Literal

from suitecase.figures.measured import MeasuredFigure


class Outcome(StrEnum):
    """What is decided about a gate."""

    HOLDS = "holds"
    #: It would hold, but a stand-in answered or judged, so that it says nothing of a model.
    REHEARSED = "rehearsed"
    FAILS = "fails"
    #: Too much is missing or unknown. That is not passed.
    UNDECIDED = "undecided"

    @property
    def is_met(self) -> bool:
        """Whether the figure is as the gate wants it, by a model or in a rehearsal."""
        return self is Outcome.HOLDS or self is Outcome.REHEARSED


#: As many cases are named in a decision.
MOST_CASES = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A gate, what is decided about it, and why.

    Attributes:
        gate: its text in the suite.
        target: the target whose answers it is about.
        safety: whether it is about a safety slice: then it fails the run whatever its level is.
        value: what is compared with the threshold: the estimate, or a bound of its interval. None if
            it was not measured.
        figure: the measured figure; None if it cannot be measured.
        clear: whether the interval decides like the estimate. A bound is always clear.
        reason: why it is so, as a sentence without its end; empty if there is nothing to add.
        needed: what would make it hold or decide it, as a sentence without its end; empty if unknown.
        cases: the cases that count against it, at most `MOST_CASES`.
        more_cases: how many further ones there are.
        missing_cases: the cases with missing answers, at most `MOST_CASES`.
        why: the reason for the threshold, as the suite gives it.
        line: the gate's line in the suite, from 1.
    """

    gate: str
    target: str
    outcome: Outcome
    level: Literal["error", "warning"] = "error"
    safety: bool = False
    value: float | None = None
    threshold: float | None = None
    figure: MeasuredFigure | None = None
    clear: bool = False
    reason: str = ""
    needed: str = ""
    cases: tuple[str, ...] = ()
    more_cases: int = 0
    missing_cases: tuple[str, ...] = ()
    why: str | None = None
    line: int | None = None

    @property
    def warns(self) -> bool:
        """Whether it is only reported."""
        return self.level == "warning" and not self.safety

    @property
    def fails_run(self) -> bool:
        """Whether the run fails with it."""
        return self.outcome is Outcome.FAILS and not self.warns

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {
            "gate": self.gate,
            "target": self.target,
            "outcome": self.outcome.value,
            "clear": self.clear,
            "level": self.level,
            "safety": self.safety,
            "value": self.value,
            "threshold": self.threshold,
            "reason": self.reason,
            "needed": self.needed,
            "cases": list(self.cases),
            "more_cases": self.more_cases,
            "missing_cases": list(self.missing_cases),
            "why": self.why,
            "line": self.line,
            "figure": None if self.figure is None else self.figure.to_json(),
        }

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> Decision:
        """Return what `to_json` made JSON of.

        Raises:
            KeyError, TypeError, ValueError: it is something else.
        """
        figure, value, threshold = found["figure"], found["value"], found["threshold"]
        return cls(
            gate=str(found["gate"]),
            target=str(found["target"]),
            outcome=Outcome(found["outcome"]),
            clear=bool(found["clear"]),
            level="warning" if found["level"] == "warning" else "error",
            safety=bool(found["safety"]),
            value=None if value is None else float(value),
            threshold=None if threshold is None else float(threshold),
            reason=str(found["reason"]),
            needed=str(found["needed"]),
            cases=tuple(map(str, found["cases"])),
            more_cases=int(found["more_cases"]),
            missing_cases=tuple(map(str, found["missing_cases"])),
            why=found["why"],
            line=found["line"],
            figure=None if figure is None else MeasuredFigure.from_json(figure),
        )

    def naming(self, cases: Iterable[str]) -> Decision:
        """Return the decision with the cases that count against it."""
        listed = tuple(cases)
        return replace(self, cases=listed[:MOST_CASES], more_cases=max(len(listed) - MOST_CASES, 0))


def exit_code_of(decisions: Iterable[Decision]) -> int:
    """Return the exit code of gates: 0 all hold or are rehearsed, 1 one fails, 3 one is undecided, 2 there is none.

    A warning changes nothing, unless it is about a safety slice.
    """
    every = list(decisions)
    if not every:
        return 2
    if any(it.fails_run for it in every):
        return 1
    return 3 if any(it.outcome is Outcome.UNDECIDED and not it.warns for it in every) else 0
