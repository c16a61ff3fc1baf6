"""Judges' replies, added to the details of a score that does not already contain them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from suitecase.run.record_model import KEPT_OF_TEXT
from suitecase_evaluators.judge.dialogue import kept_reply
from suitecase_evaluators.score import Score
from suitecase_evaluators.targets.recorded_judge import EXCHANGES, digest_of_question
from suitecase_evaluators.targets.redactor import Redactor
from suitecase_evaluators.targets.target import Question


def with_exchanges(
    score: Score, exchanges: Sequence[tuple[Question, str]], redact: Redactor
) -> Score:
    """Return a score whose details contain all replies, so that it can be replayed.

    An `llm_judge` stores its judge's replies itself; scripts and evaluators of packages may not.
    Replies over the length limit of records are left out.

    Args:
        exchanges: pairs of a question and the reply.
    """
    recorded = set(_replies(score.details))
    missing = [
        {"asked": digest_of_question(question, redact), "reply": reply}
        for question, reply in exchanges
        if kept_reply(reply) not in recorded and len(reply) <= KEPT_OF_TEXT
    ]
    if not missing:
        return score
    return replace(score, details={**score.details, EXCHANGES: missing})


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
