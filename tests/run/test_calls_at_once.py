"""Targets and judges work side by side: each has as many calls under way as it has places."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest

from support.running.site import Site
from support.servers.openai import (  # pyright: ignore[reportMissingImports] - see tests/conftest.py
    OpenAiServer,
)

VERDICT = json.dumps({"score": 1, "hits": [], "misses": [], "reasoning": ""})
#: Seconds after which a call that is waited for does not come any more.
PATIENCE = 10.0


class Model:
    """Answers as a target and as a judge, and knows how many calls of each are under way."""

    def __init__(self, judge_waits_for: int = 0) -> None:
        """
        Args:
            judge_waits_for: the number of calls of the target that have to come before the judge answers.
        """
        self._judge_waits_for = judge_waits_for
        self._changed = threading.Condition()
        self.asked: Counter[str] = Counter()
        self.under_way: Counter[str] = Counter()
        self.most: Counter[str] = Counter()

    def __call__(self, body: Mapping[str, Any]) -> str:
        model = str(body["model"])
        with self._changed:
            self.asked[model] += 1
            self.under_way[model] += 1
            self.most[model] = max(self.most[model], self.under_way[model])
            self._changed.notify_all()
            came = model == "target" or self._changed.wait_for(
                lambda: self.asked["target"] >= self._judge_waits_for, PATIENCE
            )
            self.under_way[model] -= 1
        return ("an answer" if model == "target" else VERDICT) if came else "it never came"


def write(site: Site, server: OpenAiServer, cases: int, **judge: Any) -> None:
    """Write a suite whose cases are answered by a model of two places, and judged by another one."""
    of_both = {"provider": "openai", "api_base": server.url, "api_key": "unused", "workers": 2}
    targets = [
        {"name": "target", "model": "target", "judge_target": "judge", **of_both},
        {"name": "judge", "model": "judge", **of_both, **judge},
    ]
    site.write("targets.yaml", json.dumps({"targets": targets}))
    listed = [
        {"id": f"case-{it}", "input": f"{it}?", "expected_outcome": "y"} for it in range(cases)
    ]
    suite = {"execution": {"target": "target"}, "evalcases": listed}
    site.write("a.eval.yaml", json.dumps(suite))


@pytest.mark.parametrize("workers", ["1", pytest.param("2", marks=pytest.mark.process)])
def test_a_target_answers_further_cases_while_answers_are_judged(
    site: Site, openai_server: OpenAiServer, workers: str
) -> None:
    write(site, openai_server, 6)
    # Both calls of the judge last until the target was asked for the fourth time.
    openai_server.default = model = Model(judge_waits_for=4)
    ran = site.run("a.eval.yaml", "--workers", workers)
    assert "6 passed" in ran.out, ran.err
    assert max(model.most.values()) <= 2


@pytest.mark.parametrize("workers", ["1", pytest.param("2", marks=pytest.mark.process)])
def test_a_target_does_not_run_far_ahead_of_a_slow_judge(
    site: Site, openai_server: OpenAiServer, workers: str
) -> None:
    write(site, openai_server, 12, workers=1)
    ahead: list[int] = []

    def behave(body: Mapping[str, Any]) -> str:
        reply = model(body)
        ahead.append(model.asked["target"] - model.asked["judge"])
        return reply

    model = Model()
    openai_server.default = behave
    ran = site.run("a.eval.yaml", "--workers", workers)
    assert "12 passed" in ran.out, ran.err
    # Two that are answered, and two whose answers are graded; the judge was asked about one of these.
    assert max(ahead) <= 4


def test_with_one_place_cases_are_run_one_after_the_other(
    site: Site, openai_server: OpenAiServer
) -> None:
    write(site, openai_server, 4)
    openai_server.default = model = Model()
    ran = site.run("a.eval.yaml", "--concurrency", "1")
    assert "4 passed" in ran.out, ran.err
    asked = [str(it.body["model"]) for it in openai_server.requests]
    assert asked == ["target", "judge"] * 4
    assert model.most == {"target": 1, "judge": 1}


def test_no_more_scripts_run_at_once_than_the_target_has_places(site: Site) -> None:
    counts = f"""
        import os, pathlib, sys, time
        sys.stdin.read()
        here = pathlib.Path({str(site.root)!r}) / "here"
        here.mkdir(exist_ok=True)
        mine = here / str(os.getpid())
        mine.touch()
        time.sleep(0.1)
        seen = len(list(here.iterdir()))
        mine.unlink()
        print('{{"score": 1, "reasoning": "%d"}}' % seen)
        """
    script = site.program("counts.py", counts)
    site.write(
        "targets.yaml", "targets: [{name: plain, provider: mock, response: x, workers: 2}]\n"
    )
    graded = json.dumps([{"name": "script", "type": "code_judge", "script": script}])
    cases = "".join(
        f"- {{id: c{it}, expected_outcome: x, input: x, evaluators: {graded}}}\n" for it in range(8)
    )
    site.suite(cases, "execution: {target: plain}")
    ran = site.run(
        "a.eval.yaml", "--no-results", "--format", "jsonl", "--sandbox", "scripts=limits"
    )
    assert ran.code == 0, ran.err
    seen = {it["evaluator_results"][0]["reasoning"] for it in ran.records.values()}
    assert seen <= {"1", "2"}
