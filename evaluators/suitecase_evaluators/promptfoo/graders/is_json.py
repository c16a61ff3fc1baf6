"""Assertions that an answer is or contains JSON, which may have to meet a JSON Schema."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import Field

from suitecase_evaluators.answers.score import Score
from suitecase_evaluators.grade.evaluator import Services, Subject
from suitecase_evaluators.promptfoo.ajv_validation import violation_of_all
from suitecase_evaluators.promptfoo.assertion import AssertionConfig, passed_or_failed
from suitecase_evaluators.promptfoo.assertion_type import AssertionType
from suitecase_evaluators.promptfoo.ecmascript import parsed_json, with_doubles
from suitecase_evaluators.promptfoo.grader import Fields, NotConvertibleError, grader
from suitecase_evaluators.promptfoo.json_objects import UnreadableError, objects_in
from suitecase_evaluators.schema.errors import SchemaError
from suitecase_evaluators.schema.timed import validate_in_process
from suitecase_evaluators.schema.validation import may_take_long

_DRAFT: Final = "http://json-schema.org/draft-07/schema#"
#: The keywords that Ajv and the validator of suites read alike, by whether their values are schemas.
_ANY: Final = frozenset(
    {
        *("type", "enum", "const", "title", "description", "default", "examples", "required"),
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
        *("minLength", "maxLength", "minItems", "maxItems", "uniqueItems"),
        *("minProperties", "maxProperties"),
    }
)
_OF_SCHEMA: Final = frozenset({"additionalProperties", "items", "contains", "not", "propertyNames"})
_OF_SCHEMAS: Final = frozenset({"allOf", "anyOf", "oneOf"})


class _JsonConfig(AssertionConfig):
    """What both have in common: `value` is the schema; without one, any JSON passes."""

    problem: str | None = Field(
        default=None, description="Why the string in `value` is not a schema."
    )

    @property
    def has_schema(self) -> bool:
        """Whether there is a schema: a mapping, even an empty one, or a string that is not empty."""
        return bool(self.value) or isinstance(self.value, dict | list) or self.problem is not None


class IsJsonConfig(_JsonConfig):
    """The whole answer is JSON; with a `value`, it matches this JSON Schema."""

    type: Literal["promptfoo:is-json"]


class ContainsJsonConfig(_JsonConfig):
    """The answer contains JSON; with a `value`, it matches this JSON Schema."""

    type: Literal["promptfoo:contains-json"]


def _read(
    assertion: Mapping[str, Any], fields: Mapping[str, Any], read_yaml: Callable[[str], Any]
) -> Mapping[str, Any]:
    """Return the schema of an assertion whose `value` is a string, with a schema in YAML or JSON."""
    text = fields.get("value")
    if not isinstance(text, str) or not text:
        return {}
    try:
        schema = read_yaml(text)
    except ValueError as error:
        return {"problem": f"the schema cannot be read: {error}"}
    if isinstance(schema, bool):
        return {"value": {} if schema else {"not": {}}}
    if isinstance(schema, dict):
        return {"value": with_doubles(schema)}
    return {"problem": "the schema must be a mapping"}


def _converted(config: IsJsonConfig) -> Fields:
    if not config.has_schema:
        return {"type": "is_json", "negate": config.negate}
    schema = config.value
    reason = _unsure_in(schema) if isinstance(schema, dict) else "it is not a mapping"
    if reason is not None:
        raise NotConvertibleError(f"promptfoo may read its JSON Schema differently: {reason}")
    return {"type": "json_schema", "schema": {"$schema": _DRAFT, **schema}}


def _unsure_in(schema: Any) -> str | None:
    """Return why a schema may mean something else in one of them; None if it means the same."""
    if isinstance(schema, bool):
        return None
    if not isinstance(schema, dict):
        return "a part of it is not a schema"
    for key, value in schema.items():
        if key in _ANY:
            continue
        if key in _OF_SCHEMA:
            parts = [value]
        elif key in _OF_SCHEMAS and isinstance(value, list):
            parts = value
        elif key == "properties" and isinstance(value, dict):
            parts = list(value.values())
        else:
            return f"`{key}`"
        reason = next(filter(None, map(_unsure_in, parts)), None)
        if reason is not None:
            return reason
    return None


@grader(
    IsJsonConfig,
    AssertionType(
        example="{type: is-json, value: {type: object, required: [city]}}",
        values=("mapping", "text"),
        content="schema",
        also_called=("json", "json-schema", "valid-json"),
        rank=60,
    ),
    read=_read,
    convert=_converted,
)
async def is_json(config: IsJsonConfig, subject: Subject, services: Services) -> Score:
    """Parse the answer and validate it."""
    try:
        value = parsed_json(subject.candidate_answer)
    except ValueError as error:
        return passed_or_failed(config, False, f"the answer is not JSON: {error}")
    except RecursionError:
        return Score.failed_to_grade("the answer is nested too deeply to be read")
    if not config.has_schema:
        return passed_or_failed(config, True, "the answer is JSON")
    try:
        broken = await _violation(config, [value], subject.folder)
    except SchemaError as error:
        return Score.failed_to_grade(f"`value` cannot validate this answer: {error}")
    if broken is None:
        return passed_or_failed(config, True, "the answer is JSON and meets the schema")
    return passed_or_failed(config, False, f"the answer violates the schema: {broken}")


@grader(
    ContainsJsonConfig,
    AssertionType(
        example="{type: contains-json, value: {type: object, required: [city]}}",
        values=("mapping", "text"),
        content="schema",
    ),
    read=_read,
)
async def contains_json(config: ContainsJsonConfig, subject: Subject, services: Services) -> Score:
    """Validate the objects in the answer until one meets the schema."""
    try:
        found = objects_in(subject.candidate_answer)
    except UnreadableError as error:
        return Score.failed_to_grade(str(error))
    if not found:
        return passed_or_failed(config, False, "the answer contains no JSON object")
    if not config.has_schema:
        return passed_or_failed(config, True, "the answer contains a JSON object")
    try:
        broken = await _violation(config, found, subject.folder)
    except SchemaError as error:
        return Score.failed_to_grade(f"`value` cannot validate this answer: {error}")
    if broken is None:
        return passed_or_failed(config, True, "the answer contains JSON that meets the schema")
    return passed_or_failed(config, False, f"the JSON in the answer violates the schema: {broken}")


async def _violation(config: _JsonConfig, values: Sequence[Any], folder: Path) -> str | None:
    """Return the last value's first violation; None if one of them is valid.

    Long validation runs as a program.

    Raises:
        SchemaError: the schema cannot validate, or not in time.
        ProgramError: the program could not be started.
    """
    schema = config.value
    if config.problem is not None:
        raise SchemaError(config.problem)
    if not isinstance(schema, dict):
        raise SchemaError("a schema must be a mapping, or a string with one")
    if not may_take_long(schema, list(values)):
        return violation_of_all(schema, values)
    reply = await validate_in_process(
        "suitecase_evaluators.promptfoo.ajv_validation", schema, list(values), folder
    )
    found: str | None = reply["violation"]
    return found
