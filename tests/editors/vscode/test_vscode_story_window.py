"""A real VS Code with the packaged extension checks, mends and runs a suite, as a person sees it."""

from __future__ import annotations

from pathlib import Path

from support.editors import vscode_story as story
from support.editors.vscode import SERVER, needs_vscode, open_vscode
from support.suites.assistant import assistant_workspace

pytestmark = needs_vscode


def test_a_suite_is_checked_mended_and_run(tmp_path: Path) -> None:
    suite = assistant_workspace(tmp_path / "assistant")
    with open_vscode(suite, tmp_path / "vscode", "story", server=SERVER) as window:
        story.ready(window)
        story.overlap_is_underlined(window)
        story.key_is_explained(window)
        story.overlap_is_mended(window)
        story.older_rubric_is_migrated(window)
        story.case_is_run(window)
        story.miss_is_at_its_rubric(window)
        story.all_cases_are_run(window)
        story.report_is_opened(window)
        story.testing_view_runs(window)
        story.clean_suite_is_quiet(window, suite.parent)
        story.run_is_started(window, suite.parent)
        story.run_is_cancelled(window)
