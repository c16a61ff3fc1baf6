"""JSON files of promptfoo with escapes that YAML does not have: they are read as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from suitecase.checking.check import check_text
from suitecase.format.workspace import Workspace

TESTS: list[dict[str, Any]] = [
    {"vars": {"mood": "\U0001f600"}, "assert": [{"type": "contains", "value": "\U0001f44b"}]},
    {"vars": {"mood": "sad"}, "assert": [{"type": "contans", "value": "x"}]},
]
CONFIGURATION: dict[str, Any] = {
    "prompts": ["Greet somebody who is {{mood}}"],
    "providers": ["echo"],
    "tests": TESTS,
}


def _found(path: Path, value: object) -> list[tuple[str, str]]:
    text = json.dumps(value, indent=2)  # with each emoji escaped in two halves
    assert "\\ud83d" in text
    path.write_text(text, "utf-8")
    analysis = check_text(path, text, Workspace(path.parent))
    assert analysis.failures == []
    return [
        (it.rule.name, text[it.span.start : it.span.end])
        for it in analysis.findings
        if it.severity == "error"
    ]


@pytest.mark.parametrize(
    ("name", "value"), [("promptfooconfig.json", CONFIGURATION), ("tests.json", TESTS)]
)
def test_escaped_emojis_are_no_errors_and_mistakes_are_found_at_their_places(
    tmp_path: Path, name: str, value: object
) -> None:
    assert _found(tmp_path / name, value) == [("unknown-assertion-type", '"contans"')]


def test_tests_in_such_a_file_are_known_to_the_configuration(tmp_path: Path) -> None:
    (tmp_path / "tests.json").write_text(json.dumps(TESTS[:1]), "utf-8")
    text = json.dumps({**CONFIGURATION, "tests": "file://tests.json"})
    analysis = check_text(tmp_path / "promptfooconfig.json", text, Workspace(tmp_path))
    assert [it.rule.name for it in analysis.findings if it.severity != "info"] == []
