"""What a name refers to, and all its uses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from suitecase.ide.index.occurrence import Kind, Scope
from suitecase.ide.index.summary import Found, Summary
from suitecase.ide.navigation.workspace_view import WorkspaceView
from suitecase.syntax.node import Span

#: The scope of a targets file's responses, which are keyed by case id.
_RESPONSES: Scope = ("response",)


class Symbol(NamedTuple):
    """A named thing: the same wherever it is used.

    `home` is the file that defines it, and `scope` its list there; for a file, `home` is the file.
    """

    kind: Kind
    name: str
    home: Path | None
    scope: Scope


class Use(NamedTuple):
    """An occurrence of a symbol."""

    summary: Summary
    found: Found


@dataclass(slots=True)
class Uses:
    """All uses of a symbol, and of symbols that must have the same name.

    `mixed` are those whose text is also read as something else, through an alias.
    """

    places: list[Use] = field(default_factory=list)
    symbols: set[Symbol] = field(default_factory=set)
    mixed: list[Use] = field(default_factory=list)


def symbol_at(
    surroundings: WorkspaceView, summary: Summary, occurrence_in_file: Found
) -> Symbol | None:
    """Return the symbol of an occurrence; None for a file that does not exist."""
    occurrence = occurrence_in_file.occurrence
    match occurrence.kind:
        case Kind.TARGET:
            return Symbol(occurrence.kind, occurrence.name, surroundings.targets_for(summary), ())
        case Kind.CASE:
            return Symbol(occurrence.kind, occurrence.name, summary.path, occurrence.scope)
        case Kind.VARIABLE:
            return Symbol(occurrence.kind, occurrence.name, None, ())
        case Kind.PROMPT | Kind.FILE:
            path = surroundings.file_at(summary, occurrence_in_file)
            return file_symbol(path) if path is not None else None
        case _:
            return Symbol(occurrence.kind, occurrence.name, summary.path, occurrence_in_file.scope)


def file_symbol(path: Path) -> Symbol:
    """Return the symbol of a file."""
    return Symbol(Kind.FILE, path.name, path, ())


def uses_of(surroundings: WorkspaceView, symbol: Symbol, files: Iterable[Summary]) -> Uses:
    """Return the uses of a symbol in some files."""
    files = [*files]
    uses = Uses(symbols={symbol})
    waiting = [symbol]
    shared: dict[int, dict[Span, list[Found]]] = {}
    while waiting:
        current = waiting.pop()
        new = [*_places(surroundings, current, files)]
        uses.places += new
        linked = [*_linked(surroundings, current, files)]
        for summary, occurrence in new:
            if id(summary) not in shared:
                shared[id(summary)] = _shared_places(summary)
            for other in shared[id(summary)].get(occurrence.span, ()):
                other_symbol = symbol_at(surroundings, summary, other)
                if other_symbol is not None and other_symbol.kind is symbol.kind:
                    linked.append(other_symbol)
                else:
                    uses.mixed.append(Use(summary, other))
        for linked_symbol in linked:
            if linked_symbol not in uses.symbols:
                uses.symbols.add(linked_symbol)
                waiting.append(linked_symbol)
    return uses


def _places(surroundings: WorkspaceView, symbol: Symbol, files: list[Summary]) -> Iterator[Use]:
    if symbol.home is not None and symbol.kind is Kind.FILE:
        for summary in files:
            for occurrence in summary:
                reference = occurrence.occurrence
                if (
                    reference.kind.is_file
                    and reference.name.strip().endswith(symbol.home.name)
                    and surroundings.file_at(summary, occurrence) == symbol.home
                ):
                    yield Use(summary, occurrence)
        return
    for summary in files:
        for occurrence in summary.named(symbol.kind, symbol.name):
            if symbol_at(surroundings, summary, occurrence) == symbol:
                yield Use(summary, occurrence)
    if symbol.kind is Kind.VARIABLE:
        for path in sorted(_prompt_files(surroundings, files)):
            prompt = surroundings.prompt(path)
            if prompt is not None:
                yield from (Use(prompt, it) for it in prompt.named(symbol.kind, symbol.name))


def _prompt_files(surroundings: WorkspaceView, files: list[Summary]) -> set[Path]:
    """Return the files that contain prompts of judges."""
    paths = {
        surroundings.file_at(summary, it)
        for summary in files
        for it in summary
        if it.occurrence.kind is Kind.PROMPT
    }
    already_searched = {it.path for it in files if it.kind == "text"}  # looked at already
    return {it for it in paths if it is not None} - already_searched


def _linked(surroundings: WorkspaceView, symbol: Symbol, files: list[Summary]) -> Iterator[Symbol]:
    """Yield the symbols with the same name: a case, and its response in a targets file."""
    if symbol.kind is not Kind.CASE or symbol.home is None:
        return
    for summary in files:
        is_home = summary.path == symbol.home
        if symbol.scope == _RESPONSES:
            governed = summary.kind in ("suite", "dataset")
            if governed and surroundings.targets_for(summary) == symbol.home:
                yield Symbol(Kind.CASE, symbol.name, summary.path, ())
        elif is_home:
            targets = surroundings.targets_for(summary)
            if targets is not None:
                yield Symbol(Kind.CASE, symbol.name, targets, _RESPONSES)


def _shared_places(summary: Summary) -> dict[Span, list[Found]]:
    """Return the spans of a file that are read through aliases, with all their occurrences."""
    shared: dict[Span, list[Found]] = {
        it.span: [] for it in summary if it.occurrence.alias is not None
    }
    for it in summary if shared else ():
        if it.span in shared:
            shared[it.span].append(it)
    return shared
