"""Prompts that a program writes; the programs are real ones."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from suitecase_evaluators.answers.score import Verdict
from suitecase_evaluators.grade.judge import llm_judging
from support.evaluators.scripted_judge import (
    ScriptedJudge,
    checks,
    judged,
    satisfied,
    subject,
    verdict,
)

WRITES_ALL = """
import json, sys
case = json.load(sys.stdin)
print(json.dumps(case))
"""


def script(folder: Path, code: str) -> list[str]:
    (folder / "prompt.py").write_text(code, encoding="utf-8")
    return [sys.executable, "prompt.py"]


async def test_a_script_writes_the_prompt_from_the_case(tmp_path: Path) -> None:
    code = """
import json, sys
case = json.load(sys.stdin)
print(json.dumps(list(case)))
print(case["candidate_answer"], case["config"], case["rubrics"][0]["id"])
print(case["input_messages"][0]["role"], case["output_messages"][0]["content"])
"""
    judge = ScriptedJudge(checks(satisfied("tone")))
    score = await judged(
        judge,
        subject(folder=tmp_path, candidate_answer="Grüße {{ question }}"),
        prompt={"script": script(tmp_path, code), "config": {"strict": True}},
        rubrics=[{"id": "tone", "expected_outcome": "is polite"}],
    )
    assert score.score == 1.0
    fields, answer, messages = judge.asked[0].turns[1].text.splitlines()
    assert set(json.loads(fields)) >= {
        "question",
        "expected_outcome",
        "reference_answer",
        "candidate_answer",
        "input_messages",
        "expected_messages",
        "output_messages",
        "rubrics",
        "config",
    }
    # What the script wrote is not a template: the answer's braces stay.
    assert answer == "Grüße {{ question }} {'strict': True} tone"
    assert messages == "user It is Paris."


async def test_a_script_without_a_configuration_gets_the_evaluators(tmp_path: Path) -> None:
    judge = ScriptedJudge(verdict())
    prompt = {"script": script(tmp_path, WRITES_ALL)}
    await judged(judge, subject(folder=tmp_path), prompt=prompt, config={"level": 3})
    assert '"config": {"level": 3}' in judge.asked[0].turns[1].text


async def test_a_script_may_be_a_command_line_in_the_suites_folder(tmp_path: Path) -> None:
    (tmp_path / "judge.txt").write_text("from the folder", encoding="utf-8")
    judge = ScriptedJudge(verdict())
    prompt = {"script": "cat judge.txt && echo ."}
    await judged(judge, subject(folder=tmp_path), prompt=prompt)
    assert judge.asked[0].turns[1].text == "from the folder.\n"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import sys; sys.exit('no template')", "exit code 1: no template"),
        ("pass", "wrote nothing to stdout"),
    ],
)
async def test_a_script_that_fails_is_an_error_and_no_score(
    tmp_path: Path, code: str, said: str
) -> None:
    judge = ScriptedJudge()
    prompt = {"script": script(tmp_path, code)}
    score = await judged(judge, subject(folder=tmp_path), prompt=prompt)
    assert (score.verdict, score.score) == (Verdict.ERROR, None)
    assert score.error is not None
    assert said in score.error
    assert "`quality`" in score.error
    assert judge.asked == []


async def test_a_script_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    prompt = {"script": ["no-such-program-anywhere"]}
    score = await judged(ScriptedJudge(), subject(folder=tmp_path), prompt=prompt)
    assert score.verdict is Verdict.ERROR
    assert score.error is not None
    assert "no-such-program-anywhere" in score.error


async def test_a_script_that_does_not_end_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(llm_judging, "SCRIPT_SECONDS", 0.2)
    prompt = {"script": ["sleep", "60"]}
    score = await judged(ScriptedJudge(), subject(folder=tmp_path), prompt=prompt)
    assert score.verdict is Verdict.ERROR
    assert score.error is not None
    assert "stopped after 0.2 s" in score.error
