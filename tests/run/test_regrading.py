"""`--resume` regrades answers that could not be graded, without calling their targets."""

from __future__ import annotations

import json
import signal
import time
from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest

from support.running.forked import ForkedCommand
from support.running.site import Site, lines_of
from support.servers.openai import (  # pyright: ignore[reportMissingImports] - see tests/conftest.py
    Answer,
    OpenAiServer,
)

VERDICT = json.dumps({"score": 1, "hits": ["fine"], "misses": [], "reasoning": ""})
DOWN = Answer(status=503, error="out of order")
CASES = [f"case-{it}" for it in range(3)]


class Models:
    """A writer, its judge, and another judge, on one server: each is asked by its own name."""

    def __init__(self, site: Site, server: OpenAiServer) -> None:
        self.site, self.server = site, server
        self.down: set[str] = set()
        server.default = self._answer
        targets = [
            {
                "name": name,
                "provider": "openai",
                "model": name,
                "api_base": server.url,
                "api_key": "unused",
                "judge_target": "judge",
                "workers": 1,
                "retry": {"max_retries": 0},
            }
            for name in ("writer", "judge", "other")
        ]
        site.write("targets.yaml", json.dumps({"targets": targets}))
        evaluators = [
            {"name": "first", "type": "llm_judge"},
            {"name": "second", "type": "llm_judge", "target": "other"},
        ]
        cases = [{"id": it, "input": it, "expected_outcome": "Answers."} for it in CASES]
        execution = {"target": "writer", "evaluators": evaluators}
        site.write("a.eval.yaml", json.dumps({"execution": execution, "evalcases": cases}))

    def priced(self, **dollars: float) -> None:
        """Set what each target costs per question."""
        path = self.site.root / "targets.yaml"
        written = json.loads(path.read_text("utf-8"))
        for target in written["targets"]:
            target["price"] = {"per_question": dollars[target["name"]]}
        path.write_text(json.dumps(written), "utf-8")

    def _answer(self, body: Mapping[str, Any]) -> Answer | str:
        name = str(body["model"])
        if name in self.down:
            return DOWN
        return "Paris" if name == "writer" else VERDICT

    def asked(self) -> Counter[str]:
        """Return how often each was asked since this was called last."""
        counted = Counter(str(it.body["model"]) for it in self.server.requests)
        self.server.requests.clear()
        return counted


@pytest.fixture
def models(site: Site, openai_server: OpenAiServer) -> Models:
    return Models(site, openai_server)


def test_only_the_judge_that_broke_is_asked_again(site: Site, models: Models) -> None:
    models.down = {"other"}
    assert site.run("a.eval.yaml", "--output", "r.jsonl").code == 3
    assert models.asked() == Counter(writer=3, judge=3, other=3)
    models.down = set()
    dry_run = site.run("a.eval.yaml", "--resume", "r.jsonl", "--dry-run", "--format", "json")
    (estimate,) = json.loads(dry_run.out)["estimates"]
    assert [(record["target"], record["least"]) for record in estimate["questions"]] == [
        ("other", 3)
    ]
    ran = site.run("a.eval.yaml", "--resume", "r.jsonl")
    assert ran.code == 0, ran.err
    assert models.asked() == Counter(other=3)
    assert "answered, so only regraded: `case-0`, `case-1`, `case-2`" in ran.err
    records = lines_of(site.root / "r.jsonl")
    assert sorted(record["eval_id"] for record in records) == CASES
    for record in records:
        assert (record["verdict"], record["candidate_answer"], record["error"]) == (
            "pass",
            "Paris",
            None,
        )
        assert [one["score"] for one in record["evaluator_results"]] == [1, 1]
        assert record["trace_summary"]["token_usage"] == {"input": 11, "output": 7}
        assert record["answered_by"] == "model"
    assert site.run("a.eval.yaml", "--resume", "r.jsonl").code == 0
    assert models.asked() == Counter()


def test_what_regraded_answers_cost_is_added_to_what_was_paid_before(
    site: Site, models: Models
) -> None:
    models.priced(writer=1, judge=0.25, other=0.5)
    models.down = {"other"}
    assert site.run("a.eval.yaml", "--output", "r.jsonl").code == 3
    assert [it["judge_cost_usd"] for it in lines_of(site.root / "r.jsonl")] == [0.25] * 3
    models.down = set()
    # All of it counts for the budget: the answers and the first grades have cost $3.75.
    ran = site.run("a.eval.yaml", "--resume", "r.jsonl", "--budget-usd", "4.5")
    assert "$4.75 spent, $3.75 of it before this run" in ran.err
    assert site.run("a.eval.yaml", "--resume", "r.jsonl").code == 0
    records = lines_of(site.root / "r.jsonl")
    assert [it["judge_cost_usd"] for it in records] == [0.75] * 3
    assert [it["trace_summary"]["cost_usd"] for it in records] == [1] * 3


def test_answers_are_kept_while_the_judge_stays_down(site: Site, models: Models) -> None:
    models.down = {"judge", "other"}
    assert site.run("a.eval.yaml", "--output", "r.jsonl").code == 3
    models.asked()
    for _ in range(2):
        assert site.run("a.eval.yaml", "--resume", "r.jsonl").code == 3
        assert models.asked() == Counter(judge=3, other=3)
    assert [it["candidate_answer"] for it in lines_of(site.root / "r.jsonl")] == ["Paris"] * 3


def test_a_run_that_is_killed_while_it_grades_again_loses_no_answer(
    site: Site, models: Models
) -> None:
    models.down = {"judge"}
    assert site.run("a.eval.yaml", "--output", "r.jsonl").code == 3
    models.down = set()
    models.asked()
    models.server.script(VERDICT, Answer(stall=True))
    ended = ForkedCommand(
        "run", "a.eval.yaml", "--resume", "r.jsonl", "--format", "jsonl", cwd=site.root
    )
    assert ended.stdout is not None
    first = json.loads(ended.stdout.readline())
    until = time.monotonic() + 60
    while len(models.server.requests) < 2:  # otherwise the next run would wait in its place
        assert time.monotonic() < until
        time.sleep(0.01)
    ended.send_signal(signal.SIGKILL)
    ended.communicate()
    # The answers of the others are there, and the one that was graded is graded.
    ran = site.run("a.eval.yaml", "--resume", "r.jsonl")
    assert ran.code == 0, ran.err
    assert models.asked()["writer"] == 0
    records = lines_of(site.root / "r.jsonl")
    assert sorted(it["eval_id"] for it in records) == CASES
    assert first in records


def test_a_case_that_changed_is_asked_again(site: Site, models: Models) -> None:
    models.down = {"judge"}
    assert site.run("a.eval.yaml", "--output", "r.jsonl").code == 3
    models.down = set()
    models.asked()
    path = site.root / "a.eval.yaml"
    path.write_text(path.read_text().replace('"input": "case-1"', '"input": "another"'))
    ran = site.run("a.eval.yaml", "--resume", "r.jsonl")
    assert ran.code == 0, ran.err
    # The other judge has judged the answers that stay.
    assert models.asked() == Counter(writer=1, judge=3, other=1)
