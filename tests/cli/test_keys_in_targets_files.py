"""A key in a targets file is found, and never displayed."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.running.commands import CommandSite

KEY = "sk-proj-77aa0b1c9d"
TARGETS = f"targets:\n  - {{name: a, provider: openai, model: m, api_key: {KEY}, temprature: 1}}\n"


@pytest.mark.parametrize(
    "form", ["text", "json", "jsonl", "sarif", "junit", "github", "gitlab", "summary"]
)
def test_no_format_shows_the_key(tmp_path: Path, form: str) -> None:
    site = CommandSite(tmp_path)
    site.write("targets.yaml", TARGETS)
    ran = site.run("check", "targets.yaml", "--format", form)
    output = ran.out + ran.err
    assert "SC509" in output or form == "summary"
    assert KEY not in output


def test_the_line_is_shown_without_the_key(tmp_path: Path) -> None:
    site = CommandSite(tmp_path)
    site.write("targets.yaml", TARGETS)
    out = site.run("check", "targets.yaml").out
    assert f"api_key: {'*' * len(KEY)}, temprature: 1}}" in out
    assert "= fix: Read it from `A_API_KEY`, if that is what you mean" in out
    site.run("check", "--fix", "--unsafe-fixes", "targets.yaml")
    assert 'api_key: "${{ A_API_KEY }}"' in site.read("targets.yaml")
