"""Names that no file system takes, wherever somebody may write one: nothing lies there."""

from __future__ import annotations

import json
import sys

import pytest

from support.running.processes import suitecase
from support.running.site import Site

LONG = "n" * 300


def test_a_program_may_be_a_word_of_a_command_line(site: Site) -> None:
    code = f"print('{json.dumps({'score': 1})}')  # {LONG}"
    case = {"id": "one", "input": "x", "expected_outcome": "y"}
    judge = {"name": "e", "type": "code_judge", "script": [sys.executable, "-c", code]}
    site.write("a.eval.yaml", json.dumps({"evalcases": [{**case, "evaluators": [judge]}]}))
    ran = site.run("a.eval.yaml")
    assert ran.code == 0, ran.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", "a.eval.yaml", "--resume", f"{LONG}.jsonl"),
        ("run", "a.eval.yaml", "--replay", f"{LONG}.jsonl"),
        ("run", "a.eval.yaml", "--output", f"{LONG}.jsonl"),
        ("run", "a.eval.yaml", "--failed", "--output", f"{LONG}/"),
        ("run", f"{LONG}.eval.yaml"),
        ("run", f"{LONG}.eval.yaml::one"),
        ("check", f"{LONG}.eval.yaml"),
        ("report", f"{LONG}.jsonl"),
    ],
    ids=lambda it: " ".join(it).replace(LONG, "LONG"),
)
def test_an_argument_is_not_there(site: Site, arguments: tuple[str, ...]) -> None:
    site.suite("- {id: one, expected_outcome: x, input: x}", "execution: {target: mock}")
    ended = suitecase(*arguments, cwd=site.root)
    assert ended.returncode in (2, 3), ended.stderr
    assert LONG in ended.stderr
    assert "Traceback" not in ended.stderr
