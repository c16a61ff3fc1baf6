"""Assertions by code and scripts grade as in promptfoo, and failing code is an error."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from suitecase_evaluators.answers.row import Row
from suitecase_evaluators.answers.sandbox_level import Level
from suitecase_evaluators.answers.score import Score, Verdict
from suitecase_evaluators.grade.registry import description_of, grade
from suitecase_evaluators.promptfoo.assertion import AssertionConfig
from suitecase_evaluators.promptfoo.grader import Refused
from suitecase_evaluators.promptfoo.reading import assertion_config
from suitecase_evaluators.targets.sandbox.confinement import Sandbox
from suitecase_evaluators.targets.scripting.bridges import Bridges
from suitecase_evaluators.targets.scripting.languages import PYTHON_VARIABLE
from support.running.evaluators import Judges, answer

HERE = Path(__file__).parent / "scripts"
GRADED = json.loads((HERE / "graded.json").read_text())


@pytest_asyncio.fixture
async def services(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Judges]:
    monkeypatch.setenv(PYTHON_VARIABLE, sys.executable)
    bridges = Bridges(Sandbox(scripts=Level.LIMITS))
    yield Judges(bridges=bridges)
    await bridges.close()


def read(assertion: dict[str, Any]) -> AssertionConfig:
    config = assertion_config(assertion, name="assertion")
    assert isinstance(config, AssertionConfig), config
    return config


async def score_of(
    assertion: dict[str, Any], text: str, services: Judges, folder: Path = HERE
) -> Score:
    row = Row(
        dialect="promptfoo",
        test="greets",
        prompt_label="p",
        prompt=text,
        provider="echo",
        variables={"text": text},
        settings={"metadata": {"row": 1}},
        environment={"MODE": "fast"},
    )
    return await grade(read(assertion), answer(text, row=row, folder=folder), services)


def outcome(score: Score) -> list[Any] | None:
    if score.verdict is Verdict.ERROR:
        assert score.error
        return None
    given = score.details.get("given_score", score.score)
    reason = score.reasoning.removesuffix("; with a weight of 0 that passes")
    return [score.verdict is Verdict.PASS, given, reason]


async def test_code_grades_as_in_promptfoo(services: Judges) -> None:
    different: list[Any] = []
    for row in GRADED["rows"]:
        for text, expected in zip(GRADED["texts"], row["graded"], strict=True):
            found = outcome(await score_of(row["assertion"], text, services))
            if found is not None and expected is not None:
                found[1] = pytest.approx(found[1])
                if expected[2] is None or expected[2] == "":
                    found[2] = expected[2]
            if found != expected:
                different.append((row["assertion"], text, found, expected))
    assert not different


async def test_failing_code_is_an_error_that_names_the_line(services: Judges) -> None:
    broken = {"type": "javascript", "value": "const a = 1;\nreturn a.b.c"}
    score = await score_of(broken, "x", services)
    assert score.error is not None
    assert score.error.startswith("the JavaScript failed: TypeError: Cannot read properties of")
    assert score.error.endswith("(line 2 of the code)")
    assert score.sandbox is Level.LIMITS
    script = {"type": "python", "value": "file://checks.py:raises"}
    score = await score_of(script, "x", services)
    assert score.error == "`checks.py` failed: KeyError: 'nothing' (checks.py:26)"
    inline = {"type": "python", "value": "import json\nreturn json.loads(output)"}
    score = await score_of(inline, "{", services)
    assert score.error is not None
    assert score.error.endswith("(line 2 of the code)")
    useless = {"type": "python", "value": "None"}
    score = await score_of(useless, "x", services)
    assert score.error == (
        "the code returned None; it has to return true or false, a number, or {pass, score, reason}"
    )


async def test_code_receives_its_test_and_the_configured_environment(
    services: Judges,
) -> None:
    told = "return {'pass': True, 'score': 1, 'reason': "
    for code, reason in {
        "context['test']['description']": "greets",
        "str(context['test']['metadata']['row'])": "1",
        "context['provider']['id']": "echo",
        "context['providerResponse']['output']": "hi",
        "os.environ['MODE']": "fast",
        "str('SECRET' in os.environ)": "False",
    }.items():
        value = f"import os\n{told}{code}}}"
        score = await score_of({"type": "python", "value": value}, "hi", services)
        assert score.reasoning == reason


async def test_named_scores_and_scores_out_of_range_are_recorded(services: Judges) -> None:
    named = await score_of({"type": "python", "value": "file://checks.py"}, "hi", services)
    assert named.details == {"named_scores": {"length": 2}}
    beyond = await score_of({"type": "javascript", "value": "output.length"}, "hi", services)
    assert (beyond.score, beyond.details) == (1.0, {"given_score": 2.0})


@pytest.mark.parametrize(
    ("assertion", "command"),
    [
        ({"type": "javascript", "value": "true"}, ["node"]),
        ({"type": "python", "value": "file://a/b.py:check"}, ["python3", "a/b.py"]),
        ({"type": "not-python", "value": "file://a.ts"}, ["node", "a.ts"]),
    ],
)
def test_the_description_lists_the_programs_of_an_assertion(
    assertion: dict[str, Any], command: list[str]
) -> None:
    config = read(assertion)
    assert [it.line for it in description_of(config).commands(config)] == [command]


@pytest.mark.parametrize("value", ["package:checks:tone", "file://check.rb", "file://check.go:f"])
def test_scripts_in_other_languages_are_refused(value: str) -> None:
    refused = assertion_config({"type": "javascript", "value": value}, name="a")
    assert isinstance(refused, Refused)
    assert value in refused.message
