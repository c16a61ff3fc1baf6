"""A judge's reply as a results file kept it, or as it can be made again from what was kept."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from suitecase_evaluators.answers.records.answered_by import AnsweredBy
from suitecase_evaluators.answers.records.details import AMBIGUOUS_REPLY, GIVEN_SCORE
from suitecase_evaluators.answers.records.graded import EvaluatorRecord
from suitecase_evaluators.answers.rubric import TOP
from suitecase_evaluators.targets.redactor import Redactor
from suitecase_evaluators.targets.target import (
    CUT_OFF,
    Criterion,
    Judging,
    Question,
    Reply,
    TargetError,
    written_tokens,
)

#: A score of a range item inside a text, such as `7/10`.
_SCORE = re.compile(r"(?:^|score:?|\()\s*+(10|\d)/10\b", re.IGNORECASE)
#: How a reply ends of which not all was recorded.
_CUT = re.compile(r"\.\.\. \(\d+ more characters left out\)\Z")

#: The details of a score that say why each of its judge's replies ends and how many tokens it has, if
#: one of them does not simply end, and why the judge was not asked again.
FINISH_REASONS = "finish_reasons"
OUTPUT_TOKENS = "output_tokens"
NOT_RETRIED = "not_retried"
#: How a reply ends that is complete.
FINISHED = "stop"

#: The detail of a result that has what its evaluator asked and was replied, where nothing else of
#: the result does: a list of `asked`, a digest of a question, and `reply`.
EXCHANGES = "exchanges"


#: How a version that recorded no reasons of ending says that a reply was cut off.
_WAS_CUT_OFF = re.compile(r"it was cut off(?: after ([\d,]+) tokens)?")


@dataclass(frozen=True, slots=True)
class RecordedReply:
    """A judge's reply, or why there is none."""

    text: str | None
    problem: str = ""
    finish_reason: str | None = None
    #: The tokens of the reply.
    written: int | None = None
    #: What was wrong with a reply of which only a part was recorded.
    reply_problem: str | None = None
    #: The question was not answered, or not put, for the reason that `problem` has.
    refused: bool = False
    #: The judge was asked again after this reply.
    has_further: bool = False


def digest_of_question(question: Question, redact: Redactor) -> str:
    """Return the digest that identifies a question in records and replays."""
    turns = json.dumps([question.model, *((turn.role, turn.text) for turn in question.turns)])
    # Redacted: not even a digest of a secret may leave the process.
    return hashlib.sha256(redact(turns).encode(errors="surrogatepass")).hexdigest()


def recorded_reply(record: Mapping[str, Any], judging: Judging, attempt: int = 1) -> RecordedReply:
    """Return what the judge of a recorded case replied the first time, the second, the third.

    The evaluator's own record is looked for where the evaluator stands, and by its name where the
    suite has another structure today. Records without any evaluator's are those of a single judge.
    """
    found = _result(record, judging)
    if isinstance(found, RecordedReply):
        return found
    details = _details(found)
    replies = details.get("replies")
    if isinstance(replies, list):
        if attempt <= len(replies) and isinstance(replies[attempt - 1], str):
            reply = replies[attempt - 1]
            partly = "missing_items" in details
            decided = attempt == len(replies) and (partly or not found.get("parse_failed"))
            if not (decided and _CUT.search(reply)):
                return _as_given(reply, details, attempt)
        elif isinstance(details.get(NOT_RETRIED), str):
            return RecordedReply(None, details[NOT_RETRIED], refused=True)
        elif GIVEN_SCORE in details or AMBIGUOUS_REPLY in details:
            # A version that asked nobody again for these took the reply as it was.
            return RecordedReply(None, "no further reply was recorded", refused=True)
        elif not found.get("error"):
            times = "once" if len(replies) == 1 else f"{len(replies)} times"
            return RecordedReply(
                None,
                f"no further reply for the evaluator `{judging.evaluator}`, whose judge was called "
                f"{times}: its replies do not match the current prompt",
            )
    elif attempt > 1 or "schema_version" in record:
        return RecordedReply(
            None,
            f"no judge's reply for the evaluator `{judging.evaluator}` that matches the current "
            "prompt",
        )
    if not isinstance(found.get("score"), int | float):
        why = f": {found['error']}" if found.get("error") else ""
        return RecordedReply(
            None, f"no score of the evaluator `{judging.evaluator}`, which failed to grade{why}"
        )
    return RecordedReply(_made_again(found, judging))


def _as_given(reply: str, details: Mapping[str, Any], attempt: int) -> RecordedReply:
    """Return a recorded reply with what reading it depends on."""
    problem = _entry(details, "reply_problems", attempt)
    reason, written = (
        _entry(details, FINISH_REASONS, attempt),
        _entry(details, OUTPUT_TOKENS, attempt),
    )
    if FINISH_REASONS not in details and isinstance(problem, str):
        cut_off = _WAS_CUT_OFF.match(problem)
        if cut_off is not None:
            reason = CUT_OFF
            written = int(cut_off[1].replace(",", "")) if cut_off[1] else None
    return RecordedReply(
        reply,
        finish_reason=reason if isinstance(reason, str) else None,
        written=written if isinstance(written, int) else None,
        reply_problem=problem if isinstance(problem, str) and _CUT.search(reply) else None,
        has_further=attempt < len(details["replies"]),
    )


def _entry(details: Mapping[str, Any], name: str, attempt: int) -> Any:
    """Return what a list of the details has of an attempt."""
    listed = details.get(name)
    return listed[attempt - 1] if isinstance(listed, list) and attempt <= len(listed) else None


def judging_prompt(record: Mapping[str, Any], judging: Judging) -> str | None:
    """Return what the judge of a recorded case was asked; None where that was not recorded."""
    found = _result(record, judging)
    request = None if isinstance(found, RecordedReply) else found.get("evaluator_provider_request")
    prompt = request.get("user_prompt") if isinstance(request, Mapping) else None
    return prompt if isinstance(prompt, str) else None


def exchange_of(question: Question, reply: Reply | TargetError, redact: Redactor) -> dict[str, Any]:
    """Return a question and its reply as records have them; `exchanged` reads them.

    Args:
        reply: an error where the question was refused.
    """
    asked = {"asked": digest_of_question(question, redact)}
    if isinstance(reply, TargetError):
        return {**asked, "refused": redact(reply.message)}
    if reply.finish_reason in (None, FINISHED):
        return {**asked, "reply": reply.text}
    ending = {"finish_reason": reply.finish_reason, "output_tokens": written_tokens(reply)}
    return {**asked, "reply": reply.text, **ending}


def exchanged(record: Mapping[str, Any], prompt: str) -> list[RecordedReply]:
    """Return what was replied to a question of an evaluator, each time that it was put.

    Args:
        prompt: what tells the question from others, as `digest_of_question` returns it.
    """
    found: list[RecordedReply] = []
    for result in _results(record.get("evaluator_results")):
        listed = _details(result).get(EXCHANGES)
        for exchange in listed if isinstance(listed, list) else ():
            if isinstance(exchange, Mapping) and exchange.get("asked") == prompt:
                found += _reply_of(exchange)
    return [
        replace(reply, has_further=number < len(found)) for number, reply in enumerate(found, 1)
    ]


def _reply_of(exchange: Mapping[str, Any]) -> list[RecordedReply]:
    """Return the reply of an exchange, in a list; an empty one if it has none."""
    text, refused = exchange.get("reply"), exchange.get("refused")
    if isinstance(refused, str):
        return [RecordedReply(None, refused, refused=True)]
    if not isinstance(text, str):
        return []
    reason, written = exchange.get("finish_reason"), exchange.get("output_tokens")
    return [
        RecordedReply(
            text,
            finish_reason=reason if isinstance(reason, str) else None,
            written=written if isinstance(written, int) else None,
        )
    ]


def recorded_judge_of(
    record: Mapping[str, Any], question: Judging | str
) -> tuple[AnsweredBy | None, str | None]:
    """Return who gave a recorded reply of a judge, and the reported model; None where not known.

    Args:
        question: what was judged, or what tells a question from others, as `digest_of_question`
            returns it.
    """
    for result in _listed(record.get("evaluator_results")):
        if isinstance(question, Judging):
            found = result.get("name") == (*question.within, question.evaluator)[0]
        else:
            found = question in (exchange.get("asked") for exchange in _exchanges(result))
        if found:
            recorded = EvaluatorRecord(result)
            return recorded.judged_by, recorded.reported_model
    return None, None


def _exchanges(result: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for own in _results([result]):
        yield from _listed(_details(own).get(EXCHANGES))


def _result(record: Mapping[str, Any], judging: Judging) -> Mapping[str, Any] | RecordedReply:
    """Return the result of the evaluator that judges, or why there is none."""
    results = record.get("evaluator_results")
    if results is None:
        results = record.get("scores")
    listed = list(_listed(results))
    if not listed:
        return record
    level = listed
    for name in judging.within:
        level = [inner for it in level if it.get("name") == name for inner in _members(it)]
    named = [it for it in level if it.get("name") == judging.evaluator]
    if len(named) != 1:
        every = list(_results(results))
        named = [it for it in every if it.get("name") == judging.evaluator]
        if not named:
            known = ", ".join(f"`{it.get('name')}`" for it in every)
            return RecordedReply(
                None, f"no result of the evaluator `{judging.evaluator}`; it has those of {known}"
            )
    if len(named) > 1:
        return RecordedReply(
            None,
            f"{len(named)} results of evaluators named `{judging.evaluator}`, but none at its "
            "current position",
        )
    return named[0]


def _made_again(result: Mapping[str, Any], judging: Judging) -> str:
    """Return a reply that says what a result says."""
    if all(criterion.mode == "free" for criterion in judging.criteria):
        reply = {
            "reasoning": result.get("reasoning") or "",
            "hits": list(_texts(result.get("hits"))),
            "misses": list(_texts(result.get("misses"))),
            "score": result["score"],
        }
    else:
        reply = {
            "checks": list(_checks(result, _details(result), judging.criteria)),
            "overall_reasoning": result.get("reasoning") or "",
        }
    return json.dumps(reply, ensure_ascii=False)


def _details(result: Mapping[str, Any]) -> Mapping[str, Any]:
    details = result.get("details")
    return details if isinstance(details, Mapping) else {}


def _listed(value: Any) -> Iterator[Mapping[str, Any]]:
    for item in value if isinstance(value, list) else ():
        if isinstance(item, Mapping):
            yield item


def _members(result: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the results of a composite's members, wherever the version that wrote it keeps them."""
    yield from _listed(result.get("evaluator_results"))
    details = _details(result)
    yield from _listed(details.get("evaluator_results"))
    yield from _listed(details.get("members"))


def _results(value: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the results of evaluators, each before those of its members."""
    for item in _listed(value):
        yield item
        yield from _results(list(_members(item)))


def _checks(
    result: Mapping[str, Any], details: Mapping[str, Any], criteria: tuple[Criterion, ...]
) -> Iterator[dict[str, Any]]:
    """Yield a check for each criterion that the result says something about."""
    raw = details.get("raw_scores")
    raw = raw if isinstance(raw, Mapping) else {}
    hits, misses = list(_texts(result.get("hits"))), list(_texts(result.get("misses")))
    quotes = {item.get("item"): item.get("quote") for item in _listed(result.get("quotes"))}
    for criterion in criteria:
        hit, miss = _about(criterion.id, hits), _about(criterion.id, misses)
        text = hit if hit is not None else miss
        if (text is None and criterion.id not in raw) or raw.get(criterion.id, text) is None:
            continue
        check: dict[str, Any] = {"id": criterion.id, "reasoning": text or ""}
        if criterion.id in quotes:
            check["quote"] = quotes[criterion.id]
        if criterion.mode == "range":
            check["score"] = _range_score(raw.get(criterion.id), text or "", hit is not None)
        else:
            check["satisfied"] = hit is not None
        yield check


def _range_score(raw: Any, text: str, hit: bool) -> int:
    """Return the judge's score; the top score or 0 if only a hit or a miss is recorded."""
    if isinstance(raw, int) and not isinstance(raw, bool) and 0 <= raw <= TOP:
        return raw
    score = _SCORE.search(text)
    if score is not None:
        return int(score[1])
    return TOP if hit else 0


def _about(criterion_id: str, texts: list[str]) -> str | None:
    start = f"[{criterion_id}] "
    return next((text.removeprefix(start) for text in texts if text.startswith(start)), None)


def _texts(value: Any) -> Iterator[str]:
    for item in value if isinstance(value, list) else ():
        if isinstance(item, str):
            yield item
