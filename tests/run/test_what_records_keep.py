"""Records contain the prompt, what was expected and what the answer used."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import jsonschema

from suitecase.derived import ROOT
from suitecase.run.record_model import KEPT_OF_TEXT, RecordModel, TokenUsageSummary, TraceSummary
from suitecase.run.record_redaction import recorded
from suitecase_evaluators.answers.score import Verdict
from suitecase_evaluators.targets.redactor import Redactor
from support.running.site import Site, lines_of
from support.servers.openai import (  # pyright: ignore[reportMissingImports] - see tests/conftest.py
    Answer,
    OpenAiServer,
)

JUDGED = {"reasoning": "", "hits": [], "misses": [], "score": 1}


def reply(body: Mapping[str, Any]) -> Answer:
    """Answer, or judge; a judge's first reply is cut off."""
    prompt = json.dumps(body["messages"])
    if "candidate_answer" not in prompt:
        return Answer(text="Paris", finish_reason="length")
    if "could not be used" in prompt:
        return Answer(text=json.dumps(JUDGED))
    return Answer(text='{"reasoning": "', finish_reason="length")


def test_a_model_and_its_judge(site: Site, openai_server: OpenAiServer) -> None:
    entry = {"provider": "openai", "model": "m", "api_base": openai_server.url, "api_key": "key"}
    targets = [
        {"name": "bot", "judge_target": "critic", "seed": 41, **entry},
        {"name": "critic", **entry},
    ]
    site.write("targets.yaml", json.dumps({"targets": targets}))
    site.write("notes.txt", "France is a country.")
    site.suite(
        """
        - id: one
          expected_outcome: Names Paris.
          input: [{role: user, content: [{type: file, value: notes.txt}, {type: text, value: Where?}]}]
          expected_output: Paris
          evaluators:
            - {name: judge, type: llm_judge}
            - {name: there, type: contains, value: Paris}
        """,
        head="execution: {target: bot}\nprompt: Be brief.",
    )
    openai_server.default = reply
    ran = site.run("a.eval.yaml", "--output", "r.jsonl", "--repeat", "1")
    assert ran.code == 0, ran.err
    (record,) = lines_of(site.root / "r.jsonl")
    RecordModel.model_validate(record, strict=False)
    schema = json.loads((ROOT / "schemas/result.schema.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(record)
    assert [(it["role"], it["content"]) for it in record["input"]] == [
        ("system", "Be brief."),
        ("user", '<file path="notes.txt">\nFrance is a country.\n</file>\nWhere?'),
    ]
    assert record["expected_outcome"] == "Names Paris."
    assert [it["content"] for it in record["expected_output"]] == ["Paris"]
    assert (record["finish_reason"], record["seed"], record["gate_failed"]) == ("length", 41, False)
    assert openai_server.requests[0].body["seed"] == 41
    judge, there = record["evaluator_results"]
    assert judge["judge_usage"] == {
        "questions": 2,
        "cached": 0,
        "token_usage": {"input": 22, "output": 14},
        "uncounted": 0,
        "cost_usd": None,
        "unpriced": 2,
    }
    assert there["judge_usage"] is None
    # The judge was cut off after 7 tokens, and was then given twice as many.
    assert openai_server.requests[-1].body["max_tokens"] == 14
    assert "answers: 11 read, 7 written" in ran.out
    assert "judges: 22 read, 14 written" in ran.out


def test_gates_and_texts_that_are_too_long(site: Site) -> None:
    long = "x" * (KEPT_OF_TEXT + 1234)
    site.suite(f"""
        - id: gated
          expected_outcome: Greets.
          input: hello {long}
          rubrics:
            - {{id: heavy, expected_outcome: hello, weight: 99}}
            - {{id: light, expected_outcome: goodbye, weight: 1}}
          evaluators: [{{name: e, type: contains, value: hello}}]
    """)
    ran = site.run("a.eval.yaml", "--format", "jsonl", "--no-results")
    record = ran.records["gated"]
    assert record["gate_failed"] is True
    assert {it["name"]: it["gate_failed"] for it in record["evaluator_results"]} == {
        "rubric": True,
        "e": False,
    }
    (turn,) = record["input"]
    assert turn["content"].endswith("x... (1,240 more characters left out)")
    assert record["expected_output"] == []


def test_judges_that_cannot_be_read_are_told_apart(site: Site) -> None:
    site.write("targets.yaml", "targets: [{name: odd, provider: mock, response: no JSON}]")
    site.suite("""
        - {id: good, expected_outcome: hello, input: hello}
        - id: odd
          expected_outcome: hello
          input: hello
          evaluators: [{name: odd, type: llm_judge, target: odd}]
    """)
    ran = site.run("a.eval.yaml", "--no-results")
    assert "1 of 2 gave no verdict that could be read, which grades nothing" in ran.out
    assert "1 rehearsed, 1 judge failure; mean score 1.00 of 1 graded" in ran.out


def test_the_parts_of_a_record_have_no_secrets_and_all_of_their_fields() -> None:
    secret = "sk-4f9a8b7c6d5e4f3a2b1c"
    trace = TraceSummary(
        event_count=2,
        tool_names=[f"open {secret}"],
        tool_calls_by_name={f"open {secret}": 2, f"open {secret.upper()}": 3},
        error_count=0,
        token_usage=TokenUsageSummary(input=3, output=4),
        cost_usd=None,
        duration_ms=1.5,
    )
    record = RecordModel(
        timestamp="2026-01-02T03:04:05.006Z",
        suite_path="a.eval.yaml",
        dataset="a",
        eval_id="one",
        case_hash="",
        target="bot",
        score=1.0,
        verdict=Verdict.PASS,
        hits=[],
        misses=[],
        reasoning="",
        candidate_answer="yes",
        output_messages=None,
        evaluator_results=[],
        trace_summary=trace,
        parse_failed=False,
        attempts=0,
        details={"said": secret},
        error=None,
    )
    fields = json.loads(recorded(record, Redactor([secret])).line())
    assert fields["details"] == {"said": "[redacted]"}
    assert fields["trace_summary"] == {
        "event_count": 2,
        "tool_names": ["open [redacted]"],
        "tool_calls_by_name": {"open [redacted]": 2, "open [redacted]-2": 3},
        "calls_known": None,
        "error_count": 0,
        "token_usage": {"input": 3, "output": 4},
        "cost_usd": None,
        "duration_ms": 1.5,
    }
