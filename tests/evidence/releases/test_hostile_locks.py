"""Lock files of any content: they are used or refused, and nothing is raised."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from suitecase.checking.check import check
from suitecase.evidence.releases.lock_file import LockFile, LockProblem, lock_text, read_lock
from suitecase.evidence.releases.lock_state import lock_state
from suitecase.evidence.releases.locking import make_lock
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.parsed import parse_suite

SUITE = 'version: "1"\nprompt: Short\nexecution: {target: mock}\nevalcases:\n' + "".join(
    f"  - {{id: case-{n}, input: Hi {n}, expected_outcome: Greets}}\n" for n in range(6)
)


def locked(root: Path) -> str:
    """Lock the suite; return the text of the lock."""
    suite = parse_suite(SUITE)
    assert suite.head.model is not None
    folder = Folder(Workspace(root), root)
    text = lock_text(make_lock(suite, suite.head.model, "1", root / "a.eval.yaml", folder, "now"))
    (root / "a.eval.lock").write_text(text)
    return text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[" * 100_000,
        '{"lock": 1}',
        '{"lock": true, "digest": 1}',
        '{"lock": 1e999}',
        '{"lock": 1, "cases": {"\\ud800": {}}, "digest": "x"}',
        "\ufeff{}",
        "{" + '"a": 1,' * 10_000 + '"lock": 1}',
    ],
)
def test_what_is_not_a_lock_is_a_problem(text: str) -> None:
    assert isinstance(read_lock(text), LockProblem)


@pytest.mark.parametrize(
    "name", ["", "a/b.yaml", "/etc/passwd", "\0", "../a.eval.yaml", "x" * 5_000]
)
def test_names_in_a_lock_are_only_names(tmp_path: Path, name: str) -> None:
    lock = read_lock(locked(tmp_path))
    assert isinstance(lock, LockFile)
    changed = lock.model_copy(update={"files": {name: "sha256:0"}, "suite": name or "a.eval.yaml"})
    (tmp_path / "a.eval.lock").write_text(lock_text(changed))
    analysis = check(
        parse_suite(SUITE), Folder(Workspace(tmp_path), tmp_path), tmp_path / "a.eval.yaml"
    )
    assert not analysis.failures
    assert {it.code for it in analysis.findings} & {"SC904", "SC908"}


def test_each_garbled_byte_is_found(tmp_path: Path) -> None:
    text = locked(tmp_path)
    chance = random.Random(1)
    for _ in range(300):
        at = chance.randrange(len(text))
        garbled = text[:at] + chance.choice('x0"}{,: \n') + text[at + 1 :]
        lock = read_lock(garbled)
        assert isinstance(lock, LockProblem) or _same(garbled, text), garbled


def _same(one: str, other: str) -> bool:
    """Whether two texts of JSON have the same values."""
    return bool(json.loads(one) == json.loads(other))


def test_random_edits_give_what_a_fresh_look_gives(tmp_path: Path) -> None:
    locked(tmp_path)
    chance = random.Random(2)
    path = tmp_path / "a.eval.yaml"
    lines = SUITE.splitlines(keepends=True)
    folder = Folder(Workspace(tmp_path), tmp_path)
    suite = parse_suite(SUITE)
    for _ in range(200):
        at = chance.randrange(len(lines))
        match chance.randrange(6):
            case 0 if at > 3:
                lines.insert(at, lines[at])
            case 1 if at > 3 and len(lines) > 6:
                del lines[at]
            case 2 if at > 3:
                lines[at] = lines[at].replace("Hi", chance.choice(["Ho", "Hi", "'Hi'"]))
            case 3 if at > 3:
                lines[at] = lines[at].replace("case-", chance.choice(["case-", "case-1"]))
            case 4:
                lines[1] = chance.choice(["prompt: Short\n", "prompt: Long\n", "# none\n"])
            case _:
                lines[0] = chance.choice(
                    ['version: "1"\n', 'version: "2"\n', 'version: "1"  # x\n']
                )
        text = "".join(lines)
        suite = parse_suite(text, reuse=suite)
        now = lock_state(suite, path, folder)
        fresh = lock_state(parse_suite(text), path, Folder(Workspace(tmp_path), tmp_path))
        assert now is not None
        assert fresh is not None
        for name in ("version", "cases", "added", "removed", "keys", "files", "is_current"):
            assert getattr(now, name) == getattr(fresh, name), (name, text)
