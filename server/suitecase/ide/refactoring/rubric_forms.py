"""Rubrics as texts, and as mappings in which more can be said of them."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.ide.refactoring.part import Part, Proposal
from suitecase.rewriting.lines import column, dash_of, shifted
from suitecase.rule import Edit
from suitecase.suite.elements import ParsedRubrics
from suitecase.syntax.node import Mapping, Node, Scalar, Sequence, Span

_OUTCOME = "expected_outcome"


def rubric_forms(part: Part) -> Iterator[Proposal]:
    """Propose to write the rubrics that are touched as mappings; or as texts if they are no more."""
    as_mapping: list[list[Edit]] = []
    as_text: list[list[Edit]] = []
    for element in part.written.elements():
        if not isinstance(element, ParsedRubrics):
            continue
        listed = element.node
        for item in listed.items:
            if not part.touches(item.span):
                continue
            if isinstance(item, Scalar):
                as_mapping.append(_to_mapping(part.text, listed, item))
            elif isinstance(item, Mapping) and list(item.entries) == [_OUTCOME]:
                as_text.append(_to_text(part.text, item))
    if as_mapping:
        yield _proposal(as_mapping, "as a mapping", "as mappings")
    if as_text:
        yield _proposal(as_text, "as a text", "as texts")


def _proposal(edits: list[list[Edit]], one: str, many: str) -> Proposal:
    what = f"the rubric {one}" if len(edits) == 1 else f"the {len(edits)} rubrics {many}"
    return Proposal(f"Write {what}", "refactor.rewrite", tuple(it for its in edits for it in its))


def _to_mapping(text: str, listed: Sequence, item: Scalar) -> list[Edit]:
    start = Span(item.start, item.start)
    if listed.flow:
        name = f'"{_OUTCOME}"' if item.style == '"' and _is_json(text, listed) else _OUTCOME
        end = Span(item.end, item.end)
        return [Edit(start, f"{{{name}: "), Edit(end, "}")]
    return [Edit(start, f"{_OUTCOME}: "), *shifted(text, item.span, _depth(text, item))]


def _to_text(text: str, item: Mapping) -> list[Edit]:
    value = item.entries[_OUTCOME].value
    edits = [Edit(Span(item.start, value.start), "")]
    if item.flow:
        return [*edits, Edit(Span(value.end, item.end), "")]
    return [*edits, *shifted(text, value.span, -_depth(text, item))]


def _depth(text: str, item: Node) -> int:
    """Return how much deeper the lines of a text stand that is the value of a key of the item."""
    dash = dash_of(text, item)
    return 2 if dash is None else column(text, item.start) - column(text, dash)


def _is_json(text: str, listed: Sequence) -> bool:
    """Whether texts in brackets stand where keys are quoted too, as in JSON."""
    before = text[: listed.start].rstrip()
    return before.endswith('":')
