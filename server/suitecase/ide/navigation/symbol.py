"""What a name stands for, and everything that goes by it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from suitecase.ide.index.occurrence import Kind, Scope
from suitecase.ide.index.summary import Found, Summary
from suitecase.ide.navigation.workspace_view import WorkspaceView
from suitecase.syntax.node import Span

#: Where a targets file answers cases by their ids.
_RESPONSES: Scope = ("response",)


class Symbol(NamedTuple):
    """Something with a name: the same wherever it is named.

    `home` is the file that says what it is, `scope` where in it; of a file `home` is the file.
    """

    kind: Kind
    name: str
    home: Path | None
    scope: Scope


class Use(NamedTuple):
    """A place that names a symbol."""

    summary: Summary
    found: Found


@dataclass(slots=True)
class Uses:
    """All places that name a symbol, or one that cannot have another name than it.

    `mixed` are places where the same text is read as something else too, through an alias.
    """

    places: list[Use] = field(default_factory=list)
    symbols: set[Symbol] = field(default_factory=set)
    mixed: list[Use] = field(default_factory=list)


def symbol_at(surroundings: WorkspaceView, summary: Summary, found: Found) -> Symbol | None:
    """Return what is named at a place; None for a file that is not there."""
    it = found.occurrence
    match it.kind:
        case Kind.TARGET:
            return Symbol(it.kind, it.name, surroundings.targets_for(summary), ())
        case Kind.CASE:
            return Symbol(it.kind, it.name, summary.path, it.scope)
        case Kind.VARIABLE:
            return Symbol(it.kind, it.name, None, ())
        case Kind.PROMPT | Kind.FILE:
            path = surroundings.file_at(summary, found)
            return file_symbol(path) if path is not None else None
        case _:
            return Symbol(it.kind, it.name, summary.path, found.scope)


def file_symbol(path: Path) -> Symbol:
    """Return a file as something that has a name."""
    return Symbol(Kind.FILE, path.name, path, ())


def uses_of(surroundings: WorkspaceView, symbol: Symbol, files: Iterable[Summary]) -> Uses:
    """Return where a symbol is named in some files."""
    files = [*files]
    uses = Uses(symbols={symbol})
    waiting = [symbol]
    shared: dict[int, dict[Span, list[Found]]] = {}
    while waiting:
        current = waiting.pop()
        new = [*_places(surroundings, current, files)]
        uses.places += new
        linked = [*_linked(surroundings, current, files)]
        for summary, found in new:
            if id(summary) not in shared:
                shared[id(summary)] = _shared_places(summary)
            for other in shared[id(summary)].get(found.span, ()):
                meant = symbol_at(surroundings, summary, other)
                if meant is not None and meant.kind is symbol.kind:
                    linked.append(meant)
                else:
                    uses.mixed.append(Use(summary, other))
        for it in linked:
            if it not in uses.symbols:
                uses.symbols.add(it)
                waiting.append(it)
    return uses


def _places(surroundings: WorkspaceView, symbol: Symbol, files: list[Summary]) -> Iterator[Use]:
    if symbol.home is not None and symbol.kind is Kind.FILE:
        for summary in files:
            for found in summary:
                it = found.occurrence
                if (
                    it.kind.is_file
                    and it.name.strip().endswith(symbol.home.name)
                    and surroundings.file_at(summary, found) == symbol.home
                ):
                    yield Use(summary, found)
        return
    for summary in files:
        for found in summary.named(symbol.kind, symbol.name):
            if symbol_at(surroundings, summary, found) == symbol:
                yield Use(summary, found)
    if symbol.kind is Kind.VARIABLE:
        for path in sorted(_prompt_files(surroundings, files)):
            prompt = surroundings.prompt(path)
            if prompt is not None:
                yield from (Use(prompt, it) for it in prompt.named(symbol.kind, symbol.name))


def _prompt_files(surroundings: WorkspaceView, files: list[Summary]) -> set[Path]:
    """Return the files that judges have their prompts in."""
    found = {
        surroundings.file_at(summary, it)
        for summary in files
        for it in summary
        if it.occurrence.kind is Kind.PROMPT
    }
    shown = {it.path for it in files if it.kind == "text"}  # looked at already
    return {it for it in found if it is not None} - shown


def _linked(surroundings: WorkspaceView, symbol: Symbol, files: list[Summary]) -> Iterator[Symbol]:
    """Yield what goes by the same name: a case, and the answer that a targets file has for it."""
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
    """Return the places of a file that are read through aliases, with all that is read there."""
    shared: dict[Span, list[Found]] = {
        it.span: [] for it in summary if it.occurrence.alias is not None
    }
    for it in summary if shared else ():
        if it.span in shared:
            shared[it.span].append(it)
    return shared
