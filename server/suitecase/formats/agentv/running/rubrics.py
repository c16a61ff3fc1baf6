"""Converts AgentV rubrics to those of our judges."""

from __future__ import annotations

import math
from typing import Any, Final

from suitecase.formats.promptfoo.running.refused import RefusedError
from suitecase_evaluators.answers.rubric import TOP

#: The key with ranges; and the keys of an assertion that say more of a text to grade by, if it has ranges.
RANGES: Final = "score_ranges"
OF_A_TEXT: Final = (RANGES, "min_score", "operator")
_KNOWN: Final = frozenset(
    {"id", "outcome", "criteria", "weight", "required", "min_score", RANGES, "operator"}
)


def rubric_items(value: Any) -> list[str | dict[str, Any]]:
    """Return the items of a rubric: strings, and mappings with weights, gates and score ranges.

    Raises:
        RefusedError: one cannot be judged as AgentV means it.
    """
    listed = value if isinstance(value, list) else [value]
    found = [_item(item) for item in listed if not isinstance(item, str) or item.strip()]
    if not found:
        raise RefusedError("there is no rubric to grade by")
    return found


def _item(written: Any) -> str | dict[str, Any]:
    if isinstance(written, str):
        return written.strip()
    if not isinstance(written, dict):
        raise RefusedError("a rubric is a string or a mapping")
    unknown = next((it for it in written if it not in _KNOWN), None)
    if unknown is not None:
        raise RefusedError(f"`suitecase run` does not know `{unknown}` of a rubric")
    if written.get("operator") not in (None, "correctness"):
        raise RefusedError(
            f"`operator: {written['operator']}` of a rubric is not supported by `suitecase run`; write in "
            "its `outcome` what the answer must not say"
        )
    item = {key: written[key] for key in ("id", "weight") if written.get(key) is not None}
    outcome = written.get("outcome") or written.get("criteria")
    if outcome:
        item["expected_outcome"] = outcome
    ranges = written.get(RANGES)
    if ranges is None:
        return (
            item if written.get("required") is None else {**item, "required": written["required"]}
        )
    least = written.get("min_score")
    if least is not None:
        if (
            isinstance(least, bool)
            or not isinstance(least, int | float)
            or not math.isfinite(least)
        ):
            raise RefusedError("`min_score` of a rubric must be a number")
        # Scores are whole numbers: what is not below 7.5 is not below 8.
        item["required_min_score"] = math.ceil(round(least * TOP, 9))
    return {**item, RANGES: _ranges(ranges)}


def _ranges(written: Any) -> Any:
    if not isinstance(written, list):
        return written
    return [
        {("expected_outcome" if key == "outcome" else key): it for key, it in each.items()}
        if isinstance(each, dict)
        else each
        for each in written
    ]
