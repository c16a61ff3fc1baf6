"""Types of assertions that a model, an embedding or a classifier decides."""

from __future__ import annotations

from typing import Final

from suitecase.formats.promptfoo.suite.assertions.assertion_type import (
    ANY,
    TEXT,
    TEXTS,
    AssertionType,
    Scale,
    score,
)

BY_MODELS: Final = (
    # Models that grade
    AssertionType(
        name="llm-rubric",
        description="A model grades the answer by this text.",
        values=("text", "mapping", "list"),
        value_required=True,
        threshold=score(),
        graded_by="model",
        example="{type: llm-rubric, value: Is polite and names a price}",
    ),
    AssertionType(
        name="g-eval",
        description="A model first derives steps from this criterion, then grades by them; of several "
        "criteria the mean counts.",
        values=TEXTS,
        value_required=True,
        threshold=score(0.7),
        graded_by="model",
        example="{type: g-eval, value: Is coherent and says nothing twice, threshold: 0.8}",
    ),
    AssertionType(
        name="factuality",
        description="A model compares the facts of the answer with those of this text.",
        values=TEXT,
        value_required=True,
        negatable=False,
        graded_by="model",
        example="{type: factuality, value: The capital of France is Paris.}",
    ),
    AssertionType(
        name="model-graded-factuality",
        description="An older name of `factuality`.",
        values=TEXT,
        value_required=True,
        negatable=False,
        graded_by="model",
        example="{type: factuality, value: The capital of France is Paris.}",
    ),
    AssertionType(
        name="model-graded-closedqa",
        description="A model says whether the answer meets this criterion.",
        values=TEXT,
        value_required=True,
        negatable=False,
        graded_by="model",
        example="{type: model-graded-closedqa, value: Does not mention prices}",
    ),
    AssertionType(
        name="answer-relevance",
        description="How much the answer is about the question: the variable `query`, or the prompt.",
        threshold=score(0),
        negatable=False,
        graded_by="model",
        example="{type: answer-relevance, threshold: 0.8}",
    ),
    AssertionType(
        name="context-faithfulness",
        description="How much of the answer the context supports. Needs the variables `query` and "
        "`context`, or `contextTransform`.",
        threshold=score(0),
        negatable=False,
        graded_by="model",
        example="{type: context-faithfulness, threshold: 0.8}",
    ),
    AssertionType(
        name="context-recall",
        description="How much of this expected answer the context has. Needs the variable `context`, or "
        "`contextTransform`.",
        values=TEXT,
        value_required=True,
        threshold=score(0),
        negatable=False,
        graded_by="model",
        example="{type: context-recall, value: The limit is 500 dollars, threshold: 0.8}",
    ),
    AssertionType(
        name="context-relevance",
        description="How much of the context is about the question. Needs the variables `query` and "
        "`context`, or `contextTransform`.",
        threshold=score(0),
        negatable=False,
        graded_by="model",
        example="{type: context-relevance, threshold: 0.8}",
    ),
    AssertionType(
        name="conversation-relevance",
        description="How many of the turns of the conversation are about what was asked.",
        threshold=score(0.5),
        graded_by="model",
        example="{type: conversation-relevance, threshold: 0.8}",
    ),
    AssertionType(
        name="search-rubric",
        description="A model that can search the web grades the answer by this text.",
        values=TEXT,
        value_required=True,
        threshold=score(),
        graded_by="model",
        example="{type: search-rubric, value: Names the current price}",
    ),
    AssertionType(
        name="agent-rubric",
        description="An agent that can read files and run commands grades the answer by this text.",
        values=("text", "mapping", "list"),
        value_required=True,
        threshold=score(),
        graded_by="model",
        example="{type: agent-rubric, value: The tests in the workspace pass}",
    ),
    AssertionType(
        name="pi",
        description="The scoring service Pi grades the answer by this question.",
        values=TEXT,
        value_required=True,
        threshold=score(0.5),
        negatable=False,
        graded_by="model",
        example="{type: pi, value: Is the answer polite?, threshold: 0.8}",
    ),
    AssertionType(
        name="select-best",
        description="A model compares the answers of all prompts and providers by this text; only the best "
        "passes.",
        values=TEXT,
        value_required=True,
        negatable=False,
        graded_by="model",
        example="{type: select-best, value: The funniest}",
    ),
    AssertionType(
        name="max-score",
        description="Of the answers of all prompts and providers, only the one with the highest score of "
        "the other assertions passes.",
        values=("mapping",),
        negatable=False,
        graded_by="measure",
        example="{type: max-score, value: {method: average}}",
    ),
    AssertionType(
        name="human",
        description="What a person said in the viewer. promptfoo writes it itself.",
        values=ANY,
        negatable=False,
        graded_by="measure",
        example="{type: human}",
    ),
    # Embeddings and classifiers
    AssertionType(
        name="similar",
        description="The embedding of the answer is near that of this text, or of one of several, by "
        "cosine.",
        values=TEXTS,
        value_required=True,
        threshold=Scale(-1, 1, "similarity, -1 to 1", default=0.75),
        graded_by="embedding",
        example="{type: similar, value: The parcel arrives tomorrow, threshold: 0.8}",
    ),
    AssertionType(
        name="similar:cosine",
        description="The same as `similar`.",
        values=TEXTS,
        value_required=True,
        threshold=Scale(-1, 1, "similarity, -1 to 1", default=0.75),
        graded_by="embedding",
        example="{type: 'similar:cosine', value: The parcel arrives tomorrow, threshold: 0.8}",
    ),
    AssertionType(
        name="similar:dot",
        description="As `similar`, by the dot product.",
        values=TEXTS,
        value_required=True,
        threshold=Scale(None, None, "dot product", default=0.75),
        graded_by="embedding",
        example="{type: 'similar:dot', value: The parcel arrives tomorrow, threshold: 0.8}",
    ),
    AssertionType(
        name="similar:euclidean",
        description="The distance of the embedding of the answer to that of this text is at most "
        "`threshold`.",
        values=TEXTS,
        value_required=True,
        threshold=Scale(0, None, "distance", default=0.75, is_limit=True),
        graded_by="embedding",
        example="{type: 'similar:euclidean', value: The parcel arrives tomorrow, threshold: 0.5}",
    ),
    AssertionType(
        name="classifier",
        description="A classifier gives the answer this label with at least `threshold`; without a `value`, "
        "any label. Needs a classification provider.",
        values=TEXT,
        threshold=score(1),
        graded_by="classifier",
        example="{type: classifier, value: polite, threshold: 0.8, "
        "provider: 'huggingface:text-classification:distilbert'}",
    ),
    AssertionType(
        name="moderation",
        description="A moderation service flags nothing in the answer; a `value` names the categories that "
        "count.",
        values=("list",),
        graded_by="classifier",
        example="{type: moderation, value: [harassment]}",
    ),
    AssertionType(
        name="guardrails",
        description="The guardrails of the provider did not flag the answer.",
        graded_by="measure",
        example="{type: guardrails}",
    ),
)
