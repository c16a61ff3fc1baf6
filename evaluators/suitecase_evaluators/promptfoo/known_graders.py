"""Every grader of promptfoo's assertions, looked up by type.

The module of a grader is imported when its type is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pkgutil import iter_modules
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

from pydantic import BeforeValidator, InstanceOf
from pydantic_core import PydanticCustomError

from suitecase_evaluators.grade.evaluator import Evaluator
from suitecase_evaluators.promptfoo.assertion import PREFIX, TRANSFORMED, AssertionConfig
from suitecase_evaluators.promptfoo.assertion_type import AssertionType
from suitecase_evaluators.promptfoo.assertion_types import ASSERTION_TYPES
from suitecase_evaluators.promptfoo.grader import AssertionGrader
from suitecase_evaluators.schema.selected_model import imported

_FOLDER: Final = "promptfoo.graders"


@cache
def grader_of(name: str) -> AssertionGrader | None:
    """Return the grader of promptfoo's type of this name, without `not-`; None if it is not graded here."""
    kind = ASSERTION_TYPES.get(name)
    if kind is None or kind.not_run is not None:
        return None
    found = vars(imported(f"{_FOLDER}.{kind.module}")).values()
    return next(
        grader
        for grader in found
        if isinstance(grader, AssertionGrader) and grader.kind.name == name
    )


def evaluator_of(name: str) -> Evaluator | None:
    """Return the evaluator of a type with its prefix, such as `promptfoo:contains`; None if there is none."""
    if name == TRANSFORMED:
        evaluator: Evaluator = imported("promptfoo.reading:transformed")
        return evaluator
    found = grader_of(name.removeprefix(PREFIX)) if name.startswith(PREFIX) else None
    return None if found is None else found.evaluator


def described_types() -> Iterator[AssertionType]:
    """Yield the types as their modules describe them, whether they are graded or not."""
    folder: ModuleType = imported(_FOLDER)
    for module in iter_modules(folder.__path__):
        for value in vars(imported(f"{_FOLDER}.{module.name}")).values():
            if isinstance(value, AssertionGrader):
                yield replace(value.kind, module=module.name)
            elif isinstance(value, AssertionType):
                yield replace(value, module=module.name)


def _by_its_type(value: Any) -> AssertionConfig:
    """Validate an assertion by the model of its type."""
    if isinstance(value, AssertionConfig):
        return value
    name = value.get("type") if isinstance(value, dict) else None
    found = evaluator_of(name) if isinstance(name, str) else None
    if found is None:
        raise PydanticCustomError(
            "assertion_type", "not a type of an assertion: {name}", {"name": str(name)}
        )
    config = found.config.model_validate(value)
    assert isinstance(config, AssertionConfig)  # noqa: S101 - those of all types are
    return config


if TYPE_CHECKING:
    AnyAssertion: TypeAlias = AssertionConfig
else:
    AnyAssertion = Annotated[InstanceOf[AssertionConfig], BeforeValidator(_by_its_type)]
