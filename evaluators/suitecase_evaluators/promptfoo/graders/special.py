"""What promptfoo calls special types: it compares the answers of several rows, or a person decides."""

from __future__ import annotations

from typing import Final

from suitecase_evaluators.promptfoo.assertion_type import ANY, TEXT, AssertionType

_REASON: Final = "it compares the answers of several rows, which are graded one by one"

SELECT_BEST: Final = AssertionType(
    name="select-best",
    description="A model compares the answers of all prompts and providers by this text; only the "
    "best passes.",
    example="{type: select-best, value: The funniest}",
    graded_by="model",
    not_run=_REASON,
    values=TEXT,
    value_required=True,
    negatable=False,
    special=True,
)

MAX_SCORE: Final = AssertionType(
    name="max-score",
    description="Of the answers of all prompts and providers, only the one with the highest score "
    "of the other assertions passes.",
    example="{type: max-score, value: {method: average}}",
    graded_by="measure",
    not_run=_REASON,
    values=("mapping",),
    negatable=False,
    special=True,
)

HUMAN: Final = AssertionType(
    name="human",
    description="What a person said in the viewer. promptfoo writes it itself.",
    example="{type: human}",
    graded_by="measure",
    not_run="people judge it in promptfoo's viewer",
    values=ANY,
    negatable=False,
    special=True,
)
