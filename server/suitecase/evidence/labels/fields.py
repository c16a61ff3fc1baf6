"""Labels of a file, made of the fields that its format has for each."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from suitecase.evidence.labels.digests import ANSWER_DIGITS, WORDING_DIGITS
from suitecase.evidence.labels.label import (
    REQUIRED,
    Label,
    LabelFile,
    LabelFormat,
    LabelProblem,
    LabelValue,
)
from suitecase.text.csv_text import PlainCells
from suitecase.text.lines import LINE_BREAK
from suitecase.text.node import Span


class Field(NamedTuple):
    """A text of a label, or a value that the format itself types, with its place."""

    text: str
    span: Span
    value: LabelValue | None = None


class Labels:
    """Collects the labels of a file, and its problems."""

    def __init__(self, text: str, file_format: LabelFormat) -> None:
        self._starts = [0, *(match.end() for match in LINE_BREAK.finditer(text))]
        self._format = file_format
        self._labels: list[Label] = []
        self._problems: list[LabelProblem] = []
        self._unlabeled = 0
        self._answers: dict[str, str] = {}

    @property
    def file(self) -> LabelFile:
        """What was collected."""
        problems = sorted(self._problems, key=lambda it: it.span)
        return LabelFile(tuple(self._labels), tuple(problems), self._unlabeled, self._format)

    def problem(self, span: Span, message: str) -> None:
        """Note a part of the file that cannot be read."""
        self._problems.append(LabelProblem(span, self._line(span.start), message))

    def add(self, fields: Mapping[str, Field], place: Span) -> None:
        """Add the label that some fields make, or what is wrong with them.

        Args:
            fields: by column; those with an empty text are missing.
            place: the place of the row, or of the start of what the fields are in.
        """
        value = fields.get("value")
        if value is None or not value.text:
            self._unlabeled += 1  # a sheet that is being filled in
            return
        wrong = False
        for name in REQUIRED:
            field = fields.get(name)
            if field is None or not field.text:
                self.problem(field.span if field else place, f"`{name}` is missing")
                wrong = True
        read = value.value if value.value is not None else read_value(value.text)
        wording = fields.get("wording")
        answer = fields.get("answer")
        for field, problem in (
            (value, not_a_value(value.text) if read is None else None),
            (answer, problem_of_answer(answer.text) if answer and answer.text else None),
            (wording, problem_of_wording(wording.text) if wording and wording.text else None),
        ):
            if problem is not None and field is not None:
                self.problem(field.span, problem)
                wrong = True
        if wrong or read is None:
            return
        note = fields.get("note")
        self._labels.append(
            Label(
                case=fields["case"].text,
                answer=fields["answer"].text.lower(),
                item=fields["item"].text,
                wording=wording.text.lower() if wording and wording.text else None,
                rater=fields["rater"].text,
                value=read,
                note=note.text if note else "",
                line=self._line(place.start),
                cells={name: it.span for name, it in fields.items()},
            )
        )

    def add_plain(
        self, cells: Sequence[str], start: int, columns: Mapping[str, int], width: int
    ) -> bool:
        """Add the label of a row of a table; return False where anything about it is unusual.

        Args:
            cells: the texts of its cells.
            start: where it starts.
            columns: the number of each column.
            width: the number of columns.
        """
        if len(cells) != width:
            return False
        texts = {name: cells[number] for name, number in columns.items()}
        for text in texts.values():
            if text[:1] == "'" or text != text.strip():
                return False
        case, item, rater = texts["case"], texts["item"], texts["rater"]
        answer = self._answers.get(texts["answer"])
        value = read_value(texts["value"])
        wording = texts.get("wording") or None
        if answer is None:
            answer = texts["answer"].lower()
            if problem_of_answer(answer) is not None:
                return False
            self._answers[texts["answer"]] = answer
        if value is None or not (case and item and rater):
            return False
        if wording is not None:
            if problem_of_wording(wording) is not None:
                return False
            wording = wording.lower()
        line, places = self._line(start), PlainCells(start, cells, columns)
        note = texts.get("note", "")
        self._labels.append(Label(case, answer, item, wording, rater, value, note, line, places))
        return True

    def _line(self, offset: int) -> int:
        return bisect_right(self._starts, offset)


#: How people say that an item is met. Spreadsheets write truth values in the language of the person.
_MET = frozenset(
    ("true", "yes", "y", "met", "pass", "wahr", "vrai", "verdadero", "verdadeiro", "vero", "waar")
)
_NOT_MET = frozenset(("false", "no", "n", "not met", "fail", "falsch", "faux", "falso", "onwaar"))
_WHOLE = re.compile(r"[+-]?\d{1,9}")
_DECIMAL = re.compile(r"[+-]?\d{1,9}[.,]\d{1,9}")
_HEX = re.compile(r"[0-9a-fA-F]+")


@lru_cache(maxsize=1024)
def read_value(text: str) -> LabelValue | None:
    """Return the value that a text is; None for a text that is not one."""
    text = text.strip()
    folded = text.casefold()
    if folded in _MET:
        return True
    if folded in _NOT_MET:
        return False
    if _WHOLE.fullmatch(text):
        return int(text)
    if _DECIMAL.fullmatch(text):
        number = float(text.replace(",", "."))
        return int(number) if number.is_integer() else number  # as spreadsheets write 8
    return None


def not_a_value(text: str) -> str:
    """Return what to say about a text that is not a value."""
    return (
        f"`{_shortened(text)}` is not a value; write `true` or `false` for an item that is met or not, "
        "or a whole number for a score"
    )


def problem_of_answer(text: str) -> str | None:
    """Return why a text is not the digest of an answer; None if it is one."""
    return _problem_of_digest(text, ANSWER_DIGITS, "an answer")


def problem_of_wording(text: str) -> str | None:
    """Return why a text is not the digest of a wording; None if it is one."""
    return _problem_of_digest(text, WORDING_DIGITS, "the wording of an item")


def _problem_of_digest(text: str, digits: int, what: str) -> str | None:
    if len(text) == digits and _HEX.fullmatch(text):
        return None
    message = (
        f"`{_shortened(text)}` is not the digest of {what}, which has {digits} hexadecimal digits"
    )
    if re.fullmatch(r"[\d.,]+(?:[eE]\+?\d+)?", text):
        message += "; if a spreadsheet made a number of it, import this column as text"
    return message


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 40 else f"{line[:40]}..."
