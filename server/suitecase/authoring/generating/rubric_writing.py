"""Inserting proposals into the current text of a suite, and checking the result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from suitecase.authoring.generating.rubric_edits import KEY, Rubrics, rubric_edits
from suitecase.checking.check import check
from suitecase.format.reading import parse_document
from suitecase.format.rewriting.lines import apply
from suitecase.format.rule import Edit, Severity
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedHead, ParsedSuite
from suitecase.text.node import Mapping as Tree
from suitecase.text.node import plain

_NOT_ADDED = (
    "suitecase cannot add a list to a case with this formatting; put its keys on lines of their own"
)


@dataclass(frozen=True, slots=True)
class Parsed:
    """A text with the rubrics of some cases; `refused` has the others with the reason, by id."""

    text: str
    cases: tuple[str, ...]
    refused: Mapping[str, str]


def has_rubrics(case: ParsedCase) -> str | None:
    """Return where a case has rubrics of its own, if it has any."""
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
    for evaluator in listed or ():
        if getattr(evaluator, KEY, None):
            return f"the evaluator `{evaluator.name}`"
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

    Rubrics are refused if they would cause a new error, or if the case has changed meanwhile.

    Args:
        text: the current text.
        path: its path.
        root: the root of its workspace.
        proposals: the rubrics, by the id of their case.
        asked_about: the text of each case at the time of the proposal, by id.
        replace: replace existing rubrics.
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
        result = _edits(suite, name, rubrics, asked_about[name], replace=replace)
        if isinstance(result, str):
            refused[name] = result
        else:
            edits[name] = result
    together = apply(text, (it for result in edits.values() for it in result))
    if problem(together) is None:
        return Parsed(together, tuple(edits), refused)
    accepted: list[Edit] = []
    for name, result in list(edits.items()):
        why = problem(apply(text, (*accepted, *result)))
        if why is None:
            accepted += result
        else:
            refused[name] = why
            del edits[name]
    return Parsed(apply(text, accepted), tuple(edits), refused)


def _edits(
    suite: ParsedSuite, name: str, rubrics: Rubrics, asked_about: str, *, replace: bool
) -> tuple[Edit, ...] | str:
    """Return the edits that insert the rubrics of a case, or why there are none."""
    number = suite.case_named(name)
    if number is None:
        return "the case is no longer in the suite"
    case = suite.cases[number]
    if suite.document.segmented and case.source != asked_about:
        return "the case was changed while its rubrics were proposed; propose them again"
    if KEY in (case.node or ()) and not replace:
        return "the case has rubrics meanwhile"
    return rubric_edits(suite, number, rubrics) or _NOT_ADDED


def _without_rubrics(suite: ParsedSuite) -> Iterator[dict[str, Any]]:
    """Yield the content of a suite without the rubrics of cases."""
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
    findings = (*analysis.findings, *analysis.silenced, *analysis.known)
    return Counter(finding.message for finding in findings if finding.severity is Severity.ERROR)
