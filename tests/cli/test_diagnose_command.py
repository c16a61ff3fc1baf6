"""`suitecase diagnose`: what a bug report needs, and nothing that must not be in one."""

from __future__ import annotations

import json
from pathlib import Path

from suitecase import __version__
from support.running.processes import suitecase, write

SUITE = """\
execution: {target: private-target}
evalcases:
  - id: private-case
    input: private question
    outcome: private outcome
"""
TARGETS = """\
targets:
  - {name: private-target, provider: openai, model: private-model, api_key: sk-private-0123456789}
  - {name: other, provider: private-provider}
"""


def test_it_tells_versions_and_numbers(tmp_path: Path) -> None:
    write(tmp_path, "a.eval.yaml", SUITE)
    write(tmp_path, "targets.yaml", TARGETS)
    done = suitecase("diagnose", "--format", "json", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    told = json.loads(done.stdout)
    assert told["system"]["suitecase"] == __version__
    assert told["packages"]["pygls"][0].isdigit()
    assert told["files"] == {"suite": 1, "targets file": 1}
    assert told["cases"] == 1
    assert told["providers_of_targets"] == {"openai": 1, "another provider": 1}
    checked = json.loads(suitecase("check", "--format", "json", cwd=tmp_path).stdout)
    assert sum(told["findings"].values()) == len(checked["findings"])
    assert "SC602" in told["findings"]
    assert told["failed_rules"] == {}


def test_it_quotes_nothing_of_suites_paths_and_variables(tmp_path: Path) -> None:
    folder = tmp_path / "private-folder"
    write(folder, "private-suite.eval.yaml", SUITE)
    write(folder, "targets.yaml", TARGETS)
    variables = {"OPENAI_API_KEY": "sk-private-9876543210", "PRIVATE": "1"}
    done = suitecase("diagnose", cwd=folder, env=variables)
    assert "OPENAI_API_KEY" in done.stdout
    assert "private" not in done.stdout.lower()
    assert str(tmp_path) not in done.stdout


def test_a_folder_without_suites_and_one_that_cannot_be_parsed(tmp_path: Path) -> None:
    done = suitecase("diagnose", cwd=tmp_path)
    assert done.returncode == 0
    assert "files: none\n" in done.stdout
    write(tmp_path, "a.eval.yaml", "evalcases: [\n")
    assert "SC" in suitecase("diagnose", cwd=tmp_path).stdout.partition("findings:")[2]
