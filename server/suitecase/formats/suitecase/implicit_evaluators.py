"""The names of the evaluators that no list of a suite has, but other keys of a case stand for."""

from __future__ import annotations

#: The judge of a case's `rubrics`.
RUBRIC = "rubric"
#: The judge of a case that nothing else grades.
DEFAULT_JUDGE = "llm_judge"
#: The evaluators that `evaluation_criteria` and `evaluation_schema` become.
CRITERIA = "evaluation_criteria"
SCHEMA = "evaluation_schema"
