"""Reading a file for one check: of a long one, no tree of a case is kept.

What the check is going to ask about the cases is learned from its first ones: a check of these alone
asks the same, as a rule. So all of it is answered in one pass over the cases, by the same rules and the same
index as in an editor, which keeps its cases; what else is asked costs another pass.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from pathlib import Path

from suitecase.checking.check import DEFAULTS, check
from suitecase.checking.options import CheckOptions
from suitecase.format.case_list_keys import CASE_LIST_KEYS
from suitecase.format.dataset_files import DATASET
from suitecase.format.reading import ParsedFile, parse_document
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.text.lines import Lines
from suitecase.text.passing import Expected, Visit
from suitecase.text.segment import Split, split
from suitecase.text.time_limits import in_time

#: The first cases from which it is learned what a check asks.
_FIRST = 32
#: Shorter files are kept whole.
_LONG = 4 * _FIRST


def read_for_check(
    path: Path,
    text: str | Lines,
    workspace: Workspace,
    options: CheckOptions = DEFAULTS,
    meanwhile: Callable[[ParsedSuite], Visit | None] | None = None,
) -> ParsedFile:
    """Parse a file that is checked once: a long suite or data set keeps no trees of cases.

    Args:
        path: its path.
        text: its text.
        workspace: reads the files around it.
        options: the options of the check.
        meanwhile: is given the suite with its first cases only. What it asks of these is asked of all
            cases while they are parsed, and what it returns visits each of them.
    """
    beginning, parts = _beginning(path, text)
    if beginning is None:
        return parse_document(path, text, workspace)
    short = parse_document(path, beginning, workspace)
    if not isinstance(short, ParsedSuite) or short.kind == "sidecar":
        return parse_document(path, text, workspace)
    if not short.document.segmented:
        return parse_document(path, text, workspace)
    length = text.size if isinstance(text, Lines) else len(text)
    return in_time(
        lambda: _read(path, text, short, parts, workspace, options, meanwhile), length=length
    )


def _read(
    path: Path,
    text: str | Lines,
    short: ParsedSuite,
    parts: Split | None,
    workspace: Workspace,
    options: CheckOptions,
    meanwhile: Callable[[ParsedSuite], Visit | None] | None,
) -> ParsedFile:
    check(short, Folder(workspace, path.parent), path, options=options)
    visit = None if meanwhile is None else meanwhile(short)
    document = short.document
    expected = Expected(document.case_index.asked, document.cases.contents, visit, parts)
    return parse_document(path, text, workspace, expected=expected)


def _beginning(path: Path, text: str | Lines) -> tuple[str | None, Split | None]:
    """Return the text of a file with its first cases only, None if it is not long; and its parts."""
    if path.name.endswith(DATASET):
        lines = text if isinstance(text, Lines) else Lines(text)
        if len(lines) <= _LONG:
            return None, None
        written = (it for it in map(lines.text, range(len(lines))) if it.strip(" \t\ufeff"))
        return "".join(f"{it}\n" for it in islice(written, _FIRST)), None
    text = str(text)
    parts = split(text, CASE_LIST_KEYS)
    if parts is None or not parts.proven or len(parts.items) <= _LONG:
        return None, None
    return text[: parts.items[_FIRST]] + text[parts.end :], parts
