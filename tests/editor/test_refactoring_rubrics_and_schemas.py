"""Converting rubrics between strings and mappings, and schemas between JSON and YAML."""

from __future__ import annotations

import pytest

from suitecase.formats.suitecase.parsed import parse_suite
from suitecase.text.node import Span
from support.ide.refactorings import made, offered, only_offered, suite_of

TO_JSON = "Write the schema as a text of JSON"
TO_YAML = "Write the schema as YAML"


@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("as_text", "as_mapping"),
    [
        ("- Says sorry  # why\n", "- expected_outcome: Says sorry  # why\n"),
        ("- 'a: b'\n", "- expected_outcome: 'a: b'\n"),
        ("- >\n  folded 🎉\n\n  text\n", "- expected_outcome: >\n    folded 🎉\n\n    text\n"),
        ("- on two\n  lines\n", "- expected_outcome: on two\n    lines\n"),
    ],
)
def test_a_rubric_there_and_back(line_break: str, as_text: str, as_mapping: str) -> None:
    text = (suite_of("rubrics:\n") + _indented(as_text)).replace("\n", line_break)
    mapping = (suite_of("rubrics:\n") + _indented(as_mapping)).replace("\n", line_break)
    at = text.index("- ", text.index("rubrics")) + 2

    assert made(parse_suite(text), Span(at, at))["Write the rubric as a mapping"] == mapping
    assert made(parse_suite(mapping), Span(at, at))["Write the rubric as a text"] == text


def _indented(lines: str) -> str:
    return "".join(f"      {it}" if it.strip() else it for it in lines.splitlines(keepends=True))


def test_rubrics_in_brackets() -> None:
    assert only_offered(suite_of("rubrics: [a, 'b|', c]\n"), "as a mapping") == suite_of(
        "rubrics: [a, {expected_outcome: 'b'}, c]\n"
    )
    assert only_offered(suite_of("rubrics: [{expected_outcome: a|}]\n"), "as a text") == suite_of(
        "rubrics: [a]\n"
    )


def test_a_rubric_that_says_more_stays_a_mapping() -> None:
    assert offered(suite_of("rubrics: [{expected_outcome: a|, weight: 2}]\n")) == {}


def test_all_rubrics_of_a_selection() -> None:
    text = suite_of("rubrics:\n  - a\n  - b\n  - c\n")

    changed = made(parse_suite(text), Span(text.index("- a"), text.index("- b") + 3))

    assert changed["Write the 2 rubrics as mappings"] == suite_of(
        "rubrics:\n  - expected_outcome: a\n  - expected_outcome: b\n  - c\n"
    )


SCHEMA = """\
evaluation_schema:{comment}
  type: object
  required: [total]
  properties:
    total:
      type: number
      minimum: 0.5
"""
JSON = """\
evaluation_schema: |{comment}
  {{
    "type": "object",
    "required": [
      "total"
    ],
    "properties": {{
      "total": {{
        "type": "number",
        "minimum": 0.5
      }}
    }}
  }}
"""


@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
@pytest.mark.parametrize("comment", ["", "  # what an answer has"])
def test_a_schema_there_and_back(line_break: str, comment: str) -> None:
    yaml = suite_of(SCHEMA.format(comment=comment)).replace("\n", line_break)
    text = suite_of(JSON.format(comment=comment)).replace("\n", line_break)
    at = yaml.index("evaluation_schema")

    assert made(parse_suite(yaml), Span(at, at))[TO_JSON] == text
    assert made(parse_suite(text), Span(at, at))[TO_YAML] == yaml


def test_the_schema_of_the_suite_and_of_an_evaluator() -> None:
    head = 'expected_schema: \'{"type": "ob|ject"}\'  # shape\nevalcases: []\n'
    assert only_offered(head, "as YAML").startswith("expected_schema:\n  type: object  # shape\n")
    listed = "evaluators: [{name: a, type: json_schema, schema: {type: obj|ect}}]\n"
    as_json = only_offered(suite_of(listed), "as a text of JSON")
    assert '{name: a, type: json_schema, schema: "{\\"type\\": \\"object\\"}"}' in as_json
    back = only_offered(as_json.replace("schema:", "schema:|"), "as YAML")
    assert 'schema: {"type": "object"}}]' in back


@pytest.mark.parametrize(
    "schema",
    [
        "{type: object,  # why\n  required: [a]|}",
        "{maximum: .inf|}",
        '\'{"type": "object", "type": "array"|}\'',
        "'{\"type\": |'",
        "'[1]|'",
        "|",
    ],
    ids=["comment", "infinity", "twice", "half-typed", "no object", "nothing"],
)
def test_a_schema_that_the_other_form_could_not_hold(schema: str) -> None:
    assert not {TO_JSON, TO_YAML} & set(offered(suite_of(f"evaluation_schema: {schema}\n")))


def test_a_rubric_whose_text_is_repeated_elsewhere_stays() -> None:
    # The anchor would be one of the key, and the note would say `expected_outcome`.
    assert offered(suite_of("rubrics:\n  - &said Says sor|ry\nnote: *said\n")) == {}
