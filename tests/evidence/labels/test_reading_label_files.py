"""Label files of every format are read with the place of each cell, and problems say where they are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suitecase.evidence.labels.label import LabelFile, LabelFormat
from suitecase.evidence.labels.reading import read_labels

ANSWER = "3f9a1c22d1b0a7e4"
KEYS = [
    "data",
    "annotations",
    "responses",
    "metadata",
    "case",
    "answer",
    "item",
    "result",
    "from_name",
    "value",
    "choices",
    "rater",
    "completed_by",
    "user_id",
    "wording",
]
NOT_A_VALUE = "is not a value; write `true` or `false` for an item that is met or not, or a whole number for a score"
SPREADSHEET = (
    "`3.9E+15` is not the digest of an answer, which has 16 hexadecimal digits; if a spreadsheet made a "
    "number of it, import this column as text"
)
HEADER = "case,answer,item,wording,rater,value,note\n"
ROW = f"late,{ANSWER},tone,5520ffe1,ann,8,warm\n"


def read(text: str, name: str = "labels.csv") -> LabelFile:
    return read_labels(Path(name), text)


def marked(text: str, file: LabelFile) -> list[tuple[int, str, str]]:
    """Return the line of each problem, the text it marks, and the message."""
    return [(it.line, text[it.span.start : it.span.end], it.message) for it in file.problems]


def columns(text: str, file: LabelFile) -> list[dict[str, str]]:
    """Return the text at the place of each cell of each label."""
    return [
        {name: text[span.start : span.end] for name, span in it.cells.items()} for it in file.labels
    ]


def test_a_row_is_a_label_with_the_place_of_each_cell() -> None:
    text = HEADER + ROW
    file = read(text)
    (label,) = file.labels
    assert (label.case, label.answer, label.item, label.wording) == (
        "late",
        ANSWER,
        "tone",
        "5520ffe1",
    )
    assert (label.rater, label.value, label.note, label.line) == ("ann", 8, "warm", 2)
    assert columns(text, file) == [
        {
            "case": "late",
            "answer": ANSWER,
            "item": "tone",
            "wording": "5520ffe1",
            "rater": "ann",
            "value": "8",
            "note": "warm",
        }
    ]
    assert file.problems == ()


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_tables_of_every_spreadsheet_are_read(separator: str, end: str, mark: str) -> None:
    text = mark + (HEADER + ROW).replace(",", separator).replace("\n", end)
    file = read(text)
    assert [it.value for it in file.labels] == [8]
    assert columns(text, file)[0]["rater"] == "ann"
    assert [it.line for it in file.labels] == [2]


def test_the_line_in_which_a_spreadsheet_names_the_separator_is_not_the_header() -> None:
    file = read("sep=;\n" + (HEADER + ROW).replace(",", ";"))
    assert [(it.value, it.line) for it in file.labels] == [(8, 3)]


def test_columns_may_be_in_any_order_and_others_are_ignored() -> None:
    text = f"Value;anchors;RATER;item;answer;case\n8;polite, warm;ann;tone;{ANSWER};late\n"
    (label,) = read(text).labels
    assert (label.case, label.rater, label.value, label.wording) == ("late", "ann", 8, None)


def test_cells_in_quotes_have_separators_quotes_and_lines() -> None:
    text = (
        HEADER
        + f'"late","{ANSWER}","tone","5520ffe1","ann","8","He said ""hm"",\nand left"\n'
        + ROW
    )
    file = read(text)
    assert [it.note for it in file.labels] == ['He said "hm",\nand left', "warm"]
    assert [it.line for it in file.labels] == [2, 4]
    assert columns(text, file)[0]["case"] == "late"


def test_texts_that_were_protected_from_a_spreadsheet_are_read_back() -> None:
    text = HEADER + "'1-2,'1234567890123456,tone,'5520e123,ann,8,'=1+1\n"
    file = read(text)
    (label,) = file.labels
    assert (label.case, label.answer, label.wording) == ("1-2", "1234567890123456", "5520e123")
    assert label.note == "=1+1"
    assert columns(text, file)[0]["case"] == "1-2"


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("true", True),
        ("TRUE", True),
        ("yes", True),
        ("No", False),
        ("false", False),
        ("FALSCH", False),
        ("1", 1),
        ("0", 0),
        ("8.0", 8),
        ("6.5", 6.5),
        ("11", 11),
    ],
)
def test_values(written: str, value: object) -> None:
    (label,) = read(HEADER + ROW.replace(",8,", f",{written},")).labels
    assert label.value == value
    assert type(label.value) is type(value)


def test_a_value_that_cannot_be_read_is_a_problem_at_its_cell() -> None:
    text = HEADER + ROW.replace(",8,", ",maybe,")
    assert marked(text, read(text)) == [
        (
            2,
            "maybe",
            f"`maybe` {NOT_A_VALUE}",
        )
    ]


def test_rows_without_a_value_wait_for_a_rater() -> None:
    file = read(HEADER + ROW + ROW.replace(",8,warm", ",,") + ",,,,,,\n")
    assert (len(file.labels), file.unlabeled, file.problems) == (1, 1, ())


def test_missing_columns_are_named() -> None:
    text = "case,answer,item,rated_by,value\n"
    assert marked(text, read(text)) == [
        (1, "case,answer,item,rated_by,value", "there is no column `rater`")
    ]
    text = "case,answer,item,raters,value\n"
    assert marked(text, read(text)) == [
        (1, "raters", "there is no column `rater`; is `raters` meant to be it?")
    ]
    assert [it.message for it in read("\ufeff\n").problems] == [
        "the file is empty; its header must have case, answer, item, rater and value"
    ]


@pytest.mark.parametrize(
    ("row", "line", "at", "message"),
    [
        (f"late,{ANSWER},tone,,,8,\n", 2, "", "`rater` is missing"),
        (
            f'late,{ANSWER},tone,,"ann,8,\n',
            2,
            '"ann',
            "the quote that starts this cell is not closed",
        ),
        (
            f'late,{ANSWER},tone,,ann,8,"a "b" c"\n',
            2,
            "a ",
            "there is text behind the closing quote; double a quote that belongs to the text",
        ),
        (
            f"late,{ANSWER},tone,,ann,8,warm, but vague\n",
            2,
            " but vague",
            "this row has 8 cells, and the header 7; put quotes around cells that have commas in them",
        ),
        (
            "late,3.9E+15,tone,,ann,8,\n",
            2,
            "3.9E+15",
            SPREADSHEET,
        ),
        (
            f"late,{ANSWER},tone,kind,ann,8,\n",
            2,
            "kind",
            "`kind` is not the digest of the wording of an item, which has 8 hexadecimal digits",
        ),
    ],
)
def test_a_row_that_cannot_be_read_is_a_problem_at_its_cell(
    row: str, line: int, at: str, message: str
) -> None:
    text = HEADER + row + ROW
    file = read(text)
    assert marked(text, file) == [(line, at, message)]
    assert [it.line for it in file.labels] == [3]


def test_json_lines() -> None:
    entry = {"case": "late", "answer": ANSWER, "item": "apology", "rater": "ann", "value": True}
    lines = [
        json.dumps(entry),
        "",
        json.dumps(entry | {"value": 8.0, "note": "warm", "wording": "5520ffe1", "extra": [1]}),
        json.dumps(entry | {"value": None}),
        json.dumps(entry | {"value": "yes"}),
        "{",
        "[]",
        json.dumps({"value": 1, "case": "late", "answer": ANSWER, "item": "x"}),
    ]
    text = "\n".join(lines)
    file = read(text, "labels.jsonl")
    assert file.format is LabelFormat.JSON_LINES
    assert [it.value for it in file.labels] == [True, 8, True]
    assert [it.line for it in file.labels] == [1, 3, 5]
    assert file.unlabeled == 1
    assert columns(text, file)[0] == {key: str(it) for key, it in entry.items()} | {"value": "true"}
    assert [(it.line, it.message) for it in file.problems] == [
        (6, "this line is not JSON: expecting property name enclosed in double quotes"),
        (7, "a label must be an object; got a list"),
        (8, "`rater` is missing"),
    ]


def test_a_json_list_of_labels() -> None:
    entry = {"case": "late", "answer": ANSWER, "item": "apology", "rater": "ann", "value": True}
    text = json.dumps([entry, entry | {"rater": "ben", "value": 0}], indent=1)
    file = read(text, "labels.json")
    assert file.format is LabelFormat.JSON
    assert [(it.rater, it.value) for it in file.labels] == [("ann", True), ("ben", 0)]


def task(*annotations: object) -> dict[str, object]:
    data = {
        "case": "late",
        "answer": ANSWER,
        "items": {"item1": "says sorry"},
        "wording": {"tone": "5520ffe1"},
    }
    return {
        "id": 7,
        "data": data,
        "annotations": list(annotations),
        "predictions": [{"result": []}],
    }


def test_what_label_studio_exports() -> None:
    def result(name: str, value: object) -> dict[str, object]:
        return {"from_name": name, "to_name": "answer", "value": value}

    first = {
        "completed_by": {"id": 3, "email": "ann@example.org"},
        "result": [
            result("item1", {"choices": ["yes"]}),
            result("tone", {"rating": 8}),
            result("note", {"text": ["friendly but vague"]}),
        ],
    }
    second = {"completed_by": 4, "result": [result("tone", {"number": 6})]}
    cancelled = {"completed_by": 5, "was_cancelled": True, "result": second["result"]}
    text = json.dumps([task(first, second, cancelled)], indent=2)
    file = read(text, "export.json")
    assert file.format is LabelFormat.LABEL_STUDIO
    assert file.problems == ()
    assert [
        (it.case, it.answer, it.item, it.rater, it.value, it.wording) for it in file.labels
    ] == [
        ("late", ANSWER, "says sorry", "ann@example.org", True, None),
        ("late", ANSWER, "tone", "ann@example.org", 8, "5520ffe1"),
        ("late", ANSWER, "tone", "4", 6, "5520ffe1"),
    ]
    assert file.labels[0].note == "friendly but vague"
    assert [it["value"] for it in columns(text, file)] == ["yes", "8", "6"]


def test_a_choice_of_several_in_label_studio_is_not_a_value() -> None:
    result = {"from_name": "tone", "value": {"choices": ["yes", "no"]}}
    text = json.dumps([task({"completed_by": 1, "result": [result]})])
    assert [it.message for it in read(text, "a.json").problems] == [f"`yes, no` {NOT_A_VALUE}"]


def test_tasks_without_annotations_say_what_to_export() -> None:
    text = json.dumps([{"data": {"case": "late"}}])
    assert [it.message for it in read(text, "a.json").problems] == [
        "this task has no `annotations`; export the tasks of Label Studio as JSON"
    ]


def test_what_argilla_exports() -> None:
    record = {
        "id": "r1",
        "fields": {"answer": "Sorry"},
        "metadata": {
            "case": "late",
            "answer": ANSWER,
            "items": '{"item-1": "says sorry"}',
            "wording": '{"tone": "5520ffe1"}',
        },
        "responses": {
            "item-1": [{"value": "no", "user_id": "u1", "status": "submitted"}],
            "tone": [
                {"value": 8, "user_id": "u1"},
                {"value": 6, "user_id": "u2", "status": "draft"},
                {"value": None, "user_id": "u3"},
            ],
            "note": [{"value": "vague", "user_id": "u1"}],
        },
    }
    text = json.dumps([record], indent=2)
    file = read(text, "argilla.json")
    assert file.format is LabelFormat.ARGILLA
    assert file.problems == ()
    assert [(it.item, it.rater, it.value, it.wording, it.note) for it in file.labels] == [
        ("says sorry", "u1", False, None, "vague"),
        ("tone", "u1", 8, "5520ffe1", "vague"),
    ]
    assert file.unlabeled == 1


@pytest.mark.parametrize("name", ["labels.csv", "labels.jsonl", "labels.json", "labels"])
@given(
    st.text()
    | st.text(",;\t\n\r\"'{}[]:= \ufeffcaseanswer")
    | st.text(',;\n"8x').map(lambda it: HEADER + it)
    | st.recursive(
        st.none() | st.booleans() | st.integers() | st.text("ab"),
        lambda it: (
            st.lists(it)
            | st.dictionaries(
                st.sampled_from(KEYS),
                it,
            )
        ),
        max_leaves=20,
    ).map(json.dumps)
)
def test_no_text_raises_and_places_are_in_the_text(name: str, text: str) -> None:
    file = read(text, name)
    spans = [it.span for it in file.problems] + [
        span for it in file.labels for span in it.cells.values()
    ]
    assert all(0 <= it.start <= it.end <= len(text) for it in spans)


CELLS = st.sampled_from(
    ["late", ANSWER, "tone", "8", "true", "", " x ", "'1", "ann", "5520ffe1", "é😀"]
)


@given(st.lists(st.lists(CELLS, min_size=5, max_size=9), max_size=4), st.sampled_from("\t;,"))
def test_quotes_around_cells_change_no_label(table: list[list[str]], separator: str) -> None:
    header = HEADER.strip().replace(",", separator)
    plain = "\n".join([header, *(separator.join(it) for it in table)])
    quoted = "\n".join([header, *(separator.join(f'"{cell}"' for cell in it) for it in table)])

    def seen(text: str) -> list[object]:
        file = read(text)
        labels = [
            (it.case, it.answer, it.item, it.wording, it.rater, it.note) for it in file.labels
        ]
        values = [(type(it.value), it.value, it.line) for it in file.labels]
        problems = [(it.line, it.message) for it in file.problems]
        return [labels, values, problems, file.unlabeled, columns(text, file)]

    assert seen(plain) == seen(quoted)
