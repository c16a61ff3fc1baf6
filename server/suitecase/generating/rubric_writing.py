"""Proposals written into the text of a suite as it is now, and checked before anyone keeps it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from suitecase.checking.check import check
from suitecase.generating.rubric_edits import KEY, Rubrics, rubric_edits
from suitecase.rewriting.lines import apply
from suitecase.rule import Edit, Severity
from suitecase.suite.parsed import ParsedCase, ParsedHead, ParsedSuite
from suitecase.suite.reading import parse_document
from suitecase.suite.workspace import Folder, Workspace
from suitecase.syntax.node import Mapping as Tree
from suitecase.syntax.node import plain

_NOT_ADDED = (
    "the case is written in a way that suitecase cannot add a list to; put its keys on lines of "
    "their own"
)


@dataclass(frozen=True, slots=True)
class Parsed:
    """A text with the rubrics of some cases; `refused` says of the others why not, by id."""

    text: str
    cases: tuple[str, ...]
    refused: Mapping[str, str]


def has_rubrics(case: ParsedCase) -> str | None:
    """Return where a case has rubrics of its own; None where it has none."""
    node = case.node
    if node is None:
        return None
    if KEY in node:
        raw = case.content.node
        return f"`{KEY}`" if isinstance(raw, Tree) and KEY in raw else "a list of another format"
    if case.model is None:
        return None
    execution = case.model.execution
    listed = execution.evaluators if execution and execution.evaluators else case.model.evaluators
    for it in listed or ():
        if getattr(it, KEY, None):
            return f"the evaluator `{it.name}`"
    return None


def with_rubrics(
    text: str,
    path: Path,
    root: Path,
    proposals: Mapping[str, Rubrics],
    *,
    asked_about: Mapping[str, str],
    replace: bool,
) -> Parsed:
    """Return the text of a suite with rubrics.

    What would give the suite errors it does not have is left out, and so is a case that is not the
    one any more that was asked about.

    Args:
        text: the text as it is now.
        path: where it lies.
        root: the root of its workspace.
        proposals: the rubrics, by the id of their case.
        asked_about: the text of each case when it was asked about, by id.
        replace: rubrics that are there are replaced; else they are left.
    """
    refused: dict[str, str] = {}
    suite = _read(text, path, root)
    if suite is None:
        return Parsed(text, (), dict.fromkeys(proposals, "the file is no longer a suite"))
    errors = _errors(suite, path, root)

    def problem(changed: str) -> str | None:
        again = _read(changed, path, root, reuse=suite)
        if again is None or [*_without_rubrics(again)] != [*_without_rubrics(suite)]:
            return _NOT_ADDED
        new = _errors(again, path, root) - errors
        return f"the suite would have an error: {next(iter(new))}" if new else None

    edits: dict[str, tuple[Edit, ...]] = {}
    for name, rubrics in proposals.items():
        found = _edits(suite, name, rubrics, asked_about[name], replace=replace)
        if isinstance(found, str):
            refused[name] = found
        else:
            edits[name] = found
    together = apply(text, (it for found in edits.values() for it in found))
    if problem(together) is None:
        return Parsed(together, tuple(edits), refused)
    kept: list[Edit] = []
    for name, found in list(edits.items()):
        why = problem(apply(text, (*kept, *found)))
        if why is None:
            kept += found
        else:
            refused[name] = why
            del edits[name]
    return Parsed(apply(text, kept), tuple(edits), refused)


def _edits(
    suite: ParsedSuite, name: str, rubrics: Rubrics, asked_about: str, *, replace: bool
) -> tuple[Edit, ...] | str:
    """Return the edits that give a case its rubrics, or why there are none."""
    number = suite.case_named(name)
    if number is None:
        return "the case is not in the suite any more"
    case = suite.cases[number]
    if suite.document.segmented and case.source != asked_about:
        return "the case was changed while its rubrics were proposed; propose them again"
    if KEY in (case.node or ()) and not replace:
        return "the case has rubrics by now"
    return rubric_edits(suite, number, rubrics) or _NOT_ADDED


def _without_rubrics(suite: ParsedSuite) -> Iterator[dict[str, Any]]:
    """Yield what the parts of a suite say beside the rubrics of cases."""
    parts: list[ParsedHead | ParsedCase] = [suite.head, *suite.cases]
    for part in parts:
        yield {key: plain(it.value) for key, it in part.node or () if key != KEY}


def _read(
    text: str, path: Path, root: Path, *, reuse: ParsedSuite | None = None
) -> ParsedSuite | None:
    suite = parse_document(path, text, Workspace(root), reuse=reuse)
    return suite if isinstance(suite, ParsedSuite) else None


def _errors(suite: ParsedSuite, path: Path, root: Path) -> Counter[str]:
    analysis = check(suite, Folder(Workspace(root), path.parent), path)
    found = (*analysis.findings, *analysis.silenced, *analysis.known)
    return Counter(it.message for it in found if it.severity is Severity.ERROR)
