"""Makes scores of what a judge said.

Rubric items: a satisfied checklist item is worth 1, an unsatisfied one 0, a range item its score
divided by 10; the score is the mean of these, weighted by the items' weights. An unmet required item
and a score below the item's minimum fail the gate, and with it the verdict, whatever the score is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from suitecase_evaluators.answers.records.details import AMBIGUOUS_REPLY, GIVEN_SCORE, RUBRIC_TEXTS
from suitecase_evaluators.answers.rubric import HIT_AT, TOP, Rubric, range_score_text, weights_of
from suitecase_evaluators.answers.score import Quote, Score
from suitecase_evaluators.grade.judge.prompts import rubric_text
from suitecase_evaluators.grade.judge.reply import Check, Checks, FreeForm


def free_form_score(
    verdict: FreeForm, record: Mapping[str, Any], *, parse_failed: bool = False
) -> Score:
    """Return the score of a free-form verdict; `record` is further fields of `Score`.

    Args:
        parse_failed: whether the judge kept to another scale.
    """
    details: dict[str, Any] = {AMBIGUOUS_REPLY: True} if verdict.ambiguous else {}
    if verdict.given is not None:
        details[GIVEN_SCORE] = verdict.given
    return Score.graded(
        verdict.score,
        hits=verdict.hits,
        misses=verdict.misses,
        reasoning=verdict.reasoning,
        parse_failed=parse_failed,
        **_with_details(record, details),
    )


def rubric_score(
    verdict: Checks,
    rubrics: Sequence[Rubric],
    record: Mapping[str, Any],
    *,
    quotes: bool = False,
) -> Score:
    """Return the score of verdicts on rubric items; an item without one counts as 0, and is named.

    Where every weight is 0 the items count alike: they stand there to be graded, and a score of 0
    for an answer that meets all of them would say the opposite of what was found.

    Args:
        quotes: whether items that are met had to be quoted for.
    """
    checks = {it.id or "": verdict.by_id.get(it.id or "") for it in rubrics}
    shares = weights_of(rubrics)
    if not any(shares.values()):
        shares = {name: 1 / len(shares) for name in shares}
    score = 0.0
    gate_failed = False
    hits: list[str] = []
    misses: list[str] = []
    for rubric in rubrics:
        check = checks[rubric.id or ""]
        value = check.value if check else 0
        score += shares[rubric.id or ""] * (value / TOP if rubric.mode == "range" else value)
        gate_met = _gate_met(rubric, value)
        gate_failed = gate_failed or not gate_met
        hit = value >= HIT_AT and gate_met if rubric.mode == "range" else bool(value)
        (hits if hit else misses).append(_point(rubric, check))
    details: dict[str, Any] = {
        "raw_scores": {name: check.value if check else None for name, check in checks.items()},
        RUBRIC_TEXTS: {it.id or "": rubric_text(it) for it in rubrics},
    }
    if verdict.ambiguous:
        details[AMBIGUOUS_REPLY] = True
    missing = [name for name, check in checks.items() if check is None]
    reasoning = verdict.reasoning
    if missing:
        details["missing_items"] = missing
        named = ", ".join(f"`{name}`" for name in missing)
        note = f"The judge gave no readable verdict on {named}, which counts as 0."
        reasoning = f"{note} {reasoning}".rstrip()
    return Score.graded(
        min(max(score, 0.0), 1.0),
        gate_failed=gate_failed,
        hits=tuple(hits),
        misses=tuple(misses),
        reasoning=reasoning,
        parse_failed=bool(missing),
        quotes=_quotes(checks) if quotes else None,
        **_with_details(record, details),
    )


def _quotes(checks: Mapping[str, Check | None]) -> tuple[Quote, ...]:
    """Return the quotes of checks that have one."""
    return tuple(
        Quote(name, check.quote, check.in_answer)
        for name, check in checks.items()
        if check is not None and check.in_answer is not None
    )


def unreadable_score(
    reason: str, record: Mapping[str, Any], rubrics: Sequence[Rubric] = ()
) -> Score:
    """Return the score of a judge none of whose replies could be read: 0, by the contract.

    No item was met, so the gates of `rubrics` fail.
    """
    return Score.graded(
        0.0,
        gate_failed=any(not _gate_met(rubric, 0) for rubric in rubrics),
        reasoning=f"The judge gave no readable verdict: {reason}.",
        parse_failed=True,
        **_with_details(
            record, {"raw_scores": {rubric.id: None for rubric in rubrics}} if rubrics else {}
        ),
    )


def _gate_met(rubric: Rubric, value: int) -> bool:
    if rubric.mode == "check":
        return bool(value) or not rubric.is_required
    return rubric.gate is None or value >= rubric.gate


def _point(rubric: Rubric, check: Check | None) -> str:
    """Return an item as a hit or miss: `[id] text`, and the judge's reasoning where it gave any.

    Of a range item it says the score too, and of one that is missed what was needed.
    """
    text = rubric.expected_outcome or (
        next(text for low, high, text in rubric.ranges if low <= check.value <= high)
        if check
        else rubric_text(rubric)
    )
    reasoning = check.reasoning if check else "the judge gave no usable verdict on this item"
    score = range_score_text(check.value, rubric.gate) if check and rubric.mode == "range" else ""
    return ": ".join(filter(None, (f"[{rubric.id}] {text}", score, reasoning)))


def _with_details(record: Mapping[str, Any], details: Mapping[str, Any]) -> dict[str, Any]:
    return {**record, "details": {**record.get("details", {}), **details}}
