"""Targets files that are shared with AgentV: other names of targets, and targets by their names."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.running.processes import found, suitecase, write

CANNED = "targets:\n  - {name: canned, provider: mock, response: Hello}\n"
SUITE = """\
execution: {target: TARGET}
evalcases:
  - id: greet
    input: Hi
    expected_outcome: Says hello
    evaluators:
      - {name: hello, type: contains, value: Hello}
"""


def _suite(folder: Path, targets: str, target: str) -> None:
    write(folder, ".agentv/targets.yaml", targets)
    write(folder, "a.eval.yaml", SUITE.replace("TARGET", target))


@pytest.mark.parametrize(
    "aliases",
    [
        "  - {name: default, use_target: canned}\n",
        "  - {name: default, use_target: other}\n  - {name: other, use_target: canned}\n",
    ],
)
def test_another_name_of_a_target_is_asked_as_that_target(aliases: str, tmp_path: Path) -> None:
    _suite(tmp_path, CANNED + aliases, "default")
    assert found(".", cwd=tmp_path) == []
    ran = suitecase("run", "a.eval.yaml", "--no-results", cwd=tmp_path)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_a_suite_is_refused_only_if_it_uses_what_the_environment_names(tmp_path: Path) -> None:
    targets = CANNED + "  - {name: default, use_target: '${{ AGENT_TARGET }}'}\n"
    warned = (".agentv/targets.yaml", 3, "SC624", "warning")
    _suite(tmp_path, targets, "canned")
    assert found(".", cwd=tmp_path) == [warned]
    _suite(tmp_path, targets, "default")
    assert found(".", cwd=tmp_path) == [warned, ("a.eval.yaml", 1, "SC530", "error")]
    assert suitecase("run", "a.eval.yaml", "--no-results", cwd=tmp_path).returncode == 2
    other = suitecase("run", "a.eval.yaml", "--target", "canned", "--no-results", cwd=tmp_path)
    assert other.returncode == 0


@pytest.mark.parametrize(
    "aliases",
    [
        "  - {name: default, use_target: cannde}\n",
        "  - {name: default, use_target: b}\n  - {name: b, use_target: default}\n",
    ],
)
def test_another_name_of_nothing_is_an_error(aliases: str, tmp_path: Path) -> None:
    _suite(tmp_path, CANNED + aliases, "default")
    codes = [it[2] for it in found(".", cwd=tmp_path)]
    assert codes[-1] == "SC530"
    assert set(codes[:-1]) == {"SC540"}


def test_targets_by_their_names_are_used(tmp_path: Path) -> None:
    targets = "targets:\n  canned:\n    provider: mock\n    response: Hello\n"
    _suite(tmp_path, targets, "canned")
    assert found(".", cwd=tmp_path) == [(".agentv/targets.yaml", 2, "SC625", "warning")]
    assert suitecase("run", "a.eval.yaml", "--no-results", cwd=tmp_path).returncode == 0
    assert suitecase("check", ".", "--fix", cwd=tmp_path).returncode == 0
    assert found(".", cwd=tmp_path) == []
