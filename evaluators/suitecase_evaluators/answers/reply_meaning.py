"""What a reply of a model means, by why it ended and by what is in it: the one place that decides it.

Providers have their own words for why an answer ends. Those that they document are listed; of others,
the words in them decide (`upstream_error`), and what says nothing of a failure is an answer.
"""

from __future__ import annotations

import re
from enum import StrEnum


class ReplyMeaning(StrEnum):
    """What a reply is, whoever was asked."""

    #: A whole answer: text, or calls of tools.
    ANSWERED = "answered"
    #: An answer that ends where it may not be longer.
    CUT_OFF = "cut off"
    #: The model, or its provider for it, refuses to answer.
    REFUSED = "refused"
    #: A filter of the provider ended the answer, or withheld it.
    FILTERED = "filtered"
    #: No answer: the call failed, though its response may have been HTTP 200.
    FAILED = "failed"


#: Reasons as they are compared: in lower case, words joined by underscores.
_ANSWERED = (
    "stop", "stop_sequence", "stop_sequence_reached", "end_turn", "eos", "eos_token",
    "complete", "completed", "finished", "finish", "done", "tool_calls", "tool_call",
    "tool_use", "function_call", "max_tool_calls_reached",
)  # fmt: skip
_CUT_OFF = (
    "length", "max_tokens", "max_token", "max_length", "max_output", "max_output_tokens",
    "token_limit", "model_length", "model_context_window_exceeded", "context_length_exceeded",
    "error_limit", "limit", "limit_reached", "compaction", "truncated", "incomplete",
    "repetition", "pause_turn", "time_limit", "continuation",
)  # fmt: skip
_REFUSED = ("refusal", "refused")
_FILTERED = (
    "content_filter", "content_filtered", "safety", "recitation", "blocklist",
    "prohibited_content", "spii", "language", "image_safety", "image_prohibited_content",
    "image_recitation", "guardrail_intervened", "guardrails", "sensitive", "error_toxic",
    "model_armor", "violation", "escalation",
)  # fmt: skip
_FAILED = (
    "error", "failed", "failure", "network_error", "insufficient_system_resource",
    "malformed_function_call", "malformed_tool_use", "malformed_model_output",
    "malformed_response", "unexpected_tool_call", "too_many_tool_calls",
    "missing_thought_signature", "other", "image_other", "no_image",
    "finish_reason_unspecified", "abort", "aborted", "cancel", "cancelled", "canceled",
    "user_cancel", "timeout", "unload", "load", "not_finished",
)  # fmt: skip

_MEANINGS = {
    **dict.fromkeys(_ANSWERED, ReplyMeaning.ANSWERED),
    **dict.fromkeys(_CUT_OFF, ReplyMeaning.CUT_OFF),
    **dict.fromkeys(_REFUSED, ReplyMeaning.REFUSED),
    **dict.fromkeys(_FILTERED, ReplyMeaning.FILTERED),
    **dict.fromkeys(_FAILED, ReplyMeaning.FAILED),
}
#: Parts of reasons that nobody documents, the first that is found decides.
_WORDS = (
    (ReplyMeaning.FAILED, re.compile(
        r"error|fail|malformed|abort|cancel|time_?out|unavailable|insufficient|interrupt|exception|"
        r"overload|unexpected|crash|disconnect|invalid|missing|unspecified|not_finished|too_many"
    )),
    (ReplyMeaning.FILTERED, re.compile(
        r"filter|safety|block|prohibit|sensitive|guardrail|recitation|moderat|toxic|policy|censor|unsafe"
    )),
    (ReplyMeaning.REFUSED, re.compile(r"refus")),
    (ReplyMeaning.CUT_OFF, re.compile(r"length|max_|limit|context|truncat|incomplete")),
)  # fmt: skip
_BETWEEN_WORDS = re.compile(r"(?<=[a-z])(?=[A-Z])|[\s\-.]+")


def reason_means(reason: str | None) -> ReplyMeaning:
    """Return what the provider's reason for the end of an answer means.

    Args:
        reason: as the provider says it, in any spelling (`MAX_TOKENS`, `maxTokens`, `Max tokens`); None,
            which older servers say of whole answers, means that it is one.
    """
    if not reason:
        return ReplyMeaning.ANSWERED
    # Gemini's interface for clients of OpenAI says `function_call_filter: MALFORMED_FUNCTION_CALL`.
    said = reason.rpartition(":")[2].strip() or reason
    folded = _BETWEEN_WORDS.sub("_", said.removeprefix("FinishReason.")).lower()
    known = _MEANINGS.get(folded)
    if known is not None:
        return known
    return next(
        (meaning for meaning, words in _WORDS if words.search(folded)), ReplyMeaning.ANSWERED
    )


def meaning_of(
    reason: str | None, *, says_something: bool, refuses: bool = False, of_model: bool = True
) -> ReplyMeaning:
    """Return what a reply means.

    Args:
        reason: why it ended, as the provider says.
        says_something: whether it has text apart from thinking, or calls of tools.
        refuses: whether the provider marks its text as a refusal.
        of_model: whether a model replied: a program may have nothing to say, a model that stops
            without a word has failed.
    """
    by_reason = reason_means(reason)
    if by_reason is ReplyMeaning.FAILED:
        return by_reason
    if refuses:
        return ReplyMeaning.REFUSED
    if by_reason is ReplyMeaning.ANSWERED and of_model and not says_something:
        return ReplyMeaning.FAILED
    return by_reason
