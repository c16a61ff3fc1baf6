"""What grades the assertions of a type, with everything that is known of the type.

A type is written once, in a module of `graders`::

    class ContainsAllConfig(AssertionConfig):
        '''The answer contains all of these texts.'''

        type: Literal["promptfoo:contains-all"]

    @grader(
        ContainsAllConfig,
        AssertionType(values=TEXTS, value_required=True, example="{type: contains-all, value: [a, b]}"),
    )
    async def contains_all(config: ContainsAllConfig, subject: Subject, services: Services) -> Score:
        ...

A type that is not graded here is an `AssertionType` with the reason under `not_run`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from suitecase_evaluators.answers.row import Row
from suitecase_evaluators.grade.evaluator import Description, Evaluate, Evaluator
from suitecase_evaluators.promptfoo.assertion import PREFIX, AssertionConfig
from suitecase_evaluators.promptfoo.assertion_type import AssertionType
from suitecase_evaluators.promptfoo.grading_prompt import PromptReader


@dataclass(frozen=True, slots=True)
class Refused:
    """Why an assertion cannot be graded, for people."""

    message: str


class NotConvertibleError(Exception):
    """No evaluator of a suite gives every answer the same verdict; the message says why, for people."""


#: Takes an assertion, the fields of all types, and what parses YAML; returns the fields that only its type has.
Reader = Callable[
    [Mapping[str, Any], Mapping[str, Any], Callable[[str], Any]], Mapping[str, Any] | Refused
]
#: The fields of an evaluator of a suite, besides those that all evaluators have.
Fields = dict[str, Any]

C = TypeVar("C", bound=AssertionConfig)


def _no_more_fields(
    assertion: Mapping[str, Any], fields: Mapping[str, Any], read_yaml: Callable[[str], Any]
) -> Mapping[str, Any]:
    return {}


def _no_prompts(written: Any, value: Any, row: Row) -> tuple[()]:
    return ()


@dataclass(frozen=True, slots=True)
class AssertionGrader:
    """What grades the assertions of a type.

    Attributes:
        kind: what is known of the type.
        evaluator: grades.
        read: reads the fields that only this type has.
        convert: returns the evaluator of a suite that gives every answer the same verdict, with `negate`
            if it can be negated, or raises a `NotConvertibleError`. None if there is no such evaluator.
        own_prompts: returns the suite's own prompts of an assertion that a model grades.
    """

    kind: AssertionType
    evaluator: Evaluator
    read: Reader = field(default=_no_more_fields)
    convert: Callable[[Any], Fields] | None = None
    own_prompts: PromptReader = field(default=_no_prompts)


def grader(
    config: type[C],
    kind: AssertionType,
    *,
    description: Description[C] | None = None,
    read: Reader = _no_more_fields,
    convert: Callable[[C], Fields] | None = None,
    own_prompts: PromptReader = _no_prompts,
) -> Callable[[Evaluate[C]], AssertionGrader]:
    """Make a grader of a function that grades by `config`.

    Args:
        config: the configuration, whose `type` is a `Literal` of one name, and whose docstring describes it.
        kind: what else is known of the type.
        description: what the evaluator says of itself before it grades.
        read: reads the fields that only this type has.
        convert: converts an assertion to an evaluator of a suite, as in `AssertionGrader`.
        own_prompts: returns the suite's own prompts of an assertion, as there.
    """

    def made(evaluate: Evaluate[C]) -> AssertionGrader:
        found = Evaluator(config, evaluate, description or Description())
        name, words = found.type.removeprefix(PREFIX), " ".join(found.documentation.split())
        return AssertionGrader(
            replace(kind, name=name, description=words), found, read, convert, own_prompts
        )

    return made
