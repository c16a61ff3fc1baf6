"""Rules on the JSON Schemas that answers are validated against."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from suitecase.format.rewriting.json_slips import without_repetition, without_trailing_commas
from suitecase.format.rule import Edit, Finding, Fix, rule
from suitecase.formats.suitecase.elements import EVALUATORS_UNDER, ParsedEvaluator
from suitecase.formats.suitecase.model import Case, SuiteHead
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedHead
from suitecase.schema.known_schema import KnownSchema, known_schema
from suitecase.schema.roles import RoleValue, values_in
from suitecase.text.cache import Cache
from suitecase.text.embedded import embedded
from suitecase.text.jsonl import parse_json_text, span_in_json
from suitecase.text.near_names import nearest
from suitecase.text.node import Mapping, Node, Scalar, Span, at, plain
from suitecase.text.written_form import WrittenForm, written_form
from suitecase_evaluators.schema.checking import parse_schema
from suitecase_evaluators.schema.field_role import FieldRole
from suitecase_evaluators.text.json_values import NotJsonError

#: The keys of a head and of a case that contain schemas.
SCHEMAS_UNDER = ("evaluation_schema", "expected_schema", *EVALUATORS_UNDER)


@dataclass(slots=True)
class ParsedSchema:
    """A schema with its place: its key, its value, and its name in messages.

    `is_tolerant` is whether the answer may be JSON within other text.
    """

    key: Scalar
    node: Node
    what: str
    is_tolerant: bool = False
    #: Its source text, if that determines its value.
    form: WrittenForm | None = None
    _known: KnownSchema | None = None

    def known(self) -> KnownSchema:
        """Return the schema, with what is known of it.

        Raises:
            NotJsonError: it is written as text that is not valid JSON.
        """
        if self._known is None:
            node = self.node
            known = _BY_FORM.get(self.form) if self.form is not None else None
            if known is None:
                value = parse_schema(node.text) if isinstance(node, Scalar) else plain(node)
                known = known_schema(value)
                if self.form is not None:
                    if len(_BY_FORM) >= _FORMS_KEPT:
                        _BY_FORM.clear()
                    _BY_FORM[self.form] = known
            self._known = known
            # A copy of its text, which thousands of cases would keep.
            self.form = None
        return self._known


#: Thousands of cases may have the same schema: equal source text is parsed once.
_BY_FORM: dict[WrittenForm, KnownSchema] = {}
_FORMS_KEPT = 64


_SCHEMAS: Cache[tuple[ParsedSchema, ...]] = Cache()


def written_schemas(part: ParsedHead | ParsedCase) -> Iterable[ParsedSchema]:
    """Return the JSON Schemas of a part, except for empty ones; cached, since many rules ask."""
    return _SCHEMAS.of(part.content, lambda: tuple(_written_schemas(part)))


def _written_schemas(part: ParsedHead | ParsedCase) -> Iterator[ParsedSchema]:
    if part.node is None:
        return
    model = Case if isinstance(part, ParsedCase) else SuiteHead
    for value in values_in(model, part.node, FieldRole.SCHEMA):
        yield from _schema(part, value, "")
    for element in part.elements():
        if isinstance(element, ParsedEvaluator):
            name = element.name
            for value in element.values(FieldRole.SCHEMA):
                yield from _schema(part, value, f" of `{name.text}`" if name is not None else "")


def readable_schemas(
    part: ParsedHead | ParsedCase,
) -> Iterator[tuple[ParsedSchema, KnownSchema]]:
    """Yield the schemas of a part, except for texts that are not JSON."""
    for schema in written_schemas(part):
        try:
            known = schema.known()
        except NotJsonError:
            continue
        yield schema, known


def _schema(part: ParsedHead | ParsedCase, value: RoleValue, where: str) -> Iterator[ParsedSchema]:
    node, key = value.node, value.entry.key
    blank = isinstance(node, Scalar) and (node.value is None or not node.text.strip())
    if not blank and (
        isinstance(node, Mapping) or isinstance(node.value, str)
        if isinstance(node, (Mapping, Scalar))
        else False
    ):
        parse = value.holder.get("parse") if "parse" in value.model.model_fields else None
        tolerant = isinstance(parse, Scalar) and parse.text == "tolerant"
        form = None
        if isinstance(node, Mapping) and part.node is part.content.node:
            form = written_form(part.content, node)
        yield ParsedSchema(key, node, f"`{value.path[-1]}`{where}", tolerant, form)


@rule("SC401", keys=SCHEMAS_UNDER)
def schema_not_json(part: ParsedHead | ParsedCase) -> Iterator[Finding]:
    """A schema that is written as text is not valid JSON.

    A schema is either YAML, or a text that contains JSON. The finding is reported at the position
    of the syntax error inside the text.

    ```yaml bad
    evaluation_mode: schema
    evalcases:
      - id: extract
        input: Extract the total of this invoice.
        expected_outcome: The total is there
        evaluation_schema: |
          {
            "type": "object",
            "required": ["total",]  # <- finding
          }
    ```

    ```yaml fixed
    evaluation_mode: schema
    evalcases:
      - id: extract
        input: Extract the total of this invoice.
        expected_outcome: The total is there
        evaluation_schema: |
          {
            "type": "object",
            "required": ["total"]
          }
    ```
    """
    for schema in written_schemas(part):
        if isinstance(schema.node, Scalar):
            try:
                schema.known()
            except NotJsonError as error:
                offset = _offset(schema.node.text, error.line, error.column)
                span = embedded(schema.node, part.source).span(offset, offset + 1)
                fix = _in_text(
                    without_trailing_commas(schema.node.text),
                    schema.node,
                    part.source,
                    "Remove the trailing comma",
                )
                yield Finding(span, f"{schema.what} is not JSON: {error.reason}", fix)


def _in_text(edits: tuple[Edit, ...] | None, node: Scalar, source: str, title: str) -> Fix | None:
    """Return a fix for the text of a scalar, with its places in the part."""
    if edits is None or source.startswith("*", node.start):
        return None
    inside = embedded(node, source)
    placed = tuple(Edit(inside.span(*edit.span), edit.text) for edit in edits)
    return Fix(title, placed)


def _offset(text: str, line: int, column: int) -> int:
    lines = text.split("\n")
    return sum(len(it) + 1 for it in lines[: line - 1]) + column - 1


@rule("SC402", keys=SCHEMAS_UNDER)
def invalid_schema(part: ParsedHead | ParsedCase) -> Iterator[Finding]:
    """A schema is not a valid JSON Schema.

    It does not match the metaschema of its draft (2020-12 unless `$schema` names another), a
    pattern is not a valid ECMA-262 regular expression, or it refers to something outside the
    schema, which is never fetched. No answer could be validated.

    ```yaml bad
    evaluation_mode: schema
    evalcases:
      - id: extract
        input: Extract the total of this invoice.
        expected_outcome: The total is there
        evaluation_schema: |
          {
            "type": "object",
            "properties": {"total": {"type": "numbr"}}  # <- finding
          }
    ```

    ```yaml fixed
    evaluation_mode: schema
    evalcases:
      - id: extract
        input: Extract the total of this invoice.
        expected_outcome: The total is there
        evaluation_schema: |
          {
            "type": "object",
            "properties": {"total": {"type": "number"}}
          }
    ```
    """
    for schema, known in readable_schemas(part):
        for problem in known.problems:
            place = place_of(schema, problem.path, part.source, on_key=problem.on_key)
            message = f"{schema.what} is not a valid JSON Schema: {problem.message}"
            suggestion = nearest(place.word, problem.words) if place.word else None
            if suggestion == place.word:
                message += f"; in quotes, `{suggestion}` is the name of the type"
            elif suggestion:
                message += f"; did you mean `{suggestion}`?"
            yield Finding(place.span, message, place.fix(suggestion))


@rule("SC409")
def duplicate_schema_key(part: ParsedHead | ParsedCase) -> Iterator[Finding]:
    """A schema that is written as JSON has the same key twice.

    The last one counts, and the first one is ignored.

    ```yaml bad
    evaluation_mode: schema
    evalcases:
      - id: extract
        input: Extract the total of this invoice.
        expected_outcome: The total is there
        evaluation_schema: |
          {
            "required": ["total"],
            "required": ["currency"]  # <- finding
          }
    ```

    ```yaml good
    evaluation_mode: schema
    evalcases:
      - id: extract
        input: Extract the total of this invoice.
        expected_outcome: The total is there
        evaluation_schema: |
          {
            "required": ["total", "currency"]
          }
    ```

    If both have the same value, the fix removes the second.

    ```yaml bad
    evaluation_mode: schema
    evalcases:
      - id: extract
        input: Extract the total of this invoice.
        expected_outcome: The total is there
        evaluation_schema: |
          {
            "required": ["total"],
            "required": [ "total" ]  # <- finding
          }
    ```

    ```yaml fixed
    evaluation_mode: schema
    evalcases:
      - id: extract
        input: Extract the total of this invoice.
        expected_outcome: The total is there
        evaluation_schema: |
          {
            "required": ["total"]
          }
    ```
    """
    for schema in written_schemas(part):
        if not isinstance(schema.node, Scalar):
            continue
        for problem in parse_json_text(schema.node.text).problems:
            if problem.kind == "duplicate_key":
                span = embedded(schema.node, part.source).span(*problem.span)
                edit = without_repetition(schema.node.text, problem)
                edits = (edit,) if edit is not None else None
                fix = _in_text(edits, schema.node, part.source, "Remove the second")
                yield Finding(span, f"{schema.what}: {problem.message}", fix)


@dataclass(frozen=True, slots=True)
class SchemaPlace:
    """A place in a schema.

    Attributes:
        span: where it is.
        word: the key or text there, if it is one.
        letters: the stretch of the word alone, if there is one.
    """

    span: Span
    word: str = ""
    letters: Span | None = None

    def fix(self, word: str | None) -> Fix | None:
        """Return the fix that replaces the word; None if that is not possible."""
        if word is None or self.letters is None:
            return None
        # Without quotes, YAML does not read this as text.
        text = '"null"' if word == "null" and self.letters == self.span else word
        return Fix(f"Change to `{word}`", (Edit(self.letters, text),), safe=False)


def place_of(
    schema: ParsedSchema, path: tuple[str | int, ...], source: str, *, on_key: bool = False
) -> SchemaPlace:
    """Return the place at a path, in a schema written as YAML or as JSON in a text.

    Args:
        schema: the schema.
        path: the keys and indices of the place.
        source: the text of the part that contains the schema.
        on_key: whether to return the place of the last key instead of its value's.
    """
    text = schema.node.text if isinstance(schema.node, Scalar) else source
    root = parse_json_text(text).node if isinstance(schema.node, Scalar) else schema.node
    node, key, taken = at(root, path) if root is not None else (None, None, -1)
    word = key if on_key else node
    if taken == len(path) and isinstance(word, Scalar) and word.end > word.start:
        letters = _letters(word, text)
        if isinstance(schema.node, Scalar):
            inside = embedded(schema.node, source)
            return SchemaPlace(
                inside.span(*word.span), word.text, inside.span(*letters) if letters else None
            )
        return SchemaPlace(word.span, word.text, letters)
    if isinstance(schema.node, Scalar):
        inner = span_in_json(text, path)
        return SchemaPlace(embedded(schema.node, source).span(inner.start, inner.end))
    return SchemaPlace(key.span if key is not None else schema.key.span)


def _letters(word: Scalar, text: str) -> Span | None:
    """Return the span of a word without its quotes."""
    quoted = word.style in ("'", '"')
    span = Span(word.start + quoted, word.end - quoted)
    return span if text[span.start : span.end] == word.text and word.text else None


def place_in(schema: ParsedSchema, path: tuple[str | int, ...], source: str) -> Span:
    """Return the span at a path, in a schema written as YAML or as JSON in a text."""
    return place_of(schema, path, source).span
