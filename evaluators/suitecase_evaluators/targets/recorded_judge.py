"""A judge's reply as a results file kept it, or as it can be made again from what was kept."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from suitecase_evaluators.rubric import TOP
from suitecase_evaluators.targets.target import Criterion, Judging

#: A score of a range item inside a text, such as `7/10`.
_SCORE = re.compile(r"(?:^|score:?\s*|\()\s*(10|\d)/10\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class RecordedReply:
    """A judge's reply, or why there is none."""

    text: str | None
    problem: str = ""


def recorded_reply(record: Mapping[str, Any], judging: Judging) -> RecordedReply:
    """Return what the judge of a recorded case replied.

    The evaluator's own record is looked for by its name, in composites too. Records without any
    evaluator's are those of a single judge.
    """
    results = record.get("evaluator_results")
    if results is None:
        results = record.get("scores")
    named = list(_results(results))
    result = next((it for it in named if it.get("name") == judging.evaluator), None)
    if result is None:
        if named:
            known = ", ".join(f"`{it.get('name')}`" for it in named)
            return RecordedReply(
                None, f"no result of the evaluator `{judging.evaluator}`; it has those of {known}"
            )
        result = record
    details = result.get("details")
    details = details if isinstance(details, Mapping) else {}
    replies = details.get("replies")
    if isinstance(replies, list) and replies and isinstance(replies[-1], str):
        return RecordedReply(replies[-1])
    if not isinstance(result.get("score"), int | float):
        why = f": {result['error']}" if result.get("error") else ""
        return RecordedReply(
            None, f"no score of the evaluator `{judging.evaluator}`, whose grading broke{why}"
        )
    if all(it.mode == "free" for it in judging.criteria):
        reply = {
            "reasoning": result.get("reasoning") or "",
            "hits": list(_texts(result.get("hits"))),
            "misses": list(_texts(result.get("misses"))),
            "score": result["score"],
        }
    else:
        reply = {
            "checks": list(_checks(result, details, judging.criteria)),
            "overall_reasoning": result.get("reasoning") or "",
        }
    return RecordedReply(json.dumps(reply, ensure_ascii=False))


def _results(value: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the results of evaluators, each before those of its members."""
    for it in value if isinstance(value, list) else ():
        if isinstance(it, Mapping):
            yield it
            yield from _results(it.get("evaluator_results"))
            details = it.get("details")
            if isinstance(details, Mapping):
                yield from _results(details.get("evaluator_results"))


def _checks(
    result: Mapping[str, Any], details: Mapping[str, Any], criteria: tuple[Criterion, ...]
) -> Iterator[dict[str, Any]]:
    """Yield a check for each criterion that the result says something about."""
    raw = details.get("raw_scores")
    raw = raw if isinstance(raw, Mapping) else {}
    hits, misses = list(_texts(result.get("hits"))), list(_texts(result.get("misses")))
    for criterion in criteria:
        hit, miss = _about(criterion.id, hits), _about(criterion.id, misses)
        said = hit if hit is not None else miss
        if said is None and criterion.id not in raw:
            continue
        check: dict[str, Any] = {"id": criterion.id, "reasoning": said or ""}
        if criterion.mode == "range":
            check["score"] = _range_score(raw.get(criterion.id), said or "", hit is not None)
        else:
            check["satisfied"] = hit is not None
        yield check


def _range_score(raw: Any, said: str, hit: bool) -> int:
    """Return the score the judge gave; top or 0 where nothing tells more than hit or miss."""
    if isinstance(raw, int) and not isinstance(raw, bool) and 0 <= raw <= TOP:
        return raw
    score = _SCORE.search(said)
    if score is not None:
        return int(score[1])
    return TOP if hit else 0


def _about(criterion_id: str, texts: list[str]) -> str | None:
    start = f"[{criterion_id}] "
    return next((it.removeprefix(start) for it in texts if it.startswith(start)), None)


def _texts(value: Any) -> Iterator[str]:
    for it in value if isinstance(value, list) else ():
        if isinstance(it, str):
            yield it
