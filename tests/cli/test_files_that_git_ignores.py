"""Commands that search a folder leave out what git ignores; a path that is named is read."""

from __future__ import annotations

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
