"""The spans of a run, as an OTLP receiver gets them over HTTP."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.running.site import Ran, Site
from support.servers.otlp import OtlpReceiver, Received

AGENT = """
import os, sys
print(sys.argv[1], os.environ.get("TRACEPARENT"))
"""

SCRIPT = """
import json, os, sys, urllib.request
request = urllib.request.Request(
    os.environ["SUITECASE_TARGET_PROXY_URL"] + "/ask",
    data=json.dumps({"prompt": "Is it good?"}).encode(),
    headers={"Authorization": "Bearer " + os.environ["SUITECASE_TARGET_PROXY_TOKEN"]},
)
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
opener.open(request, timeout=20).read()
print(json.dumps({"score": 0.5, "reasoning": os.environ["TRACEPARENT"]}))
"""

CASES = """
- id: asked
  input: Hello there
  expected_outcome: Says hello
  evaluators:
    - {name: quality, type: llm_judge}
    - {name: word, type: contains, value: Hello}
- id: programs
  input: Hello there
  expected_outcome: Says hello
  execution: {target: agent}
  evaluators:
    - {name: script, type: code_judge, script: SCRIPT, target: true}
- id: broken
  input: Hello there
  expected_outcome: Says hello
  execution: {target: broken}
- id: together
  input: Hello there
  expected_outcome: Says hello
  evaluators:
    - name: both
      type: composite
      aggregator: {type: weighted_average}
      evaluators:
        - {name: one, type: contains, value: Hello}
        - {name: two, type: contains, value: Goodbye}
"""


@dataclass(frozen=True)
class TracedRun:
    """A run and what the receiver got."""

    ran: Ran
    receiver: OtlpReceiver

    @property
    def run(self) -> Received:
        return self.receiver.one("run a")

    def case(self, name: str, repeat: int = 1) -> Received:
        """Return the span of a case, for the time it was asked."""
        spans = self.receiver.named(f"case {name}")
        (span,) = (it for it in spans if it.attributes["suitecase.repeat"] == repeat)
        return span

    def under(self, span: Received, name: str) -> Received:
        """Return the one span of a name right under another."""
        (found,) = (it for it in self.receiver.under(span) if it.name == name)
        return found


@pytest.fixture(scope="module")
def traced(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TracedRun]:
    """One run in which each case is asked twice, all at once."""
    site = Site(tmp_path_factory.mktemp("traced"))
    agent = site.program("agent.py", AGENT)
    broken = site.program("broken.py", "import sys; sys.exit('Hello there is what I was asked')")
    targets = [
        {"name": "agent", "provider": "cli", "command_template": f"{agent} {{EVAL_ID}}"},
        {"name": "broken", "provider": "cli", "command_template": broken},
    ]
    for target in targets:
        target["judge_target"] = "mock"
    site.write("targets.yaml", json.dumps({"targets": targets}))
    site.suite(CASES.replace("SCRIPT", json.dumps(site.program("script.py", SCRIPT))))
    receiver = OtlpReceiver()
    ran = site.run(
        "a.eval.yaml",
        "--repeat",
        "2",
        "--format",
        "jsonl",
        "--no-results",
        env=receiver.environment,
    )
    yield TracedRun(ran, receiver)
    receiver.close()


def test_a_run_is_one_trace_of_its_cases(traced: TracedRun) -> None:
    run = traced.run
    assert (run.parent, run.kind, run.failed) == ("", "internal", False)
    assert {it.trace for it in traced.receiver.spans} == {run.trace}
    cases = [(it.name, it.attributes["suitecase.repeat"]) for it in traced.receiver.under(run)]
    names = ("asked", "programs", "broken", "together")
    assert sorted(cases) == sorted((f"case {it}", time) for it in names for time in (1, 2))
    assert run.attributes["suitecase.suite.path"] == "a.eval.yaml"
    assert run.attributes["test.suite.name"] == "a"
    assert run.attributes["test.suite.run.status"] == "failure"
    assert run.attributes["suitecase.run.jobs"] == 8
    assert run.attributes["suitecase.run.verdicts.error"] == 2
    assert all(
        run.start_ns <= it.start_ns <= it.end_ns <= run.end_ns for it in traced.receiver.spans
    )
    assert run.resource["service.name"] == "suitecase"


def test_every_span_says_which_run_case_and_time_it_belongs_to(traced: TracedRun) -> None:
    run_id = traced.run.attributes["suitecase.run.id"]
    by_id = {it.id: it for it in traced.receiver.spans}
    for span in traced.receiver.spans:
        assert span.attributes["suitecase.run.id"] == run_id
        if span is traced.run:
            continue
        case = span
        while not case.name.startswith("case "):
            case = by_id[case.parent]
        assert case.name == f"case {span.attributes['suitecase.case.id']}"
        assert case.attributes["suitecase.repeat"] == span.attributes["suitecase.repeat"]


def test_a_case_says_how_it_ended(traced: TracedRun) -> None:
    case = traced.case("together")
    assert case.attributes["test.case.result.status"] == "fail"
    assert case.attributes["suitecase.verdict"] == "fail"
    assert case.attributes["suitecase.score"] == 0.5
    assert not case.failed  # the answer failed, not the case


def test_an_evaluator_is_a_judgement_of_the_answer(traced: TracedRun) -> None:
    case = traced.case("asked")
    answer = traced.under(case, "chat")
    assert answer.attributes["suitecase.target.role"] == "target"
    assert answer.attributes["gen_ai.operation.name"] == "chat"
    assert answer.attributes["gen_ai.provider.name"] == "mock"
    assert answer.kind == "internal"  # nobody outside this process is asked
    word = traced.under(case, "evaluate word")
    assert word.links == (answer.id,)
    expected = {
        "gen_ai.evaluation.name": "word",
        "gen_ai.evaluation.score.value": 1.0,
        "gen_ai.evaluation.score.label": "pass",
    }
    assert expected.items() <= word.attributes.items()
    assert [(it.name, it.attributes) for it in word.events] == [
        ("gen_ai.evaluation.result", expected)
    ]


def test_a_judge_is_asked_inside_its_evaluator(traced: TracedRun) -> None:
    quality = traced.under(traced.case("asked"), "evaluate quality")
    call = traced.under(quality, "chat")
    assert call.attributes["suitecase.target.role"] == "judge"
    assert call.attributes["suitecase.evaluator.name"] == "quality"
    assert call.attributes["gen_ai.request.temperature"] == 0.0
    assert call.attributes["gen_ai.output.type"] == "json"


def test_members_of_a_composite_are_events_of_its_span(traced: TracedRun) -> None:
    both = traced.under(traced.case("together"), "evaluate both")
    names = [it.attributes["gen_ai.evaluation.name"] for it in both.events]
    assert names == ["one", "two", "both"]
    assert [it.attributes["gen_ai.evaluation.score.value"] for it in both.events] == [1, 0, 0.5]


@pytest.mark.parametrize("repeat", [1, 2])
def test_a_program_is_an_agent_that_is_told_the_span_it_runs_in(
    traced: TracedRun, repeat: int
) -> None:
    case = traced.case("programs", repeat)
    call = traced.under(case, "invoke_agent agent")
    assert call.kind == "client"
    assert call.attributes["gen_ai.agent.name"] == "agent"
    records = [json.loads(line) for line in traced.ran.out.splitlines()]
    (record,) = (it for it in records if (it["eval_id"], it["repeat"]) == ("programs", repeat))
    _, parent = record["candidate_answer"].split()
    assert parent.split("-")[1:3] == [call.trace, call.id]
    # So is a judging script, whose own questions are in its evaluator's span.
    script = traced.under(case, "evaluate script")
    assert record["reasoning"].split("-")[1:3] == [script.trace, script.id]
    chats = traced.under(script, "chat")
    assert chats.attributes["suitecase.target.role"] == "judge"


def test_what_broke_is_an_error_in_few_words(traced: TracedRun) -> None:
    case = traced.case("broken")
    call = traced.under(case, "invoke_agent broken")
    assert call.failed
    assert call.attributes["error.type"] == "failed"
    assert call.description == "the target failed"
    assert case.failed
    assert case.attributes["error.type"] == "failed"
    assert "test.case.result.status" not in case.attributes


def test_nothing_of_what_is_asked_and_answered_is_exported(traced: TracedRun) -> None:
    assert "Hello there is what I was asked" in traced.ran.out
    assert b"Hello" not in traced.receiver.raw
    assert b"gen_ai.evaluation.explanation" not in traced.receiver.raw
    assert str(Path.cwd()).encode() not in traced.receiver.raw


def test_the_span_of_a_judge_says_which_judge_it_is(traced: TracedRun) -> None:
    case = traced.case("asked")
    judge = traced.under(case, "evaluate quality").attributes["suitecase.judge.hash"]
    assert str(judge).startswith("sha256:")
    assert "suitecase.judge.hash" not in traced.under(case, "evaluate word").attributes
