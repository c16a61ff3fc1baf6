"""A real Emacs, as somebody has it who followed the page: with Eglot, and with lsp-mode."""

from __future__ import annotations

import subprocess
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

PACKAGE = ROOT / "editors" / "emacs"
SESSION = Path(__file__).with_name("session.el")
OTHER_SUITES = Path(__file__).with_name("other-suites.el")
INSTALL = "apt-get install emacs-nox elpa-eglot elpa-lsp-mode elpa-yaml-mode"
CLIENTS = {"eglot": "eglot-ensure", "lsp-mode": "#'lsp)"}


@pytest.fixture(scope="session")
def emacs() -> str:
    program = editor("emacs", INSTALL)
    asked = "(dolist (it '(eglot lsp-mode yaml-mode)) (require it))"
    done = subprocess.run(
        [program, "--batch", "-f", "package-activate-all", "--eval", asked],
        capture_output=True,
        timeout=60,
        check=False,
    )
    return editor("emacs", INSTALL, works=done.returncode == 0)


def session(
    emacs: str, client: str, workspace: Workspace, script: Path = SESSION, **server: Any
) -> tuple[int, str]:
    """Have a new user's Emacs carry out the session, with the init file that the page gives."""
    init = workspace.home / ".emacs.d" / "init.el"
    init.parent.mkdir()
    [page] = [it for it in written_on(PACKAGE / "README.md", "elisp") if CLIENTS[client] in it]
    init.write_text(page)
    environment = workspace.environment(**server, SUITECASE_CLIENT=client)
    # Without a screen Emacs reads no init file; with one, it activates packages before.
    files = ["-l", str(init), "-l", str(script)]
    return carried_out([emacs, "--batch", "-f", "package-activate-all", *files], environment)


@pytest.mark.parametrize("client", CLIENTS)
def test_a_session_in_emacs(tmp_path: Path, emacs: str, client: str) -> None:
    workspace = Workspace.of(tmp_path)

    code, said = session(emacs, client, workspace)

    assert failed_steps(said) == [], said
    assert "ok   the session went to its end" in said
    assert code == 0, said
    assert workspace.suite.read_text() == SUITE


@pytest.mark.parametrize("client", CLIENTS)
def test_emacs_checks_suites_of_other_tools(tmp_path: Path, emacs: str, client: str) -> None:
    workspace = Workspace.of(tmp_path)
    expected = other_suites.write(workspace.suite.parent)
    files = "\n".join(map(str, expected))

    _, said = session(emacs, client, workspace, OTHER_SUITES, SUITECASE_FILES=files)

    assert other_suites.shown(said) == expected, said
    assert "no server for: package.json compose.yaml\n" in said
    assert "mode of evals.json: suitecase-evals-mode\n" in said


@pytest.mark.parametrize(
    ("client", "never", "say", "missed"),
    [
        (
            "eglot",
            ["workspace/executeCommand suitecase.cancelRun"],
            {"overlaps": "agrees with", "fail 0": "pass 0"},
            {
                "the overlap is underlined at its place",
                "the verdict is a fail",
                "a run is cancelled",
            },
        ),
        (
            "lsp-mode",
            ["textDocument/hover", "workspace/executeCommand suitecase.openReport"],
            {"Change to": "Leave as"},
            {"hover", "the fix is in the text", "the report is opened"},
        ),
    ],
)
def test_the_session_in_emacs_fails_with_a_server_that_misbehaves(
    tmp_path: Path,
    emacs: str,
    client: str,
    never: list[str],
    say: dict[str, str],
    missed: set[str],
) -> None:
    server = misbehaving(tmp_path, [str(SUITECASE)], never=never, say=say)

    code, said = session(emacs, client, Workspace.of(tmp_path), server=server, patience=1)

    assert code == 1, said
    assert missed <= set(failed_steps(said)), said


def test_emacs_says_what_to_do_where_there_is_no_server(tmp_path: Path, emacs: str) -> None:
    workspace = Workspace.of(tmp_path)
    code, said = session_of(
        emacs,
        workspace,
        '(setq suitecase-server-program \'("suitecase-of-nobody" "lsp"))',
        "(condition-case refused (suitecase-eglot-contact)"
        " (user-error (princ (cadr refused)) (kill-emacs 1)))",
    )

    assert code != 0
    assert "Suitecase is not found: there is no program suitecase-of-nobody" in said
    assert "pip install suitecase" in said


def test_emacs_trusts_what_its_user_lists(tmp_path: Path, emacs: str) -> None:
    workspace = Workspace.of(tmp_path)
    root = workspace.suite.parent
    values = ["t", "nil", f'(list "{root}")', f'(list "{workspace.home}")']
    asked = [
        f"(setq suitecase-trusted {value}"
        f' told (plist-get (suitecase-initialization-options "{root}/") :trusted))'
        ' (princ (format "%s\n" told))'
        for value in values
    ]

    code, said = session_of(emacs, workspace, f"(let (told) {' '.join(asked)})")

    assert code == 0, said
    assert said.splitlines()[-4:] == ["t", ":json-false", "t", ":json-false"]


def test_emacs_compiles_the_package_without_a_warning(tmp_path: Path, emacs: str) -> None:
    for file in PACKAGE.glob("*.el"):
        (tmp_path / file.name).write_text(file.read_text())
    command = [emacs, "--batch", "-f", "package-activate-all", "-L", str(tmp_path)]
    strict = ["--eval", "(setq byte-compile-error-on-warn t)", "-f", "batch-byte-compile"]

    done = subprocess.run(
        [*command, *strict, *sorted(map(str, tmp_path.glob("*.el")))],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert len(list(tmp_path.glob("*.elc"))) == len(list(PACKAGE.glob("*.el")))


def session_of(emacs: str, workspace: Workspace, *forms: str) -> tuple[int, str]:
    """Have Emacs evaluate forms, with the package on its path and Eglot loaded."""
    asked = [word for form in forms for word in ("--eval", form)]
    start = ["--batch", "-f", "package-activate-all", "-L", str(PACKAGE)]
    loaded = ["--eval", "(progn (require 'eglot) (require 'suitecase))"]
    for link in (workspace.home / "bin").glob("suitecase"):
        link.unlink()
    return carried_out([emacs, *start, *loaded, *asked], workspace.environment())
