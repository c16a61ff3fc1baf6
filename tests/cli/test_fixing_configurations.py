"""`suitecase check --fix` fixes a configuration too, and then checks by the fixed one."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.running.commands import CommandSite

SUITE = "evalcases:\n  - id: a\n    input: Hi\n    expected_outcome: Hello\n    rubrics: []\n"
CONFIGURATION = 'ignore = "SC217"  # for now\r\nfail-level = "warn"\r\n'


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandSite:
    monkeypatch.chdir(tmp_path)
    site = CommandSite(tmp_path)
    site.write("suitecase.toml", CONFIGURATION)
    site.write("a.eval.yaml", SUITE)
    return site


def test_what_keeps_its_meaning_is_mended_and_holds_at_once(site: CommandSite) -> None:
    ran = site.run("check", ".", "--fix")
    assert site.read("suitecase.toml") == CONFIGURATION.replace('"SC217"', '["SC217"]')
    assert "Fixed 1 finding in 1 file." in ran.out
    assert "SC217]" not in ran.out
    # A guess is made only where it is asked for.
    assert "error[SC703] `fail-level` must be" in ran.out
    assert site.run("check", ".", "--fix", "--unsafe-fixes").code == 0
    assert 'fail-level = "warning"' in site.read("suitecase.toml")


def test_a_difference_is_shown_and_nothing_written(site: CommandSite) -> None:
    ran = site.run("check", ".", "--diff")
    assert '+ignore = ["SC217"]  # for now' in ran.out
    assert site.read("suitecase.toml") == CONFIGURATION
    assert ran.code == 1
