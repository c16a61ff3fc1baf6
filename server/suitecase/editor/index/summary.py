"""The kind of a file and the names in it: all that the index stores of a file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, NamedTuple

from suitecase.editor.comments import own_pieces
from suitecase.editor.index.dialect_names import names_of
from suitecase.editor.index.names_in_gates import names_in_gates
from suitecase.editor.index.occurrence import (
    Occurrence,
    Part,
    Scope,
    case_file,
    occurrences_in_case,
    occurrences_in_head,
    occurrences_in_targets,
    occurrences_in_text,
)
from suitecase.figures.gates.names import figure_names, has_figures
from suitecase.format.case_list_keys import CASE_LIST_KEYS
from suitecase.format.dialect import DialectFile
from suitecase.format.other_file import OtherFile
from suitecase.format.reading import ParsedFile
from suitecase.format.target_files import ParsedTargets
from suitecase.formats.suitecase.current.detect import names_case_file
from suitecase.formats.suitecase.legacy.normalize import Normalizer
from suitecase.formats.suitecase.parsed import (
    ParsedCase,
    ParsedSuite,
    evaluator_keys,
    looks_like_suite,
)
from suitecase.schema.key_roles import Kind
from suitecase.text.cache import Cache
from suitecase.text.document import Content, Document, Piece
from suitecase.text.node import Mapping, Scalar, Span

FileKind = Literal["suite", "dataset", "sidecar", "targets", "dialect", "text"]

_OCCURRENCES: Cache[tuple[Occurrence, ...]] = Cache()
_ANCHORS: Cache[list[Occurrence]] = Cache()
_ANCHOR = re.compile(r"(?:^|[\s\[{,])&[\w-]")

Parsed = ParsedFile


class Found(NamedTuple):
    """An occurrence in its file; `span` and `at` are in the file, `scope` starts with the part."""

    part: Part
    occurrence: Occurrence

    @property
    def span(self) -> Span:
        return self.occurrence.span.shifted(self.part.start)

    @property
    def at(self) -> Span:
        return self.occurrence.at.shifted(self.part.start)

    @property
    def scope(self) -> Scope:
        return (self.part.number, *self.occurrence.scope)


@dataclass(frozen=True, slots=True, eq=False)
class Summary:
    """The names in a file.

    Attributes:
        path: its path; None for a document that is not a file.
        kind: its kind; `text` for a file that is not part of a suite itself, such as a prompt.
        parts: its parts with their names.
        unread: the spans that do not parse.
        digest: the hash of the summarized text.
        runs: whether it is a suite that can be run, or a data set.
    """

    path: Path | None
    kind: FileKind
    parts: tuple[Part, ...]
    unread: tuple[Span, ...]
    digest: int
    runs: bool = False

    def __iter__(self) -> Iterator[Found]:
        for part in self.parts:
            for occurrence in part.occurrences:
                yield Found(part, occurrence)

    def named(self, kind: Kind, name: str) -> Iterator[Found]:
        """Yield the occurrences of a name of a kind."""
        for part in self.parts:
            for occurrence in part.occurrences:
                if occurrence.name == name and occurrence.kind is kind:
                    yield Found(part, occurrence)

    def at(self, offset: int) -> Found | None:
        """Return the occurrence at an offset; if they are nested, the innermost."""
        touched = [
            Found(part, occurrence)
            for part in self.parts
            for occurrence in part.occurrences
            if occurrence.span.start <= offset - part.start <= occurrence.span.end
        ]
        # A value read through several aliases occurs once, and its own part knows best.
        return min(
            touched, key=lambda it: (it.span.end - it.span.start, _is_alias(it)), default=None
        )


def _is_alias(occurrence_in_file: Found) -> bool:
    return occurrence_in_file.occurrence.alias is not None


def summary_of_text(path: Path | None, text: str) -> Summary:
    """Return the summary of a file that may be a prompt."""
    whole = Part("text", 0, tuple(occurrences_in_text(text)))
    return Summary(path, "text", (whole,), (), hash(text))


def summary_of(path: Path | None, parsed: Parsed) -> Summary:
    """Return the summary of a parsed file."""
    document = parsed.document
    runs = False
    if isinstance(parsed, DialectFile):
        runs = parsed.is_suite and parsed.dialect.run_by is not None
        kind: FileKind = "dialect"
        parts = [*names_of(parsed.dialect).parts(parsed)]
    elif isinstance(parsed, OtherFile):
        return summary_of_text(path, parsed.document.text)
    elif isinstance(parsed, ParsedTargets):
        kind = "targets"
        parts = [Part("targets", 0, tuple(occurrences_in_targets(parsed)))]
    else:
        kind = parsed.kind
        runs = kind in ("suite", "dataset")
        parts = [*_suite_parts(parsed)]
        if kind == "suite" and not looks_like_suite(document) and document.list_key is not None:
            parts = []  # another format, whose names are not ours
    parts += _anchors(parsed)
    unread = tuple(
        Span(own_piece.offset(0), own_piece.offset(len(own_piece.content.text), end=True))
        for own_piece in own_pieces(document)
        if own_piece.content.broken
    )
    return Summary(path, kind, tuple(parts), unread, hash(document.text), runs)


def _suite_parts(suite: ParsedSuite) -> Iterator[Part]:
    document = suite.document
    if suite.kind != "dataset":
        head = document.head
        read = suite.head.node or _head_as_read(document)
        occurrences = _in_head(read, head.content)
        if read is not None:
            names = figure_names(suite) if suite.kind == "suite" and has_figures(suite) else None
            occurrences += names_in_gates(read, head.content.text, names)
        listed = document.list_node
        if isinstance(listed, Scalar) and names_case_file(listed):
            occurrences.append(case_file(listed))
        yield Part("head", 0, tuple(_placed(occurrence, head) for occurrence in occurrences))
    # What a sidecar lists is not read as cases, which its data set has.
    pieces = document.cases if suite.kind != "sidecar" else ()
    for number, (case, piece) in enumerate(zip(suite.cases, pieces, strict=True)):
        yield Part(number, piece.start, _in_case(case, piece.content))


def _in_head(head: Mapping | None, content: Content) -> list[Occurrence]:
    return occurrences_in_head(head, content.text) if head is not None else []


def _in_case(case: ParsedCase, content: Content) -> tuple[Occurrence, ...]:
    return _OCCURRENCES.of(content, _find_in_case, case, content)


def _find_in_case(case: ParsedCase, content: Content) -> tuple[Occurrence, ...]:
    node = case.node
    if node is None and content.broken and isinstance(content.node, Mapping):
        node = Normalizer(evaluator_keys).case(content.node)
    if node is not None:
        return tuple(occurrences_in_case(node, content.text))
    if isinstance(content.node, Scalar) and names_case_file(content.node):
        return (case_file(content.node),)
    return ()


def _head_as_read(document: Document) -> Mapping | None:
    """Return the head of a broken text, as far as it parses."""
    root = document.root
    if root is None or not document.head.content.broken:
        return None
    entries = {name: it for name, it in root if name not in CASE_LIST_KEYS}
    head = Mapping(root.start, root.end, entries, flow=root.flow)
    return Normalizer(evaluator_keys).head(head)


def _placed(occurrence: Occurrence, head: Piece) -> Occurrence:
    """Return an occurrence in a head with its spans in the document."""
    alias = head.absolute(occurrence.alias) if occurrence.alias is not None else None
    span = head.absolute(occurrence.span)
    formula = occurrence.formula
    if formula is not None:
        formula = formula._replace(span=head.absolute(formula.span))
    return replace(occurrence, span=span, alias=alias, formula=formula)


def _anchors_in(content: Content) -> list[Occurrence]:
    names = content.anchor_names if _ANCHOR.search(content.text) else ()
    return [
        Occurrence(
            Kind.ANCHOR,
            name.name,
            name.span,
            () if name.number is None else (name.number,),
            name.defines,
        )
        for name in names
    ]


def _anchors(parsed: Parsed) -> Iterator[Part]:
    document = parsed.document
    for piece in own_pieces(document):
        occurrences = _ANCHORS.of(piece.content, _anchors_in, piece.content)
        if not occurrences:
            continue
        if piece is document.head:
            yield Part(
                "anchors", 0, tuple(_placed(occurrence, piece) for occurrence in occurrences)
            )
        else:
            yield Part(f"anchors {piece.start}", piece.start, tuple(occurrences))
