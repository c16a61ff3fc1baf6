"""Parsing files that are known to be ours, in whichever kind."""

from __future__ import annotations

from pathlib import Path

from suitecase.suite.dialect import DialectFile
from suitecase.suite.other_file import OtherFile
from suitecase.suite.parsed import ParsedSuite
from suitecase.suite.reading import parse_document
from suitecase.suite.target_files import ParsedTargets
from suitecase.suite.workspace import Workspace


def parse_own(
    path: Path, text: str, workspace: Workspace, *, reuse: ParsedSuite | None = None
) -> ParsedSuite | ParsedTargets:
    """Parse a file that is not one of another tool."""
    parsed = parse_document(path, text, workspace, reuse=reuse)
    assert not isinstance(parsed, DialectFile | OtherFile)
    return parsed
