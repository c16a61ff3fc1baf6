"""Rules on keywords and formats of a schema without effect: misspelled, unknown or ineffective."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from suitecase.checking.rules.schemas import SCHEMAS_UNDER, ParsedSchema, place_of, readable_schemas
from suitecase.format.rewriting.moving import into
from suitecase.format.rewriting.removing import without
from suitecase.format.rule import DeferredFix, Finding, Severity, rule
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedHead
from suitecase.text.node import Mapping, Scalar, at

Path = tuple[str | int, ...]


def _found(
    part: ParsedHead | ParsedCase,
    kind: str,
    other_fix: Callable[[ParsedSchema, Path], DeferredFix | None] = lambda _schema, _path: None,
) -> Iterator[Finding]:
    for schema, known in readable_schemas(part):
        for remark in known.remarks:
            if remark.kind == kind:
                place = place_of(schema, remark.path, part.source, on_key=remark.on_key)
                fix = place.fix(remark.meant)
                deferred = other_fix(schema, remark.path) if fix is None else None
                message = f"{schema.what}: {remark.message}"
                yield Finding(place.span, message, fix, deferred_fix=deferred)


def _removing(schema: ParsedSchema, path: Path) -> DeferredFix | None:
    """Remove a keyword; not safe, since the author may have intended something else."""
    key = _key(schema, path)
    return without(key, safe=False) if key is not None else None


def _into_properties(schema: ParsedSchema, path: Path) -> DeferredFix | None:
    """Move the schema of a property under `properties`."""
    key = _key(schema, path)
    holds_schema = key is not None and isinstance(at(schema.node, path)[0], Mapping)
    return into(key, "properties", safe=False) if key is not None and holds_schema else None


def _key(schema: ParsedSchema, path: Path) -> Scalar | None:
    """Return the last key of a path in a schema written as YAML."""
    _, key, taken = at(schema.node, path)
    return key if taken == len(path) else None


@rule("SC410", keys=SCHEMAS_UNDER, gradable=True)
def misspelled_schema_keyword(part: ParsedHead | ParsedCase) -> Iterator[Finding]:
    """A keyword or a format in a schema is misspelt.

    Validators ignore unknown keywords, so the constraint has no effect: a schema with a misspelt
    `required` accepts an empty object. If a key of your own resembles a keyword, start it with
    `x-`.

    ```yaml bad
    evaluation_mode: schema
    evalcases:
      - id: extract
        input: Extract the total of this invoice.
        expected_outcome: The total is there
        evaluation_schema:
          type: object
          requird: [total]  # <- finding
          properties:
            day: {type: string, format: datetime}  # <- finding
    ```

    ```yaml fixed
    evaluation_mode: schema
    evalcases:
      - id: extract
        input: Extract the total of this invoice.
        expected_outcome: The total is there
        evaluation_schema:
          type: object
          required: [total]
          properties:
            day: {type: string, format: date-time}
    ```
    """
    return _found(part, "misspelt")


@rule("SC411", Severity.WARNING, keys=SCHEMAS_UNDER)
def unknown_schema_keyword(part: ParsedHead | ParsedCase) -> Iterator[Finding]:
    """A key in a schema is not a JSON Schema keyword.

    Validators ignore it, so the constraint has no effect. Often it is the name of a property, whose
    schema belongs under `properties`. Keys of your own start with `x-`; annotations of OpenAPI,
    form libraries and code generators are not reported.

    ```yaml bad
    evaluation_mode: schema
    evalcases:
      - id: extract
        input: Extract the total of this invoice.
        expected_outcome: The total is there
        evaluation_schema:
          total: {type: number}  # <- finding
    ```

    ```yaml fixed
    evaluation_mode: schema
    evalcases:
      - id: extract
        input: Extract the total of this invoice.
        expected_outcome: The total is there
        evaluation_schema:
          properties:
            total: {type: number}
    ```

    ```yaml good
    evaluation_mode: schema
    evalcases:
      - id: extract
        input: Extract the total of this invoice.
        expected_outcome: The total is there
        evaluation_schema:
          properties:
            total: {type: number, x-unit: EUR}
    ```
    """
    return _found(part, "unknown", _into_properties)


@rule("SC412", Severity.WARNING, keys=SCHEMAS_UNDER)
def ineffective_schema_keyword(part: ParsedHead | ParsedCase) -> Iterator[Finding]:
    """A keyword in a schema has no effect.

    It applies to values of another type than `type` allows, belongs to another draft than the
    schema's, or needs another keyword that is missing. A schema that contains only descriptions, or
    only `$defs` that nothing refers to, is reported too: every JSON answer is valid.

    ```yaml bad
    evaluation_mode: schema
    evalcases:
      - id: extract
        input: Extract the lines of this invoice.
        expected_outcome: The lines are there
        evaluation_schema:
          type: array
          properties: {total: {type: number}}  # <- finding
          then: {minItems: 1}  # <- finding
          dependencies: {total: [currency]}  # <- finding
    ```

    ```yaml fixed
    evaluation_mode: schema
    evalcases:
      - id: extract
        input: Extract the lines of this invoice.
        expected_outcome: The lines are there
        evaluation_schema:
          type: array
    ```

    ```yaml good
    evaluation_mode: schema
    evalcases:
      - id: extract
        input: Extract the lines of this invoice.
        expected_outcome: The lines are there
        evaluation_schema:
          type: array
          items:
            type: object
            properties: {total: {type: number}}
            dependentRequired: {total: [currency]}
    ```
    """
    return _found(part, "idle", _removing)


@rule("SC413", Severity.WARNING, keys=SCHEMAS_UNDER)
def unchecked_format(part: ParsedHead | ParsedCase) -> Iterator[Finding]:
    """A schema uses a format that is not checked.

    The formats that JSON Schema defines are checked, from `date` to `uri-template`. Others, such as
    OpenAPI's `int32`, are only documentation, as are `contentEncoding` and `contentMediaType`.

    ```yaml bad
    evaluation_mode: schema
    evalcases:
      - id: extract
        input: Extract the total of this invoice.
        expected_outcome: The total is there
        evaluation_schema:
          properties:
            phone: {type: string, format: phone}  # <- finding
    ```

    ```yaml good
    evaluation_mode: schema
    evalcases:
      - id: extract
        input: Extract the total of this invoice.
        expected_outcome: The total is there
        evaluation_schema:
          properties:
            phone: {type: string, pattern: '^\\+[0-9 ]+$'}
    ```
    """
    return _found(part, "unchecked")
