"""Completions at a cursor: the one place that decides what is offered where."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import get_origin

from suitecase.editor.completion.aliases import aliases
from suitecase.editor.completion.context import (
    Context,
    context_between_cases,
    context_in_suite,
    context_in_targets,
)
from suitecase.editor.completion.cursor import in_comment, line_start
from suitecase.editor.completion.environment import environment
from suitecase.editor.completion.files import files, paths_at
from suitecase.editor.completion.formulas import empty_gate, formulas
from suitecase.editor.completion.item import Completion, Item, prefixed
from suitecase.editor.completion.keys import keys
from suitecase.editor.completion.names import (
    answered_cases,
    case_ids,
    members,
    metadata_of_slice,
    names,
)
from suitecase.editor.completion.scaffolds import scaffolds
from suitecase.editor.completion.schemas import in_schema_text, schema_keys, schema_words
from suitecase.editor.completion.score_ranges import score_ranges
from suitecase.editor.completion.suppressions import in_comment_of_yaml, rules_to_silence
from suitecase.editor.completion.template import Break
from suitecase.editor.completion.trigger import adopts, is_unwanted, touches
from suitecase.editor.completion.variables import in_prompt, variables
from suitecase.editor.completion.words import words
from suitecase.format.comments import JSON_KEY
from suitecase.format.dataset_files import dataset_of
from suitecase.format.rule import Finding
from suitecase.format.target_files import ParsedTargets, find_targets
from suitecase.format.workspace import Folder
from suitecase.formats.suitecase.model import FIGURE_KEYS
from suitecase.formats.suitecase.parsed import ParsedSuite, parse_dataset
from suitecase.text.node import Span

#: Characters that begin a part of a gate or a metric.
_IN_FORMULAS = ("(", ".", " ")


def _nothing() -> Sequence[Finding]:
    return ()


def _no_names() -> Iterable[str]:
    return ()


@dataclass(frozen=True, slots=True)
class CompletionContext:
    """The surroundings of a document.

    Attributes:
        folder: its folder; None if it is not a file.
        path: its path; None if it is not a file.
        findings: returns its current findings; called only for completions in suppression comments.
        case_ids: returns the ids of the workspace's cases; called only where a target maps ids to
            responses.
        trigger: the trigger character that was typed; empty if the user or the editor requested
            completions otherwise.
    """

    folder: Folder | None = None
    findings: Callable[[], Sequence[Finding]] = _nothing
    trigger: str = ""
    case_ids: Callable[[], Iterable[str]] = _no_names
    path: Path | None = None

    def with_cases(self, suite: ParsedSuite, context: Context) -> ParsedSuite:
        """Return a sidecar with the cases of its data set, where gates and slices are about these."""
        if suite.kind != "sidecar" or context.path[:1] not in [
            (figure_key,) for figure_key in FIGURE_KEYS
        ]:
            return suite
        written = suite.document.text
        dataset = dataset_of(self.path, written) if self.path is not None else None
        text = (
            self.folder.read(dataset) if self.folder is not None and dataset is not None else None
        )
        return parse_dataset(text, written) if isinstance(text, str) else suite


def complete_in_suite(
    suite: ParsedSuite, offset: int, completion_context: CompletionContext
) -> Completion:
    """Return the completions at an offset of a suite, a data set or a sidecar."""
    text = suite.document.text
    trigger = completion_context.trigger
    in_formula = trigger in _IN_FORMULAS and _may_be_formula(suite, offset)
    if not in_formula and is_unwanted(text, offset, trigger):
        return _none(offset)
    context = context_in_suite(suite, offset)
    in_yaml = suite.kind != "dataset" and not (context is not None and context.in_prose)
    alias_items = aliases(suite.document, offset) if in_yaml else None
    if alias_items is not None or completion_context.trigger == "*":
        return _of(alias_items or (), offset)
    if context is None:
        if suite.kind != "dataset" and in_comment(text, offset):
            return _of(in_comment_of_yaml(text, offset, completion_context.findings), offset)
        return _of(_another_case(suite, offset), offset)
    suite = completion_context.with_cases(suite, context)
    if in_formula and (trigger != " " or is_unwanted(text, offset, trigger)):
        return Completion(tuple(formulas(context, suite) or ()), offset, context.span)
    completion = _items(context, suite, None, completion_context)
    if context.shape == "key" and not context.typed and context.column == 0:
        # After the last case, an empty line can also begin another case.
        return replace(completion, items=(*_another_case(suite, offset), *completion.items))
    return completion


def complete_in_targets(
    targets: ParsedTargets, offset: int, completion_context: CompletionContext
) -> Completion:
    """Return the completions at an offset of a targets file."""
    if is_unwanted(targets.text, offset, completion_context.trigger):
        return _none(offset)
    context = context_in_targets(targets, offset)
    in_yaml = not (context is not None and context.in_prose)
    special_items = aliases(targets.document, offset) if in_yaml else None
    if special_items is not None or completion_context.trigger == "*":
        return _of(special_items or (), offset)
    if context is not None and context.shape != "key":
        special_items = environment(context, completion_context.folder)
        if special_items is not None:
            return _of(special_items, offset)
    if context is None:
        if in_comment(targets.text, offset):
            return _of(
                in_comment_of_yaml(targets.text, offset, completion_context.findings), offset
            )
        return _none(offset)
    return _items(context, None, targets, completion_context)


def complete_in_prompt(text: str, offset: int) -> Completion:
    """Return the completions at an offset of a judge's prompt file."""
    return _of(in_prompt(text, offset) or (), offset)


def _another_case(suite: ParsedSuite, offset: int) -> Iterator[Item]:
    """Yield the start of another case, on an empty line less indented than cases."""
    context = context_between_cases(suite, offset)
    if context is not None:
        yield from (
            prefixed(scaffold, context.lead) for scaffold in scaffolds(context, case_ids(suite))
        )


def _items(
    context: Context,
    suite: ParsedSuite | None,
    targets: ParsedTargets | None,
    completion_context: CompletionContext,
) -> Completion:
    in_text = in_schema_text(context)
    if in_text is not None:
        return _of(in_text, context.offset)
    if context.followed and (context.shape == "inline" or adopts(context)):
        return _none(context.offset)
    variable_items = variables(context)
    if variable_items is not None:
        return _of(variable_items, context.offset)
    formula_items = formulas(context, suite)
    if formula_items is not None:
        led = (
            prefixed(formula_item, context.lead) if context.lead else formula_item
            for formula_item in formula_items
        )
        return Completion(tuple(led), context.offset, context.span)
    if context.path[-1:] == (JSON_KEY,) and context.layout.quotes_keys:
        silenced = rules_to_silence(context.text, context.offset, completion_context.findings)
        return _of(silenced, context.offset)
    if context.in_prose or touches(context):
        return _none(context.offset)
    folder = completion_context.folder
    if suite is not None and folder is not None:
        targets = find_targets(folder.workspace, folder.path)
    items: list[Item] = []
    is_complete = True
    if completion_context.trigger != "/":
        items += schema_words(context)
        items += _starting_here(context, suite)
        items += words(context)
        items += names(context, suite, targets)
        items += answered_cases(context, completion_context.case_ids)
    paths = paths_at(context)
    if paths is not None and folder is not None:
        file_items, is_complete = files(context, paths, folder)
        items += file_items
    led = (prefixed(item, context.lead) if context.lead else item for item in items)
    return Completion(tuple(led), context.offset, context.span, is_complete)


def _starting_here(context: Context, suite: ParsedSuite | None) -> Iterator[Item]:
    """Yield keys at a cursor, and the start of a list or mapping where one may begin."""
    if " " in context.typed.strip():
        return  # a sentence
    if not context.style and context.shape != "own line":
        yield from score_ranges(context)
    if context.shape == "key":
        yield from keys(context, suite.head.node if suite is not None else None)
        yield from schema_keys(context)
    elif context.style:
        return
    elif context.flow:
        if not context.path or isinstance(context.path[-1], int):
            yield from scaffolds(context, case_ids(suite))
    elif context.shape == "item":
        yield from empty_gate(context, suite)
        yield from scaffolds(context, case_ids(suite))
        yield from keys(context, suite.head.node if suite is not None else None)
        yield from schema_keys(context)
    elif context.shape == "own line":
        yield from _on_own_line(context, suite)
    elif not context.typed and str not in context.types:
        yield from _below_its_key(context, suite)


def _on_own_line(context: Context, suite: ParsedSuite | None) -> Iterator[Item]:
    """Yield the start of a list or mapping on the cursor's own line."""
    if context.followed and context.next_dash != context.column:
        return
    if any(get_origin(kind) is list for kind in context.types):
        first = replace(
            context,
            path=(*context.path, 0),
            shape="item",
            parent=None,
            column=context.column + 2,
            followed=False,
        )
        yield from (prefixed(it, "- ") for it in _starting_here(first, suite))
    if not context.followed:
        yield from score_ranges(context)
        yield from members(context)
        yield from metadata_of_slice(context, suite)
        yield from keys(context, suite.head.node if suite is not None else None)
        yield from schema_keys(context)


def _below_its_key(context: Context, suite: ParsedSuite | None) -> Iterator[Item]:
    """Yield the start of a list or mapping on the line below the key at the cursor."""
    is_list = any(get_origin(kind) is list for kind in context.types)
    layout = context.layout
    column = context.column + (layout.dash_step if is_list else layout.step)
    below = replace(context, shape="own line", column=column, lead="", followed=False)
    before = context.text[line_start(context.text, context.offset) : context.offset]
    colon = context.offset - len(before) + len(before.rstrip(" \t"))
    for it in _on_own_line(below, suite):
        yield replace(prefixed(it, Break(column)), span=Span(colon, context.span.end))


def _may_be_formula(suite: ParsedSuite, offset: int) -> bool:
    """Whether a cursor may be in a gate or a metric, by the suite's keys."""
    node = suite.head.node or suite.document.root
    if node is None or suite.document.case_at(offset) is not None:
        return False
    return "gates" in node or "metrics" in node


def _of(items: Iterable[Item], offset: int) -> Completion:
    return Completion(tuple(items), offset, Span(offset, offset))


def _none(offset: int) -> Completion:
    return _of((), offset)
