"""What an evaluator has to say and does not: its name, that it is a judge, what a judge is asked."""

from __future__ import annotations

import json
from collections.abc import Iterator

from suitecase.ide.refactoring.part import Part, Proposal
from suitecase.rewriting.lines import added_before, column, line_end, newline
from suitecase.rewriting.names import plain_name
from suitecase.rule import Edit
from suitecase.suite.elements import ParsedEvaluator, ParsedEvaluators
from suitecase.syntax.node import Entry, Mapping, Scalar, Span
from suitecase.taken_names import unique_name

_JUDGE = "llm_judge"
#: Only a judge has these.
_OF_JUDGES = ("rubrics", "prompt")
_AGGREGATION = "Say how good the answer is, from these results: {{ EVALUATOR_RESULTS_JSON }}"


def judge_fields(part: Part) -> Iterator[Proposal]:
    """Propose the fields that an evaluator that is touched lacks and that follow from the rest."""
    for listed in part.written.elements():
        if not isinstance(listed, ParsedEvaluators):
            continue
        taken = {it.name.text for it in listed.items if it.name is not None}
        for evaluator in listed.items:
            if part.touches(evaluator.node.span):
                found = _added(part, evaluator, taken)
                if found is not None:
                    yield found


def _added(part: Part, evaluator: ParsedEvaluator, taken: set[str]) -> Proposal | None:
    text, node = part.text, evaluator.node
    entries = [it for it in node.entries.values() if not it.merged]
    if not entries:
        return None
    first = min(entries, key=lambda it: it.key.start)
    lines: dict[str, str] = {}
    is_judge = "type" not in node and any(it in node for it in _OF_JUDGES)
    if "name" not in node and (evaluator.type or is_judge):
        base = "judge" if is_judge or evaluator.type == _JUDGE else str(evaluator.type)
        name = unique_name(base, taken)
        lines["name"] = name if part.is_json else plain_name(name)
    edits: list[Edit] = []
    if is_judge:
        lines["type"] = _JUDGE
    if lines:
        written = [_line(key, value, is_json=part.is_json) for key, value in lines.items()]
        edit = _before(text, node, first, written)
        if edit is None:
            return None
        edits.append(edit)
    aggregator = node.get("aggregator")
    if isinstance(aggregator, Mapping) and "prompt" not in aggregator:
        kind = aggregator.entries.get("type")
        if kind is not None and isinstance(kind.value, Scalar) and kind.value.text == _JUDGE:
            line = f'"prompt": "{_AGGREGATION}"' if part.is_json else f'prompt: "{_AGGREGATION}"'
            edits.append(_behind(text, aggregator, kind, line))
            lines["prompt"] = _AGGREGATION
    if not edits:
        return None
    what = " and ".join(f"`{it}`" for it in lines)
    return Proposal(f"Add the missing {what}", "refactor.rewrite", tuple(edits), adds=True)


def _line(key: str, value: str, *, is_json: bool) -> str:
    return f'"{key}": {json.dumps(value, ensure_ascii=False)}' if is_json else f"{key}: {value}"


def _before(text: str, node: Mapping, first: Entry, written: list[str]) -> Edit | None:
    """Write entries in front of the first one; a type goes behind the name where that is there."""
    name = node.entries.get("name")
    if name is not None and not name.merged:
        return _behind(text, node, name, written[0])
    separator = ", " if node.flow else newline(text) + " " * column(text, first.key.start)
    return added_before(text, node, first, separator.join(written))


def _behind(text: str, node: Mapping, entry: Entry, line: str) -> Edit:
    end = entry.value.end
    if node.flow:
        return Edit(Span(end, end), f", {line}")
    end = line_end(text, end)
    lead = " " * column(text, entry.key.start)
    br = newline(text)
    at_end = not text[:end].endswith("\n")
    return Edit(Span(end, end), f"{br}{lead}{line}" if at_end else f"{lead}{line}{br}")
