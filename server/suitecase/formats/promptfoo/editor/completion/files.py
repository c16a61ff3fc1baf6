"""Completion of `file://` paths, and of the paths without it that `tests` may have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from suitecase.editor.completion.files import Paths, files_in
from suitecase.editor.completion.item import Item, ItemKind
from suitecase.formats.promptfoo.editor.completion.context import Cursor
from suitecase.formats.promptfoo.editor.completion.providers import names_provider
from suitecase.formats.promptfoo.suite.models.field_types import (
    CODE,
    DATA,
    PROMPT_FILES,
    SCRIPTS,
    TEXTS,
    File,
)
from suitecase.formats.promptfoo.suite.prompts.paths import FILE_SCHEME
from suitecase.formats.promptfoo.suite.references.key_files import file_role_at
from suitecase.text.node import Span
from suitecase_evaluators.promptfoo.assertion_types import content_of

_TESTS = (".csv", ".yaml", ".yml", ".json", ".jsonl", *CODE, ".rb")
_PROVIDERS = (*CODE, ".go", ".rb", ".yaml", ".yml", ".json")


def endings_at(cursor: Cursor) -> tuple[str, ...] | None:
    """Return the endings of the files that a value at the cursor may name; None if it names none."""
    context, path = cursor.context, cursor.context.path
    if context.shape == "key":
        return None
    names = [it for it in path if isinstance(it, str)]
    last = names[-1] if names else ""
    if names_provider(cursor):
        return _PROVIDERS
    if cursor.in_test is None:
        if names[:1] == ["prompts"] and (len(names) == 1 or last in ("raw", "id")):
            return PROMPT_FILES
        if names == ["tests"]:
            return _TESTS
        return _endings_by_role(cursor)
    if cursor.is_test:
        return _TESTS
    if "vars" in names[:1] or names[:2] == [cursor.whole.file.reading.key("defaultTest"), "vars"]:
        return TEXTS
    if last == "value" and cursor.assertion is not None:
        return _of_value(cursor)
    if last == "value" and len(path) > 1 and path[-2] == "value":
        return TEXTS
    return _endings_by_role(cursor)


def _endings_by_role(cursor: Cursor) -> tuple[str, ...] | None:
    role = _role(cursor)
    return role.endings if role is not None else None


def _role(cursor: Cursor) -> File | None:
    """Return what the models say of the file that the value at the cursor names."""
    context = cursor.context
    return file_role_at(context.model, context.root, context.path)


def _of_value(cursor: Cursor) -> tuple[str, ...]:
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
        return [it for it in items if it.detail != own], complete

    if typed.startswith(FILE_SCHEME):
        return found(typed.removeprefix(FILE_SCHEME))
    if not FILE_SCHEME.startswith(typed) or context.in_prose:
        role = _role(cursor)
        is_path = "://" not in typed and (
            endings is _TESTS or (role is not None and not role.has_scheme)
        )
        return found(typed) if is_path else ([], True)
    items, complete = found("")
    return list(_with_scheme(items, endings, context.span)), complete


def _with_scheme(items: list[Item], endings: tuple[str, ...], span: Span) -> Iterator[Item]:
    """Yield files with an expected ending, and folders, as whole paths."""
    for it in items:
        if it.kind is ItemKind.FOLDER or it.label.endswith(endings):
            label = f"{FILE_SCHEME}{it.label}"
            yield replace(it, label=label, template=(label,), span=span)
