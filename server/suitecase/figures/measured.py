"""A measured figure: its estimate, never without what is known of its uncertainty.

Standard library only: the language server reads these.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from suitecase.figures.statistics.interval import Interval, Method, NoInterval


@dataclass(frozen=True, slots=True)
class Correction:
    """What a corrected rate was made of: the rate that the judge measured, and how the judge errs.

    Attributes:
        uncorrected: the rate by the judge.
        good: how many answers people pass, of those with labels.
        bad: how many people fail.
    """

    uncorrected: float
    sensitivity: float
    specificity: float
    good: int
    bad: int

    def to_json(self) -> dict[str, float | int]:
        """Return it as JSON values."""
        return {
            "uncorrected": self.uncorrected,
            "sensitivity": self.sensitivity,
            "specificity": self.specificity,
            "good": self.good,
            "bad": self.bad,
        }

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> Correction:
        """Return what `to_json` made JSON of."""
        return cls(
            float(found["uncorrected"]),
            float(found["sensitivity"]),
            float(found["specificity"]),
            int(found["good"]),
            int(found["bad"]),
        )


@dataclass(frozen=True, slots=True)
class MeasuredFigure:
    """A figure of one target in a run.

    Attributes:
        figure: the figure as gates write it, such as `pass_rate` or `gap(score by language)`.
        slice: the slice that it is of; None for all cases, and where the figure names its slices.
        unit: `share`, `ms`, `usd`, `tokens` or `coefficient`.
        cases: how many cases it is computed from; of what is computed from labels and calibrations,
            how many answers.
        estimate: None if there is no case to compute it from.
        interval: the interval, or why there is none.
        lowest: the figure with every missing answer counted as the lowest value; None if there is no
            lowest one.
        highest: the same with the highest value, None for latency, cost and tokens.
        missing: answers that should count and are missing: errors, unreadable judges, repeats that
            were not asked.
        not_evaluated: answers that there was nothing to grade by.
        values: of `min`, `max` and `gap`: the figure of each value of the facet.
        p: of `gap`: how likely such a gap is by chance.
        of: `case`, or `label` for what is computed from labelled answers, not from those of the run.
        correction: of a corrected rate, what it was made of.
    """

    figure: str
    slice: str | None
    target: str
    unit: str
    cases: int
    estimate: float | None
    interval: Interval | NoInterval
    lowest: float | None
    highest: float | None
    confidence: float
    resamples: int | None = None
    seed: int | None = None
    missing: int = 0
    not_evaluated: int = 0
    values: Mapping[str, float | None] = field(default_factory=dict)
    p: float | None = None
    of: Literal["case", "label"] = "case"
    correction: Correction | None = None

    @property
    def name(self) -> str:
        """The figure with its slice, as in a gate."""
        return self.figure if self.slice is None else f"{self.figure}[{self.slice}]"

    @property
    def from_files(self) -> bool:
        """Whether labels or a calibration are part of it, so that it is not of answers alone."""
        return self.of == "label" or self.correction is not None

    @property
    def low(self) -> float | None:
        """The lower bound of the interval."""
        return self.interval.low if isinstance(self.interval, Interval) else None

    @property
    def high(self) -> float | None:
        """The upper bound of the interval."""
        return self.interval.high if isinstance(self.interval, Interval) else None

    @property
    def why_no_interval(self) -> str | None:
        """Why there is no interval; None if there is one."""
        return self.interval.reason if isinstance(self.interval, NoInterval) else None

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        interval = self.interval
        method = interval.method.value if isinstance(interval, Interval) else None
        return {
            "target": self.target,
            "figure": self.figure,
            "slice": self.slice,
            "unit": self.unit,
            "cases": self.cases,
            "units": interval.units,
            "estimate": self.estimate,
            "low": self.low,
            "high": self.high,
            "confidence": self.confidence,
            "method": method,
            "no_interval": self.why_no_interval,
            "seed": self.seed,
            "resamples": self.resamples,
            "missing": self.missing,
            "not_evaluated": self.not_evaluated,
            "lowest": self.lowest,
            "highest": self.highest,
            **({"values": dict(self.values)} if self.values else {}),
            **({"p": self.p} if self.p is not None else {}),
            **({"of": self.of} if self.of != "case" else {}),
            **({"correction": self.correction.to_json()} if self.correction is not None else {}),
        }

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> MeasuredFigure:
        """Return what `to_json` made JSON of.

        Raises:
            KeyError, TypeError, ValueError: it is something else.
        """
        interval: Interval | NoInterval
        units = int(found["units"])
        if found["low"] is None or found["high"] is None:
            interval = NoInterval(str(found["no_interval"]), units)
        else:
            method = Method(found["method"])
            interval = Interval(float(found["low"]), float(found["high"]), method, units)
        return cls(
            figure=str(found["figure"]),
            slice=_optional(str, found["slice"]),
            target=str(found["target"]),
            unit=str(found["unit"]),
            cases=int(found["cases"]),
            estimate=_optional(float, found["estimate"]),
            interval=interval,
            lowest=_optional(float, found["lowest"]),
            highest=_optional(float, found["highest"]),
            confidence=float(found["confidence"]),
            resamples=_optional(int, found.get("resamples")),
            seed=_optional(int, found.get("seed")),
            missing=int(found.get("missing", 0)),
            not_evaluated=int(found.get("not_evaluated", 0)),
            values={k: _optional(float, it) for k, it in dict(found.get("values") or {}).items()},
            p=_optional(float, found.get("p")),
            of="label" if found.get("of") == "label" else "case",
            correction=_optional(Correction.from_json, found.get("correction")),
        )


@dataclass(frozen=True, slots=True)
class Measured:
    """What came of an expression.

    Attributes:
        figure: the figure; None if it cannot be measured, and `problem` says why.
        by_case: the value of each case, of a figure that is a mean over cases.
        missing: the cases with missing answers.
        unanswered: whether any of these answers is an error or was not asked: the others are there,
            and something of them is unknown.
        sharp: whether no completion of the missing answers has a bound beyond those of `bounds`.
        bounds: intervals with the missing answers counted in several ways, if a gate asks for a
            bound; None where a bound with them is not known.
        needed: what would decide it, or make its interval narrower; empty if unknown.
    """

    figure: MeasuredFigure | None
    problem: str | None = None
    by_case: Mapping[str, float] | None = None
    missing: tuple[str, ...] = ()
    unanswered: bool = False
    sharp: bool = True
    bounds: tuple[Interval | NoInterval, ...] | None = None
    needed: str = ""


def _optional(make: Any, value: Any) -> Any:
    return None if value is None else make(value)
