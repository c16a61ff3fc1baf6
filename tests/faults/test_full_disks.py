"""A disk that is full is the environment's fault: what writes a file ends with 3, and leaves the file as it was."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from support.running.processes import suitecase, write

#: What a process imports as it starts, so that no file of a workspace takes the place of another.
FULL = """\
import errno, os
def _full(*_, **__):
    raise OSError(errno.{name}, os.strerror(errno.{name}))
os.replace = os.link = _full
"""
FIXABLE = "evalcases:\n  - {id: a, input: b, outcome: c}\n"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="files take their place otherwise")


def _codes(tmp_path: Path, name: str, command: list[str]) -> tuple[int, str]:
    write(tmp_path, "start/sitecustomize.py", FULL.format(name=name))
    write(tmp_path, "site/a.eval.yaml", FIXABLE)
    write(tmp_path, "site/suitecase.toml", "")
    before = {path: path.read_bytes() for path in (tmp_path / "site").iterdir()}
    env = {"PYTHONPATH": str(tmp_path / "start"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = suitecase(*command, cwd=tmp_path / "site", env=env)
    after = {path: path.read_bytes() for path in (tmp_path / "site").iterdir() if path.is_file()}
    assert after == before
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    "command",
    [
        ["check", "--fix", "--unsafe-fixes", "."],
        ["check", "--output", "found.txt", "."],
        ["check", "--write-baseline", "known.json", "."],
        ["run", "--no-results", "--keep-going", "--report", "report.txt", "a.eval.yaml"],
        ["migrate", "."],
        ["convert", "a.eval.yaml", "--to", "jsonl", "--output", "b.jsonl"],
        ["init", "--yes", "new"],
    ],
    ids=" ".join,
)
def test_a_full_disk_ends_with_the_code_of_the_environment(
    tmp_path: Path, command: list[str]
) -> None:
    code, said = _codes(tmp_path, "ENOSPC", command)
    assert code == 3, said
    assert "cannot be written: no space left on device" in said


@pytest.mark.parametrize(("name", "code"), [("EDQUOT", 3), ("EIO", 3), ("EROFS", 2), ("EACCES", 2)])
def test_only_the_disk_itself_is_the_environment(tmp_path: Path, name: str, code: int) -> None:
    found, said = _codes(tmp_path, name, ["check", "--output", "found.txt", "."])
    assert found == code, said
