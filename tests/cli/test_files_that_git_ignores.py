"""Commands that search a folder leave out what git ignores; a path that is named is read."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from support.running.processes import MISSPELLED, SOUND, suitecase, write


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Return a repository with a sound suite, and one with an error that git ignores."""
    write(tmp_path, ".git/HEAD", "ref: refs/heads/main\n")
    write(tmp_path, ".gitignore", "out/\n")
    write(tmp_path, "src/a.eval.yaml", SOUND)
    write(tmp_path, "out/b.eval.yaml", MISSPELLED)
    return tmp_path


def test_a_check_leaves_it_out(site: Path) -> None:
    done = suitecase("check", cwd=site)
    assert (done.returncode, "b.eval.yaml" in done.stdout) == (0, False)
    done = suitecase("check", "--fix", "--unsafe-fixes", cwd=site)
    assert (site / "out/b.eval.yaml").read_text("utf-8") == MISSPELLED


@pytest.mark.parametrize("path", ["out", "out/b.eval.yaml"])
def test_a_path_that_is_named_is_checked(site: Path, path: str) -> None:
    done = suitecase("check", "--format", "concise", path, cwd=site)
    assert done.returncode == 1
    assert "b.eval.yaml:" in done.stdout


def test_an_option_and_a_setting_turn_it_off_and_on(site: Path) -> None:
    assert suitecase("check", "--no-respect-gitignore", cwd=site).returncode == 1
    write(site, "suitecase.toml", "respect-gitignore = false\n")
    assert suitecase("check", cwd=site).returncode == 1
    assert suitecase("check", "--respect-gitignore", cwd=site).returncode == 0


def test_a_run_and_a_migration_leave_it_out(site: Path) -> None:
    done = suitecase("run", "--dry-run", cwd=site)
    assert done.returncode == 0
    assert "b.eval.yaml" not in done.stdout + done.stderr
    done = suitecase("migrate", "--check", cwd=site)
    assert done.returncode == 0
    assert "b.eval.yaml" not in done.stdout + done.stderr


@pytest.mark.parametrize("has_targets", [False, True])
def test_a_folder_with_nothing_else_says_so(site: Path, has_targets: bool) -> None:
    (site / "src/a.eval.yaml").unlink()
    if has_targets:
        (site / "targets.yaml").write_text("targets:\n  - {name: a, provider: mock, response: b}\n")
    done = suitecase("check", cwd=site)
    assert done.returncode == 2
    assert "`out/b.eval.yaml` (a suite, which git ignores)" in done.stderr


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_a_line_that_is_added_does_not_switch_off_the_check_of_tracked_suites(
    tmp_path: Path,
) -> None:
    write(tmp_path, "evals/a.eval.yaml", MISSPELLED)
    write(tmp_path, "evals/of-others.txt", "")
    write(tmp_path, "b.eval.yaml", MISSPELLED)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    subprocess.run(["git", "add", "."], cwd=tmp_path, check=True)
    write(tmp_path, ".gitignore", "evals/\n*.eval.yaml\n")
    write(tmp_path, "evals/mine.eval.yaml", MISSPELLED)
    done = suitecase("check", "--format", "concise", cwd=tmp_path)
    assert done.returncode == 1
    assert {line.partition(":")[0] for line in done.stdout.splitlines() if "error" in line} >= {
        "evals/a.eval.yaml",
        "b.eval.yaml",
    }
    assert "mine.eval.yaml" not in done.stdout
    assert (
        "1 file with the name of a suite is left out, since git ignores it: evals/mine.eval.yaml; "
        "`--no-respect-gitignore` checks all"
    ) in done.stderr


@pytest.mark.parametrize("command", [["check"], ["run", "--dry-run"], ["migrate", "--check"]])
def test_files_with_names_of_suites_that_are_left_out_are_counted(
    site: Path, command: list[str]
) -> None:
    write(site, ".gitignore", "out/\nmine*\n")
    write(site, "src/mine1.eval.yaml", MISSPELLED)
    write(site, "src/mine2.eval.yaml", MISSPELLED)
    write(site, "src/mine.yaml", MISSPELLED)
    done = suitecase(*command, cwd=site)
    assert done.returncode == 0
    assert "2 files with names of suites are left out, since git ignores them: " in done.stderr
    assert "src/mine1.eval.yaml, src/mine2.eval.yaml; " in done.stderr


def test_of_a_damaged_index_one_line_says_so(site: Path) -> None:
    write(site, ".git/index", "DIRC")
    done = suitecase("check", cwd=site)
    assert done.returncode == 0
    assert "it is not known what git tracks there, since the index" in done.stderr
