"""How near the embedding of an answer is to those of texts."""

from __future__ import annotations

from typing import Final

from suitecase_evaluators.promptfoo.assertion_type import TEXTS, AssertionType, Scale

_REASON: Final = "it needs embeddings, which are not supported"

SIMILAR: Final = AssertionType(
    name="similar",
    description="The embedding of the answer is near that of this text, or of one of several, by "
    "cosine.",
    example="{type: similar, value: The parcel arrives tomorrow, threshold: 0.8}",
    graded_by="embedding",
    not_run=_REASON,
    values=TEXTS,
    value_required=True,
    threshold=Scale(minimum=-1, unit="similarity, -1 to 1", default=0.75),
    threshold_in_tables=0.75,
    also_called=("semantic-similarity", "similarity"),
    rank=110,
)

SIMILAR_COSINE: Final = AssertionType(
    name="similar:cosine",
    description="The same as `similar`.",
    example="{type: 'similar:cosine', value: The parcel arrives tomorrow, threshold: 0.8}",
    graded_by="embedding",
    not_run=_REASON,
    values=TEXTS,
    value_required=True,
    threshold=Scale(minimum=-1, unit="similarity, -1 to 1", default=0.75),
)

SIMILAR_DOT: Final = AssertionType(
    name="similar:dot",
    description="As `similar`, by the dot product.",
    example="{type: 'similar:dot', value: The parcel arrives tomorrow, threshold: 0.8}",
    graded_by="embedding",
    not_run=_REASON,
    values=TEXTS,
    value_required=True,
    threshold=Scale(minimum=None, maximum=None, unit="dot product", default=0.75),
)

SIMILAR_EUCLIDEAN: Final = AssertionType(
    name="similar:euclidean",
    description="The distance of the embedding of the answer to that of this text is at most "
    "`threshold`.",
    example="{type: 'similar:euclidean', value: The parcel arrives tomorrow, threshold: 0.5}",
    graded_by="embedding",
    not_run=_REASON,
    values=TEXTS,
    value_required=True,
    threshold=Scale(maximum=None, unit="distance", default=0.75, is_limit=True),
)
