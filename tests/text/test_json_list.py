"""JSON texts with a list of cases: each case alone, with the result of parsing the whole."""

from __future__ import annotations

import json
import random

import pytest

from suitecase.text.document import Document
from suitecase.text.json_list import parse_json_list
from suitecase.text.node import Mapping, plain
from suitecase_evaluators.text.json_values import NotJsonError, parse_json

EVALS = [
    {"id": 1, "prompt": 'Say "hi" \U0001f600', "files": []},
    {"id": 2, "prompt": "{\n  ]", "nested": [{"a": [1, 2]}, {}]},
    {"id": "c", "prompt": "Bye", "weight": 0.5, "ok": True, "none": None},
]
SUITE = {"skill_name": "greeting", "evals": EVALS, "notes": ["a", "b"]}
LAYOUTS = {
    "two blanks": json.dumps(SUITE, indent=2),
    "four blanks, escaped": json.dumps(SUITE, indent=4, ensure_ascii=True),
    "tabs": json.dumps(SUITE, indent="\t", ensure_ascii=False),
    "no indentation": json.dumps(SUITE, indent=0),
    "one line": json.dumps(SUITE),
    "a line for each eval": '{"evals": [\n' + ",\n".join(map(json.dumps, EVALS)) + "\n]}\n",
    "windows": json.dumps(SUITE, indent=2).replace("\n", "\r\n"),
    "byte order mark": "\ufeff" + json.dumps(SUITE, indent=2),
    "brackets on one line": '{"evals": [{\n  "id": 1\n}, {\n  "id": 2\n}]}',
    "a list": json.dumps(EVALS, indent=2),
    "nothing in the list": '{"evals": []}',
    "another list of that name before": '{"x": {"evals": [\n  {"id": 9}\n]}, "evals": [\n  {"id": 1}\n]}',
    "a list in a list at the start of a line": '{"evals": [\n{"files": [\n"a"\n]},\n{"id": 2}\n]}',
    "no such list": '{"cases": [{"id": 1}]}',
    "text in the list": '{"evals": [\n  "a",\n  {"id": 2}\n]}',
}


@pytest.mark.parametrize("text", [pytest.param(it, id=name) for name, it in LAYOUTS.items()])
def test_the_cases_are_those_of_the_whole_text(text: str) -> None:
    whole = json.loads(text.removeprefix("\ufeff"))
    document = parse_json_list(text, ("evals",))
    listed = whole if isinstance(whole, list) else whole.get("evals", [])
    assert [plain(it.node) for it in document.cases if it.node] == listed
    assert list(document.problems()) == []
    assert document.text == text
    head = document.head.node
    if isinstance(whole, dict):
        assert isinstance(head, Mapping)
        assert [name for name, _ in head] == list(whole)
        key = head.entries["notes"].key if "notes" in head else None
        if key is not None:
            span = document.head.absolute(key.span)
            assert text[span.start : span.end] == '"notes"'


def test_places_are_those_of_the_text() -> None:
    text = LAYOUTS["two blanks"]
    document = parse_json_list(text, ("evals",))
    assert document.segmented
    for number, piece in enumerate(document.cases):
        assert isinstance(piece.node, Mapping)
        span = piece.absolute(piece.node.entries["prompt"].value.span)
        assert json.loads(text[span.start : span.end]) == EVALS[number]["prompt"]
        assert document.case_at(span.start) == number


def _messages(document: Document) -> list[tuple[str, str]]:
    found = []
    for piece, problem in document.problems():
        span = piece.absolute(problem.span)
        line, _ = document.lines.position(span.start)
        found.append((document.text.split("\n")[line].strip(), problem.message))
    return found


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ('"prompt": "Hi"', "\"prompt\": 'Hi'", "\"prompt\": 'Hi'"),
        ('"prompt": "Hi"', '"prompt": "Hi" // greets', '"prompt": "Hi" // greets'),
        ('"prompt": "Hi"', '"prompt": "Hi",', '"prompt": "Hi",'),
        ('"prompt": "Hi"', '"prompt": "a\tb"', '"prompt": "a\tb"'),
        ('"prompt": "Hi"', '"prompt": NaN', '"prompt": NaN'),
        ('"prompt": "Hi"', '"prompt": "Hi', '"prompt": "Hi'),
        ('"prompt": "Hi"', 'prompt: "Hi"', 'prompt: "Hi"'),
    ],
)
def test_a_case_that_is_not_json_leaves_the_others(old: str, new: str, line: str) -> None:
    text = json.dumps({"evals": [{"id": 1, "prompt": "Hi"}, {"id": 2}]}, indent=2)
    assert old in text
    document = parse_json_list(text.replace(old, new), ("evals",))
    assert [found for found, _ in _messages(document)] == [line]
    assert document.cases[0].content.broken
    assert plain(document.cases[1].node or Mapping(0, 0, {}, flow=True)) == {"id": 2}


def test_commas_between_the_cases_are_wanted_and_none_behind_the_last() -> None:
    text = '{"evals": [\n  {"id": 1}\n  {"id": 2},\n]}'
    found = _messages(parse_json_list(text, ("evals",)))
    assert [line for line, _ in found] == ['{"id": 1}', '{"id": 2},']
    assert "a comma is missing" in found[0][1]


def test_what_is_around_the_cases_may_be_broken_alone() -> None:
    text = '{"name": x,\n "evals": [\n  {"id": 1},\n  {"id": 2}\n]}'
    document = parse_json_list(text, ("evals",))
    assert [line for line, _ in _messages(document)] == ['{"name": x,']
    assert len(document.cases) == 2
    assert not any(it.content.broken for it in document.cases)


def test_unchanged_cases_are_not_parsed_again() -> None:
    text = LAYOUTS["two blanks"]
    before = parse_json_list(text, ("evals",))
    after = parse_json_list(text.replace('"Bye"', '"Bye!"'), ("evals",), reuse=before)
    same = [
        now.content is then.content for now, then in zip(after.cases, before.cases, strict=True)
    ]
    assert same == [True, True, False]
    assert after.head.content is before.head.content
    ids = after.case_index.values(
        lambda it: it.node.get("id") if isinstance(it.node, Mapping) else None
    )
    assert len(ids) == 3


def test_a_duplicate_key_has_both_places() -> None:
    document = parse_json_list('{"evals": [\n  {"id": 1, "id": 2}\n]}', ("evals",))
    ((piece, problem),) = document.problems()
    assert problem.kind == "duplicate_key"
    assert problem.other is not None
    first, second = piece.absolute(problem.other), piece.absolute(problem.span)
    assert first.start < second.start
    assert document.text[second.start : second.end] == '"id"'


@pytest.mark.parametrize(
    "text", ["", "[", "{", '{"evals": [\n  {', "\x00", '{"evals": [\n{}\n', "nul"]
)
def test_any_text_is_parsed(text: str) -> None:
    document = parse_json_list(text, ("evals",))
    assert list(document.problems())


def test_every_start_of_a_text_is_parsed() -> None:
    text = LAYOUTS["two blanks"]
    before = None
    for length in range(len(text)):
        before = parse_json_list(text[:length], ("evals",), reuse=before)
        assert list(before.problems())


def _mutated(text: str, chance: random.Random) -> str:
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(text) + 1)
        if chance.random() < 0.5:
            text = text[:at] + text[at + chance.randint(1, 4) :]
        else:
            added = [
                *'{}[],:"\n\t 1a\\',
                "\n  {",
                "\n  ]",
                "  },\n",
                '"evals": [',
                '\n    {"id": 9},',
            ]
            text = text[:at] + chance.choice(added) + text[at:]
    return text


def test_mutated_texts_are_taken_and_refused_as_json_is() -> None:
    chance = random.Random(1)
    before: Document | None = None
    taken = 0
    for _ in range(3000):
        text = _mutated(chance.choice([*LAYOUTS.values()]).removeprefix("\ufeff"), chance)
        document = before = parse_json_list(text, ("evals",), reuse=before)
        kinds = {it.kind for _, it in document.problems()}
        try:
            whole = parse_json(text, last_key_counts=True)
        except NotJsonError:
            assert kinds, text
            continue
        taken += 1
        assert kinds <= {"duplicate_key"}, text
        listed = whole.get("evals") if isinstance(whole, dict) else whole
        if isinstance(listed, list):
            assert [plain(it.node) for it in document.cases if it.node] == listed, text
    assert taken > 100
