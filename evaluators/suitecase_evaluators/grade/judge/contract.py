"""What judges are asked apart from what a suite says: the texts that a version of Suitecase fixes.

A calibration holds for these texts too, so that their digests are part of a judge's hash.
"""

from __future__ import annotations

import json

from suitecase_evaluators.answers.rubric import Rubric
from suitecase_evaluators.grade.judge.prompts import (
    COMPARISON_SYSTEM_PROMPT,
    COMPARISON_TEMPLATE,
    CRITERIA_TEMPLATE,
    FREE_FORM_SYSTEM_PROMPT,
    FREE_FORM_TEMPLATE,
    RUBRIC_TEMPLATE,
    rubric_system_prompt,
    with_reference_section,
)
from suitecase_evaluators.grade.judge.reply_schema import (
    checks_schema,
    comparison_schema,
    free_form_schema,
)

#: One item of each mode, for the forms that depend on items.
_ITEMS = (
    Rubric(id="check", expected_outcome="text"),
    Rubric(id="range", score_ranges={"0": "text"}),
)


def default_prompt_of(type_name: str) -> str:
    """Return the prompts of an evaluator's judge where a suite has none."""
    match type_name:
        case "criteria":
            return CRITERIA_TEMPLATE
        case "preference":
            return COMPARISON_TEMPLATE
        case _:
            return FREE_FORM_TEMPLATE + RUBRIC_TEMPLATE


def contract_of(type_name: str) -> str:
    """Return the system prompts and reply schemas of an evaluator's judge, as JSON."""
    free = [FREE_FORM_SYSTEM_PROMPT, free_form_schema()]
    match type_name:
        case "criteria":
            forms = [free]
        case "preference":
            forms = [[COMPARISON_SYSTEM_PROMPT, comparison_schema()]]
        case _:
            forms = [free]
            for quotes in (False, True):
                system = rubric_system_prompt(_ITEMS, quotes=quotes)
                forms.append([system, checks_schema(_ITEMS, quotes=quotes)])
    return json.dumps([*forms, with_reference_section("", "references")], sort_keys=True)
