"""How the extension starts: in which workspaces, with which settings, and what its walkthrough knows."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import quote

from support.editors import vscode_story as story
from support.editors.vscode import (
    LINE,
    PATIENCE,
    SERVER,
    Window,
    browser_page,
    needs_vscode,
    open_vscode,
    running_vscode,
)
from support.editors.vscode_story import LENS, STATUS, TOAST
from support.lsp.misbehaving_server import misbehaving
from support.suites.assistant import assistant_workspace

pytestmark = needs_vscode

CASE = '{"id": "a", "input": "Hello", "expected_outcome": "Hello"}'
EVALS = {"skill_name": "greet", "evals": [{"id": 1, "prompt": "Hello", "expected_output": "Hello"}]}
#: Workspaces that `suitecase check` finds something in, each with a file that has no usual name.
WORKSPACES = {
    "agentv": {".agentv/targets.yaml": "targets: [{name: a, provider: mock}]\n"},
    "dataset": {"dataset.yaml": "evalcases: []\n"},
    "sidecar": {"questions.jsonl": CASE, "questions.yaml": "execution: {target: mock}\n"},
    "skill": {".claude/skills/greet/evals/evals.json": json.dumps(EVALS)},
}
#: Nothing that is sure to be of a suite; the extension starts and finds out.
VAGUE = {"rows.jsonl": '{"text": "Hello"}\n'}
DONE = ".getting-started-step:has(.codicon-getting-started-step-checked)"


def test_the_extension_starts_where_check_finds_something(tmp_path: Path) -> None:
    for name, files in {**WORKSPACES, "neither": {"ci.yaml": "on: push\n"}}.items():
        written(tmp_path / name, files)
    with running_vscode(tmp_path / "vscode", server=SERVER) as url, browser_page() as page:
        window = Window(page, "start")
        for name in WORKSPACES:
            page.goto(f"{url}/?folder={quote(str(tmp_path / name))}", timeout=PATIENCE * 1000)
            window.see(STATUS.format("check"), "Suitecase")
        page.goto(f"{url}/?folder={quote(str(tmp_path / 'neither'))}", timeout=PATIENCE * 1000)
        window.see(".explorer-folders-view .monaco-list-row", "ci.yaml")
        assert not page.locator(".statusbar-item").filter(has_text="Suitecase").is_visible()


def test_nothing_pops_up_without_a_server_where_no_suite_is(tmp_path: Path) -> None:
    written(tmp_path / "vague", VAGUE)
    with running_vscode(tmp_path / "vscode", server=None) as url, browser_page() as page:
        window = Window(page, "vague")
        page.goto(f"{url}/?folder={quote(str(tmp_path / 'vague'))}", timeout=PATIENCE * 1000)
        window.see(STATUS.format("warning"), "Suitecase")
        page.wait_for_timeout(1000)
        assert not page.locator(TOAST).is_visible()


def test_hints_that_are_off_stay_off_when_window_and_server_start_again(tmp_path: Path) -> None:
    suite = assistant_workspace(tmp_path / "assistant")
    settings = suite.parent / ".vscode" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"suitecase.inlayHints.judges": false}')

    def only_hints_that_are_on(window: Window) -> None:
        story.ready(window)
        window.see(LINE, "required")
        window.page.wait_for_timeout(500)
        window.gone(LINE, "judge:")

    # The server tells of the settings it has got while the editor waits for the first hints.
    server = misbehaving(tmp_path, [str(SERVER)], late={"textDocument/inlayHint": 1})
    with open_vscode(suite, tmp_path / "vscode", "hints", server=server) as window:
        only_hints_that_are_on(window)
        window.page.reload()
        only_hints_that_are_on(window)
        window.command("Suitecase: Restart Server")
        window.see(STATUS.format("sync"), "Suitecase")
        only_hints_that_are_on(window)
        window.picture("started-again")


def test_the_walkthrough_ticks_what_was_done_before_it_was_opened(tmp_path: Path) -> None:
    suite = assistant_workspace(tmp_path / "assistant")
    with open_vscode(suite, tmp_path / "vscode", "walkthrough", server=SERVER) as window:
        story.ready(window)
        window.open(suite.parent / "greeting.eval.yaml")
        window.page.locator(LENS).filter(has_text="Run").nth(1).click()
        window.see(LENS, "rehearsed")
        window.command("Welcome: Open Walkthrough")
        window.page.locator(".quick-input-widget input").first.fill("Get started with Suitecase")
        window.see(".quick-input-list .monaco-list-row", "Suitecase").click()
        window.see(DONE, "Install the server")
        window.see(DONE, "Write a suite")
        window.see(DONE, "Run a case")
        window.gone(DONE, "Fix findings")
        window.gone(DONE, "Read the report")
        window.picture("some-done")
        window.page.locator(".getting-started-step", has_text="Read the report").click()
        window.see(".getting-started-step.expanded .monaco-button", "Show Report").click()
        window.see(".tab", "Report: greeting.eval.yaml")
        window.see(DONE, "Read the report")
        window.picture("more-done")


def written(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
