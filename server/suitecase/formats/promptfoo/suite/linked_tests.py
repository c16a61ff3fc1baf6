"""What is known of the tests of a configuration from their texts, with where each is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from suitecase.format.rule import External, Finding, Fix
from suitecase.format.workspace import Folder
from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration, PlacedSource
from suitecase.formats.promptfoo.suite.references.file_references import beside
from suitecase.formats.promptfoo.suite.references.named_files import is_fine
from suitecase.formats.promptfoo.suite.test_cases.default_test import default_node
from suitecase.formats.promptfoo.suite.test_cases.facts import TestFacts
from suitecase.formats.promptfoo.suite.test_cases.files import TestsFile, TestsText
from suitecase.text.cache import Cache
from suitecase.text.document import Content, Piece
from suitecase.text.node import Mapping, Span
from suitecase.text.recent import recent


@dataclass(frozen=True, slots=True)
class PlacedFacts:
    """What is known of a test, or of `defaultTest`, with where it is.

    Attributes:
        facts: what is known; its places are relative to the piece.
        piece: the part of its file that it stands in.
        file: that file; None if it is the configuration.
        source: what names the file.
    """

    facts: TestFacts
    piece: Piece
    file: TestsFile | None = None
    source: PlacedSource | None = None

    def own_folder(self, linked: LinkedConfiguration) -> Folder:
        """Return the folder of the file that the test stands in."""
        return linked.folder if self.file is None else beside(linked.folder, self.file.path)

    def place_named(self, span: Span) -> Span:
        """Return a place in the test; of a test in another file, where the configuration names it."""
        return self.piece.absolute(span) if self.source is None else self.source.span

    def finding(self, span: Span, message: str, fix: Fix | None = None) -> Finding:
        """Return a finding at a place in the test, in the file that it stands in."""
        fix = fix and fix.moved(self.piece.absolute)
        external = None
        if self.file is not None and self.source is not None:
            external = External(self.file.path, self.source.span)
        return Finding(self.piece.absolute(span), message, fix, external=external)


def files_of_tests(linked: LinkedConfiguration) -> list[tuple[PlacedSource, TestsFile]]:
    """Return the files of tests that are read, each once, with the first entry that names it."""
    found: dict[object, tuple[PlacedSource, TestsFile]] = {}
    for placed in linked.test_sources:
        for file in placed.source.files:
            found.setdefault(file.path, (placed, file))
    return list(found.values())


def with_doubtful_files(linked: LinkedConfiguration) -> tuple[PlacedFacts, ...]:
    """Return the tests, and `defaultTest`, that name a file of which rules may have something to say.

    A keystroke looks only at those tests whose files have not been found to be fine before.
    """
    return _DOUBTFUL.of(linked, lambda: tuple(_doubtful(linked)))


def _doubtful(linked: LinkedConfiguration) -> Iterator[PlacedFacts]:
    folder, document = linked.folder, linked.file.document
    fine = _fine(folder, folder)
    default = linked.head.default_test
    if default is not None:
        known = _DEFAULT.of(linked.head.content, TestFacts, default.node)
        if not _are_fine(known, fine, folder, folder):
            yield PlacedFacts(known, document.head)
    keys: Sequence[frozenset[str]] = document.case_index.values(_file_keys)
    if not all(map(fine.issuperset, keys)):
        naming: Sequence[tuple[int, TestFacts]] = document.case_index.where(_with_files)
        for number, facts in naming:
            if not (fine.issuperset(facts.file_keys) or _are_fine(facts, fine, folder, folder)):
                yield PlacedFacts(facts, document.cases[number])
    for source, file in files_of_tests(linked):
        own_folder = beside(folder, file.path)
        fine = _fine(folder, own_folder)
        for piece, facts in _facts_of_file(file):
            if not fine.issuperset(facts.file_keys) and not _are_fine(
                facts, fine, folder, own_folder
            ):
                yield PlacedFacts(facts, piece, file, source)


def _fine(folder: Folder, own_folder: Folder) -> set[str]:
    """Return the keys of files that are fine, as long as the workspace does not change."""
    known = _FINE.of(folder.workspace, dict)
    return known.setdefault((folder.path, own_folder.path), set())


def _are_fine(facts: TestFacts, fine: set[str], folder: Folder, own_folder: Folder) -> bool:
    if not all(is_fine(file, folder, own_folder) for file in facts.files):
        return False
    fine |= facts.file_keys
    return True


def _facts_of_file(file: TestsFile) -> list[tuple[Piece, TestFacts]]:
    return _facts_of_text(file.read)


@recent(most=64)
def _facts_of_text(read: TestsText) -> list[tuple[Piece, TestFacts]]:
    pairs = ((piece, facts_in(piece.content)) for piece in read.pieces)
    return [(piece, facts) for piece, facts in pairs if facts is not None]


def alike(linked: LinkedConfiguration, look: Callable[[TestFacts], str]) -> Iterator[Alike]:
    """Yield each test that has what another one before it in its file has, with that one.

    Args:
        linked: the configuration.
        look: returns what is compared; empty for a test that is not. The same function each time.
    """
    document = linked.file.document
    texts: Sequence[str] = document.case_index.values(_through(look))
    if len(set(texts)) < len(texts):
        placed = [
            (text, PlacedFacts(facts, document.cases[number]))
            for number, text in document.case_index.where(_through(look))
            if (facts := facts_in(document.cases[number].content)) is not None
        ]
        yield from _pairs(placed)
    for source, file in files_of_tests(linked):
        if _has_alike(file.read, look):
            placed = [
                (text, PlacedFacts(facts, piece, file, source))
                for piece, facts in _facts_of_file(file)
                if (text := look(facts))
            ]
            yield from _pairs(placed)


@recent(most=64)
def _has_alike(read: TestsText, look: Callable[[TestFacts], str]) -> bool:
    texts = [text for _, facts in _facts_of_text(read) if (text := look(facts))]
    return len(set(texts)) < len(texts)


class Alike(NamedTuple):
    """A test, and one before it that it is like."""

    test: PlacedFacts
    before: PlacedFacts


def _pairs(placed: list[tuple[str, PlacedFacts]]) -> Iterator[Alike]:
    first: dict[str, PlacedFacts] = {}
    for text, test in placed:
        before = first.setdefault(text, test)
        if before is not test:
            yield Alike(test, before)


@cache
def _through(look: Callable[[TestFacts], str]) -> Callable[[Content], str]:
    """Return a function of a content, always the same one, so that its results are kept."""

    def look_at(content: Content) -> str:
        facts = facts_in(content)
        return look(facts) if facts is not None else ""

    return look_at


def with_lists(linked: LinkedConfiguration) -> Iterator[PlacedFacts]:
    """Yield the tests, and `defaultTest`, with lists of which rows are made."""
    document = linked.file.document
    for_all = default_node(linked)
    if for_all is not None and TestFacts(for_all).keeps_lists:
        return
    default = linked.head.default_test
    if default is not None:
        known = _DEFAULT.of(linked.head.content, TestFacts, default.node)
        if known.lists:
            yield PlacedFacts(known, document.head)
    listing: Sequence[tuple[int, TestFacts]] = document.case_index.where(_with_lists)
    for number, facts in listing:
        yield PlacedFacts(facts, document.cases[number])
    for source, file in files_of_tests(linked):
        for piece, facts in _facts_of_file(file):
            if facts.lists:
                yield PlacedFacts(facts, piece, file, source)


def with_files(linked: LinkedConfiguration) -> Iterator[PlacedFacts]:
    """Yield the tests, and `defaultTest`, that name files."""
    document = linked.file.document
    default = linked.head.default_test
    if default is not None:
        known = _DEFAULT.of(linked.head.content, TestFacts, default.node)
        if known.files:
            yield PlacedFacts(known, document.head)
    naming: Sequence[tuple[int, TestFacts]] = document.case_index.where(_with_files)
    for number, facts in naming:
        yield PlacedFacts(facts, document.cases[number])
    for source, file in files_of_tests(linked):
        for piece, facts in _facts_of_file(file):
            if facts.files:
                yield PlacedFacts(facts, piece, file, source)


_DOUBTFUL: Cache[tuple[PlacedFacts, ...]] = Cache()
_FINE: Cache[dict[tuple[Path, Path], set[str]]] = Cache()
_FACTS: Cache[TestFacts | None] = Cache()
_DEFAULT: Cache[TestFacts] = Cache()


def _with_files(content: Content) -> TestFacts | None:
    facts = facts_in(content)
    return facts if facts is not None and facts.files else None


def _file_keys(content: Content) -> frozenset[str]:
    facts = facts_in(content)
    return facts.file_keys if facts is not None else frozenset()


def _with_lists(content: Content) -> TestFacts | None:
    facts = facts_in(content)
    return facts if facts is not None and facts.lists else None


def facts_in(content: Content) -> TestFacts | None:
    """Return what is known of the test in a content; None if it is not one."""
    return _FACTS.of(content, _facts, content)


def _facts(content: Content) -> TestFacts | None:
    node = content.node
    is_test = isinstance(node, Mapping) and "path" not in node and not content.broken
    return TestFacts(node) if is_test and isinstance(node, Mapping) else None
