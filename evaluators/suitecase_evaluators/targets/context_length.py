"""How servers say that a question is longer than the model can read: each has words of its own."""

from __future__ import annotations

import re

_WORDS = (
    r"context_length_exceeded|maximum context length",  # OpenAI, DeepSeek, OpenRouter, vLLM, Mistral
    r"longer than the maximum model length|max_model_len",  # vLLM
    r"exceed_context_size|available context size|context shift is disabled",  # llama.cpp
    r"(?:prompt|input)(?: is)? too long|too long for (?:the )?requested model",  # Anthropic, Bedrock
    r"(?:input|prompt)(?: length)? exceed(?:s|ed) (?:the |max(?:imum)? )*(?:context|length)",  # Ollama, Zhipu
    r"longer than the (?:model's )?context length|greater than the context length",  # SGLang, LM Studio
    r"context the overflows|exceeds? (?:the )?context (?:window|length|size|limit)",  # LM Studio, Anthropic
    r"`inputs` tokens \+ `max_new_tokens` must be|`inputs` must have less than",  # TGI
    r"input token count .{0,40}exceeds the maximum number of tokens",  # Google
    r"reduce the length of the (?:messages|prompt)|too large for model with",  # Groq, Mistral
    r"maximum prompt length is|exceeded model token limit",  # xAI, Moonshot
    r"tokens in the prompt cannot exceed|number of input tokens \d+ cannot exceed",  # Cohere, watsonx
)
_TOO_LONG = re.compile("|".join(_WORDS), re.IGNORECASE)


def says_too_long(text: str) -> bool:
    """Whether the words of a server say that a question does not fit its context."""
    return _TOO_LONG.search(text) is not None
