"""What is known of the tests of a configuration from their texts, with where each is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from suitecase.formats.promptfoo.suite.file_references import beside
from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration, PlacedSource
from suitecase.formats.promptfoo.suite.test_facts import TestFacts
from suitecase.formats.promptfoo.suite.test_files import TestsFile
from suitecase.rule import External, Finding, Fix
from suitecase.suite.workspace import Folder
from suitecase.syntax.cache import Cache
from suitecase.syntax.document import Content, Piece
from suitecase.syntax.node import Mapping, Span


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


def own_facts(linked: LinkedConfiguration) -> Iterator[PlacedFacts]:
    """Yield what is known of `defaultTest` and of the tests that the configuration has itself."""
    document = linked.file.document
    default = linked.head.default_test
    if default is not None:
        known = _DEFAULT.of(linked.head.content, TestFacts, default.node)
        yield PlacedFacts(known, document.head)
    for number, facts in document.case_index.where(facts_in):
        yield PlacedFacts(facts, document.cases[number])


def facts_in_files(linked: LinkedConfiguration) -> Iterator[PlacedFacts]:
    """Yield what is known of the tests in other files."""
    for source, file in files_of_tests(linked):
        for piece in file.read.pieces:
            facts = facts_in(piece.content)
            if facts is not None:
                yield PlacedFacts(facts, piece, file, source)


_FACTS: Cache[TestFacts | None] = Cache()
_DEFAULT: Cache[TestFacts] = Cache()


def facts_in(content: Content) -> TestFacts | None:
    """Return what is known of the test in a content; None if it is not one."""
    return _FACTS.of(content, _facts, content)


def _facts(content: Content) -> TestFacts | None:
    node = content.node
    is_test = isinstance(node, Mapping) and "path" not in node and not content.broken
    return TestFacts(node) if is_test and isinstance(node, Mapping) else None
