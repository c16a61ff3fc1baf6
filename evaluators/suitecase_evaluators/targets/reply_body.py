"""The body of a model's response, in the forms that interfaces of models document.

An interface may send HTTP 200 and say in the body that the call failed: at its top, in a choice, or by
the reason for which the answer ended. Libraries lose that (litellm makes `stop` of most reasons), so the
body itself is read here, whoever asked. Nothing here raises, whatever the body is.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from suitecase_evaluators.answers.reply_meaning import ReplyMeaning, reason_means
from suitecase_evaluators.text.compact_json import compact_json

#: The HTTP status that says what an error's type or code in words says.
_STATUSES = {
    400: ("invalid_request_error", "invalid_argument", "bad_request", "badrequesterror", "validationexception"),
    401: ("authentication_error", "unauthenticated", "invalid_api_key", "unauthorized"),
    403: ("permission_error", "permission_denied", "forbidden", "accessdeniedexception"),
    404: ("not_found_error", "not_found", "model_not_found", "notfounderror", "resourcenotfoundexception"),
    408: ("timeout", "request_timeout", "deadline_exceeded", "timeout_error"),
    413: ("request_too_large",),
    429: (
        "rate_limit_error", "rate_limit_exceeded", "resource_exhausted", "too_many_requests", "insufficient_quota",
        "rate_limit", "throttlingexception", "requests", "tokens",
    ),
    500: ("api_error", "server_error", "internal_error", "internal", "internal_server_error", "internalservererror"),
    503: ("unavailable", "service_unavailable", "overloaded", "modelnotreadyexception"),
    529: ("overloaded_error",),
}  # fmt: skip
_STATUS_OF = {word: status for status, words in _STATUSES.items() for word in words}
#: Kinds of parts that are thinking.
_THINKING = frozenset(
    {"thinking", "reasoning", "redacted_thinking", "thought", "reasoning_content"}
)
#: By what the forms are told from applications' own, which may have choices or messages, too.
_OF_CHOICES = frozenset({"message", "text", "delta", "finish_reason"})
_OF_CHAT = frozenset({"object", "model", "usage", "id"})
_OF_CANDIDATES = frozenset({"content", "finishReason"})
_OF_GEMINI = frozenset({"promptFeedback", "usageMetadata"})
_OF_ENDS = frozenset({"done", "done_reason", "finish_reason", "stopReason"})
#: Lists within lists of parts are read so deep.
_DEEPEST = 8


@dataclass(frozen=True, slots=True)
class Failure:
    """What a body says of a call that failed: the HTTP status that it is equal to, if any, and its words."""

    status: int | None
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyBody:
    """What a body says."""

    #: Whether it has a place for an answer; if not, `failure` is all there is.
    has_answer: bool = True
    #: Whether it has the form of OpenAI's chat completions.
    is_chat: bool = False
    #: Whether the text was in parts, of which libraries may lose some.
    in_parts: bool = False
    text: str = ""
    thinking: str = ""
    refusal: str | None = None
    #: Whether tools are called.
    calls: bool = False
    #: Why the answer ended, in the provider's own words.
    reason: str | None = None
    failure: Failure | None = None


def read_body(body: bytes | bytearray | str) -> ReplyBody | None:
    """Return what a body in JSON says; None if it is in no form that is known."""
    try:
        return body_of(json.loads(body))
    except (ValueError, RecursionError):
        return None


def body_of(value: Any) -> ReplyBody | None:
    """Return what a value of JSON says; None if it is in no form that is known."""
    if isinstance(value, list) and value:
        value = value[0]  # Google's interfaces send errors in a list
    if not isinstance(value, Mapping):
        return None
    answer = _answer(value)
    failure = _failure_at_top(value)
    if failure is None:
        return answer
    return _failed(answer or ReplyBody(has_answer=False), failure)


def _answer(value: Mapping[str, Any]) -> ReplyBody | None:
    choices, content = value.get("choices"), value.get("content")
    is_chat = _has(choices, _OF_CHOICES) or (choices == [] and _OF_CHAT & value.keys())
    if is_chat and isinstance(choices, list):
        return _chat(choices)
    if _has(value.get("candidates"), _OF_CANDIDATES) or _OF_GEMINI & value.keys():
        return _gemini(value)
    output, message = value.get("output"), value.get("message")
    if isinstance(output, Mapping) and _is_message(output.get("message"), value):  # Bedrock
        return _one_message(output["message"], value.get("stopReason"))
    if isinstance(output, Mapping) and isinstance(output.get("choices"), list):  # DashScope
        return _chat(output["choices"])
    if isinstance(output, list) and value.get("object") == "response":
        return _response(value, output)
    if isinstance(content, list) and ("stop_reason" in value or value.get("type") == "message"):
        return _one_message(value, value.get("stop_reason"))
    if _is_message(message, value):  # Ollama, Cohere
        return _one_message(message, value.get("done_reason") or value.get("finish_reason"))
    if isinstance(value.get("response"), str) and "done" in value:  # Ollama's `generate`
        said = _text_of(value.get("thinking"))
        return _judged(text=value["response"], thinking=said, reason=value.get("done_reason"))
    if isinstance(content, str) and ("stop_type" in value or "stopped_eos" in value):  # llama.cpp
        reason = value.get("stop_type") or ("length" if value.get("truncated") else None)
        return _judged(text=content, reason="stop" if reason == "word" else reason)
    return None


def _is_message(message: Any, whole: Mapping[str, Any]) -> bool:
    """Whether a value is the message of a model: it has a role, or the body says why it ended."""
    return isinstance(message, Mapping) and ("role" in message or bool(_OF_ENDS & whole.keys()))


def _has(items: Any, keys: frozenset[str]) -> bool:
    """Whether the first item of a list is a mapping with one of some keys."""
    first = items[0] if isinstance(items, list) and items else None
    return isinstance(first, Mapping) and bool(keys & first.keys())


def _chat(choices: list[Any]) -> ReplyBody:
    """Read OpenAI's chat completions, which most others send."""
    choice = choices[0] if choices else None
    if not isinstance(choice, Mapping):
        return _failed(ReplyBody(is_chat=True), Failure(None, "it sent a reply without an answer"))
    message = choice.get("message")
    found = message if isinstance(message, Mapping) else {}
    text, thinking, refusal = _parts(found.get("content", choice.get("text")))
    beside = found.get("reasoning_content") or found.get("reasoning") or found.get("thinking")
    own_refusal = found.get("refusal")
    read = _judged(
        is_chat=True,
        in_parts=not isinstance(found.get("content"), str | None),
        text=text,
        thinking=_joined(_text_of(beside), thinking),
        refusal=(own_refusal if isinstance(own_refusal, str) and own_refusal else None)
        or refusal
        or None,
        calls=bool(found.get("tool_calls") or found.get("function_call")),
        reason=_true_reason(choice),
    )
    error = _error(choice.get("error")) or _error(found.get("error"))
    return read if error is None else _failed(read, error)


def _true_reason(choice: Mapping[str, Any]) -> Any:
    """Return why a choice ended; where a gateway made `stop` of it, what the provider had said."""
    reason = choice.get("finish_reason")
    beside = choice.get("provider_specific_fields")
    native = choice.get("native_finish_reason") or (
        beside.get("native_finish_reason") if isinstance(beside, Mapping) else None
    )
    if not isinstance(native, str) or not isinstance(reason, str):
        return reason
    hidden = reason_means(reason) is ReplyMeaning.ANSWERED is not reason_means(native)
    return native if hidden else reason


def _gemini(value: Mapping[str, Any]) -> ReplyBody:
    candidates = value.get("candidates")
    candidate = candidates[0] if isinstance(candidates, list) and candidates else None
    if not isinstance(candidate, Mapping):
        feedback = value.get("promptFeedback")
        blocked = feedback.get("blockReason") if isinstance(feedback, Mapping) else None
        # Whatever blocked the prompt is a filter, also `OTHER`.
        return _judged(reason=f"content_filter_{blocked}" if isinstance(blocked, str) else None)
    reason = candidate.get("finishReason")
    read = _one_message(candidate.get("content"), reason)
    words = candidate.get("finishMessage")
    if read.failure is not None and isinstance(words, str) and words:
        return _failed(read, Failure(read.failure.status, f"{words} ({reason})"))
    return read


def _response(value: Mapping[str, Any], items: list[Any]) -> ReplyBody:
    """Read OpenAI's Responses."""
    messages = [item for item in items if isinstance(item, Mapping)]
    content = [
        part
        for message in messages
        if message.get("type") == "message"
        for part in [message.get("content")]
    ]
    text, thinking, refusal = _parts(content)
    thought = [
        message.get("summary") or message.get("content")
        for message in messages
        if message.get("type") == "reasoning"
    ]
    incomplete = value.get("incomplete_details")
    reason = incomplete.get("reason") if isinstance(incomplete, Mapping) else None
    return _judged(
        text=text,
        thinking=_joined(_text_of(thought), thinking),
        refusal=refusal or None,
        calls=any(str(message.get("type")).endswith("_call") for message in messages),
        reason=reason or value.get("status"),
    )


def _one_message(message: Any, reason: Any) -> ReplyBody:
    found = message if isinstance(message, Mapping) else {}
    content = found.get("content", found.get("parts"))
    text, thinking, refusal = _parts(content)
    parts = content if isinstance(content, list) else ()
    calls = bool(found.get("tool_calls")) or any(
        isinstance(part, Mapping)
        and (
            part.get("type") in ("tool_use", "server_tool_use")
            or "toolUse" in part
            or "functionCall" in part
        )
        for part in parts
    )
    return _judged(
        text=text,
        thinking=_joined(
            _text_of(found.get("thinking") or found.get("reasoning_content")), thinking
        ),
        refusal=refusal or None,
        calls=calls,
        reason=reason,
    )


def _judged(*, reason: Any = None, **fields: Any) -> ReplyBody:
    """Return what was read, failed if the reason says so."""
    said = reason if isinstance(reason, str) and reason else None
    read = ReplyBody(reason=said, **fields)
    if reason_means(said) is ReplyMeaning.FAILED:
        return _failed(read, Failure(None, f"the answer ended with `{said}`"))
    return read


def _failed(read: ReplyBody, failure: Failure) -> ReplyBody:
    return replace(read, failure=failure)


def _failure_at_top(value: Mapping[str, Any]) -> Failure | None:
    found = _error(value.get("error"))
    if found is not None:
        return found
    errors = value.get("errors")
    if value.get("success") is False or (
        isinstance(errors, list) and errors and not _has_answer(value)
    ):
        first = errors[0] if isinstance(errors, list) and errors else value
        return _error(first) or Failure(None, "it reports an error")
    if value.get("object") == "error" or value.get("type") == "error":
        return _error(value) or Failure(None, "it reports an error")
    base = value.get("base_resp")
    if isinstance(base, Mapping) and base.get("status_code") not in (0, None):
        return Failure(None, _words(base) or "it reports an error")
    if value.get("error_code") or value.get("error_msg"):
        return Failure(_status(value.get("error_code")), _words(value) or "it reports an error")
    if not _has_answer(value) and "code" in value and isinstance(value.get("message"), str):
        return Failure(_status(value["code"]), value["message"])  # DashScope, Bedrock
    return None


def _has_answer(value: Mapping[str, Any]) -> bool:
    return any(value.get(name) for name in ("choices", "candidates", "output", "content", "result"))


def _error(value: Any) -> Failure | None:
    """Return what an `error` says; None if there is none."""
    if isinstance(value, str) and value.strip():
        return Failure(None, value)
    if isinstance(value, list) and value:
        return _error(value[0])
    if not isinstance(value, Mapping) or not value:
        return Failure(None, "it reports an error") if value is True else None
    inner = value.get("error")
    if isinstance(inner, Mapping) and inner:
        return _error(inner)
    codes = (value.get(name) for name in ("code", "status", "status_code", "error_code", "type"))
    status = next((code for code in map(_status, codes) if code is not None), None)
    words = _words(value) or compact_json(dict(value))
    metadata = value.get("metadata")
    # OpenRouter's own message is often no more than "Provider returned error".
    raw = metadata.get("raw") if isinstance(metadata, Mapping) else None
    return Failure(status, f"{words}: {raw}" if isinstance(raw, str) and raw else words)


def _words(value: Mapping[str, Any]) -> str:
    names = (
        "message",
        "msg",
        "error_msg",
        "status_msg",
        "detail",
        "details",
        "description",
        "type",
        "code",
    )
    found = (value.get(name) for name in names)
    return next((words for words in found if isinstance(words, str) and words.strip()), "")


def _status(code: Any) -> int | None:
    """Return the HTTP status that a code stands for, which may be a number or a word."""
    if isinstance(code, bool):
        return None
    if isinstance(code, str):
        known = _STATUS_OF.get(code.strip().lower())
        if known is not None:
            return known
        code = int(code) if code.isascii() and code.isdigit() and len(code) == 3 else None
    return code if isinstance(code, int) and 400 <= code <= 599 else None


def _parts(content: Any) -> tuple[str, str, str]:
    """Return the text, the thinking and the refusal in a content: a text, or a list of parts."""
    said: dict[str, list[str]] = {"text": [], "thinking": [], "refusal": []}
    for kind, text in _told(content, 0):
        said[kind].append(text)
    return "".join(said["text"]), "\n".join(said["thinking"]), "".join(said["refusal"])


def _told(content: Any, depth: int) -> Iterator[tuple[str, str]]:
    if isinstance(content, str):
        yield "text", content
    elif isinstance(content, list) and depth < _DEEPEST:
        for part in content:
            yield from _told(part, depth + 1)
    elif isinstance(content, Mapping):
        kind, text = str(content.get("type") or ""), content.get("text")
        if kind in _THINKING or content.get("thought") is True or "reasoningContent" in content:
            thought = _text_of(content)
            if thought:
                yield "thinking", thought
        elif kind == "refusal" or isinstance(content.get("refusal"), str):
            yield "refusal", str(content.get("refusal") or text or "")
        elif isinstance(text, str):
            yield "text", text
        elif isinstance(text, Mapping) and isinstance(
            text.get("value"), str
        ):  # OpenAI's Assistants
            yield "text", text["value"]
        elif not kind and isinstance(content.get("parts"), list) and depth < _DEEPEST:
            yield from _told(content["parts"], depth + 1)


def _text_of(value: Any, depth: int = 0) -> str:
    """Return the text in a part that is thinking, whatever it is called."""
    if isinstance(value, str):
        return value
    if depth == _DEEPEST:
        return ""
    if isinstance(value, list):
        return "\n".join(filter(None, (_text_of(part, depth + 1) for part in value)))
    if not isinstance(value, Mapping):
        return ""
    names = (
        "thinking",
        "text",
        "reasoning",
        "summary",
        "content",
        "reasoningContent",
        "reasoningText",
    )
    found = (_text_of(value.get(name), depth + 1) for name in names)
    return next(filter(None, found), "")


def _joined(*texts: str) -> str:
    return "\n".join(filter(None, texts))
