"""Scenario "LLM judge protocol with calibration", from the protocol of a judge to a published bundle.

The suite has the judge's prompt, temperature, references, rule for quotes, calibration and probes. A change of
any of them makes the calibration outdated, and nothing is published until the judge is compared again.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from suitecase.evidence.labels.digests import answer_digest
from support.running.commands import CommandSite
from support.running.site import Ran
from support.servers.openai import (  # pyright: ignore[reportMissingImports] - see tests/conftest.py
    OpenAiServer,
)

SUITE = """\
dataset: support
version: "2026.2"
execution: {target: bot}
judges:
  rubric:
    prompt: judge.md
    target: judge
    temperature: 0
    references: [policy.md]
    quotes: required
    calibration: rubric.calibration.json
    probes: [repeat, length, empty]
human:
  rubric: {labels: [labels.csv]}
gates:
  - human.rubric.alpha >= 0.667
  - lower(judges.rubric.kappa) >= 0.6
  - judges.rubric.flips <= 5%
  - corrected(rubric.pass_rate) >= 20%
evalcases:
"""
CASE = """\
  - id: case-{number}
    input: Where is refund {number}?
    expected_outcome: Says when it comes
    rubrics: [{{id: when, expected_outcome: Says when the refund comes}}]
"""
PROMPT = """\
Judge the answer by the policy.
{{ references }}
Question: {{ question }}
Answer: {{ candidate_answer }}
{{ rubrics }}
"""
NUMBERS = range(1, 31)
_ANSWER = re.compile(r"Refund (\d+) comes within \w+ days")


def _answer(number: int) -> str:
    return f"Refund {number} comes within five days." if number % 2 else "Please be patient."


def _judge(body: Mapping[str, Any]) -> str:
    """Grade as people do, with a quote."""
    found = _ANSWER.search("\n".join(it["content"] for it in body["messages"]))
    check = {"id": "when", "reasoning": "So it is.", "satisfied": found is not None}
    quoted = {**check, "quote": found[0] if found is not None else ""}
    return json.dumps({"checks": [quoted], "overall_reasoning": ""})


class _Desk(CommandSite):
    """The suite with labels of its answers."""

    def is_set_up(self, url: str) -> None:
        answers = {f"case-{it}": _answer(it) for it in NUMBERS}
        bot = {"name": "bot", "provider": "mock", "response": answers, "judge_target": "judge"}
        judge = {"name": "judge", "provider": "openai", "model": "gpt-judge-2026-01-01"}
        judge |= {"api_base": url, "api_key": "none"}
        self.write("targets.yaml", json.dumps({"targets": [bot, judge]}))
        self.write("judge.md", PROMPT)
        self.write("policy.md", "A refund comes within five days.\n")
        self.write("support.eval.yaml", SUITE + "".join(CASE.format(number=it) for it in NUMBERS))
        rows = [
            f"case-{it},{answer_digest(_answer(it))},when,{rater},{'true' if it % 2 else 'false'}"
            for it in NUMBERS
            for rater in ("ann", "ben")
        ]
        self.write("labels.csv", "\n".join(["case,answer,item,rater,value", *rows, ""]))

    def publishes(self) -> tuple[Ran, set[str]]:
        ran = self.run("publish", "run.jsonl", "--format", "json")
        return ran, {it["kind"] for it in json.loads(ran.out)["conditions"]}


@pytest.fixture
def desk(tmp_path: Path, openai_server: OpenAiServer) -> _Desk:
    openai_server.default = _judge
    desk = _Desk(tmp_path)
    desk.is_set_up(openai_server.url)
    return desk


@pytest.fixture(scope="module")
def calibrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a suite with a run and a calibrated judge, which nobody asks any more."""
    server = OpenAiServer()
    server.default = _judge
    desk = _Desk(tmp_path_factory.mktemp("calibrated"))
    desk.is_set_up(server.url)
    _has_run(desk)
    assert desk.run("calibrate", "support.eval.yaml").code == 0
    server.close()
    return desk.root


def _has_run(desk: _Desk) -> None:
    ran = desk.run("run", "support.eval.yaml", "--output", "run.jsonl")
    assert ran.code in (0, 3), ran.out + ran.err


def test_a_judge_that_was_not_compared_with_people_publishes_nothing(desk: _Desk) -> None:
    _has_run(desk)
    assert desk.run("lock", "support.eval.yaml").code == 0

    assert desk.run("gate", "run.jsonl").code == 3, "gates on the judge are undecided"
    ran, kinds = desk.publishes()
    assert (ran.code != 0, "judge" in kinds) == (True, True)


def test_a_calibrated_judge_is_published_with_its_whole_protocol(
    desk: _Desk, openai_server: OpenAiServer
) -> None:
    _has_run(desk)
    openai_server.requests.clear()
    ran = desk.run("calibrate", "support.eval.yaml")
    assert ran.code == 0, ran.out + ran.err
    asked = json.dumps([it.body for it in openai_server.requests])
    assert "A refund comes within five days." in asked
    assert {it.body["temperature"] for it in openai_server.requests} == {0}
    assert desk.run("check", "support.eval.yaml").code == 0
    assert desk.run("lock", "support.eval.yaml").code == 0
    assert desk.run("gate", "run.jsonl").code == 0

    ran, kinds = desk.publishes()
    assert (ran.code, kinds) == (0, set()), ran.out
    manifest = json.loads((desk.root / "support-2026.2" / "manifest.json").read_text("utf-8"))
    locked = manifest["lock"]["judges"]["rubric"]
    assert locked["hash"]
    assert locked["calibration"]
    text = json.dumps(manifest["judges"])
    for part in ("judge.md", "policy.md", "required", "repeat", "gpt-judge-2026-01-01"):
        assert part in text, part


@pytest.mark.parametrize(
    ("file", "before", "after"),
    [
        ("judge.md", "by the policy", "strictly by the policy"),
        ("policy.md", "five days", "ten days"),
        ("support.eval.yaml", "temperature: 0", "temperature: 1"),
        ("targets.yaml", "gpt-judge-2026-01-01", "gpt-judge-2026-05-01"),
    ],
)
def test_a_change_of_the_protocol_makes_the_calibration_outdated(
    calibrated: Path, tmp_path: Path, file: str, before: str, after: str
) -> None:
    ignore = shutil.ignore_patterns(".git")
    desk = _Desk(shutil.copytree(calibrated, tmp_path / "desk", ignore=ignore))
    path = desk.root / file
    text = path.read_text("utf-8")
    assert before in text
    path.write_text(text.replace(before, after), "utf-8")

    checked = desk.run("check", "support.eval.yaml")
    assert "SC854" in checked.out, checked.out
    assert desk.run("gate", "run.jsonl").code == 3
    ran, kinds = desk.publishes()
    assert (ran.code != 0, "judge" in kinds) == (True, True)
