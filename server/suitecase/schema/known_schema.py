"""What is known of a JSON Schema: found once for each content, since thousands of cases may hold the same one."""

from __future__ import annotations

import json
from functools import cached_property
from typing import TYPE_CHECKING, Any

from suitecase.text.recent import recent
from suitecase_evaluators.schema.checking import schema_problems
from suitecase_evaluators.text.written_number import encoded, read_float

if TYPE_CHECKING:
    from suitecase.schema.schema_contradictions import Contradiction
    from suitecase.schema.schema_remarks import Remark
    from suitecase_evaluators.schema.errors import SchemaProblem

#: So many schemas are kept, those that were asked for last.
_KEPT = 256
_AS_TEXT = json.JSONEncoder(allow_nan=False)


class KnownSchema:
    """A schema as a value, which nobody changes, with what is found in it when that is asked for."""

    def __init__(self, value: Any) -> None:
        self.value = value

    @cached_property
    def problems(self) -> tuple[SchemaProblem, ...]:
        """What keeps it from validating anything."""
        return schema_problems(self.value)

    @cached_property
    def contradictions(self) -> tuple[Contradiction, ...]:
        """Why it rejects every value; only of one without problems."""
        from suitecase.schema.schema_contradictions import contradictions

        return tuple(contradictions(self.value))

    @cached_property
    def remarks(self) -> tuple[Remark, ...]:
        """What in it has no effect."""
        from suitecase.schema.schema_remarks import remarks

        return remarks(self.value)

    @cached_property
    def patterns(self) -> tuple[tuple[str, tuple[str | int, ...]], ...]:
        """Its regular expressions, each with what leads to it."""
        return tuple(_patterns(self.value))


def known_schema(value: Any) -> KnownSchema:
    """Return what is known of a schema.

    Args:
        value: the schema, of any shape.
    """
    try:
        text = encoded(value, _AS_TEXT.encode)
    except (TypeError, ValueError, RecursionError):
        return KnownSchema(value)
    return _known_by(text)


@recent(most=_KEPT)
def _known_by(text: str) -> KnownSchema:
    return KnownSchema(json.loads(text, parse_float=read_float))


def _patterns(schema: Any) -> list[tuple[str, tuple[str | int, ...]]]:
    found: list[tuple[str, tuple[str | int, ...]]] = []
    waiting: list[tuple[Any, tuple[str | int, ...]]] = [(schema, ())]
    while waiting:
        part, path = waiting.pop()
        if isinstance(part, list):
            waiting += [(it, (*path, index)) for index, it in enumerate(part)]
        if not isinstance(part, dict):
            continue
        pattern = part.get("pattern")
        if isinstance(pattern, str):
            found.append((pattern, (*path, "pattern")))
        by_name = part.get("patternProperties")
        if isinstance(by_name, dict):
            found += [(str(name), (*path, "patternProperties", name)) for name in by_name]
        waiting += [(it, (*path, key)) for key, it in part.items()]
    return found
