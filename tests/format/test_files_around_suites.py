"""References are looked up from the suite's folder to the root, and nowhere else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from suitecase.format.workspace import (
    Folder,
    Found,
    NotFound,
    Unreadable,
    Workspace,
    find_root,
    read_text,
)
from suitecase.formats.suitecase.prompts import prompt_text
from suitecase_evaluators.grade.judge.template import looks_like_path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace `root/a/b` with files on each level, and a secret beside it."""
    workspace = tmp_path / "root"
    (workspace / "a" / "b").mkdir(parents=True)
    for path in ("top.md", "a/middle.md", "a/same.md", "same.md", "a/b/near.md"):
        (workspace / path).write_text(path, "utf-8")
    (tmp_path / "secret.md").write_text("secret", "utf-8")
    return workspace


def _find(root: Path, reference: str) -> Found | NotFound:
    return Folder(Workspace(root), root / "a" / "b").find(reference)


@pytest.mark.parametrize(
    ("reference", "where"),
    [
        ("near.md", "a/b/near.md"),
        ("./near.md", "a/b/near.md"),
        ("middle.md", "a/middle.md"),
        ("same.md", "a/same.md"),
        ("../same.md", "a/same.md"),
        ("../../same.md", "same.md"),
        ("top.md", "top.md"),
        ("a/middle.md", "a/middle.md"),
        ("/a/middle.md", "a/middle.md"),
        ("/top.md", "top.md"),
        ("a/../top.md", "top.md"),
        ("b/near.md", "a/b/near.md"),
    ],
)
def test_a_reference_is_looked_up_to_the_root(root: Path, reference: str, where: str) -> None:
    assert _find(root, reference) == Found(root / where)


@pytest.mark.parametrize(
    "reference", ["gone.md", "a/gone.md", "/gone.md", "", "/", "near.md\0", "x" * 5000]
)
def test_what_is_not_there_is_missing(root: Path, reference: str) -> None:
    found = _find(root, reference)
    assert isinstance(found, NotFound)
    assert found.why == "missing"


def test_what_is_not_there_says_where_it_was_looked_for(root: Path) -> None:
    found = _find(root, "gone.md")
    assert isinstance(found, NotFound)
    assert found.tried == (root / "a/b/gone.md", root / "a/gone.md", root / "gone.md")


def test_nothing_outside_the_root_is_found(root: Path) -> None:
    found = _find(root, "../../../secret.md")
    assert isinstance(found, NotFound)
    assert found.why == "outside"
    assert not isinstance(_find(root, str(root.parent / "secret.md")), Found)


def test_an_absolute_path_counts_from_the_workspace(root: Path) -> None:
    assert not isinstance(_find(root, "/etc/passwd"), Found)
    assert not isinstance(_find(root, str(root / "top.md")), Found)


def test_a_link_out_of_the_workspace_is_not_followed(root: Path) -> None:
    (root / "a" / "b" / "link.md").symlink_to(root.parent / "secret.md")
    (root / "out").symlink_to(root.parent)
    assert not isinstance(_find(root, "link.md"), Found)
    assert not isinstance(_find(root, "out/secret.md"), Found)


def test_a_link_inside_the_workspace_is_followed(root: Path) -> None:
    (root / "a" / "b" / "link.md").symlink_to(root / "top.md")
    assert _find(root, "link.md") == Found(root / "a/b/link.md")


def test_a_link_to_itself_is_missing(root: Path) -> None:
    (root / "loop.md").symlink_to(root / "loop.md")
    assert isinstance(_find(root, "loop.md"), NotFound)


def test_the_root_itself_may_be_a_link(root: Path, tmp_path: Path) -> None:
    (tmp_path / "linked").symlink_to(root)
    linked = tmp_path / "linked"
    assert Folder(Workspace(linked), linked / "a").find("top.md") == Found(linked / "top.md")


def test_a_folder_is_no_file(root: Path) -> None:
    found = _find(root, "b")
    assert isinstance(found, NotFound)
    assert found.why == "not a file"


def test_a_suite_outside_the_workspace_has_its_own_folder_alone(root: Path) -> None:
    folder = Folder(Workspace(root / "a"), root)
    assert isinstance(folder.find("middle.md"), NotFound)


@pytest.mark.parametrize(
    ("content", "reason"),
    [(b"\xff\xfe", "UTF-8"), (b"ok \xc3", "UTF-8 (byte 4"), (b"", None), ("é\r\n".encode(), None)],
)
def test_a_file_is_read_as_utf_8_or_says_why_not(
    tmp_path: Path, content: bytes, reason: str | None
) -> None:
    path = tmp_path / "file.md"
    path.write_bytes(content)
    text = read_text(path)
    if reason is None:
        assert text == content.decode("utf-8")
    else:
        assert isinstance(text, Unreadable)
        assert reason in text.reason


def test_what_cannot_be_read_says_why(tmp_path: Path) -> None:
    assert read_text(tmp_path) == Unreadable("it is a folder")
    assert read_text(tmp_path / "gone") == Unreadable("it does not exist")
    os.mkfifo(tmp_path / "pipe")
    assert read_text(tmp_path / "pipe") == Unreadable("it is not a regular file")
    large = tmp_path / "large"
    with large.open("wb") as file:
        file.truncate(65 * 1024 * 1024)
    assert read_text(large) == Unreadable("it is larger than 64 MB")


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_a_file_that_may_not_be_read_says_so(tmp_path: Path) -> None:
    path = tmp_path / "file.md"
    path.write_text("a", "utf-8")
    path.chmod(0)
    assert read_text(path) == Unreadable("permission denied")


def test_a_file_is_read_once(root: Path) -> None:
    workspace = Workspace(root)
    assert workspace.read(root / "top.md") == "top.md"
    (root / "top.md").write_text("changed", "utf-8")
    assert workspace.read(root / "top.md") == "top.md"


@pytest.mark.parametrize("mark", [".git", "suitecase.toml", ".suitecase"])
def test_the_root_is_the_nearest_marked_folder(tmp_path: Path, mark: str) -> None:
    suite = tmp_path / "a" / "b" / "s.eval.yaml"
    suite.parent.mkdir(parents=True)
    (tmp_path / mark).mkdir()
    assert find_root(suite, Path("/elsewhere")) == tmp_path
    (tmp_path / "a" / mark).mkdir()
    assert find_root(suite, Path("/elsewhere")) == tmp_path / "a"


def test_a_project_that_configures_suitecase_is_a_root(tmp_path: Path) -> None:
    suite = tmp_path / "a" / "s.eval.yaml"
    suite.parent.mkdir()
    (tmp_path / "a" / "pyproject.toml").write_text("[project]\nname = 'x'\n", "utf-8")
    (tmp_path / "pyproject.toml").write_text("[tool.suitecase]\n", "utf-8")
    assert find_root(suite, Path("/elsewhere")) == tmp_path


def test_without_a_mark_the_working_directory_is_the_root(tmp_path: Path) -> None:
    suite = tmp_path / "a" / "s.eval.yaml"
    assert find_root(suite, tmp_path) == tmp_path
    assert find_root(suite, tmp_path / "other") == tmp_path / "a"


@pytest.mark.parametrize(
    ("prompt", "is_path"),
    [
        ("prompts/tone.md", True),
        ("tone.md", True),
        ("../tone.txt", True),
        ("tone", False),
        ("Is this warm?", False),
        ("Judge.", False),
        ("a/b c.md", False),
        ("{{ candidate_answer }}", False),
        ("{{candidate_answer}}.md", False),
        ("tone.md\nmore", False),
        ("3.5", False),
        ("", False),
    ],
)
def test_a_prompt_that_looks_like_a_path(prompt: str, is_path: bool) -> None:
    assert looks_like_path(prompt) is is_path


def test_a_prompt_is_the_text_of_a_file_that_is_there(root: Path) -> None:
    folder = Folder(Workspace(root), root)
    assert prompt_text("top.md\n", folder) == ("top.md", root / "top.md")
    (root / "tone").write_text("Is it warm?", "utf-8")
    assert prompt_text("tone", folder) == ("Is it warm?", root / "tone")
    assert prompt_text("style", folder) == ("style", None)
    assert prompt_text("Is it\nwarm?", folder) == ("Is it\nwarm?", None)
    missing, path = prompt_text("gone.md", folder)
    assert isinstance(missing, NotFound)
    assert path is None
