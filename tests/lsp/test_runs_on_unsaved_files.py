"""Runs use the unsaved text of open files, and report where they cannot."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from support.lsp.client import RawClient
from support.running.processes import write

Start = Callable[[], Awaitable[RawClient]]
SUITE = """\
evalcases:
  - id: asked
    input:
      - role: user
        content: [{type: file, value: question.md}]
    expected_outcome: Answers
    evaluators: [{name: word, type: contains, value: zebra}]
"""
SCRIPTED = """\
evalcases:
  - id: scripted
    input: Hi
    expected_outcome: Answers
    evaluators: [{name: script, type: code_judge, script: [python3, grade.py]}]
"""
GRADE = 'print(\'{"score": 1, "hits": ["saved"], "misses": [], "reasoning": "-"}\')\n'
REFRESHED: dict[str, Any] = {"workspace": {"codeLens": {"refreshSupport": True}}}


@pytest.fixture
async def client(start: Start, tmp_path: Path) -> RawClient:
    client = await start()
    await client.initialize(REFRESHED, root=tmp_path)
    return client


def verdicts(answer: Any) -> list[str]:
    return [it["verdict"] for it in answer["cases"]]


async def test_files_that_cases_send_count_as_they_are_typed(
    client: RawClient, tmp_path: Path
) -> None:
    suite = write(tmp_path, "a.eval.yaml", SUITE).as_uri()
    question = write(tmp_path, "question.md", "What is a horse?\n").as_uri()
    client.open(suite, SUITE)
    assert verdicts(await client.run("runSuite", suite)) == ["fail"]
    client.open(question, "What is a horse?\n", language="markdown")
    client.change(question, 2, {"text": "What is a zebra?\n"})
    # The result is of another question now: that is seen once the typing pauses.
    assert "stale" in (await client.lenses(suite, "stale"))[1]
    assert verdicts(await client.run("runSuite", suite)) == ["rehearsed"]
    assert "stale" not in (await client.lenses(suite, "○"))[1]
    # What is not saved is gone with the document, and with it what the result was of.
    client.notify("textDocument/didClose", {"textDocument": {"uri": question}})
    assert "stale" in (await client.lenses(suite, "stale"))[1]


async def test_targets_count_as_they_are_typed(client: RawClient, tmp_path: Path) -> None:
    text = SUITE.replace("evalcases:", "execution: {target: canned}\nevalcases:", 1)
    suite = write(tmp_path, "a.eval.yaml", text).as_uri()
    write(tmp_path, "question.md", "What is that?\n")
    saved = "targets:\n  - {name: canned, provider: mock, response: a horse}\n"
    targets = write(tmp_path, "targets.yaml", saved).as_uri()
    client.open(suite, text)
    client.open(targets, saved)
    client.change(targets, 2, {"text": saved.replace("horse", "zebra")})
    assert verdicts(await client.run("runSuite", suite)) == ["rehearsed"]
    assert (tmp_path / "targets.yaml").read_text("utf-8") == saved


async def test_a_script_runs_as_it_is_saved_and_that_is_said_once(
    client: RawClient, tmp_path: Path
) -> None:
    suite = write(tmp_path, "a.eval.yaml", SCRIPTED).as_uri()
    script = write(tmp_path, "grade.py", GRADE).as_uri()
    client.open(suite, SCRIPTED)
    client.open(script, "raise SystemExit(1)\n", language="python")
    for _ in range(2):
        assert verdicts(await client.run("runSuite", suite)) == ["rehearsed"]
    said = [
        it["params"]["message"]
        for it in client.received
        if it["method"] == "window/showMessage" and "not saved" in it["params"]["message"]
    ]
    assert said == [
        "grade.py is not saved: a program runs or reads it, so the file on disk is used"
    ]
