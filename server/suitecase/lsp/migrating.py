"""The command that rewrites a suite, and the prompt files it names, in the current format."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from suitecase.authoring.migration import (
    Migration,
    PromptMigration,
    SuiteFile,
    is_legacy,
    migrate,
    migrate_prompts,
)
from suitecase.checking.analysis import Analysis
from suitecase.format.configuration import find_configuration
from suitecase.format.discovery import suites_in
from suitecase.format.rule import Edit, Finding
from suitecase.format.workspace import Workspace, read_text
from suitecase.lsp.client_file import client_file_at
from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.session import Session
from suitecase.lsp.suite_home import suite_path
from suitecase.lsp.workspace_edits import DocumentEdits, edits_of, workspace_edit
from suitecase.text.node import Span
from suitecase.text.replaced import Replaced
from suitecase.text.time_limits import AbandonedError

TITLE = "Migrate this suite"


@dataclass(frozen=True, slots=True)
class _Migrated:
    """The migration of a suite and of the prompt files it names."""

    suite: Migration
    prompts: tuple[PromptMigration, ...] = ()


def can_be_migrated(analysis: Analysis) -> bool:
    """Whether a suite, or a file it names, uses legacy syntax or another format."""
    return any(map(is_legacy, analysis.rules))


async def migrate_suite(session: Session, document: OpenDocument) -> dict[str, Any]:
    """Rewrite a suite in the current format as one workspace edit, and report what is left to do.

    Returns:
        the command's result: whether the editor has `applied` the edit, the `edit` itself if the
        editor does not accept edits from the server, the number of `changes`, and in `left` the
        number of findings the user has to resolve.

    Raises:
        JsonRpcException: the suite cannot be migrated.
    """
    path, before = suite_path(session, document), document.text
    workspace = session.snapshot(document).workspace
    try:
        migrated = await asyncio.to_thread(_migrated, before, path, workspace)
    except AbandonedError:
        raise _refused("the server is ending") from None
    if migrated is None:
        raise _refused("its format is unknown")
    if migrated.suite.bug:
        raise _refused(
            f"{migrated.suite.bug}. This is a bug in Suitecase, not in your suite; please report it"
        )
    if document.text != before:
        raise _refused("the text has changed in the meantime; try again")
    edit = _edit(session, document, migrated)
    applied = False
    if edit is not None and session.client.applies_edits:
        params = types.ApplyWorkspaceEditParams(edit, label=TITLE)
        answer = await session.workspace_apply_edit_async(params)
        if not answer.applied:
            why = answer.failure_reason or "the editor did not say why"
            raise _refused(f"the editor did not apply the changes: {why}")
        applied = True
    remaining = sorted((*migrated.suite.decisions, *migrated.suite.errors), key=_place)
    message = _summary(migrated, remaining)
    kind = types.MessageType.Warning if remaining else types.MessageType.Info
    session.show(kind, message)
    return {
        "applied": applied,
        "edit": None if applied or edit is None else edit,
        "changes": _changes(migrated),
        "left": len(remaining),
        "message": message,
    }


def _migrated(text: str, path: Path, workspace: Workspace) -> _Migrated | None:
    migration = migrate(text, path, workspace)
    if migration is None or migration.bug:
        return None if migration is None else _Migrated(migration)
    suite = SuiteFile(path, migration.after, workspace)
    others = partial(_others, path, workspace)
    return _Migrated(migration, tuple(migrate_prompts([suite], others)))


def _others(migrated: Path, workspace: Workspace) -> Iterator[SuiteFile]:
    """Yield the other suites of the workspace, which may name the same prompt files."""
    configured = partial(find_configuration, workspace)
    for path in suites_in(workspace.root, configured, only_certain=True):
        opened = workspace.open_text(path)
        text = read_text(path, within=workspace.root) if opened is None else opened
        if path != migrated and isinstance(text, str):
            yield SuiteFile(path, text, workspace)


def _edit(
    session: Session, document: OpenDocument, migrated: _Migrated
) -> types.WorkspaceEdit | None:
    """Return all changes as one edit; None if nothing changes."""
    changes: list[DocumentEdits] = []
    if migrated.suite.changed:
        edit = _difference(migrated.suite.before, migrated.suite.after)
        changes.append(edits_of(document, [edit]))
    for prompt in migrated.prompts:
        if prompt.left is None and prompt.before != prompt.after:
            edit = _difference(prompt.before, prompt.after)
            client_file, _ = client_file_at(session, prompt.path)
            opened = session.documents.at(prompt.path)
            if opened is not None and opened.text != prompt.before:
                raise _refused(f"{prompt.path.name} has changed in the meantime; try again")
            text_edit = types.TextEdit(client_file.positions.range(edit.span), edit.text)
            version = opened.version if opened else None
            changes.append(DocumentEdits(client_file.uri, version, [text_edit]))
    if not changes:
        return None
    return workspace_edit(session, changes)


def _difference(before: str, after: str) -> Edit:
    """Return the edit that turns one text into another, without splitting CRLF pairs."""
    replaced = Replaced.between(before, after)
    start, end, new_end = replaced.start, replaced.end, replaced.new_end
    if before[start - 1 : start + 1] == "\r\n" or after[start - 1 : start + 1] == "\r\n":
        start -= 1
    if "\r\n" in (before[end - 1 : end + 1], after[new_end - 1 : new_end + 1]):
        end, new_end = end + 1, new_end + 1
    return Edit(Span(start, end), after[start:new_end])


def _changes(migrated: _Migrated) -> int:
    return migrated.suite.changes + sum(
        prompt.changes for prompt in migrated.prompts if prompt.left is None
    )


def _summary(migrated: _Migrated, remaining: list[Finding]) -> str:
    """Return a summary of a migration: what changed, and the first thing left to decide."""
    suite, changes = migrated.suite, _changes(migrated)
    if changes:
        origin = f" from {suite.era}" if suite.era else ""
        sentences = [f"Migrated{origin}: {changes} change{'s' * (changes > 1)}."]
    else:
        sentences = [
            "Nothing was migrated." if remaining else "The suite is already in the current format."
        ]
    for prompt in migrated.prompts:
        if prompt.left is not None:
            other, why = prompt.left
            sentences.append(f"{prompt.path.name} is left as it is, since {other.name} {why}.")
    if remaining:
        first = remaining[0]
        line = suite.document.lines.number(_place(first).start)
        count = f"{len(remaining)} things are" if len(remaining) > 1 else "1 thing is"
        start = "The first" if len(remaining) > 1 else "It is"
        sentences.append(
            f"{count} left to decide or fix. {start} on line {line}: {first.message} ({first.code})"
        )
    return " ".join(sentences)


def _place(finding: Finding) -> Span:
    return finding.external.reference if finding.external else finding.span


def _refused(reason: str) -> JsonRpcException:
    message = f"the suite is not migrated: {reason}"
    return JsonRpcException(message, code=types.LSPErrorCodes.RequestFailed.value)
