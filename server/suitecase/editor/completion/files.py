"""Completion of the files and folders that a reference may name, within the workspace."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from suitecase.editor.completion.context import Context
from suitecase.editor.completion.item import Item, ItemKind
from suitecase.format.file_patterns import Entry, entries_of
from suitecase.format.workspace import Folder, Workspace
from suitecase.schema.roles import key_with
from suitecase.text.node import Mapping as Tree
from suitecase.text.node import Scalar, Span
from suitecase.text.skipped_folders import INSTALLED
from suitecase_evaluators.answers.message import ContentPart
from suitecase_evaluators.schema.field_role import FieldRole

#: The maximum number of entries offered for a folder.
MOST = 300
#: Characters that need quotes in YAML, or end the path in a shell.
_UNSAFE = re.compile(r"[^\w./@+~() -]|^[ @]|  | $")


@dataclass(frozen=True, slots=True)
class Paths:
    """The kind of paths expected at a place.

    Attributes:
        endings: files with these endings are listed first.
        upwards: whether the paths are also looked up in the folders above.
        only_folders: whether only folders make sense.
        in_command: whether they are words of a command line.
    """

    endings: tuple[str, ...] = ()
    upwards: bool = True
    only_folders: bool = False
    in_command: bool = False


_PROMPT = Paths((".md", ".txt", ".prompt", ".j2", ".jinja", ".tmpl"))
_SCRIPT = Paths((".py", ".js", ".mjs", ".ts", ".sh", ".rb", ".pl"), upwards=False, in_command=True)
_FOLDER = Paths(upwards=False, only_folders=True)
_BY_ROLE: Mapping[FieldRole, Paths] = {
    FieldRole.PROMPT: _PROMPT,
    FieldRole.AGGREGATION_PROMPT: _PROMPT,
    FieldRole.COMPARISON_PROMPT: _PROMPT,
    FieldRole.PROMPT_FILE: _PROMPT,
    FieldRole.COMMAND: _SCRIPT,
    FieldRole.COMMAND_TEMPLATE: _SCRIPT,
    FieldRole.FOLDER: _FOLDER,
    FieldRole.RESULTS: Paths((".jsonl",), upwards=False),
    FieldRole.SYNONYMS: Paths((".yaml", ".yml", ".json")),
    FieldRole.REFERENCES: Paths((".md", ".txt")),
    FieldRole.FILE: Paths(),
}


def paths_at(context: Context) -> Paths | None:
    """Return the kind of paths expected at a cursor; None if none are."""
    field = context.field
    paths = _BY_ROLE.get(field.role) if field is not None and field.role is not None else None
    if paths is None or context.in_prose or context.shape == "key":
        return None
    parent = context.parent
    if field is not None and field.model is ContentPart:
        kind = parent.get("type") if isinstance(parent, Tree) else None
        return paths if isinstance(kind, Scalar) and kind.text == "file" else None
    if not paths.in_command and (" " in context.typed.strip() or "{{" in context.typed):
        return None  # an inline prompt, not a path
    return paths


def files(context: Context, paths: Paths, folder: Folder) -> tuple[list[Item], bool]:
    """Return the files and folders that continue the typed path.

    Returns:
        the items, and whether they are complete.
    """
    typed = context.typed
    if paths.in_command:
        typed = typed[typed.rfind(" ") + 1 :]
    end = context.span.end
    if paths.in_command:
        word = re.compile(r"[^\s\"',\]}]*").match(context.text, context.offset)
        end = word.end() if word else context.offset
    end = max(min(end, context.span.end), context.offset)
    starts = _starts(context, paths, folder)
    return files_in(starts, typed, Span(context.offset, end), paths, folder)


def files_in(
    starts: Iterable[Path], typed: str, span: Span, paths: Paths, folder: Folder
) -> tuple[list[Item], bool]:
    """Return the files and folders that continue a path.

    Args:
        starts: the folders that it is relative to, nearest first.
        typed: the path before the cursor.
        span: from the cursor to the end of the path.
        paths: the kind of paths expected.
        folder: the folder of the file that names it.

    Returns:
        the items, and whether they are complete.
    """
    above, _, prefix = typed.rpartition("/")
    span = Span(span.start - len(prefix), span.end)
    items: dict[str, Item] = {}
    complete = True
    for start in starts:
        place = Path(os.path.normpath(start / above.lstrip("/")))
        for entry in _entries(place, folder.workspace, hidden=prefix.startswith(".")):
            if len(items) >= MOST:
                complete = False
                break
            is_folder = entry.is_folder
            if (paths.only_folders and not is_folder) or _UNSAFE.search(entry.name):
                continue
            if paths.in_command and " " in entry.name:
                continue
            item = _item(entry.name, place, folder, span, is_folder=is_folder)
            items.setdefault(entry.name, item)

    def order(item: Item) -> tuple[bool, bool, str]:
        is_folder = item.kind is ItemKind.FOLDER
        return (not item.label.endswith(paths.endings), is_folder, item.label)

    return sorted(items.values(), key=order), complete


def _item(name: str, place: Path, folder: Folder, span: Span, *, is_folder: bool) -> Item:
    return Item(
        label=f"{name}/" if is_folder else name,
        kind=ItemKind.FOLDER if is_folder else ItemKind.FILE,
        template=(f"{name}/" if is_folder else name,),
        detail=folder.shown(place / name),
        span=span,
    )


def _starts(context: Context, paths: Paths, folder: Folder) -> Collection[Path]:
    """Return the folders that a path is relative to, nearest first."""
    if paths.upwards:
        return folder.workspace.folders_up(folder.path)
    parent = context.parent
    field = context.field
    if not isinstance(parent, Tree):
        parent_node = context.node_at(context.holder[:-1])
        parent = parent_node if isinstance(parent_node, Tree) else None
    named = key_with(field.model, FieldRole.FOLDER) if field is not None else None
    cwd = parent.get(named) if named is not None and isinstance(parent, Tree) else None
    on_cwd = field is not None and field.role is FieldRole.FOLDER
    if isinstance(cwd, Scalar) and isinstance(cwd.value, str) and not on_cwd:
        start = folder.start_folder(cwd.text)
        return (start,) if start is not None else ()
    return folder.workspace.folders_up(folder.path) if on_cwd else (folder.path,)


def _entries(place: Path, workspace: Workspace, *, hidden: bool) -> Iterator[Entry]:
    for entry in entries_of(place, workspace):
        is_shown = hidden or not entry.name.startswith(".")
        if is_shown and entry.name not in INSTALLED and (entry.is_folder or entry.is_file):
            yield entry
