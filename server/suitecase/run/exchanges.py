"""Judges' replies, added to the details of a score that does not already contain them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from suitecase.run.record_model import KEPT_OF_TEXT
from suitecase_evaluators.answers.score import Score
from suitecase_evaluators.grade.judge.dialogue import kept_reply
from suitecase_evaluators.targets.recorded_judge import EXCHANGES, NOT_RETRIED, exchange_of
from suitecase_evaluators.targets.redactor import Redactor
from suitecase_evaluators.targets.target import Question, Reply, TargetError


def with_exchanges(
    score: Score, exchanges: Sequence[tuple[Question, Reply | TargetError]], redact: Redactor
) -> Score:
    """Return a score whose details contain all replies, so that it can be replayed.

    An `llm_judge` stores its judge's replies itself; scripts and evaluators of packages may not.
    Replies over the length limit of records are left out.

    Args:
        exchanges: pairs of a question and the reply, or why the question was refused.
    """
    recorded = set(_replies(score.details))
    missing = [
        exchange_of(question, reply, redact)
        for question, reply in exchanges
        if _is_missing(reply, score.details, recorded)
    ]
    if not missing:
        return score
    return replace(score, details={**score.details, EXCHANGES: missing})


def _is_missing(reply: Reply | TargetError, details: Mapping[str, Any], recorded: set[str]) -> bool:
    """Whether details lack a reply that can be recorded, or that a question was refused."""
    if isinstance(reply, TargetError):
        return NOT_RETRIED not in details
    return kept_reply(reply.text) not in recorded and len(reply.text) <= KEPT_OF_TEXT


def _replies(details: Mapping[str, Any]) -> Iterator[str]:
    """Yield the replies in details, including those of a composite's members."""
    replies = details.get("replies")
    yield from (
        (member for member in replies if isinstance(member, str))
        if isinstance(replies, list)
        else ()
    )
    members = details.get("members")
    for member in members if isinstance(members, list) else ():
        inner = member.get("details") if isinstance(member, Mapping) else None
        if isinstance(inner, Mapping):
            yield from _replies(inner)
