"""Hovers on a rubric or an evaluator of a case: its criteria and its last outcome."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from suitecase.editor.hover.evaluator_results import evaluator_text, trouble
from suitecase.editor.hover.score_bars import readable_ranges, score_bars
from suitecase.editor.markdown import code
from suitecase.editor.place import Place
from suitecase.editor.results import CaseResult, DocumentResults, EvaluatorResult, is_stale
from suitecase.editor.shares import percent, shares_at
from suitecase.editor.verdicts import quote_worded, quoted
from suitecase.formats.suitecase.elements import ParsedEvaluator, ParsedRubric
from suitecase.formats.suitecase.implicit_evaluators import RUBRIC
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.text.node import Mapping, Node, Scalar, at
from suitecase_evaluators.answers.rubric import RANGE_SCORE

#: Keys where the score ranges are drawn, and where the last outcome of a rubric is shown.
_RANGE_KEYS = frozenset({"score_ranges", "required_min_score", "required", "id"})
_OUTCOME_KEYS = _RANGE_KEYS | {"expected_outcome"}


@dataclass(frozen=True, slots=True)
class _Item:
    """The rubric or evaluator that contains a place.

    Attributes:
        evaluators: the names of the enclosing evaluators, outermost first.
        node: the rubric or the evaluator.
        rubric: the rubric's id; None for an evaluator.
        path: the path to `node`.
        inside: the rest of the place's path.
    """

    evaluators: tuple[str, ...]
    node: Node
    rubric: str | None
    path: tuple[str | int, ...]
    inside: tuple[str | int, ...]


def graded_item_at(suite: ParsedSuite, place: Place, results: DocumentResults) -> str | None:
    """Return the hover on the rubric or evaluator of a place; None if there is none."""
    item = _item_at(place)
    if item is None:
        return None
    last, stale = _last(suite, place, results)
    graded = _graded(item, last) if last is not None else None
    if item.rubric is None:
        if item.inside != ("name",) or graded is None:
            return None
        return evaluator_text(graded, stale=stale)
    if isinstance(item.node, Scalar):
        sections = [_plain_rubric(suite, place, item), _outcome(item, graded, stale, ())]
        return "\n\n".join(section for section in sections if section)
    return _rubric(item, graded, stale)


def _rubric(item: _Item, graded: EvaluatorResult | None, stale: bool) -> str | None:
    """Return the ranges with the last score, and the last outcome of a rubric with an id."""
    key = item.inside[0] if item.inside else None
    if not isinstance(item.node, Mapping) or key not in _OUTCOME_KEYS:
        return None
    number = item.path[-1]
    rubric = ParsedRubric(item.node, number + 1 if isinstance(number, int) else 1)
    raw_score = graded.raw_scores.get(item.rubric or "") if graded is not None else None
    bars = None
    if key in _RANGE_KEYS and "score_ranges" in item.node:
        score = raw_score if type(raw_score) is int else None
        bars = score_bars(rubric, score, stale=stale)
    texts = tuple(text for _, _, text in readable_ranges(rubric)) if bars else ()
    outcome = None
    if len(item.inside) == 1:
        outcome = _outcome(item, graded, stale, texts, drawn=bars is not None)
    return "\n\n".join(it for it in (bars, outcome) if it) or None


def _outcome(
    item: _Item,
    graded: EvaluatorResult | None,
    stale: bool,
    ranges: tuple[str, ...],
    *,
    drawn: bool = False,
) -> str | None:
    """Return whether a rubric was met in the last run, and why, without repeating visible text.

    Args:
        ranges: the meanings of its score ranges, if they are shown.
        drawn: whether its score is drawn.
    """
    if graded is None or item.rubric is None:
        return None
    suffix = " (stale)" if stale else ""
    start = f"[{item.rubric}] "
    met, explanation = next(
        (
            (met, point.removeprefix(start))
            for met, points in ((False, graded.misses), (True, graded.hits))
            for point in points
            if point.startswith(start)
        ),
        (False, None),
    )
    if explanation is None or item.rubric in graded.unread:
        problem = trouble(graded)
        return f"Last{suffix}: {problem}" if problem else None
    outcome_node = (
        item.node.get("expected_outcome") if isinstance(item.node, Mapping) else item.node
    )
    for text in (*([outcome_node.text] if isinstance(outcome_node, Scalar) else []), *ranges):
        rest = explanation.removeprefix(text)
        if rest != explanation and (not rest or rest.startswith(": ")):
            explanation = rest.removeprefix(": ")
            break
    if drawn:
        explanation = RANGE_SCORE.sub("", explanation, count=1)
    by = f" · judged by {code(graded.judge)}" if graded.judge else ""
    verdict = "**✓ met**" if met else "**✗ missed**"
    if met and graded.rehearsed:
        verdict = "**○ rehearsed**"
    quote = next((quote_worded(it) for it in graded.quotes if it.item == item.rubric), "")
    parts = (f"Last: {verdict}{suffix}{by}", quoted(explanation) if explanation else "", quote)
    return "\n\n".join(filter(None, parts))


def _plain_rubric(suite: ParsedSuite, place: Place, item: _Item) -> str:
    """Return the description of a rubric that is a plain string."""
    facts = [f"**{code(item.rubric or '')}**", "rubric", "required"]
    shares, index = shares_at(suite, place.case, place.root, item.path[:-1]), item.path[-1]
    share = shares.of(index) if shares is not None and isinstance(index, int) else None
    if shares is not None and share is not None and len(shares.weights) > 1:
        facts.append(f"weight 1 of {shares.total:g} ({percent(share)} of the rubrics' score)")
    meaning = (
        "An answer that does not meet it fails the case. Written as a mapping it can have another "
        "`id` and `weight`, and with `required: false` it may be missed."
    )
    return " · ".join(facts) + f"\n\n{meaning}"


def _item_at(place: Place) -> _Item | None:
    """Return the innermost rubric or evaluator around a place."""
    evaluators: list[str] = []
    innermost: _Item | None = None
    path = place.path
    for taken, (step, index) in enumerate(pairwise(path)):
        if not isinstance(index, int) or step not in ("evaluators", "rubrics"):
            continue
        item_path, inside = path[: taken + 2], path[taken + 2 :]
        node = at(place.root, item_path)[0]
        if step == "rubrics":
            owners = tuple(evaluators) if evaluators else (RUBRIC,)
            own = ParsedRubric(node, index + 1).id if isinstance(node, Mapping) else None
            return _Item(owners, node, own or f"rubric-{index + 1}", item_path, inside)
        name = ParsedEvaluator(node).name if isinstance(node, Mapping) else None
        if name is None:
            return None
        evaluators.append(name.text)
        innermost = _Item(tuple(evaluators), node, None, item_path, inside)
    return innermost


def _last(
    suite: ParsedSuite, place: Place, results: DocumentResults
) -> tuple[CaseResult | None, bool]:
    """Return the last result of the case a place is in, and whether it is stale."""
    case = suite.cases[place.case] if place.case is not None else None
    result = results.last.get(case.id.text) if case is not None and case.id is not None else None
    if result is None or place.case is None:
        return None, False
    return result, is_stale(suite, place.case, result)


def _graded(item: _Item, result: CaseResult) -> EvaluatorResult | None:
    first, *inner = item.evaluators
    evaluator = next((it for it in result.evaluators if it.name == first), None)
    for name in inner:
        evaluator = evaluator.member(name) if evaluator is not None else None
    return evaluator
