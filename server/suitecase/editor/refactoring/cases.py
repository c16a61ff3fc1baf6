"""Duplicating a case, and splitting it by its rubrics or by the user's turns."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from suitecase.editor.refactoring.case_text import CaseText, case_text, next_line_start
from suitecase.editor.refactoring.meaning import meaning
from suitecase.editor.refactoring.part import Part
from suitecase.format.rewriting.lines import column, dash_of, line_end, newline, removed
from suitecase.format.rewriting.names import plain_name
from suitecase.format.rule import Edit
from suitecase.formats.suitecase.case_messages import input_messages
from suitecase.formats.suitecase.parsed import case_id_text
from suitecase.text.emitting import in_quotes
from suitecase.text.node import Entry, Sequence, Span
from suitecase_evaluators.answers.rubric import Rubric

_NUMBERED = re.compile(r"(?P<base>.*?)-(?P<number>[1-9][0-9]{0,8})", re.DOTALL)


def case_copies(part: Part) -> Iterator[tuple[str, Edit]]:
    """Yield the title and edit that duplicate a case, if its id is selected."""
    source = case_text(part)
    if source is None or not part.touches_entry(source.node.entries["id"]):
        return
    new = _free_id(part, source.id.text)
    expected = meaning(source.model)
    edit = source.replace_checked(
        [source.copy(None), source.copy(new)], [expected, {**expected, "id": new}]
    )
    if edit is not None:
        yield f"Duplicate the case as `{new}`", edit


def _free_id(part: Part, id_: str) -> str:
    """Return the id with the next unused number."""
    match = _NUMBERED.fullmatch(id_)
    base, number = (match["base"], int(match["number"])) if match else (id_, 1)
    taken = set(part.suite.case_index.values(case_id_text))
    while True:
        number += 1
        if f"{base}-{number}" not in taken:
            return f"{base}-{number}"


def rubric_splits(part: Part) -> Iterator[tuple[str, Edit]]:
    """Yield the split of a case by its rubrics, if its id or rubrics are selected.

    Each part keeps everything else, and is named after its rubric.
    """
    source = case_text(part)
    entry = source.node.entries.get("rubrics") if source is not None else None
    if source is None or entry is None or entry.merged or not isinstance(entry.value, Sequence):
        return
    if not (part.touches(entry.key.span) or part.touches_entry(source.node.entries["id"])):
        return
    rubrics = source.model.rubrics or []
    if len(rubrics) < 2 or len(rubrics) != len(entry.value.items):
        return
    ids = source.free_ids(
        it.id if isinstance(it, Rubric) and it.id else str(number)
        for number, it in enumerate(rubrics, 1)
    )
    cases: list[str] = []
    expected: list[dict[str, Any]] = []
    for number, new in enumerate(ids):
        edits = _only_item(source.text, entry, entry.value, number)
        if edits is None:
            return
        cases.append(source.copy(new, edits))
        alone = {"id": new, "rubrics": [rubrics[number]]}
        expected.append(meaning(source.model.model_copy(update=alone)))
    edit = source.replace_checked(cases, expected)
    if edit is not None:
        yield f"Split the case into {len(ids)}, one for each rubric", edit


def _only_item(text: str, entry: Entry, listed: Sequence, number: int) -> list[Edit] | None:
    """Remove all items of a list but one; the comments above an item go with it."""
    items = listed.items
    if listed.flow:
        before = Edit(Span(items[0].start, items[number].start), "")
        return [before, Edit(Span(items[number].end, items[-1].end), "")]
    ends = [next_line_start(text, item) for item in items]
    bounds = [line_end(text, entry.key.end), *(end for end in ends if end is not None)]
    if len(bounds) <= len(items):
        return None
    before = Edit(Span(bounds[0], bounds[number]), "")
    return [before, Edit(Span(bounds[number + 1], bounds[-1]), "")]


_QUESTION = ("input_messages", "input")
_ANSWER = ("expected_messages", "expected_output")


def turn_splits(part: Part) -> Iterator[tuple[str, Edit]]:
    """Yield the split of a case by the user's turns, if its id or input is selected.

    Each part has the previous messages as its history, and expects the assistant's reply. The last
    part is the original case with its own id. A `conversation_id` groups them.
    """
    source = case_text(part)
    question = _entry(source, _QUESTION) if source is not None else None
    if source is None or question is None or not isinstance(question.value, Sequence):
        return
    if not (part.touches(question.key.span) or part.touches_entry(source.node.entries["id"])):
        return
    messages = input_messages(source.model)
    users = [number for number, it in enumerate(messages) if it.role == "user"]
    # Consecutive messages of the user are one turn.
    ends = [user for user in users if user + 1 not in users]
    if question.merged or len(ends) < 2 or len(messages) != len(question.value.items):
        return
    conversation = source.model.conversation_id or source.id.text
    grouping = _grouping(source, conversation)
    whole = {**meaning(source.model), "conversation_id": conversation}
    cases: list[str] = []
    expected: list[dict[str, Any]] = []
    for new, end in zip(
        source.free_ids(str(number) for number in range(1, len(ends))), ends, strict=False
    ):
        next_user = next(user for user in users if user > end)
        edits = _one_turn(source, question, end, next_user)
        if edits is None:
            return
        cases.append(source.copy(new, [*grouping, *edits]))
        history, answer = (
            whole["input_messages"][: end + 1],
            whole["input_messages"][end + 1 : next_user],
        )
        expected.append(
            {**whole, "id": new, "input_messages": history, "expected_messages": answer}
        )
    edit = source.replace_checked([*cases, source.copy(None, grouping)], [*expected, whole])
    if edit is not None:
        yield f"Split the case into {len(ends)}, one for each turn of the user", edit


def _entry(source: CaseText, names: tuple[str, ...]) -> Entry | None:
    entries = source.node.entries
    return next((entries[name] for name in names if name in entries), None)


def _grouping(source: CaseText, conversation: str) -> list[Edit]:
    """Add a `conversation_id` after the id, if there is none."""
    if "conversation_id" in source.node:
        return []
    entry = source.node.entries["id"]
    if source.node.flow:
        is_json = source.part.is_json
        name = in_quotes(conversation) if is_json else plain_name(conversation)
        return [
            _insert_after(source, entry.value.end, f"{_quoted('conversation_id', entry)}: {name}")
        ]
    end = line_end(source.text, entry.value.end)
    lead = " " * column(source.text, entry.key.start)
    return [_insert_after(source, end, f"{lead}conversation_id: {plain_name(conversation)}")]


def _insert_after(source: CaseText, end: int, entry_text: str) -> Edit:
    """Insert an entry after another one, or as a line of its own at the start of a line."""
    if source.node.flow:
        return Edit(Span(end, end), f", {entry_text}")
    at_end = not source.text[:end].endswith("\n")
    br = newline(source.text)
    return Edit(Span(end, end), f"{br}{entry_text}" if at_end else f"{entry_text}{br}")


def _quoted(name: str, beside: Entry) -> str:
    return f'"{name}"' if beside.key.style == '"' else name


def _one_turn(source: CaseText, question: Entry, end: int, stop_at: int) -> list[Edit] | None:
    """Keep the messages up to `end`, and expect the following ones up to `until` instead."""
    text = source.text
    items = question.value.items if isinstance(question.value, Sequence) else []
    answers = items[end + 1 : stop_at]
    if question.value.flow if isinstance(question.value, Sequence) else True:
        removed_span = Span(items[end].end, items[-1].end)
        answer = f" [{text[answers[0].start : answers[-1].end]}]" if answers else ""
        place = question.value.end if source.node.flow else line_end(text, question.value.end)
    else:
        bounds = [next_line_start(text, it) for it in (items[end], items[stop_at - 1], items[-1])]
        start, stop, last = bounds
        if start is None or stop is None or last is None:
            return None
        if any(dash_of(text, it) is None for it in answers):
            return None
        removed_span, place = Span(start, last), last
        answer = newline(text) + text[start:stop].rstrip("\r\n") if answers else ""
    before = _entry(source, _ANSWER)
    if before is not None and not answers:
        taken = removed(text, source.node, before.key)
        return [Edit(removed_span, ""), *taken] if taken is not None else None
    said = f"{_quoted(_ANSWER[0], question)}:{answer}"
    if before is not None:
        return [Edit(removed_span, ""), Edit(Span(before.key.start, before.value.end), said)]
    if not answers:
        return [Edit(removed_span, "")]
    lead = "" if source.node.flow else " " * column(text, question.key.start)
    added = _insert_after(source, place, f"{lead}{said}")
    return (
        [Edit(removed_span, added.text)]
        if removed_span.end == place
        else [Edit(removed_span, ""), added]
    )
