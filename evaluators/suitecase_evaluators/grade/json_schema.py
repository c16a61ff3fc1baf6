"""Grades an answer by a JSON Schema: 1 where it meets the schema, 0 where it does not."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Discriminator, Field, Tag

from suitecase_evaluators.answers.message import kind_of
from suitecase_evaluators.answers.score import Score
from suitecase_evaluators.grade.evaluator import EvaluatorConfig, Services, Subject, evaluator
from suitecase_evaluators.schema.checking import parse_schema, schema_problems
from suitecase_evaluators.schema.errors import ERRORS_KEPT, SchemaError
from suitecase_evaluators.schema.field_role import FieldRole
from suitecase_evaluators.schema.validation import Violation, may_take_long, violations
from suitecase_evaluators.text.json_values import FoundJson, NotJsonError, find_json, parse_json

#: How many problems of a schema, and violations of one, are reported.
MOST_TOLD = 10


class JsonSchemaConfig(EvaluatorConfig):
    """Scores 1 if the answer is JSON and matches a JSON Schema, else 0.

    Formats such as `date` and `email` are checked. An answer with a duplicate key is not valid
    JSON. The result's details list every violation. With an empty schema, the answer is not
    evaluated.
    """

    # Written out under its own name, since the attribute's name is not a key of the suite.
    model_config = ConfigDict(serialize_by_alias=True, populate_by_name=False)

    type: Literal["json_schema"]
    schema_: Annotated[
        Annotated[
            Annotated[str, Tag("<text>")] | Annotated[dict[str, Any], Tag("<mapping>")],
            Discriminator(kind_of),
        ]
        | None,
        FieldRole.SCHEMA,
    ] = Field(
        alias="schema",
        description="The JSON Schema, as a mapping or as JSON in a text. `$schema` selects the draft; the "
        "default is 2020-12. References must stay within the schema: nothing is fetched. With "
        "an empty schema, the answer is not evaluated.",
    )
    parse: Literal["strict", "tolerant"] = Field(
        default="strict",
        description="`strict`: the whole answer must be JSON. `tolerant`: JSON in a code fence or within "
        "other text counts too, and the result says so.",
    )


@evaluator(JsonSchemaConfig)
async def json_schema(config: JsonSchemaConfig, subject: Subject, services: Services) -> Score:
    """Validate the answer."""
    try:
        schema = _schema_of(config)
    except NotJsonError as error:
        return Score.failed_to_grade(f"`schema` is not JSON: {error}")
    if schema is None:
        return Score.not_evaluated("the schema is empty")
    problems = [str(schema_problem) for schema_problem in schema_problems(schema)]
    if problems:
        messages = _told(problems, "problems")
        return Score.failed_to_grade(f"`schema` is not a valid JSON Schema: {'; '.join(messages)}")
    try:
        found = _answer(config, subject.candidate_answer)
    except NotJsonError as error:
        miss = f"the answer is not JSON: {error}"
        return Score.graded(
            0.0, misses=(miss,), reasoning=miss, details={"parse": config.parse, "errors": []}
        )
    try:
        if may_take_long(schema, found.value):
            broken = await _violations_in_time(schema, found.value, subject.folder)
        else:
            broken = violations(schema, found.value)
    except SchemaError as error:
        return Score.failed_to_grade(f"`schema` cannot validate this answer: {error}")
    return _score(config, found, broken)


def _schema_of(config: JsonSchemaConfig) -> Any:
    """Return the schema as a value; None where there is none to validate by."""
    schema = config.schema_
    if isinstance(schema, str):
        schema = parse_schema(schema) if schema.strip() else None
    return None if schema == {} else schema


def _answer(config: JsonSchemaConfig, text: str) -> FoundJson:
    if config.parse == "tolerant":
        return find_json(text)
    return FoundJson(parse_json(text), "whole text")


async def _violations_in_time(schema: Any, value: Any, folder: Path) -> list[Violation]:
    """Validate in a program of its own, which can be stopped.

    Raises:
        SchemaError: the schema cannot validate, or not in time.
        ProgramError: the program could not be started.
    """
    from suitecase_evaluators.schema.timed import validate_in_process

    reply = await validate_in_process(
        "suitecase_evaluators.schema.validation", schema, value, folder
    )
    return [Violation(**violation) for violation in reply["violations"]]


def _score(config: JsonSchemaConfig, found: FoundJson, broken: list[Violation]) -> Score:
    misses = _told([f"{it.path}: {it.message}" for it in broken], "violations of the schema")
    reasoning = f"the answer violates the schema: {misses[0]}" if broken else "the answer is valid"
    if found.place != "whole text":
        reasoning += f" (JSON taken from the answer's {found.place.removeprefix('within the ')})"
    return Score.graded(
        0.0 if broken else 1.0,
        hits=() if broken else ("the answer meets the schema",),
        misses=tuple(misses),
        reasoning=reasoning,
        details={
            "parse": config.parse,
            "json_found": found.place,
            "errors": [
                {
                    "path": violation.path,
                    "message": violation.message,
                    "keyword": violation.keyword,
                    "schema_path": violation.schema_path,
                }
                for violation in broken
            ],
        },
    )


def _told(found: list[str], what: str) -> list[str]:
    """Return the first of what was found, with how many more there are."""
    more = len(found) - MOST_TOLD
    if more <= 0:
        return found
    at_least = " or" if len(found) == ERRORS_KEPT else ""
    return [*found[:MOST_TOLD], f"and {more}{at_least} more {what}"]
