"""Dialects: formats of suites that are checked and edited as they are, each with its own reader and models.

The current format and its legacy spellings are read by `formats/suitecase/parsed.py`. The suites of other tools are
read by the dialect in their folder of `formats/`, which is imported when the first such file is read.
The rest of the program knows them by `Dialect` and `DialectFile` alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol

from suitecase.format.workspace import Folder
from suitecase.formats.detection import dialect_by_name, dialect_name
from suitecase.schema.validation import ValidationIssue
from suitecase.text.case_index import CaseIndex
from suitecase.text.document import Content, Document
from suitecase.text.encoders.terminal import Line
from suitecase.text.json_list import json_instead
from suitecase.text.lines import Lines
from suitecase.text.node import Mapping
from suitecase.text.parsing import parse


class DialectPart(Protocol):
    """The head or a case of a file: what rules on a part look at, with places relative to its text."""

    @property
    def content(self) -> Content:
        """Its text and tree. Findings are cached with it, so that it is not shared with other dialects."""
        ...

    @property
    def node(self) -> Mapping | None:
        """Its mapping; None if it is not one, or if its text did not parse."""
        ...

    @property
    def issues(self) -> tuple[ValidationIssue, ...]:
        """Where it does not match its model."""
        ...

    @property
    def source(self) -> str:
        """The text that its places are offsets in."""
        ...

    def elements(self) -> Sequence[Any]:
        """Return the elements in it that rules look at one by one."""
        ...


class NamedTest(NamedTuple):
    """A test of a file, as a run names it.

    Attributes:
        name: its name, unique in a run.
        number: the number of its case in the file, from 0; None if it is in another file.
    """

    name: str
    number: int | None


class DialectFile(ABC):
    """A file of a dialect, with its places.

    Attributes:
        dialect: the dialect.
        path: its path; None for a text without one.
        document: its text and trees. Its cases are the pieces of the parts.
        head: everything but the cases, a `DialectPart`.
        case_index: the parts of the cases.
    """

    dialect: Dialect
    path: Path | None
    document: Document
    head: Any
    case_index: CaseIndex[Any]

    @property
    def is_json(self) -> bool:
        """Whether it is JSON, so that fixes have to be, too."""
        return self.path is not None and self.path.suffix == ".json"

    @property
    def is_shown(self) -> bool:
        """Whether `effective` returns a view of it."""
        return False

    @property
    def title(self) -> str:
        """What it is called, with its article."""
        return self.dialect.title

    @property
    def is_suite(self) -> bool:
        """Whether it is a whole suite, not a part that suites name."""
        return True

    def case_names(self) -> Sequence[str]:
        """Return what each case is called, empty where it has no name: baselines tell cases apart by it."""
        return [""] * len(self.document.cases)

    def named_tests(self, folder: Folder) -> Sequence[NamedTest]:
        """Return the tests of a run, in order; a test without a name is named by its number."""
        return ()

    def linked(self, folder: Folder) -> object | None:
        """Return the file together with the files that it names: the subject of rules on the whole.

        Their findings have places in the document, or are `External`.
        """
        return None

    def wholes(self, folder: Folder) -> tuple[object, ...]:
        """Return what rules on the whole look at: what is linked, and what only some rules need.

        Of one with a `shape`, the findings are kept as long as the head, the files of the workspace and the shape
        stay the same, and no case changes that they lie in.
        """
        linked = self.linked(folder)
        return () if linked is None else (linked,)

    def effective(self, request: ViewRequest) -> EffectiveView | None:
        """Return the suite as the other tool would grade it; None if that is not known.

        Raises:
            UnknownChoiceError: one of the chosen cases does not exist.
        """
        return None


class UnknownChoiceError(Exception):
    """A chosen case does not exist; the text says which, and what there is."""


@dataclass(frozen=True, slots=True)
class ViewRequest:
    """What is to be shown of a suite: the chosen cases, or all if there are none.

    `shown` returns the displayed form of a path.
    """

    path: Path
    folder: Folder
    cases: tuple[str, ...]
    shown: Callable[[Path], str]


@dataclass(frozen=True, slots=True)
class EffectiveView:
    """A suite as it would be graded: as JSON values, and as lines of text."""

    values: dict[str, Any]
    lines: tuple[Line, ...]


class Dialect(ABC):
    """A format of suites, of another tool.

    Attributes:
        name: the name of its folder in `formats/`.
        title: what such a file is, with its article: `a promptfoo configuration`.
        list_keys: the names that the list of cases has in it.
        noun: the word for one of its cases.
        run_by: the module that prepares its suites for a run, a `runnable.MakesRunnable`; None if they
            are only checked and edited.
        converted_by: the module whose function `portable` converts them to our format; None if they
            cannot be converted.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    list_keys: ClassVar[tuple[str, ...]]
    noun: ClassVar[str] = "test"
    run_by: ClassVar[str | None] = None
    converted_by: ClassVar[str | None] = None

    @abstractmethod
    def read(self, path: Path | None, document: Document) -> DialectFile:
        """Return a document as a file of this dialect. Never raises on any text.

        Args:
            path: its path, if it has one.
            document: its text and trees, whose list of cases is under one of `list_keys`, if it has one.
        """

    def parse(
        self, path: Path | None, document: Document, *, reuse: DialectFile | None = None
    ) -> DialectFile:
        """Return a document, which may have been parsed for another format, as a file of this dialect."""
        key = document.list_key
        is_other = key is not None and key.text not in self.list_keys
        root = document.root
        is_unsplit = key is None and not document.root_list
        is_unsplit = is_unsplit and (root is None or any(it in root for it in self.list_keys))
        if is_other or is_unsplit:
            document = self.document(document.lines, reuse=reuse)
        return self.read(path, json_instead(document, self.list_keys))

    def document(self, text: str | Lines, *, reuse: DialectFile | None = None) -> Document:
        """Parse a text as one of this dialect.

        Args:
            text: the text, as lines where it is being edited.
            reuse: an earlier version, whose unchanged cases are reused.
        """
        earlier = reuse.document if reuse is not None else None
        document = parse(text, self.list_keys, reuse=earlier, root_list=True)
        return json_instead(document, self.list_keys)


def file_by_name(
    path: Path | None, text: str | Lines, *, reuse: DialectFile | None = None
) -> DialectFile | None:
    """Return a text as a file of the dialect whose files have its name; None if it is not one.

    Args:
        path: its path, if it has one.
        text: the text.
        reuse: an earlier version, whose unchanged cases are reused.
    """
    name = dialect_by_name(path) if path is not None else None
    if name is None:
        return None
    dialect = dialect_named(name)
    document = dialect.document(text, reuse=reuse)
    return dialect.read(path, document) if dialect_name(document, path) == name else None


def only_read(file: DialectFile) -> str:
    """Say what a file is, to who gave it to a command that works with suites of ours alone."""
    commands = ["`check`"]
    if file.is_shown:
        commands.append("`show`")
    if file.is_suite and file.dialect.run_by is not None:
        commands.append("`run`")
    if file.is_suite and file.dialect.converted_by is not None:
        commands.append("`convert`")
    read = f"{', '.join(commands)} and editors"
    return f"it is {file.title}, which {read} read; other commands need a suite of Suitecase"


def dialect_of(path: Path | None, document: Document) -> Dialect | None:
    """Return the dialect of a document; None if it is a suite of ours, or no suite.

    Args:
        path: its path, if it has one; some names are those of a dialect alone.
        document: the document, parsed for any format.
    """
    name = dialect_name(document, path)
    return dialect_named(name) if name is not None else None


@cache
def dialect_named(name: str) -> Dialect:
    """Return the dialect in a folder of `formats/`, which is imported."""
    found: Dialect = import_module(f"suitecase.formats.{name}.dialect").DIALECT
    return found
