"""Runs that several processes grade lose at most the cases in flight, whichever process is killed."""

from __future__ import annotations

import json
import signal
from collections import Counter
from pathlib import Path

import pytest

from support.running.shared_runs import GRADER, WORKER, Gate, SharedRun, shared_run
from support.running.site import Site, lines_of
from support.servers.openai import OpenAiServer  # pyright: ignore[reportMissingImports] - see conftest
from support.system.processes_left import needs_proc

pytestmark = [needs_proc, pytest.mark.process]

VERDICT = json.dumps({"score": 1, "hits": [], "misses": [], "reasoning": ""})
CASES = 24
IN_FLIGHT = 6
#: The judge of this case does not reply until a test opens the gate.
HELD = "case-13"


class Models:
    """A writer and a judge on a server, which count what they are asked."""

    def __init__(self, site: Site, server: OpenAiServer) -> None:
        self.gate = Gate()
        self.server = server
        server.default = self._reply
        entry = {
            "provider": "openai",
            "api_base": server.url,
            "api_key": "unused",
            "workers": IN_FLIGHT,
        }
        targets = [
            {"name": name, "model": f"{name}-1", "judge_target": "judge", **entry}
            for name in ("writer", "judge")
        ]
        site.write("targets.yaml", json.dumps({"targets": targets}))
        cases = [
            {"id": f"case-{it}", "input": f"case-{it}.", "expected_outcome": "y"}
            for it in range(CASES)
        ]
        suite = {"execution": {"target": "writer"}, "evalcases": cases}
        site.write("a.eval.yaml", json.dumps(suite))

    def _reply(self, body: object) -> str:
        text = json.dumps(body)
        if '"model": "writer-1"' in text:
            return "Paris"
        if f"{HELD}." in text:
            self.gate.wait()
        return VERDICT

    def asked(self, model: str) -> Counter[str]:
        """Return how often a model was asked about each case."""
        texts = [json.dumps(it.body) for it in self.server.requests if it.body["model"] == model]
        names = [f"case-{it}" for it in range(CASES)]
        return Counter(name for text in texts for name in names if f"{name}." in text)


@pytest.fixture
def models(site: Site, openai_server: OpenAiServer) -> Models:
    """The models and the suite of a site."""
    return Models(site, openai_server)


def test_the_cases_of_a_killed_process_are_given_to_another_with_their_answers(
    site: Site, models: Models
) -> None:
    with shared_run(site, "a.eval.yaml", "--workers", "2", "--output", "r.jsonl") as run:
        assert models.gate.reached.wait(60)
        run.kill(GRADER)
        models.gate.open()
        ran = run.ended()
    assert ran.code == 0, ran.out + ran.err
    assert f"{CASES} passed" in ran.out
    records = lines_of(site.root / "r.jsonl")
    assert Counter(it["eval_id"] for it in records) == {f"case-{it}": 1 for it in range(CASES)}
    # The answers that had arrived were kept: only the judge is asked again.
    assert models.asked("writer-1")[HELD] == 1
    assert models.asked("judge-1")[HELD] == 2
    assert models.asked("writer-1").total() <= CASES + IN_FLIGHT


@pytest.mark.parametrize("module", [WORKER, "suitecase"])
def test_resuming_after_a_kill_asks_only_about_cases_in_flight(
    site: Site, models: Models, module: str
) -> None:
    with shared_run(site, "a.eval.yaml", "--workers", "2", "--output", "r.jsonl") as run:
        assert models.gate.reached.wait(60)
        run.kill(module)
        ran = run.ended()
    models.gate.open()
    assert ran.code != 0
    kept = {it["eval_id"] for it in lines_of(site.root / "r.jsonl")}
    assert HELD not in kept
    resumed = site.run("a.eval.yaml", "--workers", "2", "--resume", "r.jsonl")
    assert resumed.code == 0, resumed.err
    assert f"{CASES} passed" in resumed.out
    assert len(lines_of(site.root / "r.jsonl")) == CASES
    assert {it: models.asked("writer-1")[it] for it in kept} == dict.fromkeys(kept, 1)
    assert {it: models.asked("judge-1")[it] for it in kept} == dict.fromkeys(kept, 1)


def test_an_interrupted_run_ends_all_its_processes_and_can_be_resumed(
    site: Site, models: Models
) -> None:
    site.write("suitecase.toml", "[run]\nworkers = 2\n")
    with shared_run(site, "a.eval.yaml", "--output", "r.jsonl") as run:
        assert models.gate.reached.wait(60)
        assert len(run.pids(GRADER)) == 2
        run.signal(signal.SIGINT)
        ran = run.ended()
    models.gate.open()
    assert ran.code == 130
    assert "Traceback" not in ran.err
    assert "--resume" in ran.out
    resumed = site.run("a.eval.yaml", "--workers", "2", "--resume", "r.jsonl")
    assert f"{CASES} passed" in resumed.out


KILLER = """
import os, sys
asked = sys.stdin.read()
while "kill" in asked:
    pid = os.getppid() if "pid" not in globals() else int(
        open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[1]
    )
    if open(f"/proc/{pid}/comm").read().strip() == "child":
        os.kill(pid, 9)
        break
print(asked)
"""


def test_a_case_that_kills_its_process_twice_is_an_error_and_the_others_are_graded(
    site: Site, tmp_path: Path
) -> None:
    command = site.program("killer.py", KILLER)
    target = {"name": "t", "provider": "cli", "workers": 4, "command_template": command}
    site.write("targets.yaml", json.dumps({"targets": [target]}))
    cases = "".join(
        f"- {{id: c{it}, input: {'kill' if it == 5 else 'hello'}, expected_outcome: x, "
        "evaluators: [{name: has, type: contains, value: hello}]}\n"
        for it in range(12)
    )
    site.suite(cases, "execution: {target: t}")
    run = SharedRun(site, "a.eval.yaml", "--workers", "2", "--output", "r.jsonl")
    ran = run.ended()
    assert ran.code == 3, ran.out + ran.err
    records = {it["eval_id"]: it for it in lines_of(site.root / "r.jsonl")}
    assert len(records) == 12
    assert {it for it, record in records.items() if record["verdict"] != "pass"} == {"c5"}
    assert records["c5"]["verdict"] == "error"
    assert "the process that graded this case ended twice" in records["c5"]["error"]
    assert "SIGKILL" in records["c5"]["error"]
