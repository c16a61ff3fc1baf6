"""Assertions on the question, and on the context that was retrieved for it."""

from __future__ import annotations

from typing import Final

from suitecase_evaluators.promptfoo.assertion_type import TEXT, AssertionType, Scale

_REASON: Final = "its retrieval steps are not supported"

ANSWER_RELEVANCE: Final = AssertionType(
    name="answer-relevance",
    description="How much the answer is about the question: the variable `query`, or the prompt.",
    example="{type: answer-relevance, threshold: 0.8}",
    graded_by="model",
    not_run="it needs embeddings, which are not supported",
    threshold=Scale(default=0),
    threshold_in_tables=0.75,
    negatable=False,
)

CONTEXT_FAITHFULNESS: Final = AssertionType(
    name="context-faithfulness",
    description="How much of the answer the context supports. Needs the variables `query` and "
    "`context`, or `contextTransform`.",
    example="{type: context-faithfulness, threshold: 0.8}",
    graded_by="model",
    not_run=_REASON,
    threshold=Scale(default=0),
    threshold_in_tables=0.75,
    own_keys=("contextTransform",),
    negatable=False,
    reads=("context", "query"),
)

CONTEXT_RECALL: Final = AssertionType(
    name="context-recall",
    description="How much of this expected answer the context has. Needs the variable `context`, or"
    " `contextTransform`.",
    example="{type: context-recall, value: The limit is 500 dollars, threshold: 0.8}",
    graded_by="model",
    not_run=_REASON,
    values=TEXT,
    value_required=True,
    threshold=Scale(default=0),
    threshold_in_tables=0.75,
    own_keys=("contextTransform",),
    negatable=False,
    reads=("context", "query"),
)

CONTEXT_RELEVANCE: Final = AssertionType(
    name="context-relevance",
    description="How much of the context is about the question. Needs the variables `query` and "
    "`context`, or `contextTransform`.",
    example="{type: context-relevance, threshold: 0.8}",
    graded_by="model",
    not_run=_REASON,
    threshold=Scale(default=0),
    threshold_in_tables=0.75,
    own_keys=("contextTransform",),
    negatable=False,
    reads=("context", "query"),
)

CONVERSATION_RELEVANCE: Final = AssertionType(
    name="conversation-relevance",
    description="How many of the turns of the conversation are about what was asked.",
    example="{type: conversation-relevance, threshold: 0.8}",
    graded_by="model",
    not_run="it needs a conversation of several turns",
    threshold=Scale(default=0.5),
)
