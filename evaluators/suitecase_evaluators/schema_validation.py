"""Checks JSON Schemas, and values against them, without ever reaching for the network.

As a program, `python -m suitecase_evaluators.schema_validation` validates what stands on stdin:
validation that might take for ever is run so, and stopped from outside.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache, lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

from suitecase_evaluators import regex_search
from suitecase_evaluators.json_values import parse_json, show_json

if TYPE_CHECKING:
    from fractions import Fraction

    from jsonschema import FormatChecker
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator
    from referencing import Registry, Resource

#: Of the errors of one value, and of the problems of one schema, this many are kept.
ERRORS_KEPT = 100
#: Characters kept of an error's message; messages quote the value, which may be long.
MESSAGE_LIMIT = 300
#: Keywords whose schemas are applied to the same value as the schema they stand in.
_IN_PLACE = ("allOf", "anyOf", "oneOf", "not", "if", "then", "else")


@dataclass(frozen=True, slots=True)
class SchemaProblem:
    """Why a schema cannot validate anything, and the keys and indices that lead to the place."""

    message: str
    path: tuple[str | int, ...] = ()
    #: Whether it is about the key the path ends with, and not what stands under it.
    on_key: bool = False
    #: The words one of which has to stand there, where that is so.
    words: tuple[str, ...] = ()

    def __str__(self) -> str:
        where = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in self.path)
        return f"${where}: {self.message}" if where else self.message


class SchemaError(Exception):
    """A schema cannot validate: a problem of the suite, never of the answer."""

    def __init__(
        self, message: str, path: tuple[str | int, ...] = (), words: tuple[str, ...] = ()
    ) -> None:
        self.problem = SchemaProblem(message, path, words=words)
        super().__init__(str(self.problem))


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


def parse_schema(text: str) -> Any:
    """Return the schema that a text is the JSON of.

    Of a key that is given twice the last one counts; the checker refuses such a schema.

    Raises:
        NotJsonError: it is not JSON; `line` and `column` say where.
    """
    return parse_json(text, last_key_counts=True)


def schema_problem(schema: Any) -> SchemaProblem | None:
    """Return the first thing that keeps a schema from validating anything, or None."""
    return next(iter(schema_problems(schema)), None)


def schema_problems(schema: Any) -> tuple[SchemaProblem, ...]:
    """Return what keeps a schema from validating anything, `ERRORS_KEPT` problems at most.

    A schema is checked against the metaschema of its `$schema` (draft 2020-12 where it names
    none), its patterns have to be regular expressions, and each of its references must resolve
    within it: none is ever fetched.
    """
    try:
        text = json.dumps(schema, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        return (SchemaProblem(f"the schema is not a JSON value: {error}"),)
    return _problems_of(text)


@lru_cache(maxsize=256)
def _problems_of(text: str) -> tuple[SchemaProblem, ...]:
    """Return the problems of a schema in JSON; many cases share one, and each is asked often."""
    schema = json.loads(text)
    if not isinstance(schema, dict | bool):
        return (SchemaProblem("a schema is a mapping, or `true` or `false`"),)
    try:
        kind = _stock_class(schema)
        problems = [*_metaschema_problems(schema, kind), *_pattern_problems(schema)]
        problems += _other_drafts(schema)
        if not problems:
            problems += _unresolved(schema, kind)
        return tuple(problems[:ERRORS_KEPT])
    except SchemaError as error:
        return (error.problem,)
    except RecursionError:
        return (SchemaProblem("the schema is nested too deeply to be read"),)


def _metaschema_problems(schema: Any, kind: type[Validator]) -> Iterator[SchemaProblem]:
    from suitecase_evaluators.schema_keywords import referred, subschemas

    metaschema = kind(kind.META_SCHEMA, registry=_local_registry())
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

    from suitecase_evaluators.schema_keywords import TYPES

    worst = best_match([error]) or error
    path = tuple(worst.absolute_path)
    words = tuple(
        word
        for it in (error, worst, *(error.context or ()), *(worst.context or ()))
        if it.validator == "enum" and tuple(it.absolute_path) == path
        for word in cast("list[Any]", it.validator_value)
        if isinstance(word, str)
    )
    if set(words) >= set(TYPES):
        words = tuple(TYPES)
    return SchemaProblem(_short(_said(worst, words)), (*start, *path), words=words)


def _pattern_problems(schema: Any) -> Iterator[SchemaProblem]:
    from suitecase_evaluators.schema_keywords import subschemas
    from suitecase_evaluators.schema_patterns import pattern_problem

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
    return f"{show_json(pattern)} is no regular expression of ECMA-262: {reason}"


def _other_drafts(schema: Any) -> Iterator[SchemaProblem]:
    """Yield where a schema within a schema names another draft than the whole."""
    from suitecase_evaluators.schema_keywords import draft_of, subschemas

    for path, part in subschemas(schema):
        if not path or not isinstance(part, dict) or "$schema" not in part:
            continue
        if draft_of(part) != draft_of(schema) or not _is_draft(part["$schema"]):
            said = "`$schema` stands at the top of a schema, and holds for all of it"
            yield SchemaProblem(said, (*path, "$schema"))


def violations(schema: Any, value: Any) -> list[Violation]:
    """Return in which ways a value does not meet a schema, `ERRORS_KEPT` at most.

    `format` is checked too, wherever it names one of `FORMATS`.

    Raises:
        SchemaError: the schema cannot validate.
    """
    from referencing.exceptions import Unresolvable

    schema = json.loads(json.dumps(schema))
    kind = _validator_class(_stock_class(schema))
    whole = _for_names_of(value, schema)
    validator = kind(whole, registry=_local_registry(), format_checker=_format_checker())
    try:
        found = list(islice(validator.iter_errors(value), ERRORS_KEPT))
    except Unresolvable as error:
        raise SchemaError(_not_fetched(error.ref)) from error
    except RecursionError as error:
        raise SchemaError(
            "a reference of the schema leads back to itself, or the answer is nested too deeply"
        ) from error
    return [
        Violation(
            it.json_path,
            _short(it.message),
            str(it.validator),
            [
                _pattern_of(step) if isinstance(step, str) else step
                for step in it.absolute_schema_path
            ],
            list(it.absolute_path),
        )
        for it in found
    ]


def may_take_long(schema: Any, value: Any) -> bool:
    """Say whether regular expressions of a schema may take long on the texts of a value."""
    patterns = list(_patterns(schema))
    if not patterns:
        return False
    length = len(json.dumps(value)) * len(patterns)
    return any("\\k" in it or regex_search.may_take_long(it, length) for it in patterns)


def _patterns(schema: Any) -> Iterator[str]:
    """Yield the regular expressions of a schema, also where only a reference may lead."""
    if isinstance(schema, dict):
        if isinstance(schema.get("pattern"), str):
            yield schema["pattern"]
        if isinstance(schema.get("patternProperties"), dict):
            yield from map(str, schema["patternProperties"])
    if isinstance(schema, dict | list):
        for it in schema.values() if isinstance(schema, dict) else schema:
            yield from _patterns(it)


#: What a mistake of the metaschemas' errors is likely to be, by keyword and kind of value.
_HINTS = {
    ("required", bool): "; it is a list of names that stands beside `properties`",
    ("exclusiveMinimum", bool): "; since draft 6 it is the bound itself, in place of `minimum`",
    ("exclusiveMaximum", bool): "; since draft 6 it is the bound itself, in place of `maximum`",
    ("items", list): "; since draft 2020-12 a list of schemas stands under `prefixItems`",
}


def _said(error: ValidationError, words: tuple[str, ...]) -> str:
    """Say what a metaschema's error means; the library tells only that no alternative fits."""
    from suitecase_evaluators.schema_keywords import KEYWORDS

    last = str(error.absolute_path[-1]) if error.absolute_path else ""
    if error.instance is None:
        keyword = KEYWORDS.get(last)
        wanted = keyword.takes if keyword is not None else "a schema"
        if words:
            wanted = f"one of {', '.join(repr(word) for word in words)}"
        return f"here is nothing, expected {wanted}"
    if words:
        return f"{error.instance!r} is none of {', '.join(repr(word) for word in words)}"
    return f"{error.message}{_HINTS.get((last, type(error.instance)), '')}"


def _is_draft(address: Any) -> bool:
    from suitecase_evaluators.schema_keywords import DRAFTS

    return str(address).rstrip("#") in DRAFTS


def _stock_class(schema: Any) -> type[Validator]:
    from jsonschema import validators

    from suitecase_evaluators.schema_keywords import DRAFTS, draft_of

    draft = schema.get("$schema") if isinstance(schema, dict) else None
    if draft is not None and not _is_draft(draft):
        raise SchemaError(
            f"{draft!r} is no known draft of JSON Schema; leave `$schema` out for draft 2020-12, "
            "or write https://json-schema.org/draft/2020-12/schema, "
            "https://json-schema.org/draft/2019-09/schema or "
            "http://json-schema.org/draft-07/schema#",
            ("$schema",),
            tuple(f"{it}#" if draft_of({"$schema": it}) <= 7 else it for it in DRAFTS),
        )
    return {
        4: validators.Draft4Validator,
        6: validators.Draft6Validator,
        7: validators.Draft7Validator,
        2019: validators.Draft201909Validator,
        2020: validators.Draft202012Validator,
    }[int(draft_of(schema))]


@cache
def _validator_class(stock: type[Validator]) -> type[Validator]:
    """Return the validator of a draft with what the specification says more exactly."""
    from jsonschema.validators import extend

    made: type[Validator] = extend(  # type: ignore[no-untyped-call]
        stock,
        {
            "multipleOf": _multiple_of,
            "pattern": _pattern,
            "patternProperties": _pattern_properties,
            "additionalProperties": _additional_properties,
        },
    )
    return made


@cache
def _format_checker() -> FormatChecker:
    from jsonschema import FormatChecker

    from suitecase_evaluators.schema_formats import FORMATS

    checker = FormatChecker(formats=())
    for name, it in FORMATS.items():
        checker.checks(name)(
            lambda value, is_met=it.is_met: not isinstance(value, str) or is_met(value)
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

    return Fraction(number) if isinstance(number, int) else Fraction(repr(number))


def _pattern(validator: Any, pattern: str, value: Any, schema: Any) -> Iterator[ValidationError]:
    from jsonschema import ValidationError

    from suitecase_evaluators.schema_patterns import matches

    if validator.is_type(value, "string") and not matches(pattern, value):
        yield ValidationError(f"{value!r} does not match {pattern!r}")


def _pattern_properties(
    validator: Any, by_pattern: dict[str, Any], value: Any, schema: Any
) -> Iterator[ValidationError]:
    from suitecase_evaluators.schema_patterns import matches

    if not validator.is_type(value, "object"):
        return
    for pattern, inner in by_pattern.items():
        for name, it in value.items():
            if matches(_pattern_of(pattern), name):
                yield from validator.descend(it, inner, path=name, schema_path=pattern)


def _additional_properties(
    validator: Any, inner: Any, value: Any, schema: Any
) -> Iterator[ValidationError]:
    from jsonschema import ValidationError

    from suitecase_evaluators.schema_patterns import matches

    if not validator.is_type(value, "object"):
        return
    patterns = [_pattern_of(it) for it in schema.get("patternProperties", ())]
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
    def of(cls, written: str, names: set[str]) -> _NamesPattern:
        from suitecase_evaluators.schema_patterns import matches

        found = "|".join(re.escape(it) for it in sorted(names) if matches(written, it))
        made = cls(rf"\A(?:{found})\Z" if found else "(?!)")
        made.written = written
        return made


def _pattern_of(text: str) -> str:
    return text.written if isinstance(text, _NamesPattern) else text


def _for_names_of(value: Any, schema: Any) -> Any:
    """Return a schema as the library can apply it to a value; the schema itself may be changed.

    The library picks its own class of validators where it meets `$schema`, and for
    `unevaluatedProperties` reads patterns as Python's.
    """
    from suitecase_evaluators.schema_keywords import subschemas

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


def _local_registry() -> Registry[Any]:
    """Return a registry that knows the metaschemas, and by its default refuses everything else."""
    # Mypy knows nothing of this package, which holds no more than this one name.
    from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]

    registry: Registry[Any] = REGISTRY
    return registry


def _unresolved(schema: Any, kind: type[Validator]) -> Iterator[SchemaProblem]:
    """Yield the references that lead nowhere, and those that lead back without an end."""
    from referencing.exceptions import Unresolvable
    from referencing.jsonschema import specification_with

    def walk(resource: Resource[Any], resolver: Any) -> Iterator[SchemaProblem]:
        if not isinstance(resource.contents, dict):
            return
        for keyword in ("$ref", "$dynamicRef"):
            reference = resource.contents.get(keyword)
            if isinstance(reference, str):
                where = (*(_path_to(resource.contents, schema) or ()), keyword)
                try:
                    resolver.lookup(reference)
                except Unresolvable:
                    yield SchemaProblem(_not_fetched(reference), where)
                    continue
                if _leads_back(resource.contents, resolver):
                    yield SchemaProblem(
                        f"`{reference}` leads back to itself, so validating by it would never end",
                        where,
                    )
        for part in resource.subresources():
            yield from walk(part, resolver.in_subresource(part))

    dialect = kind.META_SCHEMA["$schema"]
    root = specification_with(dialect).create_resource(schema)
    yield from walk(root, _local_registry().resolver_with_root(root))


def _leads_back(start: Any, resolver: Any) -> bool:
    """Whether a schema is applied to a value as a part of being applied to that same value."""
    from referencing.exceptions import Unresolvable

    waiting: list[tuple[Any, Any]] = [(start, resolver)]
    seen: set[int] = set()
    while waiting:
        schema, at = waiting.pop()
        if not isinstance(schema, dict) or id(schema) in seen:
            if schema is start:
                return True
            continue
        seen.add(id(schema))
        for keyword in _IN_PLACE:
            inner = schema.get(keyword)
            waiting += [(it, at) for it in (inner if isinstance(inner, list) else [inner])]
        reference = schema.get("$ref")
        if isinstance(reference, str):
            try:
                found = at.lookup(reference)
            except Unresolvable:
                continue  # found as such
            waiting.append((found.contents, found.resolver))
    return False


def _path_to(node: Any, within: Any) -> tuple[str | int, ...] | None:
    if node is within:
        return ()
    parts: Any = ()
    if isinstance(within, dict):
        parts = within.items()
    elif isinstance(within, list):
        parts = enumerate(within)
    for key, part in parts:
        rest = _path_to(node, part)
        if rest is not None:
            return (key, *rest)
    return None


def _not_fetched(reference: str) -> str:
    return (
        f"`{reference}` leads to nothing within the schema, and schemas are never fetched: write "
        "what it stands for under `$defs`, and refer to that"
    )


def _short(message: str) -> str:
    """Cut the middle out of a message: the value stands first, what is wrong with it last."""
    if len(message) <= MESSAGE_LIMIT:
        return message
    half = MESSAGE_LIMIT // 2
    return f"{message[:half]} ... {message[-half:]}"


def main() -> None:
    """Validate `{schema, value}` from stdin; write `{violations}` or `{problem}` to stdout."""
    asked = json.load(sys.stdin)
    try:
        found = violations(asked["schema"], asked["value"])
        reply: dict[str, Any] = {"violations": [asdict(it) for it in found]}
    except SchemaError as error:
        reply = {"problem": str(error)}
    json.dump(reply, sys.stdout)


if __name__ == "__main__":
    main()
