"""A run has the same results with several processes as with one."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from support.running.site import Ran, Site, lines_of
from support.servers.openai import OpenAiServer  # pyright: ignore[reportMissingImports] - see conftest

#: What depends on time, or on the processes.
VARYING = {"run_id", "timestamp", "duration_ms"}
HEAD = """
execution: {target: program, repeats: 2, seed: 7}
prompt: Answer politely.
gates: ["pass_rate >= 10%"]
"""
CASES = """
- id: passes
  input: hello
  expected_outcome: x
  evaluators: [{name: has, type: contains, value: hello}]
- id: fails
  input: hello
  expected_outcome: x
  evaluators: [{name: has, type: contains, value: bye}]
- id: broken
  input: break
  expected_outcome: x
  evaluators: [{name: has, type: contains, value: hello}]
- {id: judged, input: hello, expected_outcome: x}
- id: scripted
  input: hello
  expected_outcome: x
  evaluators: [{name: own, type: code_judge, script: [python3, grade.py]}]
- id: with-a-file
  input: [{role: user, content: [{type: file, value: letter.txt}, {type: text, value: Read.}]}]
  expected_outcome: x
  evaluators: [{name: has, type: contains, value: letter.txt}]
- id: other-target
  input: hello
  expected_outcome: x
  execution: {target: mock}
  evaluators:
    - name: both
      type: composite
      evaluators:
        - {name: one, type: contains, value: hello}
        - {name: two, type: regex, value: h.llo}
      aggregator: {type: weighted_average}
"""
PROGRAM = """
import sys
asked = sys.stdin.read()
if "break" in asked: sys.exit("cannot answer")
print(asked)
"""
GRADE = """
import json, sys
given = json.load(sys.stdin)
print(json.dumps({"score": 0.5 if given["candidate_answer"] else 0.0, "hits": ["h"], "misses": []}))
"""


def comparable(value: Any) -> Any:
    """Return a record without what varies from run to run."""
    if isinstance(value, dict):
        return {name: comparable(it) for name, it in value.items() if name not in VARYING}
    return [comparable(it) for it in value] if isinstance(value, list) else value


def run(site: Site, number: str) -> tuple[Ran, list[Any]]:
    ran = site.run("a.eval.yaml", "--workers", number, "--output", f"{number}.jsonl")
    records = map(comparable, lines_of(site.root / f"{number}.jsonl"))
    return ran, sorted(records, key=lambda it: (it["eval_id"], it["repeat"]))


@pytest.mark.process
def test_records_summary_gates_and_exit_code_are_those_of_one_process(
    site: Site, openai_server: OpenAiServer
) -> None:
    openai_server.default = json.dumps(
        {"score": 0.9, "hits": ["polite"], "misses": [], "reasoning": "It is."}
    )
    command = site.program("answer.py", PROGRAM)
    targets = [
        {
            "name": "program",
            "provider": "cli",
            "command_template": command,
            "judge_target": "judge",
        },
        {
            "name": "judge",
            "provider": "openai",
            "model": "judge-1",
            "api_base": openai_server.url,
            "api_key": "${{ KEY_OF_JUDGE }}",
        },
    ]
    site.write("targets.yaml", json.dumps({"targets": targets}))
    site.write("grade.py", GRADE)
    site.write("letter.txt", "Dear all\n")
    site.suite(CASES, HEAD)
    environ = {"KEY_OF_JUDGE": "sk-of-the-judge-0123456789"}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environ.items():
            patch.setenv(name, value)
        one, records_of_one = run(site, "1")
        three, records_of_three = run(site, "3")
    assert len(records_of_one) == 14
    assert records_of_three == records_of_one
    assert three.code == one.code
    tail = [_summary(it.out) for it in (one, three)]
    assert tail[0] == tail[1]
    assert all(
        it.headers["authorization"] == "Bearer sk-of-the-judge-0123456789"
        for it in openai_server.requests
    )


def _summary(out: str) -> list[str]:
    """Return the lines below the cases, without times and file names."""
    lines = out[out.index("Scores") :].splitlines()
    return [
        re.sub(r"\d\.jsonl", "", it)
        for it in lines
        if "took" not in it and not it.startswith("Time")
    ]
