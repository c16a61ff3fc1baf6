"""The ways to a model that are asked for replies: directly, through litellm, over HTTP alone."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from suitecase_evaluators.answers.reply_meaning import ReplyMeaning
from suitecase_evaluators.answers.row import Row
from suitecase_evaluators.targets.config import read_target
from suitecase_evaluators.targets.config.http import HttpConfig
from suitecase_evaluators.targets.factory import make_target
from suitecase_evaluators.targets.http import HttpTarget
from suitecase_evaluators.targets.target import Question, Reply, Target, TargetError, Turn

#: What only litellm knows to do.
_BY_LITELLM = {"params": {"caching": False}}
_OPENAI = {"model": "openai/anything"}
#: By provider, the entries by which it is asked, by way; `{url}` is the server's address.
_ENTRIES: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "OpenAI": {"direct": _OPENAI, "litellm": {**_OPENAI, **_BY_LITELLM}},
    "Azure": {"direct": _OPENAI, "litellm": {"model": "azure/gpt-4o", "params": {"api_version": "2024-12-01-preview"}}},
    "Anthropic": {
        "direct": {"model": "anthropic/claude-sonnet-4-5"},
        "litellm": {"model": "anthropic/claude-sonnet-4-5", **_BY_LITELLM},
    },
    "Google": {"litellm": {"model": "gemini/gemini-2.5-flash"}},
    "Bedrock": {
        "litellm": {
            "model": "bedrock/converse/anthropic.claude-3-5-sonnet-20240620-v1:0",
            "params": {
                "aws_access_key_id": "AKIAEXAMPLE",
                "aws_secret_access_key": "example",
                "aws_region_name": "us-east-1",
                "aws_bedrock_runtime_endpoint": "{url}",
            },
        }
    },
    "OpenRouter": {"direct": _OPENAI, "litellm": {"model": "openrouter/some/model"}},
    "Mistral": {"direct": _OPENAI, "litellm": {"model": "mistral/mistral-small-latest"}},
    "DeepSeek": {"direct": _OPENAI, "litellm": {"model": "deepseek/deepseek-chat"}},
    "vLLM": {"direct": {"model": "hosted_vllm/m"}, "litellm": {"model": "hosted_vllm/m", **_BY_LITELLM}},
    "Ollama": {"litellm": {"model": "ollama_chat/m"}},
}  # fmt: skip
_COMPATIBLE = _ENTRIES["OpenAI"]
#: Where promptfoo's provider `http` finds the answer of those that do not speak OpenAI's protocol.
_PATHS: Mapping[str, tuple[str | int, ...]] = {
    "Anthropic": ("json", "content", 0, "text"),
    "Google": ("json", "candidates", 0, "content", "parts", 0, "text"),
    "Bedrock": ("json", "output", "message", "content", 0, "text"),
    "Ollama": ("json", "message", "content"),
}
_CHAT_PATH = ("json", "choices", 0, "message", "content")
_ROW = Row(
    dialect="promptfoo", test="1", prompt_label="p", prompt="Capital?", provider="http", request=()
)


def ways_to(provider: str, url: str) -> dict[str, Target]:
    """Return the targets that ask a provider, by way.

    Args:
        url: the address of the server that replies as the provider does.
    """
    targets: dict[str, Target] = {}
    for way, entry in _ENTRIES.get(provider, _COMPATIBLE).items():
        written = {
            "name": "there",
            "provider": "litellm",
            "api_base": url,
            "api_key": "sk-none-0123456789",
        }
        whole = json.dumps({**written, "retry": {"max_retries": 0}, **entry})
        config = read_target(json.loads(whole.replace("{url}", url)))
        targets[way] = make_target(config, folder=Path(), environ=os.environ)
    path = _PATHS.get(provider, _CHAT_PATH)
    http = {"name": "there", "provider": "http", "method": "POST", "url": url, "answer_path": path}
    targets["http"] = HttpTarget(HttpConfig.model_validate({**http, "retry": {"max_retries": 0}}))
    return targets


async def asked(target: Target) -> Reply | TargetError:
    """Ask a target, and return its reply or why it has none."""
    row = _ROW if isinstance(target, HttpTarget) else None
    question = Question(eval_id="a", turns=(Turn("user", "Capital of France?"),), row=row)
    try:
        return await target.ask(question)
    except TargetError as error:
        return error


def read_as(reply: Reply | TargetError) -> ReplyMeaning:
    """Return what a reply means."""
    return ReplyMeaning.FAILED if isinstance(reply, TargetError) else reply.meaning
