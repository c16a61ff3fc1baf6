"""The state of the run of one suite."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from suitecase.cli.running.case_order import CaseNumbers
from suitecase.cli.running.progress import Key
from suitecase.cli.running.run_report import NotRun, Unreached
from suitecase.cli.running.target_comparison import AnswerFigures
from suitecase.cli.suite_argument import SuiteArgument
from suitecase.run.protocol import CaseNotRun
from suitecase_evaluators.answers.records.tally import Tally


class Recorded:
    """The cases and repeats of a run of which there is a record: a byte for each."""

    def __init__(self, numbers: CaseNumbers | None = None) -> None:
        self._numbers = numbers or CaseNumbers()
        self._has = bytearray(len(self._numbers))
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, case: str, repeat: int) -> None:
        """Take note of a record."""
        number = self._numbers.of(case, repeat)
        if number is not None and not self._has[number]:
            self._has[number] = True
            self._count += 1

    def cases(self) -> set[str]:
        """Return the cases with a record."""
        return {case for case, number in self._counts() if number}

    def lacking(self) -> Iterator[str]:
        """Yield the cases with fewer records than they should have."""
        if self._count < len(self._has):
            repeats = self._numbers.repeats
            yield from (case for case, number in self._counts() if number < repeats)

    def _counts(self) -> Iterator[tuple[str, int]]:
        cases = self._numbers.cases
        return ((case, sum(self._has[it :: len(cases)])) for it, case in enumerate(cases))


@dataclass(slots=True)
class SuiteRun:
    """The state of the run of one suite."""

    argument: SuiteArgument
    cases: tuple[str, ...] = ()
    tally: Tally = field(default_factory=Tally)
    figures: AnswerFigures = field(default_factory=AnswerFigures)
    repeats: int = 1
    over: bool = False
    #: It went to its last event, and yet not to its end: the budget was used up, errors
    #: came in a row, or it was ended.
    stopped: bool = False
    #: No case of it is what was asked for.
    unchosen: bool = False
    #: How many records there will be, as far as that was looked up beforehand.
    planned: int | None = None
    #: It was found in a folder, and is not a suite that can be run.
    skipped: bool = False
    #: By case, the effective hash of those that are run, and the files that hashes depend on, where
    #: the request asked for them.
    hashes: dict[str, str] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    #: The cases and repeats of which there is a record.
    records: Recorded = field(default_factory=Recorded)
    started: bool = False
    results_path: str | None = None
    #: What this run's questions cost, in US dollars, and the records that it went on with.
    usd: float = 0.0
    #: What the records cost that it will go on with, as far as that was looked up beforehand.
    ahead_usd: float = 0.0
    #: The gates decide the exit code, not the verdicts of the cases.
    gates_decided: bool = False
    #: Cases that were asked for and have errors, or need something that is missing here.
    left_out: list[CaseNotRun] = field(default_factory=list)
    #: The argument's label, formatted once for all records.
    label: str = field(init=False)

    def __post_init__(self) -> None:
        self.label = self.argument.label

    def key(self, case: str, repeat: int) -> Key:
        """Return the key of a case and repeat within this invocation."""
        return (self.label, case, repeat)

    def not_run(self) -> list[NotRun]:
        """Return the cases that were not run, or the suite."""
        left_out = [NotRun(self.argument, it.case, it.line) for it in self.left_out]
        return [*left_out, *self._not_reached()]

    @property
    def missing(self) -> int:
        """The number of missing records."""
        return self.expected - len(self.records)

    @property
    def expected(self) -> int:
        """The number of records when all is run; of a run that has not begun as far as known."""
        return len(self.cases) * self.repeats if self.started else self.planned or 0

    @property
    def is_left(self) -> bool:
        """Whether something of it was not reached."""
        return next(self._not_reached(), None) is not None

    def start(self, cases: tuple[str, ...], repeats: int) -> None:
        """Take note that these cases are being run."""
        self.started, self.cases, self.repeats = True, cases, repeats
        self.records = Recorded(CaseNumbers(cases, repeats))

    def _not_reached(self) -> Iterator[NotRun]:
        # What ended before it began has said why.
        if self.over and not self.started and not self.stopped:
            return
        if self.started:
            yield from (NotRun(self.argument, it) for it in self.records.lacking())
        elif self.cases:
            yield from (NotRun(self.argument, case) for case in self.cases)
        else:
            yield NotRun(self.argument)


def unchosen(runs: Sequence[SuiteRun]) -> tuple[int, int]:
    """Return how many suites that were found have no selected case, of how many."""
    suites = {run.argument.path for run in runs if not run.skipped}
    return len({run.argument.path for run in runs if run.unchosen and run.argument.found}), len(
        suites
    )


def unreached(runs: Sequence[SuiteRun]) -> Unreached:
    """Return what is missing, since the runs ended early."""
    left = [run for run in runs if run.is_left]
    unknown = {it.argument.path for it in left if not it.started and it.planned is None}
    return Unreached(
        missing=sum(run.missing for run in left),
        expected=sum(run.expected for run in runs if run.started or run in left),
        suites=len(unknown),
    )
