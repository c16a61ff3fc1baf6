"""Prompts, targets and references under `judges` are checked as those of evaluators are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.running.commands import CommandSite

CASE = {"id": "one", "input": "Hi", "expected_outcome": "Says hello", "expected_output": "hello"}
RUBRICS = {"rubrics": ["Says hello"]}
TONE = {"evaluators": [{"name": "tone", "type": "llm_judge", "rubrics": ["Is warm"]}]}
PREFERENCE = {"evaluators": [{"name": "tone", "type": "preference", "against": "reference"}]}
BOTH = "{{ first_answer }} or {{ second_answer }}?"


@pytest.fixture
def site(tmp_path: Path) -> CommandSite:
    site = CommandSite(tmp_path)
    site.write("targets.yaml", "targets:\n  - {name: judge, provider: mock}\n")
    site.write("tone.md", "Is {{ candidate_answer }} warm?")
    site.write("empty.md", "")
    return site


@pytest.mark.parametrize(
    ("judges", "case", "found"),
    [
        ({"rubric": {"prompt": "gone/tone.md"}}, RUBRICS, ["SC301 file `gone/tone.md` not found"]),
        ({"rubric": {"references": ["tone.md", "gone.md"]}}, RUBRICS, ["SC301 file `gone.md`"]),
        ({"rubric": {"target": "jugde"}}, RUBRICS, ["SC501 target `jugde` is not defined"]),
        ({"rubric": {"prompt": "tone.md"}}, RUBRICS, ["SC304 `tone.md` does not contain"]),
        ({"tone": {"prompt": "empty.md"}}, TONE, ["SC305 this prompt file is empty"]),
        ({"tone": {"prompt": "Is it {{ warm }}, {{ answer }}?"}}, TONE, ["SC302", "SC619"]),
        ({"tone": {"prompt": "Is {{ question }} warm?"}}, TONE, ["SC303"]),
        ({"tone": {"prompt": "Is {{ candidate_answer }} {{ rubrics }}?"}}, TONE, []),
        ({"tone": {"prompt": f"Which is better, {BOTH}"}}, PREFERENCE, []),
        ({"tone": {"prompt": "Is {{ first_answer }} better?"}}, PREFERENCE, ["SC303"]),
    ],
)
def test_settings_are_checked(
    site: CommandSite, judges: dict[str, Any], case: dict[str, Any], found: list[str]
) -> None:
    suite = {"execution": {"target": "mock"}, "judges": judges, "evalcases": [{**CASE, **case}]}
    site.write("a.eval.yaml", json.dumps(suite))
    ran = site.run("check", "a.eval.yaml", "--format", "json")
    messages = sorted(f"{it['code']} {it['message']}" for it in json.loads(ran.out)["findings"])
    messages = [it for it in messages if not it.startswith("SC8")]
    assert len(messages) == len(found), messages
    assert all(it.startswith(start) for it, start in zip(messages, found, strict=True)), messages
