"""The assertion types of promptfoo that are not supported, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final


@dataclass(frozen=True, slots=True)
class Refused:
    """Why an assertion cannot be graded, for people."""

    message: str


_EMBEDDINGS: Final = "it needs embeddings, which are not supported"
_ALL_ANSWERS: Final = "it compares the answers of several rows, which are graded one by one"
_SPANS: Final = "it needs the spans of a trace, which are not collected"
_STEPS: Final = "it needs the steps of an agent, which are not collected"
_TOOLS: Final = "it needs the tools of the provider, which are not known here"
_LOG_PROBABILITIES: Final = "it needs log probabilities, which targets do not report"
_CONTEXT: Final = "its retrieval steps are not supported"
_SQL: Final = "no parser accepts the same SQL as valid"
_SERVICE: Final = "it sends the answer to a service"

#: By promptfoo's type without `not-`. A reason completes the message `TYPE is not supported:`.
REASONS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "agent-rubric": "an agent with tools grades",
        "answer-relevance": _EMBEDDINGS,
        "classifier": "it needs a model that classifies, which is not supported",
        "contains-sql": _SQL,
        "context-faithfulness": _CONTEXT,
        "context-recall": _CONTEXT,
        "context-relevance": _CONTEXT,
        "conversation-relevance": "it needs a conversation of several turns",
        "guardrails": "targets do not report what their guardrails found",
        "human": "people judge it in promptfoo's viewer",
        "is-html": "no parser reads HTML as browsers do",
        "is-sql": _SQL,
        "is-valid-function-call": _TOOLS,
        "is-valid-openai-function-call": _TOOLS,
        "is-valid-openai-tools-call": _TOOLS,
        "max-score": _ALL_ANSWERS,
        "meteor": "it needs the word lists of WordNet and their stemmer, which are not supported",
        "moderation": _SERVICE,
        "perplexity": _LOG_PROBABILITIES,
        "perplexity-score": _LOG_PROBABILITIES,
        "pi": _SERVICE,
        "rouge-n": "which words it counts depends on the version of js-rouge that is installed",
        "ruby": "scripts in Ruby are not supported",
        "search-rubric": "a model that can search the web grades",
        "select-best": _ALL_ANSWERS,
        "similar": _EMBEDDINGS,
        "similar:cosine": _EMBEDDINGS,
        "similar:dot": _EMBEDDINGS,
        "similar:euclidean": _EMBEDDINGS,
        "skill-used": _STEPS,
        "tool-call-f1": _STEPS,
        "trace-error-spans": _SPANS,
        "trace-span-count": _SPANS,
        "trace-span-duration": _SPANS,
        "trajectory:goal-success": _STEPS,
        "trajectory:step-count": _STEPS,
        "trajectory:tool-args-match": _STEPS,
        "trajectory:tool-sequence": _STEPS,
        "trajectory:tool-used": _STEPS,
        "webhook": _SERVICE,
    }
)
#: Types of red teams, of which there are hundreds.
RED_TEAM: Final = "promptfoo:redteam:"
