"""A real Vim with ALE, as somebody has it who followed the page."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from support.editors import other_suites
from support.editors.terminal import (
    ROOT,
    SUITE,
    SUITECASE,
    Workspace,
    carried_out,
    editor,
    failed_steps,
    written_on,
)
from support.lsp.misbehaving_server import misbehaving

PAGE = ROOT / "editors" / "vim" / "README.md"
SESSION = Path(__file__).with_name("session.vim")
OTHER_SUITES = Path(__file__).with_name("other_suites.vim")
INSTALL = "apt-get install vim vim-ale"
#: Where Debian has ALE.
ALE = Path("/usr/share/vim-ale")


@pytest.fixture(scope="session")
def vim() -> str:
    return editor("vim", INSTALL, works=ALE.is_dir())


def session(vim: str, workspace: Workspace, **server: Any) -> tuple[int, str]:
    """Have a new user's Vim carry out the session, with the vimrc that the page gives."""
    vimrc = workspace.home / ".vimrc"
    vimrc.write_text(written_on(PAGE, "vim")[0])
    opened = workspace.home / "opened"
    environment = workspace.environment(**server, SUITECASE_OPENED=str(opened))
    browser = workspace.home / "bin" / "xdg-open"
    browser.write_text(f'#!/bin/sh\necho "$1" > {opened}\n')
    browser.chmod(0o755)
    files = ["-u", str(vimrc), "-S", str(SESSION)]
    return carried_out([vim, "-es", "-N", "-i", "NONE", *files], environment)


def test_a_session_in_vim(tmp_path: Path, vim: str) -> None:
    workspace = Workspace.of(tmp_path)

    code, said = session(vim, workspace)

    assert failed_steps(said) == [], said
    assert "ok   the session went to its end" in said
    assert code == 0, said
    assert workspace.suite.read_text() == SUITE


def test_the_session_in_vim_fails_with_a_server_that_misbehaves(tmp_path: Path, vim: str) -> None:
    server = misbehaving(
        tmp_path,
        [str(SUITECASE)],
        never=["textDocument/hover", "workspace/executeCommand suitecase.openReport"],
        say={"overlaps": "agrees with", "cancelled": "finished"},
    )

    code, said = session(vim, Workspace.of(tmp_path), server=server, patience=1)

    assert code == 1, said
    assert {
        "the overlap is underlined at its place",
        "hover",
        "a run is cancelled",
        "the report is opened",
    } <= set(failed_steps(said)), said


def test_vim_starts_nothing_for_other_yaml(tmp_path: Path, vim: str) -> None:
    workspace = Workspace.of(tmp_path)
    other = workspace.suite.with_name("compose.yaml")
    other.write_text("services: {}\n")
    renamed = workspace.suite.rename(workspace.suite.with_name("greet.yaml"))
    schema = "# yaml-language-server: $schema=https://promptfoo.dev/config-schema.json\n"
    promptfoo = workspace.suite.with_name("nightly.yaml")
    promptfoo.write_text(f"{schema}prompts: [Hello]\n")
    shown = tmp_path / "shown"
    vimrc = workspace.home / ".vimrc"
    vimrc.write_text(written_on(PAGE, "vim")[0])
    asks = [
        f"edit {file} | call writefile([suitecase#Executable(bufnr(''))], '{shown}', 'a')"
        for file in (other, renamed, promptfoo)
    ]
    commands = [word for it in [*asks, "qall!"] for word in ("-c", it)]

    carried_out([vim, "-es", "-N", "-i", "NONE", "-u", str(vimrc), *commands], os.environ)

    assert shown.read_text().splitlines() == ["", "suitecase", "suitecase"]


@pytest.mark.parametrize(
    "chosen", ["", "let g:ale_linters = {'json': ['jq'], 'yaml': ['yamllint']}"]
)
def test_vim_checks_suites_of_other_tools(tmp_path: Path, vim: str, chosen: str) -> None:
    workspace = Workspace.of(tmp_path)
    expected = other_suites.write(workspace.suite.parent)
    vimrc = workspace.home / ".vimrc"
    vimrc.write_text(written_on(PAGE, "vim")[0] + chosen)
    environment = workspace.environment(SUITECASE_FILES="\n".join(map(str, expected)))

    _, said = carried_out(
        [vim, "-es", "-N", "-i", "NONE", "-u", str(vimrc), "-S", str(OTHER_SUITES)], environment
    )

    assert other_suites.shown(said) == expected, said
    assert "no suite: compose.yaml package.json" in said
    assert ("linters: jq suitecase" in said) == bool(chosen), said


def test_vim_says_what_to_do_where_there_is_no_server(tmp_path: Path, vim: str) -> None:
    workspace = Workspace.of(tmp_path)
    said = tmp_path / "said"
    vimrc = workspace.home / ".vimrc"
    nobody = "let g:ale_yaml_suitecase_executable = 'suitecase-of-nobody'\n"
    vimrc.write_text(written_on(PAGE, "vim")[0] + nobody)
    asks = [f"redir > {said}", f"edit {workspace.suite}", "SuitecaseRunCase", "redir END", "qall!"]
    commands = [word for it in asks for word in ("-c", it)]

    carried_out([vim, "-es", "-N", "-i", "NONE", "-u", str(vimrc), *commands], os.environ)

    assert "is `suitecase-of-nobody` on the path? Install it (pip install" in said.read_text()
