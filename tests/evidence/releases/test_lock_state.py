"""How a suite differs from its lock: each difference is found once, where it is."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from suitecase.evidence.governed import lock_name
from suitecase.evidence.releases.lock_file import LockFile, LockProblem, lock_text, read_lock
from suitecase.evidence.releases.lock_state import LockState, lock_of, lock_state
from suitecase.evidence.releases.locking import make_lock
from suitecase.evidence.releases.versions import is_later
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.parsed import parse_suite

SUITE = """\
version: "2026.2"
prompt: {file: system.md}
execution:
  target: mock
  evaluators:
    - {name: tone, type: llm_judge, prompt: tone.md}
slices:
  by-language: {by: metadata.language}
gates:
  - pass_rate >= 90%
evalcases:
  - id: one
    expected_outcome: Greets
    input: Hi
    metadata: {language: de, author: ann}
  - id: two
    expected_outcome: Names the colour
    input: [{role: user, content: [{type: file, value: sky.txt}]}]
    rubrics: [Says blue]
"""
FILES = {"sky.txt": "The sky.", "tone.md": "Is {{ candidate_answer }} kind?", "system.md": "Short."}


@pytest.fixture
def locked(tmp_path: Path) -> Path:
    """A workspace with a suite that is locked."""
    for name, content in FILES.items():
        (tmp_path / name).write_text(content)
    suite = parse_suite(SUITE)
    assert suite.head.model is not None
    path = tmp_path / "a.eval.yaml"
    folder = Folder(Workspace(tmp_path), tmp_path)
    lock = make_lock(suite, suite.head.model, "2026.2", path, folder, "2026-02-04T08:00:00Z")
    (tmp_path / lock_name(path)).write_text(lock_text(lock))
    return tmp_path


def state_of(root: Path, text: str = SUITE) -> LockState:
    """Return how a text differs from the lock."""
    found = lock_state(parse_suite(text), root / "a.eval.yaml", Folder(Workspace(root), root))
    assert found is not None
    return found


def cases_of(state: LockState) -> dict[str, tuple[str, ...]]:
    return {it.id: it.changed for it in state.cases}


def test_what_was_locked_is_current(locked: Path) -> None:
    assert state_of(locked).is_current
    commented = SUITE.replace("    input: Hi", "    # why\n    input: 'Hi'")
    assert state_of(locked, commented).is_current


@pytest.mark.parametrize(
    ("old", "new", "case", "changed"),
    [
        ("input: Hi", "input: Hello", "one", ("question",)),
        ("Says blue", "Says green", "two", ("grading",)),
        ("Greets", "Thanks", "one", ("expected",)),
        ("language: de", "language: en", "one", ("slices",)),
        ("input: Hi", "input: Ho\n    rubrics: [x]", "one", ("question", "grading")),
    ],
)
def test_a_changed_case_is_the_only_difference(
    locked: Path, old: str, new: str, case: str, changed: tuple[str, ...]
) -> None:
    state = state_of(locked, SUITE.replace(old, new))
    assert cases_of(state) == {case: changed}
    assert not state.keys
    assert not state.files


def test_metadata_that_no_slice_uses_may_change(locked: Path) -> None:
    assert state_of(locked, SUITE.replace("author: ann", "author: ben")).is_current


@pytest.mark.parametrize(
    ("old", "new", "keys"),
    [
        ("{file: system.md}", "Long.", ("prompt",)),
        ("name: tone,", "name: tone, weight: 2,", ("execution.evaluators",)),
        ("target: mock\n", "target: mock\n  repeats: 3\n  seed: 1\n", ("execution.repeats", "execution.seed")),
        (">= 90%", ">= 80%", ("gates",)),
        ("by: metadata.language", "by: metadata.author", ("slices",)),
        ("gates:", "intervals: {confidence: 0.9}\ngates:", ("intervals",)),
        ("gates:", "evaluation_mode: llm\nevaluation_criteria: Good\ngates:", ("evaluation_mode",)),
    ],
)  # fmt: skip
def test_a_change_of_the_head_is_found_once(
    locked: Path, old: str, new: str, keys: tuple[str, ...]
) -> None:
    state = state_of(locked, SUITE.replace(old, new))
    assert state.keys == keys
    assert not state.cases


@pytest.mark.parametrize("name", FILES)
def test_a_change_of_a_file_is_found_once(locked: Path, name: str) -> None:
    (locked / name).write_text("another text")
    state = state_of(locked)
    assert state.files == (name,)
    assert not state.cases
    assert not state.keys


def test_cases_come_and_go(locked: Path) -> None:
    text = SUITE.replace("id: two", "id: three")
    state = state_of(locked, text)
    assert (state.added, state.removed, state.undocumented) == (((1, "three"),), ("two",), ("two",))
    text += "governance: {deprecated: [{id: two, reason: The sky is grey}]}\n"
    assert state_of(locked, text).undocumented == ()


def test_a_later_version_may_differ(locked: Path) -> None:
    assert state_of(locked, SUITE.replace("2026.2", "2026.10")).is_raised
    assert not state_of(locked).is_raised
    assert not state_of(locked, SUITE.replace("2026.2", "2026.1")).is_raised


def test_versions_are_ordered_by_their_numbers() -> None:
    versions = ["1", "1.0-rc1", "1.0", "1.0.1", "1.2", "1.10", "2026.2", "2026.10-dev", "2026.10"]
    assert all(is_later(b, a) for a, b in pairwise(versions))


def test_versions_of_any_length_are_compared() -> None:
    assert is_later("1" + "0" * 10_000, "9" * 9_999)
    assert not is_later("007", "7")
    assert is_later("", "") is False


def test_an_earlier_state_is_used_again_and_a_keystroke_is_noticed(locked: Path) -> None:
    folder = Folder(Workspace(locked), locked)
    path = locked / "a.eval.yaml"
    suite = parse_suite(SUITE)
    first = lock_state(suite, path, folder)
    again = parse_suite(SUITE, reuse=suite)
    assert lock_state(again, path, folder) is first
    edited = parse_suite(SUITE.replace("input: Hi", "input: Hello"), reuse=again)
    second = lock_state(edited, path, folder)
    assert second is not None
    assert cases_of(second) == {"one": ("question",)}
    back = parse_suite(SUITE, reuse=edited)
    assert lock_state(back, path, folder).is_current  # type: ignore[union-attr]


def test_line_breaks_of_another_system_change_nothing(locked: Path) -> None:
    (locked / "tone.md").write_text("Is {{ candidate_answer }} kind?\nSay why.\n")
    changed = state_of(locked)
    assert changed.files == ("tone.md",)
    suite = parse_suite(SUITE)
    assert suite.head.model is not None
    folder = Folder(Workspace(locked), locked)
    lock = make_lock(suite, suite.head.model, "2026.2", locked / "a.eval.yaml", folder, "now")
    (locked / "a.eval.lock").write_bytes(lock_text(lock).replace("\n", "\r\n").encode())
    (locked / "tone.md").write_bytes(b"Is {{ candidate_answer }} kind?\r\nSay why.\r\n")
    assert state_of(locked, SUITE.replace("\n", "\r\n")).is_current


def test_a_case_changes_with_what_it_refers_to_by_an_alias(tmp_path: Path) -> None:
    text = (
        'version: "1"\nmetadata: {rubrics: &shared [Greets]}\nevalcases:\n'
        "  - {id: one, input: Hi, expected_outcome: x, rubrics: *shared}\n"
        "  - {id: two, input: Hi, expected_outcome: x}\n"
    )
    suite = parse_suite(text)
    assert suite.head.model is not None
    folder = Folder(Workspace(tmp_path), tmp_path)
    lock = make_lock(suite, suite.head.model, "1", tmp_path / "a.eval.yaml", folder, "now")
    (tmp_path / "a.eval.lock").write_text(lock_text(lock))
    assert state_of(tmp_path, text).is_current
    assert cases_of(state_of(tmp_path, text.replace("Greets", "Thanks"))) == {"one": ("grading",)}


def test_a_file_that_comes_back_is_noticed(locked: Path) -> None:
    path = locked / "a.eval.yaml"
    suite = parse_suite(SUITE.replace("- id: two", "- id: two  # edited"))

    def state() -> LockState:
        found = lock_state(suite, path, Folder(Workspace(locked), locked))
        assert found is not None
        return found

    (locked / "sky.txt").rename(locked / "away.txt")
    assert state().files == ("sky.txt",)
    (locked / "away.txt").rename(locked / "sky.txt")
    assert state().is_current


def test_a_judge_that_changes_is_found(tmp_path: Path) -> None:
    text = SUITE.replace("{file: system.md}", "Short.").replace("tone.md", "Is it kind?")
    text = text.replace(
        "slices:", "judges: {rubric: {model: one, calibration: calibration.json}}\nslices:"
    )
    targets = "targets: [{name: mock, provider: mock, judge_target: judge}, {name: judge, provider: cli, command: %s}]"
    (tmp_path / "sky.txt").write_text("The sky.")
    (tmp_path / "calibration.json").write_text("{}")
    (tmp_path / "targets.yaml").write_text(targets % "one")
    suite = parse_suite(text)
    assert suite.head.model is not None
    path = tmp_path / "a.eval.yaml"
    folder = Folder(Workspace(tmp_path), tmp_path)
    lock = make_lock(suite, suite.head.model, "2026.2", path, folder, "2026-02-04T08:00:00Z")
    (tmp_path / "a.eval.lock").write_text(lock_text(lock))
    assert state_of(tmp_path, text).is_current

    def keys(now: str) -> list[str | None]:
        state = state_of(tmp_path, now)
        assert not state.cases
        return [it.key for it in state.judges]

    assert keys(text.replace("model: one", "model: two")) == ["model"]
    assert keys(text.replace("model: one", "model: one, votes: 3")) == [None]
    assert keys(text.replace("rubric: {", "other: {votes: 3}, rubric: {")) == [None]
    (tmp_path / "calibration.json").write_text("[]")
    assert keys(text) == ["calibration"]
    (tmp_path / "targets.yaml").write_text(targets % "two")
    assert keys(text) == ["target"]


def test_a_lock_is_written_alike_and_read_again(locked: Path) -> None:
    text = (locked / "a.eval.lock").read_text()
    lock = read_lock(text)
    assert isinstance(lock, LockFile)
    assert lock_text(lock) == text
    assert sum('"question"' in it for it in text.splitlines()) == 3  # two cases and the head


def test_why_a_lock_cannot_be_used(locked: Path) -> None:
    path = locked / "a.eval.lock"
    text = path.read_text()

    def why(changed: str) -> LockProblem:
        path.write_text(changed)
        found = lock_of(locked / "a.eval.yaml", Folder(Workspace(locked), locked))
        assert isinstance(found, LockProblem)
        return found

    conflict = text.replace(' "gates"', '<<<<<<< HEAD\n "gates"', 1)
    problem = why(conflict)
    assert "merged" in problem.message
    assert conflict.splitlines()[(problem.line or 0) - 1] == "<<<<<<< HEAD"
    assert why(text[:200] + text[202:]).message
    assert why(text.replace('"lock": 1', '"lock": 2')).message.startswith("a newer version")
    assert "digest" in why(text.replace('"one"', '"uno"')).message
    assert "JSON" in why("").message
    assert why(text.replace('"a.eval.yaml"', '"b.eval.yaml"'))


def test_a_lock_of_another_program_is_not_a_lock(tmp_path: Path) -> None:
    (tmp_path / "poetry.lock").write_text("[[package]]\n")
    assert lock_of(tmp_path / "poetry.yaml", Folder(Workspace(tmp_path), tmp_path)) is None


def test_unused_names_of_files_outside_are_not_read(locked: Path) -> None:
    path = locked / "a.eval.lock"
    lock = read_lock(path.read_text())
    assert isinstance(lock, LockFile)
    outside = "../secret.txt"
    (locked.parent / "secret.txt").write_text("x")
    path.write_text(
        lock_text(lock.model_copy(update={"files": {**lock.files, outside: "sha256:0"}}))
    )
    folder = Folder(Workspace(locked), locked)
    state = lock_state(parse_suite(SUITE), locked / "a.eval.yaml", folder)
    assert state is not None
    assert state.files == (outside,)
    assert locked.parent / "secret.txt" not in folder.workspace.texts_read
