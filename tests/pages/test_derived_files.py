"""Derived files are committed, and this says when one is stale."""

from __future__ import annotations

import json

import jsonschema
import pytest
import yaml

from suitecase.derived import ROOT, stale


def test_derived_files_are_current() -> None:
    assert [str(path) for path in stale()] == [], "run: make derived"


@pytest.mark.parametrize("path", sorted((ROOT / "schemas").glob("*.json")), ids=lambda it: it.name)
def test_each_schema_is_a_json_schema(path: object) -> None:
    schema = json.loads(ROOT.joinpath("schemas", str(path)).read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.eval.yaml")), ids=lambda it: it.name)  # fmt: skip
def test_the_examples_meet_the_schema_of_suites(path: object) -> None:
    schema = json.loads((ROOT / "schemas" / "suite.schema.json").read_text("utf-8"))
    text = ROOT.joinpath("examples", str(path)).read_text("utf-8")
    # Maps from lowest scores have numbers as keys, which JSON writes as text.
    jsonschema.Draft202012Validator(schema).validate(json.loads(json.dumps(yaml.safe_load(text))))


def test_the_schema_of_suites_refuses_a_misspelled_key_and_allows_a_free_one() -> None:
    schema = json.loads((ROOT / "schemas" / "suite.schema.json").read_text("utf-8"))
    case = {"id": "a", "input": "Hi", "expected_outcome": "Says hello"}
    validator = jsonschema.Draft202012Validator(schema)
    validator.validate({"evalcases": [{**case, "x-mine": 1}]})
    with pytest.raises(jsonschema.ValidationError):
        validator.validate({"evalcases": [{**case, "rubics": []}]})
