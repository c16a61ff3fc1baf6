"""All that is known of how a case was asked and graded, as a Markdown document."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from suitecase.ide.markdown import escaped, fenced
from suitecase.ide.verdicts import cost
from suitecase_evaluators.doubts import doubts_of
from suitecase_evaluators.score import shown_score


def run_log(record: Mapping[str, Any]) -> str:
    """Return a record as a document: what was asked, answered, judged, and at what cost.

    What other versions leave out of their records is left out here.

    Args:
        record: as the results file has it, without secrets.
    """
    parts = [f"# {_grade(record)}: {_inline(record.get('eval_id'))}", _facts(record)]
    if record.get("error"):
        parts += ["## Error", _block(record["error"])]
    if record.get("reasoning"):
        parts += ["## Reasoning", _block(record["reasoning"])]
    parts += _points(record)
    if record.get("input"):
        parts += ["## Asked", *_messages(record["input"])]
    if record.get("candidate_answer") is not None:
        parts += ["## Answered", _block(record["candidate_answer"])]
    if record.get("output_messages"):
        parts += ["### Messages", *_messages(record["output_messages"])]
    if record.get("expected_outcome"):
        parts += ["## Expected", _block(record["expected_outcome"])]
    if record.get("expected_output"):
        parts += ["### Expected messages", *_messages(record["expected_output"])]
    for result in record.get("evaluator_results") or ():
        parts += _evaluator(result)
    if record.get("details"):
        parts += ["## What else the target said", _block(record["details"])]
    return "\n\n".join(it for it in parts if it) + "\n"


def _grade(graded: Mapping[str, Any]) -> str:
    verdict = _inline(str(graded.get("verdict")).replace("_", " "))
    score = graded.get("score")
    return verdict if not isinstance(score, int | float) else f"{verdict} {shown_score(score)}"


def _facts(record: Mapping[str, Any]) -> str:
    trace = record.get("trace_summary") or {}
    usage = trace.get("token_usage") or {}
    milliseconds = trace.get("duration_ms")
    facts = {
        "Suite": _fact(record.get("suite_path")),
        "Graded": _fact(record.get("timestamp")),
        "Answered by": _fact(record.get("target")),
        "Asked": f"time {record.get('repeat')} of {record.get('repeats')}"
        if (record.get("repeats") or 1) > 1
        else None,
        "Finish reason": _fact(record.get("finish_reason")),
        "Seed": _fact(record.get("seed")),
        "Time": None if milliseconds is None else f"{milliseconds:,.0f} ms",
        "Tokens": _tokens(usage),
        "Cost of the answer": _price(trace.get("cost_usd")),
        "Cost of the judges": _price(record.get("judge_cost_usd")),
        "Questions to judges": record.get("attempts") or None,
        "Tools called": _fact(", ".join(trace.get("tool_names") or ()) or None),
        "Gate": "failed" if record.get("gate_failed") else None,
    }
    return "\n".join(f"- {name}: {it}" for name, it in facts.items() if it is not None)


def _points(graded: Mapping[str, Any]) -> Iterator[str]:
    for title, key in (("Hits", "hits"), ("Misses", "misses")):
        points = graded.get(key) or ()
        if points:
            yield f"**{title}**\n\n" + "\n".join(f"- {_inline(it)}" for it in points)


def _messages(messages: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for message in messages:
        yield f"**{_inline(message.get('role') or 'message')}**"
        if message.get("content"):
            yield _block(message["content"])
        if message.get("tool_calls"):
            yield _block(message["tool_calls"])


def _evaluator(result: Mapping[str, Any]) -> Iterator[str]:
    yield f"## Evaluator {_inline(result.get('name'))} ({_inline(result.get('type'))}): " + _grade(
        result
    )
    usage = result.get("judge_usage") or {}
    request = result.get("evaluator_provider_request") or {}
    facts = {
        "Weight": _fact(result.get("weight")),
        "Judged by": _fact(request.get("target")),
        "Attempts": result.get("attempts") or None,
        "Replies": "none could be read in full" if result.get("parse_failed") else None,
        "Tokens": _tokens(usage.get("token_usage") or {}),
        "Cost": _price(usage.get("cost_usd")),
        "Gate": "failed" if result.get("gate_failed") else None,
        "Look at": _fact("; ".join(it.text for it in doubts_of(result)) or None),
        "Sandbox": _fact(result.get("sandbox")),
    }
    yield "\n".join(f"- {name}: {it}" for name, it in facts.items() if it is not None)
    if result.get("error"):
        yield f"### Error\n\n{_block(result['error'])}"
    yield from _points(result)
    if result.get("reasoning"):
        yield f"### Reasoning\n\n{_block(result['reasoning'])}"
    for title, key in (("System prompt", "system_prompt"), ("Prompt", "user_prompt")):
        if request.get(key):
            yield f"### {title}\n\n{_block(request[key])}"
    details = dict(result.get("details") or {})
    replies = details.pop("replies", ())
    for number, reply in enumerate(replies if isinstance(replies, list) else [replies], 1):
        yield f"### Reply {number} of {len(replies)}\n\n{_block(reply)}"
    asked_otherwise = {
        key: it
        for key, it in request.items()
        if key not in ("system_prompt", "user_prompt", "target") and it is not None
    }
    for title, rest in (("Asked", asked_otherwise), ("Details", details)):
        if rest:
            yield f"### {title}\n\n{_block(rest)}"


def _tokens(usage: Mapping[str, Any]) -> str | None:
    if usage.get("input") is None or usage.get("output") is None:
        return None
    return f"{usage['input']:,} read, {usage['output']:,} written"


def _price(usd: float | None) -> str | None:
    return None if usd is None else cost(usd)


def _inline(value: object) -> str:
    """Return a text of others on one line, in which nothing is markup."""
    return escaped(" ".join(str(value).split()))


def _fact(value: object) -> str | None:
    return None if value is None else _inline(value)


def _block(value: object) -> str:
    if isinstance(value, str):
        return fenced(value)
    return fenced(json.dumps(value, indent=2, ensure_ascii=False), "json")
