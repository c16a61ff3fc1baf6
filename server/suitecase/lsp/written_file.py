"""An open document as what it is: a suite, a data set or a targets file."""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.session import Session
from suitecase.suite.reading import read_file
from suitecase.suite.target_files import WrittenTargets
from suitecase.suite.workspace import Folder, Workspace
from suitecase.suite.written import WrittenSuite


@dataclass(frozen=True, slots=True)
class _Kept:
    """A text as it was last read, which is asked for several times between two keystrokes."""

    text: str
    written: WrittenSuite | WrittenTargets


_kept: WeakKeyDictionary[OpenDocument, _Kept] = WeakKeyDictionary()


def written_file(session: Session, document: OpenDocument) -> WrittenSuite | WrittenTargets | None:
    """Return what was read of a document; None for one that nothing is said of."""
    if document.is_suite:
        return document.suite
    if not document.is_checked or document.path is None or document.configuration is not None:
        return None
    known = _kept.get(document)
    if known is not None and known.text == document.text:
        return known.written
    before = (
        known.written if known is not None and isinstance(known.written, WrittenSuite) else None
    )
    workspace = workspace_of(session, document)
    written = read_file(document.path, document.text, workspace, reuse=before)
    _kept[document] = _Kept(document.text, written)
    return written


def is_named_prompt(session: Session, document: OpenDocument) -> bool:
    """Whether a document is not a suite and suites name it, as the prompt of a judge."""
    return not document.is_checked and bool(session.other_files.namers(document.paths))


def workspace_of(session: Session, document: OpenDocument) -> Workspace:
    """Return the files around a document, with what is open as it stands in the editor."""
    return Workspace(session.root(document), session.documents.texts())


def folder_of(session: Session, document: OpenDocument) -> Folder:
    """Return the folder a document lies in; that of the workspace for one that is not a file."""
    workspace = workspace_of(session, document)
    path = document.path.parent if document.path is not None else workspace.root
    return Folder(workspace, path, document.text)
