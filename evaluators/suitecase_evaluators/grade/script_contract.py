"""The protocol of judging scripts: one JSON object on stdin and one on stdout.

The names follow AgentV's, which changed on 2026-02-21. Scripts written since then read `answer`
where earlier ones read `candidate_answer`, and both are sent, so that a script grades the same
whichever it was written for.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from suitecase_evaluators.answers.message import Message
from suitecase_evaluators.answers.records.details import AMBIGUOUS_REPLY, GIVEN_SCORE
from suitecase_evaluators.answers.score import Score, nearest_score, off_scale, shown_number
from suitecase_evaluators.answers.trace_summary import messages_known, trace_summary
from suitecase_evaluators.grade.evaluator import Subject
from suitecase_evaluators.schema.model import json_values
from suitecase_evaluators.targets.program import ProgramResult
from suitecase_evaluators.text.finite_json import finite_json
from suitecase_evaluators.text.json_values import NotJsonError, parse_json, show_json

#: What a script is told under a second name: that of the scripts since 2026-02-21, and for a few
#: weeks after 2026-03-17 that with `_text`.
OTHER_INPUT_NAMES: Mapping[str, str] = {
    "criteria": "expected_outcome",
    "answer": "candidate_answer",
    "output": "output_messages",
    "input": "input_messages",
    "expected_output": "expected_messages",
    "trace": "trace_summary",
    "input_text": "question",
    "output_text": "candidate_answer",
    "expected_output_text": "reference_answer",
}


class ScriptReplyError(Exception):
    """A script did not answer as the contract has it. `message` is for people."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


def script_input(subject: Subject, config: Mapping[str, Any] | None, **more: Any) -> str:
    """Return what a script reads, as one line of JSON.

    Of an answer whose calls were only counted when it was recorded, `output_messages` is null, and
    `trace_summary` has the counts.

    Args:
        more: keys beside those every script gets.
    """
    content = {
        "question": subject.question,
        "expected_outcome": subject.expected_outcome,
        "expected_messages": _dumped(subject.expected_messages),
        "reference_answer": subject.reference_answer,
        "candidate_answer": subject.candidate_answer,
        "output_messages": _output_messages(subject),
        "guideline_files": list(subject.guideline_files),
        "input_files": list(subject.input_files),
        "input_messages": _dumped(subject.input_messages),
        "trace_summary": trace_summary(subject.trace, subject.output_messages),
        "sidecar": subject.sidecar,
        "config": None if config is None else dict(config),
        **more,
    }
    also = {other: content[name] for other, name in OTHER_INPUT_NAMES.items()}
    summary = content["trace_summary"] or {}
    also |= {name: summary.get(name) for name in ("token_usage", "cost_usd", "duration_ms")}
    return finite_json({**also, **content})


def script_score(ended: ProgramResult, timeout_seconds: float) -> Score:
    """Return the score a script answered.

    Raises:
        ScriptReplyError: it ran too long, failed, or did not answer with a score from 0 to 1.
    """
    if ended.exceeded is not None:
        raise ScriptReplyError(f"the script {ended.exceeded}{_stderr(ended)}")
    if ended.timed_out:
        raise ScriptReplyError(
            f"the script ran longer than {timeout_seconds:g} s and was stopped{_stderr(ended)}"
        )
    if ended.exit_code != 0:
        raise ScriptReplyError(
            f"the script ended with exit code {ended.exit_code}{ended.hint}{_stderr(ended)}"
        )
    if ended.truncated:
        raise ScriptReplyError("the script wrote more than can be read")
    if not ended.stdout.strip():
        raise ScriptReplyError(
            f"the script wrote nothing to stdout, expected one JSON object{_stderr(ended)}"
        )
    try:
        reply = parse_json(ended.stdout)
    except NotJsonError as error:
        raise ScriptReplyError(
            f"the script's stdout is not one JSON object ({error}): {show_json(ended.stdout)}; "
            f"write anything else to stderr{_stderr(ended)}"
        ) from error
    if not isinstance(reply, dict):
        raise ScriptReplyError(f"the script answered {show_json(reply)}, expected a JSON object")
    hits, misses = _asserted(reply)
    score = nearest_score(_number(reply, hits, misses))
    details = dict(_optional(reply, "details", dict, "an object") or {})
    # These are ours to say.
    details.pop(AMBIGUOUS_REPLY, None)
    details.pop(GIVEN_SCORE, None)
    return Score.graded(
        score,
        hits=(*_texts(reply, "hits"), *hits),
        misses=(*_texts(reply, "misses"), *misses),
        reasoning=_optional(reply, "reasoning", str, "a text") or "",
        details=details,
    )


def _output_messages(subject: Subject) -> list[dict[str, Any]] | None:
    """Return the messages; None where they were not recorded, and without calls would mislead."""
    known = messages_known(subject.trace, subject.output_messages)
    return _dumped(subject.output_messages) if known else None


def _dumped(messages: Sequence[Message]) -> list[dict[str, Any]]:
    return [json_values(message, exclude_none=True) for message in messages]


def _stderr(ended: ProgramResult) -> str:
    tail = ended.stderr_tail()
    return f"; it wrote to stderr: {tail}" if tail else ""


def _number(reply: Mapping[str, Any], hits: Sequence[str], misses: Sequence[str]) -> float:
    """Return the score as it is given; without one, the share of assertions that are met."""
    score = reply.get("score")
    if "score" not in reply and (hits or misses):
        return len(hits) / (len(hits) + len(misses))
    if isinstance(score, bool) or not isinstance(score, int | float):
        problem = f"is {show_json(score)}" if "score" in reply else "is missing"
        raise ScriptReplyError(
            f"`score` {problem} in the script's answer, expected a number 0 to 1"
        )
    try:
        finite = math.isfinite(float(score))
    except OverflowError:  # a whole number of hundreds of digits
        finite = False
    # Numbers such as 1e999 are JSON, and infinite once read.
    if not finite:
        raise ScriptReplyError("`score` in the script's answer is not a finite number")
    if off_scale(score):
        raise ScriptReplyError(
            f"`score` is {shown_number(score)} in the script's answer, expected a number from 0 to 1: "
            "divide it by the highest score that the script gives"
        )
    return score


def _asserted(reply: Mapping[str, Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what `assertions` say was met and was not: each has `text`, `passed`, `evidence`."""
    assertions = reply.get("assertions") or []
    hits: list[str] = []
    misses: list[str] = []
    expected = "expected a list of objects with `text` and `passed`"
    if not isinstance(assertions, list):
        raise ScriptReplyError(
            f"`assertions` is {show_json(assertions)} in the script's answer, {expected}"
        )
    for assertion in assertions:
        text, passed = (
            (assertion.get("text"), assertion.get("passed"))
            if isinstance(assertion, dict)
            else (None, None)
        )
        evidence = assertion.get("evidence") if isinstance(assertion, dict) else None
        if not isinstance(text, str) or not isinstance(passed, bool):
            raise ScriptReplyError(
                f"`assertions` holds {show_json(assertion)} in the script's answer, {expected}"
            )
        message = f"{text}: {evidence}" if isinstance(evidence, str) and evidence.strip() else text
        (hits if passed else misses).append(message)
    return tuple(hits), tuple(misses)


def _texts(reply: Mapping[str, Any], key: str) -> tuple[str, ...]:
    texts = reply.get(key) or ()
    if not isinstance(texts, list | tuple) or not all(isinstance(text, str) for text in texts):
        raise ScriptReplyError(
            f"`{key}` is {show_json(texts)} in the script's answer, expected a list of texts"
        )
    return tuple(texts)


def _optional(reply: Mapping[str, Any], key: str, kind: type[Any], name: str) -> Any:
    value = reply.get(key)
    if value is not None and not isinstance(value, kind):
        raise ScriptReplyError(
            f"`{key}` is {show_json(value)} in the script's answer, expected {name}"
        )
    return value
