"""What a real VS Code shows of the gates of a suite, before and after a run of all its cases."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from support.editors.vscode import LINE, PROJECT, SERVER, needs_vscode, open_vscode
from support.editors.vscode_story import HOVER, LENS, TEST, WARNING, dismiss, ready

pytestmark = needs_vscode

GATE = "violation_rate[red-team] <= 0%"


def test_gates_are_shown_with_what_a_run_came_to(tmp_path: Path) -> None:
    folder = tmp_path / "gates"
    shutil.copytree(PROJECT / "examples/gates", folder)
    (folder / ".git").mkdir()
    suite = folder / "card-numbers.eval.yaml"
    with open_vscode(suite, tmp_path / "vscode", "gates", server=SERVER) as window:
        ready(window)
        window.point("violation_rate", GATE)
        window.see(HOVER, "safety")
        window.picture("hover-before")
        dismiss(window)
        window.page.locator(LENS).filter(has_text="Run all cases").first.click()
        window.see(LENS, "3 gates: 2 rehearsed, 1 fails")
        window.see(LINE, re.compile(r"pass_rate.>=.80%.*0\.95.*rehearsed"))
        # The message of the test stands there, and the hint would be below it.
        window.gone(LINE, re.compile(r"violation_rate.*· fails"))
        window.see(WARNING)
        window.picture("after-a-run")
        window.point("violation_rate", GATE)
        window.see(HOVER, "debug")
        window.picture("hover-after")
        dismiss(window)
        window.command("Testing: Focus on Test Explorer View")
        window.see(TEST, re.compile("card-numbers"))
        window.picture("testing-view")
