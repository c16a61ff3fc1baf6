"""What `failures.html` shows: failing cases by slice, evaluator and rubric."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from suitecase.authoring.releasing.contents import Contents
from suitecase.figures.gates.slices import choose_slice, has_case
from suitecase.figures.standard import standard_slices
from suitecase.report.failures import failures_of, traits_of
from suitecase.report.groups import Group, grouped
from suitecase.report.page import Frame, render
from suitecase.report.run_page import table_of
from suitecase.report.run_sections import linked
from suitecase.report.summary import named_results, rubrics_of
from suitecase_evaluators.answers.records.status import Status

#: As many cases of a row are named.
_MOST_CASES = 12


@dataclass(frozen=True, slots=True)
class FailingRow:
    """Failing cases with something in common.

    Attributes:
        number: how many fail.
        of: how many were graded.
        cases: the first of them with their links.
        more: how many others there are.
    """

    name: str
    number: int
    of: int
    cases: tuple[tuple[str, str], ...]
    more: int


def failures_page(contents: Contents, frame: Frame) -> Iterator[bytes]:
    """Yield the page of failing cases, piece by piece."""
    groups = grouped(contents.run.answers)
    graded = [group for group in groups if group.status.graded]
    failing = [group for group in graded if group.status is Status.FAIL]
    yield from render(
        "failures.html",
        notes=(),
        table=table_of(failing, sum(len(it.numbers) for it in failing)),
        runs=(contents.run.answers,),
        frame=frame,
        title=contents.release.name,
        failures=failures_of(groups, traits_of(contents.run.answers)),
        slices=_by_slice(contents, graded),
        evaluators=_rows(_by_evaluator(failing), _by_evaluator(graded, failed=False)),
        rubrics=_rows(_by_rubric(failing), _by_rubric(graded, missed=False)),
        ungraded=sum(group.status in (Status.ERROR, Status.JUDGE_FAILED) for group in groups),
    )


def _by_slice(contents: Contents, graded: list[Group]) -> list[FailingRow]:
    asked, tables = contents.release.asked, contents.release.tables.by_target
    names = dict.fromkeys(
        standard_slice
        for table in tables.values()
        for standard_slice in standard_slices(table, asked)
    )
    facts = {contents.redaction.identifier(name): it.facts for name, it in asked.cases.items()}
    tags = {tag for fact in facts.values() for tag in fact.tags}
    failing: dict[str, list[str]] = {}
    every: dict[str, list[str]] = {}
    shown = {it: contents.redaction.text(it) for it in names}
    for name, own in shown.items():
        choice = choose_slice(name, asked.slices, tags)
        if choice is None:
            continue
        for case in graded:
            known = facts.get(case.case)
            if known is not None and has_case(choice, asked.slices, known):
                every.setdefault(own, []).append(case.case)
                if case.status is Status.FAIL:
                    failing.setdefault(own, []).append(case.case)
    return _rows(failing, every, order=shown.values())


def _by_evaluator(groups: Iterable[Group], *, failed: bool = True) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for case in groups:
        names = {
            name
            for answer in case.answers
            for name, result in named_results(answer.evaluator_results)
            if not failed or result.status is Status.FAIL
        }
        for name in sorted(names):
            found.setdefault(name, []).append(case.case)
    return found


def _by_rubric(groups: Iterable[Group], *, missed: bool = True) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for case in groups:
        names = {
            f"{rubric} ({name})"
            for answer in case.answers
            for name, result in named_results(answer.evaluator_results)
            for rubric, _, hit in rubrics_of(result)
            if not missed or hit is False
        }
        for name in sorted(names):
            found.setdefault(name, []).append(case.case)
    return found


def _rows(
    failing: Mapping[str, list[str]],
    every: Mapping[str, list[str]],
    order: Iterable[str] | None = None,
) -> list[FailingRow]:
    """Return rows, those with the most failing cases first unless there is an order."""
    by_number = sorted(failing, key=lambda it: (-len(failing[it]), it))
    names = by_number if order is None else [it for it in order if it in failing]
    return [
        FailingRow(
            name,
            len(failing[name]),
            len(every.get(name, ())),
            tuple(map(linked, failing[name][:_MOST_CASES])),
            max(len(failing[name]) - _MOST_CASES, 0),
        )
        for name in names
    ]
