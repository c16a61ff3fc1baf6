"""The order in which the cases of a suite are printed: that of the suite, once for each repeat."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from suitecase.cli.running.case_spool import CaseSpool
from suitecase.cli.running.graded_case import GradedCase
from suitecase.cli.suite_argument import SuiteArgument

#: So many cases wait in memory for those before them.
_MOST_IN_MEMORY = 200


class CaseNumbers:
    """The place of each case and repeat of a run: all cases come once before any comes again."""

    def __init__(self, cases: Sequence[str] = (), repeats: int = 1) -> None:
        self.cases = cases
        self.repeats = repeats
        self._numbers = {case: number for number, case in enumerate(cases)}

    def __len__(self) -> int:
        return len(self.cases) * self.repeats

    def of(self, case: str, repeat: int) -> int | None:
        """Return the place of a case and repeat, from 0; None if it is not of this run."""
        number = self._numbers.get(case)
        if number is None or not 0 < repeat <= self.repeats:
            return None
        return (repeat - 1) * len(self.cases) + number


@dataclass(frozen=True, slots=True)
class _Spooled:
    """A case that waits in the spool."""

    suite: SuiteArgument
    place: int
    seconds: float | None
    kept: bool


class CaseOrder:
    """Shows each case as soon as all before it are shown."""

    def __init__(self, numbers: CaseNumbers, show: Callable[[GradedCase], None]) -> None:
        self._numbers = numbers
        self._show = show
        self._next = 0
        self._waiting: dict[int, GradedCase | _Spooled] = {}
        #: Of cases that are not of this run.
        self._others: list[GradedCase] = []
        self._spool = CaseSpool()

    def put(self, case: GradedCase) -> None:
        """Show a case that is graded, when it is its turn."""
        place = self._numbers.of(case.record.eval_id, case.record.repeat)
        if place is None:
            self._others.append(case)
            return
        if place == self._next:
            self._next += 1
            self._show(case)
        elif len(self._waiting) < _MOST_IN_MEMORY:
            self._waiting[place] = case
        else:
            spooled = self._spool.add(case.record)
            self._waiting[place] = _Spooled(case.suite, spooled, case.seconds, case.kept)
        while self._next in self._waiting:
            self._show_waiting(self._next)
            self._next += 1

    def end(self) -> None:
        """Show what waits for cases that are not graded any more; safe to call twice."""
        for place in sorted(self._waiting):
            self._show_waiting(place)
        self._next = len(self._numbers)
        others, self._others = self._others, []
        for case in others:
            self._show(case)
        self._spool.close()

    def _show_waiting(self, place: int) -> None:
        case = self._waiting.pop(place)
        if isinstance(case, _Spooled):
            record = self._spool.read(case.place)
            case = GradedCase(case.suite, record, case.seconds, kept=case.kept)
        self._show(case)
