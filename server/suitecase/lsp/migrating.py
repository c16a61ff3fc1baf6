"""The command that writes a suite, and the prompt files that it names, in the current format."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from suitecase.checking.analysis import Analysis
from suitecase.formats.migration import (
    Migration,
    PromptMigration,
    SuiteFile,
    is_legacy,
    migrate,
    migrate_prompts,
)
from suitecase.lsp.diagnostic import client_file_at
from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.session import Session
from suitecase.lsp.suite_home import suite_path
from suitecase.rule import Edit, Finding
from suitecase.suite.configuration import find_configuration
from suitecase.suite.discovery import suites_in
from suitecase.suite.workspace import Workspace, read_text
from suitecase.syntax.node import Span
from suitecase.syntax.replaced import Replaced
from suitecase.time_limits import AbandonedError

TITLE = "Migrate this suite"


@dataclass(frozen=True, slots=True)
class _Migrated:
    """What became of a suite and of the prompt files that it names."""

    suite: Migration
    prompts: tuple[PromptMigration, ...] = ()


def can_be_migrated(analysis: Analysis) -> bool:
    """Whether something in a suite, or in a file that it names, is of an older or another format."""
    return any(is_legacy(it.rule) for it in analysis.everything)


async def migrate_suite(session: Session, document: OpenDocument) -> dict[str, Any]:
    """Write a suite in the current format as one edit of the workspace, and say what is left.

    Returns:
        what the command answers: whether the editor has `applied` the edit, the `edit` itself
        where the editor takes none of the server, the number of `changes`, and `left`, what a
        person has to decide or fix.

    Raises:
        JsonRpcException: it cannot be migrated.
    """
    path, before = suite_path(session, document), document.text
    workspace = session.snapshot(document).workspace
    try:
        made = await asyncio.to_thread(_migrated, before, path, workspace)
    except AbandonedError:
        raise _refused("the server is ending") from None
    if made is None:
        raise _refused("its format is unknown")
    if made.suite.bug:
        raise _refused(
            f"{made.suite.bug}. This is a bug in Suitecase, not in your suite; please report it"
        )
    if document.text != before:
        raise _refused("the text has changed in the meantime; try again")
    edit = _edit(session, document, made)
    applied = False
    if edit is not None and session.client.applies_edits:
        params = types.ApplyWorkspaceEditParams(edit, label=TITLE)
        answer = await session.workspace_apply_edit_async(params)
        if not answer.applied:
            why = answer.failure_reason or "the editor did not say why"
            raise _refused(f"the editor did not apply the changes: {why}")
        applied = True
    left = sorted((*made.suite.decisions, *made.suite.errors), key=_place)
    words = _said(made, left)
    kind = types.MessageType.Warning if left else types.MessageType.Info
    session.show(kind, words)
    return {
        "applied": applied,
        "edit": None if applied or edit is None else edit,
        "changes": _changes(made),
        "left": len(left),
        "message": words,
    }


def _migrated(text: str, path: Path, workspace: Workspace) -> _Migrated | None:
    made = migrate(text, path, workspace)
    if made is None or made.bug:
        return None if made is None else _Migrated(made)
    suite = SuiteFile(path, made.after, workspace)
    others = partial(_others, path, workspace)
    return _Migrated(made, tuple(migrate_prompts([suite], others)))


def _others(migrated: Path, workspace: Workspace) -> Iterator[SuiteFile]:
    """Yield the other suites of the workspace, which may name the same prompt files."""
    for path in suites_in(workspace.root, partial(find_configuration, workspace)):
        opened = workspace.open_text(path)
        text = read_text(path, within=workspace.root) if opened is None else opened
        if path != migrated and isinstance(text, str):
            yield SuiteFile(path, text, workspace)


def _edit(session: Session, document: OpenDocument, made: _Migrated) -> types.WorkspaceEdit | None:
    """Return all that changes as one edit; None where nothing does."""
    changed: list[tuple[str, int | None, list[types.TextEdit]]] = []
    if made.suite.changed:
        edit = _difference(made.suite.before, made.suite.after)
        written = types.TextEdit(document.positions.range(edit.span), edit.text)
        changed.append((document.uri, document.version, [written]))
    for prompt in made.prompts:
        if prompt.left is None and prompt.before != prompt.after:
            edit = _difference(prompt.before, prompt.after)
            shown, _ = client_file_at(session, prompt.path)
            opened = session.documents.at(prompt.path)
            written = types.TextEdit(shown.positions.range(edit.span), edit.text)
            changed.append((shown.uri, opened.version if opened else None, [written]))
    if not changed:
        return None
    if not session.client.takes_document_changes:
        return types.WorkspaceEdit(changes={uri: edits for uri, _, edits in changed})
    return types.WorkspaceEdit(
        document_changes=[
            types.TextDocumentEdit(
                types.OptionalVersionedTextDocumentIdentifier(uri=uri, version=version), edits
            )
            for uri, version, edits in changed
        ]
    )


def _difference(before: str, after: str) -> Edit:
    """Return what turns one text into another, with pairs of carriage return and line feed whole."""
    it = Replaced.between(before, after)
    start, end, new_end = it.start, it.end, it.new_end
    if before[start - 1 : start + 1] == "\r\n" or after[start - 1 : start + 1] == "\r\n":
        start -= 1
    if "\r\n" in (before[end - 1 : end + 1], after[new_end - 1 : new_end + 1]):
        end, new_end = end + 1, new_end + 1
    return Edit(Span(start, end), after[start:new_end])


def _changes(made: _Migrated) -> int:
    return made.suite.changes + sum(it.changes for it in made.prompts if it.left is None)


def _said(made: _Migrated, left: list[Finding]) -> str:
    """Return what became of a suite in a sentence or three: what a person must decide, above all."""
    suite, changes = made.suite, _changes(made)
    if changes:
        whence = f" from {suite.era}" if suite.era else ""
        said = [f"Migrated{whence}: {changes} change{'s' * (changes > 1)}."]
    else:
        said = ["Nothing was migrated." if left else "The suite is already in the current format."]
    for it in made.prompts:
        if it.left is not None:
            other, why = it.left
            said.append(f"{it.path.name} is left as it is, since {other.name} {why}.")
    if left:
        first = left[0]
        line = suite.document.lines.number(_place(first).start)
        what = f"{len(left)} things are" if len(left) > 1 else "1 thing is"
        start = "The first" if len(left) > 1 else "It is"
        said.append(
            f"{what} left to decide or fix. {start} on line {line}: {first.message} ({first.code})"
        )
    return " ".join(said)


def _place(found: Finding) -> Span:
    return found.external.reference if found.external else found.span


def _refused(why: str) -> JsonRpcException:
    message = f"the suite is not migrated: {why}"
    return JsonRpcException(message, code=types.LSPErrorCodes.RequestFailed.value)
