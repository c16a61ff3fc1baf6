"""A case as several: duplicated, or split by its rubrics or by the turns of the user."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from suitecase.ide.refactoring.case_text import CaseText, case_text, line_behind
from suitecase.ide.refactoring.meaning import meaning
from suitecase.ide.refactoring.part import Part
from suitecase.rewriting.lines import column, dash_of, line_end, newline, removed
from suitecase.rewriting.names import plain_name
from suitecase.rule import Edit
from suitecase.suite.parsed import case_id_text
from suitecase.suite.resolve import input_messages
from suitecase.syntax.node import Entry, Sequence, Span
from suitecase_evaluators.rubric import Rubric

_NUMBERED = re.compile(r"(?P<base>.*?)-(?P<number>[1-9][0-9]{0,8})", re.DOTALL)


def case_copies(part: Part) -> Iterator[tuple[str, Edit]]:
    """Yield, where a case's id is touched, the title and the edit of the document that copy it."""
    written = case_text(part)
    if written is None or not part.touches_entry(written.node.entries["id"]):
        return
    new = _free_id(part, written.id.text)
    meant = meaning(written.model)
    edit = written.become([written.copy(None), written.copy(new)], [meant, {**meant, "id": new}])
    if edit is not None:
        yield f"Duplicate the case as `{new}`", edit


def _free_id(part: Part, id_: str) -> str:
    """Return the id with the next number behind it that no case has yet."""
    counted = _NUMBERED.fullmatch(id_)
    base, number = (counted["base"], int(counted["number"])) if counted else (id_, 1)
    taken = set(part.suite.case_index.values(case_id_text))
    while True:
        number += 1
        if f"{base}-{number}" not in taken:
            return f"{base}-{number}"


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


_QUESTION = ("input_messages", "input")
_ANSWER = ("expected_messages", "expected_output")


def turn_splits(part: Part) -> Iterator[tuple[str, Edit]]:
    """Yield, where a case's id or its input is touched, what makes a case of each turn of the user.

    Each has what was said before as its history, and expects what the assistant answered. The last
    one is the case as it stands, under its own id. They are grouped by a `conversation_id`.
    """
    written = case_text(part)
    question = _entry(written, _QUESTION) if written is not None else None
    if written is None or question is None or not isinstance(question.value, Sequence):
        return
    if not (part.touches(question.key.span) or part.touches_entry(written.node.entries["id"])):
        return
    said = input_messages(written.model)
    users = [number for number, it in enumerate(said) if it.role == "user"]
    # What the user says in a row is one turn.
    ends = [it for it in users if it + 1 not in users]
    if question.merged or len(ends) < 2 or len(said) != len(question.value.items):
        return
    conversation = written.model.conversation_id or written.id.text
    grouping = _grouping(written, conversation)
    whole = {**meaning(written.model), "conversation_id": conversation}
    cases: list[str] = []
    meant: list[dict[str, Any]] = []
    for new, end in zip(
        written.free_ids(str(it) for it in range(1, len(ends))), ends, strict=False
    ):
        until = next(it for it in users if it > end)
        edits = _one_turn(written, question, end, until)
        if edits is None:
            return
        cases.append(written.copy(new, [*grouping, *edits]))
        asked, answer = whole["input_messages"][: end + 1], whole["input_messages"][end + 1 : until]
        meant.append({**whole, "id": new, "input_messages": asked, "expected_messages": answer})
    edit = written.become([*cases, written.copy(None, grouping)], [*meant, whole])
    if edit is not None:
        yield f"Split the case into {len(ends)}, one for each turn of the user", edit


def _entry(written: CaseText, names: tuple[str, ...]) -> Entry | None:
    entries = written.node.entries
    return next((entries[it] for it in names if it in entries), None)


def _grouping(written: CaseText, conversation: str) -> list[Edit]:
    """Say behind the id which conversation a case is a turn of, where it does not say so yet."""
    if "conversation_id" in written.node:
        return []
    entry = written.node.entries["id"]
    if written.node.flow:
        is_json = written.part.is_json
        name = json.dumps(conversation, ensure_ascii=False) if is_json else plain_name(conversation)
        return [_behind(written, entry.value.end, f"{_quoted('conversation_id', entry)}: {name}")]
    end = line_end(written.text, entry.value.end)
    lead = " " * column(written.text, entry.key.start)
    return [_behind(written, end, f"{lead}conversation_id: {plain_name(conversation)}")]


def _behind(written: CaseText, end: int, said: str) -> Edit:
    """Write an entry behind another one, or as a line of its own where a line starts."""
    if written.node.flow:
        return Edit(Span(end, end), f", {said}")
    at_end = not written.text[:end].endswith("\n")
    br = newline(written.text)
    return Edit(Span(end, end), f"{br}{said}" if at_end else f"{said}{br}")


def _quoted(name: str, beside: Entry) -> str:
    return f'"{name}"' if beside.key.style == '"' else name


def _one_turn(written: CaseText, question: Entry, end: int, until: int) -> list[Edit] | None:
    """Leave the messages up to one, and expect those that follow it, up to another, instead."""
    text = written.text
    items = question.value.items if isinstance(question.value, Sequence) else []
    answers = items[end + 1 : until]
    if question.value.flow if isinstance(question.value, Sequence) else True:
        gone = Span(items[end].end, items[-1].end)
        answer = f" [{text[answers[0].start : answers[-1].end]}]" if answers else ""
        place = question.value.end if written.node.flow else line_end(text, question.value.end)
    else:
        bounds = [line_behind(text, it) for it in (items[end], items[until - 1], items[-1])]
        start, stop, last = bounds
        if start is None or stop is None or last is None:
            return None
        if any(dash_of(text, it) is None for it in answers):
            return None
        gone, place = Span(start, last), last
        answer = newline(text) + text[start:stop].rstrip("\r\n") if answers else ""
    before = _entry(written, _ANSWER)
    if before is not None and not answers:
        taken = removed(text, written.node, before.key)
        return [Edit(gone, ""), *taken] if taken is not None else None
    said = f"{_quoted(_ANSWER[0], question)}:{answer}"
    if before is not None:
        return [Edit(gone, ""), Edit(Span(before.key.start, before.value.end), said)]
    if not answers:
        return [Edit(gone, "")]
    lead = "" if written.node.flow else " " * column(text, question.key.start)
    added = _behind(written, place, f"{lead}{said}")
    return [Edit(gone, added.text)] if gone.end == place else [Edit(gone, ""), added]
