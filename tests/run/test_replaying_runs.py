"""`--replay`: grades the answers of a results file without calling targets."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from suitecase.run.protocol import CaseFinished
from support.running.commands import CommandSite
from support.running.runs import RanHere, run_here
from support.running.site import Ran, Site, lines_of
from support.servers.openai import (  # pyright: ignore[reportMissingImports] - see tests/conftest.py
    Answer,
    OpenAiServer,
)

#: What of a record and of an evaluator's result a replay must repeat.
RECORDED = ("score", "verdict", "hits", "misses", "parse_failed", "attempts", "gate_failed")
ANSWERED = ("target", "candidate_answer", "output_messages", "trace_summary", "finish_reason")

SCRIPT = """
import json, os, sys, urllib.request
told = json.load(sys.stdin)
def ask(prompt):
    asked = urllib.request.Request(
        os.environ["SUITECASE_TARGET_PROXY_URL"] + "/ask",
        json.dumps({"prompt": prompt}).encode(),
        {"Authorization": "Bearer " + os.environ["SUITECASE_TARGET_PROXY_TOKEN"]},
    )
    return json.loads(urllib.request.urlopen(asked).read())["text"]
scores = [float(ask("Rate: " + told["candidate_answer"])) for _ in range(2)]
print(json.dumps({"score": sum(scores) / 2, "reasoning": str(scores)}))
"""

SUITE = """
- {id: free, expected_outcome: Names Paris., input: Capital of France?}
- id: rubric
  expected_outcome: Names Paris.
  input: Capital of France?
  rubrics:
    - {id: named, expected_outcome: Names Paris, weight: 2}
    - {id: tone, required_min_score: 6, score_ranges: {0: rude, 5: polite}}
- {id: garbage, expected_outcome: x, input: x, execution: {target: garbage-judged}}
- {id: long, expected_outcome: x, input: x, execution: {target: long-judged}}
- {id: down, expected_outcome: x, input: x, execution: {target: down}}
- {id: judge-down, expected_outcome: x, input: x, execution: {target: judged-by-down}}
- id: composites
  expected_outcome: Names Paris.
  input: Capital of France?
  evaluators:
    - name: first
      type: composite
      aggregator: {type: weighted_average}
      evaluators:
        - {name: quality, type: llm_judge, prompt: "Strict? {{ candidate_answer }}"}
    - name: second
      type: composite
      aggregator: {type: llm_judge, prompt: "All of it {{ EVALUATOR_RESULTS_JSON }}"}
      evaluators:
        - {name: quality, type: llm_judge, prompt: "Lenient? {{ candidate_answer }}"}
        - {name: criteria, type: criteria, criteria: Is about France}
- id: script
  expected_outcome: x
  input: Capital of France?
  evaluators: [{name: asks, type: code_judge, script: SCRIPT, target: true}]
- id: figures
  expected_outcome: x
  input: Use a tool
  evaluators:
    - {name: calls, type: tool_trajectory, mode: exact, expected: [{tool: search, args: {q: x}}]}
    - {name: tokens, type: token_usage, max_total: 20}
    - {name: says, type: contains, value: Paris}
"""


def behaviour() -> Any:
    """Return what answers and judges as its models' names and its prompts say, never the same."""
    times = count(1)

    def behave(body: Mapping[str, Any]) -> Answer | str:
        prompt = body["messages"][-1]["content"]
        number = next(times)
        match body["model"]:
            case "down":
                return Answer(status=500, error="out of order")
            case "garbage":
                return f"I would rather not say ({number})."
            case "long":
                return json.dumps({"reasoning": "so " * 4000, "score": 0.7, "hits": ["long"]})
            case "judge" if prompt.startswith("Rate: "):
                return f"0.{number:03}"
            case "judge" if '"checks"' in body["messages"][0]["content"]:
                checks = [{"id": "named", "satisfied": True}, {"id": "tone", "score": 5}]
                again = "could not be used" in prompt
                return json.dumps({"checks": checks if again else checks[:1]})
            case "judge":
                return json.dumps({"score": number / 1000, "hits": [f"{number}"], "misses": []})
        if prompt == "Use a tool":
            function = {"name": "search", "arguments": '{"q": "x"}'}
            calls = [{"id": "1", "type": "function", "function": function}]
            return Answer(text="Paris", message={"tool_calls": calls})
        return f"Paris, {number}."

    return behave


@dataclass(frozen=True)
class Replayed:
    """A run of each case two times, and what was asked in it and after it."""

    site: Site
    first: Ran
    server: OpenAiServer
    asked: int

    def records(self, name: str) -> dict[tuple[str, int], dict[str, Any]]:
        lines = lines_of(self.site.root / name)
        return {(it["eval_id"], it["repeat"]): it for it in lines}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Replayed]:
    """One run that asks, so that all tests of this file can replay it."""
    site = Site(tmp_path_factory.mktemp("replay"))
    server = OpenAiServer()
    server.default = behaviour()

    def model(name: str, judge: str) -> dict[str, Any]:
        entry = {"name": name, "provider": "openai", "model": name, "api_base": server.url}
        retry = {"max_retries": 0}
        return {**entry, "api_key": "sk-loopback", "judge_target": judge, "retry": retry}

    names = {
        "model": "judge",
        "garbage-judged": "garbage",
        "long-judged": "long",
        "judged-by-down": "down",
    }
    models = [model(name, judge) for name, judge in names.items()]
    models += [model(name, "judge") for name in ("judge", "garbage", "long", "down")]
    site.write("targets.yaml", json.dumps({"targets": models}))
    site.suite(SUITE.replace("SCRIPT", json.dumps(site.program("asks.py", SCRIPT).split())), HEAD)
    first = site.run("a.eval.yaml", "--repeat", "2", "--output", "r.jsonl")
    yield Replayed(site, first, server, len(server.requests))
    server.close()


HEAD = "execution: {target: model}"


def test_a_replay_scores_the_same_and_asks_nobody(run: Replayed) -> None:
    assert run.first.code == 3, run.first.err
    again = run.site.run("a.eval.yaml", "--replay", "r.jsonl", "--output", "again.jsonl")
    assert again.code == 3
    assert "replaying" in again.err
    assert "has changed since" not in again.err
    assert len(run.server.requests) == run.asked
    before, after = run.records("r.jsonl"), run.records("again.jsonl")
    assert len(before) == 18
    assert after.keys() == before.keys()
    for key, record in before.items():
        now = after[key]
        assert {it: now[it] for it in ANSWERED} == {it: record[it] for it in ANSWERED}, key
        assert {it: now[it] for it in RECORDED} == {it: record[it] for it in RECORDED}, key
        for one, other in zip(record["evaluator_results"], now["evaluator_results"], strict=True):
            fields = (*RECORDED, "name", "evaluator_provider_request")
            assert {it: other[it] for it in fields} == {it: one[it] for it in fields}, key


def test_what_is_replayed_tells_the_whole_story(run: Replayed) -> None:
    # The records that the test above compares are not all alike: each kind of outcome is there.
    records = run.records("r.jsonl")
    outcomes = {case: (it["verdict"], it["attempts"]) for (case, _), it in records.items()}
    assert outcomes["rubric"] == ("fail", 2)
    assert outcomes["garbage"] == ("fail", 3)
    assert outcomes["down"] == ("error", 0)
    assert outcomes["judge-down"] == ("error", 1)
    assert outcomes["figures"][0] == "pass"
    scores = [
        member["score"]
        for composite in records["composites", 1]["evaluator_results"]
        for member in composite["details"]["members"]
        if member["name"] == "quality"
    ]
    assert len(set(scores)) == 2
    assert records["script", 1]["score"] != records["script", 2]["score"]


async def test_a_replay_can_be_replayed(run: Replayed) -> None:
    one, two = (str(run.site.root / name) for name in ("one.jsonl", "two.jsonl"))
    await run_here(run.site.request(replay_from=str(run.site.root / "r.jsonl"), results_path=one))
    await run_here(run.site.request(replay_from=one, results_path=two))
    before, after = run.records("r.jsonl"), run.records("two.jsonl")
    assert {it: (now["score"], now["verdict"]) for it, now in after.items()} == {
        it: (was["score"], was["verdict"]) for it, was in before.items()
    }
    assert len(run.server.requests) == run.asked


async def test_no_target_need_be_there_and_no_key(run: Replayed, site: Site) -> None:
    """A results file from elsewhere, a suite of another name, and none of its targets."""
    site.write("b.eval.yaml", (run.site.root / "a.eval.yaml").read_text())
    site.write("targets.yaml", "targets: [{name: other, provider: mock}]")
    ran = await run_here(
        site.request(
            "b.eval.yaml",
            cases=("free",),
            repeats=1,
            replay_from=str(run.site.root / "r.jsonl"),
        )
    )
    assert ran.records["free"]["score"] == run.records("r.jsonl")["free", 1]["score"]
    assert len(run.server.requests) == run.asked


WITH_WORDS = """
- id: refund-late
  expected_outcome: Says sorry that it came late, none EMPTY
  input: It came late, and none was EMPTY
  rubrics: [{id: late, expected_outcome: Says it came late}, {id: none, score_ranges: {0: EMPTY}}]
- id: words
  expected_outcome: x
  input: Which words, late or none?
  evaluators: [{name: late, type: equals, value: "late, none, EMPTY; KEY"}]
"""


@pytest.mark.parametrize("key", ["none", "late", "EMPTY", "sk-real-0123456789"])
async def test_a_run_whose_key_occurs_in_its_texts_is_repeated_by_its_replay(
    site: Site, key: str
) -> None:
    server = OpenAiServer()
    checks = [{"id": "late", "satisfied": True}, {"id": "none", "score": 8, "reasoning": "late"}]

    def behave(body: Mapping[str, Any]) -> str:
        judges = '"checks"' in body["messages"][0]["content"]
        return json.dumps({"checks": checks}) if judges else f"late, none, EMPTY; {key}"

    server.default = behave
    entry = {"name": "m", "provider": "openai", "model": "m", "api_base": server.url}
    site.write("targets.yaml", json.dumps({"targets": [{**entry, "api_key": key}]}))
    head = "execution: {target: m}"
    site.suite(WITH_WORDS.replace("KEY", key), head)
    try:
        first = await run_here(site.request(results_path=str(site.root / "r.jsonl")))
        calls = len(server.requests)
        again = await run_here(site.request(replay_from=str(site.root / "r.jsonl")))
    finally:
        server.close()
    assert len(server.requests) == calls
    assert again.warnings == ""
    assert first.records.keys() == {"refund-late", "words"}
    for name, record in first.records.items():
        now = again.records[name]
        assert {it: now[it] for it in RECORDED} == {it: record[it] for it in RECORDED}
        assert {it: now[it] for it in ANSWERED} == {it: record[it] for it in ANSWERED}
        assert now["input"] == record["input"]
    recorded = (site.root / "r.jsonl").read_text()
    if key.startswith("sk-"):
        assert key not in recorded
        assert first.records["words"]["verdict"] == "fail"
    else:
        assert "[redacted]" not in recorded
        assert {it["verdict"] for it in first.records.values()} == {"pass"}


ONE = "- {id: one, expected_outcome: x, input: hello, evaluators: [EVALUATOR]}"
HAS_X = "{name: has, type: contains, value: x}"


def results(site: Site, *records: Mapping[str, Any]) -> None:
    """Write a results file of records of a case."""
    lines = [json.dumps({"schema_version": 1, "eval_id": "one", **it}) for it in records]
    site.write("r.jsonl", "".join(f"{it}\n" for it in lines))


async def replay(site: Site, suite: str = ONE, evaluator: str = HAS_X, **more: Any) -> RanHere:
    site.suite(suite.replace("EVALUATOR", evaluator))
    return await run_here(site.request(replay_from=str(site.root / "r.jsonl"), **more))


async def test_other_evaluators_grade_the_same_answers(site: Site) -> None:
    messages = [{"role": "user", "content": "hello"}]
    results(site, {"candidate_answer": "ax", "target": "t", "input": messages, "score": 0.0})
    ran = await replay(site)
    assert (ran.records["one"]["score"], ran.records["one"]["target"]) == (1.0, "t")
    assert ran.warnings == ""


SEES_CALLS = """
import json, sys
told = json.load(sys.stdin)
calls = [call["tool"] for it in told["output_messages"] for call in it.get("tool_calls", [])]
print(json.dumps({"score": 1.0 if calls else 0.0, "reasoning": f"calls: {calls}"}))
"""
COUNTS = """
import json, sys
told = json.load(sys.stdin)
trace = told["trace_summary"]
reasoning = f"{told['output_messages']} {trace['calls_known']} {trace['tool_calls_by_name']}"
print(json.dumps({"score": 1.0, "reasoning": reasoning}))
"""


async def test_calls_that_were_counted_and_not_recorded_are_none_to_nobody(site: Site) -> None:
    results(
        site,
        {
            "candidate_answer": "ax",
            "trace_summary": {"event_count": 2, "tool_calls_by_name": {"search": 2}},
        },
    )

    def script(name: str, text: str) -> str:
        argv = site.program(f"{name}.py", text).split()
        return f"{{name: {name}, type: code_judge, script: {json.dumps(argv)}}}"

    seeing = (await replay(site, evaluator=script("sees", SEES_CALLS))).records["one"]
    assert (seeing["verdict"], seeing["score"]) == ("error", None)
    counting = (await replay(site, evaluator=script("counts", COUNTS))).records["one"]
    assert counting["reasoning"] == "None counts {'search': 2}"
    often = "{name: t, type: tool_trajectory, mode: any_order, minimums: {search: 2}}"
    assert (await replay(site, evaluator=often)).records["one"]["score"] == 1.0
    ordered = "{name: t, type: tool_trajectory, mode: exact, expected: [{tool: search}]}"
    record = (await replay(site, evaluator=ordered)).records["one"]
    assert (record["verdict"], record["score"]) == ("error", None)
    prompt = '{name: q, type: llm_judge, prompt: "Fine? {{ output_messages }}"}'
    judged = (await replay(site, evaluator=prompt)).records["one"]
    assert "only the number of tool calls was recorded" in judged["error"]


async def test_calls_that_nobody_told_of_are_not_taken_for_none(site: Site) -> None:
    never = "{name: t, type: tool_trajectory, mode: any_order, minimums: {search: 0}}"
    site.write("targets.yaml", "targets: [{name: t, provider: cli, command_template: echo ax}]")
    site.suite(ONE.replace("EVALUATOR", never), "execution: {target: t}")
    first = await run_here(site.request(results_path=str(site.root / "r.jsonl")))
    assert "does not report which tools it called" in first.records["one"]["error"]
    assert first.records["one"]["trace_summary"]["calls_known"] == "unknown"
    again = await replay(site, evaluator=never)
    assert "does not report which tools it called" in again.records["one"]["error"]
    results(site, {"candidate_answer": "ax", "trace_summary": {"duration_ms": 3.0}})
    record = (await replay(site, evaluator=never)).records["one"]
    assert "does not report which tools it called" in record["error"]


async def test_a_question_that_is_another_now_is_told(site: Site) -> None:
    messages = [{"role": "user", "content": "good-bye"}]
    results(site, {"candidate_answer": "ax", "target": "t", "input": messages})
    ran = await replay(site)
    assert re.search(
        r"changed since .*r\.jsonl was written: the prompts of `one` differ", ran.warnings
    )
    assert ran.records["one"]["details"]["asked_otherwise"] is True


async def test_secrets_that_records_are_without_make_no_question_another(site: Site) -> None:
    messages = [{"role": "user", "content": "he[redacted]"}]
    results(site, {"candidate_answer": "ax", "input": messages})
    assert (await replay(site)).warnings == ""
    messages[0]["content"] = "[redacted]lob"
    results(site, {"candidate_answer": "ax", "input": messages})
    assert "changed since" in (await replay(site)).warnings


@pytest.mark.parametrize("prompt", ["Is {{ candidate_answer }} good?", "Another prompt"])
async def test_a_judge_that_would_be_asked_otherwise_now_is_told(site: Site, prompt: str) -> None:
    judged = {
        "name": "quality",
        "score": 0.9,
        "details": {"replies": ['{"score": 0.9}']},
        "evaluator_provider_request": {
            "user_prompt": prompt.replace("{{ candidate_answer }}", "a")
        },
    }
    results(site, {"candidate_answer": "a", "evaluator_results": [judged]})
    evaluator = '{name: quality, type: llm_judge, prompt: "Is {{ candidate_answer }} good?"}'
    ran = await replay(site, evaluator=evaluator)
    assert ran.records["one"]["score"] == 0.9
    assert ("changed since" in ran.warnings) == (prompt == "Another prompt")


async def test_a_judgement_that_was_not_recorded_is_an_error_and_no_score(site: Site) -> None:
    judged = {"name": "quality", "score": 0.9, "details": {"replies": ['{"score": 0.9}']}}
    results(site, {"candidate_answer": "a", "evaluator_results": [judged]})
    rubrics = "{name: quality, type: llm_judge, rubrics: [Is new]}"
    script = '{name: asks, type: code_judge, script: "true"}'
    for evaluator, message in (
        (rubrics, "no further reply for the evaluator `quality`"),
        ("{name: new, type: llm_judge}", "no result of the evaluator `new`; it has"),
        (script, "the script wrote nothing"),
    ):
        record = (await replay(site, evaluator=evaluator)).records["one"]
        assert (record["verdict"], record["score"]) == ("error", None)
        assert message in record["error"]


async def test_of_several_targets_the_one_that_is_named_answers(site: Site) -> None:
    results(site, *({"candidate_answer": text, "target": text} for text in ("ax", "b")))
    assert "of `ax`, `b`; choose one with --target" in (await replay(site)).failure
    assert (await replay(site, target="b")).records["one"]["score"] == 0.0
    assert (await replay(site, target="ax")).records["one"]["score"] == 1.0
    assert "no answer of `c`" in (await replay(site, target="c")).failure


async def test_records_of_another_suite_are_not_taken_for_those_of_this_one(site: Site) -> None:
    others = [{"candidate_answer": "ax", "suite_path": f"{it}.eval.yaml"} for it in "bc"]
    results(site, *others)
    message = (await replay(site)).failure
    assert "no record of the suite `a.eval.yaml`, only of `b.eval.yaml`, `c.eval.yaml`" in message
    results(site, *others, {"candidate_answer": "none", "suite_path": "a.eval.yaml"}, *others)
    assert (await replay(site)).records["one"]["candidate_answer"] == "none"


async def test_a_repeat_that_was_not_recorded_is_an_error_and_not_another_one(site: Site) -> None:
    results(site, {"candidate_answer": "ax", "repeat": 1, "repeats": 2})
    ran = await replay(site)
    records = {
        it.record.repeat: it.record.fields for it in ran.events if isinstance(it, CaseFinished)
    }
    assert {it: record["verdict"] for it, record in records.items()} == {1: "pass", 2: "error"}
    assert "none of repeat 2" in records[2]["error"]


async def test_a_case_without_a_record_is_an_error_and_no_score(site: Site) -> None:
    results(site, {"candidate_answer": "ax"})
    ran = await replay(site, suite=f"{ONE}\n{ONE.replace('one', 'two')}")
    assert re.search(r"not in .*r\.jsonl, so not graded: `two`", ran.notes)
    assert ran.records["two"]["verdict"] == "error"
    assert ran.records["one"]["verdict"] == "pass"


async def test_a_line_that_a_crash_cut_short_spoils_nothing(site: Site) -> None:
    results(site, {"candidate_answer": "ax"})
    whole = (site.root / "r.jsonl").read_text()
    (site.root / "r.jsonl").write_text(f'{{"schema_version": 1, "eval_id": "on\n{whole}{{"sch')
    assert (await replay(site)).records["one"]["verdict"] == "pass"


async def test_nothing_to_replay_is_told(site: Site) -> None:
    assert "r.jsonl cannot be read: No such file" in (await replay(site)).failure
    site.write("r.jsonl", "")
    assert "has no record of `one` of a.eval.yaml" in (await replay(site)).failure


@pytest.mark.parametrize("other", [("--resume",), ("--output", "./r.jsonl")])
def test_what_would_change_the_file_that_is_replayed_is_refused(
    tmp_path: Path, other: tuple[str, ...]
) -> None:
    site = CommandSite(tmp_path)
    site.write("a.eval.yaml", "evalcases: [{id: one, input: hello, expected_outcome: x}]")
    ran = site.run("run", "a.eval.yaml", "--replay", "r.jsonl", *other)
    assert ran.code == 2
    assert "exclude each other" in ran.err
