"""The refactorings offered for a selection."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from suitecase.editor.refactoring.cases import case_copies, rubric_splits, turn_splits
from suitecase.editor.refactoring.gate_forms import gate_forms
from suitecase.editor.refactoring.judges import judge_fields, named_judge, prompt_files
from suitecase.editor.refactoring.meaning import is_equivalent, placed
from suitecase.editor.refactoring.message_forms import message_forms
from suitecase.editor.refactoring.part import Kind, NewFile, Part, Proposal, part_at
from suitecase.editor.refactoring.rubrics import missing_ranges, rubric_forms, score_range_forms
from suitecase.editor.refactoring.schema_forms import schema_forms
from suitecase.editor.refactoring.suite_evaluators import suite_evaluators
from suitecase.format.rule import Edit
from suitecase.format.workspace import Folder
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.text.node import Span

#: In the order they are offered.
_FAMILIES: tuple[Callable[[Part], Iterator[Proposal]], ...] = (
    score_range_forms,
    rubric_forms,
    message_forms,
    schema_forms,
    judge_fields,
    missing_ranges,
    named_judge,
)
#: Refactorings that turn one case into several, in the order they are offered; already verified.
_OF_CASES: tuple[Callable[[Part], Iterator[tuple[str, Edit]]], ...] = (
    turn_splits,
    rubric_splits,
    case_copies,
)


@dataclass(frozen=True, slots=True)
class Refactoring:
    """An equivalent rewrite of part of a document, as an editor offers it.

    `created` is a file to create along with it.
    """

    title: str
    kind: Kind
    edits: tuple[Edit, ...]
    created: NewFile | None = None


def refactorings(
    suite: ParsedSuite,
    selection: Span,
    folder: Folder | None = None,
    *,
    creates_files: bool = False,
) -> Iterator[Refactoring]:
    """Yield the refactorings of what a selection of the document touches.

    If a selection spans several cases, the first one counts.

    Args:
        suite: the suite.
        selection: a span of the document.
        folder: the suite's folder, where prompts are looked up; None for a suite that is not a
            file.
        creates_files: whether the editor can create a file along with edits.
    """
    part = part_at(suite, selection)
    if part is None:
        return
    proposals = [it for family in _FAMILIES for it in family(part)]
    if folder is not None:
        proposals += prompt_files(part, folder, creates_files=creates_files)
    for proposal in proposals:
        if is_equivalent(part, proposal):
            yield Refactoring(
                proposal.title, proposal.kind, placed(part, proposal.edits), proposal.created
            )
    for of_cases in _OF_CASES:
        for title, edit in of_cases(part):
            yield Refactoring(title, "refactor.rewrite", (edit,))
    for title, edits in suite_evaluators(part):
        yield Refactoring(title, "refactor.rewrite", edits)
    for title, edits in gate_forms(part):
        yield Refactoring(title, "refactor.rewrite", edits)
