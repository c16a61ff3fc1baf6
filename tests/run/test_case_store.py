"""The cases and the jobs of a run are read and made when they are drawn, and not kept."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.effective_suite import EffectiveCase, EffectiveSuite
from suitecase.formats.suitecase.parsed import parse_suite
from suitecase.formats.suitecase.resolve import resolve
from suitecase.run.case_store import Cases, CaseStore
from suitecase.run.jobs import Jobs
from suitecase.run.protocol import RunRequest
from support.system.allocated_memory import held_by, peak_of

SUITE = """
execution:
  target: mock
  evaluators:
    - {name: says, type: contains, value: mock}
evalcases:
"""


class Counting(CaseStore):
    """A store that counts how many cases were read."""

    def __init__(self, in_memory: int) -> None:
        super().__init__(in_memory)
        self.read: list[int] = []

    def case(self, number: int) -> EffectiveCase:
        self.read.append(number)
        return super().case(number)


def resolved(
    folder: Path, number: int, extra: Callable[[int], str] = lambda it: ""
) -> EffectiveSuite:
    cases = "".join(
        f"  - {{id: case-{it}, input: {'long ' * 200}, expected_outcome: x{extra(it)}}}\n"
        for it in range(number)
    )
    path = folder / "a.eval.yaml"
    return resolve(parse_suite(SUITE + cases), path, Folder(Workspace(folder), folder))


def stored(suite: EffectiveSuite, in_memory: int) -> Counting:
    store = Counting(in_memory)
    for case in suite.cases:
        store.add(case)
    return store


def own(number: int) -> str:
    """Give every third case another target, and every second an evaluator of its own."""
    target = ", execution: {target: other}" if number % 3 == 0 else ""
    evaluator = ", evaluators: [{name: own, type: equals, value: it}]" if number % 2 else ""
    return target + evaluator


@pytest.mark.parametrize("in_memory", [0, 3, 9, 10])
def test_cases_are_the_same_in_memory_and_in_a_file(tmp_path: Path, in_memory: int) -> None:
    suite = resolved(tmp_path, 9, own)
    cases = Cases(stored(suite, in_memory))
    assert list(cases) == list(suite.cases)
    assert cases[4] == suite.cases[4]
    assert list(cases[2:5]) == list(suite.cases[2:5])
    assert list(cases.where(lambda it: it % 4 == 0)) == list(suite.cases[::4])
    assert cases.ids == [it.id for it in suite.cases]
    assert [cases.line(it) for it in range(9)] == [it.line for it in suite.cases]
    assert [cases.target(it) for it in range(9)] == [it.target for it in suite.cases]


def test_evaluators_that_cases_inherit_stay_one_object(tmp_path: Path) -> None:
    cases = Cases(stored(resolved(tmp_path, 4), 0))
    assert len({id(it.evaluators[0]) for it in cases}) == 1


@pytest.mark.skipif(os.name == "nt", reason="Windows has a name for the file until it is closed")
def test_the_file_of_cases_has_no_name(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path_factory.mktemp("temporary")
    monkeypatch.setattr("tempfile.tempdir", str(place))
    store = stored(resolved(tmp_path, 9), 0)
    assert store.case(8).id == "case-8"
    assert list(place.iterdir()) == []


def test_all_cases_are_asked_before_any_is_asked_again(tmp_path: Path) -> None:
    cases = Cases(stored(resolved(tmp_path, 3), 0))
    jobs = Jobs(cases, request(), 2)
    drawn = [(it.case.id, it.repeat, it.planned) for it in jobs]
    assert drawn == [(f"case-{case}", repeat, 6) for repeat in (1, 2) for case in range(3)]
    assert len(jobs) == 6


def test_a_case_is_read_when_its_job_is_drawn(tmp_path: Path) -> None:
    store = stored(resolved(tmp_path, 9, own), 0)
    jobs = Jobs(Cases(store), request(), 1000)
    others = jobs.of_target("other")
    assert jobs.targets() == ["other", "mock"]
    assert len(jobs) == 9000
    assert store.read == []
    assert [next(others)[1].case.id for _ in range(4)] == ["case-0", "case-3", "case-6", "case-0"]
    assert store.read == [0, 3, 6, 0]


def test_cases_whose_jobs_are_done_are_not_read(tmp_path: Path) -> None:
    store = stored(resolved(tmp_path, 9), 0)
    jobs = Jobs(Cases(store), request(), 2).without(lambda index, repeat: index < 7 or repeat == 2)
    assert [it.case.id for it in jobs] == ["case-7", "case-8"]
    assert store.read == [7, 8]


def test_one_job_stands_for_all_that_need_the_same(tmp_path: Path) -> None:
    store = stored(resolved(tmp_path, 60, own), 0)
    kinds = Jobs(Cases(store), request(), 5).kinds()
    found = {(it.target, *(each.config.type for each in it.case.evaluators)) for it in kinds}
    assert found == {
        *(("other", "contains"), ("other", "equals")),
        *(("mock", "contains"), ("mock", "equals")),
    }
    assert len(kinds) == len(store.read) == 4


def test_memory_does_not_grow_with_the_texts_of_cases(tmp_path: Path) -> None:
    (example,) = resolved(tmp_path, 1).cases

    def filled(number: int) -> CaseStore:
        store = CaseStore(0)
        for it in range(number):
            text = f"{it} " + "long " * 200
            store.add(replace(example, id=f"case-{it}", position=it + 1, text=text))
        return store

    held = held_by(lambda: filled(1100)) - held_by(lambda: filled(100))
    assert held / 1000 < 300  # bytes for each case, of more than 1,000 characters


def test_memory_does_not_grow_with_the_number_of_jobs(tmp_path: Path) -> None:
    cases = Cases(stored(resolved(tmp_path, 10), 0))

    def draw(repeats: int) -> None:
        for _ in Jobs(cases, request(), repeats):
            pass

    draw(1)
    assert peak_of(lambda: draw(200)) < 2 * peak_of(lambda: draw(2))


def request() -> RunRequest:
    return RunRequest(suite_path="/a.eval.yaml", workspace_root="/")
