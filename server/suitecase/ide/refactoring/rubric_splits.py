"""A case with several rubrics as several cases: each has a verdict of its own then."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from suitecase.ide.refactoring.case_text import case_text, line_behind
from suitecase.ide.refactoring.meaning import meaning
from suitecase.ide.refactoring.part import Part
from suitecase.rewriting.lines import line_end
from suitecase.rule import Edit
from suitecase.syntax.node import Entry, Sequence, Span
from suitecase_evaluators.rubric import Rubric


def rubric_splits(part: Part) -> Iterator[tuple[str, Edit]]:
    """Yield, where a case's id or its rubrics are touched, what makes a case of each rubric.

    All else stays in each of them, and each is named as its rubric is.
    """
    written = case_text(part)
    entry = written.node.entries.get("rubrics") if written is not None else None
    if written is None or entry is None or entry.merged or not isinstance(entry.value, Sequence):
        return
    if not (part.touches(entry.key.span) or part.touches_entry(written.node.entries["id"])):
        return
    rubrics = written.model.rubrics or []
    if len(rubrics) < 2 or len(rubrics) != len(entry.value.items):
        return
    ids = written.free_ids(
        it.id if isinstance(it, Rubric) and it.id else str(number)
        for number, it in enumerate(rubrics, 1)
    )
    cases: list[str] = []
    meant: list[dict[str, Any]] = []
    for number, new in enumerate(ids):
        edits = _only_item(written.text, entry, entry.value, number)
        if edits is None:
            return
        cases.append(written.copy(new, edits))
        alone = {"id": new, "rubrics": [rubrics[number]]}
        meant.append(meaning(written.model.model_copy(update=alone)))
    edit = written.become(cases, meant)
    if edit is not None:
        yield f"Split the case into {len(ids)}, one for each rubric", edit


def _only_item(text: str, entry: Entry, listed: Sequence, number: int) -> list[Edit] | None:
    """Take all items of a list away but one; the comments above an item go with it."""
    items = listed.items
    if listed.flow:
        before = Edit(Span(items[0].start, items[number].start), "")
        return [before, Edit(Span(items[number].end, items[-1].end), "")]
    ends = [line_behind(text, it) for it in items]
    bounds = [line_end(text, entry.key.end), *(it for it in ends if it is not None)]
    if len(bounds) <= len(items):
        return None
    before = Edit(Span(bounds[0], bounds[number]), "")
    return [before, Edit(Span(bounds[number + 1], bounds[-1]), "")]
