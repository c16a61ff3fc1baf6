"""Suites with what is offered to write otherwise in them, and what becomes of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent, indent
from typing import Any

from suitecase.checking.check import check
from suitecase.editor.refactoring import Refactoring, refactorings
from suitecase.format.rewriting.lines import apply
from suitecase.format.rule import Severity
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.effective_suite import UnsoundSuiteError
from suitecase.formats.suitecase.parsed import ParsedSuite, parse_suite
from suitecase.formats.suitecase.resolve import resolve
from suitecase.formats.suitecase.show import shown_suite
from suitecase.text.node import Span
from suitecase_evaluators.answers.rubric import Rubric, named
from support.ide.marked_suite import marked


def offered(text: str) -> dict[str, str]:
    """Return what is offered where the `|` of a text stands, by title, as the text it makes."""
    written, at = marked(text)
    return made(written, Span(at, at))


def made(written: ParsedSuite, span: Span) -> dict[str, str]:
    text = written.document.text
    return {it.title: apply(text, it.edits) for it in refactorings(written, span)}


def only_offered(text: str, title: str) -> str:
    """Return the text that an offer makes, which is the only one with that in its title."""
    (found,) = (it for name, it in offered(text).items() if title in name)
    return found


def suite_of(case: str) -> str:
    """Return a suite of a case, of which the rest is given, with its mark."""
    head = "evalcases:\n  - id: greet\n    input: Hi\n    expected_outcome: Says hello\n"
    return head + indent(dedent(case), "    ")


def everywhere(written: ParsedSuite, folder: Folder, step: int = 1) -> Iterator[Refactoring]:
    """Yield what is offered at any offset of a suite, or each so many, and makes no file, each once."""
    seen: set[Refactoring] = set()
    text = written.document.text
    for at in range(0, len(text) + 1, step):
        for it in refactorings(written, Span(at, at), folder):
            if it not in seen:
                seen.add(it)
                yield it


def shown(text: str, path: Path) -> list[Any] | None:
    """Return what `show` says a suite grades by, without lines and origins; None if unsound."""
    written = parse_suite(text)
    folder = Folder(Workspace(path.parent), path.parent)
    try:
        effective = resolve(written, path, folder)
    except UnsoundSuiteError:
        return None
    cases = shown_suite(effective, list(effective.cases), None, folder.shown)["cases"]
    for case in cases:
        del case["line"], case["lines"], case["target"]["line"]
        for evaluator in case["evaluators"]:
            del evaluator["origin"]
            _read_members(evaluator)
    return list(cases)


def _read_members(evaluator: dict[str, Any]) -> None:
    """Read what `show` prints as it is written: schemas, and the rubrics of members."""
    for member in evaluator.get("evaluators") or ():
        _read_members(member)
        rubrics = [
            it if isinstance(it, str) else Rubric.model_validate(it)
            for it in member.get("rubrics") or ()
        ]
        member["rubrics"] = [
            (it.id, it.expected_outcome, it.weight, it.is_required, it.gate, it.ranges)
            for it in named(rubrics)
        ]
    if isinstance(evaluator.get("schema"), str) and evaluator["schema"].strip():
        evaluator["schema"] = json.loads(evaluator["schema"])


def found(text: str, path: Path) -> list[tuple[str, str]]:
    """Return the codes and severities of what is found in a suite, in order of the codes."""
    analysis = check(parse_suite(text), Folder(Workspace(path.parent), path.parent))
    assert analysis.failures == []
    reported = ((it.code, it.severity.value) for it in analysis.findings)
    return sorted(it for it in reported if it[1] != Severity.INFO)
