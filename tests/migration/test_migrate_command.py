"""`suitecase migrate` as a person or a pipeline uses it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

OLDER = (
    "# greetings\ntestcases:\n  - id: greet\n    outcome: Says hello   # warmly\n"
    "    messages:\n      - {role: user, content: Hi}\n      - {role: assistant, content: Hello}\n"
)
TODAY = (
    "# greetings\nevalcases:\n  - id: greet\n    expected_outcome: Says hello   # warmly\n"
    "    input_messages:\n      - {role: user, content: Hi}\n"
    "    expected_messages:\n      - {role: assistant, content: Hello}\n"
)
UNDECIDED = TODAY + (
    "    evaluators:\n      - name: json\n        type: is_json\n        required: true\n"
)


def _run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "suitecase", "migrate", *arguments],
        cwd=folder,
        capture_output=True,
        check=False,
    )


def _write(path: Path, text: str) -> Path:
    path.write_bytes(text.encode())
    return path


def test_a_suite_is_rewritten_and_then_is_in_todays_format(tmp_path: Path) -> None:
    suite = _write(tmp_path / "a.yaml", OLDER)
    first = _run(tmp_path, "a.yaml")
    assert (first.returncode, first.stderr) == (0, b"")
    assert first.stdout == b"a.yaml: migrated, 3 changes\n"
    assert suite.read_bytes() == TODAY.encode()
    second = _run(tmp_path, "a.yaml")
    assert (second.returncode, second.stdout) == (0, b"a.yaml: is in today's format already\n")
    assert suite.read_bytes() == TODAY.encode()


def test_byte_order_mark_line_ends_and_mode_stay(tmp_path: Path) -> None:
    suite = _write(tmp_path / "a.yaml", "\ufeff" + OLDER.replace("\n", "\r\n"))
    suite.chmod(0o640)
    assert _run(tmp_path, "a.yaml").returncode == 0
    assert suite.read_bytes() == ("\ufeff" + TODAY.replace("\n", "\r\n")).encode()
    assert suite.stat().st_mode & 0o777 == 0o640
    assert [it.name for it in tmp_path.iterdir()] == ["a.yaml"]


def test_check_changes_nothing_and_fails_where_something_would_change(tmp_path: Path) -> None:
    suite = _write(tmp_path / "a.yaml", OLDER)
    ended = _run(tmp_path, "--check", ".")
    assert ended.returncode == 1
    assert ended.stdout == b"a.yaml: would be migrated, 3 changes\n"
    assert suite.read_bytes() == OLDER.encode()
    _write(suite, TODAY)
    assert _run(tmp_path, "--check", ".").returncode == 0


def test_diff_shows_what_would_change(tmp_path: Path) -> None:
    suite = _write(tmp_path / "a.yaml", OLDER)
    ended = _run(tmp_path, "--diff", "a.yaml")
    assert ended.returncode == 0
    lines = ended.stdout.decode().splitlines()
    assert "-testcases:" in lines
    assert "+evalcases:" in lines
    assert "     # greetings" not in lines
    assert suite.read_bytes() == OLDER.encode()


def test_what_a_person_must_decide_is_named_at_its_place(tmp_path: Path) -> None:
    suite = _write(tmp_path / "a.yaml", UNDECIDED.replace("evalcases", "tests"))
    ended = _run(tmp_path, "a.yaml")
    assert ended.returncode == 1
    said = ended.stdout.decode().splitlines()
    assert said[0] == "a.yaml: migrated, 1 change; 1 thing left to decide"
    assert said[1].startswith("  a.yaml:12:9: an evaluator with `required`")
    assert suite.read_bytes() == UNDECIDED.encode()
    again = _run(tmp_path, "a.yaml")
    assert again.returncode == 1
    assert again.stdout.decode().startswith("a.yaml: 1 thing left to decide\n")


def test_a_folder_is_searched_and_other_files_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "evals").mkdir()
    _write(tmp_path / "evals" / "a.yaml", OLDER)
    workflow = "on: push\ntests:\n  - id: unit\n    run: pytest\n"
    ci = _write(tmp_path / "ci.yaml", workflow)
    assert _run(tmp_path, ".").stdout == b"evals/a.yaml: migrated, 3 changes\n"
    assert ci.read_text() == workflow
    ended = _run(tmp_path, "ci.yaml")
    assert (ended.returncode, ended.stderr) == (
        2,
        b"ci.yaml: cannot be migrated: it is no suite\n",
    )


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for name, why in (
        ("no.yaml", "it is not there"),
        ("empty", "there is no suite in this folder"),
    ):
        ended = _run(tmp_path, name)
        assert ended.returncode == 2
        assert ended.stderr.decode() == f"{name}: cannot be migrated: {why}\n"


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    real = _write(tmp_path / "real" / "a.yaml", OLDER)
    link = tmp_path / "link.yaml"
    link.symlink_to(real)
    assert _run(tmp_path, "link.yaml").returncode == 0
    assert link.is_symlink()
    assert real.read_bytes() == TODAY.encode()
