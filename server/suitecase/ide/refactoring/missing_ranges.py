"""Score ranges that leave scores without meaning: the neighbours widened, or ranges added."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.ide.refactoring.part import Part, Proposal
from suitecase.rewriting.score_range_gaps import added_to_list, added_to_map, widened
from suitecase.suite.elements import ParsedRubric
from suitecase.syntax.node import Mapping, Sequence


def missing_ranges(part: Part) -> Iterator[Proposal]:
    """Propose to give the scores a meaning that the ranges that are touched leave without one."""
    for rubric in part.written.elements():
        if not isinstance(rubric, ParsedRubric):
            continue
        entry = rubric.node.entries.get("score_ranges")
        if entry is None or not part.touches_entry(entry):
            continue
        listed, mapped = rubric.listed_ranges(), rubric.mapped_ranges()
        if listed and isinstance(entry.value, Sequence):
            found = [added_to_list(part.text, entry.value, listed), widened(listed)]
        elif mapped and isinstance(entry.value, Mapping):
            found = [added_to_map(part.text, entry.value, mapped)]
        else:
            continue
        for fixed in found:
            if fixed is not None:
                title, edits = fixed
                yield Proposal(title, "refactor.rewrite", edits, adds=True)
