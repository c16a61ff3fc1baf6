"""What a real VS Code shows of judges, people's labels and the version of a suite."""

from __future__ import annotations

from pathlib import Path

from support.calibrated_suite import SUITE, suite_text, write_calibrated_suite
from support.editors.vscode import SERVER, needs_vscode, open_vscode
from support.editors.vscode_story import HOVER, dismiss, ready

pytestmark = needs_vscode

#: A lens without a command is not a link.
STATE = ".editor-instance .codelens-decoration span"


def test_judges_and_labels_are_shown_with_what_they_come_to(tmp_path: Path) -> None:
    folder = tmp_path / "judges"
    (folder / ".git").mkdir(parents=True)
    write_calibrated_suite(folder)
    text = 'version: "2026.1"\n' + suite_text("human.rubric.alpha >= 0.6")
    (folder / SUITE).write_text(text, "utf-8")
    with open_vscode(folder / SUITE, tmp_path / "vscode", "judges", server=SERVER) as window:
        ready(window)
        window.see(STATE, "kappa 0.71 · 100 answers, 2026-02-03")
        window.see(STATE, "alpha 1.00")
        window.point("calibration", "rubric.calibration.json")
        window.see(HOVER, "sensitivity 0.90")
        window.picture("hover")
        dismiss(window)
