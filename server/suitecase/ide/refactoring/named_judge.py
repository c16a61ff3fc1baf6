"""The rubrics of a case as the evaluator they stand for, where more can be said of the judge."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.ide.refactoring.part import Part, Proposal
from suitecase.rewriting.lines import column, dash_of, hanging, indented, newline, removed, shifted
from suitecase.rule import Edit
from suitecase.suite.resolve import RUBRIC
from suitecase.syntax.node import Entry, Mapping, Node, Sequence, Span

_FIELDS = (f"name: {RUBRIC}", "type: llm_judge")


def named_judge(part: Part) -> Iterator[Proposal]:
    """Propose to write the rubrics of a case as the evaluator that they become.

    Not where the case would then no longer be graded by the suite's evaluators.
    """
    node = part.written.content.node
    if part.number is None or not isinstance(node, Mapping) or part.suite.appends:
        return
    entry = node.entries.get("rubrics")
    if entry is None or entry.merged or not part.touches(entry.key.span):
        return
    if not isinstance(entry.value, Sequence) or not entry.value.items:
        return
    if "evaluators" in node or _listed(node.get("execution")) is not None:
        own = _listed(node.get("execution")) or node.get("evaluators")
        edits = _into(part.text, node, entry, own) if isinstance(own, Sequence) else None
    elif _suite_lists_evaluators(part):
        return
    else:
        edits = _in_place(part.text, node, entry)
    if edits is not None:
        title = f"Write the rubrics as an evaluator named `{RUBRIC}`"
        yield Proposal(title, "refactor.extract", edits)


def _listed(execution: Node | None) -> Node | None:
    return execution.get("evaluators") if isinstance(execution, Mapping) else None


def _suite_lists_evaluators(part: Part) -> bool:
    head = part.suite.head.node
    return head is None or _listed(head.get("execution")) is not None or "evaluators" in head


def _in_place(text: str, node: Mapping, entry: Entry) -> tuple[Edit, ...]:
    """Write the list of evaluators where the rubrics stand."""
    start = Span(entry.key.start, entry.key.start)
    if node.flow:
        quoted = entry.key.style == '"'
        lead = (
            f'"evaluators": [{{"name": "{RUBRIC}", "type": "llm_judge", '
            if quoted
            else f"evaluators: [{{{', '.join(_FIELDS)}, "
        )
        return Edit(start, lead), Edit(Span(entry.value.end, entry.value.end), "}]")
    br, depth = newline(text), column(text, entry.key.start)
    inner = f"{br}{' ' * (depth + 4)}"
    lead = f"evaluators:{br}{' ' * (depth + 2)}- {inner.join(_FIELDS)}{inner}"
    return Edit(start, lead), *shifted(text, Span(entry.key.start, entry.value.end), 4)


def _into(text: str, node: Mapping, entry: Entry, own: Sequence) -> tuple[Edit, ...] | None:
    """Write the evaluator in front of the case's own, for it grades first."""
    if not own.items or any(_is_named(it) for it in own.items):
        return None
    gone = removed(text, node, entry.key)
    if gone is None:
        return None
    written = text[entry.key.start : entry.value.end]
    first = own.items[0]
    if own.flow:
        if "\n" in written:
            return None
        lead = f"{{{', '.join(_FIELDS)}, {written}}}, "
        return Edit(Span(first.start, first.start), lead), *gone
    dash = dash_of(text, first)
    if dash is None:
        return None
    br, depth = newline(text), column(text, dash)
    # The lines of the list stand as deep below their key as they did.
    by = -column(text, entry.key.start)
    lines = hanging(written, by) if by else written
    item = indented(hanging(br.join((f"- {_FIELDS[0]}", _FIELDS[1], lines)), 2), depth)
    return Edit(Span(dash, dash), f"{item[depth:]}{br}{' ' * depth}"), *gone


def _is_named(evaluator: Node) -> bool:
    name = evaluator.get("name") if isinstance(evaluator, Mapping) else None
    return getattr(name, "text", None) == RUBRIC
