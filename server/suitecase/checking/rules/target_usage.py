"""Which targets the cases of a suite use, and which cases need the judge of their target."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from suitecase.checking.rules.misspelling import misspells
from suitecase.format.target_files import EMBEDDED, ParsedTargets
from suitecase.formats.suitecase.model import Case, Execution, SuiteHead
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedHead, ParsedSuite
from suitecase.text import node
from suitecase.text.node import Scalar, Span
from suitecase_evaluators.grade.registry import judge_calls


def target_of(part: ParsedHead | ParsedCase) -> Scalar | None:
    """Return the target that a part names, if any."""
    execution = part.node.get("execution") if part.node else None
    target = execution.get("target") if isinstance(execution, node.Mapping) else None
    named = isinstance(target, Scalar) and isinstance(target.value, str)
    return target if isinstance(target, Scalar) and named and target.text.strip() else None


def leaves_out_target(part: ParsedHead | ParsedCase) -> bool:
    """Whether a part certainly names no target."""
    if part.node is None:
        return False
    if "execution" not in part.node:
        model = Case if isinstance(part, ParsedCase) else SuiteHead
        return not misspells(part.node, "execution", model)
    execution = part.node.get("execution")
    if not isinstance(execution, node.Mapping) or "target" in execution:
        return False
    return not misspells(execution, "target", Execution)


def list_place(suite: ParsedSuite) -> Span:
    """Return the place of the key of the list of cases; a data set has none."""
    key = suite.document.list_key
    return suite.head_place(key.span) if key is not None else Span(0, 0)


@dataclass(frozen=True, slots=True)
class Judged:
    """Cases that need the judge of their target, by the place that names that target.

    Attributes:
        place: where the target is named; the list of cases if none is named.
        target: its name.
        message: which target judges which, as the start of a message.
        cases: their numbers.
    """

    place: Span
    target: str
    message: str
    cases: frozenset[int]


def judges_in(targets: ParsedTargets, which: Callable[[str], bool]) -> dict[str, str]:
    """Return the judges of a targets file that match a predicate, by the target that they judge."""
    return {
        name: judge
        for name, config in targets.configs.items()
        if (judge := config.judge_target) and which(judge)
    }


def judged_by(suite: ParsedSuite, judges: Mapping[str, str]) -> Iterator[Judged]:
    """Yield the cases that are graded by some judges, in the order of the cases.

    Args:
        suite: the suite.
        judges: the judge, by the name of the target that it judges.
    """
    head = suite.head.model
    if not judges or head is None or suite.kind == "sidecar":
        return
    of_head = target_of(suite.head)
    by_default = leaves_out_target(suite.head)
    found: dict[tuple[Span, str, str], list[int]] = {}
    for number, case in enumerate(suite.cases):
        own = target_of(case)
        named = own if own is not None else of_head
        unnamed = named is None and by_default and leaves_out_target(case)
        target = EMBEDDED if unnamed else named.text if named is not None else ""
        if target not in judges or case.model is None or not asks_judge(head, case.model):
            continue
        message = f"`{target}` is judged by `{judges[target]}`"
        if named is None:
            place = list_place(suite)
            message = f"no target is named, so `{EMBEDDED}` is used, and {message}"
        elif own is not None:
            place = suite.place(number, own.span)
        else:
            place = suite.head_place(named.span)
        found.setdefault((place, target, message), []).append(number)
    for (place, target, message), cases in found.items():
        yield Judged(place, target, message, frozenset(cases))


def is_undefined(name: str, targets: ParsedTargets) -> bool:
    """Whether a targets file certainly lacks a target that it names as a judge."""
    return (
        targets.wrong is None
        and name not in targets.spans
        and name != EMBEDDED
        and "${{" not in name
    )


def asks_judge(head: SuiteHead, case: Case) -> bool:
    """Whether a case is certainly graded by the judge of its target."""
    own = case.execution.evaluators if case.execution else None
    own = own if own is not None else case.evaluators
    common = head.execution.evaluators if head.execution else None
    listed = own if own is not None else common or []
    by_criteria = head.evaluation_mode == "llm" and bool((head.evaluation_criteria or "").strip())
    calls = judge_calls(listed)
    if (
        case.rubrics
        or by_criteria
        or any(call.least and call.target is None and call.model is None for call in calls)
    ):
        return True
    return not listed and head.evaluation_mode is None
