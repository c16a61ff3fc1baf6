"""Calibration files: what is written is read again, and problems have places."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from suitecase.evidence.calibration_file import (
    CalibratedAnswer,
    Calibration,
    CalibrationProblem,
    NoCalibration,
    Value,
    changed_parts,
    find_calibration,
    looks_like_calibration,
    read_calibration,
)
from suitecase.evidence.calibration_writing import calibration_text, in_order
from suitecase.format.workspace import Folder, Workspace

PATH = Path("labels/rubric.calibration.json")


def answer(case: str = "late", digest: str = "3f9a1c22d1b0a7e4") -> CalibratedAnswer:
    values: dict[str, Value] = {"apology": True, "tone": 7.5}
    return CalibratedAnswer(
        case=case,
        answer=digest,
        people={"apology": True, "tone": 8},
        judge=values,
        people_pass=True,
        judge_pass=True,
        quotes=(1, 2),
        probed=("repeat", "length"),
        flips=("length",),
        wording={"apology": "91ab03cd", "tone": "5520ffe1"},
    )


def calibration(*answers: CalibratedAnswer) -> Calibration:
    return Calibration(
        judge="rubric",
        at="2026-02-03T10:12:00Z",
        judge_hash="sha256:6d7e",
        judge_parts={"prompt": "sha256:01", "model": "gpt-4.1"},
        asked={"model": "openai/gpt-4.1-2025-04-14", "temperature": 0},
        reported_model="gpt-4.1-2025-04-14",
        labels={"labels/rubric.csv": "sha256:b1c9"},
        adjudication="adjudicator",
        raters=("ann", "ben"),
        probes_version=1,
        probes={"repeat": 2, "length": 1},
        answers=answers,
    )


def problem(text: str) -> CalibrationProblem:
    found = read_calibration(PATH, text)
    assert isinstance(found, CalibrationProblem)
    return found


def changed(**values: object) -> str:
    data = json.loads(calibration_text(calibration(answer())))
    return json.dumps(data | values, indent=1)


def test_what_is_written_is_read_again() -> None:
    unreadable = CalibratedAnswer(
        case="wrong \ud800 size",
        answer="90c2e1aa4b7f3d10",
        people={"exchange": False},
        judge=None,
        people_pass=False,
        judge_pass=None,
    )
    written = calibration(*in_order([unreadable, answer(), answer("größe"), answer("late", "00")]))
    text = calibration_text(written)
    text.encode("utf-8")
    assert read_calibration(PATH, text) == written


def test_each_answer_has_a_line_and_their_order_does_not_matter() -> None:
    first, second = answer("a"), answer("b")
    text = calibration_text(calibration(second, first))
    assert text == calibration_text(calibration(first, second))
    lines = [it for it in text.splitlines() if '"case"' in it]
    assert [json.loads(it.strip(" ,"))["case"] for it in lines] == ["a", "b"]
    assert text.endswith("}\n")


def test_a_calibration_without_answers_is_valid_json() -> None:
    assert read_calibration(PATH, calibration_text(calibration())) == calibration()


def test_the_same_text_is_read_once() -> None:
    text = calibration_text(calibration(answer()))
    assert read_calibration(PATH, text) is read_calibration(PATH, "".join(list(text)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "it is not valid JSON"),
        ("[1]", "it is not a calibration that `suitecase calibrate` wrote"),
        ("{}", "it is not a calibration that `suitecase calibrate` wrote"),
        ("[" * 100_000, "nested too deeply"),
        ('{"calibration": NaN}', "NaN is not a number of JSON"),
        ('{"calibration": ' + "1" * 10_000 + "}", "it is not valid JSON"),
        ('{"calibration": true}', "must be the version"),
    ],
)
def test_other_texts_are_not_calibrations(text: str, message: str) -> None:
    found = problem(text)
    assert message in found.message
    assert 0 <= found.span.start <= found.span.end <= len(text)


def test_a_newer_version_says_so() -> None:
    found = problem(changed(calibration=2))
    assert found.message == (
        "a newer version of Suitecase wrote it (format 2; this version reads 1); update Suitecase"
    )
    assert found.line == 2


def test_a_merge_with_conflicts_is_found_at_its_line() -> None:
    text = calibration_text(calibration(answer()))
    lines = text.splitlines(keepends=True)
    found = problem("".join([*lines[:4], "<<<<<<< HEAD\n", *lines[4:]]))
    assert found.line == 5
    assert "merged" in found.message


def test_a_text_that_is_cut_off_has_the_line_where_it_ends() -> None:
    text = calibration_text(calibration(answer("a"), answer("b")))
    cut = text[: text.index('"b"')]
    assert problem(cut).line == cut.count("\n") + 1


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("judge", 3, "`judge_pass` must both be null"),
        ("judge", {"tone": "8"}, "the value of `tone` must be a number"),
        ("people", {"tone": 11}, "the value of `tone` must be a number from 0 to 10"),
        ("people", {"tone": 10**400}, "the value of `tone` must be a number from 0 to 10"),
        ("people", None, "`people` must be a mapping"),
        ("people_pass", 1, "`people_pass` must be `true` or `false`"),
        ("quotes", [3, 2], "`quotes` must be the numbers"),
        ("flips", ["order"], "`order` is under `flips`, but not under `probed`"),
        ("case", 7, "`case` must be a text"),
    ],
)
def test_a_wrong_value_is_found_at_its_line(key: str, value: object, message: str) -> None:
    data = json.loads(calibration_text(calibration(answer("a"), answer("b"))))
    row = data["answers"][1]
    row[key] = value
    if key == "judge" and value == 3:
        row["judge"] = None
    rows = [json.dumps(it) for it in data.pop("answers")]
    text = json.dumps(data)[:-1] + ', "answers": [\n' + ",\n".join(rows) + "\n]}"
    found = problem(text)
    assert message in found.message
    assert found.line == 3


def test_an_answer_that_is_there_twice_is_a_problem() -> None:
    found = problem(calibration_text(calibration(answer("a"), answer("a"))))
    assert "is there twice" in found.message


def test_missing_keys_are_named() -> None:
    data = json.loads(changed())
    del data["judge_hash"]
    assert problem(json.dumps(data)).message == "`judge_hash` is missing"


def test_what_of_a_judge_has_changed() -> None:
    before = calibration(answer())
    assert changed_parts(before, {"prompt": "sha256:01", "model": "gpt-4.1"}) == ()
    assert changed_parts(before, {"prompt": "sha256:02", "model": "gpt-4.1"}) == ("prompt",)
    assert changed_parts(before, {"model": "gpt-5", "prompt": "sha256:02"}) == ("model", "prompt")


def test_parts_of_another_version_of_suitecase_say_nothing() -> None:
    before = calibration(answer())
    assert changed_parts(before, {"model": "gpt-4.1", "tools": "none"}) == ()


def test_only_calibrations_and_empty_files_look_like_one() -> None:
    text = calibration_text(calibration(answer()))
    conflict = text.replace(' "calibration": 1', '<<<<<<< HEAD\n "calibration": 1')
    for ours in (text, "\ufeff" + text, conflict, json.dumps(json.loads(text)), "", " \n"):
        assert looks_like_calibration(ours)
    for other in ("{}", "[]", "case,answer\n", "targets: []\n", '{"a": {"calibration": 1}}'):
        assert not looks_like_calibration(other)


def test_the_file_of_a_judge_is_found_from_the_suite_on(tmp_path: Path) -> None:
    text = calibration_text(calibration(answer()))
    (tmp_path / "rubric.json").write_text(text, encoding="utf-8")
    (tmp_path / "binary.json").write_bytes(b"\xff\xfe\x00")
    folder = Folder(Workspace(tmp_path), tmp_path)
    assert find_calibration("rubric", "rubric.json", folder) == calibration(answer())
    other = find_calibration("tone", "rubric.json", folder)
    assert isinstance(other, CalibrationProblem)
    assert (other.line, other.message) == (3, "it is the calibration of `rubric`, not of `tone`")
    for reference, reason in {
        None: "`judges.rubric` names no `calibration`",
        "gone.json": "`rubric` has not been calibrated: gone.json does not exist",
        "binary.json": "binary.json cannot be read: it is not text in UTF-8",
    }.items():
        found = find_calibration("rubric", reference, folder)
        assert isinstance(found, NoCalibration)
        assert found.reason.startswith(reason)


def test_no_text_raises_anything() -> None:
    text = calibration_text(calibration(answer("a"), answer("b")))
    draw = random.Random(7)
    pieces = [
        '"',
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "null",
        "1e999",
        "-",
        "\n",
        "\ud800",
        "\x00",
        "true",
    ]
    for _ in range(1_500):
        changed, at = text, draw.randrange(len(text))
        if draw.random() < 0.3:
            changed = text[:at]
        else:
            changed = text[:at] + draw.choice(pieces) + text[at + draw.randrange(12) :]
        found = read_calibration(PATH, changed)
        if isinstance(found, CalibrationProblem):
            assert 0 <= found.span.start <= found.span.end <= len(changed)
            assert found.line == changed.count("\n", 0, found.span.start) + 1
            assert found.message
