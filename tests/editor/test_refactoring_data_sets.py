"""Refactorings in data sets: each line stays JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from suitecase.checking.check import check
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.parsed import ParsedSuite, parse_dataset, parse_sidecar
from suitecase.text.node import Span
from support.ide.refactorings import made

RANGES = '[{"score_range": [0, 5], "expected_outcome": "u"}, {"score_range": [6, 10], "expected_outcome": "v"}]'
LINE = (
    '{"id": "a", "expected_outcome": "b", "input": "Hi 🎉", "rubrics": ["x", {"id": "y", '
    f'"score_ranges": {RANGES}}}], "evaluation_schema": "{{\\"type\\": \\"object\\"}}"}}'
)
TURNS = (
    '{"id": "t", "expected_outcome": "b", "input": [{"role": "user", "content": "1"}, '
    '{"role": "assistant", "content": "2"}, {"role": "user", "content": "3"}], "evaluators": '
    '[{"prompt": "Rate {{ candidate_answer }}"}]}'
)
TEXT = f"{LINE}\r\n\r\n{TURNS}\r\n"


def _at(text: str, mark: str) -> dict[str, str]:
    """Return the lines that the refactorings at a mark produce, by title."""
    at = text.index(mark) + 1
    return made(parse_dataset(text, None), Span(at, at))


@pytest.mark.parametrize(
    ("mark", "title", "key", "value"),
    [
        (
            '"input"',
            "Write the input as a list of messages",
            "input",
            [{"role": "user", "content": "Hi 🎉"}],
        ),
        (
            '"x"',
            "Write the rubric as a mapping",
            "rubrics",
            [{"expected_outcome": "x"}, {"id": "y", "score_ranges": json.loads(RANGES)}],
        ),
        (
            '"score_ranges"',
            "Write the score ranges as a map from lowest scores",
            "rubrics",
            ["x", {"id": "y", "score_ranges": {"0": "u", "6": "v"}}],
        ),
        (
            '"evaluation_schema"',
            "Write the schema as an object",
            "evaluation_schema",
            {"type": "object"},
        ),
        (
            '"rubrics"',
            "Write the rubrics as an evaluator named `rubric`",
            "evaluators",
            [
                {
                    "name": "rubric",
                    "type": "llm_judge",
                    "rubrics": ["x", {"id": "y", "score_ranges": json.loads(RANGES)}],
                }
            ],
        ),
    ],
)
def test_another_way_to_write_a_part_of_a_line(
    mark: str, title: str, key: str, value: object
) -> None:
    changed = _at(TEXT, mark)[title]

    line, rest = changed.split("\r\n", 1)
    before, after = json.loads(LINE), json.loads(line)
    assert rest == TEXT.split("\r\n", 1)[1]
    assert after.pop(key) == value
    # What is moved elsewhere is gone from its place, and all else is as it was.
    del before["rubrics" if key == "evaluators" else key]
    assert after == before


def test_what_an_evaluator_lacks_is_added_in_quotes(tmp_path: Path) -> None:
    found = check(parse_dataset(TEXT, None), Folder(Workspace(tmp_path), tmp_path)).findings
    (fix,) = (it.fix for it in found if it.rule.name == "incomplete-evaluator")

    assert fix is not None
    assert json.loads(fix.apply(TEXT).splitlines()[-1])["evaluators"] == [
        {"name": "llm_judge", "type": "llm_judge", "prompt": "Rate {{ candidate_answer }}"}
    ]


def test_cases_are_lines() -> None:
    sound = TEXT.replace('"prompt"', '"name": "n", "type": "llm_judge", "prompt"')
    first, second = (it for it in sound.splitlines() if it)
    duplicated = _at(sound, '"a"')["Duplicate the case as `a-2`"]
    split = _at(sound, '"t"')["Split the case into 2, one for each turn of the user"]
    by_rubric = _at(sound, '"a"')["Split the case into 2, one for each rubric"]

    copy = first.replace('"id": "a"', '"id": "a-2"')
    assert duplicated == f"{first}\r\n{copy}\r\n\r\n{second}\r\n"
    _, asked, last = (json.loads(it) for it in split.splitlines() if it)
    assert (asked["id"], last["id"], asked["conversation_id"]) == ("t-1", "t", "t")
    assert asked["expected_messages"] == [{"role": "assistant", "content": "2"}]
    assert last == {**json.loads(second), "conversation_id": "t"}
    cases = [json.loads(it) for it in by_rubric.splitlines()[:2]]
    assert [(it["id"], len(it["rubrics"])) for it in cases] == [("a-1", 1), ("a-y", 1)]


def test_every_offer_anywhere_leaves_json() -> None:
    written: ParsedSuite = parse_dataset(TEXT, None)
    seen = 0
    for at in range(len(TEXT) + 1):
        for title, changed in made(written, Span(at, at)).items():
            seen += 1
            for line in changed.splitlines():
                assert not line or isinstance(json.loads(line), dict), title
    assert seen > 100


def test_the_sidecar_is_yaml() -> None:
    text = (
        'expected_schema: \'{"type": "object"}\'  # why\nexecution:\n  evaluators:\n'
        "    - {name: x, type: llm_judge, rubrics: [Is warm]}\n"
    )

    def at(mark: str) -> dict[str, str]:
        place = text.index(mark)
        return made(parse_sidecar(text), Span(place, place))

    assert at("Is warm") == {
        "Write the rubric as a mapping": text.replace("Is warm", "{expected_outcome: Is warm}")
    }
    schema = "expected_schema:\n  type: object  # why\n"
    assert at("expected_schema") == {
        "Write the schema as YAML": schema + text.partition("\n")[2],
    }
    # Its cases stand in another file.
    assert at("evaluators:") == {}


def test_a_line_that_is_no_json_is_left_alone() -> None:
    assert _at(LINE[:-4], '"input"') == {}
