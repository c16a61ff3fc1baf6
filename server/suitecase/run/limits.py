"""When a run begins no further case: its budget is used up, or errors come one after the other."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from suitecase.run.grading import GradedCase
from suitecase.run.jobs import Job
from suitecase.run.metered_target import RunContext
from suitecase.run.protocol import RunRequest


@dataclass(slots=True)
class _Costs:
    """What the cases of one target cost in this run: those under way, and those that are over."""

    under_way: int = 0
    finished: int = 0
    highest: float = 0.0


@dataclass(slots=True)
class Limits:
    """Lets cases begin as long as the run may ask.

    A case under way is counted with what the dearest one of its target cost so far; of each target
    the first case is asked alone. So a run ends above its budget by no more than one case costs,
    where no case costs more than those before it.
    """

    request: RunRequest
    context: RunContext
    #: What the records of the file that is resumed cost.
    earlier_usd: float = 0.0
    #: Why no further case is begun; None while cases are.
    stopped: str | None = None
    _over_budget: bool = False
    _settled: float = 0.0
    _costs: dict[str, _Costs] = field(default_factory=dict)
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    async def begin(self, job: Job) -> bool:
        """Wait until a case may begin; return whether it may."""
        while True:
            self.stopped = self.stopped or self._reason()
            if self.stopped is not None:
                return False
            if self._has_room():
                self._costs.setdefault(job.target, _Costs()).under_way += 1
                return True
            self._changed.clear()
            await self._changed.wait()

    def end(self, job: Job, graded: GradedCase) -> None:
        """Take note of what a case cost."""
        costs = self._costs[job.target]
        costs.under_way -= 1
        costs.finished += 1
        costs.highest = max(costs.highest, graded.usd)
        self._settled += graded.usd
        self._changed.set()

    def _has_room(self) -> bool:
        """Whether the cases under way leave something of the budget."""
        budget = self.request.budget_usd
        under_way = [it for it in self._costs.values() if it.under_way]
        if budget is None or not under_way:
            return True
        if not all(it.finished for it in under_way):
            return False
        expected = sum(it.under_way * it.highest for it in under_way)
        return self._before + self._settled + expected < budget

    @property
    def _before(self) -> float:
        return self.request.spent_usd + self.earlier_usd

    def stop_reason(self) -> str | None:
        """Return why cases were not begun, with what was spent by now; None where all were."""
        return self._used_up() if self._over_budget else self.stopped

    def _used_up(self) -> str | None:
        budget, spent = self.request.budget_usd, self.context.spending.usd + self._before
        if budget is None or spent < budget:
            return None
        before = f", ${self._before:.4g} of it before this run" if self._before else ""
        return f"the budget of ${budget:g} is used up: ${spent:.4g} spent{before}"

    def _reason(self) -> str | None:
        used_up = self._used_up()
        if used_up is not None:
            self._over_budget = True
            return used_up
        budget, spending = self.request.budget_usd, self.context.spending
        if budget is not None and spending.unpriced_target is not None:
            return (
                f"the cost of an answer of the target `{spending.unpriced_target}` is unknown, so "
                f"the budget of ${budget:g} cannot be enforced; set its `price` in the targets file "
                "(`per_question: 0` if calls are free), or run without --budget-usd"
            )
        return self.context.failures.reason(self.request.max_errors)
