"""What counts as a change of a case for `--resume`, `--failed` and `--watch`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from suitecase.run.client import Worker
from support.running.site import Site, lines_of, records_of
from support.suites.counted_agent import CountedAgent

HEAD = "execution: {target: agent}\nprompt: {file: system.md}"
CASES = """
- id: one
  expected_outcome: x
  input: [{role: user, content: [{type: file, value: notes.txt}]}]
  evaluators: [{name: code, type: code_judge, script: python3 judge.py}]
- id: two
  expected_outcome: x
  input: x
  evaluators: [{name: judge, type: llm_judge, prompt: judge.md, target: critic}]
"""


def set_up(site: Site, **agent: Any) -> CountedAgent:
    agent_program = CountedAgent(site, **agent)
    critic = {"name": "critic", "provider": "mock", "response": '{"score": 1}'}
    targets = json.loads((site.root / "targets.yaml").read_text())["targets"]
    site.write("targets.yaml", json.dumps({"targets": [*targets, critic]}))
    site.write("system.md", "Be brief.")
    site.write("notes.txt", "The sky is blue.")
    site.write("judge.md", "Is {{ candidate_answer }} right?")
    site.write("judge.py", "print('{\"score\": 1}')")
    site.suite(CASES, HEAD)
    return agent_program


def replaced(name: str, old: str, new: str) -> Callable[[Site], None]:
    def change(site: Site) -> None:
        path = site.root / name
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))

    return change


#: What is changed, one after the other, and which cases are asked again for it.
CHANGES: tuple[tuple[Callable[[Site], None], set[str]], ...] = (
    (replaced("system.md", "brief", "long"), {"one", "two"}),
    (replaced("notes.txt", "blue", "red"), {"one"}),
    (replaced("judge.py", "1", "1.0"), {"one"}),
    (replaced("judge.md", "right", "good"), {"two"}),
    (replaced("targets.yaml", '{\\"score\\": 1}', '{\\"score\\": 1.0}'), {"two"}),
    (replaced("targets.yaml", '"agent", ', '"agent", "files_format": "{path}", '), {"one", "two"}),
    (replaced("agent.py", "out of order", "broken"), {"one", "two"}),
    (replaced("targets.yaml", '"agent", ', '"agent", "workers": 2, '), set()),
    (replaced("a.eval.yaml", "- id: one", "# a remark\n  - id: one"), set()),
    (replaced("a.eval.yaml", "input: x", "input: 'x'  # quoted"), set()),
)


def test_what_is_asked_again(site: Site) -> None:
    agent = set_up(site)
    first = site.run("a.eval.yaml", "--output", "r.jsonl")
    assert first.code == 0, first.err
    assert agent.asked() == Counter(one=1, two=1)
    for number, (change, asked) in enumerate(CHANGES):
        change(site)
        ran = site.run("a.eval.yaml", "--resume", "r.jsonl")
        assert (number, set(agent.asked())) == (number, asked)
        assert ran.code == 0, ran.err
        assert ("changed, so rerun" in ran.err) == bool(asked)


def test_of_records_without_it_the_text_of_the_case_decides(site: Site) -> None:
    agent = set_up(site)
    site.run("a.eval.yaml", "--output", "r.jsonl")
    agent.asked()
    old = [{**record} for record in lines_of(site.root / "r.jsonl")]
    for record in old:
        del record["effective_hash"], record["input"], record["gate_failed"]
    (site.root / "r.jsonl").write_text("".join(f"{json.dumps(record)}\n" for record in old))
    replaced("system.md", "brief", "long")(site)
    assert site.run("a.eval.yaml", "--resume", "r.jsonl").code == 0
    assert not agent.asked()
    replaced("a.eval.yaml", "input: x", "input: another x")(site)
    assert site.run("a.eval.yaml", "--resume", "r.jsonl").code == 0
    assert agent.asked() == Counter(two=1)


def test_failed_says_what_passed_and_has_changed_since(site: Site) -> None:
    agent = set_up(site)
    agent.behave(fail=("one",))
    assert site.run("a.eval.yaml").code == 3
    agent.asked()
    agent.behave()
    ran = site.run("a.eval.yaml", "--failed")
    assert "changed since" not in ran.err
    agent.behave(fail=("one",))
    assert site.run("a.eval.yaml").code == 3
    agent.asked()
    replaced("judge.md", "right", "good")(site)
    ran = site.run("a.eval.yaml", "--failed")
    assert agent.asked() == Counter(one=1)
    assert "passed, but have changed since and are not rerun: `two`" in ran.err


async def test_secrets_do_not_count_and_other_variables_do(
    site: Site, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.write(
        "targets.yaml",
        """
        targets:
          - {name: bot, provider: mock, response: "${{ ANSWER }} ${{ SOME_TOKEN }}"}
        """,
    )
    site.suite(
        "- {id: one, expected_outcome: x, input: x, "
        "evaluators: [{name: e, type: contains, value: x}]}",
        "execution: {target: bot}",
    )
    hashes = []
    for answer, token in (("hello", "secret-1234"), ("hello", "secret-5678"), ("bye", "secret-1")):
        monkeypatch.setenv("ANSWER", answer)
        monkeypatch.setenv("SOME_TOKEN", token)
        one = Worker()  # an environment is a worker's from its start
        try:
            hashes.append((await records_of(one, site.request()))["one"]["effective_hash"])
        finally:
            await one.close()
    assert hashes[0] == hashes[1]
    assert hashes[0] != hashes[2]
