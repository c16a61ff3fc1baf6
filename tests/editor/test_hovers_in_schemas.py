"""Hovers in JSON Schemas: on keywords, types, formats and properties, in YAML and in JSON."""

from __future__ import annotations

import pytest

from suitecase.editor.hover import hover_at
from suitecase.editor.results import DocumentResults
from suitecase.formats.suitecase.parsed import parse_dataset
from support.ide.marked_suite import NOW, marked, shown

CASE = "evalcases:\n  - id: a\n    "


@pytest.mark.parametrize(
    ("text", "place", "says"),
    [
        (
            f"{CASE}evaluation_schema: {{requ|ired: [a]}}\n",
            "{«required»: [a]}",
            "The required properties.",
        ),
        (
            f"{CASE}evaluation_schema:\n      properties:\n        b: {{type: num|ber}}\n",
            "{type: «number»}",
            "**`number`** · type",
        ),
        (
            "expected_schema:\n  items: {format: da|te}\nevalcases: []\n",
            "{format: «date»}",
            "A date: `2026-01-31`.",
        ),
        (
            "expected_schema: {type: [string, nu|ll]}\nevalcases: []\n",
            "{type: [string, «null»]}",
            "**`null`** · type",
        ),
        (
            f"{CASE}evaluators:\n      - {{name: x, type: json_schema, schema: {{mini|mum: 1}}}}\n",
            "schema: {«minimum»: 1}}",
            "Only for values of type `number`, `integer`.",
        ),
        (
            (
                f"{CASE}evaluation_schema:\n      required: [requ]\n      properties:\n"
                "        re|qu: {type: string, description: The number}\n"
            ),
            "«requ»: {type",
            "**`requ`** · property · required · `string`\n\nThe number",
        ),
        (
            f"{CASE}evaluation_schema: {{nulla|ble: true}}\n",
            "{«nullable»: true}",
            "OpenAPI",
        ),
        (
            f'{CASE}evaluation_schema: |\n      {{\n        "requ|ired": ["a"]\n      }}\n',
            '«"required"»: ["a"]',
            "The required properties.",
        ),
        (
            f'{CASE}evaluation_schema: \'{{"properties": {{"type": {{"type": "obj|ect"}}}}}}\'\n',
            '{"type": «"object"»}',
            "**`object`** · type",
        ),
        (
            f'{CASE}evaluation_schema: "{{\\"mini|mum\\": 1}}"\n',
            '{«\\"minimum\\»": 1}',
            "The minimum of the number.",
        ),
        (
            (
                f"{CASE}evaluation_schema:\n      $schema: http://json-schema.org/draft-07/schema#\n"
                "      prefix|Items: []\n"
            ),
            "«prefixItems»: []",
            "not a keyword of this schema's draft",
        ),
    ],
)
def test_a_word_of_a_schema_says_what_it_means(text: str, place: str, says: str) -> None:
    written, offset = marked(text)
    found = hover_at(written, offset, DocumentResults(), NOW)
    assert found is not None
    assert place in shown(written, found.span)
    assert says in found.markdown


@pytest.mark.parametrize(
    "text",
    [
        f"{CASE}evaluation_schema: {{properties: {{a: {{const: {{requ|ired: 1}}}}}}}}\n",
        f"{CASE}evaluation_schema: {{x-own: {{requ|ired: 1}}}}\n",
        f"{CASE}metadata: {{schema: {{requ|ired: 1}}}}\n",
        f"{CASE}evaluation_schema: '{{\"requ|ired\": '\n",
    ],
)
def test_what_is_no_part_of_a_schema_has_no_meaning_of_its(text: str) -> None:
    written, offset = marked(text)
    found = hover_at(written, offset, DocumentResults(), NOW)
    assert found is None or "The required properties" not in found.markdown


def test_schemas_in_data_sets_are_told_as_well() -> None:
    text = '{"id": "a", "evaluation_schema": {"required": ["b"]}}\n'
    found = hover_at(parse_dataset(text, None), text.index("required") + 2, DocumentResults(), NOW)
    assert found is not None
    assert "The required properties." in found.markdown
