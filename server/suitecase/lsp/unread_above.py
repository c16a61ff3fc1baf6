"""The finding that says what of a file's workspace lies above the folders of the client, unread."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from lsprotocol import types

from suitecase.format.configuration import OWN_FILE, PROJECT_FILE, find_configuration
from suitecase.format.target_files import targets_path
from suitecase.format.target_places import PLACES
from suitecase.format.workspace import Workspace, configures_suitecase, find_root
from suitecase.lsp.session import Session
from suitecase_evaluators.system.path_kinds import is_file

CODE, SOURCE = "outside-the-opened-folder", "suitecase"
_SEVERAL = ("apply to this file, but are", "them")
_START = types.Range(types.Position(0, 0), types.Position(0, 0))


def unread_above(session: Session, path: Path) -> list[types.Diagnostic]:
    """Return what says which configuration and targets of a file are not read for want of trust."""
    opened = session.outermost_folder_of(path)
    if session.trusted or opened is None:
        return []
    root = find_root(path, opened)
    if root.is_relative_to(opened):
        return []
    unread = [*_unread(path, opened, root)]
    if not unread:
        return []
    listed = " and ".join(f"`{it.as_posix()}`" for it in unread)
    apply, them = ("applies to this file, but is", "it") if len(unread) == 1 else _SEVERAL
    message = (
        f"{listed} {apply} not read, because the opened folder `{opened.name}` is below "
        f"{them} and is not trusted; `suitecase check` reads {them}. "
        f"Open the folder `{root.name}`, or trust this one."
    )
    severity = types.DiagnosticSeverity.Information
    return [types.Diagnostic(_START, message, severity, CODE, source=SOURCE)]


def _unread(path: Path, opened: Path, root: Path) -> Iterator[Path]:
    """Yield the configuration and the targets file that the command line would find above a folder."""
    above = [it for it in opened.parents if it.is_relative_to(root)]
    workspace = Workspace(opened)
    if find_configuration(workspace, path.parent) is None:
        places = ((it / OWN_FILE, it) for it in above)
        yield from _first(
            own if is_file(own) else it / PROJECT_FILE
            for own, it in places
            if is_file(own) or configures_suitecase(it)
        )
    if targets_path(workspace, path.parent) is None:
        yield from _first(it / place for it in above for place in PLACES if is_file(it / place))


def _first(paths: Iterator[Path]) -> Iterator[Path]:
    found = next(paths, None)
    if found is not None:
        yield found
