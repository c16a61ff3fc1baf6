"""What is offered in a configuration of promptfoo and in a list of tests, and what comes of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from suitecase.editor.completion import rendered
from support.ide.marked_dialect import MarkedFile

Marked = Callable[..., MarkedFile]

HEAD = """\
prompts:
  - What is the capital of {{country}}? {{tone}}
  - id: file://prompts/short.txt
    label: short
providers:
  - openai:gpt-4.1
  - id: echo
    label: same
"""
TESTS = f"""\
{HEAD}tests:
  - vars:
      country: France
    assert:
      - type: contains
        value: Paris
"""
FILES = {
    "prompts/short.txt": "{{country}}?\n",
    "tests/more.csv": "a\n1\n",
    "grade.py": "\n",
    "grade.js": "\n",
}


@pytest.fixture
def marked(tmp_path: Path) -> Marked:
    """Makes files in a folder with prompts, tests and scripts."""

    def make(text: str, name: str = "promptfooconfig.yaml") -> MarkedFile:
        return MarkedFile(tmp_path, text, FILES, name=name)

    return make


def test_keys_fit_their_place_and_leave_out_those_that_are_there(marked: Marked) -> None:
    labels = marked(f"{HEAD}▮").labels()
    assert labels[:3] == ["description", "defaultTest", "tests"]
    assert not {"prompts", "targets", "$schema"} & set(labels)
    labels = marked(TESTS.replace("    assert", "    ▮\n    assert")).labels()
    assert labels[0] == "description"
    assert "options" in labels
    assert not {"vars", "assert", "prompts:"} & set(labels)
    assert "maxConcurrency" in marked(f"{HEAD}evaluateOptions:\n  ▮").labels()
    assert "disableVarExpansion" in marked(f"{TESTS}    options:\n      ▮").labels()
    assert marked(f"{HEAD}    ▮").labels()[:2] == ["prompts", "config"]
    assert marked(f"{HEAD}▮").item("tests").documentation.startswith("**`tests`**")


def test_keys_begin_the_list_or_the_mapping_below_them(marked: Marked) -> None:
    assert marked(f"{HEAD}▮").accepted("tests").endswith("tests:\n  - ")
    assert marked(f"{HEAD}def▮").accepted("defaultTest").endswith("\ndefaultTest:\n  ")
    assert (
        marked(f"{HEAD}defaultTest: ▮")
        .accepted("assert")
        .endswith("defaultTest:\n  assert:\n    - type: ")
    )
    assert marked(f"{HEAD}tests:\n  - ▮").accepted("vars").endswith("  - vars:\n      ")


def test_keys_of_an_assertion_are_those_of_its_type(marked: Marked) -> None:
    assert "threshold" not in marked(f"{TESTS}        ▮").labels()
    labels = marked(f"{TESTS}      - type: latency\n        ▮").labels()
    assert "threshold" in labels
    assert not {"value", "provider", "rubricPrompt", "alpha"} & set(labels)
    assert "rubricPrompt" in marked(f"{TESTS}      - type: llm-rubric\n        ▮").labels()
    assert "alpha" in marked(f"{TESTS}      - type: meteor\n        ▮").labels()


@pytest.mark.parametrize(
    ("label", "written"),
    [
        ("contains", "- type: contains\n        value: "),
        ("latency", "- type: latency\n        threshold: "),
        ("contains-any", "- type: contains-any\n        value: []"),
        ("is-json", "- type: is-json"),
        ("not-icontains", "- type: not-icontains\n        value: "),
        ("assert-set", "- type: assert-set\n        assert:\n          - type: "),
    ],
)
@pytest.mark.parametrize("begun", ["- ▮", "- type: ▮"])
def test_types_bring_the_keys_they_need(
    marked: Marked, label: str, written: str, begun: str
) -> None:
    file = marked(f"{TESTS}      {begun}")
    assert file.accepted(label) == f"{TESTS}      {written}"
    assert file.item(label).documentation.startswith(f"**`{label}`**")


def test_a_type_beside_its_value_is_only_replaced(marked: Marked) -> None:
    file = marked(TESTS.replace("type: contains", "type: con▮"))
    assert file.accepted("icontains") == TESTS.replace("contains", "icontains")


def test_types_that_cannot_be_negated_have_no_negated_form(marked: Marked) -> None:
    labels = marked(f"{TESTS}      - ▮").labels()
    assert "select-best" in labels
    assert "not-select-best" not in labels
    labels = marked(f"{TESTS}      - type: assert-set\n        assert:\n          - ▮").labels()
    assert "assert-set" not in labels


def test_variables_are_offered_as_keys_and_in_templates(marked: Marked) -> None:
    file = marked(TESTS.replace("country: France", "country: France\n      ▮"))
    assert file.labels()[0] == "tone"
    assert "country" not in file.labels()
    assert "      tone: \n    assert" in file.accepted("tone")
    file = marked(TESTS.replace("value: Paris", "value: in {{ c▮ }}"))
    assert file.accepted("country") == TESTS.replace("Paris", "in {{ country }}")
    assert "- `France`" in file.item("country").documentation
    file = marked(TESTS.replace("value: Paris", "value: '{{▮'"))
    assert "'{{ country }}'" in file.accepted("country")
    assert "tone" in file.labels()
    assert "country" in marked(TESTS.replace("{{tone}}", "{% if c▮")).labels()
    for begun in ("{{c▮", "{{ 1▮"):
        accepted = marked(TESTS.replace("{{tone}}", begun)).accepted("country")
        assert accepted.splitlines()[1].endswith("country }}")
    assert "{% if country %}" in marked(TESTS.replace("{{tone}}", "{% if c▮ %}")).accepted(
        "country"
    )


def test_filters_and_names_of_the_environment_are_offered(marked: Marked, tmp_path: Path) -> None:
    file = marked(TESTS.replace("{{tone}}", "{{ tone | up▮ }}"))
    assert "{{ tone | upper }}" in file.accepted("upper")
    (tmp_path / ".env").write_text("# no\nTOKEN=secret\n")
    file = marked(TESTS.replace("{{tone}}", "{{ env.▮"))
    assert file.labels(".") == ["TOKEN"]
    assert not file.item("TOKEN").documentation
    assert marked(TESTS.replace("Paris", "e.▮")).labels(".") == []


def test_paths_are_those_that_fit_their_place(marked: Marked) -> None:
    labels = marked(HEAD.replace("  - id:", "  - ▮\n  - id:")).labels()
    assert "file://prompts/" in labels
    assert "file://promptfooconfig.yaml" not in labels
    file = marked(HEAD.replace("  - id:", "  - file://prompts/▮\n  - id:"))
    assert "- file://prompts/short.txt\n" in file.accepted("short.txt")
    assert marked(f"{HEAD}tests: tests/▮").labels() == ["more.csv"]
    python = f"{TESTS}      - type: python\n        value: ▮"
    assert "file://grade.py" in marked(python).labels()
    assert "file://grade.js" not in marked(python).labels()
    assert "file://grade.js" in marked(python.replace("python", "javascript")).labels()


def test_ids_of_providers_and_labels_for_filters(marked: Marked) -> None:
    file = marked(HEAD.replace("openai:gpt-4.1", "openai:▮"))
    assert "openai:gpt-5" in file.labels()
    assert "  - openai:gpt-5\n" in file.accepted("openai:gpt-5")
    assert "prompts" not in file.labels()
    assert "anthropic:messages:claude-sonnet-5" in marked(f"{TESTS}    provider: ▮").labels()
    assert "python:provider.py\n" in marked(HEAD.replace("openai:gpt-4.1", "p▮")).accepted(
        "python:"
    )
    assert marked(f"{TESTS}    providers:\n      - ▮").labels() == ["openai:gpt-4.1", "same"]
    assert "short" in marked(f"{TESTS}    prompts: [▮]").labels()


def test_switches_have_two_words_and_texts_have_none(marked: Marked) -> None:
    file = marked(f"{TESTS}    options:\n      disableDefaultAsserts: ▮")
    assert file.labels() == ["true", "false"]
    assert marked(f"{TESTS}    description: ▮").labels() == []
    assert marked(f"{HEAD}▮").accepted("description").endswith("description: ")


@pytest.mark.parametrize("begun", ["tests:\n  - ▮", "tests:\n  ▮", "tests: ▮"])
def test_a_test_sets_what_prompts_use(marked: Marked, begun: str) -> None:
    written = marked(f"{HEAD}{begun}").accepted("test")
    assert "vars:\n" in written
    dash = written.index("- vars") - written.rindex("\n", 0, written.index("- vars")) - 1
    inner = " " * (dash + 2)
    assert f"{inner}  country: \n{inner}  tone: \n{inner}assert:\n" in written


def test_another_test_begins_below_the_last(marked: Marked) -> None:
    for begun in ("  ▮", "▮", "  - ▮"):
        assert f"{TESTS}  - vars:\n      country: " in marked(TESTS + begun).accepted("test")
    listed = "- vars: {a: 1}\n  assert:\n    - type: equals\n      value: 1\n"
    file = marked(f"{listed}- ▮", "cases.yaml")
    assert f"{listed}- vars:\n    a: \n  assert:\n" in file.accepted("test")


def test_an_empty_file_is_offered_a_configuration(marked: Marked) -> None:
    written = marked("▮").accepted("configuration")
    assert written.startswith("# yaml-language-server: $schema=")
    assert "\ntests:\n  - vars:\n      question: \n" in written
    assert "configuration" not in marked(f"{HEAD}▮").labels()


def test_nothing_is_offered_where_nothing_begins(marked: Marked) -> None:
    assert marked(TESTS.replace("  - vars", " ▮ - vars")).labels() == []
    assert marked(TESTS.replace("Paris", "Paris is ▮")).labels(" ") == []
    dotted = marked(HEAD.replace("openai:gpt-4.1", "openai:gpt-4.▮"))
    assert dotted.labels()
    assert dotted.labels(".") == []
    assert marked(f"{TESTS}# suite▮").labels() == ["suitecase: ignore[…]"]


def test_an_anchor_is_offered_as_alias(marked: Marked) -> None:
    text = TESTS.replace("vars:", "vars: &one") + "  - vars: *▮\n"
    assert marked(text).labels("*") == ["one"]


def test_json_is_completed_with_quotes(marked: Marked) -> None:
    text = '{"prompts": ["x"], "providers": ["echo"],\n "tests": [{"assert": [{"type": "▮"}]}]}'
    file = marked(text, "promptfooconfig.json")
    assert '{"type": "contains"}' in file.accepted("contains")
    item = file.item("latency")
    assert rendered(item.template, newline="\n") == "latency"


def test_rules_to_silence_are_those_of_the_file(marked: Marked) -> None:
    labels = marked(f"{TESTS}# suitecase: ignore[▮]").labels()
    assert "PF201" in labels
    assert "SC007" in labels
    assert not {"SC201", "AS001"} & set(labels)


@pytest.mark.parametrize(
    ("place", "label", "written"),
    [
        ('"tests"', "defaultTest", '"defaultTest": {}'),
        ('"tests"', "description", '"description": ""'),
        ('"vars": {"a"', "assert", '"assert": []'),
        ('"x": "1"', "b", '"b": ""'),
    ],
)
def test_keys_in_json_begin_a_value_on_their_line(
    marked: Marked, place: str, label: str, written: str
) -> None:
    text = '{"prompts": ["{{b}}"], "tests": [{"vars": {"a": "1", "x": "1"}}]}'
    text = text.replace(place, f'"▮", {place}')
    assert f"{written}, {place}" in marked(text, "promptfooconfig.json").accepted(label)
