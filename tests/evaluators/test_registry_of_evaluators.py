"""Entries of a suite are read by their type, and graded by the evaluator of that type."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from pydantic import ValidationError

from suitecase_evaluators.answers.score import Score, Verdict
from suitecase_evaluators.grade import registry
from suitecase_evaluators.grade.evaluator import Evaluator, EvaluatorConfig, Services, Subject
from suitecase_evaluators.grade.registry import TYPES, by_type, evaluators, grade
from suitecase_evaluators.targets.program import ProgramError
from suitecase_evaluators.targets.target import TargetError
from support.running.evaluators import ENTRY, Judges, answer, entry, graded

DOCUMENTED = {
    "llm_judge",
    "code_judge",
    "composite",
    "tool_trajectory",
    "field_accuracy",
    "latency",
    "cost",
    "token_usage",
    "json_schema",
    "criteria",
    "contains",
    "icontains",
    "contains_any",
    "contains_all",
    "icontains_any",
    "icontains_all",
    "starts_with",
    "ends_with",
    "word_count",
    "label",
    "number",
    "token_f1",
    "equals",
    "regex",
    "is_json",
    "preference",
    "human",
    "refusal",
}


def errors_of(written: Any) -> list[tuple[str, tuple[int | str, ...]]]:
    with pytest.raises(ValidationError) as raised:
        ENTRY.validate_python(written)
    return [(it["type"], it["loc"]) for it in raised.value.errors()]


def test_every_documented_type_is_there_once() -> None:
    assert len(TYPES) == len(set(TYPES))
    assert set(TYPES) == DOCUMENTED


def test_the_table_of_types_is_right() -> None:
    assert tuple(it.type for it in evaluators()) == TYPES


@pytest.mark.parametrize("evaluator", evaluators(), ids=TYPES)
def test_each_type_is_found_and_documented(evaluator: Evaluator) -> None:
    assert by_type(evaluator.type) is evaluator
    assert len((evaluator.config.__doc__ or "").strip()) > 20
    for name, field in evaluator.config.model_fields.items():
        assert name == "type" or field.description, name


def test_an_unknown_type_is_not_found() -> None:
    assert by_type("contians") is None


@pytest.mark.parametrize(
    ("written", "error"),
    [
        ({"name": "a"}, "union_tag_not_found"),
        ({"name": "a", "type": None}, "union_tag_not_found"),
        ("contains", "union_tag_not_found"),
        ({"name": "a", "type": "contians"}, "union_tag_invalid"),
        ({"name": "a", "type": 3}, "union_tag_invalid"),
        ({"name": "a", "type": "<contains>"}, "union_tag_invalid"),
    ],
)
def test_an_entry_without_a_known_type_is_an_error_of_the_entry(written: Any, error: str) -> None:
    assert errors_of(written) == [(error, ())]


def test_a_tag_in_a_location_cannot_be_taken_for_a_key() -> None:
    assert errors_of(entry("contains")) == [("missing", ("<contains>", "value"))]


def test_members_of_composites_are_entries_at_any_depth() -> None:
    inner = entry("composite", evaluators=[{"name": "a"}], aggregator={"type": "weighted_average"})
    outer = entry("composite", evaluators=[inner], aggregator={"type": "minimum"})
    assert errors_of(outer) == [
        ("union_tag_not_found", ("<composite>", "evaluators", 0, "<composite>", "evaluators", 0)),
        ("union_tag_invalid", ("<composite>", "aggregator")),
    ]


def test_unknown_keys_are_errors_and_free_ones_are_not() -> None:
    assert ENTRY.validate_python(entry("contains", value="x", **{"x-note": 1}))
    assert errors_of(entry("contains", value="x", negated=True)) == [
        ("extra_forbidden", ("<contains>", "negated"))
    ]


@pytest.mark.parametrize("weight", [-1, float("nan"), float("inf"), "2", True])
def test_a_weight_is_a_finite_number_of_at_least_0(weight: Any) -> None:
    (error,) = errors_of(entry("contains", value="x", weight=weight))
    assert error[1] == ("<contains>", "weight")


def test_the_schema_of_json_schema_is_written_out_under_its_own_name() -> None:
    written = entry("json_schema", schema={"type": "object"})
    config = ENTRY.validate_python(written)
    assert config.model_dump(exclude_unset=True) == written
    assert "schema_" not in str(config.model_json_schema())
    assert errors_of(entry("json_schema", schema_={}))[-1] == (
        "extra_forbidden",
        ("<json_schema>", "schema_"),
    )


def test_entries_have_a_json_schema() -> None:
    schema = ENTRY.json_schema()
    names = {
        definition["properties"]["type"]["const"]
        for definition in schema["$defs"].values()
        if "const" in definition.get("properties", {}).get("type", {})
    }
    assert names >= DOCUMENTED


async def raising(error: Exception) -> Score:
    raise error


def failing_with(
    error: Exception,
) -> Callable[[EvaluatorConfig, Subject, Services], Awaitable[Score]]:
    return lambda config, subject, services: raising(error)


async def test_a_missing_judge_is_an_error_and_not_a_score() -> None:
    score = await graded(entry("criteria", criteria="Is short."), answer("Paris"))
    assert (score.verdict, score.score) == (Verdict.ERROR, None)
    assert "no judge is configured" in (score.error or "")


@pytest.mark.parametrize(
    "error", [TargetError("the host is down"), ProgramError("the program is missing")]
)
async def test_errors_of_the_environment_become_error_scores(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = ENTRY.validate_python(entry("contains", value="x"))
    failing = Evaluator(type(config), failing_with(error))
    monkeypatch.setitem(registry._IMPORTED, "contains", failing)
    score = await grade(config, answer(), Judges())
    assert (score.verdict, score.score, score.error) == (Verdict.ERROR, None, str(error))


async def test_bugs_pass_through(monkeypatch: pytest.MonkeyPatch) -> None:
    config = ENTRY.validate_python(entry("contains", value="x"))
    failing = Evaluator(type(config), failing_with(ZeroDivisionError()))
    monkeypatch.setitem(registry._IMPORTED, "contains", failing)
    with pytest.raises(ZeroDivisionError):
        await grade(config, answer(), Judges())


def test_importing_every_evaluator_imports_nothing_heavy() -> None:
    code = (
        "import sys, suitecase_evaluators.grade.registry;"
        "print([it for it in ('litellm', 'jsonschema', 'referencing', 'tenacity', 'yaml') "
        "if it in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
