"""Reads assertions with rendered templates as evaluator configurations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import Field, SerializeAsAny, ValidationError

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
from suitecase_evaluators.promptfoo.assertion_type import NEGATION
from suitecase_evaluators.promptfoo.assertion_types import ASSERTION_TYPES, is_red_team_type
from suitecase_evaluators.promptfoo.column import assertion_of_text
from suitecase_evaluators.promptfoo.ecmascript import parsed_json, with_doubles
from suitecase_evaluators.promptfoo.grader import AssertionGrader, Refused
from suitecase_evaluators.promptfoo.known_graders import AnyAssertion, grader_of
from suitecase_evaluators.promptfoo.script_context import output_of
from suitecase_evaluators.schema.validation_words import named_problem
from suitecase_evaluators.system.path_kinds import FILE_SCHEME
from suitecase_evaluators.targets.sandbox.command import Command
from suitecase_evaluators.text.compact_json import compact_json
from suitecase_evaluators.text.json_values import show_json

_SET: Final = "assert-set"


def assertion_config(
    value: Mapping[str, Any] | str,
    *,
    name: str,
    read_yaml: Callable[[str], Any] = parsed_json,
    is_member: bool = False,
) -> AssertionConfig | Refused:
    """Return the configuration of an assertion, or why it cannot be graded.

    A `value` of the wrong kind is not refused here: as in promptfoo, grading fails then.

    Args:
        value: the assertion, with all templates rendered; or the text of a column `__expected`.
        name: the name of its result, unless it has a `metric`.
        read_yaml: parses a schema that is a string, and raises a `ValueError` if it is not YAML. By
            default, it has to be JSON.
        is_member: whether it is a member of a set.
    """
    if is_member:
        return _member(value, name, read_yaml)
    assertion = assertion_of_text(value) if isinstance(value, str) else value
    if assertion.get("type") == _SET:
        return _set(assertion, name, read_yaml)
    return _single(assertion, name, read_yaml)


def _single(
    assertion: Mapping[str, Any], name: str, read_yaml: Callable[[str], Any]
) -> AssertionConfig | Refused:
    config = _untransformed(assertion, name, read_yaml)
    transform = assertion.get("transform")
    if isinstance(config, Refused) or not transform:
        return config
    return with_transform(config, transform)


def _untransformed(
    assertion: Mapping[str, Any], name: str, read_yaml: Callable[[str], Any]
) -> AssertionConfig | Refused:
    fields = _fields(assertion, name)
    if isinstance(fields, Refused):
        return fields
    written = str(assertion["type"])
    grader = _grader(written)
    own = grader.read(assertion, fields, read_yaml)
    if isinstance(own, Refused):
        return own
    return _config(written, grader, {**fields, **own})


def _set(
    assertion: Mapping[str, Any], name: str, read_yaml: Callable[[str], Any]
) -> AssertionConfig | Refused:
    fields = _fields(assertion, name)
    if isinstance(fields, Refused):
        return fields
    members: list[AssertionConfig] = []
    listed = assertion.get("assert")
    if not isinstance(listed, list):
        return Refused(f"`{_SET}` needs a list of assertions under `assert`")
    for member in listed:
        kind = str(member.get("type")) if isinstance(member, Mapping) else ""
        config = _member(member, _unique(kind, members), read_yaml)
        if isinstance(config, Refused):
            return config
        members.append(config.model_copy(update={"name": _unique(config.name, members)}))
    return _config(_SET, _grader(_SET), {**fields, "members": members})


def _member(
    member: object, name: str, read_yaml: Callable[[str], Any]
) -> AssertionConfig | Refused:
    if not isinstance(member, Mapping):
        return Refused(f"a member of `{_SET}` is not an assertion: {show_json(member)}")
    if member.get("type") == _SET:
        return Refused(f"promptfoo knows no `{_SET}` within another one")
    return _single(member, name, read_yaml)


def _unique(name: str, taken: list[AssertionConfig]) -> str:
    """Return a name that is not taken: the name itself, or with a number."""
    names = {it.name for it in taken}
    numbered = (f"{name} {number}" for number in range(2, len(taken) + 2))
    return name if name not in names else next(it for it in numbered if it not in names)


def _fields(assertion: Mapping[str, Any], name: str) -> dict[str, Any] | Refused:
    """Return the fields that assertions of all types have. A key without a value counts as missing."""
    written = assertion.get("type")
    if not isinstance(written, str):
        return Refused(f"an assertion needs a `type`: {show_json(assertion)}")
    base = written.removeprefix(NEGATION)
    if is_red_team_type(base):
        return Refused(f"`{written}` is not supported: red teams are not run")
    kind = ASSERTION_TYPES.get(base)
    negated = base != written
    if kind is not None and kind.not_run is not None:
        return Refused(f"`{written}` is not supported: {kind.not_run}")
    if kind is None or (negated and kind.special):
        return Refused(f"promptfoo knows no assertion of the type `{written}`")
    if negated and not kind.negatable:
        return Refused(f"promptfoo ignores the `not-` of `{written}`, which changes nothing there")
    if assertion.get("contextTransform") is not None:
        return Refused("`contextTransform` of an assertion is not supported")
    metric = assertion.get("metric")
    if metric is not None and not isinstance(metric, str):
        return Refused(f"`metric` of `{written}` must be a string; got {show_json(metric)}")
    fields: dict[str, Any] = {
        "name": metric if metric and metric.strip() else name,
        "type": f"promptfoo:{base}",
        "negate": negated,
    }
    if metric:
        fields["metric"] = metric
    if "value" in assertion:
        fields["value"] = with_doubles(assertion["value"])
    for key in ("weight", "threshold"):
        number = assertion.get(key)
        if number is None:
            continue
        if isinstance(number, bool) or not isinstance(number, int | float):
            return Refused(f"`{key}` of `{written}` must be a number; got {show_json(number)}")
        fields[key] = number
    if fields.get("weight", 1) < 0:
        return Refused(f"`weight` of `{written}` is below 0")
    return fields


def _grader(written: str) -> AssertionGrader:
    """Return the grader of a type of which `_fields` knows that it is graded."""
    found = grader_of(written.removeprefix(NEGATION))
    assert found is not None  # noqa: S101 - others are refused
    return found


def _config(
    written: str, grader: AssertionGrader, fields: Mapping[str, Any]
) -> AssertionConfig | Refused:
    try:
        config = grader.evaluator.config.model_validate(dict(fields))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        return Refused(named_problem(f"`{place}` of `{written}`", dict(first)))
    assert isinstance(config, AssertionConfig)  # noqa: S101 - all in the table are
    return config


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
