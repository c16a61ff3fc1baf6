"""Rubrics and their score ranges in the current format."""

from __future__ import annotations

import math

from suitecase.formats.suitecase.legacy.normalize.legacy_syntax import LegacySyntax, Notes
from suitecase.text.node import Entry, Mapping, Node, Scalar
from suitecase.text.tree_changes import each, inside, text_of, with_entries, without
from suitecase_evaluators.answers.rubric import TOP

#: What a specification calls the score ranges of a rubric.
SCORE_RUBRIC = "score_rubric"
#: Older names of keys, and their names in the current format.
RANGE_KEYS = {"description": "expected_outcome", "outcome": "expected_outcome"}
RUBRIC_KEYS = {**RANGE_KEYS, SCORE_RUBRIC: "score_ranges"}


class RubricNormalizer:
    """Rewrites lists of rubrics."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes

    def rubrics(self, node: Node) -> Node:
        """Rewrite a list of rubrics."""
        return each(node, self._rubric)

    def _rubric(self, rubric: Mapping) -> Mapping:
        rubric = self._notes.keys(rubric, RUBRIC_KEYS, "a rubric")
        self._range_gate(rubric)
        rubric = self._min_score(rubric)
        rubric = self._operator(rubric)
        return inside(rubric, "score_ranges", lambda ranges: each(ranges, self._score_range))

    def _score_range(self, score_range: Mapping) -> Mapping:
        return self._notes.keys(score_range, RANGE_KEYS, "a score range")

    def _range_gate(self, rubric: Mapping) -> None:
        required = rubric.get("required")
        if (
            isinstance(required, Scalar)
            and required.value is True
            and "score_ranges" in rubric
            and "required_min_score" not in rubric
            and "min_score" not in rubric
        ):
            key = rubric.entries["required"].key
            new = f"required_min_score: {TOP}"
            what = "a rubric with score ranges"
            self._notes.add(
                LegacySyntax("range_gate", key, "required: true", new, what, rubric, "required")
            )

    def _min_score(self, rubric: Mapping) -> Mapping:
        """Bring a gate on the scale 0 to 1 to that of score ranges, 0 to 10."""
        min_score = rubric.get("min_score")
        share = min_score.value if isinstance(min_score, Scalar) else None
        if (
            not isinstance(min_score, Scalar)
            or isinstance(share, bool)
            or not isinstance(share, int | float)
            or not 0 <= share <= 1
            or "required_min_score" in rubric
        ):
            return rubric
        if "score_ranges" not in rubric:
            decide = (
                "a rubric without `score_ranges` is met or not, so `min_score` has no effect; add "
                "`score_ranges`, or remove `min_score` (use `required: false` for an optional item)"
            )
            return self._notes.no_equal(rubric, "min_score", decide)
        # Scores are whole numbers: what is not below 7.5 is not below 8. The share is rounded
        # first, since 0.7 * 10 is more than 7.
        gate = math.ceil(round(share * TOP, 9))
        old, new = f"min_score: {min_score.text}", f"required_min_score: {gate}"
        key = rubric.entries["min_score"].key
        self._notes.add(LegacySyntax("min_score", key, old, new, "a rubric", rubric, "min_score"))
        value = Scalar(min_score.start, min_score.end, str(gate), "")
        return with_entries(
            rubric,
            {
                "required_min_score" if name == "min_score" else name: (
                    Entry(it.key, value) if name == "min_score" else it
                )
                for name, it in rubric
            },
        )

    def _operator(self, rubric: Mapping) -> Mapping:
        match text_of(rubric.get("operator")):
            case "correctness":
                why = "`operator: correctness` is the default of every rubric"
                return self._notes.gone(rubric, "operator", why)
            case "contradiction":
                decide = (
                    "`operator: contradiction` has no equivalent here, and without it the rubric would "
                    "mean the opposite; write in its `expected_outcome` what the answer must not "
                    "contradict, and remove `operator`"
                )
                self._notes.entry("unsupported_setting", rubric, "operator", decide)
                return without(rubric, "operator")
            case _:
                return rubric
