"""Completion of `file://` paths, and of the paths without it that `tests` may have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from suitecase.editor.completion.files import Paths, files_in
from suitecase.editor.completion.item import Item, ItemKind
from suitecase.formats.promptfoo.editor.completion.context import Cursor
from suitecase.formats.promptfoo.suite.models.field_types import (
    CODE,
    DATA,
    PROMPT_FILES,
    SCRIPTS,
    TEXTS,
)
from suitecase.schema.key_roles import File, SentPrompt
from suitecase.text.node import Span
from suitecase_evaluators.promptfoo.assertion_types import content_of
from suitecase_evaluators.schema.field_role import FieldRole
from suitecase_evaluators.system.path_kinds import FILE_SCHEME

#: How the names of files end that providers are.
_PROVIDERS = (*CODE, ".go", ".rb", ".yaml", ".yml", ".json")


def endings_at(cursor: Cursor) -> tuple[str, ...] | None:
    """Return the endings of the files that a value at the cursor may name; None if it names none."""
    for role in cursor.roles:
        match role:
            case File():
                return role.endings
            case SentPrompt():
                return PROMPT_FILES
            case FieldRole.TARGET:
                return _PROVIDERS
            case FieldRole.GRADED_BY:
                return _of_value(cursor)
    return None


def _of_value(cursor: Cursor) -> tuple[str, ...]:
    if isinstance(cursor.context.path[-1], int):
        return TEXTS
    match content_of(cursor.type_text):
        case "javascript":
            return SCRIPTS
        case "python":
            return (".py",)
        case "schema" | "tools":
            return DATA
        case _:
            return (*TEXTS, *CODE, ".rb")


def paths(cursor: Cursor) -> tuple[list[Item], bool]:
    """Return the files that the path at the cursor may go on with, and whether these are all."""
    context, folder = cursor.context, cursor.whole.folder
    endings = endings_at(cursor)
    typed = context.typed
    if endings is None or cursor.whole.file.path is None or " " in typed or "{" in typed:
        return [], True
    kind = Paths(endings, upwards=False)
    end = Span(context.offset, max(context.span.end, context.offset))
    own = folder.shown(cursor.whole.file.path)

    def found(start: str) -> tuple[list[Item], bool]:
        items, complete = files_in((folder.path,), start, end, kind, folder)
        return [item for item in items if item.detail != own], complete

    if typed.startswith(FILE_SCHEME):
        return found(typed.removeprefix(FILE_SCHEME))
    if not FILE_SCHEME.startswith(typed) or context.in_prose:
        roles = (role for role in cursor.roles if isinstance(role, File))
        is_path = "://" not in typed and any(role.scheme != "needed" for role in roles)
        return found(typed) if is_path else ([], True)
    items, complete = found("")
    return list(_with_scheme(items, endings, context.span)), complete


def _with_scheme(items: list[Item], endings: tuple[str, ...], span: Span) -> Iterator[Item]:
    """Yield files with an expected ending, and folders, as whole paths."""
    for item in items:
        if item.kind is ItemKind.FOLDER or item.label.endswith(endings):
            label = f"{FILE_SCHEME}{item.label}"
            yield replace(item, label=label, template=(label,), span=span)
