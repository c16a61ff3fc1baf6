"""An option that no answer can satisfy is refused before anything is asked."""

from __future__ import annotations

import json
import os
from collections import Counter

import pytest

from suitecase.run.planning import plan
from suitecase.run.protocol import Failed
from support.running.site import Site
from support.suites.counted_agent import CountedAgent

HEAD = "execution: {target: agent}\nslices: {easy: {id: on*}, language: {by: metadata.language}}"
CASE = "- {id: one, expected_outcome: x, input: x, metadata: {language: de}, evaluators: [EVALUATOR]}\n"
EVALUATOR = "{name: tone, type: contains, value: x}"
CONFIGURATION = """\
prompts: ["Say hello to {{name}}"]
providers: [echo]
tests:
  - vars: {name: Ann}
    assert: [{type: contains, value: Ann, metric: tone}]
"""


@pytest.fixture
def agent(site: Site) -> CountedAgent:
    site.suite(CASE.replace("EVALUATOR", EVALUATOR), HEAD)
    site.write("promptfooconfig.yaml", CONFIGURATION)
    return CountedAgent(site)


@pytest.mark.parametrize("suite", ["a.eval.yaml", "promptfooconfig.yaml"])
@pytest.mark.parametrize(
    ("gate", "why"),
    [
        ("pass_rate > 90", "lies between 0 and 1, so `> 90` never holds; did you mean 90%?"),
        ("tone.pass_rate >= 1.5", "so `>= 1.5` never holds"),
        ("error_rate <= 5", "so `<= 5` always holds; did you mean 5%?"),
        ("error_rate < 0", "so `< 0` never holds"),
        ("latency_ms <= 90%", "is in milliseconds, so a threshold in percent means nothing"),
        ("change(pass_rate) >= -2%", "name its results with --baseline"),
        ("pass_rate[hard] >= 50%", "no slice and no tag is called `hard`"),
        ("min(pass_rate by country) >= 50%", "no facet is called `country`"),
        ("ton.pass_rate >= 50%", "did you mean `tone.pass_rate`?"),
    ],
)
def test_a_gate(site: Site, agent: CountedAgent, suite: str, gate: str, why: str) -> None:
    refused = plan(site.request(suite, target="agent", gates=(gate,)))
    assert isinstance(refused, Failed)
    assert refused.kind == "usage"
    assert why in refused.message


def test_a_gate_of_the_command_line(site: Site, agent: CountedAgent) -> None:
    ran = site.run("a.eval.yaml", "--gate", "pass_rate > 90")
    assert (ran.code, ran.out, agent.asked()) == (2, "", Counter())
    assert "so `> 90` never holds; did you mean 90%?" in ran.err


def test_a_gate_of_a_slice_that_the_suite_has_is_decided(site: Site, agent: CountedAgent) -> None:
    gates = ("pass_rate[easy] >= 50%", "pass_rate[language=de] >= 50%", "error_rate < 5%")
    ran = site.run("a.eval.yaml", *(argument for gate in gates for argument in ("--gate", gate)))
    assert "3 gates: 3 hold" in ran.out, ran.err


def test_a_gate_of_a_slice_without_cases(site: Site, agent: CountedAgent) -> None:
    ran = site.run("a.eval.yaml", "--gate", "pass_rate[language=fr] >= 50%")
    assert (ran.code, agent.asked()) == (2, Counter())
    assert "no case is in the slice `language=fr`" in ran.err


def test_a_gate_that_one_of_several_suites_cannot_decide(site: Site, agent: CountedAgent) -> None:
    site.suite(CASE.replace("EVALUATOR", EVALUATOR), "execution: {target: agent}", "b.eval.yaml")
    ran = site.run("a.eval.yaml", "b.eval.yaml", "--gate", "pass_rate[easy] >= 50%")
    assert (ran.code, agent.asked()) == (2, Counter()), ran.err
    assert "no slice and no tag is called `easy`" in ran.err


@pytest.mark.parametrize(
    ("baseline", "why"),
    [
        ("targets.yaml", "not a results file"),
        ("other.jsonl", "has no result of a.eval.yaml, only of other.eval.yaml"),
    ],
)
def test_a_baseline(site: Site, agent: CountedAgent, baseline: str, why: str) -> None:
    record = {"eval_id": "one", "suite_path": "other.eval.yaml", "verdict": "pass", "score": 1}
    site.write("other.jsonl", f"{json.dumps(record)}\n")
    gate = ("--gate", "change(pass_rate) >= 0", "--baseline", baseline)
    ran = site.run("a.eval.yaml", *gate)
    assert (ran.code, agent.asked()) == (2, Counter())
    assert why in ran.err


@pytest.mark.parametrize("gate", [(), ("--gate", "change(pass_rate) >= 0")])
def test_a_baseline_that_no_suite_can_have(
    site: Site, agent: CountedAgent, gate: tuple[str, ...]
) -> None:
    baselines = ["targets.yaml", "/dev/zero"]
    if hasattr(os, "mkfifo"):
        os.mkfifo(site.root / "pipe")
        baselines.append("pipe")
    for baseline in baselines:
        ran = site.run("a.eval.yaml", *gate, "--baseline", baseline)
        assert (ran.code, agent.asked()) == (2, Counter())
        assert f"--baseline {baseline}: not a results file" in ran.err


def test_a_baseline_of_another_suite_without_a_gate_on_it(site: Site, agent: CountedAgent) -> None:
    record = {"eval_id": "one", "suite_path": "other.eval.yaml", "verdict": "pass", "score": 1}
    site.write("other.jsonl", f"{json.dumps(record)}\n")
    assert site.run("a.eval.yaml", "--baseline", "other.jsonl").code == 0


def test_a_file_to_resume_that_is_not_there(site: Site, agent: CountedAgent) -> None:
    site.suite(CASE.replace("EVALUATOR", EVALUATOR), HEAD, "b.eval.yaml")
    assert site.run("a.eval.yaml", "--output", "first.jsonl").code == 0
    agent.asked()
    both = ("a.eval.yaml", "b.eval.yaml", "--resume", "first.jsonl")
    ran = site.run(*both, "--resume", "frist.jsonl")
    assert (ran.code, agent.asked()) == (2, Counter())
    assert "--resume frist.jsonl does not exist" in ran.err
    assert "did you mean `first.jsonl`?" in ran.err
    site.run("promptfooconfig.yaml", "--output", "other.jsonl")
    ran = site.run(*both, "--resume", "other.jsonl")
    assert (ran.code, agent.asked()) == (2, Counter())
    assert "--resume other.jsonl: no record of these suites and targets" in ran.err


PROMPTFOO, SKILL = "promptfooconfig.yaml", "evals/evals.json"
OPEN = b"targets:\n  - {name: bot, provider: mock, response: yes\n"


@pytest.mark.parametrize(
    ("suite", "targets", "why"),
    [
        ("a.eval.yaml", OPEN, "is not closed"),
        (SKILL, OPEN, "is not closed"),
        (PROMPTFOO, OPEN, "is not closed"),
        (PROMPTFOO, b'targets: [{name: bot, response: "\xff"}]\n', "not text in UTF-8"),
        (PROMPTFOO, b"targets: [{name: bot, provider: no}]\n", "unknown target provider `no`"),
        (PROMPTFOO, b"", "not a mapping with the key `targets`"),
    ],
)
def test_a_targets_file_that_cannot_be_read(
    site: Site, agent: CountedAgent, suite: str, targets: bytes, why: str
) -> None:
    evals = {"skill_name": "x", "evals": [{"id": 1, "prompt": "hi", "expected_output": "hello"}]}
    site.write("evals/evals.json", json.dumps(evals))
    (site.root / "targets.yaml").write_bytes(targets)
    ran = site.run(suite, "--target", "bot", "--no-results")
    assert ran.code == 3, ran.err
    assert "targets.yaml" in ran.err
    assert why in ran.err
    assert "did you mean" not in ran.err
