"""What is offered at a selection."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from suitecase.ide.refactoring.cases import case_copies, rubric_splits, turn_splits
from suitecase.ide.refactoring.judges import judge_fields, named_judge, prompt_files
from suitecase.ide.refactoring.meaning import holds, placed
from suitecase.ide.refactoring.message_forms import message_forms
from suitecase.ide.refactoring.part import Kind, NewFile, Part, Proposal, part_at
from suitecase.ide.refactoring.rubrics import missing_ranges, rubric_forms, score_range_forms
from suitecase.ide.refactoring.schema_forms import schema_forms
from suitecase.ide.refactoring.suite_evaluators import suite_evaluators
from suitecase.rule import Edit
from suitecase.suite.parsed import ParsedSuite
from suitecase.suite.workspace import Folder
from suitecase.syntax.node import Span

#: In the order in which they are offered.
_FAMILIES: tuple[Callable[[Part], Iterator[Proposal]], ...] = (
    score_range_forms,
    rubric_forms,
    message_forms,
    schema_forms,
    judge_fields,
    missing_ranges,
    named_judge,
)
#: What makes several cases of one, in the order in which it is offered; each holds already.
_OF_CASES: tuple[Callable[[Part], Iterator[tuple[str, Edit]]], ...] = (
    turn_splits,
    rubric_splits,
    case_copies,
)


@dataclass(frozen=True, slots=True)
class Refactoring:
    """Edits of a document that say the same in another way, as an editor offers them.

    `created` is a file that has to be made with them.
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
    """Yield the other ways to write what a selection of the document touches.

    Of a selection that reaches over several cases the first one counts.

    Args:
        suite: the suite.
        selection: a stretch of the document.
        folder: the suite's folder, where prompts are looked up; None for a suite that is not a file.
        creates_files: whether the editor can make a file together with edits.
    """
    part = part_at(suite, selection)
    if part is None:
        return
    proposals = [it for family in _FAMILIES for it in family(part)]
    if folder is not None:
        proposals += prompt_files(part, folder, creates_files=creates_files)
    for it in proposals:
        if holds(part, it):
            yield Refactoring(it.title, it.kind, placed(part, it.edits), it.created)
    for of_cases in _OF_CASES:
        for title, edit in of_cases(part):
            yield Refactoring(title, "refactor.rewrite", (edit,))
    for title, edits in suite_evaluators(part):
        yield Refactoring(title, "refactor.rewrite", edits)
