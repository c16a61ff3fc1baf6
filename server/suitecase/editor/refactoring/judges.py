"""Refactorings of judges: missing fields, rubrics as an evaluator, prompts in files."""

from __future__ import annotations

import re
from collections.abc import Iterator

from suitecase.editor.refactoring.part import NewFile, Part, Proposal
from suitecase.format.rewriting.lines import (
    added_before,
    column,
    dash_of,
    hanging,
    indented,
    line_end,
    newline,
    removed,
    shifted,
)
from suitecase.format.rewriting.names import plain_name
from suitecase.format.rule import Edit
from suitecase.format.workspace import Folder
from suitecase.formats.suitecase.elements import ParsedEvaluator, ParsedEvaluators, ParsedJudge
from suitecase.formats.suitecase.implicit_evaluators import RUBRIC
from suitecase.formats.suitecase.prompts import PromptText, prompt_text, prompts_of
from suitecase.text.emitting import in_quotes, yaml_text
from suitecase.text.node import Entry, Mapping, Node, Scalar, Sequence, Span
from suitecase.text.taken_names import unique_name
from suitecase_evaluators.grade.judge.config import LlmJudgeConfig
from suitecase_evaluators.system.path_kinds import is_there

_JUDGE = LlmJudgeConfig.type_name()
#: Only judges have these.
_OF_JUDGES = ("rubrics", "prompt")
_AGGREGATION = "Say how good the answer is, from these results: {{ EVALUATOR_RESULTS_JSON }}"


def judge_fields(part: Part) -> Iterator[Proposal]:
    """Propose the missing fields of a selected evaluator that follow from the others."""
    for listed in part.written.elements():
        if not isinstance(listed, ParsedEvaluators):
            continue
        taken = {item.name.text for item in listed.items if item.name is not None}
        for evaluator in listed.items:
            if part.touches(evaluator.node.span):
                proposal = _added(part, evaluator, taken)
                if proposal is not None:
                    yield proposal


def _added(part: Part, evaluator: ParsedEvaluator, taken: set[str]) -> Proposal | None:
    text, node = part.text, evaluator.node
    entries = [entry for entry in node.entries.values() if not entry.merged]
    if not entries:
        return None
    first = min(entries, key=lambda it: it.key.start)
    lines: dict[str, str] = {}
    is_judge = "type" not in node and any(of_judge in node for of_judge in _OF_JUDGES)
    if "name" not in node and (evaluator.type or is_judge):
        base = "judge" if is_judge or evaluator.type == _JUDGE else str(evaluator.type)
        name = unique_name(base, taken)
        lines["name"] = name if part.is_json else plain_name(name)
    edits: list[Edit] = []
    if is_judge:
        lines["type"] = _JUDGE
    if lines:
        entry_texts = [_line(key, value, is_json=part.is_json) for key, value in lines.items()]
        edit = _before(text, node, first, entry_texts)
        if edit is None:
            return None
        edits.append(edit)
    aggregator = node.get("aggregator")
    if isinstance(aggregator, Mapping) and "prompt" not in aggregator:
        kind = aggregator.entries.get("type")
        if kind is not None and isinstance(kind.value, Scalar) and kind.value.text == _JUDGE:
            line = f'"prompt": "{_AGGREGATION}"' if part.is_json else f'prompt: "{_AGGREGATION}"'
            edits.append(_insert_after(text, aggregator, kind, line))
            lines["prompt"] = _AGGREGATION
    if not edits:
        return None
    field_names = " and ".join(f"`{it}`" for it in lines)
    return Proposal(f"Add the missing {field_names}", "refactor.rewrite", tuple(edits), adds=True)


def _line(key: str, value: str, *, is_json: bool) -> str:
    return f'"{key}": {in_quotes(value)}' if is_json else f"{key}: {value}"


def _before(text: str, node: Mapping, first: Entry, entry_texts: list[str]) -> Edit | None:
    """Insert entries before the first one; a type is inserted after an existing name."""
    name = node.entries.get("name")
    if name is not None and not name.merged:
        return _insert_after(text, node, name, entry_texts[0])
    separator = ", " if node.flow else newline(text) + " " * column(text, first.key.start)
    return added_before(text, node, first, separator.join(entry_texts))


def _insert_after(text: str, node: Mapping, entry: Entry, line: str) -> Edit:
    end = entry.value.end
    if node.flow:
        return Edit(Span(end, end), f", {line}")
    end = line_end(text, end)
    lead = " " * column(text, entry.key.start)
    br = newline(text)
    at_end = not text[:end].endswith("\n")
    return Edit(Span(end, end), f"{br}{lead}{line}" if at_end else f"{lead}{line}{br}")


_FIELDS = (f"name: {RUBRIC}", "type: llm_judge")


def named_judge(part: Part) -> Iterator[Proposal]:
    """Propose to convert the rubrics of a case to an equivalent evaluator.

    Not if the case would then no longer be graded by the suite's evaluators.
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
        own_evaluators = _listed(node.get("execution")) or node.get("evaluators")
        edits = (
            _into(part.text, node, entry, own_evaluators)
            if isinstance(own_evaluators, Sequence)
            else None
        )
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
    """Insert the list of evaluators in place of the rubrics."""
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
    """Insert the evaluator before the case's own, since it grades first."""
    if not own.items or any(_is_named(it) for it in own.items):
        return None
    removal = removed(text, node, entry.key)
    if removal is None:
        return None
    rubrics_text = text[entry.key.start : entry.value.end]
    first = own.items[0]
    if own.flow:
        if "\n" in rubrics_text:
            return None
        lead = f"{{{', '.join(_FIELDS)}, {rubrics_text}}}, "
        return Edit(Span(first.start, first.start), lead), *removal
    dash = dash_of(text, first)
    if dash is None:
        return None
    br, depth = newline(text), column(text, dash)
    # The lines of the list keep their indentation relative to their key.
    by = -column(text, entry.key.start)
    lines = hanging(rubrics_text, by) if by else rubrics_text
    item = indented(hanging(br.join((f"- {_FIELDS[0]}", _FIELDS[1], lines)), 2), depth)
    return Edit(Span(dash, dash), f"{item[depth:]}{br}{' ' * depth}"), *removal


def _is_named(evaluator: Node) -> bool:
    name = evaluator.get("name") if isinstance(evaluator, Mapping) else None
    return getattr(name, "text", None) == RUBRIC


#: The folder for prompts, in the suite's folder.
FOLDER = "prompts"
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9]+")


def prompt_files(part: Part, folder: Folder, *, creates_files: bool) -> Iterator[Proposal]:
    """Propose to move the selected prompt to a file, or to inline that of a file."""
    for evaluator in part.written.elements():
        if not isinstance(evaluator, ParsedEvaluator):
            continue
        for prompt in prompts_of(evaluator, folder):
            entry = prompt.entry
            if entry.merged or not part.touches_entry(entry):
                continue
            if prompt.path is None and isinstance(prompt.text, str):
                if creates_files:
                    name = evaluator.name.text if evaluator.name is not None else ""
                    name = evaluator.judge if isinstance(evaluator, ParsedJudge) else name
                    yield _extracted(entry, prompt.text, name, folder, is_json=part.is_json)
            elif isinstance(prompt.text, str):
                yield from _inlined(part.text, prompt, folder)


def _extracted(entry: Entry, text: str, name: str, folder: Folder, *, is_json: bool) -> Proposal:
    base = _NOT_IN_NAMES.sub("-", name).strip("-").lower() or "prompt"
    number, reference = 1, f"{FOLDER}/{base}.md"
    while is_there(folder.path / reference):
        number += 1
        reference = f"{FOLDER}/{base}-{number}.md"
    return Proposal(
        f"Move the prompt to `{reference}`",
        "refactor.extract",
        (Edit(entry.value.span, f'"{reference}"' if is_json else reference),),
        stands_for=(reference, text),
        created=NewFile(folder.path / reference, text),
    )


def _inlined(text: str, prompt: PromptText, folder: Folder) -> Iterator[Proposal]:
    prompt_body, entry = prompt.text, prompt.entry
    # Block scalars use the suite's line breaks, and a single word may be the name of a file.
    if (
        not isinstance(prompt_body, str)
        or "\r" in prompt_body
        or prompt_text(prompt_body, folder) != (prompt_body, None)
    ):
        return
    try:
        prompt_body.encode()
    except UnicodeEncodeError:
        return
    if prompt.holder.flow:
        edit = Edit(entry.value.span, in_quotes(prompt_body))
    else:
        block = yaml_text({"key": prompt_body}).partition(":")[2].rstrip("\n")
        lines = indented(block, column(text, entry.key.start)).lstrip(" ")
        edit = Edit(Span(entry.value.start, entry.value.end), lines.replace("\n", newline(text)))
    yield Proposal(
        f"Write the text of `{prompt.reference}` here",
        "refactor.inline",
        (edit,),
        stands_for=(prompt.node.text, prompt_body),
    )
