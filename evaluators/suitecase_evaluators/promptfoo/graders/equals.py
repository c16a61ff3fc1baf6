"""The assertion `equals`: the whole answer is a text, or the JSON of a value."""

from __future__ import annotations

from typing import Literal

from suitecase_evaluators.answers.score import Score
from suitecase_evaluators.grade.evaluator import Services, Subject
from suitecase_evaluators.promptfoo.assertion import AssertionConfig, passed_or_failed
from suitecase_evaluators.promptfoo.assertion_type import ANY, AssertionType
from suitecase_evaluators.promptfoo.ecmascript import as_text, parsed_json
from suitecase_evaluators.promptfoo.grader import Fields, NotConvertibleError, grader
from suitecase_evaluators.text.json_values import same_json, show_json
from suitecase_evaluators.text.unseen_differences import unseen_difference


class EqualsConfig(AssertionConfig):
    """The whole answer is this text, exactly. A mapping or a list is compared with the answer read as JSON."""

    type: Literal["promptfoo:equals"]


def _converted(config: EqualsConfig) -> Fields:
    if not config.has_value or isinstance(config.value, dict | list | None):
        raise NotConvertibleError(
            "`equals` compares JSON here, which the evaluator `equals` does not"
        )
    value = as_text(config.value)
    if not value:
        raise NotConvertibleError("`equals` with an empty string has no equivalent evaluator")
    return {"type": "equals", "value": value, "normalize": "none", "negate": config.negate}


@grader(
    EqualsConfig,
    AssertionType(
        example="{type: equals, value: Paris}",
        values=ANY,
        value_required=True,
        takes_nothing=True,
        also_called=("eq", "equal", "exact", "exact-match"),
        unmistakable=True,
        rank=50,
    ),
    convert=_converted,
)
async def equals(config: EqualsConfig, subject: Subject, services: Services) -> Score:
    """Compare the whole answer: as JSON with a mapping, a list or null, else as text."""
    answer, value = subject.candidate_answer, config.value
    if config.has_value and isinstance(value, dict | list | None):
        try:
            same = same_json(value, parsed_json(answer))
        except ValueError:
            return passed_or_failed(config, False, "the answer is not JSON")
        except RecursionError:
            return Score.failed_to_grade("the answer is nested too deeply to be read")
        return _is(config, same, f"the JSON {show_json(value)}")
    expected = as_text(value) if config.has_value else "undefined"
    same = expected == answer
    unseen = "" if same else unseen_difference(answer, [expected], str.__eq__)
    return _is(config, same, f"{show_json(expected)}{unseen}")


def _is(config: AssertionConfig, same: bool, what: str) -> Score:
    return passed_or_failed(
        config, same, f"the answer {'equals' if same else 'does not equal'} {what}"
    )
