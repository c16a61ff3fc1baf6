"""Commands on a single suite take the only one there is, where none is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.running.processes import SOUND, suitecase, write


def test_the_only_suite_is_shown(tmp_path: Path) -> None:
    write(tmp_path, "suites/a.eval.yaml", SOUND)
    write(tmp_path, "targets.yaml", "targets: [{name: bot, provider: mock}]\n")
    done = suitecase("show", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("suites/a.eval.yaml  dataset a, ")


@pytest.mark.parametrize("command", ["show", "lock", "agreement", "calibrate"])
def test_of_several_one_has_to_be_named(tmp_path: Path, command: str) -> None:
    for number in range(7):
        write(tmp_path, f"s{number}.eval.yaml", SOUND)
    done = suitecase(command, cwd=tmp_path)
    assert done.returncode == 2
    assert "several suites; name one: `s0.eval.yaml`, `s1.eval.yaml`, " in done.stderr
    assert "`s4.eval.yaml` and 2 more\n" in done.stderr


@pytest.mark.parametrize("command", ["show", "lock", "agreement", "calibrate"])
def test_without_any_suite_that_is_an_error(tmp_path: Path, command: str) -> None:
    write(tmp_path, "targets.yaml", "targets: [{name: bot, provider: mock}]\n")
    done = suitecase(command, cwd=tmp_path)
    assert done.returncode == 2
    assert "no suite found in this folder (" in done.stderr
