"""Rubrics proposed by models: a server on the loopback interface that answers by the case.

Loading the library for models takes seconds, so one command serves all tests of this file.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from support.running.processes import suitecase
from support.servers.openai import Answer, OpenAiServer

KEY = "sk-suitecase-very-secret-0123456789"
CASES = ("good", "second-try", "down", "echo")
SUITE = "prompt: You sell shoes.\nevalcases:\n" + "".join(
    f"  - id: {it}\n    input: Asked by {it}\n    expected_outcome: Names Paris\n"
    "    expected_output: It is Paris.\n"
    for it in CASES
)


def proposal(text: str) -> str:
    return json.dumps({"rubrics": [{"id": "paris", "expected_outcome": text}]})


def behave(body: Mapping[str, Any]) -> Answer | str:
    """Answer as the question names the case."""
    asked = json.dumps(body["messages"])
    if "Asked by down" in asked:
        return Answer(status=500, error="out of order")
    if "Asked by second-try" in asked and "could not be used" not in asked:
        return proposal(" ")
    return proposal(f"Says {KEY}" if "Asked by echo" in asked else "Names Paris")


@dataclass(frozen=True)
class Generated:
    """What the command left."""

    ended: subprocess.CompletedProcess[str]
    server: OpenAiServer
    suite: str

    def questions(self, case: str) -> list[Mapping[str, Any]]:
        """Return what the model was asked about a case, in order."""
        bodies = (it.body for it in self.server.requests)
        return [it for it in bodies if f"Asked by {case}\\n" in json.dumps(it["messages"])]


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Generated]:
    """One command about a case of each kind."""
    folder = tmp_path_factory.mktemp("models")
    server = OpenAiServer()
    server.default = behave
    target = {
        "name": "model",
        "provider": "openai",
        "model": "gpt-4o-mini",
        "api_base": server.url,
        "api_key": "${{ SUITECASE_TEST_KEY }}",
        "retry": {"max_retries": 1, "initial_delay_ms": 1},
    }
    (folder / "targets.yaml").write_text(json.dumps({"targets": [target]}))
    suite = folder / "a.eval.yaml"
    suite.write_text(SUITE)
    ended = suitecase(
        *("generate", "rubrics", suite, "--target", "model"),
        env={"SUITECASE_TEST_KEY": KEY},
        cwd=folder,
    )
    yield Generated(ended, server, suite.read_text())
    server.close()


def test_what_could_be_had_is_written_and_the_rest_is_told(generated: Generated) -> None:
    written = "    rubrics:\n      - id: paris\n        expected_outcome: Names Paris\n"
    expected = SUITE
    for case in ("second-try", "down"):
        expected = expected.replace(f"  - id: {case}\n", f"{written}  - id: {case}\n")
    assert generated.suite == expected
    told = generated.ended.stderr
    assert "a.eval.yaml::down: the call failed: " in told
    assert "a.eval.yaml::echo: no rubrics: " in told
    assert "an item contains a secret of the environment" in told
    assert "a.eval.yaml: rubrics written for 2 of 4 cases; " in generated.ended.stdout
    assert generated.ended.returncode == 3


def test_a_model_is_told_what_it_needs_and_held_to_the_form(generated: Generated) -> None:
    (asked,) = generated.questions("good")
    system, user = asked["messages"]
    assert system["role"] == "system"
    for text in ("You sell shoes.", "Asked by good", "It is Paris.", "Names Paris"):
        assert text in user["content"]
    schema = asked["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["rubrics"]["items"]["required"][0] == "id"


def test_a_model_is_told_why_its_reply_could_not_be_used(generated: Generated) -> None:
    _, again = generated.questions("second-try")
    assert (
        "`expected_outcome` of item 1 must be a non-empty text"
        in (again["messages"][-1]["content"])
    )


def test_the_key_is_nowhere(generated: Generated) -> None:
    assert KEY not in generated.ended.stdout + generated.ended.stderr + generated.suite
