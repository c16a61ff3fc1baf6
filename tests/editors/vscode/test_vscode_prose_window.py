"""Typing prose in VS Code: Enter ends the line, and no word is replaced."""

from __future__ import annotations

import re
from pathlib import Path

from support.editors import vscode_story as story
from support.editors.vscode import SERVER, needs_vscode, open_vscode

pytestmark = needs_vscode

SUITE = """\
execution: {target: mock}
evalcases:
  - id: greeting
    input: Hello
    expected_outcome: A greeting
    rubrics:
      - Hello
"""


def test_enter_in_a_rubric_ends_the_line(tmp_path: Path) -> None:
    suite = tmp_path / "prose" / "greeting.eval.yaml"
    suite.parent.mkdir()
    suite.write_text(SUITE, "utf-8")
    with open_vscode(suite, tmp_path / "vscode", "prose", server=SERVER) as window:
        story.ready(window)
        window.line("- Hello")
        keyboard = window.page.keyboard
        keyboard.press("Control+End")
        for typed in ("      - Says hello", "Mentions the polite gree"):
            # Slowly enough that suggestions would be shown.
            keyboard.type(typed, delay=60)
            window.page.wait_for_timeout(800)
            assert not window.page.locator(".suggest-widget.visible").is_visible()
            keyboard.press("Enter")
            words = r"\s+".join(typed.removeprefix("      - ").split())
            # A hint about the item may stand behind it.
            window.line(re.compile(rf"^[\s-]*{words}\s*(←.*)?$"))
