"""An assertion with a `transform`: code changes the answer before the assertion grades it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, SerializeAsAny

from suitecase_evaluators.answers.message import Message
from suitecase_evaluators.answers.sandbox_level import lowest
from suitecase_evaluators.answers.score import Score
from suitecase_evaluators.grade.evaluator import (
    Description,
    EvaluatorConfig,
    Reading,
    Services,
    Subject,
    evaluator,
)
from suitecase_evaluators.grade.row_code import (
    transform_command,
    transform_script,
    transform_unavailable,
    transformed_value,
)
from suitecase_evaluators.promptfoo.assertion import TRANSFORMED, AssertionConfig
from suitecase_evaluators.promptfoo.grader import Refused
from suitecase_evaluators.promptfoo.known_graders import AnyAssertion
from suitecase_evaluators.promptfoo.script_context import output_of
from suitecase_evaluators.targets.sandbox.command import Command
from suitecase_evaluators.targets.scripting.script_files import FILE_SCHEME
from suitecase_evaluators.text.compact_json import compact_json
from suitecase_evaluators.text.json_values import show_json


class TransformedConfig(AssertionConfig):
    """The answer is changed by code before an assertion grades it."""

    type: Literal["promptfoo:transformed"]
    transform: str = Field(description="Code in JavaScript, or a script.")
    member: SerializeAsAny[AnyAssertion] = Field(description="The assertion.")


def with_transform(config: AssertionConfig, transform: Any) -> AssertionConfig | Refused:
    """Return an assertion that grades the answer after a transform."""
    if not isinstance(transform, str) or (
        transform.startswith(FILE_SCHEME) and transform_script(transform) is None
    ):
        return Refused(f"`transform` is neither code nor a script: {show_json(transform)}")
    return TransformedConfig(
        name=config.name,
        type=TRANSFORMED,
        weight=config.weight,
        metric=config.metric,
        transform=transform,
        member=config,
    )


def _members(config: TransformedConfig) -> Sequence[EvaluatorConfig]:
    return (config.member,)


def _commands(config: TransformedConfig) -> tuple[Command]:
    return (transform_command(config.transform),)


def _as_graded(config: TransformedConfig, reading: Reading) -> TransformedConfig:
    return config.model_copy(update={"member": reading.member(config.member)})


def _unavailable(config: TransformedConfig, folder: Path, environ: Mapping[str, str]) -> str | None:
    return transform_unavailable(config.transform, folder, environ)


@evaluator(
    TransformedConfig,
    description=Description(
        members=_members, commands=_commands, as_graded=_as_graded, unavailable=_unavailable
    ),
)
async def transformed(config: TransformedConfig, subject: Subject, services: Services) -> Score:
    """Transform the answer, then grade it by the assertion."""
    row = subject.row
    context = {
        "vars": {} if row is None else dict(row.variables),
        "prompt": {"label": subject.question if row is None else row.prompt},
    }
    returned = await transformed_value(
        config.transform, output_of(subject), context, row, subject.folder, services.bridges
    )
    value = returned.value
    text = value if isinstance(value, str) else compact_json(value)
    changed = replace(
        subject,
        candidate_answer=text,
        output=None if isinstance(value, str) else value,
        output_messages=(
            *subject.output_messages[:-1],
            Message(role="assistant", content=text),
        ),
    )
    score = await services.grade(config.member, changed)
    return replace(score, sandbox=lowest(score.sandbox, returned.level))
