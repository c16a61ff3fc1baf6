"""The story fails, step by step, where the server misbehaves: what it sees is the server's doing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from support.editors import vscode_story as story
from support.editors.vscode import SERVER, Window, needs_vscode, open_vscode
from support.lsp.misbehaving_server import misbehaving
from support.suites.assistant import assistant_workspace

pytestmark = needs_vscode

#: How long it takes, in seconds, until a step is taken to have failed; the server is up by then.
PATIENCE = 3
NEVER = [
    "textDocument/hover",
    "textDocument/codeAction",
    "suitecase/discoverTests",
    "suitecase/runTests",
    "suitecase/report",
    *(
        f"workspace/executeCommand suitecase.{it}"
        for it in ("runCase", "runSelection", "runSuite", "runTests", "openReport")
    ),
]
#: Each step with what is missed in it.
STEPS: list[tuple[Callable[[Window], None], str]] = [
    (story.overlap_is_underlined, r"overlaps \[0, 5\]"),
    (story.key_is_explained, "What a good answer achieves"),
    (story.overlap_is_mended, "no light bulb"),
    (story.older_rubric_is_migrated, "no light bulb"),
    (story.case_is_run, "fail"),
    (story.miss_is_at_its_rubric, "sorry, delay"),
    (story.all_cases_are_run, "rehearsed"),
    (story.report_is_opened, "no page says 'lost-parcel'"),
    (story.testing_view_runs, "support.eval.yaml"),
]
CANCELLING = [
    "$/cancelRequest",
    "window/workDoneProgress/cancel",
    "suitecase/cancelRun",
    "workspace/executeCommand suitecase.cancelRun",
]


def test_each_step_of_the_story_fails(tmp_path: Path) -> None:
    server = misbehaving(tmp_path, [str(SERVER)], never=NEVER, say={"overlaps": "agrees with"})
    suite = assistant_workspace(tmp_path / "assistant")
    with open_vscode(suite, tmp_path / "vscode", "misbehaving", server=server) as window:
        story.ready(window)
        window.see(story.ERROR)
        window.patience = PATIENCE
        for step, missed in STEPS:
            with pytest.raises(AssertionError, match=missed):
                step(window)
            window.page.keyboard.press("Escape")


def test_a_run_that_cannot_be_cancelled_is_noticed(tmp_path: Path) -> None:
    server = misbehaving(tmp_path, [str(SERVER)], never=CANCELLING)
    suite = assistant_workspace(tmp_path / "assistant")
    with open_vscode(suite, tmp_path / "vscode", "uncancelled", server=server) as window:
        story.ready(window)
        story.run_is_started(window, suite.parent)
        window.patience = PATIENCE
        with pytest.raises(AssertionError, match=r"still says '\(running…\)'"):
            story.run_is_cancelled(window)
