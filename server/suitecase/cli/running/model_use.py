"""What a model came to in a run: its answers and judgements, their cost and how long they took."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class ModelUse:
    """What answers and judgements cost, and how long the answers took.

    Attributes:
        answers: how many answers, those in the cache included.
        judgements: how many evaluators asked it to judge.
        usd: the known cost, in US dollars.
        unpriced: how many answers and judgements have no known cost.
        seconds: how long each answer took that was not in the cache.
    """

    answers: int = 0
    judgements: int = 0
    usd: float = 0.0
    unpriced: int = 0
    seconds: array[float] = field(default_factory=lambda: array("d"))

    def pay(self, usd: float | None) -> None:
        """Count a cost, which may be unknown."""
        self.usd += usd or 0.0
        self.unpriced += usd is None

    def add_all(self, other: ModelUse) -> None:
        """Count what was counted elsewhere."""
        self.answers += other.answers
        self.judgements += other.judgements
        self.usd += other.usd
        self.unpriced += other.unpriced
        self.seconds += other.seconds

    @property
    def median(self) -> float | None:
        """The median duration, in seconds."""
        from statistics import median

        return median(self.seconds) if self.seconds else None

    @property
    def p95(self) -> float | None:
        """The shortest duration that 95 of 100 answers do not exceed, in seconds."""
        place = math.ceil(0.95 * len(self.seconds)) - 1
        return sorted(self.seconds)[place] if self.seconds else None

    @property
    def cost_usd(self) -> float | None:
        """The cost; None where it is not known of all."""
        return None if self.unpriced else self.usd

    def to_json(self) -> dict[str, Any]:
        return {
            "answers": self.answers,
            "judgements": self.judgements,
            "cost_usd": self.cost_usd,
            "latency_seconds": {"median": self.median, "p95": self.p95},
        }


def total_by_model(uses: Iterable[Mapping[str, ModelUse]]) -> dict[str, ModelUse]:
    """Return what each model came to in several runs."""
    total: dict[str, ModelUse] = {}
    for by_model in uses:
        for name, use in by_model.items():
            total.setdefault(name, ModelUse()).add_all(use)
    return total
