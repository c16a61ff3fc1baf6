"""Rules on schemas that reject every value."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.checking.rules.schemas import SCHEMAS_UNDER, ParsedSchema, place_in, readable_schemas
from suitecase.format.rule import Finding, Severity, rule
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedHead
from suitecase.schema.known_schema import KnownSchema


@rule("SC403", Severity.WARNING, keys=SCHEMAS_UNDER)
def unsatisfiable_schema(part: ParsedHead | ParsedCase) -> Iterator[Finding]:
    """A schema contradicts itself, so that no value is valid.

    Every answer would fail: a minimum is above the maximum, a required property is forbidden, or an
    `enum` has no values.

    ```yaml bad
    evaluation_mode: schema
    evalcases:
      - id: extract
        input: Extract the total of this invoice.
        expected_outcome: The total is there
        evaluation_schema:
          type: object
          required: [total]
          properties:
            total:
              type: number
              minimum: 100  # <- finding
              maximum: 1
    ```

    ```yaml good
    evaluation_mode: schema
    evalcases:
      - id: extract
        input: Extract the total of this invoice.
        expected_outcome: The total is there
        evaluation_schema:
          type: object
          required: [total]
          properties:
            total:
              type: number
              minimum: 1
              maximum: 100
    ```
    """
    for schema, known in sound_schemas(part):
        for found in known.contradictions:
            span = place_in(schema, found.path, part.source)
            yield Finding(span, f"{schema.what} rejects every value: {found.message}")


def sound_schemas(part: ParsedHead | ParsedCase) -> Iterator[tuple[ParsedSchema, KnownSchema]]:
    """Yield the valid schemas of a part."""
    for schema, known in readable_schemas(part):
        if not known.problems:
            yield schema, known
