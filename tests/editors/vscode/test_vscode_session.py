"""A real VS Code with the packaged extension checks, mends and runs a suite, as a person sees it.

Started by `make test-editors`. Pictures of each step are kept in build/editors/screenshots.
"""

from __future__ import annotations

import re
from pathlib import Path

from vscode_in_browser import PATIENCE, SERVER, open_vscode

SUITE = """\
evalcases:
  - id: greet
    input: Hello there, {{ name }}
    expected_outcome: Says hello
    rubrics:
      - id: hello
        score_ranges:
          - {expected_outcome: says nothing, score_range: [0, 5]}
          - {expected_outcome: says hello there, score_range: [5, 10]}
  - id: bye
    input: Bye
    outcome: Says bye
"""
SQUIGGLE = ".editor-instance .squiggly-error"
LENS = ".editor-instance .codelens-decoration a"
STATUS = ".statusbar-item:has(.codicon-{})"
#: What lenses say of cases that were run.
VERDICT = re.compile(r"(pass|borderline|fail) \d\.\d\d$")
TOAST = ".notification-toast"


def test_a_suite_is_checked_mended_and_run(tmp_path: Path) -> None:
    suite = written(tmp_path)
    with open_vscode(suite, tmp_path / "vscode", "session", server=SERVER) as window:
        page = window.page
        window.see(STATUS.format("check"), "Suitecase")
        page.wait_for_selector(SQUIGGLE, timeout=PATIENCE * 1000)
        window.see(LENS, "▶ Run case")

        # What is underlined says why: "[5, 10] overlaps [0, 5]".
        place = page.locator(SQUIGGLE).first.bounding_box()
        page.mouse.move(place["x"] + 3, place["y"] + 60)
        page.mouse.move(place["x"] + 12, place["y"] + place["height"] / 2, steps=8)
        window.see(".monaco-hover", "overlaps [0, 5]")
        window.see(".monaco-hover", "SC201")
        window.picture("finding")

        # A key says what it means.
        key = page.locator(".editor-instance .view-line").filter(has_text="score_ranges").first
        page.mouse.move(700, 600)
        place = key.locator("span span").filter(has_text="score_ranges").first.bounding_box()
        page.mouse.move(place["x"] + 20, place["y"] + place["height"] / 2, steps=8)
        window.see(".monaco-hover", "score")
        window.picture("hover")

        # An older key is mended from the menu.
        page.keyboard.press("Escape")
        page.locator(".editor-instance .view-line").get_by_text("outcome", exact=True).click()
        page.keyboard.press("Control+.")
        window.see(".action-widget .monaco-list-row.action", "expected_outcome")
        window.picture("quick-fixes")
        page.keyboard.press("Enter")
        window.see('.editor-instance .view-line:has-text("Says bye")', "expected_outcome:")
        window.gone(".editor-instance .squiggly-warning")

        # The overlap is gone as soon as its end is typed anew.
        page.locator(".editor-instance .view-line").get_by_text("there", exact=False).last.click()
        page.keyboard.press("End")
        for _ in ", 10]}":
            page.keyboard.press("ArrowLeft")
        page.keyboard.press("Backspace")
        page.keyboard.type("6")
        window.gone(SQUIGGLE)
        page.keyboard.press("Escape")
        window.picture("mended")

        # The lens of a case runs it, and has its verdict then.
        page.locator(LENS).filter(has_text="▶ Run case").first.click()
        window.see(LENS, "▶ Run case  ✓ pass")
        window.picture("verdict")

        # So does the palette, for the case at the cursor.
        page.locator(".editor-instance .view-line").filter(has_text="Says bye").first.click()
        assert page.locator(LENS).filter(has_text=VERDICT).count() == 1
        window.command("Suitecase: Run the Case at the Cursor")
        page.locator(LENS).filter(has_text=VERDICT).nth(1).wait_for(timeout=PATIENCE * 1000)
        window.picture("palette")


def test_without_trust_suites_are_checked_and_not_run(tmp_path: Path) -> None:
    suite = written(tmp_path)
    with open_vscode(
        suite, tmp_path / "vscode", "restricted", server=SERVER, trusted=False
    ) as window:
        window.see(STATUS.format("shield"), "Suitecase")
        window.page.wait_for_selector(SQUIGGLE, timeout=PATIENCE * 1000)
        window.see(LENS, "▶ Run case").click()
        window.see(TOAST, "this workspace is not trusted")
        window.picture("refused")


def test_a_server_that_is_not_there_is_missed_and_its_installation_offered(tmp_path: Path) -> None:
    suite = written(tmp_path)
    with open_vscode(suite, tmp_path / "vscode", "missing", server=None) as window:
        window.see(TOAST, "Suitecase's server was not found")
        window.see(f"{TOAST} .monaco-button", "Install the Server")
        window.see(STATUS.format("warning"), "Suitecase")
        window.picture("offer")


def test_a_server_that_ends_at_once_is_told_of(tmp_path: Path) -> None:
    ends = tmp_path / "ends"
    ends.write_text("#!/bin/sh\nexit 3\n")
    ends.chmod(0o755)
    with open_vscode(written(tmp_path), tmp_path / "vscode", "ends", server=ends) as window:
        window.see(STATUS.format("error"), "Suitecase")
        window.picture("told")


def written(folder: Path) -> Path:
    suite = folder / "workspace" / "greet.eval.yaml"
    suite.parent.mkdir()
    suite.write_text(SUITE)
    return suite
