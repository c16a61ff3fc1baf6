"""The definition of the name at a position."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from suitecase.editor.index.occurrence import FIGURES
from suitecase.editor.index.summary import Found, Summary
from suitecase.editor.navigation.gated_names import GATED
from suitecase.editor.navigation.linked_suites import files_matching, linked_name, name_at
from suitecase.editor.navigation.symbol import Symbol, Use, file_symbol, symbol_at, uses_of
from suitecase.editor.navigation.workspace_view import Place, WorkspaceView
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedSuite
from suitecase.schema.key_roles import Kind
from suitecase.text.node import Mapping, Span, at

#: A prompt or a tag may serve thousands of cases; this many definitions are shown.
MOST_PLACES = 100

#: The keys of a case that fill a prompt variable. The target's answer is written nowhere.
_KEYS = {
    "question": ("input_messages", "input"),
    "input_messages": ("input_messages", "input"),
    "expected_outcome": ("expected_outcome",),
    "criteria": ("expected_outcome",),
    "reference_answer": ("expected_messages", "expected_output"),
    "expected_messages": ("expected_messages", "expected_output"),
}
#: The keys of the evaluator that do.
_OWN_KEYS = {"rubrics": "rubrics", "EVALUATOR_RESULTS_JSON": "evaluators"}


def definition(surroundings: WorkspaceView, summary: Summary, offset: int) -> list[Place]:
    """Return the definitions of the name at an offset of a file; for a file, its start.

    Raises:
        GivenUpError: the answer is no longer needed.
    """
    linked = linked_name(surroundings, summary, offset)
    if linked is not None:
        defining = (use for use in linked.uses if use.found.occurrence.defines)
        return [Place(it.summary.path, it.found.span) for it in islice(defining, MOST_PLACES)]
    occurrence = summary.at(offset)
    if occurrence is None:
        return []
    if occurrence.occurrence.kind is Kind.VARIABLE:
        return [*dict.fromkeys(islice(_filled_in(surroundings, summary, occurrence), MOST_PLACES))]
    symbol = symbol_at(surroundings, summary, occurrence)
    if symbol is None:
        matching = files_matching(surroundings, summary, occurrence)
        return [Place(it, Span(0, 0)) for it in matching][:MOST_PLACES]
    if symbol.kind is Kind.FILE:
        return [Place(symbol.home, Span(0, 0))]
    uses = uses_of(surroundings, symbol, _files(surroundings, summary, symbol))
    places = [
        Place(place.summary.path, place.found.span)
        for place in uses.places
        if place.found.occurrence.defines and _is_meant(surroundings, symbol, place)
    ]
    return [*dict.fromkeys(places)][:MOST_PLACES]


def linked_at(surroundings: WorkspaceView, summary: Summary, offset: int) -> Span | None:
    """Return the name at an offset of a file that a suite of another tool shares with its files.

    Raises:
        GivenUpError: the answer is no longer needed.
    """
    use = name_at(surroundings, summary, offset)
    return use.found.span if use is not None else None


def _is_meant(surroundings: WorkspaceView, symbol: Symbol, use: Use) -> bool:
    """Whether a use is of a symbol itself, not of one that a gate gives the same name."""
    if symbol.kind not in (Kind.EVALUATOR, Kind.RUBRIC) or symbol.scope[:1] == FIGURES:
        return True
    return symbol_at(surroundings, use.summary, use.found) == symbol


def _files(surroundings: WorkspaceView, summary: Summary, symbol: Symbol) -> list[Summary]:
    """Return the files that may define a symbol."""
    if symbol.kind is Kind.CASE and symbol.scope:
        return [*surroundings.all()]
    if symbol.kind in GATED:
        beside = surroundings.beside(summary)
        return [summary, beside] if beside is not None else [summary]
    if symbol.home is None or symbol.home == summary.path:
        return [summary]
    home = surroundings.summary(symbol.home)
    return [home] if home is not None else []


def _filled_in(surroundings: WorkspaceView, summary: Summary, variable: Found) -> Iterator[Place]:
    """Yield the sources of a variable."""
    if summary.kind != "text":
        parsed = surroundings.written(summary)
        if isinstance(parsed, ParsedSuite):
            yield from _keys(surroundings, summary, parsed, variable, variable.occurrence.name)
        return
    if summary.path is None:
        return
    prompt = file_symbol(summary.path)
    for use in uses_of(surroundings, prompt, surroundings.all()).places:
        if use.found.occurrence.kind is Kind.PROMPT:
            parsed = surroundings.written(use.summary)
            if isinstance(parsed, ParsedSuite):
                name = variable.occurrence.name
                yield from _keys(surroundings, use.summary, parsed, use.found, name)


def _keys(
    surroundings: WorkspaceView, summary: Summary, suite: ParsedSuite, judge: Found, name: str
) -> Iterator[Place]:
    """Yield the keys that fill a variable of a judge's prompt."""
    number = judge.part.number
    in_case = isinstance(number, int) and number < len(suite.cases)
    if name in _OWN_KEYS:
        part = suite.cases[number] if in_case and isinstance(number, int) else suite.head
        evaluator = at(part.node, judge.occurrence.scope)[0] if part.node is not None else None
        key = evaluator.key(_OWN_KEYS[name]) if isinstance(evaluator, Mapping) else None
        if key is not None:
            span = (
                suite.place(number, key.span)
                if isinstance(part, ParsedCase) and isinstance(number, int)
                else suite.head_place(key.span)
            )
            yield Place(summary.path, span)
        return
    if summary.kind == "sidecar":
        dataset = surroundings.dataset_of(summary)
        if dataset is None:
            return
        summary, suite = dataset
    numbers = [number] if in_case and isinstance(number, int) else range(len(suite.cases))
    for case_number in numbers:
        node = suite.cases[case_number].node
        keys = (node.key(key) for key in _KEYS.get(name, ())) if node is not None else ()
        key = next((key for key in keys if key is not None), None)
        if key is not None:
            yield Place(summary.path, suite.place(case_number, key.span))
