"""The files of a first configuration of promptfoo."""

from __future__ import annotations

from suitecase.format.starting.starter_file import StarterFile
from suitecase.format.starting.target import StarterTarget, UnknownTargetError

#: promptfoo's names of litellm's providers, where there is one for chats.
_PREFIXES = {
    "openai": "openai:chat",
    "anthropic": "anthropic:messages",
    "gemini": "google",
    "mistral": "mistral",
    "ollama": "ollama:chat",
    "ollama_chat": "ollama:chat",
    "azure": "azure:chat",
    "bedrock": "bedrock",
    "vertex_ai": "vertex",
    "openrouter": "openrouter",
    "groq": "groq",
    "deepseek": "deepseek",
    "xai": "xai",
    "cohere": "cohere",
    "perplexity": "perplexity",
    "together_ai": "togetherai",
    "fireworks_ai": "fireworks",
    "cerebras": "cerebras",
}
_CONFIGURATION = """\
# yaml-language-server: $schema=https://promptfoo.dev/config-schema.json
description: Answers of the assistant of a shoe shop
prompts:
  - file://prompts/answer.txt
providers:
  - {provider}
{grader}\
tests:
  # A comparison of texts: no model grades it.
  - description: Says when the shop opens
    vars:
      question: When do you open on Monday?
    assert:
      - type: contains
        value: "9:00"
{by_model}"""
_BY_MODEL = """\
  # A model grades this one.
  - description: Refunds a late parcel
    vars:
      question: My parcel came two weeks late. I want my money back.
    assert:
      - type: llm-rubric
        value: Says sorry, and says that the full price is refunded within 5 working days
"""
_GRADER = """\
defaultTest:
  options:
    provider: {provider} # grades what `llm-rubric` asks for
"""
_PROMPT = """\
You answer the customers of a shoe shop. It is open from 9:00 to 18:00, Monday to Saturday.
If a parcel comes late, the full price is refunded within 5 working days.

Question: {{ question }}
"""
_PROGRAM = """\
\"\"\"Answers one question: put the program that you want to evaluate here.\"\"\"

print("We open at 9:00.")
"""


def start_files(target: StarterTarget, folder_name: str) -> tuple[StarterFile, ...]:
    """Return a configuration and its prompt.

    Raises:
        UnknownTargetError: promptfoo has no name for the target that is known here.
    """
    provider = _provider(target)
    is_model = target.kind == "model"
    text = _CONFIGURATION.format(
        provider=provider,
        grader=_GRADER.format(provider=provider) if is_model else "",
        by_model=_BY_MODEL if is_model else "",
    )
    files = (
        StarterFile("promptfooconfig.yaml", text),
        StarterFile("prompts/answer.txt", _PROMPT),
    )
    return (*files, StarterFile("bot.py", _PROGRAM)) if target.kind == "cli" else files


def _provider(target: StarterTarget) -> str:
    if target.kind == "mock":
        return "echo # answers with the prompt itself; for a model: openai:chat:gpt-4o-mini"
    if target.kind == "cli":
        return '"exec:python3 bot.py"'
    prefix = _PREFIXES.get(target.provider)
    if prefix is None:
        raise UnknownTargetError(
            f"how promptfoo names the models of {target.provider} is not known here; choose one of "
            f"{', '.join(_PREFIXES)}, and change `providers` afterwards"
        )
    return f"{prefix}:{target.model.partition('/')[2]}"
