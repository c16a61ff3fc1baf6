"""Inlay hints in a configuration of promptfoo: rows, what is inherited, shares of weights."""

from __future__ import annotations

from pathlib import Path

import pytest

from suitecase.editor.inlay_hints import HintKinds
from suitecase.formats.promptfoo.editor.row_counts import count_rows
from suitecase.formats.promptfoo.suite.effective.rows import expand
from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration
from support.ide.marked_dialect import MarkedFile

HEAD = """\
prompts:
  - What is the capital of {{country}}?
  - {label: short, raw: "{{country}}?"}
providers: [openai:gpt-4.1, echo, {id: echo, label: same, prompts: [short]}]
defaultTest:
  threshold: 0.8
  assert:
    - type: latency
      threshold: 5000
"""
TESTS = f"""\
{HEAD}tests:
  - vars:
      country: [France, Spain]
    assert:
      - type: contains
        value: Paris
  - description: by one
    providers: [same]
    vars: {{country: Italy}}
    options: {{disableDefaultAsserts: true, repeat: 3}}
    threshold: 1
"""
OFF = HintKinds(rows=False, inherited=False, weights=False)


def test_rows_are_counted_at_the_tests_and_at_lists(tmp_path: Path) -> None:
    found = MarkedFile(tmp_path, TESTS).hints(HintKinds(inherited=False))
    # Two countries for two prompts and two providers, one prompt of the third; then three repeats.
    assert found == ["tests: «13 rows»", "country: [France, Spain] «2 rows»"]


def test_tests_show_what_they_inherit(tmp_path: Path) -> None:
    found = MarkedFile(tmp_path, TESTS).hints(HintKinds(rows=False))
    assert found == ["assert: «+ 1 from defaultTest, threshold 0.8»"]
    without = TESTS.replace("    assert:\n      - type: contains\n        value: Paris\n", "")
    found = MarkedFile(tmp_path, without).hints(HintKinds(rows=False))
    assert found == ["- vars: «+ 1 from defaultTest, threshold 0.8»"]


def test_weights_are_shown_as_shares_with_what_is_inherited(tmp_path: Path) -> None:
    text = TESTS.replace("value: Paris", "value: Paris\n        weight: 2")
    text = text.replace(
        "        weight: 2\n", "        weight: 2\n      - {type: equals, value: x}\n"
    )
    found = MarkedFile(tmp_path, text).hints(HintKinds(rows=False, inherited=False))
    assert found == [
        "weight: 2 «50% of the score»",
        "- {type: equals «25% of the score», value: x}",
    ]
    assert MarkedFile(tmp_path, text).hints(OFF) == []


def test_rows_that_are_not_known_make_it_at_least_so_many(tmp_path: Path) -> None:
    file = MarkedFile(
        tmp_path,
        f"{HEAD}tests: [more.csv, file://make.py]\n",
        {
            "more.csv": "country\nItaly\nChina\n",
            "make.py": "def make(): ...\n",
        },
    )
    assert file.hints() == ["tests: «at least 10 rows» [more.csv, file://make.py]"]
    file = MarkedFile(tmp_path, f"{HEAD}tests: more.csv\n")
    assert file.hints() == ["tests: more.csv «10 rows»"]


@pytest.mark.parametrize(
    "tests",
    [
        "[{vars: {a: [x, y], b: [1, 2]}}]",
        "[{vars: {a: [x, y], c: [x, y, z]}, options: {disableVarExpansion: true}}]",
        "[{vars: {a: [x]}, prompts: [short], providers: ['open*']}, {vars: {a: x}}]",
        "[{vars: {}, providers: []}]",
        "more.csv",
        "[cases.yaml, {vars: {a: [x, y]}}]",
    ],
)
def test_rows_are_counted_as_promptfoo_makes_them(tmp_path: Path, tests: str) -> None:
    """They are counted without being made: both ways come to the same."""
    head = HEAD.replace("  threshold: 0.8", "  vars: {lang: [fr, de], a: [p, q, r]}")
    file = MarkedFile(
        tmp_path,
        f"{head}tests: {tests}\n",
        {
            "more.csv": "country\nItaly\n\nChina\n",
            "cases.yaml": "- vars: {a: [x, y], b: z}\n- vars: {b: z}\n",
        },
    )
    linked = file.file.linked(file.folder)
    assert isinstance(linked, LinkedConfiguration)
    counted, made = count_rows(linked), expand(linked, tmp_path / "promptfooconfig.yaml")
    assert (counted.rows, counted.is_open) == (made.count, made.is_open)


def test_hints_of_a_list_of_tests_are_its_own(tmp_path: Path) -> None:
    text = "- vars: {a: [x, y]}\n  assert: [{type: equals, value: x, weight: 3}, {type: is-json}]\n"
    found = MarkedFile(tmp_path, text, name="cases.yaml").hints()
    assert found == [
        "- vars: {a: [x, y] «2 rows»}",
        "assert: [{type: equals, value: x, weight: 3 «75% of the score»}, {type: is-json}]",
        "assert: [{type: equals, value: x, weight: 3}, {type: is-json «25% of the score»}]",
    ]
