"""Validates values by JSON Schemas, without ever reaching for the network.

As a program, `python -m suitecase_evaluators.schema.validation` validates what stands on stdin:
validation that might take for ever is run so, and stopped from outside.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from suitecase_evaluators.schema import regex_cost
from suitecase_evaluators.schema.drafts import local_registry, stock_validator
from suitecase_evaluators.schema.errors import ERRORS_KEPT, SchemaError, shortened
from suitecase_evaluators.schema.references import not_fetched
from suitecase_evaluators.schema.validators import (
    depends_on_names,
    exact_validator,
    for_names_of,
    format_checker,
    remembering,
    written_pattern,
)
from suitecase_evaluators.text.written_number import encoded, read_float

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

#: The product of values in the schema and the answer above which validation may take long.
LARGE = 200_000
#: With more references the ways along them may be too many to follow.
FEW_REFERENCES = 10


@dataclass(frozen=True, slots=True)
class Violation:
    """One way in which a value does not meet a schema."""

    #: Where in the value, as a JSON path: `$.items[0].name`.
    path: str
    message: str
    #: The schema's keyword that is not met, and the keys and indices that lead to it.
    keyword: str
    schema_path: list[str | int]
    #: The keys and indices that lead to the place in the value.
    value_path: list[str | int]


def violations(schema: Any, value: Any) -> list[Violation]:
    """Return in which ways a value does not meet a schema, `ERRORS_KEPT` at most.

    `format` is checked too, wherever it names one of `FORMATS`.

    Raises:
        SchemaError: the schema cannot validate.
    """
    from referencing.exceptions import Unresolvable

    text = encoded(schema)
    validator = _compiled(text)
    if validator is None:
        whole = json.loads(text, parse_float=read_float)
        kind = exact_validator(stock_validator(whole))
        validator = _validator(kind, for_names_of(value, whole))
    try:
        with remembering(validator.schema):
            found = list(islice(validator.iter_errors(value), ERRORS_KEPT))
    except Unresolvable as error:
        raise SchemaError(not_fetched(error.ref)) from error
    except RecursionError as error:
        raise SchemaError(
            "a reference of the schema refers to itself, or the answer is nested too deeply"
        ) from error
    return [
        Violation(
            error.json_path,
            shortened(error.message),
            str(error.validator),
            [
                written_pattern(step) if isinstance(step, str) else step
                for step in error.absolute_schema_path
            ],
            list(error.absolute_path),
        )
        for error in found
    ]


@lru_cache(maxsize=64)
def _compiled(text: str) -> Validator | None:
    """Return what validates by a schema in JSON; None where that depends on the value.

    A run validates many answers by the same schema.
    """
    schema = json.loads(text, parse_float=read_float)
    kind = exact_validator(stock_validator(schema))
    return None if depends_on_names(schema) else _validator(kind, for_names_of(None, schema))


def _validator(kind: type[Validator], schema: Any) -> Validator:
    return kind(schema, registry=local_registry(), format_checker=format_checker())


def may_take_long(schema: Any, value: Any) -> bool:
    """Say whether validating a value may take long: for its size, or as `patterns_may` says."""
    parts, steps = _size(schema), _size(value)
    # What is evaluated is worked out for each way along references that leads to it.
    many_ways = parts.unevaluated and parts.references > FEW_REFERENCES
    return parts.values * steps.values > LARGE or many_ways or patterns_may_take_long(schema, value)


class _Size(NamedTuple):
    values: int
    references: int
    unevaluated: bool


def _size(value: Any) -> _Size:
    """Count the values in a value, and what in it makes a schema laborious."""
    values = references = 0
    unevaluated = False
    waiting = [value]
    while waiting:
        part = waiting.pop()
        values += 1
        if isinstance(part, dict):
            references += "$ref" in part
            unevaluated |= "unevaluatedProperties" in part or "unevaluatedItems" in part
            waiting += part.values()
        elif isinstance(part, list):
            waiting += part
    return _Size(values, references, unevaluated)


def patterns_may_take_long(schema: Any, value: Any) -> bool:
    """Say whether regular expressions of a schema may take long on the texts of a value.

    Nothing in this process can end such a search.
    """
    patterns = list(_patterns(schema))
    if not patterns:
        return False
    length = len(json.dumps(value)) * len(patterns)
    return any(regex_cost.may_take_long(pattern, length) for pattern in patterns)


def _patterns(schema: Any) -> Iterator[str]:
    """Yield the regular expressions of a schema, also where only a reference may lead."""
    if isinstance(schema, dict):
        if isinstance(schema.get("pattern"), str):
            yield schema["pattern"]
        if isinstance(schema.get("patternProperties"), dict):
            yield from map(str, schema["patternProperties"])
    if isinstance(schema, dict | list):
        for part in schema.values() if isinstance(schema, dict) else schema:
            yield from _patterns(part)


def main() -> None:
    """Validate `{schema, value}` from stdin; write `{violations}` or `{problem}` to stdout."""
    request = json.load(sys.stdin, parse_float=read_float)
    try:
        found = violations(request["schema"], request["value"])
        reply: dict[str, Any] = {"violations": [asdict(it) for it in found]}
    except SchemaError as error:
        reply = {"problem": str(error)}
    json.dump(reply, sys.stdout)


if __name__ == "__main__":
    main()
