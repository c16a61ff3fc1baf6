"""What somebody does with a suite in VS Code and what they see of it, step by step.

Each step takes a window that shows the suite of `assistant_workspace`, and raises an
AssertionError where that is not seen. Later steps build on what earlier ones changed.
"""

from __future__ import annotations

import re
from pathlib import Path

from support.editors.vscode import LINE, Window

ERROR = ".editor-instance .squiggly-error"
WARNING = ".editor-instance .squiggly-warning"
INFO = ".editor-instance .squiggly-info"
LENS = ".editor-instance .codelens-decoration a"
#: What the suite ends with.
LAST = "sorry for the delay"
STATUS = ".statusbar-item:has(.codicon-{})"
HOVER = ".monaco-hover"
TOAST = ".notification-toast"
TEST = ".test-explorer .monaco-list-row"


def ready(window: Window, *, sign: str = "check") -> None:
    """The server runs: its item in the status bar has a sign, and lenses stand above the cases."""
    window.see(STATUS.format(sign), "Suitecase")
    window.see(LENS, "Run all cases")
    window.see(LENS, "Run case")


def overlap_is_underlined(window: Window) -> None:
    """A range that overlaps another is underlined, and the underlined says why."""
    window.see(ERROR)
    window.point("10", "[5, 10]")
    window.see(HOVER, "[5, 10] overlaps [0, 5]")
    window.see(HOVER, "SC201")
    window.see(HOVER, "more than one range covers these")
    window.picture("finding")
    window.picture_for_pages("errors", below=window.line(LAST))


def key_is_explained(window: Window) -> None:
    """A key says what it means."""
    window.point("expected_outcome", "Says that 30 days")
    window.see(HOVER, "What a good answer achieves")
    window.picture("hover")
    dismiss(window)


def overlap_is_mended(window: Window) -> None:
    """The fix of the overlap is offered, and made."""
    row = window.offered("[5, 10]", "gladly", "Change to [6, 10]")
    window.picture("quick-fix")
    window.picture_for_pages("quick-fix", below=window.line(LAST))
    row.click()
    window.line("[6, 10]")
    window.gone(ERROR)


def older_rubric_is_migrated(window: Window) -> None:
    """A rubric as it was written some years ago is written as it is today."""
    window.see(WARNING)
    window.offered("rubric", "type: rubric", "Change to `llm_judge`").click()
    window.line("type: llm_judge")
    window.command("Suitecase: Apply All Safe Fixes")
    window.line("expected_outcome: sorry for the delay")
    window.gone(LINE, "description: sorry")
    window.gone(WARNING)
    window.picture("migrated")


def case_is_run(window: Window) -> None:
    """The lens of a case runs it, and has its verdict then."""
    window.page.locator(LENS).filter(has_text="Run case").nth(1).click()
    window.see(LENS, re.compile(r"✗ fail 0\.50"))


def miss_is_at_its_rubric(window: Window) -> None:
    """What the answer lacked is said where it was asked for, and only there."""
    window.point("apology", "id: apology")
    window.see(HOVER, "sorry, delay")
    window.see(HOVER, "suitecase run")
    window.picture("miss")
    dismiss(window)


def all_cases_are_run(window: Window) -> None:
    """The palette runs the suite."""
    window.command("Suitecase: Run All Cases")
    window.see(LENS, re.compile(r"○ rehearsed 1\.00"))
    window.see(LENS, re.compile(r"✗ fail 0\.50"))
    window.icons("missed", "rehearsed")  # nothing is met before a model is asked
    window.picture("verdicts")
    window.picture_for_pages("verdicts", below=window.line(LAST))


def report_is_opened(window: Window) -> None:
    """The report of the last results is shown beside the suite, and says of each case why."""
    window.command("Suitecase: Show Report")
    page = window.frame("lost-parcel")
    window.picture("report")
    window.see(".tab", "Report: support.eval.yaml").click()
    window.command("View: Move Editor into Previous Group")
    size = window.page.viewport_size
    window.page.set_viewport_size({**size, "height": 1250})
    window.shown(page.get_by_role("heading", name="Cases", exact=True))  # it was read anew
    window.picture_for_pages("report", sharp=False)
    page.get_by_text("lost-parcel", exact=True).last.click()
    window.shown(page.get_by_text("sorry for the delay: The answer has 0 of 2 expected words"))
    page.get_by_role("heading", name="Cases", exact=True).evaluate("it => it.scrollIntoView()")
    window.picture("report-of-a-case")
    window.picture_for_pages("report-of-a-case", sharp=False)
    window.page.set_viewport_size(size)


def testing_view_runs(window: Window) -> None:
    """The Testing view lists the suites with their cases and how they did, and runs them.

    What a model was not asked for has not passed: it is shown as skipped.
    """
    window.command("Testing: Focus on Test Explorer View")
    window.see(f"{TEST}:has(.codicon-testing-failed-icon)", "support.eval.yaml")
    suite = window.see(TEST, "greeting.eval.yaml")
    suite.hover()
    suite.locator(".codicon-testing-run-icon").click()
    window.see(f"{TEST}:has(.codicon-testing-skipped-icon)", "greeting.eval.yaml")
    window.see(TEST, "support.eval.yaml").locator(".monaco-tl-twistie").click()
    window.see(f"{TEST}:has(.codicon-testing-skipped-icon)", "refund-window")
    window.see(f"{TEST}:has(.codicon-testing-failed-icon)", "lost-parcel")
    window.picture("testing")


def clean_suite_is_quiet(window: Window, workspace: Path) -> None:
    """A suite without faults that is rehearsed shows its lenses, and nothing else."""
    window.open(workspace / "greeting.eval.yaml")
    window.see(LENS, re.compile(r"○ rehearsed 1\.00"))
    for noise in (ERROR, WARNING, INFO, TOAST):
        window.gone(noise)
    window.picture("clean")


def run_is_started(window: Window, workspace: Path) -> None:
    """A run that takes long shows that it goes on."""
    window.open(workspace / "slow.eval.yaml")
    window.see(LENS, re.compile("Run case$")).click()
    window.see(LENS, "(running…)")
    window.picture("running")


def run_is_cancelled(window: Window) -> None:
    """A run that goes on is cancelled, and leaves no verdict."""
    window.command("Suitecase: Cancel All Runs")
    window.gone(LENS, "(running…)")
    window.see(LENS, re.compile("Run case$"))
    window.picture("cancelled")


def dismiss(window: Window) -> None:
    """Take away what hovers."""
    window.page.keyboard.press("Escape")
    window.page.mouse.move(900, 665)
    window.gone(f"{HOVER}:not(.hidden) .hover-row")
