"""Schemas that are taken for valid without the library are valid for the library, too."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suitecase_evaluators.schema.checking import (
    is_plain_and_valid,
    problems_by_library,
    schema_problems,
)
from suitecase_evaluators.schema.keywords import KEYWORDS, TYPES

NAMES = st.sampled_from(["a", "b", "total", "^a$", "string"])
VALUES: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-1, 3),
    st.floats(-1, 3, allow_nan=False),
    st.sampled_from([*TYPES, "^a$", "#", "#/a"]),
    st.lists(st.sampled_from([*TYPES, 1, True]), max_size=3),
)
#: Mostly keywords that are known to be plain, with values that they may have.
SCHEMAS: st.SearchStrategy[Any] = st.recursive(
    st.one_of(
        st.booleans(), st.dictionaries(st.sampled_from([*KEYWORDS, "x-a"]), VALUES, max_size=2)
    ),
    lambda inner: st.one_of(
        st.fixed_dictionaries(
            {},
            optional={
                "type": st.one_of(
                    st.sampled_from([*TYPES]), st.lists(st.sampled_from([*TYPES, "nul"]))
                ),
                "properties": st.dictionaries(NAMES, inner, max_size=2),
                "patternProperties": st.dictionaries(NAMES, inner, max_size=1),
                "required": st.lists(NAMES, max_size=3),
                "items": st.one_of(inner, st.lists(inner, max_size=2)),
                "anyOf": st.lists(inner, max_size=2),
                "not": inner,
                "additionalProperties": inner,
                "minimum": VALUES,
                "maxLength": VALUES,
                "multipleOf": VALUES,
                "enum": VALUES,
            },
        ),
        st.dictionaries(st.sampled_from([*KEYWORDS]), inner, max_size=2),
    ),
    max_leaves=8,
)


@settings(max_examples=150, deadline=None)
@given(SCHEMAS)
def test_what_is_taken_for_valid_is_valid(schema: Any) -> None:
    if is_plain_and_valid(schema):
        assert problems_by_library(json.loads(json.dumps(schema))) == ()


@pytest.mark.parametrize(
    "schema",
    [
        {"type": ["string", "string"]},
        {"type": []},
        {"required": ["a", "a"]},
        {"required": True},
        {"multipleOf": 0},
        {"minLength": -1},
        {"minLength": True},
        {"anyOf": []},
        {"items": [{"type": "string"}]},
        {"properties": {"a": {"type": "strin"}}},
        {"$ref": "#/a"},
        {"$schema": "https://json-schema.org/draft/2020-12/schema"},
        {"x-own": 1},
        None,
    ],
)
def test_what_is_not_certain_is_left_to_the_library(schema: Any) -> None:
    assert not is_plain_and_valid(schema)


def test_patterns_are_looked_at() -> None:
    (problem,) = schema_problems({"properties": {"a": {"type": "string", "pattern": "("}}})
    assert problem.path == ("properties", "a", "pattern")


def test_plain_schemas_are_checked_without_the_library() -> None:
    code = (
        "import sys; from suitecase_evaluators.schema.checking import schema_problems; "
        "assert not schema_problems({'type': 'object', 'properties': {'a': {'type': 'string'}}}); "
        "assert 'jsonschema' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
