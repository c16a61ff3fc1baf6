"""Completions at a cursor: the one place that decides what is offered where in files of the family."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import get_origin

from suitecase.checking.rules.dispatch import rules_on_dialect
from suitecase.editor.completion import Completion, CompletionContext, Item
from suitecase.editor.completion.aliases import aliases
from suitecase.editor.completion.cursor import in_comment, line_end, line_start
from suitecase.editor.completion.item import prefixed
from suitecase.editor.completion.suppressions import in_comment_of_yaml
from suitecase.editor.completion.template import Break
from suitecase.editor.completion.trigger import adopts, is_unwanted, touches
from suitecase.editor.completion.words import words
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.promptfoo.editor.completion.assertions import types, whole_assertions
from suitecase.formats.promptfoo.editor.completion.context import (
    Cursor,
    cursor_between_tests,
    cursor_in,
)
from suitecase.formats.promptfoo.editor.completion.files import paths
from suitecase.formats.promptfoo.editor.completion.keys import keys
from suitecase.formats.promptfoo.editor.completion.names import labels
from suitecase.formats.promptfoo.editor.completion.providers import ids_behind_colon, provider_ids
from suitecase.formats.promptfoo.editor.completion.scaffolds import first_configuration, scaffolds
from suitecase.formats.promptfoo.editor.completion.templates import in_template, is_in_environment
from suitecase.formats.promptfoo.editor.whole import Whole
from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration
from suitecase.formats.promptfoo.suite.parsed import PromptfooFile
from suitecase.text.node import Span

_OPEN_TAG = re.compile(r"\{[{%]")


def complete_at(
    file: PromptfooFile,
    offset: int,
    around: CompletionContext,
    named_by: LinkedConfiguration | None = None,
    providers_file: str = "",
) -> Completion:
    """Return the completions at an offset of a file."""
    text = file.document.text
    trigger = around.trigger
    in_environment = trigger == "." and is_in_environment(text, offset)
    if is_unwanted(text, offset, trigger) and not in_environment:
        return _of((), offset)
    whole = Whole(file, around.folder or _nowhere(file), named_by, providers_file)
    if _OPEN_TAG.search(text, line_start(text, offset), offset):
        cursor = cursor_in(whole, offset)
        path = cursor.context.path if cursor is not None else ()
        of_grader = "rubricPrompt" in path or "rubric_prompt" in path
        found = in_template(whole, text, offset, of_grader=of_grader)
        if found is not None:
            return _of(found, offset)
    cursor = cursor_in(whole, offset)
    in_prose = cursor is not None and cursor.context.in_prose
    alias_items = aliases(file.document, offset) if not in_prose and not file.is_json else None
    if alias_items is not None or trigger == "*":
        return _of(alias_items or (), offset)
    if cursor is None:
        if in_comment(text, offset) and not file.is_json:
            rules = rules_on_dialect(type(file))
            return _of(in_comment_of_yaml(text, offset, around.findings, rules), offset)
        return _of(_another_test(whole, offset), offset)
    completion = _items(cursor, trigger)
    context = cursor.context
    if context.shape == "key" and not context.typed and context.column == 0:
        # After the last test, an empty line can also begin another test.
        items = (*_another_test(whole, offset), *completion.items)
        return replace(completion, items=items)
    return completion


def _items(cursor: Cursor, trigger: str) -> Completion:
    context = cursor.context
    if context.followed and (context.shape == "inline" or adopts(context)):
        return _of((), context.offset)
    rest = context.text[context.offset : line_end(context.text, context.offset)].strip()
    if context.in_prose or touches(context) or (context.lead == " " and rest):
        return _of((), context.offset)
    behind_colon = ids_behind_colon(cursor)
    if behind_colon:
        return _of(behind_colon, context.offset)
    items: list[Item] = []
    if trigger != "/":
        items += _starting_here(cursor)
        items += types(cursor)
        if context.path and str not in context.types:
            items += words(context)
        items += labels(cursor)
        items += provider_ids(cursor)
    files, is_complete = paths(cursor)
    items += files
    led = (prefixed(item, context.lead) if context.lead else item for item in items)
    return Completion(tuple(led), context.offset, context.span, is_complete)


def _starting_here(cursor: Cursor) -> Iterator[Item]:
    """Yield keys at a cursor, and the start of a list or a mapping where one may begin."""
    context = cursor.context
    typed, word = context.typed.strip(), context.word.strip()
    if " " in typed or (context.shape != "key" and set(" :/") & set(word)):
        return  # a sentence, an id or a path
    if context.shape == "key":
        yield from keys(cursor)
    elif context.style:
        return
    elif context.flow:
        yield from whole_assertions(cursor)
    elif context.shape == "item":
        yield from whole_assertions(cursor)
        yield from scaffolds(cursor)
        yield from keys(cursor)
    elif context.shape == "own line":
        yield from _on_own_line(cursor)
    elif not context.typed and (
        str not in context.types or _is_list(cursor) or _is_mapping(cursor)
    ):
        yield from _below_its_key(cursor)


def _on_own_line(cursor: Cursor) -> Iterator[Item]:
    """Yield the start of a list or mapping on the cursor's own line."""
    context = cursor.context
    if not context.path:
        yield from first_configuration(cursor)
    if context.followed and context.next_dash != context.column:
        return
    if _is_list(cursor):
        first = replace(
            context,
            path=(*context.path, 0),
            shape="item",
            parent=None,
            column=context.column + 2,
            followed=False,
        )
        inner = cursor.with_context(first)
        yield from (prefixed(it, "- ") for it in _starting_here(inner))
    if not context.followed:
        yield from keys(cursor)


def _below_its_key(cursor: Cursor) -> Iterator[Item]:
    """Yield the start of a list or mapping on the line below the key at the cursor."""
    context = cursor.context
    layout = context.layout
    column = context.column + (layout.dash_step if _is_list(cursor) else layout.step)
    below = replace(context, shape="own line", column=column, lead="", followed=False)
    before = context.text[line_start(context.text, context.offset) : context.offset]
    colon = context.offset - len(before) + len(before.rstrip(" \t"))
    for it in _on_own_line(cursor.with_context(below)):
        yield replace(prefixed(it, Break(column)), span=Span(colon, context.span.end))


def _is_list(cursor: Cursor) -> bool:
    """Whether a list may stand at the cursor, apart from filters, which are written in brackets."""
    context = cursor.context
    if not context.path or not any(get_origin(kind) is list for kind in context.types):
        return False
    *above, key = context.path
    names_filters = key in ("prompts", "providers") and bool(above)
    return key != "vars" and not names_filters


def _is_mapping(cursor: Cursor) -> bool:
    """Whether what stands at the cursor is nearly always a mapping, though text is possible."""
    path = cursor.context.path
    return path[-1:] in (("vars",), (cursor.whole.file.reading.key("defaultTest"),))


def _another_test(whole: Whole, offset: int) -> Iterator[Item]:
    """Yield the start of another test, on an empty line less indented than tests."""
    cursor = cursor_between_tests(whole, offset)
    if cursor is not None:
        yield from (prefixed(scaffold, cursor.context.lead) for scaffold in scaffolds(cursor))


def _nowhere(file: PromptfooFile) -> Folder:
    """Return an empty folder, for a text that is not a file."""
    from pathlib import Path

    place = file.path.parent if file.path is not None else Path("/nowhere")
    return Folder(Workspace(place), place, file.document.text)


def _of(items: Iterable[Item], offset: int) -> Completion:
    return Completion(tuple(items), offset, Span(offset, offset))
