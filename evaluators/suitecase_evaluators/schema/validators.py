"""The library's validators, made to apply what the specification says more exactly."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from suitecase_evaluators.schema.errors import ERRORS_KEPT
from suitecase_evaluators.schema.patterns import matches
from suitecase_evaluators.text.json_values import json_key
from suitecase_evaluators.text.written_number import exact

if TYPE_CHECKING:
    from fractions import Fraction

    from jsonschema import FormatChecker
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator


@cache
def exact_validator(stock: type[Validator]) -> type[Validator]:
    """Return the validator of a draft with what the specification says more exactly."""
    from jsonschema.validators import extend

    validator: type[Validator] = extend(  # type: ignore[no-untyped-call]
        stock,
        {
            "multipleOf": _multiple_of,
            "pattern": _pattern,
            "patternProperties": _pattern_properties,
            "additionalProperties": _additional_properties,
            "uniqueItems": _unique_items,
            "$ref": _remembered(stock.VALIDATORS["$ref"]),
        },
    )
    return validator


@cache
def metaschema_validator(stock: type[Validator]) -> type[Validator]:
    """Return the validator of a draft for schemas themselves."""
    from jsonschema.validators import extend

    validator: type[Validator] = extend(stock, {"uniqueItems": _unique_items})  # type: ignore[no-untyped-call]
    return validator


#: The keywords of references whose targets depend on the way to them.
DYNAMIC_REFERENCES: Final = frozenset({"$dynamicRef", "$recursiveRef"})
#: The first errors of each value that was validated against a reference so far.
_Known = dict[tuple[int, int], tuple[Any, "list[ValidationError]"]]
_known: ContextVar[_Known | None] = ContextVar("known", default=None)


@contextmanager
def remembering(schema: Any) -> Iterator[None]:
    """Hold no value against a reference of a schema twice.

    References that lead to references double what is applied with each step; forty of them would
    take for ever. What a dynamic reference leads to depends on the way there, so that nothing is
    remembered where a schema has one.
    """
    from suitecase_evaluators.schema.walk import subschemas

    parts = (part for _, part in subschemas(schema) if isinstance(part, dict))
    is_dynamic = any(not DYNAMIC_REFERENCES.isdisjoint(part) for part in parts)
    known: _Known | None = None if is_dynamic else {}
    token = _known.set(known)
    try:
        yield
    finally:
        _known.reset(token)


def _remembered(apply: Any) -> Any:
    def ref(validator: Any, address: str, value: Any, schema: Any) -> Iterator[ValidationError]:
        known = _known.get()
        if known is None:
            yield from apply(validator, address, value, schema)
            return
        key = (id(schema), id(value))
        if key not in known:
            # The value is kept, so that no other one takes its identity.
            known[key] = (
                value,
                list(islice(apply(validator, address, value, schema), ERRORS_KEPT)),
            )
        for error in known[key][1]:
            # Whoever gets an error writes into it where it was found.
            yield error.create_from(error)

    return ref


def _unique_items(
    validator: Any, unique: Any, value: Any, schema: Any
) -> Iterator[ValidationError]:
    from jsonschema import ValidationError

    if unique and validator.is_type(value, "array") and len(set(map(json_key, value))) < len(value):
        yield ValidationError(f"{value!r} has non-unique elements")


@cache
def format_checker() -> FormatChecker:
    """Return what checks each of `FORMATS`, in every draft."""
    from jsonschema import FormatChecker

    from suitecase_evaluators.schema.formats import FORMATS

    checker = FormatChecker(formats=())
    for name, check in FORMATS.items():
        checker.checks(name)(
            lambda value, is_met=check.is_met: not isinstance(value, str) or is_met(value)
        )
    return checker


def _multiple_of(
    validator: Any, divisor: Any, value: Any, schema: Any
) -> Iterator[ValidationError]:
    """Divide as decimals, which is how people and JSON write numbers."""
    from jsonschema import ValidationError

    if validator.is_type(value, "number") and _exact(value) % _exact(divisor):
        yield ValidationError(f"{value!r} is not a multiple of {divisor!r}")


def _exact(number: float) -> Fraction:
    from fractions import Fraction

    return Fraction(exact(number))


def _pattern(validator: Any, pattern: str, value: Any, schema: Any) -> Iterator[ValidationError]:
    from jsonschema import ValidationError

    if validator.is_type(value, "string") and not matches(pattern, value):
        yield ValidationError(f"{value!r} does not match {pattern!r}")


def _pattern_properties(
    validator: Any, by_pattern: dict[str, Any], value: Any, schema: Any
) -> Iterator[ValidationError]:
    if not validator.is_type(value, "object"):
        return
    for pattern, inner in by_pattern.items():
        for name, value_of_name in value.items():
            if matches(written_pattern(pattern), name):
                yield from validator.descend(value_of_name, inner, path=name, schema_path=pattern)


def _additional_properties(
    validator: Any, inner: Any, value: Any, schema: Any
) -> Iterator[ValidationError]:
    from jsonschema import ValidationError

    if not validator.is_type(value, "object"):
        return
    patterns = [written_pattern(it) for it in schema.get("patternProperties", ())]
    more = [
        name
        for name in value
        if name not in schema.get("properties", ())
        and not any(matches(pattern, name) for pattern in patterns)
    ]
    if isinstance(inner, dict):
        for name in more:
            yield from validator.descend(value[name], inner, path=name)
    elif not inner and more:
        were = "was" if len(more) == 1 else "were"
        names = ", ".join(map(repr, more))
        yield ValidationError(f"Additional properties are not allowed ({names} {were} unexpected)")


class _NamesPattern(str):
    """In the place of a pattern, an expression of Python's that finds the same of given names."""

    written: str

    @classmethod
    def of(cls, pattern: str, names: set[str]) -> _NamesPattern:
        found = "|".join(re.escape(name) for name in sorted(names) if matches(pattern, name))
        instance = cls(rf"\A(?:{found})\Z" if found else "(?!)")
        instance.written = pattern
        return instance


def written_pattern(text: str) -> str:
    """Return a pattern as the schema has it, also of one that `for_names_of` replaced."""
    return text.written if isinstance(text, _NamesPattern) else text


def depends_on_names(schema: Any) -> bool:
    """Whether `for_names_of` returns another schema for values with other names."""
    from suitecase_evaluators.schema.walk import subschemas

    parts = [part for _, part in subschemas(schema) if isinstance(part, dict)]
    return any("unevaluatedProperties" in part for part in parts) and any(
        isinstance(part.get("patternProperties"), dict) for part in parts
    )


def for_names_of(value: Any, schema: Any) -> Any:
    """Return a schema as the library can apply it to a value; the schema itself may be changed.

    The library picks its own class of validators where it meets `$schema`, and for
    `unevaluatedProperties` reads patterns as Python's.
    """
    from suitecase_evaluators.schema.walk import subschemas

    parts = [part for _, part in subschemas(schema) if isinstance(part, dict)]
    for part in parts:
        part.pop("$schema", None)
    if any("unevaluatedProperties" in it for it in parts):
        names = set(_names_in(value))
        for part in parts:
            by_pattern = part.get("patternProperties")
            if isinstance(by_pattern, dict):
                part["patternProperties"] = {
                    _NamesPattern.of(pattern, names): it for pattern, it in by_pattern.items()
                }
    return schema


def _names_in(value: Any) -> Iterator[str]:
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            yield from part
            waiting += part.values()
        elif isinstance(part, list):
            waiting += part
