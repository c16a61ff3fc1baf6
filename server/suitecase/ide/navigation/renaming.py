"""Giving something another name, wherever it is named."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from suitecase.ide.index.occurrence import Kind
from suitecase.ide.index.summary import Found, Parsed, Summary
from suitecase.ide.navigation.spelled_name import spelled
from suitecase.ide.navigation.symbol import Symbol, Use, Uses, symbol_at, uses_of
from suitecase.ide.navigation.workspace_view import WorkspaceView
from suitecase.ide.place import place_at
from suitecase.rule import Edit
from suitecase.suite.parsed import ParsedSuite
from suitecase.suite.resolve import RUBRIC
from suitecase.suite.target_files import EMBEDDED
from suitecase.syntax.lines import Lines
from suitecase.syntax.node import Span

_ANCHOR = re.compile(r"[0-9A-Za-z_-]+")
_NUMBERED = re.compile(r"rubric-\d+")
#: What no name holds: line breaks of any reader, and characters that cannot be seen.
_NOT_IN_NAMES = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")
_WORDS = {
    Kind.CASE: "case",
    Kind.TARGET: "target",
    Kind.EVALUATOR: "evaluator",
    Kind.RUBRIC: "rubric",
    Kind.ANCHOR: "anchor",
}


class CannotRenameError(Exception):
    """Something cannot have another name; the message says why, and what to do."""


class Renameable(NamedTuple):
    """A name that can be changed, and where it stands."""

    span: Span
    name: str


@dataclass(frozen=True, slots=True)
class FileEdits:
    """The edits of one file; `text` is what their places count in."""

    path: Path | None
    text: str
    edits: tuple[Edit, ...]


def renameable(surroundings: WorkspaceView, summary: Summary, offset: int) -> Renameable:
    """Return the name at an offset of a file, if it can be changed.

    Raises:
        CannotRenameError: it cannot.
    """
    found, _ = _renamed(surroundings, summary, offset)
    return Renameable(found.span, found.occurrence.name)


def rename(surroundings: WorkspaceView, summary: Summary, offset: int, new: str) -> list[FileEdits]:
    """Return the edits that give what is named at an offset of a file another name.

    Args:
        surroundings: the workspace.
        summary: the file.
        offset: where the name stands.
        new: the new name; blanks around it are not part of it.

    Raises:
        CannotRenameError: it cannot have that name.
        GivenUpError: nobody waits for the answer any more.
    """
    found, symbol = _renamed(surroundings, summary, offset)
    new = new.strip()
    _check_name(symbol, new)
    if new == symbol.name:
        return []
    uses, files = _uses(surroundings, summary, symbol)
    places = uses.places
    if not any(it.found.occurrence.defines for it in places):
        raise CannotRenameError(
            f"no {_WORDS[symbol.kind]} named `{symbol.name}` is defined in this workspace, so "
            "there is nothing to rename"
        )
    if _is_given_again(uses, symbol):
        if not found.occurrence.defines:
            raise CannotRenameError(
                f"more than one {_WORDS[symbol.kind]} is named `{symbol.name}`; rename one of them "
                "where it is defined"
            )
        # Each has to have a name of its own first: what names them cannot tell them apart.
        places = [it for it in places if it.summary is summary and it.found.span == found.span]
    _check_mixed(surroundings, uses)
    _check_free(surroundings, uses, files, new)
    _check_unread(surroundings, symbol, files)
    return _edits(surroundings, places, new)


def _renamed(surroundings: WorkspaceView, summary: Summary, offset: int) -> tuple[Found, Symbol]:
    found = summary.at(offset)
    if found is None:
        raise CannotRenameError(_why_nothing(surroundings.written(summary), offset))
    it = found.occurrence
    if it.kind is Kind.VARIABLE:
        raise CannotRenameError(
            f"`{{{{ {it.name} }}}}` is filled in by suitecase; the names of variables are fixed"
        )
    if it.kind.is_file:
        raise CannotRenameError(
            f"`{it.name}` names a file, which is renamed where it lies; change the path here to "
            "name another file"
        )
    if it.kind is Kind.TARGET and it.name == EMBEDDED:
        raise CannotRenameError(
            f"`{EMBEDDED}` is always there, and is asked by suites that name no target; its name "
            "is fixed"
        )
    symbol = symbol_at(surroundings, summary, found)
    if symbol is None:
        raise CannotRenameError(_why_nothing(surroundings.written(summary), offset))
    return found, symbol


def _why_nothing(written: Parsed | None, offset: int) -> str:
    place = place_at(written, offset) if isinstance(written, ParsedSuite) else None
    if place is not None and place.on_key and place.key is not None:
        return f"`{place.key.text}` is a key of the format; its name is fixed"
    return (
        "nothing here has a name that can be changed: names are those of cases, targets, "
        "evaluators, rubrics and anchors"
    )


def _check_name(symbol: Symbol, new: str) -> None:
    what = _WORDS[symbol.kind]
    article = "an" if what[0] in "ae" else "a"
    if not new:
        raise CannotRenameError(f"{article} {what} needs a name")
    if _NOT_IN_NAMES.search(new):
        raise CannotRenameError(f"the name of {article} {what} is one line of text")
    if symbol.kind is Kind.ANCHOR and not _ANCHOR.fullmatch(new):
        raise CannotRenameError(
            f"`{new}` cannot name an anchor: its name is of letters (a to z), digits, `-` and `_`"
        )
    if symbol.kind is Kind.TARGET and (new == EMBEDDED or "${{" in new):
        reason = "is always there" if new == EMBEDDED else "would be filled in from the environment"
        raise CannotRenameError(f"`{new}` {reason}; choose another name")
    if symbol.kind is Kind.EVALUATOR and new == RUBRIC:
        raise CannotRenameError(
            f"`{RUBRIC}` is the evaluator that a case's own `rubrics` become; choose another name"
        )
    if symbol.kind is Kind.RUBRIC and _NUMBERED.fullmatch(new) and new != symbol.name:
        raise CannotRenameError(
            f"`{new}` is what a rubric without an `id` is called; choose another name"
        )


def _uses(
    surroundings: WorkspaceView, summary: Summary, symbol: Symbol
) -> tuple[Uses, list[Summary]]:
    """Return where a symbol is named, and the files that may name it."""
    files = [summary]
    targets = surroundings.targets_for(summary)
    answers = surroundings.summary(targets) if targets is not None else None
    if symbol.kind is Kind.CASE and answers is not None and answers is not summary:
        files.append(answers)
    by_others = symbol.kind is Kind.CASE and any(
        it.occurrence.scope for file in files for it in file.named(*symbol[:2])
    )
    if symbol.kind is Kind.TARGET or by_others:
        files = [summary, *(it for it in surroundings.all() if it is not summary)]
        if not surroundings.is_complete:
            raise CannotRenameError(
                f"this workspace has more suites than are looked at, so some that name "
                f"`{symbol.name}` could be missed; open a smaller folder"
            )
    files = [surroundings.current(it) if it is not summary else it for it in files]
    return uses_of(surroundings, symbol, files), files


def _is_given_again(uses: Uses, symbol: Symbol) -> bool:
    """Whether another in the same list goes by the same name; through an alias it is no other."""
    defining = (it for it in uses.places if it.found.occurrence.defines)
    given = {
        it.found.span
        for it in defining
        if it.summary.path == symbol.home
        and (symbol.kind in (Kind.CASE, Kind.TARGET) or it.found.scope == symbol.scope)
    }
    return len(given) > 1


def _check_mixed(surroundings: WorkspaceView, uses: Uses) -> None:
    if uses.mixed:
        use = uses.mixed[0]
        raise CannotRenameError(
            f"the same text is also the name of the {use.found.occurrence.kind.value} in "
            f"{_shown(surroundings, use.summary, use.found.at)}, through an alias; write the two "
            "out before renaming one"
        )


def _check_free(surroundings: WorkspaceView, uses: Uses, files: list[Summary], new: str) -> None:
    """Refuse a name that another one of the same list has already, or is already answered by."""
    taken = {it._replace(name=new) for it in uses.symbols}
    for it in [*taken]:
        if it.kind is Kind.CASE and not it.scope:
            home = next((file for file in files if file.path == it.home), None)
            targets = surroundings.targets_for(home) if home is not None else None
            if targets is not None:
                taken.add(it._replace(home=targets, scope=("response",)))
        elif it.kind is Kind.ANCHOR:
            taken.discard(it)
    kind = next(iter(uses.symbols)).kind
    homes = {it.home for it in uses.symbols}
    for summary in files:
        for found in summary.named(kind, new):
            clashes = symbol_at(surroundings, summary, found) in taken
            if kind is Kind.ANCHOR:
                clashes = summary.path in homes
            answers = found.occurrence.scope == ("response",)
            if clashes and (found.occurrence.defines or answers):
                where = _shown(surroundings, summary, found.at)
                what = "an answer to a case" if answers else f"{_an(kind)}"
                raise CannotRenameError(
                    f"{what} named `{new}` is already there, in {where}; choose another name"
                )


def _an(kind: Kind) -> str:
    word = _WORDS[kind]
    return f"an {word}" if word[0] in "ae" else f"a {word}"


def _check_unread(surroundings: WorkspaceView, symbol: Symbol, files: list[Summary]) -> None:
    """Refuse where a part of a file does not parse and might hold the name."""
    for summary in files:
        text = surroundings.text_of(summary) if summary.unread else None
        if text is None:
            continue
        known = [it.span for it in summary.named(symbol.kind, symbol.name)]
        for part in summary.unread:
            for it in re.finditer(re.escape(symbol.name), text[part.start : part.end]):
                at = part.start + it.start()
                if not any(span.start <= at < span.end for span in known):
                    place = _shown(surroundings, summary, Span(at, at))
                    raise CannotRenameError(
                        f"`{symbol.name}` stands in {place}, in a part that does not parse, so it "
                        "it is unknown what it names; fix that first"
                    )


def _shown(surroundings: WorkspaceView, summary: Summary, span: Span) -> str:
    """Name a place for people: `suites/a.eval.yaml:12`."""
    text = surroundings.text_of(summary) or ""
    line = Lines(text).number(span.start)
    if summary.path is None:
        return f"line {line}"
    root = surroundings.workspace.root
    inside = summary.path.is_relative_to(root)
    path = summary.path.relative_to(root) if inside else summary.path
    return f"`{path.as_posix()}:{line}`"


def _edits(surroundings: WorkspaceView, places: list[Use], new: str) -> list[FileEdits]:
    by_file: dict[Path | None, tuple[str, dict[Span, Edit]]] = {}
    for summary, found in places:
        if summary.path not in by_file:
            by_file[summary.path] = (surroundings.text_of(summary) or "", {})
        text, edits = by_file[summary.path]
        written = text[found.span.start : found.span.end]
        made = (
            new
            if found.occurrence.kind is Kind.ANCHOR
            else spelled(new, written, is_json=summary.kind == "dataset")
        )
        if made is None:
            raise CannotRenameError(
                f"the name in {_shown(surroundings, summary, found.span)} is written as a block of "
                "text; write it on one line first"
            )
        edits[found.span] = Edit(found.span, made)
    return [
        FileEdits(path, text, tuple(edits[it] for it in sorted(edits)))
        for path, (text, edits) in by_file.items()
    ]
