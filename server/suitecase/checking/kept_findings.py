"""The findings about a whole file of another tool, kept from one version of it to the next.

Rules on the whole look at all cases and at other files. Most keystrokes change a text that none of them looks at:
then their findings stay, and only move with the cases that they lie in.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple
from weakref import ref

from suitecase.format.dialect import DialectFile
from suitecase.format.rule import Finding
from suitecase.format.workspace import Folder, Workspace
from suitecase.text.cache import Cache
from suitecase.text.document import Document
from suitecase.text.node import Span


class _Kept(NamedTuple):
    """Findings with what they depend on, and the document that they are places in."""

    kind: type
    shape: object
    workspace: ref[Workspace]
    document: Document
    findings: tuple[Finding, ...]


#: Kept with the text of the head, which they depend on, too.
_KEPT: Cache[_Kept] = Cache()


class _ChangedError(Exception):
    """A finding lies in a case that has changed."""


def kept_findings(file: DialectFile, whole: Any, folder: Folder) -> Sequence[Finding] | None:
    """Return the findings about a whole from an earlier version; None if they may differ.

    Args:
        file: the file.
        whole: what the rules look at; without a `shape`, nothing is kept.
        folder: the folder of the file.
    """
    shape = getattr(whole, "shape", None)
    kept = _KEPT.get(file.head.content)
    if shape is None or kept is None or kept.kind is not type(whole):
        return None
    if kept.workspace() is not folder.workspace or kept.shape != shape:
        return None
    try:
        found = [_moved(finding, kept.document, file.document) for finding in kept.findings]
    except _ChangedError:
        return None
    _keep(file, whole, folder, shape, found)
    return found


def keep_findings(
    file: DialectFile, whole: Any, folder: Folder, findings: Sequence[Finding]
) -> None:
    """Keep the findings about a whole for the next version of the file."""
    shape = getattr(whole, "shape", None)
    if shape is not None and not any(finding.timed_out for finding in findings):
        _keep(file, whole, folder, shape, findings)


def _keep(
    file: DialectFile, whole: Any, folder: Folder, shape: object, findings: Sequence[Finding]
) -> None:
    kept = _Kept(type(whole), shape, ref(folder.workspace), file.document, tuple(findings))
    _KEPT.set(file.head.content, kept)


def _moved(finding: Finding, before: Document, now: Document) -> Finding:
    """Return a finding with its places in another version of the document.

    Raises:
        _ChangedError: one of them is in a case that has changed.
    """

    def move(span: Span) -> Span:
        number = before.cases.at(span.start)
        if number is None:
            head = before.head
            gap_at = head.gap_at
            behind = gap_at is not None and span.start >= gap_at + head.gap
            return span.shifted(now.head.gap - head.gap) if behind else span
        if now.cases.contents[number] is not before.cases.contents[number]:
            raise _ChangedError
        return span.shifted(now.cases[number].start - before.cases[number].start)

    return finding.moved(move)
