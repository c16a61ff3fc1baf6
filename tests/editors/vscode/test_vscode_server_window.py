"""What VS Code shows of the server: missing, installed, dying, and in workspaces without trust."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

from suitecase import __version__
from support.editors import vscode_story as story
from support.editors.vscode import PATIENCE, SERVER, needs_vscode, open_vscode
from support.editors.vscode_story import ERROR, LENS, STATUS, TOAST
from support.lsp.misbehaving_server import misbehaving
from support.servers.package_index import package_index
from support.suites.assistant import assistant_workspace

pytestmark = needs_vscode

BUTTON = f"{TOAST} .monaco-button"


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    return assistant_workspace(tmp_path / "assistant")


def test_a_server_that_is_not_there_is_installed_when_asked(suite: Path, tmp_path: Path) -> None:
    wheels = Path(os.environ["SUITECASE_EDITORS"]) / "wheels"
    python = Path(sys.base_prefix) / "bin"
    with package_index(wheels) as pip:
        env = {**pip, "PATH": os.pathsep.join([str(python), "/usr/bin", "/bin"])}
        with open_vscode(suite, tmp_path / "vscode", "missing", server=None, env=env) as window:
            window.see(TOAST, "Suitecase's server was not found")
            window.see(STATUS.format("warning"), "Suitecase")
            window.picture("offer")
            window.see(BUTTON, "Install the Server").click()
            window.see(TOAST, "installing the server")
            window.picture("installing")
            window.patience = 5 * PATIENCE  # pip unpacks some 10,000 files
            story.ready(window)
            window.see(ERROR)
            window.gone(TOAST)
            window.picture("installed")
            window.page.locator(LENS).filter(has_text="Run case").nth(1).click()
            window.see(TOAST, "Running cases needs more packages")
            window.picture("offer-of-what-runs-need")
            window.see(BUTTON, re.compile("^Install$")).click()
            window.see(LENS, re.compile(r"fail 0\.50"))
            window.picture("ran")


def test_a_server_that_cannot_be_installed_says_why(suite: Path, tmp_path: Path) -> None:
    empty = tmp_path / "wheels"
    empty.mkdir()
    python = Path(sys.base_prefix) / "bin"
    with package_index(empty) as pip:
        env = {**pip, "PATH": os.pathsep.join([str(python), "/usr/bin", "/bin"])}
        with open_vscode(suite, tmp_path / "vscode", "no-index", server=None, env=env) as window:
            window.see(BUTTON, "Install the Server").click()
            window.see(TOAST, "The server could not be installed")
            window.see(TOAST, "No matching distribution found for suitecase-core==")
            window.picture("told")


def test_a_server_that_ends_at_once_is_told_of(suite: Path, tmp_path: Path) -> None:
    ends = tmp_path / "ends"
    ends.write_text("#!/bin/sh\necho 'the license server is down' >&2\nexit 3\n")
    ends.chmod(0o755)
    with open_vscode(suite, tmp_path / "vscode", "ends", server=ends) as window:
        window.see(TOAST, "It ended with exit code 3: the license server is down")
        window.see(STATUS.format("error"), "Suitecase")
        window.picture("told")
        ends.write_text(f'#!/bin/sh\nexec "{SERVER}" "$@"\n')  # somebody mends it
        window.see(BUTTON, "Restart").click()
        story.ready(window)
        window.picture("restarted")


def test_a_server_of_another_version_is_told_of(suite: Path, tmp_path: Path) -> None:
    other = misbehaving(tmp_path, [str(SERVER)], say={__version__: "0.9.0"})
    with open_vscode(suite, tmp_path / "vscode", "version", server=other) as window:
        window.see(
            TOAST, f"server is 0.9.0, from the PATH, and this extension is made for {__version__}"
        )
        story.ready(window)
        window.picture("told")


def test_without_trust_suites_are_checked_and_not_run_until_it_is_given(
    suite: Path, tmp_path: Path
) -> None:
    with open_vscode(
        suite, tmp_path / "vscode", "restricted", server=SERVER, trusted=False
    ) as window:
        window.see(".part.banner", "Restricted Mode")  # which moves everything down
        story.ready(window, sign="shield")
        window.see(ERROR)
        story.overlap_is_mended(window)
        window.see(LENS, "Run case").click()
        window.see(TOAST, "this workspace is not trusted")
        window.picture("refused")
        window.see(BUTTON, "Manage Workspace Trust").click()
        window.see(".workspace-trust-editor .monaco-button", "Trust").click()
        story.ready(window)
        window.picture("trusted")
        window.open(suite)
        window.see(LENS, "Run case").click()
        window.see(LENS, "○ rehearsed 1.00")
