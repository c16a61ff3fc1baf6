"""What a judging script is told on stdin and answers on stdout: one JSON object each."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from suitecase_evaluators.evaluator import Subject
from suitecase_evaluators.json_values import NotJsonError, parse_json, show_json
from suitecase_evaluators.message import Message
from suitecase_evaluators.program import ProgramResult
from suitecase_evaluators.score import Score
from suitecase_evaluators.trace_summary import trace_summary


class ScriptReplyError(Exception):
    """A script did not answer as the contract has it. `message` is for people."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


def script_input(subject: Subject, config: Mapping[str, Any] | None, **more: Any) -> str:
    """Return what a script reads, as one line of JSON.

    Args:
        more: keys beside those every script gets.
    """
    return json.dumps(
        {
            "question": subject.question,
            "expected_outcome": subject.expected_outcome,
            "expected_messages": _dumped(subject.expected_messages),
            "reference_answer": subject.reference_answer,
            "candidate_answer": subject.candidate_answer,
            "output_messages": _dumped(subject.output_messages),
            "guideline_files": list(subject.guideline_files),
            "input_files": list(subject.input_files),
            "input_messages": _dumped(subject.input_messages),
            "trace_summary": trace_summary(subject.trace, subject.output_messages),
            "sidecar": subject.sidecar,
            "config": None if config is None else dict(config),
            **more,
        }
    )


def script_score(ended: ProgramResult, timeout_seconds: float) -> Score:
    """Return the score a script answered, its `score` taken to the nearest of 0..1.

    Raises:
        ScriptReplyError: it ran too long, failed, or did not answer with a score.
    """
    if ended.timed_out:
        raise ScriptReplyError(
            f"the script ran longer than {timeout_seconds:g} s and was stopped{_stderr(ended)}"
        )
    if ended.exceeded is not None:
        raise ScriptReplyError(f"the script {ended.exceeded}{_stderr(ended)}")
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
    return Score.graded(
        _number(reply),
        hits=_texts(reply, "hits"),
        misses=_texts(reply, "misses"),
        reasoning=_optional(reply, "reasoning", str, "a text") or "",
        details=_optional(reply, "details", dict, "an object") or {},
    )


def _dumped(messages: Sequence[Message]) -> list[dict[str, Any]]:
    return [it.model_dump(mode="json", exclude_none=True) for it in messages]


def _stderr(ended: ProgramResult) -> str:
    tail = ended.stderr_tail()
    return f"; it wrote to stderr: {tail}" if tail else ""


def _number(reply: Mapping[str, Any]) -> float:
    """Return the score, taken to the nearest of 0..1."""
    score = reply.get("score")
    if isinstance(score, bool) or not isinstance(score, int | float):
        said = f"is {show_json(score)}" if "score" in reply else "is missing"
        raise ScriptReplyError(f"`score` {said} in the script's answer, expected a number 0 to 1")
    # Numbers such as 1e999 are JSON, and infinite once read.
    if isinstance(score, float) and not math.isfinite(score):
        raise ScriptReplyError("`score` in the script's answer is no finite number")
    return float(min(1, max(0, score)))


def _texts(reply: Mapping[str, Any], key: str) -> tuple[str, ...]:
    texts = reply.get(key) or ()
    if not isinstance(texts, list | tuple) or not all(isinstance(it, str) for it in texts):
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
