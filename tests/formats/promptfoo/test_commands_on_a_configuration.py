"""`suitecase show` on a promptfoo configuration, and what the other commands answer to one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.running.processes import suitecase

CONFIGURATION = """\
description: Capitals
prompts:
  - "Where is {{city}}?"
  - file://prompts/long.txt
providers:
  - {id: openai:gpt-4.1, label: big, config: {apiKey: sk-secret}}
defaultTest:
  vars: {tone: polite}
  options: {provider: {id: openai:gpt-4.1-mini, config: {apiKey: sk-secret}}}
  assert:
    - {type: llm-rubric, value: Is polite}
tests:
  - description: Rome
    vars: {city: [Rome, Roma]}
    assert:
      - {type: contains, value: Italy}
  - cities.csv
"""
FILES = {
    "promptfooconfig.yaml": CONFIGURATION,
    "prompts/long.txt": "Tell me at length where {{city}} is.",
    "cities.csv": "city,__expected,__description\nParis,contains:France,Paris\n",
    "list.yaml": "- vars: {city: Rome}\n  assert: [{type: contains, value: Italy}]\n",
    "evals/evals.json": '{"skill_name": "x", "evals": [{"id": 1, "prompt": "Hi", '
    '"expected_output": "Hello", "assertions": ["Says hello"]}]}\n',
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return tmp_path


def test_tests_are_shown_with_their_defaults_and_rows(folder: Path) -> None:
    shown = suitecase("show", "promptfooconfig.yaml", cwd=folder)
    assert shown.returncode == 0, shown.stderr
    lines = shown.stdout.splitlines()
    assert lines[0] == "promptfooconfig.yaml  promptfoo configuration, 6 rows"
    assert "  provider     big (openai:gpt-4.1)  promptfooconfig.yaml:6" in lines
    assert "#1 Rome  promptfooconfig.yaml:13" in lines
    assert "#2 Paris  cities.csv:2" in lines
    assert lines.count("  assert     llm-rubric  Is polite  from the default") == 2
    assert lines.count("  var        tone: polite") == 2
    assert sum(it.startswith("  row ") for it in lines) == 6
    assert "sk-secret" not in shown.stdout


def test_the_same_as_json(folder: Path) -> None:
    shown = suitecase("show", "promptfooconfig.yaml", "--format", "json", cwd=folder)
    found = json.loads(shown.stdout)
    assert (found["row_count"], found["has_unknown_tests"]) == (6, False)
    assert [it["label"] for it in found["prompts"]] == [
        "Where is {{city}}?",
        "prompts/long.txt: Tell me at length where {{city}} is.",
    ]
    first, second = found["tests"]
    assert first["vars"] == {"tone": "polite", "city": ["Rome", "Roma"]}
    assert [it["from"] for it in first["assert"]] == ["default", "test"]
    assert [row["vars"]["city"] for row in first["rows"]] == ["Rome", "Rome", "Roma", "Roma"]
    assert (second["file"], second["line"]) == ("cities.csv", 2)
    assert "sk-secret" not in shown.stdout


@pytest.mark.parametrize("name", ["Paris", "#2"])
def test_a_test_is_chosen_by_its_description_or_its_number(folder: Path, name: str) -> None:
    shown = suitecase("show", f"promptfooconfig.yaml::{name}", "--format", "json", cwd=folder)
    assert [it["name"] for it in json.loads(shown.stdout)["tests"]] == ["Paris"]


def test_a_test_that_does_not_exist_is_said_to_be_missing(folder: Path) -> None:
    shown = suitecase("show", "promptfooconfig.yaml::Lima", cwd=folder)
    assert shown.returncode == 2
    assert "promptfooconfig.yaml has no test `Lima`; a test is chosen by" in shown.stderr


def test_a_configuration_that_does_not_parse_is_not_shown(folder: Path) -> None:
    (folder / "promptfooconfig.yaml").write_text("prompts: [a\nproviders: [echo]\n")
    shown = suitecase("show", "promptfooconfig.yaml", cwd=folder)
    assert shown.returncode == 2
    assert "promptfooconfig.yaml does not parse; `suitecase check" in shown.stderr


@pytest.mark.parametrize(
    "command",
    [
        ("lock",),
        ("calibrate",),
        ("generate", "rubrics"),
    ],
)
def test_other_commands_say_which_ones_read_such_a_file(
    folder: Path, command: tuple[str, ...]
) -> None:
    done = suitecase(*command, "promptfooconfig.yaml", cwd=folder)
    assert done.returncode == 2
    assert (
        "it is a promptfoo configuration, which `check`, `show`, `run`, `convert` and editors read"
        in done.stderr
    )


@pytest.mark.parametrize(
    ("file", "what"),
    [
        (
            "list.yaml",
            "it is a list of tests in the manner of promptfoo, which `check` and editors",
        ),
        (
            "evals/evals.json",
            "it is the evals of an Agent Skill, which `check`, `run` and editors read",
        ),
    ],
)
def test_what_is_not_a_whole_suite_is_not_shown(folder: Path, file: str, what: str) -> None:
    shown = suitecase("show", file, cwd=folder)
    assert shown.returncode == 2
    assert what in shown.stderr
