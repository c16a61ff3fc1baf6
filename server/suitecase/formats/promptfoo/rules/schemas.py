"""Rules on the JSON Schemas of assertions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from suitecase.format.rule import Finding, Fix, Severity, replace, rule
from suitecase.formats.promptfoo.rules.placed_issues import Part
from suitecase.formats.promptfoo.suite.ajv import refusals
from suitecase.formats.promptfoo.suite.models.field_types import stands_for_another
from suitecase.formats.promptfoo.suite.parsed import ParsedAssertion
from suitecase.schema.known_schema import known_schema
from suitecase.text.cache import Cache
from suitecase.text.compose import compose
from suitecase.text.embedded import embedded
from suitecase.text.node import Mapping, Node, Scalar, Span, at, plain
from suitecase_evaluators.promptfoo.ajv_strict import Path
from suitecase_evaluators.promptfoo.assertion_type import NEGATION
from suitecase_evaluators.promptfoo.assertion_types import content_of


@dataclass(frozen=True, slots=True)
class _Schema:
    """A schema in an assertion: as a mapping, or as YAML or JSON in a text.

    `root` counts its places in `text` if there is one.
    """

    key: Scalar
    root: Node
    text: Scalar | None
    value: Any
    negated: bool

    def place(self, path: Path, source: str, *, on_key: bool = False) -> tuple[Span, Scalar | None]:
        """Return where a path leads to, and the word there if it is a text."""
        node, key, taken = at(self.root, path)
        word: Node | None = key if on_key and key is not None else node
        if taken < len(path) or not isinstance(word, Scalar):
            word = key
        if word is None or word.end <= word.start:
            return self.key.span, None
        if self.text is None:
            return word.span, word if isinstance(word, Scalar) else None
        return embedded(self.text, source).span(*word.span), None


_SCHEMAS: Cache[tuple[_Schema, ...]] = Cache()


def _schemas(part: Part) -> tuple[_Schema, ...]:
    return _SCHEMAS.of(part.content, lambda: tuple(_found(part)))


def _found(part: Part) -> Iterator[_Schema]:
    for element in part.elements():
        if not isinstance(element, ParsedAssertion):
            continue
        written, entry = element.type, element.node.entries.get("value")
        if written is None or entry is None or content_of(written.text) != "schema":
            continue
        key, value, _ = entry
        negated = written.text.startswith(NEGATION)
        if isinstance(value, Mapping):
            yield _Schema(key, value, None, plain(value), negated)
        elif isinstance(value, Scalar) and isinstance(value.value, str):
            text = value.text
            composed = None if stands_for_another(text) or not text.strip() else compose(text)
            if composed is not None and composed.root is not None and not composed.broken:
                yield _Schema(key, composed.root, value, plain(composed.root), negated)


@rule("PF214")
def refused_schema(part: Part) -> Iterator[Finding]:
    """A JSON Schema is one that promptfoo refuses.

    It compiles the schema with Ajv, by draft 7 in strict mode, when the first JSON arrives: a
    keyword that draft 7 does not have, a format that Ajv does not know or a type that does not
    exist makes the result an error.

    ```yaml bad
    prompts: ["Give the capital of {{country}} as JSON"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {country: France}
        assert:
          - type: is-json
            value:
              type: objekt  # <- finding
              requird: [city]  # <- finding
    ```

    ```yaml fixed
    prompts: ["Give the capital of {{country}} as JSON"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {country: France}
        assert:
          - type: is-json
            value:
              type: object
              required: [city]
    ```
    """
    for schema in _schemas(part):
        for refusal in refusals(schema.value):
            span, word = schema.place(refusal.path, part.source, on_key=refusal.on_key)
            message = refusal.message
            if refusal.meant and "did you mean" not in message:
                message += f"; did you mean `{refusal.meant}`?"
            yield Finding(span, message, _renamed(word, refusal.meant))


def _renamed(word: Scalar | None, meant: str | None) -> Fix | None:
    if word is None or meant is None or word.style not in ("", "'", '"'):
        return None
    text = f"{word.style}{meant}{word.style}"
    return replace(word.span, text, f"Change to `{meant}`", safe=False)


@rule("PF215", Severity.WARNING)
def contradictory_schema(part: Part) -> Iterator[Finding]:
    """A JSON Schema contradicts itself, so that no answer matches it.

    A minimum is above the maximum, or a required property is forbidden: every answer fails.

    ```yaml bad
    prompts: ["Give the population of {{country}} as JSON"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {country: France}
        assert:
          - type: is-json
            value:
              type: object
              properties:
                population: {type: number, minimum: 100, maximum: 1}  # <- finding
    ```

    ```yaml good
    prompts: ["Give the population of {{country}} as JSON"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {country: France}
        assert:
          - type: is-json
            value:
              type: object
              properties:
                population: {type: number, minimum: 1, maximum: 100}
    ```
    """
    for schema in _schemas(part):
        if not schema.negated and next(refusals(schema.value), None) is None:
            for found in known_schema(schema.value).contradictions:
                span, _ = schema.place(found.path, part.source)
                yield Finding(span, f"the schema rejects every answer: {found.message}")
