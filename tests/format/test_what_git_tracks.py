"""A search of a folder finds what git tracks, whatever `.gitignore` says; git itself says what that is."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from suitecase.format.discovery import suites_in
from suitecase.text.git_ignored import LeftOutByGit
from support.running.processes import SOUND, write
from support.system.paths_opened import Recording

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

FILES = (
    "top.eval.yaml",
    "out/tracked.eval.yaml",
    "out/stray.eval.yaml",
    "out/deep/er/tracked.eval.yaml",
    "out/deep/stray.eval.yaml",
    "out-of/stray.eval.yaml",
    "ä/ö tracked.eval.yaml",
    "ä/stray.eval.yaml",
    f"{'long' * 50}/{'names' * 40}/tracked.eval.yaml",
    ".claude/skills/a/evals/evals.json",
)
IGNORES = "out\nout-of/\n*.eval.yaml\nlong*/\n.claude/\n"


def git(folder: Path, *arguments: str, text: str | None = None) -> str:
    """Call git, without the settings of whoever runs the tests."""
    own = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    for role in ("AUTHOR", "COMMITTER"):
        own |= {f"GIT_{role}_NAME": "a", f"GIT_{role}_EMAIL": "a@b"}
    done = subprocess.run(
        ["git", "-c", "protocol.file.allow=always", *arguments],
        cwd=folder,
        input=text,
        env={**os.environ, **own},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def filled(folder: Path) -> Path:
    """Write suites, of which git would ignore all."""
    for name in FILES:
        write(folder, name, '{"evals": [{"prompt": "Hi"}]}' if name.endswith("json") else SOUND)
    return folder


def add_tracked(folder: Path, *names: str) -> None:
    """Let git track the files that are meant to be tracked, and ignore all others."""
    git(folder, "add", "-f", *(names or [name for name in FILES if "stray" not in name]))
    write(folder, ".gitignore", IGNORES)


def found(folder: Path, left_out: LeftOutByGit | None = None) -> set[str]:
    """Return the suites that a search finds."""
    return {path.relative_to(folder).as_posix() for path in suites_in(folder, left_out=left_out)}


def seen_by_git(folder: Path) -> set[str]:
    """Return the suites that git tracks, or would add."""
    listed = git(folder, "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
    return {path for path in listed if path.endswith((".eval.yaml", "evals.json"))}


@pytest.mark.parametrize("hashes", ["sha1", "sha256"])
@pytest.mark.parametrize("version", [2, 3, 4])
@pytest.mark.parametrize("setting", ["plain", "index.skipHash=true", "split"])
def test_tracked_files_are_found_in_every_form_of_the_index(
    tmp_path: Path, hashes: str, version: int, setting: str
) -> None:
    filled(tmp_path)
    git(tmp_path, "init", "-q", f"--object-format={hashes}")
    if "=" in setting:
        git(tmp_path, "config", *setting.split("="))
    git(tmp_path, "add", "-f", "top.eval.yaml")
    git(tmp_path, "update-index", "--index-version", str(version))
    if setting == "split":
        git(tmp_path, "update-index", "--split-index")
    add_tracked(tmp_path)
    if version == 3:
        git(tmp_path, "update-index", "--skip-worktree", "top.eval.yaml")
    left_out = LeftOutByGit()
    assert found(tmp_path, left_out) == seen_by_git(tmp_path)
    assert "out/tracked.eval.yaml" in found(tmp_path)
    assert not left_out.unknown


def test_a_worktree_has_an_index_of_its_own(tmp_path: Path) -> None:
    main = filled(tmp_path / "main")
    git(main, "init", "-q")
    add_tracked(main)
    git(main, "commit", "-qm", "a")
    for place in (tmp_path / "beside", main / "inside"):
        git(main, "worktree", "add", "-q", str(place))
        filled(place)
        git(place, "rm", "-q", "--cached", "top.eval.yaml")
        write(place, ".gitignore", IGNORES)
        left_out = LeftOutByGit()
        assert found(place, left_out) == seen_by_git(place)
        assert "top.eval.yaml" not in found(place)
        assert not left_out.unknown


def test_a_submodule_has_an_index_of_its_own(tmp_path: Path) -> None:
    other = filled(tmp_path / "other")
    git(other, "init", "-q")
    add_tracked(other, "top.eval.yaml")
    git(other, "commit", "-qm", "a")
    main = tmp_path / "main"
    main.mkdir()
    git(main, "init", "-q")
    git(main, "submodule", "add", "-q", str(other), "out/sub")
    filled(main / "out/sub")
    write(main, "out/sub/.gitignore", "out/\n*.eval.yaml\n")
    write(main, ".gitignore", "out/\n")
    left_out = LeftOutByGit()
    inside = {f"out/sub/{name}" for name in seen_by_git(main / "out/sub")}
    assert found(main, left_out) == inside
    assert "out/sub/top.eval.yaml" in inside
    assert not left_out.unknown


def _break(repository: Path, how: str) -> None:
    index = repository / ".git/index"
    content = index.read_bytes()
    if how == "cut":
        index.write_bytes(content[:-40])
    elif how == "changed":
        index.write_bytes(content.replace(b"top", b"tip"))
    elif how == "other version":
        index.write_bytes(content[:7] + b"\x09" + content[8:])
    elif how == "no base":
        git(repository, "update-index", "--split-index")
        next((repository / ".git").glob("sharedindex.*")).unlink()
    elif how == "huge":
        os.truncate(index, 1024**4)
    else:
        index.unlink()
        if how == "folder":
            index.mkdir()
        elif how == "pipe":
            os.mkfifo(index)
        elif how == "link":
            write(repository.parent, "elsewhere", "")
            index.symlink_to(repository.parent / "elsewhere")


@pytest.mark.parametrize(
    "how", ["cut", "changed", "other version", "no base", "huge", "folder", "pipe", "link"]
)
def test_of_an_index_that_cannot_be_read_nothing_is_left_out_silently(
    tmp_path: Path, how: str
) -> None:
    repository = filled(tmp_path / "repository")
    git(repository, "init", "-q")
    add_tracked(repository)
    _break(repository, how)
    left_out = LeftOutByGit()
    assert found(repository, left_out) == set()
    assert left_out.unknown == {str(repository)}
    assert repository / "top.eval.yaml" in left_out.suites


@pytest.mark.parametrize("named", ["../elsewhere", "../elsewhere/worktrees/a", "//host/share"])
def test_a_repository_that_a_file_of_somebody_leads_to_is_not_read(
    tmp_path: Path, named: str
) -> None:
    real = filled(tmp_path / "elsewhere")
    (real / "worktrees").mkdir()
    git(real, "init", "-q", "--separate-git-dir", str(real / "worktrees/a"))
    workspace = filled(tmp_path / "workspace")
    write(workspace, ".git", f"gitdir: {named}\n")
    write(workspace, ".gitignore", IGNORES)
    write(real, "worktrees/a/gitdir", f"{tmp_path}/other/.git\n")
    add_tracked(real)
    left_out = LeftOutByGit()
    assert found(workspace, left_out) == set()
    assert left_out.unknown == {str(workspace)}


def test_the_index_is_not_read_where_nothing_is_ignored(tmp_path: Path) -> None:
    for name in ("a.eval.yaml", "node_modules/b.eval.yaml", ".venv/c.eval.yaml", "notes.txt"):
        write(tmp_path, f"repository/{name}", SOUND)
    repository = tmp_path / "repository"
    write(repository, ".gitignore", "node_modules/\n.venv/\n*.txt\n")
    git(repository, "init", "-q")
    git(repository, "add", ".")
    recording = Recording(tmp_path / "recording")
    command = [sys.executable, "-m", "suitecase", "check", "a.eval.yaml", "."]
    env = {**os.environ, **recording.environment}
    subprocess.run(command, cwd=repository, env=env, capture_output=True, check=True)
    opened = " ".join(recording.paths)
    assert "a.eval.yaml" in opened
    assert ".git/index" not in opened


def test_a_hundred_thousand_files_take_less_than_a_second(tmp_path: Path) -> None:
    blob = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
    git(tmp_path, "init", "-q")
    lines = (
        f"100644 {blob}\tpackages/p{number % 300}/module{number}.py\n" for number in range(100_000)
    )
    git(tmp_path, "update-index", "--index-info", text="".join(lines))
    for number in range(200):
        write(tmp_path, f"packages/p{number}/a.eval.yaml", SOUND)
    git(tmp_path, "add", "packages/p7/a.eval.yaml")
    write(tmp_path, ".gitignore", "packages/\n")
    started = time.perf_counter()
    assert found(tmp_path) == {"packages/p7/a.eval.yaml"}
    assert time.perf_counter() - started < 3  # of which 0.15 s on a free machine
