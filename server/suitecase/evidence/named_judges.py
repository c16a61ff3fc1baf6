"""The judges of a name in a suite, and what their verdicts depend on.

A suite may have several judges of one name: each case can list its own. A calibration is of all of them.
Rules ask while a suite is typed, so what a case contributes is kept until the case changes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from suitecase.format.target_files import EMBEDDED, find_targets
from suitecase.format.workspace import Folder
from suitecase.formats.suitecase.effective_suite import UnsoundSuiteError
from suitecase.formats.suitecase.graded_evaluators import as_graded, under_protocol
from suitecase.formats.suitecase.implicit_evaluators import CRITERIA, DEFAULT_JUDGE, RUBRIC
from suitecase.formats.suitecase.judge_hash import judge_parts
from suitecase.formats.suitecase.model import SuiteHead
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedHead, ParsedSuite, adds_evaluators
from suitecase.formats.suitecase.resolve import default_judge, judge_of_criteria, judge_of_rubrics
from suitecase.text.cache import Cache
from suitecase_evaluators.answers.rubric import Rubric
from suitecase_evaluators.grade.evaluator import EvaluatorConfig
from suitecase_evaluators.grade.registry import judge_calls, with_members

#: What of an evaluator its judge does not know.
_NOT_ASKED = {"name", "rubrics", "criteria", "against", "weight", "required", "min_score"}
#: The key of evaluators that ask no judge.
_NO_JUDGE = ""
#: More items than these make no difference to what can be done with a judge.
_ENOUGH_ITEMS = 2


@dataclass(frozen=True, slots=True)
class NamedJudge:
    """A judge of some cases.

    Attributes:
        config: one of the evaluators, as it is written; others differ in their rubrics alone.
        items: how many rubric items it grades by: 0, 1, or 2 for more.
        target: the target that gives the answers; None for the default one.
    """

    config: EvaluatorConfig
    items: int
    target: str | None


@dataclass(frozen=True, slots=True)
class _Listed:
    name: str
    key: str
    items: int
    config: EvaluatorConfig = field(compare=False)


@dataclass(frozen=True, slots=True)
class _Case:
    """What a case says about its judges."""

    own: tuple[_Listed, ...] | None
    adds: bool
    #: The number of its `rubrics`, at most `_ENOUGH_ITEMS`.
    rubrics: int
    target: str | None


@dataclass(frozen=True, slots=True)
class _Known:
    cases: Sequence[_Case]
    head: ParsedHead
    appends: bool
    by_name: dict[str, list[NamedJudge]] = field(default_factory=dict)


_KNOWN: Cache[_Known] = Cache()


def judges_named(suite: ParsedSuite, name: str) -> list[NamedJudge]:
    """Return the judges of a name, those that are alike once. Cases with errors are left out."""
    cases = suite.case_index.values(_judges_of)
    known = _KNOWN.get(suite.head.content)
    is_known = (
        known is not None
        and known.head is suite.head
        and known.appends == suite.appends
        and (known.cases is cases or known.cases == cases)
    )
    if known is None or not is_known:
        known = _Known(cases, suite.head, suite.appends)
        _KNOWN.set(suite.head.content, known)
    if name not in known.by_name:
        known.by_name[name] = _named(suite, dict.fromkeys(cases), name)
    return known.by_name[name]


def _named(suite: ParsedSuite, cases: Iterable[_Case], name: str) -> list[NamedJudge]:
    head = suite.head.model
    if head is None:
        return []
    execution = head.execution
    listed = execution.evaluators if execution is not None else None
    of_head = None if listed is None else tuple(_listed(listed))
    default = execution.target if execution is not None else None
    found: dict[tuple[str, int, str | None], NamedJudge] = {}
    for case in cases:
        for grader in _graders(case, of_head, head, appends=suite.appends):
            if grader.name == name:
                target = case.target or default
                judge = NamedJudge(grader.config, grader.items, target)
                found.setdefault((grader.key, grader.items, target), judge)
    return list(found.values())


def cases_of_judges(suite: ParsedSuite) -> list[object]:
    """Return what the judges of a suite depend on of its cases: while it is equal, so are they."""
    return [suite.appends, *suite.case_index.values(_judges_of)]


def parts_of_judges(suite: ParsedSuite, name: str, folder: Folder) -> dict[str, str] | None:
    """Return what the verdicts of the judges of a name depend on, by part; see `judge_parts`.

    Where judges of the name differ, a part has what each of them has.

    Args:
        suite: the suite.
        name: the name of the evaluators.
        folder: the suite's folder.

    Returns:
        the parts; None if there is no such judge, or a file that one needs cannot be read.
    """
    head = suite.head.model
    judges = judges_named(suite, name)
    if head is None or not judges:
        return None
    by_name = _PARTS.of(folder.workspace, dict[tuple[Path, str], _Parts])
    known = by_name.get((folder.path, name))
    if known is None or known.judges is not judges or known.head is not head:
        known = _Parts(judges, head, _parts(judges, head, folder))
        by_name[folder.path, name] = known
    return known.parts


class _Parts(NamedTuple):
    judges: list[NamedJudge]
    head: SuiteHead
    parts: dict[str, str] | None


#: What was found with the files of a workspace, by the folder of the suite and the name.
_PARTS: Cache[dict[tuple[Path, str], _Parts]] = Cache()


def _parts(judges: Iterable[NamedJudge], head: SuiteHead, folder: Folder) -> dict[str, str] | None:
    targets = find_targets(folder.workspace, folder.path)
    values: dict[str, dict[str, None]] = {}
    for judge in judges:
        try:
            config, _ = as_graded(judge.config, folder, head)
        except UnsoundSuiteError:
            return None
        asked = next(
            (judge_call.target for judge_call in judge_calls((config,)) if judge_call.target), None
        )
        if asked is None:
            answers = judge.target or EMBEDDED
            entry = targets.config(answers) if targets is not None else None
            asked = (entry.judge_target if entry is not None else None) or answers
        target = targets.config(asked) if targets is not None else None
        for part, value in judge_parts(config, target).items():
            values.setdefault(part, {})[value] = None
    return {part: " | ".join(sorted(of_part)) for part, of_part in values.items()}


def configs_of(suite: ParsedSuite, judges: Iterable[NamedJudge]) -> list[EvaluatorConfig]:
    """Return judges with the settings that `judges` of their suite has for them."""
    head = suite.head.model
    return [
        judge.config if head is None else under_protocol(judge.config, head) for judge in judges
    ]


def _judges_of(case: ParsedCase) -> _Case | None:
    """Return what a case says about its judges: a look for `ParsedSuite.case_index`."""
    model = case.model
    if model is None:
        return None
    execution = model.execution
    own = execution.evaluators if execution is not None else None
    if own is None:
        own = model.evaluators
    return _Case(
        None if own is None else tuple(_listed(own)),
        own is not None and adds_evaluators(case),
        min(len(model.rubrics or ()), _ENOUGH_ITEMS),
        execution.target if execution is not None else None,
    )


def _listed(configs: Iterable[EvaluatorConfig]) -> Iterator[_Listed]:
    """Yield evaluators of a list, also those that are no judges: without any, there is a default."""
    for config in with_members(configs):
        items = min(len(getattr(config, "rubrics", None) or ()), _ENOUGH_ITEMS)
        is_judge = any(judge_calls((config,)))
        key = config.model_dump(mode="json", exclude=_NOT_ASKED) if is_judge else None
        yield _Listed(config.name, _NO_JUDGE if key is None else json.dumps(key), items, config)


def _graders(
    case: _Case, of_head: tuple[_Listed, ...] | None, head: SuiteHead, *, appends: bool
) -> Iterator[_Listed]:
    """Yield the judges of a case, as `resolve` finds them."""
    chosen = list(case.own if case.own is not None else of_head or ())
    if case.own is not None and appends and case.adds:
        taken = {it.name for it in case.own}
        chosen += [it for it in of_head or () if it.name not in taken]
    criteria = head.evaluation_criteria or ""
    if head.evaluation_mode == "llm" and criteria.strip():
        judged = judge_of_criteria(criteria)
        yield _Listed(CRITERIA, CRITERIA, 0, judged)
    if case.rubrics:
        items: list[str | Rubric] = ["-"] * case.rubrics
        judge = judge_of_rubrics(items)
        yield _Listed(RUBRIC, RUBRIC, case.rubrics, judge)
    if head.evaluation_mode is None and not case.rubrics and not chosen:
        judge = default_judge()
        yield _Listed(DEFAULT_JUDGE, DEFAULT_JUDGE, 0, judge)
    yield from (it for it in chosen if it.key != _NO_JUDGE)
