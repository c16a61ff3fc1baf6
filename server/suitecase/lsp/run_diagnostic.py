"""What runs found as the protocol's diagnostics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from lsprotocol import types
from pygls.uris import from_fs_path

from suitecase.ide.run_marks import RunMark
from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.positions import Positions
from suitecase.lsp.session import Session
from suitecase.rule import Severity
from suitecase.suite.target_files import find_targets
from suitecase.suite.workspace import Workspace

SOURCE = "suitecase run"
_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.INFO: types.DiagnosticSeverity.Information,
}


@dataclass(slots=True)
class _Kept:
    """The diagnostics of a text: while a run goes on, few are new each time."""

    text: str
    judges: dict[str, types.Location]
    made: dict[RunMark, types.Diagnostic] = field(default_factory=dict)


_kept: WeakKeyDictionary[OpenDocument, _Kept] = WeakKeyDictionary()

Information = types.DiagnosticRelatedInformation


def run_diagnostics(
    session: Session, document: OpenDocument, marks: Sequence[RunMark]
) -> list[types.Diagnostic]:
    """Return the marks of a document's results as diagnostics.

    They lead to the score range that a judge's score lies in, and to the judge.
    """
    judges: dict[str, types.Location] = {}
    if session.client.related_information and any(it.judge for it in marks):
        judges = _targets(session, document)
    kept = _kept.get(document)
    if kept is None or kept.text != document.text or kept.judges != judges:
        kept = _kept[document] = _Kept(document.text, judges)
    before, kept.made = kept.made, {}
    for it in marks:
        kept.made[it] = before.get(it) or _diagnostic(session, document, it, judges)
    return [kept.made[it] for it in marks]


def _diagnostic(
    session: Session, document: OpenDocument, mark: RunMark, judges: dict[str, types.Location]
) -> types.Diagnostic:
    related: list[Information] = []
    if session.client.related_information:
        for it in mark.related:
            place = types.Location(document.uri, document.positions.range(it.span))
            related.append(Information(place, it.message))
        if mark.judge in judges:
            related.append(Information(judges[mark.judge], f"judged by `{mark.judge}`"))
    return types.Diagnostic(
        range=document.positions.range(mark.span),
        severity=_SEVERITIES[mark.severity],
        code=mark.verdict.value,
        source=SOURCE,
        message=mark.message,
        related_information=related or None,
    )


def _targets(session: Session, document: OpenDocument) -> dict[str, types.Location]:
    """Return where the targets are defined that hold for a document, by their names."""
    root = session.root(document)
    workspace = Workspace(root, session.documents.texts())
    folder = document.path.parent if document.path is not None else root
    targets = find_targets(workspace, folder)
    if targets is None:
        return {}
    opened = session.documents.at(targets.path)
    if opened is not None:
        uri, positions = opened.uri, opened.positions
    else:
        uri = from_fs_path(str(targets.path)) or targets.path.as_uri()
        positions = Positions(targets.document.lines, session.encoding)
    return {
        name: types.Location(uri, positions.range(span)) for name, span in targets.spans.items()
    }
