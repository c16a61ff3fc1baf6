"""Parsing a file as what it is for certain: a suite of ours or of another tool, a data set, its sidecar, or targets.

What is none of these is an `OtherFile`, whatever it is called.
"""

from __future__ import annotations

from pathlib import Path

from suitecase.format.case_list_keys import CASE_LIST_KEYS
from suitecase.format.dataset_files import DATASET, dataset_of, is_sidecar, sidecar_of
from suitecase.format.dataset_lines import are_cases, is_blank
from suitecase.format.dialect import DialectFile, dialect_of, file_by_name
from suitecase.format.other_file import OtherFile, other_file, other_lines
from suitecase.format.target_files import (
    ParsedTargets,
    looks_like_targets,
    may_become_targets,
    parse_targets,
)
from suitecase.format.target_places import PLACES
from suitecase.format.workspace import Unreadable, Workspace
from suitecase.formats.suitecase.parsed import (
    ParsedSuite,
    looks_like_suite,
    may_become_suite,
    parse_dataset,
    parse_sidecar,
    suite_of,
)
from suitecase.text.cache import Cache
from suitecase.text.document import Document
from suitecase.text.json_list import json_instead
from suitecase.text.lines import Lines
from suitecase.text.node import Scalar
from suitecase.text.packed_lines import PackedLines
from suitecase.text.parsing import parse
from suitecase.text.passing import Expected

#: A file as what it is.
ParsedFile = ParsedSuite | ParsedTargets | DialectFile | OtherFile
#: What targets files are called.
TARGETS_NAMES = frozenset(Path(place).name for place in PLACES)


def parse_document(
    path: Path,
    text: str | Lines,
    workspace: Workspace,
    *,
    reuse: ParsedSuite | DialectFile | None = None,
    expected: Expected | None = None,
) -> ParsedFile:
    """Parse a text by its content and the files next to it. Never raises on any text.

    Args:
        path: its path; the files next to it matter too.
        text: the text, from an editor or the file.
        workspace: reads the sidecar of a data set.
        reuse: an earlier version, whose unchanged cases are reused.
        expected: keep no trees of cases, of which this is going to be asked; only for a text that
            is known to be a suite or a data set.
    """
    if path.name.endswith(DATASET):
        sidecar = sidecar_of(path)
        if sidecar is None and not are_cases(text) and not is_blank(text):
            return other_lines(path, text)
        beside = workspace.read(sidecar) if sidecar else None
        head = beside if isinstance(beside, str) else None
        earlier_set = reuse if isinstance(reuse, ParsedSuite) else None
        dataset = parse_dataset(text, head, reuse=earlier_set, expected=expected)
        _LAST_DATASET.set(workspace, (text, head, dataset))
        return dataset
    earlier = reuse if isinstance(reuse, DialectFile) else None
    named = file_by_name(path, str(text), reuse=earlier)
    if named is not None:
        return named
    document = parse(
        text,
        CASE_LIST_KEYS,
        reuse=reuse.document if reuse is not None else None,
        expected=expected,
    )
    as_json = json_instead(document, CASE_LIST_KEYS) if path.suffix == ".json" else document
    dialect = dialect_of(path, as_json)
    if dialect is not None:
        return dialect.parse(path, document, reuse=earlier)
    return parsed_as(path, suite_of(document))


def parsed_as(path: Path, suite: ParsedSuite) -> ParsedSuite | ParsedTargets | OtherFile:
    """Return a YAML text that is of no dialect as what it is.

    Args:
        path: its path; the files next to it matter too.
        suite: the text, parsed as a suite.
    """
    document = suite.document
    if looks_like_suite(document):
        if is_head_of_dataset(path, document):
            return parse_sidecar(document.text)
        return suite
    if are_targets(path, document):
        return parse_targets(path, document.text, document)
    if dataset_of(path, document.text) is not None:
        return parse_sidecar(document.text)
    return suite if may_become_suite(document) else other_file(path, document)


def are_targets(path: Path | None, document: Document) -> bool:
    """Whether a document is a targets file: by its entries, or by its name while it has none."""
    if looks_like_targets(document):
        return True
    if path is None or path.name not in TARGETS_NAMES:
        return False
    return document.list_key is None and may_become_targets(document)


#: The data set that was parsed last, with its text and that of its sidecar, which is checked next.
_LAST_DATASET: Cache[tuple[str | Lines, str | None, ParsedSuite]] = Cache()


def dataset_with(sidecar: Path, head: str, workspace: Workspace) -> ParsedSuite | None:
    """Return the data set whose sidecar a file is; None if it cannot be read.

    Args:
        sidecar: the path of the sidecar.
        head: its text.
        workspace: reads the data set.
    """
    path = dataset_of(sidecar)
    lines = workspace.read_dataset(path) if path is not None else None
    if not isinstance(lines, Lines):
        return None
    known = _LAST_DATASET.get(workspace)
    if known is not None and known[1] == head and _is_same(known[0], lines):
        return known[2]
    return parse_dataset(lines, head, expected=Expected())


def _is_same(text: str | Lines, lines: Lines) -> bool:
    if isinstance(text, PackedLines):
        return text == lines
    return str(text) == str(lines)


def is_head_of_dataset(path: Path, document: Document) -> bool:
    """Whether a suite names a data set in the place of its cases, whose sidecar it then is."""
    listed = document.list_node
    if not isinstance(listed, Scalar) or not listed.text.strip().endswith(DATASET):
        return False
    return is_sidecar(path, document.text)


def why_sidecar_unread(path: Path, workspace: Workspace) -> str | None:
    """Return why the sidecar of a file cannot be read; None if it can, or there is none.

    Without it, the cases of a data set would be different.
    """
    sidecar = sidecar_of(path) if path.name.endswith(DATASET) else None
    text = workspace.read(sidecar) if sidecar is not None else None
    if sidecar is None or not isinstance(text, Unreadable):
        return None
    return f"its sidecar `{sidecar.name}` cannot be read: {text.reason}"
