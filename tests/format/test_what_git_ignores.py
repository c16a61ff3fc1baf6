"""A search of a folder leaves out what git ignores; git itself says what that is."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from suitecase.format.configuration import find_configuration
from suitecase.format.discovery import suites_in
from suitecase.format.workspace import Workspace
from support.running.processes import SOUND, write

FOLDERS = (
    "",
    "out",
    "src",
    "src/out",
    "src/deep/er",
    "evals",
    "evals/old",
    "a b",
    "keep/tmp",
    "#x",
)
NAMES = ("a.eval.yaml", "b.eval.yaml", "c d.eval.yaml", "!e.eval.yaml", "é.eval.yaml")
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Return a repository with suites in many folders."""
    for folder in FOLDERS:
        for name in NAMES:
            write(tmp_path, f"{folder}/{name}", SOUND)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    return tmp_path


def found(folder: Path, root: Path | None = None) -> set[str]:
    """Return the suites that a search finds."""
    workspace = Workspace(root or folder)
    files = suites_in(
        folder, lambda place: find_configuration(workspace, place), root_of=lambda _: root or folder
    )
    return {it.relative_to(folder).as_posix() for it in files}


def seen_by_git(folder: Path) -> set[str]:
    """Return the suites that git does not ignore."""
    command = ["git", "ls-files", "-z", "--others", "--exclude-standard"]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=True, text=True)
    return {it for it in done.stdout.split("\0") if it.endswith(".eval.yaml")}


@needs_git
@pytest.mark.parametrize(
    "files",
    [
        {".gitignore": "out/\n"},
        {".gitignore": "/out\n"},
        {".gitignore": "out\n!src/out\n"},
        {".gitignore": "*.eval.yaml\n!a.eval.yaml\n"},
        {".gitignore": "*.eval.yaml\n!evals/\n"},
        {".gitignore": "/*\n!/src/\n/src/*\n!/src/deep/\n"},
        {".gitignore": "src/**/b.eval.yaml\n**/old\n"},
        {".gitignore": "src/**\n!src/deep\n"},
        {".gitignore": "evals/**\n!evals/old/\n!evals/old/a.eval.yaml\n"},
        {".gitignore": "# a comment\n\\#x/\n\\!e.eval.yaml\nc\\ d.eval.yaml   \n"},
        {".gitignore": "a b/ \nkeep/*\n"},
        {".gitignore": "[ab].eval.yaml\n!b.*\n"},
        {".gitignore": "?.eval.yaml\r\nout\r\n"},
        {".gitignore": "\ufeffout/\n"},
        {".gitignore": "out/\n", "src/.gitignore": "!out/\n/deep\n"},
        {".gitignore": "b.*\n", "src/deep/.gitignore": "!b.eval.yaml\na.eval.yaml\n"},
        {"evals/.gitignore": "*\n!.gitignore\n"},
        {".git/info/exclude": "out/\n"},
        {".git/info/exclude": "out/\n", ".gitignore": "!out/\n"},
        {".gitignore": "/\n//\n!\n\\\n"},
        {".gitignore": "*.eval.yaml\t\n"},
        {".gitignore": "?.eval.yaml\n!é.eval.yaml\nsrc//\n[a\n"},
        {".gitignore": "[[:alpha:]].*\n[a\\-c]*\n"},
    ],
)
def test_a_search_finds_what_git_sees(site: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        write(site, name, text)
    assert found(site) == seen_by_git(site)


@needs_git
@pytest.mark.parametrize("folder", ["src", "src/deep", "evals"])
def test_lines_above_the_folder_count(site: Path, folder: str) -> None:
    write(site, ".gitignore", "out/\nb.eval.yaml\n/src/deep/er/a.eval.yaml\n")
    assert found(site / folder, site) == seen_by_git(site / folder)
    # Also where a configuration makes the folder a workspace of its own.
    assert found(site / folder) == seen_by_git(site / folder)


def test_a_repository_in_another_has_its_own_lines(tmp_path: Path) -> None:
    for name in ("a.eval.yaml", "inner/a.eval.yaml", "inner/b.eval.yaml"):
        write(tmp_path, name, SOUND)
    write(tmp_path, ".git/HEAD", "")
    write(tmp_path, "inner/.git", "gitdir: elsewhere\n")
    write(tmp_path, ".gitignore", "a.eval.yaml\n")
    write(tmp_path, "inner/.gitignore", "b.eval.yaml\n")
    assert found(tmp_path) == {"inner/a.eval.yaml"}


def test_lines_count_without_a_repository_as_far_as_the_workspace(tmp_path: Path) -> None:
    write(tmp_path, ".gitignore", "a.eval.yaml\n")
    write(tmp_path, "work/.gitignore", "b.eval.yaml\n")
    for name in ("a.eval.yaml", "b.eval.yaml", "c.eval.yaml"):
        write(tmp_path, f"work/evals/{name}", SOUND)
    assert found(tmp_path / "work/evals", tmp_path / "work") == {"a.eval.yaml", "c.eval.yaml"}


def test_an_ignored_folder_that_is_searched_itself_is_searched(site: Path) -> None:
    write(site, ".gitignore", "out/\n")
    assert found(site / "out", site) == set(NAMES)


def test_a_configuration_turns_it_off_for_its_folder(site: Path) -> None:
    write(site, ".gitignore", "b.eval.yaml\nold/\n")
    write(site, "evals/suitecase.toml", "respect-gitignore = false\n")
    all_found = found(site)
    assert {"evals/b.eval.yaml", "evals/old/a.eval.yaml"} <= all_found
    assert "src/b.eval.yaml" not in all_found


def test_skills_and_targets_in_hidden_folders_are_left_out_too(tmp_path: Path) -> None:
    write(tmp_path, ".claude/skills/a/evals/evals.json", '{"evals": [{"prompt": "Hi"}]}')
    write(tmp_path, ".suitecase/targets.yaml", "targets:\n  - {name: a, provider: mock}\n")
    assert len(found(tmp_path)) == 2
    write(tmp_path, ".gitignore", ".claude/\n/.suitecase/*\n")
    assert found(tmp_path) == set()


@pytest.mark.parametrize("kind", ["link", "folder", "long"])
def test_a_file_that_git_would_not_read_is_not_read(tmp_path: Path, kind: str) -> None:
    write(tmp_path, "a.eval.yaml", SOUND)
    ignores = tmp_path / ".gitignore"
    if kind == "link":
        write(tmp_path, "elsewhere", "a.eval.yaml\n")
        ignores.symlink_to(tmp_path / "elsewhere")
    elif kind == "folder":
        ignores.mkdir()
    else:
        ignores.write_text("a.eval.yaml\n" + "#" * 2 * 1024 * 1024)
    assert found(tmp_path) == {"a.eval.yaml"}
