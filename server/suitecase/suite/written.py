"""A suite as it is written: its parts with their places, for rules and for the editor.

A case and everything in it counts its places from the start of the case's own text, so that what
was found in it once holds wherever the case moves to.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from pydantic import BaseModel

from suitecase.suite.model import CASE_LIST_KEYS, Case, SuiteHead
from suitecase.suite.shape import Issue, validate
from suitecase.suite.spelling import Respelling, Speller
from suitecase.syntax.document import Content, Document, Piece, parse
from suitecase.syntax.node import Mapping, Node, Scalar, Sequence, Span, plain
from suitecase_evaluators import registry

_INTEGER = re.compile(r"[-+]?\d{1,9}")


@dataclass(frozen=True, slots=True)
class WrittenMessage:
    """A message of an input or of an expected answer."""

    node: Mapping


@dataclass(frozen=True, slots=True)
class WrittenRubric:
    """A rubric item that is a mapping; `number` counts from 1 in its list."""

    node: Mapping
    number: int

    @property
    def id(self) -> str:
        written = self.node.get("id")
        return written.text if isinstance(written, Scalar) else f"rubric-{self.number}"

    def listed_ranges(self) -> list[tuple[int, int, Mapping]] | None:
        """The ranges of the list form as (min, max, node); None for another form or type."""
        ranges = self.node.get("score_ranges")
        if not isinstance(ranges, Sequence):
            return None
        found: list[tuple[int, int, Mapping]] = []
        for item in ranges.items:
            node = item.get("score_range") if isinstance(item, Mapping) else None
            pair = plain(node) if isinstance(node, Sequence) else []
            if not isinstance(item, Mapping) or [type(it) for it in pair] != [int, int]:
                return None
            found.append((pair[0], pair[1], item))
        return found

    def mapped_ranges(self) -> list[tuple[int, Scalar]] | None:
        """The lower bounds of the map form with their keys; None for another form or type."""
        ranges = self.node.get("score_ranges")
        if not isinstance(ranges, Mapping):
            return None
        keys = [entry.key for _, entry in ranges]
        if not all(_INTEGER.fullmatch(key.name) for key in keys):
            return None
        return [(int(key.name), key) for key in keys]


@dataclass(frozen=True, slots=True)
class WrittenRubrics:
    """A list of rubrics, of a case or of an evaluator."""

    node: Sequence

    @property
    def items(self) -> list[WrittenRubric]:
        return [
            WrittenRubric(item, number)
            for number, item in enumerate(self.node.items, 1)
            if isinstance(item, Mapping)
        ]


@dataclass(frozen=True, slots=True)
class WrittenEvaluator:
    """An entry of a list of evaluators that is a mapping."""

    node: Mapping

    @property
    def type(self) -> str | None:
        written = self.node.get("type")
        return written.text if isinstance(written, Scalar) else None

    @property
    def name(self) -> Scalar | None:
        written = self.node.get("name")
        return written if isinstance(written, Scalar) else None

    @property
    def has_rubrics(self) -> bool:
        rubrics = self.node.get("rubrics")
        return isinstance(rubrics, Sequence) and bool(rubrics.items)


@dataclass(frozen=True, slots=True)
class WrittenEvaluators:
    """A list of evaluators: of a suite, a case or a composite."""

    node: Sequence

    @property
    def items(self) -> list[WrittenEvaluator]:
        return [WrittenEvaluator(item) for item in self.node.items if isinstance(item, Mapping)]


Element = WrittenMessage | WrittenRubrics | WrittenRubric | WrittenEvaluators | WrittenEvaluator


@dataclass(slots=True, eq=False)
class WrittenCase:
    """A case, spelled as today.

    `node` is None where the item is no mapping or its text did not parse; `model` is None where
    anything is wrong with its shape. `source` is the text its places count in.
    """

    content: Content
    node: Mapping | None
    respelled: tuple[Respelling, ...]
    model: Case | None
    issues: tuple[Issue, ...]

    @property
    def source(self) -> str:
        return self.content.text

    @property
    def id(self) -> Scalar | None:
        written = self.node.get("id") if self.node else None
        return written if isinstance(written, Scalar) else None

    def elements(self) -> Iterator[Element]:
        """Yield messages, rubrics and evaluators, in the order of the models."""
        if self.node is None:
            return
        for key in ("input_messages", "input", "expected_messages", "expected_output"):
            yield from _messages(self.node.get(key), only_with_role=key == "expected_output")
        yield from _rubrics(self.node.get("rubrics"))
        yield from _evaluators(self.node.get("evaluators"))
        yield from _execution(self.node.get("execution"))


@dataclass(slots=True, eq=False)
class WrittenHead:
    """Everything of a suite but its cases, spelled as today."""

    content: Content
    node: Mapping | None
    respelled: tuple[Respelling, ...]
    model: SuiteHead | None
    issues: tuple[Issue, ...]

    @property
    def source(self) -> str:
        return self.content.text

    def elements(self) -> Iterator[Element]:
        """Yield the rubrics and evaluators that hold for all cases."""
        if self.node is not None:
            yield from _execution(self.node.get("execution"))


@dataclass(slots=True, eq=False)
class WrittenSuite:
    """A suite with its places. `cases` stand beside the pieces of `document.cases`."""

    document: Document
    head: WrittenHead
    cases: tuple[WrittenCase, ...]

    def place(self, number: int, span: Span) -> Span:
        """Return where in the document a place of a case lies."""
        return self.document.cases[number].absolute(span)

    def line(self, number: int, span: Span) -> int:
        """Return the line, counted from 1, of a place of a case."""
        return self.document.lines.position(self.place(number, span).start)[0] + 1

    def head_place(self, span: Span) -> Span:
        """Return where in the document a place of the head lies."""
        return self.document.head.absolute(span)

    def case_named(self, case_id: str) -> int | None:
        """Return the number of the first case of that id."""
        for number, case in enumerate(self.cases):
            if case.id is not None and case.id.text == case_id:
                return number
        return None


def read_suite(
    text: str, *, reuse: WrittenSuite | None = None, segmented: bool = True
) -> WrittenSuite:
    """Read a text as a suite. Never raises on any text.

    Args:
        text: the text of a suite file.
        reuse: an earlier version, whose unchanged cases are taken over.
        segmented: see `suitecase.syntax.document.parse`.
    """
    document = parse(
        text, CASE_LIST_KEYS, reuse=reuse.document if reuse else None, segmented=segmented
    )
    return WrittenSuite(document, _head(document), tuple(_case(piece) for piece in document.cases))


def looks_like_suite(document: Document) -> bool:
    """Whether a document has a list of cases at its top, whatever is wrong with it otherwise."""
    return document.list_key is not None


def _head(document: Document) -> WrittenHead:
    content = document.head.content
    known = content.memo.get("written")
    if isinstance(known, WrittenHead):
        return known
    written = _written_head(content)
    content.memo["written"] = written
    return written


def _written_head(content: Content) -> WrittenHead:
    root = content.node
    if content.broken or not isinstance(root, Mapping):
        return WrittenHead(content, None, (), None, ())
    entries = {name: it for name, it in root if name not in CASE_LIST_KEYS}
    speller = Speller(evaluator_keys)
    node = speller.head(Mapping(root.start, root.end, entries, flow=root.flow))
    model, issues = validate(node, SuiteHead)
    if len(entries) == len(root.entries):
        # Without a list of cases this is no suite, which says more than that its keys are unknown.
        issues = [it for it in issues if it.rule != "unknown-key"]
    return WrittenHead(content, node, tuple(speller.respelled), model, tuple(issues))


def _case(piece: Piece) -> WrittenCase:
    content = piece.content
    known = content.memo.get("written")
    if isinstance(known, WrittenCase):
        return known
    written = _written_case(content)
    content.memo["written"] = written
    return written


def _written_case(content: Content) -> WrittenCase:
    if content.broken or not isinstance(content.node, Mapping):
        return WrittenCase(content, None, (), None, ())
    speller = Speller(evaluator_keys)
    node = speller.case(content.node)
    model, issues = validate(node, Case)
    return WrittenCase(content, node, tuple(speller.respelled), model, tuple(issues))


def evaluator_keys(type_name: str) -> frozenset[str] | None:
    """Return the keys an evaluator of that type may have; None for an unknown type."""
    found = registry.by_type(type_name)
    return frozenset(keys_of(found.config)) if found else None


def keys_of(model: type[BaseModel]) -> Collection[str]:
    """Return the keys of a model as they are written."""
    return [field.alias or name for name, field in model.model_fields.items()]


def _messages(node: Node | None, *, only_with_role: bool) -> Iterator[WrittenMessage]:
    if isinstance(node, Sequence):
        for item in node.items:
            if isinstance(item, Mapping) and (not only_with_role or "role" in item):
                yield WrittenMessage(item)


def _rubrics(node: Node | None) -> Iterator[Element]:
    if isinstance(node, Sequence):
        rubrics = WrittenRubrics(node)
        yield rubrics
        yield from rubrics.items


def _evaluators(node: Node | None) -> Iterator[Element]:
    if isinstance(node, Sequence):
        evaluators = WrittenEvaluators(node)
        yield evaluators
        for entry in evaluators.items:
            yield entry
            yield from _rubrics(entry.node.get("rubrics"))
            yield from _evaluators(entry.node.get("evaluators"))


def _execution(node: Node | None) -> Iterator[Element]:
    if isinstance(node, Mapping):
        yield from _evaluators(node.get("evaluators"))
