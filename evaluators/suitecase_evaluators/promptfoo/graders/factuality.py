"""The assertion `factuality`: a model compares the facts in an answer with those in a reference."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final, Literal

from pydantic import Field

from suitecase_evaluators.answers.row import Row
from suitecase_evaluators.answers.score import Score
from suitecase_evaluators.grade.evaluator import Description, Services, Subject
from suitecase_evaluators.promptfoo.assertion import scored, unusable
from suitecase_evaluators.promptfoo.assertion_type import TEXT, AssertionType
from suitecase_evaluators.promptfoo.default_prompts import FACTS_FORM, facts_turns
from suitecase_evaluators.promptfoo.graded_completion import graded_completion
from suitecase_evaluators.promptfoo.grader import Refused, grader
from suitecase_evaluators.promptfoo.grading import (
    GradedConfig,
    GradingRequest,
    calls,
    graded_fields,
)
from suitecase_evaluators.promptfoo.grading_prompt import WrittenPrompt
from suitecase_evaluators.promptfoo.grading_replies import FactsVerdict, read_category

#: The name of the suite's own prompt.
_PROMPT: Final = "factuality"
#: The key of an assertion with the scores from the test's options.
SCORES: Final = "factuality"

#: By category: the key of its score in a configuration, its default score, and its meaning.
_CATEGORIES: Final[Mapping[str, tuple[str, float, str]]] = MappingProxyType(
    {
        "A": ("subset", 1, "it has some of the expected facts, and contradicts none"),
        "B": ("superset", 1, "it has the expected facts and further ones"),
        "C": ("agree", 1, "it has the expected facts"),
        "D": ("disagree", 0, "it contradicts the expected facts"),
        "E": ("differButFactual", 1, "it differs in ways that do not matter for facts"),
    }
)


class FactualityConfig(GradedConfig):
    """A model compares the facts of the answer with those of this text."""

    type: Literal["promptfoo:factuality"]
    scores: dict[str, float] = Field(
        default_factory=dict, description="The scores of categories that differ from the default."
    )


class ModelGradedFactualityConfig(FactualityConfig):
    """An older name of `factuality`."""

    type: Literal["promptfoo:model-graded-factuality"]  # type: ignore[assignment]


def _read(
    assertion: Mapping[str, Any], fields: Mapping[str, Any], read_yaml: Callable[[str], Any]
) -> Mapping[str, Any] | Refused:
    own = graded_fields(assertion, fields, read_yaml)
    given = assertion.get(SCORES)
    if isinstance(own, Refused) or not isinstance(given, Mapping):
        return own
    names = [name for name, _, _ in _CATEGORIES.values()]
    scores = {name: given[name] for name in names if given.get(name) is not None}
    for name, score in scores.items():
        if isinstance(score, bool) or not isinstance(score, int | float) or not 0 <= score <= 1:
            return Refused(f"`options.factuality.{name}` must be a number from 0 to 1")
    return {**own, "scores": scores}


async def _graded(config: FactualityConfig, subject: Subject, services: Services) -> Score:
    expected = config.value
    if not isinstance(expected, str):
        return unusable(config, "a string")
    request = GradingRequest(
        turns=facts_turns(subject, expected),
        read=read_category,
        form=FACTS_FORM,
        criterion=expected,
        label="factuality",
        variables={"ideal": expected},
    )
    return await graded_completion(
        request, _PROMPT, config, subject, services, lambda it: _score(config, it)
    )


def _score(config: FactualityConfig, found: FactsVerdict) -> Score:
    name, default, meaning = _CATEGORIES[found.category]
    score = config.scores.get(name, default)
    reason = f"{found.category}, {meaning}"
    if found.reason:
        reason = f"{reason}: {found.reason}"
    return scored(config, float(score), score > 0, reason, details={"category": found.category})


def _own_prompts(written: Any, value: Any, row: Row) -> Iterator[WrittenPrompt]:
    known = {**row.variables, "input": row.prompt, "ideal": value}
    yield WrittenPrompt(name=_PROMPT, written=written, known=known, holes=("completion",))


_DESCRIPTION: Final[Description[Any]] = Description(judge_calls=calls)


@grader(
    FactualityConfig,
    AssertionType(
        example="{type: factuality, value: The capital of France is Paris.}",
        graded_by="model",
        values=TEXT,
        value_required=True,
        negatable=False,
    ),
    description=_DESCRIPTION,
    read=_read,
    own_prompts=_own_prompts,
)
async def factuality(config: FactualityConfig, subject: Subject, services: Services) -> Score:
    """Call the grader, which compares the facts."""
    return await _graded(config, subject, services)


@grader(
    ModelGradedFactualityConfig,
    AssertionType(
        example="{type: factuality, value: The capital of France is Paris.}",
        graded_by="model",
        values=TEXT,
        value_required=True,
        negatable=False,
        newer_name="factuality",
    ),
    description=_DESCRIPTION,
    read=_read,
    own_prompts=_own_prompts,
)
async def model_graded_factuality(
    config: ModelGradedFactualityConfig, subject: Subject, services: Services
) -> Score:
    """Call the grader, which compares the facts."""
    return await _graded(config, subject, services)
