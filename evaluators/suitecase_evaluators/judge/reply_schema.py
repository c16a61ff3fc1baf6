"""The JSON Schemas judges are held to, where a target can hold a model to one.

They are in the strict style providers agree on: every key required, no other key, no `minimum`,
`maximum` or `maxItems`, which some refuse. Keys of reasoning come before what they reason for, for
models write in this order. What a reply says is checked again when it is read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from suitecase_evaluators.rubric import TOP, Rubric

_TEXT: Mapping[str, Any] = {"type": "string"}
_TEXTS: Mapping[str, Any] = {"type": "array", "items": _TEXT}


def free_form_schema() -> dict[str, Any]:
    """Return the schema of `{reasoning, hits, misses, score}`."""
    return _object(
        reasoning=_TEXT,
        hits=_TEXTS,
        misses=_TEXTS,
        score={"type": "number", "description": "From 0 to 1."},
    )


def comparison_schema() -> dict[str, Any]:
    """Return the schema of `{reasoning, better}`."""
    return _object(reasoning=_TEXT, better={"type": "string", "enum": ["first", "second", "tie"]})


def checks_schema(rubrics: Sequence[Rubric], *, quotes: bool = False) -> dict[str, Any]:
    """Return the schema of `{checks, overall_reasoning}`, with an entry form for each mode used.

    Args:
        quotes: whether entries have a quote of the answer.
    """
    quoted = {"quote": _TEXT} if quotes else {}
    checked = [it.id for it in rubrics if it.mode == "check"]
    ranged = [it.id for it in rubrics if it.mode == "range"]
    entries: list[dict[str, Any]] = []
    if checked:
        entries.append(
            _object(
                id={"type": "string", "enum": checked},
                reasoning=_TEXT,
                **quoted,
                satisfied={"type": "boolean"},
            )
        )
    if ranged:
        entries.append(
            _object(
                id={"type": "string", "enum": ranged},
                reasoning=_TEXT,
                **quoted,
                score={"type": "integer", "description": f"From 0 to {TOP}."},
            )
        )
    items = entries[0] if len(entries) == 1 else {"anyOf": entries}
    return _object(checks={"type": "array", "items": items}, overall_reasoning=_TEXT)


def _object(**properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }
