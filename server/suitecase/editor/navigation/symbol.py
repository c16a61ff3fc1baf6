"""What a name refers to, and all its uses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from suitecase.editor.index.occurrence import FIGURES, Scope
from suitecase.editor.index.summary import Found, Summary
from suitecase.editor.navigation.gated_names import OF_SUITE, linked_by_gates
from suitecase.editor.navigation.workspace_view import WorkspaceView
from suitecase.schema.key_roles import Kind
from suitecase.text.node import Span

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
        case Kind.TEST:
            return None
        case Kind.PROMPT | Kind.FILE:
            path = surroundings.file_at(summary, occurrence_in_file)
            return file_symbol(path) if path is not None else None
        case kind if kind in OF_SUITE:
            return Symbol(kind, occurrence.name, surroundings.suite_home(summary), ())
        case _ if occurrence.formula is not None:
            home = surroundings.suite_home(summary)
            return Symbol(occurrence.kind, occurrence.name, home, occurrence.scope)
        case _:
            return Symbol(occurrence.kind, occurrence.name, summary.path, occurrence_in_file.scope)


def file_symbol(path: Path) -> Symbol:
    """Return the symbol of a file."""
    return Symbol(Kind.FILE, path.name, path, ())


def uses_of(surroundings: WorkspaceView, symbol: Symbol, files: Iterable[Summary]) -> Uses:
    """Return the uses of a symbol in some files."""
    files = [*files]
    uses = Uses(symbols={symbol})
    waiting = {symbol}
    shared: dict[int, dict[Span, list[Found]]] = {}
    while waiting:
        # All at once, since a gate links the evaluators of thousands of cases.
        current, waiting = waiting, set()
        new = [*_places(surroundings, current, files)]
        uses.places += new
        linked = [*_linked(surroundings, current, files)]
        for summary, occurrence in new:
            if id(summary) not in shared:
                shared[id(summary)] = _shared_places(summary)
            for other in shared[id(summary)].get(occurrence.span, ()):
                other_symbol = symbol_at(surroundings, summary, other)
                if other_symbol is not None and _may_share(other_symbol, symbol):
                    linked.append(other_symbol)
                else:
                    uses.mixed.append(Use(summary, other))
        waiting = {it for it in linked if it not in uses.symbols}
        uses.symbols |= waiting
    return uses


def _may_share(one: Symbol, other: Symbol) -> bool:
    """Whether one text may be the name of both: an evaluator's also of a part of a figure."""
    figures = (Kind.EVALUATOR, Kind.RUBRIC)
    return one.kind is other.kind or (
        one.kind in figures
        and other.kind in figures
        and FIGURES in (one.scope[:1], other.scope[:1])
    )


def _places(
    surroundings: WorkspaceView, symbols: set[Symbol], files: list[Summary]
) -> Iterator[Use]:
    for symbol in symbols:
        if symbol.home is not None and symbol.kind is Kind.FILE:
            yield from _places_of_file(surroundings, symbol.home, files)
    names = {it[:2] for it in symbols if it.kind is not Kind.FILE}
    for kind, name in names:
        for summary in files:
            for occurrence in summary.named(kind, name):
                if symbol_at(surroundings, summary, occurrence) in symbols:
                    yield Use(summary, occurrence)
        if kind is Kind.VARIABLE:
            for path in sorted(_prompt_files(surroundings, files)):
                prompt = surroundings.prompt(path)
                if prompt is not None:
                    yield from (Use(prompt, it) for it in prompt.named(kind, name))


def _places_of_file(surroundings: WorkspaceView, home: Path, files: list[Summary]) -> Iterator[Use]:
    for summary in files:
        for occurrence in summary:
            reference = occurrence.occurrence
            if (
                reference.kind.is_file
                and reference.name.strip().endswith(home.name)
                and surroundings.file_at(summary, occurrence) == home
            ):
                yield Use(summary, occurrence)


def _prompt_files(surroundings: WorkspaceView, files: list[Summary]) -> set[Path]:
    """Return the files that contain prompts of judges."""
    paths = {
        surroundings.file_at(summary, it)
        for summary in files
        for it in summary
        if it.occurrence.kind is Kind.PROMPT
    }
    already_searched = {file.path for file in files if file.kind == "text"}  # looked at already
    return {path for path in paths if path is not None} - already_searched


def _linked(
    surroundings: WorkspaceView, symbols: set[Symbol], files: list[Summary]
) -> Iterator[Symbol]:
    """Yield the symbols with the same names: of a case, its response in a targets file; of an
    evaluator, the figures of gates.
    """
    evaluators = {it for it in symbols if it.kind in (Kind.EVALUATOR, Kind.RUBRIC)}
    if evaluators:
        yield from _gated(surroundings, evaluators, files)
    for symbol in symbols:
        if symbol.kind is Kind.CASE and symbol.home is not None:
            yield from _answers(surroundings, symbol, files)


def _answers(surroundings: WorkspaceView, symbol: Symbol, files: list[Summary]) -> Iterator[Symbol]:
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


def _gated(
    surroundings: WorkspaceView, symbols: set[Symbol], files: list[Summary]
) -> Iterator[Symbol]:
    homes = {file.path: surroundings.suite_home(file) for file in files}
    scopes: dict[tuple[Kind, str, Path | None], set[Scope]] = {}
    for symbol in symbols:
        home = homes.get(symbol.home, symbol.home)
        scopes.setdefault((symbol.kind, symbol.name, home), set()).add(symbol.scope)
    for (kind, name, home), of_name in scopes.items():
        suite = [file for file in files if homes[file.path] == home]
        for summary, found in linked_by_gates(kind, name, of_name, suite):
            linked = symbol_at(surroundings, summary, found)
            if linked is not None:
                yield linked


def _shared_places(summary: Summary) -> dict[Span, list[Found]]:
    """Return the spans of a file that are read through aliases, with all their occurrences."""
    shared: dict[Span, list[Found]] = {
        it.span: [] for it in summary if it.occurrence.alias is not None
    }
    for it in summary if shared else ():
        if it.span in shared:
            shared[it.span].append(it)
    return shared
