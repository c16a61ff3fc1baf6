"""The JSON Schemas judges are held to, where a target can hold a model to one.

They leave nothing open: each rubric item is a required property, so that none is left out or given
twice, and texts, lists and numbers have limits, since small models that are held to a form write on
for as long as it lets them. A provider that refuses the limits is sent the schema without them. Keys
of reasoning come before what they reason for, for models write in this order. What a reply says is
checked again when it is read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from suitecase_evaluators.answers.rubric import TOP, Rubric
from suitecase_evaluators.grade.judge.prompts import MOST_POINTS

#: The most characters of texts: why an answer as a whole gets its score, why an item does, one hit or
#: miss, and a quote. llama.cpp takes no limit of 2,000 or more.
REASONING: Final = 600
ITEM_REASONING: Final = 300
POINT: Final = 120
QUOTE: Final = 1_000

#: Names that every provider takes as those of properties.
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")


def text(most: int) -> dict[str, Any]:
    """Return the schema of a text of at most so many characters."""
    return {"type": "string", "maxLength": most}


def texts(most_texts: int, most: int) -> dict[str, Any]:
    """Return the schema of a list of texts."""
    return {"type": "array", "items": text(most), "maxItems": most_texts}


def closed_object(properties: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return the schema of an object that has all of its properties and no other."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def free_form_schema() -> dict[str, Any]:
    """Return the schema of `{reasoning, hits, misses, score}`."""
    return closed_object(
        {
            "reasoning": text(REASONING),
            "hits": texts(MOST_POINTS, POINT),
            "misses": texts(MOST_POINTS, POINT),
            "score": {
                "type": "number",
                "minimum": 0,
                "maximum": 1,
                "description": "From 0 to 1.",
            },
        }
    )


def comparison_schema() -> dict[str, Any]:
    """Return the schema of `{reasoning, better}`."""
    better = {"type": "string", "enum": ["first", "second", "tie"]}
    return closed_object({"reasoning": text(REASONING), "better": better})


def checks_schema(rubrics: Sequence[Rubric], *, quotes: bool = False) -> dict[str, Any]:
    """Return the schema of `{checks, overall_reasoning}`, with a property of `checks` for each item.

    Args:
        rubrics: each with an id, no id twice.
        quotes: whether entries have a quote of the answer.
    """
    names = item_names([rubric.id or "" for rubric in rubrics])
    entries = {
        name: _entry(rubric, name, quotes=quotes)
        for name, rubric in zip(names, rubrics, strict=True)
    }
    return closed_object(
        {"checks": closed_object(entries), "overall_reasoning": text(ITEM_REASONING)}
    )


def item_names(ids: Sequence[str]) -> list[str]:
    """Return the properties that stand for rubric items: their ids, where these can be such names."""
    return [
        item_id if _PLAIN_NAME.fullmatch(item_id) else _free_name(number, ids)
        for number, item_id in enumerate(ids, 1)
    ]


def _free_name(number: int, ids: Sequence[str]) -> str:
    name = f"item_{number}"
    while name in ids:
        name += "_"
    return name


def _entry(rubric: Rubric, name: str, *, quotes: bool) -> dict[str, Any]:
    # Where the property does not say which item it stands for, the model writes that first.
    named = {} if name == rubric.id else {"id": {"type": "string", "enum": [rubric.id]}}
    quoted = {"quote": text(QUOTE)} if quotes else {}
    verdict: Mapping[str, Any] = (
        {"satisfied": {"type": "boolean"}}
        if rubric.mode == "check"
        else {
            "score": {
                "type": "integer",
                "minimum": 0,
                "maximum": TOP,
                "description": f"From 0 to {TOP}.",
            }
        }
    )
    return closed_object({**named, "reasoning": text(ITEM_REASONING), **quoted, **verdict})
