"""A server that says that a question does not fit the model's context, in its own words, is not asked again."""

from __future__ import annotations

import json
from typing import Any

import pytest

from support.servers.loopback_model import Make, question, refusal
from support.servers.openai import Answer, OpenAiServer

#: By server: the status, and the error that it documents or sends.
TOO_LONG: dict[str, tuple[int, Any]] = {
    "OpenAI": (
        400,
        {
            "error": {
                "message": "This model's maximum context length is 8192 tokens. However, your messages "
                "resulted in 9021 tokens.",
                "type": "invalid_request_error",
                "param": "messages",
                "code": "context_length_exceeded",
            }
        },
    ),
    "OpenAI, newer": (
        400,
        {"error": {"message": "Your input exceeds the context window of this model."}},
    ),
    "Anthropic": (
        400,
        {
            "type": "error",
            "error": {
                "type": "invalid_request_error",
                "message": "prompt is too long: 208310 tokens > 200000 maximum",
            },
        },
    ),
    "Anthropic, with the answer": (
        400,
        {
            "type": "error",
            "error": {
                "type": "invalid_request_error",
                "message": "input length and `max_tokens` exceed context limit: 199000 + 8000 > 200000",
            },
        },
    ),
    "Bedrock": (400, {"message": "Input is too long for requested model."}),
    "Google": (
        400,
        {
            "error": {
                "code": 400,
                "message": "The input token count (1200000) exceeds the maximum number of tokens allowed "
                "(1048576).",
                "status": "INVALID_ARGUMENT",
            }
        },
    ),
    "Mistral": (
        400,
        {
            "object": "error",
            "message": "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 "
            "maximum context length",
            "code": "3051",
        },
    ),
    "OpenRouter": (
        400,
        {
            "error": {
                "message": "This endpoint's maximum context length is 32768 tokens. However, you "
                "requested about 40000 tokens.",
                "code": 400,
            }
        },
    ),
    "Groq": (
        413,
        {"error": {"message": "Please reduce the length of the messages or completion."}},
    ),
    "xAI": (
        400,
        {
            "code": "Client specified an invalid argument",
            "error": "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
        },
    ),
    "Moonshot": (
        400,
        {"error": {"message": "Invalid request: Your request exceeded model token limit: 8192"}},
    ),
    "Zhipu": (400, {"error": {"code": "1261", "message": "Prompt exceeds max length"}}),
    "Cohere": (
        400,
        {
            "message": "too many tokens: total number of tokens in the prompt cannot exceed 4081 - "
            "received 5021."
        },
    ),
    "vLLM": (
        400,
        {
            "error": {
                "message": "The decoder prompt (length 5000) is longer than the maximum model length of "
                "4096.",
                "type": "BadRequestError",
                "code": 400,
            }
        },
    ),
    "llama.cpp": (
        400,
        {
            "error": {
                "code": 400,
                "message": "request (9021 tokens) exceeds the available context size (4096 tokens), try "
                "increasing it",
                "type": "exceed_context_size_error",
                "n_prompt_tokens": 9021,
                "n_ctx": 4096,
            }
        },
    ),
    "llama.cpp, older": (
        500,
        {
            "error": {
                "code": 500,
                "message": "context shift is disabled",
                "type": "server_error",
            }
        },
    ),
    "Ollama": (400, {"error": "the input length exceeds the context length"}),
    "LM Studio": (
        400,
        {
            "error": "Trying to keep the first 5021 tokens when context the overflows. However, the model "
            "is loaded with context length of only 4096 tokens."
        },
    ),
    "SGLang": (
        400,
        {
            "object": "error",
            "message": "The input (5021 tokens) is longer than the model's context length (4096 tokens).",
            "code": 400,
        },
    ),
    "TGI": (
        422,
        {
            "error": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: "
            "4021 `inputs` tokens and 100 `max_new_tokens`",
            "error_type": "validation",
        },
    ),
    "TGI, the question alone": (
        422,
        {"error": "Input validation error: `inputs` must have less than 4095 tokens. Given: 5021"},
    ),
}
#: Errors about other lengths.
OF_SOMETHING_ELSE: dict[str, tuple[int, Any]] = {
    "the answer": (
        400,
        {
            "error": {
                "message": "max_tokens is too large: 9000. This model supports at most 4096 completion "
                "tokens."
            }
        },
    ),
    "a name": (
        400,
        {
            "error": {
                "message": "Invalid 'tools[0].function.name': string too long. Expected a string with "
                "maximum length 64."
            }
        },
    ),
}


@pytest.mark.parametrize(("status", "said"), TOO_LONG.values(), ids=TOO_LONG)
async def test_a_question_that_does_not_fit_is_asked_once(
    model: Make, openai_server: OpenAiServer, status: int, said: Any
) -> None:
    openai_server.default = Answer(status=status, body=json.dumps(said).encode())
    error = await refusal(model(), question())
    assert "the question is longer than the model can read" in error.message
    assert error.kind == "rejected"
    assert len(openai_server.requests) == 1


@pytest.mark.parametrize(("status", "said"), OF_SOMETHING_ELSE.values(), ids=OF_SOMETHING_ELSE)
async def test_other_lengths_are_not_that_of_the_question(
    model: Make, openai_server: OpenAiServer, status: int, said: Any
) -> None:
    openai_server.default = Answer(status=status, body=json.dumps(said).encode())
    error = await refusal(model(), question())
    assert "longer than the model can read" not in error.message
