"""Renaming in suites of other tools: variables of tests, labels of providers and prompts, names of scores."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NoReturn

from suitecase.editor.index.occurrence import FIXED
from suitecase.editor.navigation.file_edits import CannotRenameError, FileEdits, location_text
from suitecase.editor.navigation.linked_suites import LinkedName
from suitecase.editor.navigation.spelled_name import spelled
from suitecase.editor.navigation.symbol import Use
from suitecase.editor.navigation.workspace_view import WorkspaceView
from suitecase.format.rule import Edit
from suitecase.schema.key_roles import Kind
from suitecase.text.node import Span

_WORDS = {
    Kind.TEST_VARIABLE: "variable",
    Kind.PROVIDER: "provider",
    Kind.PROMPT_LABEL: "prompt",
    Kind.SCORE_NAME: "metric",
}
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
#: Words that templates read as something else than a variable.
_TAKEN = frozenset(
    [
        "and",
        "or",
        "not",
        "in",
        "is",
        "if",
        "else",
        "for",
        "true",
        "false",
        "none",
        "null",
        "env",
        "loop",
        "super",
    ]
)
_JSON = (".json", ".jsonl")
_NOT_IN_NAMES = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]")


def rename_linked(surroundings: WorkspaceView, linked: LinkedName, new: str) -> list[FileEdits]:
    """Return the edits that rename a name in all suites that share it.

    Raises:
        CannotRenameError: the new name is not possible, or not all uses are certain.
    """
    _check_name(linked, new)
    if new == linked.name:
        return []
    if not surroundings.is_complete:
        raise CannotRenameError(
            f"this workspace has too many suites to index, so some that use `{linked.name}` could be "
            "missed; open a smaller folder"
        )
    _check_uses(surroundings, linked)
    _check_free(surroundings, linked, new)
    if linked.kind is Kind.TEST_VARIABLE:
        _check_files(surroundings, linked)
        _check_code(surroundings, linked)
    _check_unread(surroundings, linked)
    by_file: dict[Path | None, tuple[str, dict[Span, Edit]]] = {}
    for use in linked.uses:
        path, span = use.summary.path, use.found.span
        if path not in by_file:
            text = surroundings.text_of(use.summary)
            by_file[path] = (text or "", {})
        text, edits = by_file[path]
        edits[span] = Edit(span, _written(surroundings, use, new, text[span.start : span.end]))
    return [
        FileEdits(path, text, tuple(edits[edit] for edit in sorted(edits)))
        for path, (text, edits) in by_file.items()
    ]


def _check_name(linked: LinkedName, new: str) -> None:
    word = _WORDS[linked.kind]
    if not new:
        raise CannotRenameError(f"a {word} needs a name")
    if _NOT_IN_NAMES.search(new):
        raise CannotRenameError(f"the name of a {word} must be one line of text")
    in_formula = linked.kind is Kind.SCORE_NAME and any(
        not use.found.occurrence.defines for use in linked.uses
    )
    if in_formula and not _IDENTIFIER.fullmatch(new):
        raise CannotRenameError(
            f"a formula names `{linked.name}`, and cannot name `{new}`: it takes letters (a to z), "
            "digits and `_`, and no digit first"
        )
    if linked.kind is not Kind.TEST_VARIABLE:
        return
    if not _IDENTIFIER.fullmatch(new):
        raise CannotRenameError(
            f"`{new}` cannot name a variable: templates take letters (a to z), digits and `_`, and "
            "no digit first"
        )
    if new in _TAKEN:
        raise CannotRenameError(f"`{new}` means something else in templates; choose another name")


def _check_uses(surroundings: WorkspaceView, linked: LinkedName) -> None:
    word, name = _WORDS[linked.kind], linked.name
    if not any(it.found.occurrence.defines for it in linked.uses):
        if linked.kind is Kind.TEST_VARIABLE:
            reason = (
                f"no test gives a value to `{name}`, as far as the files of this workspace show"
            )
        else:
            reason = f"no {word} here has the label `{name}`"
        raise CannotRenameError(f"{reason}, so there is nothing to rename")
    for use in linked.uses:
        if use.found.occurrence.scope != FIXED:
            continue
        place = location_text(surroundings, use.summary, use.found.at)
        if linked.kind is Kind.TEST_VARIABLE and use.found.occurrence.defines:
            raise CannotRenameError(
                f"`{name}` in {place} is shared through a merge key, so other mappings have it, too; "
                "write it out before renaming it"
            )
        if linked.kind is Kind.TEST_VARIABLE:
            text = (surroundings.text_of(use.summary) or "")[slice(*use.found.span)].strip("'\"")
            if text != name:
                raise CannotRenameError(
                    f"`{text}` in {place} reads the variable `{name}` by that name, which is fixed"
                )
            _refuse_code(name, place)
        what = "what is loaded" if linked.kind is Kind.PROVIDER else "what it is"
        raise CannotRenameError(
            f"`{name}` in {place} says {what}, so it is more than a name; give the {word} a `label`, "
            "and use that"
        )


def _refuse_code(name: str, place: str) -> NoReturn:
    raise CannotRenameError(
        f"the code in {place} may read `{name}` in a way that cannot be renamed here; change it to "
        f"`vars.{name}` or `vars['{name}']` first"
    )


def _check_free(surroundings: WorkspaceView, linked: LinkedName, new: str) -> None:
    for suite in linked.suites:
        for use in suite.uses(linked.kind, new):
            place = location_text(surroundings, use.summary, use.found.at)
            raise CannotRenameError(
                f"a {_WORDS[linked.kind]} named `{new}` is already there, in {place}; choose another "
                "name"
            )


def _check_files(surroundings: WorkspaceView, linked: LinkedName) -> None:
    """Refuse where a file outside of the workspace may use the variable."""
    root = surroundings.workspace.root
    for suite in linked.suites:
        folder = suite.summary.path.parent if suite.summary.path is not None else root
        for summary in suite.files:
            for found in summary:
                name = found.occurrence.name
                if found.occurrence.kind is not Kind.FILE or "\0" in name:
                    continue
                if not Path(os.path.normpath(folder / name)).is_relative_to(root):
                    place = location_text(surroundings, summary, found.at)
                    raise CannotRenameError(
                        f"`{name}` in {place} is outside of the workspace and may use "
                        f"`{linked.name}`; open a folder that contains it"
                    )


def _check_code(surroundings: WorkspaceView, linked: LinkedName) -> None:
    """Refuse where a program has the name as a text: it may be how it reads or gives the variable."""
    known = {(use.summary.path, use.found.span.start) for use in linked.uses}
    pattern = re.compile(rf"""(?P<quote>['"`]){re.escape(linked.name)}(?P=quote)""")
    for suite in linked.suites:
        for path in sorted(suite.code):
            text = surroundings.text(path) or ""
            for match in pattern.finditer(text):
                if (path, match.start() + 1) not in known:
                    span = Span(match.start() + 1, match.end() - 1)
                    place = location_text(surroundings, suite.named[path], span)
                    _refuse_code(linked.name, place)


def _check_unread(surroundings: WorkspaceView, linked: LinkedName) -> None:
    """Refuse if a part of a suite does not parse and may contain the name."""
    known = {(use.summary.path, use.found.span.start) for use in linked.uses}
    for suite in linked.suites:
        for start, end in suite.summary.unread:
            text = surroundings.text_of(suite.summary) or ""
            for match in re.finditer(rf"\b{re.escape(linked.name)}\b", text[start:end]):
                offset = start + match.start()
                if (suite.summary.path, offset) not in known:
                    place = location_text(surroundings, suite.summary, Span(offset, offset))
                    raise CannotRenameError(
                        f"`{linked.name}` stands in {place}, in a part that does not parse, so it is "
                        "unknown what it names; fix that first"
                    )


def _written(surroundings: WorkspaceView, use: Use, new: str, old_text: str) -> str:
    """Return the text of a new name in the place of an old one."""
    occurrence = use.found.occurrence
    if occurrence.kind in (Kind.TEST_VARIABLE, Kind.SCORE_NAME) and not occurrence.defines:
        return new  # in a template, in code, or in a formula
    path = use.summary.path
    is_json = path is not None and path.suffix.lower() in _JSON
    text = spelled(new, old_text, is_json=is_json)
    if text is None:
        place = location_text(surroundings, use.summary, use.found.span)
        raise CannotRenameError(
            f"the name in {place} is written as a block of text; write it on one line first"
        )
    return text
