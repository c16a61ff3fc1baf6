"""Checks JSON Schemas, and values against them, without ever reaching for the network.

As a program, `python -m suitecase_evaluators.schema_validation` validates what stands on stdin:
validation that might take for ever is run so, and stopped from outside.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from suitecase_evaluators.json_values import parse_json

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator
    from referencing import Registry, Resource

#: Of the errors of one value this many are kept.
ERRORS_KEPT = 100
#: Characters kept of an error's message; messages quote the value, which may be long.
MESSAGE_LIMIT = 300
#: Keywords that hold regular expressions, which can take time exponential in the value's length.
PATTERN_KEYWORDS = ("pattern", "patternProperties")
#: Keywords whose schemas are applied to the same value as the schema they stand in.
_IN_PLACE = ("allOf", "anyOf", "oneOf", "not", "if", "then", "else")


@dataclass(frozen=True, slots=True)
class SchemaProblem:
    """Why a schema cannot validate anything, and the keys and indices that lead to the place."""

    message: str
    path: tuple[str | int, ...] = ()

    def __str__(self) -> str:
        where = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in self.path)
        return f"${where}: {self.message}" if where else self.message


class SchemaError(Exception):
    """A schema cannot validate: a problem of the suite, never of the answer."""

    def __init__(self, message: str, path: tuple[str | int, ...] = ()) -> None:
        self.problem = SchemaProblem(message, path)
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

    Raises:
        NotJsonError: it is not JSON; `line` and `column` say where.
    """
    return parse_json(text)


def schema_problem(schema: Any) -> SchemaProblem | None:
    """Return what keeps a schema from validating anything, or None where nothing does.

    A schema is checked against the metaschema of its `$schema` (draft 2020-12 where it names
    none), and each of its references must resolve within it: none is ever fetched.
    """
    from jsonschema.exceptions import best_match

    try:
        schema = json.loads(json.dumps(schema, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        return SchemaProblem(f"the schema is not a JSON value: {error}")
    if not isinstance(schema, dict | bool):
        return SchemaProblem("a schema is a mapping, or `true` or `false`")
    try:
        kind = _validator_class(schema)
        metaschema = kind(
            kind.META_SCHEMA, registry=_local_registry(), format_checker=kind.FORMAT_CHECKER
        )
        worst = best_match(metaschema.iter_errors(schema))
        if worst is not None:
            return SchemaProblem(_short(_said(worst)), tuple(worst.absolute_path))
        return next(_unresolved(schema, kind), None)
    except SchemaError as error:
        return error.problem
    except RecursionError:
        return SchemaProblem("the schema is nested too deeply to be read")


def violations(schema: Any, value: Any) -> list[Violation]:
    """Return in which ways a value does not meet a schema, `ERRORS_KEPT` at most.

    Raises:
        SchemaError: the schema cannot validate.
    """
    from referencing.exceptions import Unresolvable

    schema = json.loads(json.dumps(schema))
    validator = _validator_class(schema)(schema, registry=_local_registry())
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
            list(it.absolute_schema_path),
            list(it.absolute_path),
        )
        for it in found
    ]


def may_take_long(schema: Any) -> bool:
    """Say whether a schema holds regular expressions anywhere."""
    if isinstance(schema, dict):
        return any(key in schema for key in PATTERN_KEYWORDS) or any(
            map(may_take_long, schema.values())
        )
    return isinstance(schema, list) and any(map(may_take_long, schema))


def _said(error: ValidationError) -> str:
    """Say what a metaschema's error means; the library tells only that no alternative fits."""
    words = [
        word
        for inner in error.context or ()
        if isinstance(inner.validator_value, list) and not inner.relative_path
        for word in inner.validator_value
        if inner.validator == "enum"
    ]
    if words:
        return f"{error.instance!r} is none of {', '.join(repr(word) for word in words)}"
    if error.validator == "format" and error.validator_value == "regex":
        return f"{error.instance!r} is no regular expression"
    return str(error.message)


def _validator_class(schema: Any) -> type[Validator]:
    from jsonschema.validators import Draft3Validator, Draft202012Validator, validator_for

    draft = schema.get("$schema") if isinstance(schema, dict) else None
    if draft is None:
        return Draft202012Validator
    # Draft 3 stands for "no such draft": nothing else of it is understood here.
    found = validator_for({"$schema": str(draft)}, default=Draft3Validator)
    if found is Draft3Validator:
        raise SchemaError(
            f"{draft!r} is no known draft of JSON Schema; leave `$schema` out for draft 2020-12, "
            "or write https://json-schema.org/draft/2020-12/schema, "
            "https://json-schema.org/draft/2019-09/schema or "
            "http://json-schema.org/draft-07/schema#",
            ("$schema",),
        )
    return found


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
