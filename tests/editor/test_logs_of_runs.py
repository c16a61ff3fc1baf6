from __future__ import annotations

import html
import re

import cmarkgfm  # type: ignore[import-untyped]

from suitecase.editor.run_log import run_log
from suitecase_evaluators.answers.records.record import ResultRecord

RECORD = {
    "eval_id": "greet",
    "verdict": "fail",
    "score": 0.5,
    "suite_path": "greet.eval.yaml",
    "target": "agent",
    "repeat": 2,
    "repeats": 3,
    "gate_failed": True,
    "misses": ["[tone] is\n cold"],
    "input": [{"role": "user", "content": "Hello"}],
    "candidate_answer": "Here is code:\n```yaml\na: 1\n```\n# no heading",
    "trace_summary": {
        "duration_ms": 1234.5,
        "cost_usd": 0.0031,
        "token_usage": {"input": 1200, "output": 34},
        "tool_names": ["search"],
    },
    "evaluator_results": [
        {
            "name": "rubric",
            "type": "llm_judge",
            "verdict": "fail",
            "score": 0.5,
            "weight": 2.0,
            "attempts": 2,
            "evaluator_provider_request": {"target": "critic", "user_prompt": "Grade this."},
            "judge_usage": {"token_usage": {"input": 10, "output": 5}, "cost_usd": 0.25},
            "details": {"replies": ["no JSON", '{"checks": []}'], "raw_scores": {"tone": 3}},
        }
    ],
}


def test_a_log_has_what_was_asked_answered_and_judged_and_what_it_cost() -> None:
    log = run_log(ResultRecord(RECORD))

    for said in (
        "# fail 0.50: greet\n",
        "- Answered by: agent\n",
        "- Asked: time 2 of 3\n",
        "- Time: 1,234 ms\n",
        "- Tokens: 1,200 read, 34 written\n",
        "- Cost of the answer: $0.0031\n",
        "- Tools called: search\n",
        "- \\[tone\\] is cold\n",
        "**user**\n\n```text\nHello\n```\n",
        "## Evaluator rubric (llm\\_judge): fail 0.50\n",
        "- Judged by: critic\n- Attempts: 2\n- Tokens: 10 read, 5 written\n- Cost: $0.25\n",
        "### Prompt\n\n```text\nGrade this.\n```",
        "### Reply 1 of 2\n\n```text\nno JSON\n```",
        '"raw_scores": {\n    "tone": 3\n  }',
    ):
        assert said in log


def test_no_answer_can_break_out_of_its_block() -> None:
    assert "````text\nHere is code:\n```yaml\na: 1\n```\n# no heading\n````" in run_log(
        ResultRecord(RECORD)
    )


def test_no_text_of_a_record_is_markup() -> None:
    hostile = "![x](http://127.0.0.1/leak) <img src=x> # a `b`"
    record = {**RECORD, "eval_id": hostile, "misses": [hostile], "target": hostile}
    page = cmarkgfm.github_flavored_markdown_to_html(run_log(ResultRecord(record)))
    assert not re.search("<(?:a|img) ", page)
    assert html.unescape(re.sub("<[^>]*>", "", page)).count(hostile) == 3


def test_a_record_of_another_version_is_told_as_far_as_it_goes() -> None:
    assert run_log(ResultRecord({"eval_id": "greet", "verdict": "not_evaluated"})) == (
        "# not evaluated: greet\n"
    )


def test_a_log_has_votes_quotes_and_the_model_that_judged() -> None:
    quote = {"item": "tone", "quote": "So sorry", "in_answer": False}
    judge = {"confidence": 0.8, "reported_model": "critic-1", "quotes": [quote]}
    result = {"name": "rubric", "type": "llm_judge", "verdict": "fail", "score": 0.5, **judge}
    log = run_log(ResultRecord({**RECORD, "evaluator_results": [result]}))
    assert "- Model: critic-1\n" in log
    assert "- Votes: 80% of the votes agree\n" in log
    assert "### Quotes\n\n- `tone`: “So sorry” (not in the answer)" in log


def test_a_check_of_an_answer_by_no_model_has_not_passed() -> None:
    word = {"name": "word", "type": "contains", "score": 1.0, "verdict": "pass"}
    answered = {"verdict": "pass", "score": 1.0, "candidate_answer": "Hello"}
    record = {"eval_id": "greet", **answered, "evaluator_results": [word]}

    log = run_log(ResultRecord({**record, "answered_by": "canned"}))

    assert "# rehearsed 1.00: greet\n" in log
    assert "## Evaluator word (contains): rehearsed 1.00\n" in log
    assert "## Evaluator word (contains): pass 1.00\n" in run_log(ResultRecord(record))
