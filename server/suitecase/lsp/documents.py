"""The client's open documents, with their unsaved text.

Reading 10,000 cases takes seconds. What is found in the first ones of a long text is known before that,
since a case and its suite's head are all that the findings in a case depend on.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path

from lsprotocol import types

from suitecase.editor.lenses import Anchors, anchors
from suitecase.editor.runnable_cases import RunnableCases
from suitecase.format.case_list_keys import CASE_LIST_KEYS
from suitecase.format.dataset_files import DATASET
from suitecase.format.dialect import DialectFile, dialect_of, file_by_name
from suitecase.format.other_file import NAMED, OtherFile, other_file
from suitecase.formats.suitecase.parsed import (
    ParsedSuite,
    looks_like_suite,
    may_become_suite,
    parse_dataset,
    parse_suite,
)
from suitecase.lsp.positions import Positions
from suitecase.lsp.uris import path_of, uri_key
from suitecase.text.document import Document
from suitecase.text.lines import Lines, cut
from suitecase.text.passing import Expected
from suitecase.text.replaced import Replaced
from suitecase.text.segment import split
from suitecase.text.time_limits import ON_LOOP, AbandonedError, in_time, watch_of_thread
from suitecase_evaluators.system.path_kinds import real_path

_YAML_NAMES = (".yaml", ".yml")
#: The language id some editors use for suites.
_LANGUAGE = "suitecase"


class OpenDocument:
    """An open document: its text and how it parses.

    `uri` is spelled as the client spells it. `path` is None if the document is not a file.

    Args:
        item: the document as the client sent it.
        encoding: the unit its positions are counted in.
        edited: called after the client has changed the text.
    """

    def __init__(
        self,
        item: types.TextDocumentItem,
        encoding: str,
        edited: Callable[[OpenDocument], None] = lambda _: None,
    ) -> None:
        self.uri = item.uri
        self.version: int | None = item.version
        self.path = path_of(item.uri)
        #: The paths of the file: as the client spells it, and with links resolved.
        self.paths = frozenset((self.path, real_path(self.path)) if self.path else ())
        self.language = item.language_id
        self._encoding = encoding
        self._edited = edited
        self._suite: ParsedSuite | None = None
        #: Whether `_suite` is the beginning of the text.
        self._begun = False
        self._anchors: tuple[Lines, Anchors] | None = None
        self._was_suite = False
        self._dialect_file: DialectFile | None = None
        #: Codes of the rules that failed on this document and are skipped for it.
        self.failed_rules: set[str] = set()
        self._set(Lines(item.text, cut(item.text)))

    def _set(self, lines: Lines) -> None:
        self._lines = lines
        self.positions = Positions(lines, self._encoding)

    @property
    def text(self) -> str:
        """The text, joined on demand: edits change only parts of it."""
        return str(self._lines)

    @property
    def lines(self) -> Lines:
        """The text by lines; an edit creates a new object, and objects never change."""
        return self._lines

    def change(self, changes: types.TextDocumentContentChangeEvent) -> Replaced:
        """Apply a change to a range of the text or to all of it, and return what was replaced."""
        if isinstance(changes, types.TextDocumentContentChangePartial):
            start, end = self.positions.span(changes.range)
            self._set(self._lines.replaced(start, end, changes.text))
            replaced = Replaced(start, end, len(changes.text))
        else:
            before = self.text
            self._set(self._lines.become(changes.text))
            replaced = Replaced.between(before, changes.text)
        self._edited(self)
        return replaced

    @property
    def parsed_alone(self) -> ParsedSuite:
        """The text parsed as a suite, without other files; unchanged cases are not parsed again.

        Of a data set, this has the cases only. The kind of the document is known by its snapshot.
        """
        if self._suite is None or self._suite.document.lines is not self._lines:
            if self.has_lines_of_json:
                self._suite = parse_dataset(self.text, None, reuse=self._suite)
            else:
                self._suite = self._read()
            # The same text, in chunks that match its cases.
            self._set(self._suite.document.lines)
        return self._suite

    def _read(self) -> ParsedSuite:
        """Return the text parsed as a suite.

        Of a long one, everything is looked at in some cases that a check will ask, as one of its
        beginning has, before the next ones are read: so not all trees are in memory at once.
        """
        begun, self._begun = self._begun, False
        if begun and self._suite is not None and watch_of_thread() is None:
            expected = Expected(self._suite.document.case_index.lasting)
            read = partial(parse_suite, self._lines, reuse=self._suite, expected=expected)
            # A rule that is too slow for the event loop is left to the check.
            with suppress(AbandonedError):
                return in_time(read, limit=ON_LOOP, gives_up=True, length=self._lines.size)
        return parse_suite(self._lines, reuse=self._suite)

    def beginning(self) -> OpenDocument | None:
        """Return the document without the cases behind its first ones, which are not parsed again.

        None where it is short, is parsed already, or may not be split so.
        """
        if self._suite is not None or self._lines.size < LONG_TEXT:
            return None
        text = beginning_of_lines(self.text) if self.has_lines_of_json else beginning(self.text)
        if text is None:
            return None
        item = types.TextDocumentItem(self.uri, self.language, self.version or 0, text)
        short = OpenDocument(item, self._encoding)
        if short.dialect_file is not None:
            return None
        self._suite = short.parsed_alone
        self._begun = True
        return short

    @property
    def is_suite(self) -> bool:
        """Whether this is a suite: a YAML file with a list of cases, or one that is being begun.

        Only what has the name of a suite, or its language id, is taken for a beginning, which its text alone
        decides. Another suite stays one while its text does not parse.
        """
        if self.dialect_file is not None:
            return False
        if not self.is_called_suite and not self._is_yaml:
            return False
        document = self.parsed_alone.document
        is_suite = looks_like_suite(document)
        if self.is_called_suite:
            return is_suite or may_become_suite(document)
        if is_suite or not document.head.content.broken:
            self._was_suite = is_suite
        return self._was_suite

    @property
    def is_called_suite(self) -> bool:
        """Whether its name, or its language id, is that of a suite: other tools have such names, too."""
        name = self.uri.casefold()
        return name.endswith(NAMED) or self.language.casefold() == _LANGUAGE

    @property
    def _is_yaml(self) -> bool:
        return self.uri.casefold().endswith(_YAML_NAMES) or "yaml" in self.language.casefold()

    @property
    def other_file(self) -> OtherFile | None:
        """The text as a file of an unknown format, if its name lets people expect a suite."""
        if self.is_suite or self.dialect_file is not None or self.has_lines_of_json:
            return None
        file = other_file(self.path, self.parsed_alone.document)
        return file if self.is_called_suite or file.is_named_as_suite else None

    @property
    def dialect_file(self) -> DialectFile | None:
        """The text as a suite of another tool; it stays one while the text does not parse."""
        if self.has_lines_of_json or not self._may_be_of_dialect:
            return None
        if self._dialect_file is not None:
            file = self._edited_dialect_file(self._dialect_file)
        elif (named := file_by_name(self.path, self._lines)) is not None:
            file = named
        else:
            document = self.parsed_alone.document
            dialect = dialect_of(self.path, document)
            file = dialect.parse(self.path, document) if dialect is not None else None
        if file is not self._dialect_file and file is not None:
            # The same text, in chunks that match its cases.
            self._set(file.document.lines)
        self._dialect_file = file
        return file

    def _edited_dialect_file(self, before: DialectFile) -> DialectFile | None:
        """Return the current version of a file of a dialect; None if it is not one any more."""
        if before.document.lines is self._lines:
            return before
        document = before.dialect.document(self._lines, reuse=before)
        found = dialect_of(self.path, document)
        if found is before.dialect or (found is None and document.head.content.broken):
            return before.dialect.read(self.path, document)
        return found.parse(self.path, document) if found is not None else None

    @property
    def _may_be_of_dialect(self) -> bool:
        if self.path is None:
            return "yaml" in self.language.casefold() or self.language.casefold() == _LANGUAGE
        return self.path.suffix.lower() in (*_YAML_NAMES, ".json")

    @property
    def syntax(self) -> Document:
        """The text with its trees, parsed as what it is."""
        file = self.dialect_file
        return file.document if file is not None else self.parsed_alone.document

    @property
    def has_lines_of_json(self) -> bool:
        """Whether this is a JSON Lines file, by its name."""
        return self.path is not None and self.path.name.endswith(DATASET)

    def anchors_of(self, suite: RunnableCases) -> Anchors:
        """Return the places of run lenses, even while the text does not parse."""
        if self._anchors is None or self._anchors[0] is not self._lines:
            before = self._anchors[1] if self._anchors is not None else None
            self._anchors = (self._lines, anchors(suite, before))
        return self._anchors[1]


class _Texts(Mapping[Path, str]):
    """Texts that are joined on demand."""

    def __init__(self, lines: dict[Path, Lines]) -> None:
        self._lines = lines

    def __getitem__(self, path: Path) -> str:
        return str(self._lines[path])

    def __iter__(self) -> Iterator[Path]:
        return iter(self._lines)

    def __len__(self) -> int:
        return len(self._lines)


class Documents:
    """The open documents by URI, however it is spelled.

    `last` is the one the client mentioned most recently.
    """

    def __init__(self) -> None:
        self._open: dict[str, OpenDocument] = {}
        #: The documents of each path: links may lead several URIs to one file.
        self._by_path: dict[Path, list[OpenDocument]] = {}
        #: How many documents have been closed.
        self.closed_count = 0
        #: The document of each open file that was edited last, by each path of the file.
        self._current: dict[Path, OpenDocument] = {}
        #: How many edits there have been, of any document; opening and closing count as one.
        self.edits = 0
        #: The document edited last, and the edit count before its edits began.
        self._last_edited: OpenDocument | None = None
        self._edited_before = 0
        self.last: OpenDocument | None = None

    def open(self, item: types.TextDocumentItem, encoding: str) -> OpenDocument:
        """Register a document."""
        # Some clients open documents they already have open.
        self._drop(uri_key(item.uri))
        document = OpenDocument(item, encoding, self._note_edit)
        self._open[uri_key(item.uri)] = document
        for path in document.paths:
            self._by_path.setdefault(path, []).append(document)
        self._note_edit(document)
        self.last = document
        return document

    def find(self, uri: str) -> OpenDocument | None:
        """Return an open document, or None."""
        return self._open.get(uri_key(uri))

    def get(self, uri: str) -> OpenDocument | None:
        """Return the open document a client's request is about, or None."""
        document = self.find(uri)
        if document is not None:
            self.last = document
        return document

    def at(self, path: Path) -> OpenDocument | None:
        """Return the open document of a file, or None."""
        return next(iter(self._by_path.get(path, ())), None)

    def texts(self) -> Mapping[Path, str]:
        """Return the current text of each open file, by each of its paths."""
        return _Texts({path: it.lines for path, it in self._current.items()})

    def close(self, uri: str) -> OpenDocument | None:
        """Remove a document; returns it if it was open."""
        document = self._drop(uri_key(uri))
        self.closed_count += document is not None
        if self.last is document:
            self.last = next(reversed(self._open.values()), None)
        return document

    def _drop(self, name: str) -> OpenDocument | None:
        document = self._open.pop(name, None)
        if document is not None:
            for path in document.paths:
                others = self._by_path[path]
                others.remove(document)
                if others:
                    self._current[path] = others[-1]
                else:
                    del self._by_path[path], self._current[path]
            self._note_edit(None)
        return document

    def _note_edit(self, document: OpenDocument | None) -> None:
        if document is not self._last_edited or document is None:
            self._last_edited, self._edited_before = document, self.edits
        self.edits += 1
        if document is not None:
            self._current |= dict.fromkeys(document.paths, document)

    def edits_beside(self, document: OpenDocument) -> int:
        """Return the edit count when another document than this one was last edited."""
        return self._edited_before if document is self._last_edited else self.edits

    def __contains__(self, document: OpenDocument) -> bool:
        return self.find(document.uri) is document

    def __iter__(self) -> Iterator[OpenDocument]:
        return iter(tuple(self._open.values()))


#: Shorter texts, in characters, are read at once.
LONG_TEXT = 500_000
#: The first cases are those that end within so many characters, which are read in a moment.
FIRST_PART = 100_000


def beginning(text: str) -> str | None:
    """Return a suite's text without the cases behind its first ones; None where that is unsafe.

    What follows the list of cases stays: how a case is read may depend on it.
    """
    parts = split(text, CASE_LIST_KEYS)
    if parts is None or not parts.proven:
        return None
    after = bisect_right(parts.items, FIRST_PART) - 1
    if after < 1:
        return None
    return text[: parts.items[after]] + text[parts.end :]


def beginning_of_lines(text: str) -> str | None:
    """Return the first lines of a data set; None if its first one is long."""
    end = text.rfind("\n", 0, FIRST_PART) + 1
    return text[:end] or None
