"""Validates values by JSON Schemas as Ajv does in promptfoo: by draft 7, in strict mode.

Run as a program, `python -m suitecase_evaluators.promptfoo.ajv_validation` validates a value from stdin.
Validation that may never end runs this way, since a process can be stopped.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final

from suitecase_evaluators.promptfoo.ajv_strict import refusals
from suitecase_evaluators.promptfoo.ecmascript import as_double, unicode_pattern_problem
from suitecase_evaluators.schema.drafts import local_registry
from suitecase_evaluators.schema.errors import SchemaError, shortened
from suitecase_evaluators.schema.references import not_fetched
from suitecase_evaluators.schema.validators import exact_validator, remembering
from suitecase_evaluators.schema.walk import subschemas

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator

#: Keywords that only Ajv has and that are not supported here.
_NOT_APPLIED: Final = (
    "$async", "formatExclusiveMaximum", "formatExclusiveMinimum", "formatMaximum", "formatMinimum",
)  # fmt: skip
#: Ajv compares a quotient with `parseInt` of it, which reads `1e+21` as 1.
_LARGEST_QUOTIENT: Final = 1e21


def violation(schema: Any, value: Any) -> str | None:
    """Return the first violation of a schema by a value, with its path; None if the value is valid.

    Raises:
        SchemaError: Ajv refuses the schema, or it cannot validate.
    """
    from referencing.exceptions import Unresolvable

    validator = _compiled(json.dumps(schema))
    try:
        with remembering(validator.schema):
            error = next(iter(validator.iter_errors(value)), None)
    except Unresolvable as unresolvable:
        raise SchemaError(not_fetched(unresolvable.ref)) from unresolvable
    except RecursionError as recursion:
        raise SchemaError(
            "a reference of the schema refers to itself, or the answer is nested too deeply"
        ) from recursion
    return None if error is None else f"{error.json_path}: {shortened(error.message)}"


def violation_of_all(schema: Any, values: Sequence[Any]) -> str | None:
    """Return the last value's first violation of a schema; None if one of the values is valid.

    Raises:
        SchemaError: Ajv refuses the schema, or it cannot validate.
    """
    found: str | None = ""
    for value in values:
        found = violation(schema, value)
        if found is None:
            break
    return found


@lru_cache(maxsize=64)
def _compiled(text: str) -> Validator:
    """Return the validator for a schema in JSON. A run validates many answers by the same one.

    Raises:
        SchemaError: Ajv refuses the schema.
    """
    from suitecase_evaluators.promptfoo.ajv_formats import format_checker

    schema = json.loads(text)
    for refusal in refusals(schema):
        raise SchemaError(refusal.message, refusal.path)
    for path, part in subschemas(schema):
        if isinstance(part, dict):
            for key in _NOT_APPLIED:
                if key in part:
                    raise SchemaError(f"`{key}` is not supported", (*path, key))
            for pattern in _patterns(part):
                problem = unicode_pattern_problem(pattern)
                if problem is not None:
                    raise SchemaError(
                        f"{pattern!r} is not a valid regular expression with the flag `u`: {problem}",
                        path,
                    )
    for _, part in list(subschemas(schema)):
        if isinstance(part, dict):
            _as_draft_7(part)
    return _validator()(schema, registry=local_registry(), format_checker=format_checker())


def _patterns(part: dict[str, Any]) -> Iterator[str]:
    if isinstance(part.get("pattern"), str):
        yield part["pattern"]
    yield from part.get("patternProperties", ())


def _as_draft_7(part: dict[str, Any]) -> None:
    """Rewrite, in place, what Ajv reads differently so that it means the same by the specification."""
    part.pop("$schema", None)
    if part.pop("nullable", None) is True:
        types = part["type"] if isinstance(part["type"], list) else [part["type"]]
        part["type"] = list(dict.fromkeys([*types, "null"]))
    if "$ref" in part and len(part) > 1:
        # Ajv applies the keywords beside a reference.
        part["allOf"] = [*part.get("allOf", ()), {"$ref": part.pop("$ref")}]


@cache
def _validator() -> type[Validator]:
    from jsonschema import Draft7Validator
    from jsonschema.validators import extend

    validator: type[Validator] = extend(  # type: ignore[no-untyped-call]
        exact_validator(Draft7Validator), {"multipleOf": _multiple_of}
    )
    return validator


def _multiple_of(
    validator: Any, divisor: Any, value: Any, schema: Any
) -> Iterator[ValidationError]:
    """Divide as Ajv does: as doubles, so 0.3 is not a multiple of 0.1, and with quotients below 1e21."""
    from jsonschema import ValidationError

    if validator.is_type(value, "number"):
        quotient = as_double(value) / as_double(divisor)
        if not quotient.is_integer() or abs(quotient) >= _LARGEST_QUOTIENT:
            yield ValidationError(f"{value!r} is not a multiple of {divisor!r}")


def main() -> None:
    """Validate the values of `{schema, value}` from stdin, a list, until one of them is valid.

    `{violation}` or `{problem}` is written to stdout.
    """
    request = json.load(sys.stdin)
    try:
        reply = {"violation": violation_of_all(request["schema"], request["value"])}
    except SchemaError as error:
        reply = {"problem": str(error)}
    json.dump(reply, sys.stdout)


if __name__ == "__main__":
    main()
