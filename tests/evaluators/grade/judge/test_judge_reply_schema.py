"""The JSON Schema that a judge is held to: nothing can be left out, and nothing is without end."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import jsonschema
import pytest

from suitecase.authoring.generating.rubric_proposal import _response_schema
from suitecase_evaluators.answers.rubric import Rubric
from suitecase_evaluators.grade.judge.reply import Checks, Unreadable, read_checks
from suitecase_evaluators.grade.judge.reply_schema import (
    checks_schema,
    comparison_schema,
    free_form_schema,
    item_names,
)
from suitecase_evaluators.promptfoo import default_prompts
from suitecase_evaluators.targets.response_format import is_strict, without_limits

RUBRICS = (
    Rubric(id="sorry", expected_outcome="Says sorry"),
    Rubric(id="Höflich & kurz", expected_outcome="Is polite"),
    Rubric(id="tone", score_ranges={"0": "rude", "5": "polite"}),
)
SCHEMAS = {
    "free form": free_form_schema(),
    "comparison": comparison_schema(),
    "rubrics": checks_schema(RUBRICS),
    "rubrics with quotes": checks_schema(RUBRICS, quotes=True),
    "llm-rubric": default_prompts.RUBRIC_FORM,
    "factuality": default_prompts.FACTS_FORM,
    "steps of g-eval": default_prompts.STEPS_FORM,
    "g-eval": default_prompts.SCALE_FORM,
    "proposed rubrics": _response_schema(),
}
#: The keyword that ends a value of each type.
ENDS = {"string": "maxLength", "array": "maxItems", "number": "maximum", "integer": "maximum"}


def parts(schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield schema
    for inner in schema.get("properties", {}).values():
        yield from parts(inner)
    if "items" in schema:
        yield from parts(schema["items"])


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_value_has_an_end_and_none_can_be_left_out(name: str) -> None:
    schema = SCHEMAS[name]
    jsonschema.Draft202012Validator.check_schema(schema)
    assert is_strict(schema)
    for part in parts(schema):
        end = ENDS.get(part["type"])
        assert end is None or "enum" in part or end in part, part
        # llama.cpp refuses a grammar of more repetitions.
        assert part.get("maxLength", 0) < 2_000


@pytest.mark.parametrize("name", SCHEMAS)
def test_without_limits_it_has_no_keyword_that_strict_modes_refuse(name: str) -> None:
    schema = without_limits(SCHEMAS[name])
    known = {"type", "properties", "required", "additionalProperties", "items", "enum"}
    assert is_strict(schema)
    for part in parts(schema):
        assert part.keys() <= known | {"description"}


def replied(**checks: Any) -> str:
    return json.dumps({"checks": checks, "overall_reasoning": "All in all."})


def test_a_reply_in_the_form_of_the_schema_is_read() -> None:
    reply = replied(
        sorry={"reasoning": "seen", "satisfied": True},
        item_2={"id": "Höflich & kurz", "reasoning": "seen", "satisfied": False},
        tone={"reasoning": "seen", "score": 7},
    )
    jsonschema.validate(json.loads(reply), checks_schema(RUBRICS))
    found = read_checks(reply, RUBRICS)
    assert isinstance(found, Checks)
    assert {name: check.value for name, check in found.by_id.items()} == {
        "sorry": True,
        "Höflich & kurz": False,
        "tone": 7,
    }
    assert found.reasoning == "All in all."


def test_an_entry_under_the_id_itself_is_read_too() -> None:
    checks = {rubric.id or "": {"satisfied": True} for rubric in RUBRICS[:2]}
    found = read_checks(replied(**checks), RUBRICS[:2])
    assert isinstance(found, Checks)


@pytest.mark.parametrize(
    ("checks", "problem"),
    [
        ({"sorry": {"satisfied": True}}, "`tone` is missing"),
        ({"sorry": True, "tone": {"score": 3}}, "`sorry` is missing"),
        (
            {"sorry": {"satisfied": True}, "tone": {"score": 3}, "other": {"satisfied": True}},
            "there is no item `other`",
        ),
        ({"sorry": {"id": "tone", "score": 3}, "tone": {"score": 3}}, "`tone` is answered 2 times"),
        ({"sorry": {"satisfied": "yes"}, "tone": {"score": 3}}, "`sorry` needs `satisfied`"),
    ],
)
def test_what_such_a_reply_leaves_out_is_named(checks: dict[str, Any], problem: str) -> None:
    found = read_checks(replied(**checks), (RUBRICS[0], RUBRICS[2]))
    assert isinstance(found, Unreadable)
    assert problem in found.reason


def test_names_of_properties_are_ids_where_providers_take_them() -> None:
    ids = ["rubric-1", "a b", "item_2", "x" * 65, "Ä"]
    assert item_names(ids) == ["rubric-1", "item_2_", "item_2", "item_4", "item_5"]
