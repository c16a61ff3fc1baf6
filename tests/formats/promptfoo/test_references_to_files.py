"""Where a path in a promptfoo configuration leads to."""

from __future__ import annotations

from pathlib import Path

import pytest

from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.promptfoo.suite.references.file_references import (
    FileProblem,
    FileReference,
    bare_reference,
    file_reference,
    files_of,
    from_another_folder,
    is_remote,
    located,
    near_file,
    path_from,
)


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """The folder `eval` of a workspace with some files."""
    root = tmp_path / "project"
    for name in ("eval/data/a.txt", "eval/data/b.txt", "eval/check.py", "data/c.txt", "top.csv"):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    (tmp_path / "secret.txt").write_text("x")
    return Folder(Workspace(root), root / "eval")


@pytest.mark.parametrize(
    ("text", "reference"),
    [
        ("file://a/b.yaml", FileReference("a/b.yaml")),
        ("file://check.py:get_assert", FileReference("check.py", "get_assert")),
        ("file://lib/check.mjs:one", FileReference("lib/check.mjs", "one")),
        ("file://table.xlsx#Sheet 2", FileReference("table.xlsx", None, "Sheet 2")),
        ("file://notes#1.txt", FileReference("notes#1.txt")),
        ("file://a:b.txt", FileReference("a:b.txt")),
        ("file://..\\data\\a.txt", FileReference("../data/a.txt")),
        ("file:///abs/a.txt", FileReference("/abs/a.txt")),
        ("tests.csv", None),
    ],
)
def test_references_are_taken_apart(text: str, reference: FileReference | None) -> None:
    assert file_reference(text) == reference


def test_a_path_without_scheme_is_a_reference_where_one_is_expected() -> None:
    assert bare_reference("tests.py:make") == FileReference("tests.py", "make")
    assert not is_remote("tests.csv")
    assert not is_remote("file://tests.csv")
    assert not is_remote("C:/tests.csv")
    assert is_remote("huggingface://datasets/a/b")


def test_paths_start_at_the_folder_and_nowhere_else(folder: Folder) -> None:
    assert files_of(bare_reference("data/a.txt"), folder) == (folder.path / "data/a.txt",)
    assert files_of(bare_reference("../data/c.txt"), folder) == (folder.root / "data/c.txt",)
    assert located(bare_reference("top.csv"), folder).problem is FileProblem.MISSING
    assert from_another_folder(bare_reference("top.csv"), folder) == folder.root / "top.csv"
    assert path_from(folder, folder.root / "top.csv") == "../top.csv"


def test_a_glob_has_all_its_files_in_order(folder: Folder) -> None:
    assert files_of(bare_reference("data/*.txt"), folder) == (
        folder.path / "data/a.txt",
        folder.path / "data/b.txt",
    )
    assert located(bare_reference("data/*.md"), folder).problem is FileProblem.NO_MATCH
    plain = located(bare_reference("data/*.txt"), folder, globs=False)
    assert plain.problem is FileProblem.MISSING


@pytest.mark.parametrize(
    "text", ["../../secret.txt", "C:\\data\\a.txt", "C:/a.txt", "../../*.txt", "/etc/hostname"]
)
def test_nothing_is_looked_for_outside_the_workspace(folder: Folder, text: str) -> None:
    found = located(bare_reference(text), folder)
    assert (found.files, found.problem) == ((), FileProblem.OUTSIDE)


def test_a_link_out_of_the_workspace_is_not_followed(folder: Folder) -> None:
    (folder.path / "link.txt").symlink_to(folder.root.parent / "secret.txt")
    assert located(bare_reference("link.txt"), folder).problem is FileProblem.OUTSIDE


@pytest.mark.parametrize("text", ["{{ env.DATA }}/a.txt", "${DATA}/a.txt", "\0", ""])
def test_of_a_path_that_is_filled_first_nothing_is_known(folder: Folder, text: str) -> None:
    found = located(bare_reference(text), folder)
    assert (found.files, found.problem) == ((), None)


def test_a_folder_is_not_a_file(folder: Folder) -> None:
    assert located(bare_reference("data"), folder).problem is FileProblem.FOLDER


def test_the_name_that_was_meant_is_found_beside_it(folder: Folder) -> None:
    assert near_file(folder.path / "chek.py", folder) == folder.path / "check.py"
    assert near_file(folder.path / "nothing-alike.md", folder) is None


def test_a_text_that_is_open_in_an_editor_is_a_file(folder: Folder) -> None:
    path = folder.path / "new.csv"
    workspace = Workspace(folder.root, {path: "a\n1\n"})
    assert files_of(bare_reference("new.csv"), Folder(workspace, folder.path)) == (path,)
