"""Rules that validate expected answers against the schemas that grade them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain

from suitecase.checking.rules.evaluator_lists import own_list
from suitecase.checking.rules.schemas import SCHEMAS_UNDER, ParsedSchema, place_in, readable_schemas
from suitecase.format.rule import Finding, Related, Severity, rule
from suitecase.formats.suitecase.case_messages import expected_messages
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedHead, ParsedSuite
from suitecase.schema.known_schema import KnownSchema
from suitecase.text.embedded import embedded
from suitecase.text.jsonl import parse_json_text, span_in_json
from suitecase.text.node import Mapping, Node, Scalar, Sequence, Span, at
from suitecase_evaluators.schema.errors import SchemaError
from suitecase_evaluators.schema.validation import patterns_may_take_long, violations
from suitecase_evaluators.text.json_values import NotJsonError, find_json, is_json, parse_json

#: How many of the errors of an expected answer are reported.
_MOST = 10
#: The number of schemas whose results are cached for an answer.
_KEPT = 8


@rule("SC404", Severity.WARNING, keys=SCHEMAS_UNDER)
def expected_answer_fails_schema(case: ParsedCase) -> Iterator[Finding]:
    """The expected answer of a case does not match the case's own schema.

    An answer exactly as expected would fail, as would prose that is not JSON. Either the answer or
    the schema is wrong. Schemas with regular expressions that may run for too long are skipped.

    ```yaml bad
    evaluation_mode: schema
    evalcases:
      - id: extract
        input: Extract the total of this invoice.
        expected_outcome: The total is there
        expected_output:
          total: "12.50"  # <- finding
        evaluation_schema:
          type: object
          properties:
            total: {type: number}
    ```

    ```yaml good
    evaluation_mode: schema
    evalcases:
      - id: extract
        input: Extract the total of this invoice.
        expected_outcome: The total is there
        expected_output:
          total: 12.50
        evaluation_schema:
          type: object
          properties:
            total: {type: number}
    ```
    """
    answer = _answer_of(case)
    if answer is None:
        return
    for schema, known in sound_schemas(case):
        for span, message in answer.against(schema, known, schema.what):
            yield Finding(
                span,
                f"the expected answer does not match {schema.what}: {message}",
                related=(Related("the schema", schema.key.span),),
            )


@rule("SC414", Severity.WARNING)
def expected_answer_fails_suite_schema(suite: ParsedSuite) -> Iterator[Finding]:
    """The expected answer of a case does not match a schema of the suite.

    The suite's `json_schema` evaluators grade every case that has no evaluators of its own, so an
    answer exactly as expected would fail. The suite's `expected_schema` grades nothing.

    ```yaml bad
    execution:
      evaluators:
        - name: shape
          type: json_schema
          schema: {type: object, required: [total]}
    evalcases:
      - id: extract
        input: Extract the total of this invoice.
        expected_outcome: The total is there
        expected_output: {sum: 12.50}  # <- finding
    ```

    ```yaml good
    execution:
      evaluators:
        - name: shape
          type: json_schema
          schema: {type: object, required: [total]}
    evalcases:
      - id: extract
        input: Extract the total of this invoice.
        expected_outcome: The total is there
        expected_output: {total: 12.50}
    ```
    """
    shared = [
        (schema, known, repr(known.value))
        for schema, known in sound_schemas(suite.head)
        if schema.key.text != "expected_schema"
    ]
    if not shared:
        return
    appended = frozenset(suite.all_appended_to)
    own = suite.case_index.where(_answer_of) if appended else ()
    with_own = (it for it in own if it[0] in appended)
    for number, answer in chain(suite.case_index.where(_inheriting_answer), with_own):
        for schema, known, text in shared:
            for span, message in answer.against(schema, known, text):
                place = suite.head_place(schema.key.span)
                yield Finding(
                    suite.place(number, span),
                    f"the expected answer does not match the suite's {schema.what}: {message}",
                    related=(Related("the schema", place),) if suite.sidecar is None else (),
                )


@dataclass(slots=True)
class _Answer:
    """The expected answer of a case: its text as it would be graded, and its place."""

    text: str
    node: Node
    source: str
    _known: dict[tuple[str, bool], tuple[tuple[Span, str], ...]] = field(default_factory=dict)

    def against(
        self, schema: ParsedSchema, known: KnownSchema, text: str = ""
    ) -> tuple[tuple[Span, str], ...]:
        """Return the violations of a valid schema in the answer, each with its place.

        Args:
            schema: the schema with its place.
            known: what is known of it.
            text: the key of the schema in the cache of the answer.
        """
        key = (text, schema.is_tolerant)
        if key not in self._known:
            if len(self._known) >= _KEPT:
                self._known.clear()
            self._known[key] = tuple(self._broken(schema, known))
        return self._known[key]

    def _broken(self, schema: ParsedSchema, known: KnownSchema) -> Iterator[tuple[Span, str]]:
        if known.contradictions or _has_key_twice(schema):
            return  # no answer is valid, which another rule reports
        try:
            found = find_json(self.text).value if schema.is_tolerant else parse_json(self.text)
        except NotJsonError as error:
            reason = f"{error.reason[:1].lower()}{error.reason[1:]}"
            yield self._start(error), f"it is not valid JSON: {reason}"
            return
        if patterns_may_take_long(known.value, found):
            return
        try:
            broken = violations(known.value, found)
        except SchemaError:
            return
        seen = {(self._place(tuple(it.value_path)), it.message): None for it in broken}
        yield from list(seen)[:_MOST]

    def _start(self, error: NotJsonError) -> Span:
        """Return the place where an answer stops being JSON, or the whole answer if it is one line."""
        if not isinstance(self.node, Scalar):
            return self._place(())
        if "\n" not in self.source[self.node.start : self.node.end]:
            return self.node.span
        lines = self.text.split("\n")
        at_error = sum(len(line) + 1 for line in lines[: error.line - 1]) + error.column - 1
        at_error = min(at_error, max(len(self.text) - 1, 0))
        return embedded(self.node, self.source).span(at_error, at_error + 1)

    def _place(self, path: tuple[str | int, ...]) -> Span:
        answer = self.node
        if isinstance(answer, Scalar) and answer.text == self.text and is_json(self.text):
            inner = span_in_json(answer.text, path)
            return embedded(answer, self.source).span(inner.start, inner.end)
        node, key, _ = at(answer, path)
        if isinstance(node, Scalar) and node.end > node.start:
            return node.span
        if key is not None:
            return key.span
        if isinstance(answer, Mapping) and answer.entries:
            return next(iter(answer.entries.values())).key.span
        return Span(node.start, min(node.end, node.start + 1))


def _answer_of(case: ParsedCase) -> _Answer | None:
    """Return the expected answer of a case: a predicate for `ParsedSuite.case_index`."""
    node = _written_answer(case)
    if node is None or case.model is None or case.content.unknown_aliases:
        return None
    messages = expected_messages(case.model)
    if not messages or messages[-1].role != "assistant" or messages[-1].content is None:
        return None
    text = messages[-1].text
    return _Answer(text, node, case.source) if text.strip() else None


def _inheriting_answer(case: ParsedCase) -> _Answer | None:
    """Return the expected answer of a case without evaluators of its own: a predicate."""
    return _answer_of(case) if own_list(case) is None else None


def _written_answer(case: ParsedCase) -> Node | None:
    """Return the node of a case's expected answer: the last expected message, or `expected_output`."""
    if case.node is None:
        return None
    messages = case.node.get("expected_messages")
    listed = messages if messages is not None else case.node.get("expected_output")
    last = listed.items[-1] if isinstance(listed, Sequence) and listed.items else listed
    if isinstance(last, Mapping) and "role" in last:
        return last.get("content")
    return listed


def _has_key_twice(schema: ParsedSchema) -> bool:
    node = schema.node
    return isinstance(node, Scalar) and bool(parse_json_text(node.text).problems)


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
