"""The log of a case as a Markdown document: all that is known of its run and grade."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from suitecase.editor.markdown import escaped, fenced
from suitecase.editor.verdicts import cost, quote_worded, votes_worded
from suitecase_evaluators.answers.records.doubts import doubts_of
from suitecase_evaluators.answers.records.graded import EvaluatorRecord, Graded, Tokens
from suitecase_evaluators.answers.records.record import RecordedTurn, ResultRecord
from suitecase_evaluators.answers.records.status import Status
from suitecase_evaluators.answers.records.values import moment
from suitecase_evaluators.answers.score import shown_score


def run_log(record: ResultRecord) -> str:
    """Return a record as a document: the question, the answer, the grades and the cost.

    Fields missing from records of other versions are left out.

    Args:
        record: the record in the results file, without secrets.
    """
    parts = [f"# {_grade(record, record.status)}: {_inline(record.eval_id)}", _facts(record)]
    if record.error:
        parts += ["## Error", _block(record.error)]
    if record.reasoning:
        parts += ["## Reasoning", _block(record.reasoning)]
    parts += _points(record)
    if record.input:
        parts += ["## Asked", *_messages(record.input)]
    if record.candidate_answer is not None:
        parts += ["## Answered", _block(record.candidate_answer)]
    if record.output_messages:
        parts += ["### Messages", *_messages(record.output_messages)]
    if record.expected_outcome:
        parts += ["## Expected", _block(record.expected_outcome)]
    if record.expected_output:
        parts += ["### Expected messages", *_messages(record.expected_output)]
    for result in record.evaluator_results:
        parts += _evaluator(result, record.status_of_evaluator(result))
    if record.details:
        parts += ["## What else the target said", _block(record.details)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _grade(graded: ResultRecord | EvaluatorRecord, status: Status) -> str:
    if graded.score is None or status is Status.JUDGE_FAILED:
        return status.word
    return f"{status.word} {shown_score(graded.score)}"


def _facts(record: ResultRecord) -> str:
    milliseconds = record.duration_ms
    facts = {
        "Suite": _fact(record.suite_path),
        "Graded": _fact(_time(record.timestamp)),
        "Answered by": _fact(record.target or None),
        "Asked": f"time {record.repeat} of {record.repeats}" if record.repeats > 1 else None,
        "Finish reason": _fact(record.finish_reason),
        "Look at": _fact("; ".join(filter(None, (record.cut_off, record.without_secret))) or None),
        "Seed": _fact(record.seed),
        "Time": None if milliseconds is None else f"{milliseconds:,.0f} ms",
        "Tokens": _tokens(record.answer_tokens),
        "Cost of the answer": _price(record.answer_usd),
        "Cost of the judges": _price(record.judge_usd),
        "Questions to judges": record.attempts or None,
        "Tools called": _fact(", ".join(record.tool_names) or None),
        "Gate": "failed" if record.gate_failed else None,
    }
    return "\n".join(f"- {name}: {it}" for name, it in facts.items() if it is not None)


def _time(value: object) -> object:
    """Return a moment to the second, as people read it."""
    found = moment(value)
    return value if found is None else found.strftime("%Y-%m-%d %H:%M:%S UTC")


def _points(graded: Graded) -> Iterator[str]:
    for title, points in (("Hits", graded.hits), ("Misses", graded.misses)):
        if points:
            yield f"**{title}**\n\n" + "\n".join(f"- {_inline(point)}" for point in points)


def _messages(messages: Sequence[RecordedTurn]) -> Iterator[str]:
    for message in messages:
        yield f"**{_inline(message.role)}**"
        if message.content:
            yield _block(message.content)
        if message.tool_calls:
            yield _block(message.tool_calls)


def _evaluator(result: EvaluatorRecord, status: Status) -> Iterator[str]:
    grade = _grade(result, status)
    yield f"## Evaluator {_inline(result.name)} ({_inline(result.type)}): {grade}"
    request = result.request
    facts = {
        "Weight": _fact(result.weight),
        "Judged by": _fact(result.judge),
        "Model": _fact(result.reported_model),
        "Attempts": result.attempts or None,
        "Votes": votes_worded(result.confidence),
        "Judge": "failed: no reply could be read in full" if result.judge_failed else None,
        "Tokens": _tokens(result.judge_tokens),
        "Cost": _price(result.judge_usd),
        "Gate": "failed" if result.gate_failed else None,
        "Look at": _fact("; ".join(doubt.text for doubt in doubts_of(result)) or None),
        "Sandbox": _fact(result.sandbox),
    }
    yield "\n".join(f"- {name}: {it}" for name, it in facts.items() if it is not None)
    if result.error:
        yield f"### Error\n\n{_block(result.error)}"
    yield from _points(result)
    if result.quotes:
        yield "### Quotes\n\n" + "\n".join(f"- {quote_worded(quote)}" for quote in result.quotes)
    if result.reasoning:
        yield f"### Reasoning\n\n{_block(result.reasoning)}"
    for title, key in (("System prompt", "system_prompt"), ("Prompt", "user_prompt")):
        if request.get(key):
            yield f"### {title}\n\n{_block(request[key])}"
    details = dict(result.details)
    replies = details.pop("replies") if isinstance(details.get("replies"), list) else []
    for number, reply in enumerate(replies, 1):
        yield f"### Reply {number} of {len(replies)}\n\n{_block(reply)}"
    other_keys = {
        key: it
        for key, it in request.items()
        if key not in ("system_prompt", "user_prompt", "target") and it is not None
    }
    for title, rest in (("Asked", other_keys), ("Details", details)):
        if rest:
            yield f"### {title}\n\n{_block(rest)}"


def _tokens(tokens: Tokens) -> str | None:
    if tokens.input is None or tokens.output is None:
        return None
    return f"{tokens.input:,} read, {tokens.output:,} written"


def _price(usd: float | None) -> str | None:
    return None if usd is None else cost(usd)


def _inline(value: object) -> str:
    """Return a text on one line, escaped from Markdown."""
    return escaped(" ".join(str(value).split()))


def _fact(value: object) -> str | None:
    return None if value is None else _inline(value)


def _block(value: object) -> str:
    if isinstance(value, str):
        return fenced(value)
    return fenced(json.dumps(value, indent=2, ensure_ascii=False), "json")
