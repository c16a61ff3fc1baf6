"""A file that another program changes while a command works on it keeps what the other program wrote."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from suitecase.checking.options import CheckOptions
from suitecase.cli.checking.file_checker import FileChecker, FileCheckOptions, Job
from suitecase.cli.checking.findings import FileFindings, Unread
from suitecase.cli.checking.fixing import fixed_files
from suitecase.text.writing.files import Change, status_of, write_file, write_files
from suitecase.text.writing.refusals import ChangedMeanwhileError
from support.running.forked import ForkedCommand
from support.running.processes import LEGACY

ADDED = "# what an editor has saved\n"


def save_in_place(path: Path) -> None:
    with path.open("a") as file:
        file.write(ADDED)


def save_as_editors_do(path: Path) -> None:
    fresh = path.with_name(f"{path.name}~")
    fresh.write_text(path.read_text() + ADDED)
    fresh.replace(path)


def remove(path: Path) -> None:
    path.unlink()


def change_one_letter(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"Hello", b"Hallo"))


class CheckedWhileEdited(FileChecker):
    """Another program edits each file directly after it was read and checked."""

    edit: Callable[[Path], None] = save_in_place

    def check(self, job: Job) -> FileFindings | Unread:
        result = super().check(job)
        type(self).edit(job.path)
        return result


@pytest.mark.parametrize("edit", [save_in_place, save_as_editors_do, remove, change_one_letter])
def test_a_fix_does_not_replace_what_was_saved_since(
    tmp_path: Path, edit: Callable[[Path], None]
) -> None:
    path, twin = tmp_path / "a.eval.yaml", tmp_path / "twin"
    text = f"{LEGACY}# Hello\n"
    for it in (path, twin):
        it.write_text(text)
    edit(twin)
    checker = type("_", (CheckedWhileEdited,), {"edit": staticmethod(edit)})(
        FileCheckOptions(CheckOptions(), "write")
    )
    (*found, result), _ = fixed_files([Job(path, tmp_path)], checker, 1)
    # What is found is in the file as it is now; one that is gone has nothing.
    assert [str(it.lines).encode() for it in found if isinstance(it, FileFindings)] == [
        it.read_bytes() for it in (path,) if it.exists()
    ]
    assert isinstance(result, Unread)
    assert (result.what, result.reason) == (
        "was not fixed",
        "it was changed meanwhile; run the command again",
    )
    assert path.exists() == twin.exists()
    if path.exists():
        assert path.read_bytes() == twin.read_bytes()
    assert {it.name for it in tmp_path.iterdir()} <= {path.name, twin.name}


def long_suite() -> str:
    cases = "".join(f"- {{id: c{it}, outcome: x, input: Hello}}\n" for it in range(400))
    return f"execution: {{target: mock}}\nevalcases:\n{cases}"


@pytest.mark.parametrize("command", [("check", "--fix"), ("migrate",)], ids=" ".join)
@pytest.mark.parametrize("seconds", [0.1, 0.3, 0.5])
def test_whenever_a_line_is_added_it_is_there_afterwards(
    tmp_path: Path, command: tuple[str, ...], seconds: float
) -> None:
    (tmp_path / ".git").mkdir()
    path = tmp_path / "a.eval.yaml"
    path.write_text(long_suite())
    started = ForkedCommand(*command, ".", cwd=tmp_path)
    time.sleep(seconds)  # whatever the command is doing then, the result has to be the same
    save_in_place(path)
    _, errors = started.communicate(timeout=120)
    assert path.read_text().endswith(ADDED)
    fixed = "expected_outcome" in path.read_text()
    assert fixed or (started.returncode == 2 and "was changed meanwhile" in errors)
    assert [it.name for it in tmp_path.iterdir() if it.name != ".git"] == [path.name]


@pytest.mark.parametrize("edit", [save_in_place, save_as_editors_do, remove, change_one_letter])
def test_no_file_is_replaced_that_is_not_what_was_read(
    tmp_path: Path, edit: Callable[[Path], None]
) -> None:
    path = tmp_path / "a"
    for before in ("content", "status"):
        path.write_text("Hello\n")
        was = path.read_bytes() if before == "content" else status_of(path)
        if before == "status" and edit is change_one_letter:
            time.sleep(0.02)  # clocks of file systems have ticks
        edit(path)
        now = path.read_bytes() if path.exists() else None
        with pytest.raises(ChangedMeanwhileError):
            write_file(Change(path=path, content=b"new", before=was, within=None))
        assert (path.read_bytes() if path.exists() else None) == now


def test_a_file_that_has_appeared_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("another program's")
    with pytest.raises(ChangedMeanwhileError):
        write_file(Change(path=path, content=b"new", before=None, within=None))
    assert path.read_text() == "another program's"


def test_of_several_files_all_or_none_are_written(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in "abc"]
    for path in paths[:2]:
        path.write_text("old")
    paths[1].write_text("edited")

    def changes() -> list[Change]:
        befores = (b"old", b"old", None)
        return [
            Change(path=path, content=b"new", before=before, within=tmp_path)
            for path, before in zip(paths, befores, strict=True)
        ]

    with pytest.raises(ChangedMeanwhileError):
        write_files(changes())
    assert [it.read_text() for it in paths[:2]] == ["old", "edited"]
    assert {it.name for it in tmp_path.iterdir()} == {"a", "b"}
    paths[1].write_text("old")
    write_files(changes())
    assert [it.read_text() for it in paths] == ["new"] * 3
