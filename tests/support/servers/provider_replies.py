"""Replies of models as their providers document them, by provider and by form.

A form is what a reply is: an answer, one in parts, cut off, a failure within HTTP 200, and so on. A
provider that does not document a form has none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from suitecase_evaluators.answers.reply_meaning import ReplyMeaning

ANSWER, THOUGHT = "Paris", "Lyon? No."

#: What each form is to be read as.
FORMS: Mapping[str, ReplyMeaning] = {
    "answer": ReplyMeaning.ANSWERED,
    "parts": ReplyMeaning.ANSWERED,
    "thinking in the text": ReplyMeaning.ANSWERED,
    "thinking beside": ReplyMeaning.ANSWERED,
    "call of a tool": ReplyMeaning.ANSWERED,
    "cut off": ReplyMeaning.CUT_OFF,
    "cut off while thinking": ReplyMeaning.CUT_OFF,
    "refused": ReplyMeaning.REFUSED,
    "filtered": ReplyMeaning.FILTERED,
    "failed": ReplyMeaning.FAILED,
    "failed halfway": ReplyMeaning.FAILED,
    "error": ReplyMeaning.FAILED,
    "empty": ReplyMeaning.FAILED,
    "only thinking": ReplyMeaning.FAILED,
}
_USAGE = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
_CALL = {
    "id": "call_1",
    "type": "function",
    "function": {"name": "search", "arguments": '{"q": "capital"}'},
}
Bodies = dict[str, Any]


def _chat(
    content: Any,
    reason: str | None = "stop",
    *,
    choice: Mapping[str, Any] | None = None,
    **message: Any,
) -> Any:
    """A chat completion of OpenAI's protocol."""
    return {
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [
            {
                "index": 0, "message": {"role": "assistant", "content": content, **message}, "finish_reason": reason,
                **(choice or {}),
            }
        ],
        "usage": _USAGE,
    }  # fmt: skip


def _with_thinking(content: str, key: str) -> Any:
    """A chat completion with thinking beside its content."""
    completion = _chat(content)
    completion["choices"][0]["message"][key] = THOUGHT
    return completion


def _compatible(
    *, beside: str = "reasoning_content", failed: str = "error", error: Any = None
) -> Bodies:
    """The forms of a server that speaks OpenAI's protocol."""
    tagged = f"<think>\n{THOUGHT}\n</think>\n\n"
    return {
        "answer": _chat(ANSWER),
        "parts": _chat([{"type": "text", "text": "Par"}, {"type": "text", "text": "is"}]),
        "thinking in the text": _chat(tagged + ANSWER),
        "thinking beside": _with_thinking(ANSWER, beside),
        "call of a tool": _chat(None, "tool_calls", tool_calls=[_CALL]),
        "cut off": _chat("Par", "length"),
        "cut off while thinking": _chat(f"<think>\n{THOUGHT}", "length"),
        "filtered": _chat("", "content_filter"),
        "failed": _chat("", failed),
        "failed halfway": _chat("The capital is", failed),
        "error": {"error": error or {"message": "it is down", "type": "server_error", "code": 503}},
        "empty": _chat(""),
        "only thinking": _with_thinking("", beside),
    }


def _anthropic() -> Bodies:
    def message(reason: str, *content: Mapping[str, Any]) -> Any:
        return {
            "id": "msg_1", "type": "message", "role": "assistant", "model": "claude", "content": content,
            "stop_reason": reason, "stop_sequence": None, "usage": {"input_tokens": 11, "output_tokens": 7},
        }  # fmt: skip

    def text(words: str) -> Mapping[str, Any]:
        return {"type": "text", "text": words}

    thinking = {"type": "thinking", "thinking": THOUGHT, "signature": "c2ln"}
    return {
        "answer": message("end_turn", text(ANSWER)),
        "parts": message("end_turn", text("Par"), text("is")),
        "thinking in the text": message(
            "end_turn", text(f"<thinking>{THOUGHT}</thinking>{ANSWER}")
        ),
        "thinking beside": message("end_turn", thinking, text(ANSWER)),
        "call of a tool": message(
            "tool_use", {"type": "tool_use", "id": "t", "name": "search", "input": {"q": 1}}
        ),
        "cut off": message("model_context_window_exceeded", text("Par")),
        "cut off while thinking": message("max_tokens", thinking),
        "refused": message("refusal"),
        "error": {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
        "empty": message("end_turn"),
        "only thinking": message("end_turn", thinking),
    }


def _gemini() -> Bodies:
    def candidate(reason: str, *parts: Mapping[str, Any], **more: Any) -> Any:
        content = {"content": {"role": "model", "parts": parts}} if parts else {}
        usage = {"promptTokenCount": 11, "candidatesTokenCount": 7, "totalTokenCount": 18}
        found = {**content, "finishReason": reason, "index": 0, **more}
        return {
            "candidates": [found],
            "usageMetadata": usage,
            "modelVersion": "m",
            "responseId": "r",
        }

    thought = {"text": THOUGHT, "thought": True}
    return {
        "answer": candidate("STOP", {"text": ANSWER}),
        "parts": candidate("STOP", {"text": "Par"}, {"text": "is"}),
        "thinking in the text": candidate(
            "STOP", {"text": f"<thought>{THOUGHT}</thought>{ANSWER}"}
        ),
        "thinking beside": candidate("STOP", thought, {"text": ANSWER}),
        "call of a tool": candidate(
            "STOP", {"functionCall": {"name": "search", "args": {"q": "capital"}}}
        ),
        "cut off": candidate("MAX_TOKENS", {"text": "Par"}),
        "cut off while thinking": candidate("MAX_TOKENS", thought),
        "filtered": candidate("SAFETY"),
        "failed": candidate(
            "MALFORMED_FUNCTION_CALL", finishMessage="Malformed function call: search("
        ),
        "failed halfway": candidate("OTHER", {"text": "The capital is"}),
        "error": [
            {"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}}
        ],
        "empty": candidate("STOP"),
        "only thinking": candidate("STOP", thought),
    }


def _bedrock() -> Bodies:
    def message(reason: str, *content: Mapping[str, Any]) -> Any:
        return {
            "output": {"message": {"role": "assistant", "content": content}}, "stopReason": reason,
            "usage": {"inputTokens": 11, "outputTokens": 7, "totalTokens": 18}, "metrics": {"latencyMs": 5},
        }  # fmt: skip

    thinking = {"reasoningContent": {"reasoningText": {"text": THOUGHT, "signature": "c2ln"}}}
    return {
        "answer": message("end_turn", {"text": ANSWER}),
        "parts": message("end_turn", {"text": "Par"}, {"text": "is"}),
        "thinking in the text": message(
            "end_turn", {"text": f"<thinking>{THOUGHT}</thinking>{ANSWER}"}
        ),
        "thinking beside": message("end_turn", thinking, {"text": ANSWER}),
        "call of a tool": message(
            "tool_use", {"toolUse": {"toolUseId": "t", "name": "search", "input": {"q": "capital"}}}
        ),
        "cut off": message("max_tokens", {"text": "Par"}),
        "cut off while thinking": message("max_tokens", thinking),
        "filtered": message("guardrail_intervened", {"text": "It cannot be said."}),
        "failed": message("malformed_model_output"),
        "failed halfway": message("malformed_tool_use", {"text": "The capital is"}),
        "error": {"message": "Too many requests, please wait.", "code": "ThrottlingException"},
        "empty": message("end_turn"),
        "only thinking": message("end_turn", thinking),
    }


def _ollama() -> Bodies:
    def message(content: str, reason: str = "stop", **more: Any) -> Any:
        return {
            "model": "m", "created_at": "2026-01-01T00:00:00Z", "done": True, "done_reason": reason,
            "message": {"role": "assistant", "content": content, **more}, "prompt_eval_count": 11, "eval_count": 7,
        }  # fmt: skip

    return {
        "answer": message(ANSWER),
        "thinking in the text": message(f"<think>{THOUGHT}</think>\n\n{ANSWER}"),
        "thinking beside": message(ANSWER, thinking=THOUGHT),
        "call of a tool": message(
            "", tool_calls=[{"function": {"name": "search", "arguments": {"q": 1}}}]
        ),
        "cut off": message("Par", "length"),
        "cut off while thinking": message(f"<think>{THOUGHT}", "length"),
        "failed": message("", "load"),
        "error": {"error": "model runner has unexpectedly stopped"},
        "empty": message(""),
        "only thinking": message("", thinking=THOUGHT),
    }


def _openai() -> Bodies:
    bodies = _compatible()
    bodies["refused"] = _chat(None, refusal="I cannot help with that.")
    bodies["error"] = {
        "error": {"message": "Slow down", "type": "requests", "code": "rate_limit_exceeded"}
    }
    return bodies


def _azure() -> Bodies:
    filtered = {"content_filter_results": {"hate": {"filtered": True, "severity": "high"}}}
    # The filter could not be asked; the answer is whole.
    unfiltered = {
        "content_filter_result": {
            "error": {"code": "content_filter_error", "message": "not filtered"}
        }
    }
    return {
        **_openai(),
        "answer": _chat(ANSWER, choice=unfiltered),
        "filtered": _chat("", "content_filter", choice=filtered),
    }


def _openrouter() -> Bodies:
    down = {
        "error": {
            "code": 502,
            "message": "Provider returned error",
            "metadata": {"raw": "upstream is idle"},
        }
    }
    return {
        **_compatible(beside="reasoning"),
        "failed": _chat("", "error", choice=down),
        "failed halfway": _chat(
            "The capital is", "error", choice={**down, "native_finish_reason": "error"}
        ),
        "error": {"error": {"code": 429, "message": "Rate limit exceeded: free-models-per-day"}},
    }


def _mistral() -> Bodies:
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": THOUGHT}]}
    text = {"type": "text", "text": ANSWER}
    return {
        **_compatible(),
        "thinking in the text": _chat(f"[THINK]{THOUGHT}[/THINK]{ANSWER}"),
        "thinking beside": _chat([thinking, text]),
        "cut off": _chat("Par", "model_length"),
        "cut off while thinking": _chat([thinking], "length"),
        "error": {
            "object": "error",
            "message": "Service unavailable.",
            "type": "unavailable",
            "code": "503",
        },
        "only thinking": _chat([thinking]),
    }


def _gpt_oss() -> Bodies:
    """A server that leaves the channels of gpt-oss in the text."""
    analysis = f"<|channel|>analysis<|message|>{THOUGHT}"
    return {
        **_compatible(),
        "thinking in the text": _chat(
            f"{analysis}<|end|><|start|>assistant<|channel|>final<|message|>{ANSWER}"
        ),
        "cut off while thinking": _chat(analysis, "length"),
        "only thinking": _chat(f"{analysis}<|end|>"),
        "error": {
            "object": "error",
            "message": "it is down",
            "type": "InternalServerError",
            "code": 500,
        },
    }


def _gemini_for_openai() -> Bodies:
    """Google's interface for clients of OpenAI."""
    return {
        **_compatible(failed="function_call_filter: MALFORMED_FUNCTION_CALL"),
        "thinking in the text": _chat(f"<thought>{THOUGHT}</thought>{ANSWER}"),
        "filtered": _chat("", "content_filter: PROHIBITED_CONTENT"),
        "error": [{"error": {"code": 503, "message": "overloaded", "status": "UNAVAILABLE"}}],
    }


def _litellm_proxy() -> Bodies:
    """A gateway that makes `stop` of the reasons that it does not know."""

    def hidden(reason: str) -> Mapping[str, Any]:
        return {"provider_specific_fields": {"native_finish_reason": reason}}

    return {
        **_compatible(),
        "failed": _chat("", "stop", choice=hidden("network_error")),
        "failed halfway": _chat("The capital is", "stop", choice=hidden("MALFORMED_RESPONSE")),
    }


#: By provider, its forms.
REPLIES: Mapping[str, Bodies] = {
    "OpenAI": _openai(),
    "Azure": _azure(),
    "Anthropic": _anthropic(),
    "Google": _gemini(),
    "Google for OpenAI's clients": _gemini_for_openai(),
    "Bedrock": _bedrock(),
    "OpenRouter": _openrouter(),
    "Mistral": _mistral(),
    "DeepSeek": _compatible(failed="insufficient_system_resource"),
    "Zhipu": {**_compatible(failed="network_error"), "filtered": _chat("", "sensitive")},
    "vLLM": _compatible(beside="reasoning", failed="abort"),
    "vLLM with gpt-oss": _gpt_oss(),
    "llama.cpp": _compatible(
        error={"code": 500, "message": "Failed to parse", "type": "server_error"}
    ),
    "Ollama": _ollama(),
    "Ollama for OpenAI's clients": _compatible(beside="reasoning", failed="load"),
    "LiteLLM's gateway": _litellm_proxy(),
}
