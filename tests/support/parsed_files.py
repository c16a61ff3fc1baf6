"""Parsing files that are known to be ours, in whichever kind."""

from __future__ import annotations

from pathlib import Path

from suitecase.format.dialect import DialectFile
from suitecase.format.other_file import OtherFile
from suitecase.format.reading import parse_document
from suitecase.format.target_files import ParsedTargets
from suitecase.format.workspace import Workspace
from suitecase.formats.suitecase.parsed import ParsedSuite


def parse_own(
    path: Path, text: str, workspace: Workspace, *, reuse: ParsedSuite | None = None
) -> ParsedSuite | ParsedTargets:
    """Parse a file that is not one of another tool."""
    parsed = parse_document(path, text, workspace, reuse=reuse)
    assert not isinstance(parsed, DialectFile | OtherFile)
    return parsed
