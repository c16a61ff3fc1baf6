"""The command that creates a first suite."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams

from suitecase.authoring.starting.starter_files import StarterChoice, dialect_names, starter_files
from suitecase.authoring.starting.suite_files import LONE_SUITE, SUITE_NAME
from suitecase.format.starting.starter_file import StarterFile
from suitecase.format.starting.target import MOCK, UnknownTargetError, parse_target
from suitecase.format.target_files import find_targets
from suitecase.format.workspace import Workspace, leads_out
from suitecase.lsp.session import Session
from suitecase.lsp.uris import path_of

_LABEL = "Create a suite"


@dataclass(frozen=True, slots=True)
class _Files:
    """The files to create in a folder, and the suite among them; there may be none."""

    suite: Path | None
    files: tuple[tuple[Path, str], ...]


async def create_suite(session: Session, arguments: list[Any]) -> dict[str, Any]:
    """Create a suite and the files that it needs as one workspace edit; no file is overwritten.

    Returns:
        the command's result: whether the editor has `applied` the edit, the `edit` if it has not, the
        `uri` of the suite, its `text`, and all `files`, which a client writes itself if edits cannot
        create files. Without a folder there is only a text: a suite that needs no other file.

    Raises:
        JsonRpcException: an argument is invalid, or nothing can be created.
    """
    folder, options = _folder(session, arguments), _options(arguments)
    applies = options.get("apply") is not False
    if folder is None:
        return {"applied": False, "edit": None, "uri": None, "text": LONE_SUITE, "files": []}
    made = await asyncio.to_thread(_files, session, folder, options)
    if made.suite is None:
        raise _refused(f"{folder} has a suite of the same name already")
    edit = _edit(made) if session.client.creates_files else None
    applied = False
    if edit is not None and applies and session.client.applies_edits:
        answer = await session.workspace_apply_edit_async(
            types.ApplyWorkspaceEditParams(edit, label=_LABEL)
        )
        if not answer.applied:
            why = answer.failure_reason or "the editor did not say why"
            raise _refused(f"the editor did not apply the edit: {why}")
        applied = True
        if session.client.shows_documents:
            await session.window_show_document_async(
                types.ShowDocumentParams(made.suite.as_uri(), take_focus=True)
            )
    return {
        "applied": applied,
        "edit": None if applied else edit,
        "uri": made.suite.as_uri(),
        "text": dict(made.files)[made.suite],
        "files": [{"uri": path.as_uri(), "text": text} for path, text in made.files],
    }


def _folder(session: Session, arguments: list[Any]) -> Path | None:
    given = arguments[0] if arguments else None
    if given is None:
        return next(iter(session.roots()), None)
    path = path_of(given) if isinstance(given, str) else None
    if path is None:
        raise JsonRpcInvalidParams("the first argument must be the URI of a folder")
    return path


def _options(arguments: list[Any]) -> Mapping[str, Any]:
    options = arguments[1] if len(arguments) > 1 else None
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise JsonRpcInvalidParams("the second argument must be an object with options")
    return options


def _files(session: Session, folder: Path, options: Mapping[str, Any]) -> _Files:
    root = session.root_of(folder / SUITE_NAME)
    target, dialect = options.get("target"), options.get("dialect")
    if dialect is not None and dialect not in dialect_names():
        known = ", ".join(f"`{dialect_name}`" for dialect_name in dialect_names())
        raise JsonRpcInvalidParams(f"`dialect` must be one of {known}")
    found = find_targets(Workspace(root), folder) if dialect is None else None
    names = tuple(found.configs) if found is not None else ()
    try:
        defined = target if target in names else names[0] if names and target is None else None
        choice = StarterChoice(
            target=MOCK if target is None or defined else parse_target(str(target)),
            target_name=defined,
            dialect=dialect,
            folder_name=folder.name,
        )
        files = starter_files(choice)
    except UnknownTargetError as error:
        raise JsonRpcInvalidParams(str(error)) from None
    named = _with_free_name(folder, files)
    if dialect is not None and os.path.lexists(folder / named[0].path):
        return _Files(None, ())
    paths = [(folder / it.path, it.text) for it in named]
    for path, _ in paths:
        if leads_out(path.parent, root):
            raise _refused(f"{path.parent} is a link that leads out of the workspace")
    return _Files(paths[0][0], tuple(it for it in paths if not os.path.lexists(it[0])))


def _with_free_name(folder: Path, files: tuple[StarterFile, ...]) -> tuple[StarterFile, ...]:
    """Give a suite of ours a name that no file has."""
    suite, *others = files
    name, _, ending = SUITE_NAME.partition(".")
    number = 1
    while suite.path.endswith(f".{ending}") and os.path.lexists(folder / suite.path):
        number += 1
        suite = StarterFile(f"{name}-{number}.{ending}", suite.text)
    return suite, *others


def _edit(made: _Files) -> types.WorkspaceEdit:
    start = types.Position(0, 0)
    changes: list[types.CreateFile | types.TextDocumentEdit] = []
    for path, text in made.files:
        uri = path.as_uri()
        options = types.CreateFileOptions(overwrite=False, ignore_if_exists=False)
        document = types.OptionalVersionedTextDocumentIdentifier(uri)
        insertion = types.TextEdit(types.Range(start, start), text)
        changes += [
            types.CreateFile(uri, options=options),
            types.TextDocumentEdit(document, [insertion]),
        ]
    return types.WorkspaceEdit(document_changes=changes)


def _refused(reason: str) -> JsonRpcException:
    message = f"no suite is created: {reason}"
    return JsonRpcException(message, code=types.LSPErrorCodes.RequestFailed.value)
