"""Names of files that read as options, as hooks and patterns of shells put them behind a command."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.running.processes import SOUND, suitecase, write


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("check", "--output=found.eval.yaml"),
        ("check", "--baseline=known.eval.yaml"),
        ("check", "--fix"),
        ("migrate", "--check"),
        ("run", "--no-results"),
    ],
)
def test_no_file_of_a_checkout_chooses_an_option(tmp_path: Path, command: str, name: str) -> None:
    write(tmp_path, name, SOUND)
    write(tmp_path, "sound.eval.yaml", SOUND)
    write(tmp_path, "known.eval.yaml", '{"version": 1, "findings": []}')
    before = sorted(tmp_path.rglob("*"))
    done = suitecase(command, name, "sound.eval.yaml", cwd=tmp_path)
    assert done.returncode == 2
    assert (
        f"{name} is the name of a file here, and reads as an option; write ./{name}" in done.stderr
    )
    assert sorted(tmp_path.rglob("*")) == before


def test_such_a_file_is_checked_where_it_is_certainly_a_file(tmp_path: Path) -> None:
    name = "--output=found.eval.yaml"
    write(tmp_path, name, SOUND)
    for arguments in (("--", name), (f"./{name}",), (".",)):
        done = suitecase("check", *arguments, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert "1 suite" in done.stdout
    assert [file.name for file in tmp_path.iterdir()] == [name]
