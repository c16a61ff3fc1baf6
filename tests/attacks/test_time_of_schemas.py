"""A schema that takes for ever on an answer costs its own case, within its time; the others are graded."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from suitecase_evaluators.promptfoo.ajv_validation import violation_of_all
from suitecase_evaluators.schema.errors import SchemaError
from suitecase_evaluators.schema.validation import may_take_long, violations
from support.running.processes import suitecase, write

DRAFT_2019 = "https://json-schema.org/draft/2019-09/schema"
#: In seconds of processor time: four times what the slowest takes that is not run as a program.
MOST = 4.0


def _twice(reference: dict[str, str], **more: Any) -> dict[str, Any]:
    return {**more, "items": {"anyOf": [reference, reference], "not": reference}}


def _evaluated_within(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {}
    for _ in range(levels):
        schema = {"allOf": [schema], "unevaluatedProperties": False}
    return schema


def _deep(levels: int, width: int = 0) -> Any:
    value: list[Any] = []
    for _ in range(levels):
        value = [value, *([] for _ in range(width))]
    return value


DYNAMIC = _twice({"$dynamicRef": "#a"}, **{"$dynamicAnchor": "a"})
ENDLESS: dict[str, tuple[dict[str, Any], Any]] = {
    "dynamic references": (DYNAMIC, _deep(60)),
    "recursive references": (
        _twice({"$recursiveRef": "#"}, **{"$schema": DRAFT_2019, "$recursiveAnchor": True}),
        _deep(60),
    ),
    "what is evaluated, in itself": (_evaluated_within(30), {"a": 1}),
    "references to the whole": ({"items": {"allOf": [{"$ref": "#"}] * 200}}, _deep(60, 8)),
    "errors that quote a long text": (
        {"items": {"$ref": "#"}, "anyOf": [{"type": "integer"}] * 450},
        ["a" * 100_000],
    ),
}
QUICK: dict[str, tuple[dict[str, Any], Any]] = {
    "references": ({"items": {"allOf": [{"$ref": "#"}] * 20}}, _deep(20, 4)),
    "what is evaluated": (_evaluated_within(3), {"a": 1}),
    "alternatives": ({"items": {"anyOf": [{"type": "string"}, {"not": {}}]}}, [1] * 8_000),
    "alternatives in alternatives": (
        json.loads('{"anyOf": [' * 40 + "{}" + ', {"type": "boolean"}]}' * 40),
        "a",
    ),
    "items of their own": ({"uniqueItems": True}, [[number] for number in range(20_000)]),
    "patterns of names": (
        {
            "patternProperties": {f"^a{number}": {} for number in range(200)},
            "additionalProperties": False,
        },
        {f"b{number}": 1 for number in range(200)},
    ),
    "levels with a long text": (
        {"items": {"$ref": "#"}, "anyOf": [{"type": "integer"}] * 3},
        ["a" * 900, _deep(100)],
    ),
}


@pytest.mark.parametrize("name", ENDLESS)
def test_what_may_take_long_is_validated_by_a_program_that_can_be_ended(name: str) -> None:
    assert may_take_long(*ENDLESS[name])


@pytest.mark.parametrize("name", QUICK)
def test_what_is_validated_here_is_quick(name: str) -> None:
    schema, value = QUICK[name]
    assert not may_take_long(schema, value)
    start = time.process_time()
    violations(schema, value)
    assert time.process_time() - start < MOST


def test_a_schema_that_takes_for_ever_ends_its_own_case_alone(tmp_path: Path) -> None:
    evaluator = json.dumps({"name": "n", "type": "json_schema", "schema": DYNAMIC})
    write(
        tmp_path,
        "a.eval.yaml",
        "execution: {target: m}\nevalcases:\n"
        f"- {{id: a, input: b, expected_outcome: c, evaluators: [{evaluator}]}}\n"
        "- {id: z, input: b, expected_outcome: c, evaluators: [{type: contains, value: '[', name: n}]}\n",
    )
    answer = json.dumps(_deep(60))
    write(tmp_path, "targets.yaml", f"targets: [{{name: m, provider: mock, response: '{answer}'}}]")
    start = time.monotonic()
    done = suitecase("run", "a.eval.yaml", "--timeout", "3", "--format", "jsonl", cwd=tmp_path)
    assert time.monotonic() - start < 30
    records = {it["eval_id"]: it for it in map(json.loads, done.stdout.splitlines())}
    assert records["a"]["verdict"] == "error", done.stdout
    assert records["z"]["score"] == 1
    assert "worker process" not in done.stderr


def test_objects_in_an_answer_of_promptfoo_are_counted_together(tmp_path: Path) -> None:
    schema = {"properties": {f"p{number}": {"type": "string"} for number in range(400)}}
    objects = [{"p0": 1, "p1": number} for number in range(300)]
    assert may_take_long(schema, objects)
    assert violation_of_all(schema, [{"p0": 1}, {"p0": "a"}]) is None
    assert violation_of_all(schema, [{"p0": 1}, {"p0": 2}]) == "$.p0: 2 is not of type 'string'"
    with pytest.raises(SchemaError):
        violation_of_all({"type": "no"}, [{}])
    write(
        tmp_path,
        "promptfooconfig.yaml",
        "prompts: [file://p.txt]\nproviders: [echo]\n"
        f"tests: [{{assert: [{{type: contains-json, value: {json.dumps(schema)}}}]}}]\n",
    )
    write(tmp_path, "p.txt", " ".join(map(json.dumps, [*objects, {"p0": "a"}])))
    done = suitecase("run", "promptfooconfig.yaml", "--format", "jsonl", cwd=tmp_path)
    assert json.loads(done.stdout)["verdict"] in {"pass", "rehearsed"}, done.stdout[:2_000]
