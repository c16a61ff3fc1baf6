"""Validates values by JSON Schemas, without ever reaching for the network.

As a program, `python -m suitecase_evaluators.schema.validation` validates what stands on stdin:
validation that might take for ever is run so, and stopped from outside.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any

from suitecase_evaluators.schema import regex_cost
from suitecase_evaluators.schema.drafts import local_registry, stock_validator
from suitecase_evaluators.schema.errors import ERRORS_KEPT, SchemaError, shortened
from suitecase_evaluators.schema.references import not_fetched
from suitecase_evaluators.schema.validators import (
    DYNAMIC_REFERENCES,
    depends_on_names,
    exact_validator,
    for_names_of,
    format_checker,
    remembering,
    written_pattern,
)
from suitecase_evaluators.schema.walk import followed
from suitecase_evaluators.text.written_number import encoded, read_float

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

#: The product of parts of the schema that are applied, and values in the answer, above which validation
#: may take long.
LARGE = 200_000
#: With more references the ways along them may be too many to follow.
FEW_REFERENCES = 10
#: The same for schemas that ask what is evaluated, one within the other.
FEW_UNEVALUATED = 3
#: No metaschema has more parts; they are all that a schema can refer to besides itself.
METASCHEMA_PARTS = 1_000
#: So many characters of a text take as long as another value.
CHARACTERS_OF_A_VALUE = 100


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
    """Say whether validating a value may take long, so that it has to be possible to end it.

    Where this is False, no schema is applied more often than `LARGE` says: without references, once
    to each value, and what a reference leads to once more, since `remembering` holds nothing against
    a reference twice.
    """
    parts = _Parts.of(schema)
    if parts.dynamic or parts.nested_unevaluated > FEW_UNEVALUATED:
        return True
    # What is evaluated is worked out for each way along references that leads to it.
    if parts.nested_unevaluated and len(parts.references) > FEW_REFERENCES:
        return True
    most = LARGE // max(_weight(value), 1)
    return _applied(schema, parts, most) > most or patterns_may_take_long(schema, value)


@dataclass(slots=True)
class _Parts:
    """What there is in a schema that is applied to values."""

    values: int = 0
    references: list[Any] = field(default_factory=list)
    #: Whether it refers to what depends on the way there, of which nothing is remembered.
    dynamic: bool = False
    #: Whether a schema within it has an address of its own, from which references start.
    addressed: bool = False
    #: How many schemas that ask what is evaluated are within each other: each doubles the effort.
    nested_unevaluated: int = 0

    @classmethod
    def of(cls, schema: Any) -> _Parts:
        parts = cls()
        waiting: list[tuple[Any, int]] = [(schema, 0)]
        while waiting:
            part, nested = waiting.pop()
            parts.values += 1
            if isinstance(part, dict):
                if "$ref" in part:
                    parts.references.append(part["$ref"])
                parts.dynamic |= not DYNAMIC_REFERENCES.isdisjoint(part)
                parts.addressed |= part is not schema and ("$id" in part or "id" in part)
                nested += "unevaluatedProperties" in part or "unevaluatedItems" in part
                parts.nested_unevaluated = max(parts.nested_unevaluated, nested)
                waiting += ((inner, nested) for inner in part.values())
            elif isinstance(part, list):
                waiting += ((inner, nested) for inner in part)
        return parts


def _applied(schema: Any, parts: _Parts, most: int) -> int:
    """Count the parts of a schema that are applied to a value, with those that references lead to.

    Args:
        schema: the schema.
        parts: what there is in it.
        most: the count ends soon after more than that.
    """
    applied = parts.values
    for reference in parts.references:
        if applied > most:
            break
        pointer = reference[1:] if isinstance(reference, str) and reference[:1] == "#" else None
        if pointer is None:
            applied += max(parts.values, METASCHEMA_PARTS)
        elif parts.addressed or pointer[:1] != "/":
            applied += parts.values
        else:
            _, target, left = followed(schema, pointer)
            applied += parts.values if left else _Parts.of(target).values
    return applied


def _weight(value: Any) -> int:
    """Count the values in a value; long texts count more often, since errors repeat them.

    An error quotes a value with all that is in it, so that what is deep in a value is quoted often.
    """
    weight = 0
    waiting = [(value, 1)]
    while waiting:
        part, depth = waiting.pop()
        length = len(part) if isinstance(part, str) else 2
        if isinstance(part, dict):
            length += sum(map(len, part))
            waiting += ((inner, depth + 1) for inner in part.values())
        elif isinstance(part, list):
            waiting += ((inner, depth + 1) for inner in part)
        weight += 1 + depth * length // CHARACTERS_OF_A_VALUE
    return weight


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
