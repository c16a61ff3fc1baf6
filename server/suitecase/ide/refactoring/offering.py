"""What is offered at a selection."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from suitecase.ide.refactoring.meaning import holds, placed
from suitecase.ide.refactoring.part import Kind, Part, Proposal, part_at
from suitecase.ide.refactoring.rubric_forms import rubric_forms
from suitecase.ide.refactoring.schema_forms import schema_forms
from suitecase.ide.refactoring.score_range_forms import score_range_forms
from suitecase.rule import Edit
from suitecase.suite.written import WrittenSuite
from suitecase.syntax.node import Span

#: In the order in which they are offered.
_FAMILIES: tuple[Callable[[Part], Iterator[Proposal]], ...] = (
    score_range_forms,
    rubric_forms,
    schema_forms,
)


@dataclass(frozen=True, slots=True)
class Refactoring:
    """Edits of a document that say the same in another way, as an editor offers them."""

    title: str
    kind: Kind
    edits: tuple[Edit, ...]


def refactorings(suite: WrittenSuite, selection: Span) -> Iterator[Refactoring]:
    """Yield the other ways to write what a selection of the document touches.

    Of a selection that reaches over several cases the first one counts.
    """
    part = part_at(suite, selection)
    if part is None:
        return
    for family in _FAMILIES:
        for proposal in family(part):
            if holds(part, proposal):
                yield Refactoring(proposal.title, proposal.kind, placed(part, proposal.edits))
