"""Renaming across the workspace."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from suitecase.editor.index.summary import Found, Parsed, Summary
from suitecase.editor.navigation.file_edits import CannotRenameError, FileEdits, location_text
from suitecase.editor.navigation.gated_names import GATED
from suitecase.editor.navigation.linked_suites import linked_name, name_at
from suitecase.editor.navigation.renaming_in_gates import FormulaEdits, Renamed, changed_formula
from suitecase.editor.navigation.renaming_linked_names import rename_linked
from suitecase.editor.navigation.spelled_name import spelled
from suitecase.editor.navigation.symbol import Symbol, Use, Uses, symbol_at, uses_of
from suitecase.editor.navigation.workspace_view import WorkspaceView
from suitecase.editor.place import place_at
from suitecase.figures.gates.names import SuiteFigures, has_figures, suite_figures
from suitecase.format.dialect import DialectFile
from suitecase.format.rule import Edit, Fix
from suitecase.format.target_files import EMBEDDED
from suitecase.formats.suitecase.implicit_evaluators import RUBRIC
from suitecase.formats.suitecase.parsed import ParsedSuite, parse_dataset, parse_suite
from suitecase.schema.key_roles import Kind
from suitecase.text.node import Span

_ANCHOR = re.compile(r"[0-9A-Za-z_-]+")
_NUMBERED = re.compile(r"rubric-\d+")
#: Characters no name contains: line breaks of any parser, and invisible characters.
_NOT_IN_NAMES = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")
_WORDS = {
    Kind.CASE: "case",
    Kind.TARGET: "target",
    Kind.EVALUATOR: "evaluator",
    Kind.RUBRIC: "rubric",
    Kind.METRIC: "metric",
    Kind.SLICE: "slice",
    Kind.TAG: "tag",
    Kind.ANCHOR: "anchor",
}


class Renameable(NamedTuple):
    """A name that can be changed, and its span."""

    span: Span
    name: str


def renameable(surroundings: WorkspaceView, summary: Summary, offset: int) -> Renameable:
    """Return the name at an offset of a file, if it can be changed.

    Raises:
        CannotRenameError: it cannot.
    """
    use = name_at(surroundings, summary, offset)
    if use is not None:
        return Renameable(use.found.span, use.found.occurrence.name)
    occurrence, _ = _renamed(surroundings, summary, offset)
    return Renameable(occurrence.span, occurrence.occurrence.name)


def rename(surroundings: WorkspaceView, summary: Summary, offset: int, new: str) -> list[FileEdits]:
    """Return the edits that rename what the name at an offset of a file refers to.

    Args:
        surroundings: the workspace.
        summary: the file.
        offset: the position of the name.
        new: the new name; surrounding whitespace is ignored.

    Raises:
        CannotRenameError: the new name is not possible.
        GivenUpError: the answer is no longer needed.
    """
    linked = linked_name(surroundings, summary, offset)
    if linked is not None:
        return rename_linked(surroundings, linked, new.strip())
    occurrence, symbol = _renamed(surroundings, summary, offset)
    new = new.strip()
    _check_name(symbol, new)
    if new == symbol.name:
        return []
    uses, files = _uses(surroundings, summary, symbol)
    places = uses.places
    if not any(place.found.occurrence.defines for place in places):
        raise CannotRenameError(
            f"no {_WORDS[symbol.kind]} named `{symbol.name}` is defined in this workspace, so "
            "there is nothing to rename"
        )
    if _is_duplicated(uses, symbol):
        if not occurrence.occurrence.defines:
            raise CannotRenameError(
                f"more than one {_WORDS[symbol.kind]} is named `{symbol.name}`; rename one of them "
                "where it is defined"
            )
        # The duplicates need distinct names first: references do not distinguish them.
        places = [
            place
            for place in places
            if place.summary is summary and place.found.span == occurrence.span
        ]
    _check_mixed(surroundings, uses)
    _check_free(surroundings, uses, files, new)
    _check_unread(surroundings, symbol, files)
    edits = _edits(surroundings, places, new)
    _check_gates(surroundings, places, edits, files, symbol.name, new)
    return edits


def _renamed(surroundings: WorkspaceView, summary: Summary, offset: int) -> tuple[Found, Symbol]:
    occurrence_in_file = summary.at(offset)
    if occurrence_in_file is None:
        raise CannotRenameError(_not_renameable_reason(surroundings.written(summary), offset))
    occurrence = occurrence_in_file.occurrence
    if occurrence.kind is Kind.VARIABLE:
        raise CannotRenameError(
            f"`{{{{ {occurrence.name} }}}}` is filled in by Suitecase; the names of variables are fixed"
        )
    if occurrence.kind.is_file:
        raise CannotRenameError(
            f"`{occurrence.name}` names a file; rename the file itself, or change the path here to "
            "name another file"
        )
    if occurrence.kind is Kind.TARGET and occurrence.name == EMBEDDED:
        raise CannotRenameError(
            f"`{EMBEDDED}` is built in and used by suites that name no target; its name is fixed"
        )
    symbol = symbol_at(surroundings, summary, occurrence_in_file)
    if symbol is None:
        raise CannotRenameError(_not_renameable_reason(surroundings.written(summary), offset))
    return occurrence_in_file, symbol


def _not_renameable_reason(parsed: Parsed | None, offset: int) -> str:
    place = place_at(parsed, offset) if isinstance(parsed, ParsedSuite) else None
    if place is not None and place.on_key and place.key is not None:
        return f"`{place.key.text}` is a key of the format; its name is fixed"
    if isinstance(parsed, DialectFile):
        return (
            "nothing here can be renamed: names are those of variables, metrics, anchors, and the "
            "labels of providers and prompts"
        )
    return (
        "nothing here can be renamed: names are those of cases, targets, "
        "evaluators, rubrics, metrics, slices, tags and anchors"
    )


def _check_name(symbol: Symbol, new: str) -> None:
    kind_name = _WORDS[symbol.kind]
    article = "an" if kind_name[0] in "ae" else "a"
    if not new:
        raise CannotRenameError(f"{article} {kind_name} needs a name")
    if _NOT_IN_NAMES.search(new):
        raise CannotRenameError(f"the name of {article} {kind_name} must be one line of text")
    if symbol.kind is Kind.ANCHOR and not _ANCHOR.fullmatch(new):
        raise CannotRenameError(
            f"`{new}` cannot name an anchor: only letters (a to z), digits, `-` and `_` are allowed"
        )
    if symbol.kind is Kind.TARGET and (new == EMBEDDED or "${{" in new):
        reason = "is built in" if new == EMBEDDED else "would be filled in from the environment"
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
    """Return the uses of a symbol, and the files that may contain some."""
    files = [summary]
    targets = surroundings.targets_for(summary)
    answers = surroundings.summary(targets) if targets is not None else None
    if symbol.kind is Kind.CASE and answers is not None and answers is not summary:
        files.append(answers)
    beside = surroundings.beside(summary) if symbol.kind in GATED else None
    if beside is not None:
        files.append(beside)
    by_others = symbol.kind is Kind.CASE and any(
        it.occurrence.scope for file in files for it in file.named(*symbol[:2])
    )
    if symbol.kind is Kind.TARGET or by_others:
        files = [summary, *(it for it in surroundings.all() if it is not summary)]
        if not surroundings.is_complete:
            raise CannotRenameError(
                f"this workspace has too many suites to index, so some that name "
                f"`{symbol.name}` could be missed; open a smaller folder"
            )
    files = [surroundings.current(file) if file is not summary else file for file in files]
    return uses_of(surroundings, symbol, files), files


def _is_duplicated(uses: Uses, symbol: Symbol) -> bool:
    """Whether something else in the same list has the same name, not through an alias."""
    if symbol.kind is Kind.TAG:
        return False  # cases share it
    defining = (place for place in uses.places if place.found.occurrence.defines)
    definitions = {
        it.found.span
        for it in defining
        if it.summary.path == symbol.home
        and (symbol.kind in (Kind.CASE, Kind.TARGET) or it.found.scope == symbol.scope)
    }
    return len(definitions) > 1


def _check_mixed(surroundings: WorkspaceView, uses: Uses) -> None:
    if uses.mixed:
        use = uses.mixed[0]
        raise CannotRenameError(
            f"the same text is also the name of the {use.found.occurrence.kind.value} in "
            f"{location_text(surroundings, use.summary, use.found.at)}, through an alias; write the two "
            "out before renaming one"
        )


def _check_free(surroundings: WorkspaceView, uses: Uses, files: list[Summary], new: str) -> None:
    """Refuse a name that is taken in the same list, or already has a response."""
    taken = {it._replace(name=new) for it in uses.symbols}
    for symbol in [*taken]:
        if symbol.kind is Kind.CASE and not symbol.scope:
            home = next((file for file in files if file.path == symbol.home), None)
            targets = surroundings.targets_for(home) if home is not None else None
            if targets is not None:
                taken.add(symbol._replace(home=targets, scope=("response",)))
        elif symbol.kind is Kind.ANCHOR:
            taken.discard(symbol)
    homes = {it.home for it in uses.symbols}
    kinds = sorted({it.kind for it in uses.symbols})
    for kind, summary in ((kind, summary) for kind in kinds for summary in files):
        for occurrence in summary.named(kind, new):
            clashes = symbol_at(surroundings, summary, occurrence) in taken
            if kind is Kind.ANCHOR:
                clashes = summary.path in homes
            answers = occurrence.occurrence.scope == ("response",)
            if clashes and (occurrence.occurrence.defines or answers):
                location = location_text(surroundings, summary, occurrence.at)
                subject = "an answer to a case" if answers else f"{_an(kind)}"
                raise CannotRenameError(
                    f"{subject} named `{new}` is already there, in {location}; choose another name"
                )


def _an(kind: Kind) -> str:
    word = _WORDS[kind]
    return f"an {word}" if word[0] in "ae" else f"a {word}"


def _check_unread(surroundings: WorkspaceView, symbol: Symbol, files: list[Summary]) -> None:
    """Refuse if a part of a file does not parse and may contain the name."""
    for summary in files:
        text = surroundings.text_of(summary) if summary.unread else None
        if text is None:
            continue
        known = [it.span for it in summary.named(symbol.kind, symbol.name)]
        for part in summary.unread:
            for match in re.finditer(re.escape(symbol.name), text[part.start : part.end]):
                offset = part.start + match.start()
                if not any(span.start <= offset < span.end for span in known):
                    place = location_text(surroundings, summary, Span(offset, offset))
                    raise CannotRenameError(
                        f"`{symbol.name}` stands in {place}, in a part that does not parse, so it "
                        "is unknown what it names; fix that first"
                    )


def _edits(surroundings: WorkspaceView, places: list[Use], new: str) -> list[FileEdits]:
    by_file: dict[Path | None, tuple[str, dict[Span, Edit]]] = {}
    formulas: dict[Path | None, tuple[Summary, FormulaEdits]] = {}
    for summary, occurrence in places:
        if summary.path not in by_file:
            by_file[summary.path] = (surroundings.text_of(summary) or "", {})
        text, edits = by_file[summary.path]
        if occurrence.occurrence.formula is not None:
            _, in_formulas = formulas.setdefault(summary.path, (summary, FormulaEdits()))
            if not in_formulas.add(occurrence.occurrence, occurrence.span, new):
                raise CannotRenameError(
                    f"the gate in {location_text(surroundings, summary, occurrence.span)} cannot "
                    f"name `{new}`; choose another name"
                )
            continue
        old_text = text[occurrence.span.start : occurrence.span.end]
        new_text = (
            new
            if occurrence.occurrence.kind is Kind.ANCHOR
            else spelled(new, old_text, is_json=summary.kind == "dataset")
        )
        if new_text is None:
            raise _written_as_block(surroundings, summary, occurrence.span)
        edits[occurrence.span] = Edit(occurrence.span, new_text)
    for path, (summary, in_formulas) in formulas.items():
        text, edits = by_file[path]
        for edit in in_formulas.edits(text, is_json=False):
            if isinstance(edit, Span):
                raise _written_as_block(surroundings, summary, edit)
            edits[edit.span] = edit
    return [
        FileEdits(path, text, tuple(edits[it] for it in sorted(edits)))
        for path, (text, edits) in by_file.items()
    ]


def _written_as_block(
    surroundings: WorkspaceView, summary: Summary, span: Span
) -> CannotRenameError:
    return CannotRenameError(
        f"the name in {location_text(surroundings, summary, span)} is written as a block of "
        "text; write it on one line first"
    )


def _check_gates(
    surroundings: WorkspaceView,
    places: list[Use],
    edits: list[FileEdits],
    files: list[Summary],
    old: str,
    new: str,
) -> None:
    """Refuse a name with which a gate or a metric would mean something else."""
    kinds = {place.found.occurrence.kind for place in places} - {Kind.RUBRIC}
    kind = kinds.pop() if len(kinds) == 1 else Kind.EVALUATOR if kinds else Kind.RUBRIC
    owners = frozenset(place.found.occurrence.owner for place in places)
    texts = {edit.path: Fix("", edit.edits).apply(edit.text) for edit in edits}
    for summary in files:
        if summary.kind not in ("suite", "sidecar"):
            continue
        beside = surroundings.beside(summary)
        if summary.path not in texts and (beside is None or beside.path not in texts):
            continue
        old_texts = [surroundings.text_of(it) or "" for it in (summary, beside) if it is not None]
        before = _figures(summary, old_texts)
        if before is None:
            continue
        new_texts = [
            texts.get(it.path, surroundings.text_of(it) or "")
            for it in (summary, beside)
            if it is not None
        ]
        after = _figures(summary, new_texts)
        changed = (
            changed_formula(before, after, Renamed(kind, old, new, owners))
            if after is not None
            else ""
        )
        if changed is not None:
            what = f"the gate or metric `{changed}`" if changed else "the suite"
            raise CannotRenameError(
                f"{what} would mean something else if `{old}` were named `{new}`; choose another name"
            )


def _figures(summary: Summary, texts: list[str]) -> SuiteFigures | None:
    if summary.kind == "suite":
        suite = parse_suite(texts[0])
    elif len(texts) > 1:
        suite = parse_dataset(texts[1], texts[0])
    else:
        return None
    return suite_figures(suite) if has_figures(suite) else None
