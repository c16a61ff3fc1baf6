"""Completion in JSON Schemas: keywords, types, formats, names and references, in YAML and JSON."""

from __future__ import annotations

import pytest

from support.ide.completions import Offer

CASE = "evalcases:\n  - id: a\n"
SCHEMA = f"{CASE}    evaluation_schema:\n"
TEXT = f"{CASE}    evaluation_schema: |\n"


@pytest.mark.parametrize(
    ("text", "first", "never"),
    [
        (f"{SCHEMA}      ▮\n", ["type", "properties", "required"], ["id", "then"]),
        (
            f"{SCHEMA}      type: object\n      ▮\n",
            ["properties", "required"],
            ["type", "minLength"],
        ),
        (f"{SCHEMA}      type: string\n      m▮\n", ["format", "pattern"], ["minimum", "items"]),
        (f"{SCHEMA}      type: [integer, 'null']\n      ▮\n", ["minimum"], ["pattern"]),
        (f"{SCHEMA}      if: {{}}\n      ▮\n", ["type"], ["if", "minContains"]),
        (
            f"{SCHEMA}      $schema: http://json-schema.org/draft-07/schema#\n      ▮\n",
            ["type"],
            ["$defs2", "prefixItems", "dependentRequired", "unevaluatedItems"],
        ),
        (f"{SCHEMA}      properties:\n        a:\n          ▮\n", ["type"], ["$schema"]),
        (f"{SCHEMA}      anyOf:\n        - ▮\n", ["type"], []),
        # `items` holds one schema or, in older drafts, one for each place.
        (f"{SCHEMA}      items:\n        - ▮\n", ["type"], []),
        (f"{SCHEMA}      items: {{type: array, ▮}}\n", ["items"], ["properties", "type"]),
        ("expected_schema: {▮}\nevalcases: []\n", ["type"], []),
        (
            (
                f"{CASE}    evaluators:\n      - name: x\n        type: json_schema\n        schema:\n"
                "          ▮\n"
            ),
            ["type"],
            ["name", "parse"],
        ),
        (f"{SCHEMA}      required: [a, b]\n      properties:\n        ▮\n", ["a", "b"], ["type"]),
        (
            f"{SCHEMA}      required: [a, b]\n      properties:\n        a: {{}}\n        ▮\n",
            ["b"],
            [],
        ),
        (
            f'{TEXT}      {{\n        "type": "object",\n        ▮\n      }}\n',
            ["properties"],
            ["type"],
        ),
        (f'{TEXT}      {{\n        "type": "array", "▮"\n      }}\n', ["items"], ["type"]),
        (f"{CASE}    evaluation_schema: '{{\"items\": {{▮}}}}'\n", ["type"], ["$schema"]),
    ],
)
def test_keywords_that_fit_come_first(text: str, first: list[str], never: list[str]) -> None:
    labels = Offer(text).labels
    assert labels[: len(first)] == first
    assert not set(never) & set(labels)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            f"{SCHEMA}      type: ▮\n",
            ["object", "array", "string", "number", "integer", "boolean", "null"],
        ),
        (f"{SCHEMA}      minimum: 1\n      type: ▮\n", ["number", "integer"]),
        (
            f"{SCHEMA}      type: [string, number, integer, ▮]\n",
            ["object", "array", "boolean", "null"],
        ),
        (f"{SCHEMA}      required: [a, ▮]\n      properties: {{a: {{}}, b: {{}}}}\n", ["b"]),
        (f"{SCHEMA}      properties: {{a: {{}}}}\n      dependentRequired: {{b: [▮]}}\n", ["a"]),
        (
            f"{SCHEMA}      items: {{$ref: ▮}}\n      $defs: {{a: {{}}, b/c: {{}}}}\n",
            ["#/$defs/a", "#/$defs/b~1c"],
        ),
        (f"{SCHEMA}      $defs: {{a: {{not: {{$ref: '▮'}}}}, b: {{}}}}\n", ["#/$defs/b"]),
        (f"{SCHEMA}      additionalProperties: ▮\n", ["true", "false"]),
        (f'{TEXT}      {{"minLength": 1, "type": "▮"}}\n', ["string"]),
        (f'{TEXT}      {{"required": ["▮"], "properties": {{"b": {{}}}}}}\n', ["b"]),
    ],
)
def test_values_are_chosen_from_what_there_is(text: str, words: list[str]) -> None:
    labels = Offer(text).labels
    assert labels[: len(words)] == words
    assert not [it for it in labels[len(words) :] if it not in ("type", "$ref", "not")] or (
        "true" in words
    )


@pytest.mark.parametrize(
    ("text", "label", "after"),
    [
        (f"{SCHEMA}      req▮\n", "required", f"{SCHEMA}      required: []\n"),
        (f"{SCHEMA}      prop▮\n", "properties", f"{SCHEMA}      properties:\n        \n"),
        (f"{SCHEMA}      'pro▮': {{}}\n", "properties", f"{SCHEMA}      'properties': {{}}\n"),
        (f"{SCHEMA}      al▮\n", "allOf", f"{SCHEMA}      allOf:\n        - \n"),
        (
            f"{SCHEMA}      add▮: 1\n",
            "additionalProperties",
            f"{SCHEMA}      additionalProperties: 1\n",
        ),
        (f"{SCHEMA}      type: [string, ▮]\n", "null", f'{SCHEMA}      type: [string, "null"]\n'),
        (f"{SCHEMA}      format: da▮\n", "date-time", f"{SCHEMA}      format: date-time\n"),
        (
            f"{SCHEMA}      items: {{$ref: ▮}}\n      $defs: {{a: {{}}}}\n",
            "#/$defs/a",
            f"{SCHEMA}      items: {{$ref: '#/$defs/a'}}\n      $defs: {{a: {{}}}}\n",
        ),
        (f'{TEXT}      {{"req▮"}}\n', "required", f'{TEXT}      {{"required": []}}\n'),
        (f"{TEXT}      {{req▮}}\n", "required", f'{TEXT}      {{"required": []}}\n'),
        (f'{TEXT}      {{"ty▮": "object"}}\n', "type", f'{TEXT}      {{"type": "object"}}\n'),
        (f'{TEXT}      {{"type": ▮}}\n', "object", f'{TEXT}      {{"type": "object"}}\n'),
        (f'{TEXT}      {{"type": "o▮"}}\n', "object", f'{TEXT}      {{"type": "object"}}\n'),
        (f'{TEXT}      {{"type": "o▮"}}\n', "null", f'{TEXT}      {{"type": "null"}}\n'),
    ],
)
def test_what_is_accepted_is_written_as_the_text_around_it(
    text: str, label: str, after: str
) -> None:
    assert Offer(text).accepted(label) == after


def test_schemas_in_data_sets_are_completed_too() -> None:
    text = '{"id": "a", "evaluation_schema": {"type": "object", "▮": []}}\n'
    offer = Offer(text, name="cases.jsonl")
    assert offer.labels[:2] == ["properties", "required"]
    assert offer.accepted("required") == text.replace("▮", "required")
    text = '{"id": "a", "evaluation_schema": {"type": "▮"}}\n'
    assert Offer(text, name="cases.jsonl").accepted("null") == text.replace("▮", "null")


@pytest.mark.parametrize(
    "text",
    [
        f"{SCHEMA}      const: {{▮}}\n",
        f"{SCHEMA}      x-own: {{▮}}\n",
        f"{SCHEMA}      default: ▮\n",
        f"{CASE}    metadata: {{schema: {{▮}}}}\n",
        f'{TEXT}      {{"title": "a ▮"}}\n',
    ],
)
def test_nothing_is_offered_where_values_are_free(text: str) -> None:
    assert Offer(text).labels == []
