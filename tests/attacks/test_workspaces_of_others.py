"""What somebody else puts into a shared folder such as `/tmp` is not taken for your workspace."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from suitecase.format.workspace import find_root
from support.running.processes import suitecase, write
from support.system.sandboxed_programs import isolated_only

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
    """A shared folder, in which somebody else began a workspace."""
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


def test_what_an_editor_left_makes_no_workspace_of_the_folder_that_it_had_open(
    tmp_path: Path,
) -> None:
    write(tmp_path, "suitecase.toml", "")
    write(tmp_path, "inner/x.eval.yaml", SUITE)
    write(tmp_path, "inner/.suitecase/editor/graded/x.json", "{}")
    suite = tmp_path / "inner/x.eval.yaml"
    assert find_root(suite, tmp_path) == tmp_path
    write(tmp_path, "inner/.suitecase/results/run.jsonl", "")
    assert find_root(suite, tmp_path) == tmp_path / "inner"


@isolated_only
@pytest.mark.parametrize("home", [".", "rel", "{root}"])
def test_a_configuration_in_the_workspace_is_not_the_users_whatever_is_called_a_home(
    tmp_path: Path, home: str
) -> None:
    root = tmp_path / "w"
    write(root, "suitecase.toml", "")
    suite = SUITE.replace("{target: bot}", "{target: mock}").replace(
        "{name: c, type: icontains, value: hi}",
        """{name: s, type: code_judge, script: [python3, -c, "print('{\\"score\\": 1}')"]}""",
    )
    write(root, "x.eval.yaml", suite)
    place = home.format(root=root) if home != "{root}" else str(root)
    settings = '[sandbox]\nscripts = "limits"\nwritable = ["/srv"]\n'
    folder = root if home != "rel" else root / "rel"
    write(folder, ".config/suitecase/suitecase.toml", settings)
    environ = {"PATH": os.environ["PATH"], "HOME": place, "XDG_CONFIG_HOME": ""}
    done = suitecase("run", "x.eval.yaml", "--no-results", cwd=root, env=environ)
    assert "isolated, without network" in done.stdout
    if home == "{root}":
        assert '`scripts = "limits"` under `[sandbox]` has no effect' in done.stderr
        assert "only the user's folders count" in done.stderr
