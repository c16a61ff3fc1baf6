"""The answer in a model's response, whoever asked, or why it has none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from suitecase_evaluators.answers.reply_meaning import ReplyMeaning, meaning_of, reason_means
from suitecase_evaluators.answers.thinking import without_thinking
from suitecase_evaluators.targets.reply_body import Failure, ReplyBody


class FailedReplyError(Exception):
    """A response says that the call failed, or has no answer; its words are the text.

    `status_code` is the HTTP status that the failure is equal to, None if it says none.
    """

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.words)
        self.status_code = failure.status
        self.headers: Mapping[str, str] = {}
        self.body = failure.words


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAnswer:
    """What a model said; `calls` are the calls of tools as OpenAI's protocol has them."""

    text: str
    thinking: str = ""
    refusal: str | None = None
    calls: Sequence[Any] = ()
    #: Why it ended, in OpenAI's word where there is one that means the same.
    finish_reason: str | None = None
    #: The provider's own word, if it is another and the answer is not a whole one.
    native_reason: str | None = None


def answer_of(response: Any, body: ReplyBody | None, *, of_judge: bool = False) -> ModelAnswer:
    """Return the answer in a response.

    Args:
        response: with the fields of OpenAI's chat completions.
        body: what the body of the response says; None if it is not known.
        of_judge: whether it is read for a verdict, of which there may be drafts.

    Raises:
        FailedReplyError: the call failed, or there is neither text nor a call of a tool.
    """
    if body is not None and body.failure is not None:
        raise FailedReplyError(body.failure)
    choices: Any = getattr(response, "choices", None)
    message = choices[0].message if choices else None
    if message is None:
        raise FailedReplyError(Failure(None, "it sent a reply without an answer"))
    said = None if body is not None and body.in_parts else getattr(message, "content", None)
    refusal = _refusal(message) or (body.refusal if body is not None else None)
    text = said if isinstance(said, str) and said else (body.text if body is not None else "")
    thought = without_thinking(text, of_judge=of_judge)
    beside = body.thinking if body is not None else ""
    beside = beside or _text(getattr(message, "reasoning_content", None))
    # A library that took the same thinking out of the text has it beside it.
    thinking = (
        beside
        if thought.thinking in beside
        else "\n\n".join(filter(None, (beside, thought.thinking)))
    )
    finish_reason, native = _reasons(_text(choices[0].finish_reason), body)
    answer = ModelAnswer(
        text=(thought.answer.lstrip() if thinking else thought.answer) or refusal or "",
        thinking=thinking,
        refusal=refusal,
        calls=_calls(message),
        finish_reason=finish_reason,
        native_reason=native,
    )
    says_something = bool(answer.text.strip() or answer.calls)
    meaning = meaning_of(finish_reason, says_something=says_something, refuses=bool(refusal))
    if meaning is ReplyMeaning.FAILED:
        raise FailedReplyError(Failure(None, _why_none(answer, says_something=says_something)))
    return answer


def _why_none(answer: ModelAnswer, *, says_something: bool) -> str:
    reason = answer.finish_reason
    if reason_means(reason) is ReplyMeaning.FAILED or says_something:
        return f"the answer ended with `{reason}`"
    what = (
        "it sent nothing but thinking"
        if answer.thinking
        else "it sent an empty answer, with no text and no call of a tool"
    )
    return f"{what} (finish_reason: {reason or 'none'})"


def _reasons(mapped: str | None, body: ReplyBody | None) -> tuple[str | None, str | None]:
    """Return the reason to record, and the provider's own if it says more."""
    native = body.reason if body is not None else None
    if native is None or native == mapped:
        return mapped, None
    if mapped is None or reason_means(mapped) is not reason_means(native):
        return native, None
    whole = reason_means(native) is ReplyMeaning.ANSWERED
    return mapped, None if whole else native


def _calls(message: Any) -> Sequence[Any]:
    calls = getattr(message, "tool_calls", None)
    if calls:
        return list(calls)
    # What `tool_calls` was called before; some servers still send it.
    legacy = getattr(message, "function_call", None)
    return [_Called(legacy)] if getattr(legacy, "name", None) else []


class _Called:
    """A call in the older form, as one in the newer."""

    id = None

    def __init__(self, function: Any) -> None:
        self.function = function


def _refusal(message: Any) -> str | None:
    """Return why the model refuses to answer, which is a separate field in OpenAI's responses."""
    own = getattr(message, "refusal", None)
    beside = getattr(message, "provider_specific_fields", None)
    found = own or (beside.get("refusal") if isinstance(beside, Mapping) else None)
    return found if isinstance(found, str) else None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
