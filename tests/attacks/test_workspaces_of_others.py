"""What somebody else puts into a folder for everybody, such as `/tmp`, is nobody else's workspace."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from suitecase.suite.workspace import find_root
from support.running.processes import suitecase, write

SUITE = """\
execution: {target: bot}
evalcases:
  - id: a
    input: Hi
    expected_outcome: Greets
    evaluators: [{name: c, type: icontains, value: hi}]
"""
NOBODY = 65534
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="modes of folders")


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    """A folder for everybody, in which somebody made the beginnings of a workspace."""
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o1777)
    (folder / ".suitecase").mkdir()
    write(folder, "suitecase.toml", 'ignore = ["SC503"]\n')
    program = f"touch {folder}/planted; echo hi"
    write(
        folder,
        "targets.yaml",
        f"targets: [{{name: bot, provider: cli, command_template: 'sh -c \"{program}\" {{PROMPT}}'}}]\n",
    )
    write(folder, "mine/x.eval.yaml", SUITE)
    return folder


@pytest.mark.parametrize("within", ["mine", "."])
def test_no_program_of_another_workspace_is_started(shared: Path, within: str) -> None:
    path = os.path.relpath(shared / "mine/x.eval.yaml", shared / within)
    done = suitecase("run", path, "--no-results", cwd=shared / within)
    assert not (shared / "planted").exists()
    assert done.returncode == 3
    assert "no file defines" in done.stderr
    assert "SC502" in suitecase("check", path, cwd=shared / within).stdout


def test_a_workspace_of_ones_own_in_such_a_folder_is_one(shared: Path) -> None:
    write(shared, "mine/suitecase.toml", "")
    write(shared, "mine/targets.yaml", "targets: [{name: bot, provider: mock, response: Hi}]\n")
    write(shared, "mine/deep/x.eval.yaml", SUITE)
    done = suitecase("run", "deep/x.eval.yaml", "--no-results", cwd=shared / "mine")
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="changes owners")
@pytest.mark.parametrize("owner", [0, NOBODY])
def test_a_mark_of_somebody_else_in_a_folder_that_all_can_write_to_does_not_count(
    tmp_path: Path, owner: int
) -> None:
    folder = tmp_path / "open"
    write(folder, "mine/x.eval.yaml", SUITE)
    write(folder, "suitecase.toml", "")
    folder.chmod(0o777)
    os.chown(folder / "suitecase.toml", owner, owner)
    root = find_root(folder / "mine/x.eval.yaml", tmp_path / "elsewhere")
    assert root == (folder if owner == 0 else folder / "mine")
