"""The jobs of a run: each case, once per repeat."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from suitecase.format.target_files import EMBEDDED
from suitecase.formats.suitecase.effective_suite import EffectiveCase
from suitecase.run.case_store import Cases
from suitecase.run.protocol import RunRequest
from suitecase_evaluators.answers.score import Verdict


@dataclass(frozen=True, slots=True)
class Job:
    """One repeat of a case against a target.

    Attributes:
        planned: how many jobs its run has in total, of all targets.
        run_id: the id of its run.
        asked_again_after: the verdict for which `--failed` asks the case again.
    """

    case: EffectiveCase
    target: str
    repeat: int = 1
    repeats: int = 1
    planned: int = 1
    run_id: str | None = None
    asked_again_after: Verdict | None = None


def target_of(case: EffectiveCase, request: RunRequest) -> str:
    """Return the name of the target that answers a case."""
    return request.target or case.target or EMBEDDED


class Jobs:
    """The jobs of a run, in the order they start; each is made when it is drawn.

    All cases come once before any is repeated, so that a run that stops early covers the most.

    Attributes:
        cases: the cases.
        repeats: how often each is asked.
    """

    def __init__(
        self,
        cases: Cases,
        request: RunRequest,
        repeats: int,
        *,
        done: Callable[[int, int], bool] | None = None,
        run_id: str | None = None,
        asked_again: Mapping[tuple[str, str], Verdict] | None = None,
    ) -> None:
        """
        Args:
            cases: the cases.
            request: names the target of all cases, if it names one.
            repeats: how often each case is asked.
            done: whether a job is left out, by the index of its case, from 0, and its repeat, from 1.
            run_id: the id of the run.
            asked_again: by target and case, the verdict for which `--failed` asks it again.
        """
        self.cases = cases
        self.repeats = repeats
        self._request = request
        self._done = done
        self._run_id = run_id
        self._asked_again = asked_again or {}

    @property
    def planned(self) -> int:
        """The number of the jobs, including those that are done."""
        return len(self.cases) * self.repeats

    def __len__(self) -> int:
        return self.planned if self._done is None else sum(1 for _ in self._places())

    def __iter__(self) -> Iterator[Job]:
        return (self.job(index, repeat) for index, repeat in self._places())

    def without(self, done: Callable[[int, int], bool]) -> Jobs:
        """Return the jobs that are not done, in addition to those that are left out."""
        earlier = self._done
        both = done if earlier is None else lambda *job: earlier(*job) or done(*job)
        return self._with(both)

    def of_run(self, run_id: str, asked_again: Mapping[tuple[str, str], Verdict]) -> Jobs:
        """Return the same jobs, with what their records say about the run that they belong to."""
        return Jobs(
            self.cases,
            self._request,
            self.repeats,
            done=self._done,
            run_id=run_id,
            asked_again=asked_again,
        )

    def _with(self, done: Callable[[int, int], bool]) -> Jobs:
        return Jobs(
            self.cases,
            self._request,
            self.repeats,
            done=done,
            run_id=self._run_id,
            asked_again=self._asked_again,
        )

    def of_target(self, name: str) -> Iterator[tuple[int, Job]]:
        """Draw the jobs of a target, each with its number in the order of all jobs."""
        for index, repeat in self._places():
            if self.target(index) == name:
                yield (repeat - 1) * len(self.cases) + index, self.job(index, repeat)

    def target(self, index: int) -> str:
        """Return the name of the target that answers a case, by the index of the case."""
        return self._request.target or self.cases.target(index) or EMBEDDED

    def targets(self) -> list[str]:
        """Return the names of the targets that answer."""
        return list(dict.fromkeys(self.target(it) for it in self.asked()))

    def asked(self) -> Iterator[int]:
        """Yield the indexes of the cases that have a job which is not done."""
        return (number for number in range(len(self.cases)) if any(self.repeats_of(number)))

    def repeats_of(self, index: int) -> Iterator[int]:
        """Yield the repeats of a case that are not done."""
        for repeat in range(1, self.repeats + 1):
            if self._done is None or not self._done(index, repeat):
                yield repeat

    def kinds(self) -> list[Job]:
        """Return a job of each kind: others need the same targets, judges and programs as one of these."""
        first: dict[tuple[str, int], int] = {}
        for index in self.asked():
            first.setdefault(self.kind(index), index)
        return [self.job(it) for it in first.values()]

    def kind(self, index: int) -> tuple[str, int]:
        """Return a key that jobs share which need the same targets, judges and programs."""
        return self.target(index), self.cases.kind(index)

    def _places(self) -> Iterator[tuple[int, int]]:
        """Yield the case and the repeat of each job that is not done, without reading the case."""
        for repeat in range(1, self.repeats + 1):
            for index in range(len(self.cases)):
                if self._done is None or not self._done(index, repeat):
                    yield index, repeat

    def job(self, index: int, repeat: int = 1) -> Job:
        """Return a job by the index of its case, and its repeat."""
        target = self.target(index)
        return Job(
            self.cases[index],
            target,
            repeat,
            self.repeats,
            self.planned + self._request.planned_elsewhere,
            self._run_id,
            self._asked_again.get((target, self.cases.ids[index])),
        )
