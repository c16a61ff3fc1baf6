"""What is decided elsewhere: by a classifier, a moderation service, guardrails, a web service or Pi."""

from __future__ import annotations

from typing import Final

from suitecase_evaluators.promptfoo.assertion_type import TEXT, AssertionType, Scale

_REASON: Final = "it sends the answer to a service"

WEBHOOK: Final = AssertionType(
    name="webhook",
    description="A web service decides: it gets the answer by POST, and returns `pass`, and also "
    "`score` and `reason` if it wants.",
    example="{type: webhook, value: 'https://example.com/grade'}",
    graded_by="code",
    not_run=_REASON,
    values=TEXT,
    value_required=True,
    sends_variables=True,
)

PI: Final = AssertionType(
    name="pi",
    description="The scoring service Pi grades the answer by this question.",
    example="{type: pi, value: Is the answer polite?, threshold: 0.8}",
    graded_by="model",
    not_run=_REASON,
    values=TEXT,
    value_required=True,
    threshold=Scale(default=0.5),
    negatable=False,
)

CLASSIFIER: Final = AssertionType(
    name="classifier",
    description="A classifier gives the answer this label with at least `threshold`; without a "
    "`value`, any label. Needs a classification provider.",
    example="{type: classifier, value: polite, threshold: 0.8, provider: 'huggingface:text-classification:distilbert'}",
    graded_by="classifier",
    not_run="it needs a model that classifies, which is not supported",
    values=TEXT,
    threshold=Scale(default=1),
    threshold_in_tables=0.75,
)

MODERATION: Final = AssertionType(
    name="moderation",
    description="A moderation service flags nothing in the answer; a `value` names the categories "
    "that count.",
    example="{type: moderation, value: [harassment]}",
    graded_by="classifier",
    not_run=_REASON,
    values=("list",),
)

GUARDRAILS: Final = AssertionType(
    name="guardrails",
    description="The guardrails of the provider did not flag the answer.",
    example="{type: guardrails}",
    graded_by="measure",
    not_run="targets do not report what their guardrails found",
)
