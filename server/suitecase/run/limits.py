"""When a run starts no further case: the budget is used up, or too many consecutive errors."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from suitecase.run.metered_target import RunContext
from suitecase.run.protocol import RunRequest
from suitecase.text.plural import dollars


@dataclass(slots=True)
class _Costs:
    """The cases of one target in this run: how many run, how many have finished, and the dearest."""

    under_way: int = 0
    finished: int = 0
    highest: float = 0.0


@dataclass(slots=True)
class Limits:
    """Decides whether a case may start.

    A running case counts with the highest cost of its target so far; the first case of each target
    runs alone. So a run exceeds its budget by at most the cost of one case, unless a case costs
    more than all before it.
    """

    request: RunRequest
    context: RunContext
    #: The cost of the records of the resumed file, and a target in it with a call of unknown cost.
    earlier_usd: float = 0.0
    earlier_unpriced: str | None = None
    #: Why no further case starts; None while cases do.
    stopped: str | None = None
    _over_budget: bool = False
    _settled: float = 0.0
    _costs: dict[str, _Costs] = field(default_factory=dict)
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    async def begin(self, target: str) -> bool:
        """Wait until a case of a target may start; return whether it may."""
        while True:
            self.stopped = self.stopped or self._reason()
            if self.stopped is not None:
                return False
            if self._has_room():
                self._costs.setdefault(target, _Costs()).under_way += 1
                return True
            self._changed.clear()
            await self._changed.wait()

    def end(self, target: str, usd: float) -> None:
        """Record the cost of a finished case."""
        costs = self._costs[target]
        costs.under_way -= 1
        costs.finished += 1
        costs.highest = max(costs.highest, usd)
        self._settled += usd
        self._changed.set()

    def _has_room(self) -> bool:
        """Whether the running cases are expected to stay below the budget."""
        budget = self.request.budget_usd
        under_way = [cost for cost in self._costs.values() if cost.under_way]
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
        """Return why cases were not started, with the final cost; None if all were."""
        return self._used_up() if self._over_budget else self.stopped

    def _used_up(self) -> str | None:
        budget, spent = self.request.budget_usd, self.context.spending.usd + self._before
        if budget is None or spent < budget:
            return None
        before = f", {dollars(self._before)} of it before this run" if self._before else ""
        return f"the budget of ${budget:g} is used up: {dollars(spent)} spent{before}"

    def _unpriced(self) -> str | None:
        """Return whose answer has no known cost, for people; None if all costs are known."""
        target = self.context.spending.unpriced_target
        if target is not None:
            return f"of the target `{target}`"
        if self.earlier_unpriced is not None:
            return f"of the target `{self.earlier_unpriced}` in the results file"
        return "in an earlier run" if self.request.spent_unpriced else None

    def _reason(self) -> str | None:
        used_up = self._used_up()
        if used_up is not None:
            self._over_budget = True
            return used_up
        budget = self.request.budget_usd
        unknown = self._unpriced()
        if budget is not None and unknown is not None:
            return (
                f"the cost of an answer {unknown} is unknown, so "
                f"the budget of ${budget:g} cannot be enforced; set its `price` in the targets file "
                "(`per_question: 0` if calls are free), or run without --budget-usd"
            )
        return self.context.failures.reason(self.request.max_errors)
