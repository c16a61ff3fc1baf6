"""Reads JSON Schemas and checks them, without ever reaching for the network."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, cast

from suitecase_evaluators.schema.drafts import draft_of, is_draft, local_registry, stock_validator
from suitecase_evaluators.schema.errors import ERRORS_KEPT, SchemaError, SchemaProblem, shortened
from suitecase_evaluators.schema.keywords import TYPES
from suitecase_evaluators.schema.patterns import pattern_problem
from suitecase_evaluators.schema.references import address_problem, unresolved
from suitecase_evaluators.text.json_values import parse_json, show_json
from suitecase_evaluators.text.written_number import encoded, read_float

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator


def parse_schema(text: str) -> Any:
    """Return the schema that a text is the JSON of.

    Of a key that is given twice the last one counts; the checker refuses such a schema.

    Raises:
        NotJsonError: it is not JSON; `line` and `column` say where.
    """
    return parse_json(text, last_key_counts=True)


def schema_problems(schema: Any) -> tuple[SchemaProblem, ...]:
    """Return what keeps a schema from validating anything, `ERRORS_KEPT` problems at most.

    A schema is checked against the metaschema of its `$schema` (draft 2020-12 where it names
    none), its patterns have to be regular expressions, and each of its references must resolve
    within it: none is ever fetched.
    """
    try:
        text = encoded(schema, partial(json.dumps, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        return (SchemaProblem(f"the schema is not a JSON value: {error}"),)
    return _problems_of(text)


@lru_cache(maxsize=256)
def _problems_of(text: str) -> tuple[SchemaProblem, ...]:
    """Return the problems of a schema in JSON; many cases share one, and each is asked often."""
    schema = json.loads(text, parse_float=read_float)
    if not isinstance(schema, dict | bool):
        return (SchemaProblem("a schema must be a mapping, `true` or `false`"),)
    if is_plain_and_valid(schema):
        return tuple(islice(_pattern_problems(schema), ERRORS_KEPT))
    return problems_by_library(schema)


def problems_by_library(schema: Any) -> tuple[SchemaProblem, ...]:
    """Return the problems of a schema of any kind, which is changed."""
    kind: type[Validator] | None = None
    problems: list[SchemaProblem] = []
    try:
        kind = stock_validator(schema)
    except SchemaError as error:
        problems.append(error.problem)
    try:
        if kind is not None:
            problems += _metaschema_problems(schema, kind)
        problems += _pattern_problems(schema)
        problems += _other_drafts(schema)
        problems += _address_problems(schema)
        problems += unresolved(schema, kind, {problem.path for problem in problems if problem.path})
    except RecursionError:
        return (SchemaProblem("the schema is nested too deeply to be read"),)
    return tuple(problems[:ERRORS_KEPT])


def _metaschema_problems(schema: Any, kind: type[Validator]) -> Iterator[SchemaProblem]:
    from suitecase_evaluators.schema.validators import metaschema_validator
    from suitecase_evaluators.schema.walk import referred, subschemas

    metaschema = metaschema_validator(kind)(kind.META_SCHEMA, registry=local_registry())
    seen: set[SchemaProblem] = set()
    known = {path for path, _ in subschemas(schema)}
    hidden = [(path, it) for path, it in referred(schema) if path not in known]
    for path, part in (((), schema), *hidden):
        for error in metaschema.iter_errors(part):
            found = _problem(error, path)
            if found not in seen:  # each vocabulary of a metaschema finds the same again
                seen.add(found)
                yield found


def _problem(error: ValidationError, start: tuple[str | int, ...]) -> SchemaProblem:
    """Return what a metaschema's error means, at the place where it is most to the point."""
    from jsonschema.exceptions import best_match

    from suitecase_evaluators.schema.keywords import TYPES

    worst = best_match([error]) or error
    path = tuple(worst.absolute_path)
    words = tuple(
        word
        for candidate in (error, worst, *(worst.context or ()))
        if candidate.validator == "enum" and tuple(candidate.absolute_path) == path
        for word in cast("list[Any]", candidate.validator_value)
        if isinstance(word, str)
    )
    if set(words) >= set(TYPES):
        words = tuple(TYPES)
    return SchemaProblem(shortened(_said(worst, words)), (*start, *path), words=words)


def _pattern_problems(schema: Any) -> Iterator[SchemaProblem]:
    from suitecase_evaluators.schema.walk import subschemas

    for path, part in subschemas(schema):
        if not isinstance(part, dict):
            continue
        pattern = part.get("pattern")
        if isinstance(pattern, str) and (reason := pattern_problem(pattern)):
            yield SchemaProblem(_no_pattern(pattern, reason), (*path, "pattern"))
        by_pattern = part.get("patternProperties")
        for name in by_pattern if isinstance(by_pattern, dict) else ():
            if reason := pattern_problem(name):
                where = (*path, "patternProperties", name)
                yield SchemaProblem(_no_pattern(name, reason), where, on_key=True)


def _no_pattern(pattern: str, reason: str) -> str:
    return f"{show_json(pattern)} is not a valid ECMA-262 regular expression: {reason}"


def _other_drafts(schema: Any) -> Iterator[SchemaProblem]:
    """Yield where a schema within a schema names another draft than the whole."""
    from suitecase_evaluators.schema.walk import subschemas

    for path, part in subschemas(schema):
        if not path or not isinstance(part, dict) or "$schema" not in part:
            continue
        if draft_of(part) != draft_of(schema) or not is_draft(part["$schema"]):
            message = "`$schema` belongs at the top of a schema, and applies to all of it"
            yield SchemaProblem(message, (*path, "$schema"))


def _address_problems(schema: Any) -> Iterator[SchemaProblem]:
    """Yield the addresses of schemas that references cannot start from."""
    from suitecase_evaluators.schema.walk import subschemas

    keyword = "id" if draft_of(schema) == 4 else "$id"
    for path, part in subschemas(schema):
        address = part.get(keyword) if isinstance(part, dict) else None
        if isinstance(address, str) and (reason := address_problem(address)):
            message = f"{show_json(address)} is not a URI: {reason}"
            yield SchemaProblem(message, (*path, keyword))


#: What a mistake of the metaschemas' errors is likely to be, by keyword and kind of value.
_HINTS = {
    ("required", bool): "; it is a list of names beside `properties`",
    ("exclusiveMinimum", bool): "; since draft 6 it is the bound itself, in place of `minimum`",
    ("exclusiveMaximum", bool): "; since draft 6 it is the bound itself, in place of `maximum`",
    ("items", list): "; since draft 2020-12 a list of schemas stands under `prefixItems`",
}


def _said(error: ValidationError, words: tuple[str, ...]) -> str:
    """Return what a metaschema's error means; the library only says that no alternative fits."""
    from suitecase_evaluators.schema.keywords import KEYWORDS

    last = str(error.absolute_path[-1]) if error.absolute_path else ""
    if error.instance is None:
        keyword = KEYWORDS.get(last)
        expected = keyword.takes if keyword is not None else "a schema"
        if words:
            expected = f"one of {', '.join(repr(word) for word in words)}"
        return f"expected {expected}, got nothing"
    if words:
        return f"{error.instance!r} is not one of {', '.join(repr(word) for word in words)}"
    return f"{error.message}{_HINTS.get((last, type(error.instance)), '')}"


#: Deeper ones are left to the library.
_DEEPEST: Final = 50


def is_plain_and_valid(schema: Any) -> bool:
    """Whether a schema of the default draft has common keywords only, each with a value that it may have.

    What is not certain is False: references, names of schemas, drafts, and unknown keywords. Patterns
    have to be looked at besides.

    Args:
        schema: a JSON value.
    """
    waiting: list[tuple[Any, int]] = [(schema, 0)]
    while waiting:
        part, depth = waiting.pop()
        if isinstance(part, bool):
            continue
        if not isinstance(part, dict) or depth > _DEEPEST:
            return False
        for name, value in part.items():
            is_fine = _VALUES.get(name)
            if is_fine is not None:
                if not is_fine(value):
                    return False
            elif name in _ONE:
                waiting.append((value, depth + 1))
            elif name in _LISTED and isinstance(value, list) and value:
                waiting += [(item, depth + 1) for item in value]
            elif name in _NAMED and isinstance(value, dict):
                waiting += [(item, depth + 1) for item in value.values()]
            else:
                return False
    return True


#: Keywords that hold a schema, a list of schemas, or schemas by name.
_ONE: Final = frozenset({
    "items", "additionalProperties", "contains", "propertyNames", "not", "if", "then", "else",
})  # fmt: skip
_LISTED: Final = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
_NAMED: Final = frozenset({"properties", "patternProperties"})


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_list(value: Any) -> bool:
    return isinstance(value, list)


def _is_anything(_value: Any) -> bool:
    return True


def _are_names(value: Any) -> bool:
    return (
        isinstance(value, list)
        and all(isinstance(name, str) for name in value)
        and len(set(value)) == len(value)
    )


def _is_type(value: Any) -> bool:
    if isinstance(value, list):
        return bool(value) and _are_names(value) and all(name in TYPES for name in value)
    return isinstance(value, str) and value in TYPES


_VALUES: Final[Mapping[str, Callable[[Any], bool]]] = {
    "type": _is_type,
    "required": _are_names,
    "enum": _is_list,
    "const": _is_anything,
    "default": _is_anything,
    "examples": _is_list,
    "multipleOf": lambda value: _is_number(value) and value > 0,
    "uniqueItems": _is_flag,
    **dict.fromkeys(("title", "description", "$comment", "format", "pattern"), _is_text),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), _is_number),
    **dict.fromkeys(
        (
            *("minLength", "maxLength", "minItems", "maxItems"),
            *("minProperties", "maxProperties", "minContains", "maxContains"),
        ),
        _is_count,
    ),
}
