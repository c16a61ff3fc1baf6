"""Parsing a file by its kind: a suite of ours or of another tool, a data set, its sidecar, or targets."""

from __future__ import annotations

import re
from pathlib import Path

from suitecase.suite.case_list_keys import CASE_LIST_KEYS
from suitecase.suite.dataset_files import DATASET, dataset_of, is_sidecar, sidecar_of
from suitecase.suite.dialect import DialectFile, dialect_of, dialect_of_named
from suitecase.suite.parsed import (
    ParsedSuite,
    looks_like_suite,
    parse_dataset,
    parse_sidecar,
    suite_of,
)
from suitecase.suite.target_files import ParsedTargets, looks_like_targets, parse_targets
from suitecase.suite.target_places import PLACES
from suitecase.suite.workspace import Unreadable, Workspace
from suitecase.syntax.cache import Cache
from suitecase.syntax.document import Document
from suitecase.syntax.json_list import json_instead
from suitecase.syntax.lines import Lines
from suitecase.syntax.node import Scalar
from suitecase.syntax.packed_lines import PackedLines
from suitecase.syntax.parsing import parse
from suitecase.syntax.passing import Expected

#: A file as what it is.
ParsedFile = ParsedSuite | ParsedTargets | DialectFile
#: What a case on a line of JSON has among its keys, in any spelling: of each of these one.
_KEYS_OF_CASES = tuple(
    re.compile(rf'"(?:{names})"[ \t]*:')
    for names in ("id", "expected_outcome|outcome|criteria", "input|input_messages|messages")
)
#: Keys of every record of results.
_SCORE = re.compile(r'"score"[ \t]*:')
_GRADED_CASE = re.compile(r'"(?:eval_id|evalId|test_id|testId)"[ \t]*:')
_TARGETS_NAMES = frozenset(Path(place).name for place in PLACES)


def parse_document(
    path: Path,
    text: str | Lines,
    workspace: Workspace,
    *,
    reuse: ParsedSuite | DialectFile | None = None,
    expected: Expected | None = None,
) -> ParsedFile:
    """Parse a text by its name and content. Never raises on any text.

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
        beside = workspace.read(sidecar) if sidecar else None
        head = beside if isinstance(beside, str) else None
        earlier_set = reuse if isinstance(reuse, ParsedSuite) else None
        dataset = parse_dataset(text, head, reuse=earlier_set, expected=expected)
        _LAST_DATASET.set(workspace, (text, head, dataset))
        return dataset
    earlier = reuse if isinstance(reuse, DialectFile) else None
    named = dialect_of_named(path)
    if named is not None:
        return named.read(path, named.document(str(text), reuse=earlier))
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
    suite = suite_of(document)
    if looks_like_suite(suite.document):
        return parse_sidecar(str(text)) if is_head_of_dataset(path, suite.document) else suite
    if path.name in _TARGETS_NAMES or looks_like_targets(suite.document):
        return parse_targets(path, str(text), suite.document)
    if dataset_of(path) is not None:
        return parse_sidecar(str(text))
    return suite


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


def is_beside_suites(path: Path) -> bool:
    """Whether the name of a file is that of a targets file or a data set.

    A data set is recognized by its sidecar or its first line, see `is_case_of_dataset`, since other
    files have JSON lines too.
    """
    if path.name in _TARGETS_NAMES:
        return True
    return path.name.endswith(DATASET) and sidecar_of(path) is not None


def is_case_of_dataset(line: str) -> bool:
    """Whether the first line of a JSONL file is a case, which makes the file a data set."""
    return all(it.search(line) for it in _KEYS_OF_CASES) and not is_result(line)


def is_result(line: str) -> bool:
    """Whether a line of a JSONL file is a record of results, ours or another tool's."""
    return bool(_SCORE.search(line) and _GRADED_CASE.search(line))


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
