"""A rubric or an evaluator of a case: what it asks for, and what its last answer made of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from suitecase.ide.hover.evaluator_results import evaluator_text, trouble
from suitecase.ide.hover.score_bars import readable_ranges, score_bars
from suitecase.ide.markdown import code
from suitecase.ide.place import Place
from suitecase.ide.results import CaseResult, DocumentResults, EvaluatorResult, is_stale
from suitecase.ide.shares import percent, shares_at
from suitecase.ide.verdicts import quoted
from suitecase.suite.elements import ParsedEvaluator, ParsedRubric
from suitecase.suite.parsed import ParsedSuite
from suitecase.suite.resolve import RUBRIC
from suitecase.syntax.node import Mapping, Node, Scalar, at

#: Where the picture of score ranges is worth showing, and the last outcome of a rubric.
_RANGE_KEYS = frozenset({"score_ranges", "required_min_score", "required", "id"})
_OUTCOME_KEYS = _RANGE_KEYS | {"expected_outcome"}
#: What a point of a range item starts with: `4 of 10, below the required 5`.
_SCORE = re.compile(r"\d+ of 10(?:, (?:below the required \d+|a hit from \d+))?(?:: |$)")


@dataclass(frozen=True, slots=True)
class _Item:
    """A rubric or an evaluator that a place is in.

    Attributes:
        evaluators: the names that lead to the evaluator, outermost first.
        node: the rubric or the evaluator.
        rubric: the rubric's id; None for an evaluator.
        path: leads to `node`.
        inside: what is left of the place's path.
    """

    evaluators: tuple[str, ...]
    node: Node
    rubric: str | None
    path: tuple[str | int, ...]
    inside: tuple[str | int, ...]


def graded_item_at(suite: ParsedSuite, place: Place, results: DocumentResults) -> str | None:
    """Return what there is to say of the rubric or evaluator a place stands for; None for nothing."""
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
        said = [_plain_rubric(suite, place, item), _outcome(item, graded, stale, ())]
        return "\n\n".join(it for it in said if it)
    return _rubric(item, graded, stale)


def _rubric(item: _Item, graded: EvaluatorResult | None, stale: bool) -> str | None:
    """Return ranges with the last score in them, and the last outcome of a rubric with an id."""
    key = item.inside[0] if item.inside else None
    if not isinstance(item.node, Mapping) or key not in _OUTCOME_KEYS:
        return None
    number = item.path[-1]
    written = ParsedRubric(item.node, number + 1 if isinstance(number, int) else 1)
    given = graded.raw_scores.get(item.rubric or "") if graded is not None else None
    bars = None
    if key in _RANGE_KEYS and "score_ranges" in item.node:
        score = given if type(given) is int else None
        bars = score_bars(written, score, stale=stale)
    texts = tuple(text for _, _, text in readable_ranges(written)) if bars else ()
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
    """Return whether a rubric was met the last time, and why, without what is there to read.

    Args:
        ranges: the meanings of its score ranges, where these are shown.
        drawn: its score is shown.
    """
    if graded is None or item.rubric is None:
        return None
    since = " (stale)" if stale else ""
    start = f"[{item.rubric}] "
    met, said = next(
        (
            (met, it.removeprefix(start))
            for met, all_said in ((False, graded.misses), (True, graded.hits))
            for it in all_said
            if it.startswith(start)
        ),
        (False, None),
    )
    if said is None or item.rubric in graded.unread:
        why = trouble(graded)
        return f"Last{since}: {why}" if why else None
    own = item.node.get("expected_outcome") if isinstance(item.node, Mapping) else item.node
    for text in (*([own.text] if isinstance(own, Scalar) else []), *ranges):
        rest = said.removeprefix(text)
        if rest != said and (not rest or rest.startswith(": ")):
            said = rest.removeprefix(": ")
            break
    if drawn:
        said = _SCORE.sub("", said, count=1)
    by = f" · judged by {code(graded.judge)}" if graded.judge else ""
    verdict = "**✓ met**" if met else "**✗ missed**"
    return f"Last: {verdict}{since}{by}" + (f"\n\n{quoted(said)}" if said else "")


def _plain_rubric(suite: ParsedSuite, place: Place, item: _Item) -> str:
    """Return what a rubric that is a mere text stands for."""
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
    """Return the innermost rubric or evaluator that a place is in."""
    evaluators: list[str] = []
    found: _Item | None = None
    path = place.path
    for taken, (step, index) in enumerate(pairwise(path)):
        if not isinstance(index, int) or step not in ("evaluators", "rubrics"):
            continue
        here, inside = path[: taken + 2], path[taken + 2 :]
        node = at(place.root, here)[0]
        if step == "rubrics":
            of = tuple(evaluators) if evaluators else (RUBRIC,)
            own = ParsedRubric(node, index + 1).id if isinstance(node, Mapping) else None
            return _Item(of, node, own or f"rubric-{index + 1}", here, inside)
        name = ParsedEvaluator(node).name if isinstance(node, Mapping) else None
        if name is None:
            return None
        evaluators.append(name.text)
        found = _Item(tuple(evaluators), node, None, here, inside)
    return found


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
    found = next((it for it in result.evaluators if it.name == first), None)
    for name in inner:
        found = found.member(name) if found is not None else None
    return found
