"""A promptfoo configuration in a real VS Code: findings, hovers, completion, renaming, and tests that run."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from support.editors.vscode import SERVER, Window, needs_vscode, open_vscode
from support.editors.vscode_story import HOVER, LENS, STATUS, WARNING, dismiss

pytestmark = needs_vscode

EXAMPLE = Path(__file__).parents[3] / "examples" / "promptfoo"
ERROR = ".squiggly-error"
SUGGESTION = ".suggest-widget.visible .monaco-list-row"


def explained(window: Window, word: str, line: str) -> None:
    """Have the editor say what it knows of a word, without the mouse, which hovers on its way."""
    window.click(word, line)
    window.page.keyboard.press("Control+k")
    window.page.keyboard.press("Control+i")


def test_a_configuration_of_promptfoo_is_edited_in_place(tmp_path: Path) -> None:
    folder = tmp_path / "returns"
    shutil.copytree(EXAMPLE, folder)
    (folder / ".git").mkdir()
    configuration = folder / "promptfooconfig.yaml"
    text = configuration.read_text("utf-8").replace("icontains-any", "icontainsAny")
    configuration.write_text(text, "utf-8")
    # Without lenses the whole configuration fits into the window.
    (folder / ".vscode").mkdir()
    (folder / ".vscode" / "settings.json").write_text('{"suitecase.codeLens": false}')
    with open_vscode(configuration, tmp_path / "vscode", "promptfoo", server=SERVER) as window:
        window.see(STATUS.format("check"), "Suitecase")

        # A type that promptfoo does not know is underlined, before a model is asked and paid.
        window.see(ERROR)
        explained(window, "icontainsAny", "type: icontainsAny")
        window.see(HOVER, "did you mean `icontains-any`?")
        window.picture("finding")
        window.picture_for_pages("promptfoo-error", below=window.line("free of charge"))
        dismiss(window)
        window.offered("icontainsAny", "type: icontainsAny", "icontains-any").click()
        window.line("type: icontains-any")
        window.gone(ERROR)

        # Each type says what it does, what it takes and when it passes.
        explained(window, "latency", "type: latency")
        window.see(HOVER, "milliseconds")
        window.picture("hover")
        window.picture_for_pages("promptfoo-hover", below=window.line("type: icontains-any"))
        dismiss(window)

        # Types are completed with what they need.
        window.click("charge", "value: free of charge")
        window.page.keyboard.press("End")
        window.page.keyboard.press("Enter")
        window.page.keyboard.press("Shift+Home")
        window.page.keyboard.type("      - type: not-con")
        window.page.keyboard.press("Control+Space")
        window.see(SUGGESTION, "not-contains")
        window.picture("completion")
        window.picture_for_pages("promptfoo-completion")
        window.page.keyboard.press("Escape")
        window.page.keyboard.press("Control+z")
        window.page.keyboard.press("Control+z")

        # A variable is renamed in the configuration, in the prompt and in the table of tests.
        window.click("question", "question: Can I send it back")
        window.page.keyboard.press("F2")
        renaming = window.page.locator(".rename-box input, .rename-input").first
        renaming.fill("asked")
        window.page.keyboard.press("Enter")
        window.line("asked: Can I send it back")
        window.line("asked: Who pays for shipping?")
        window.picture("renamed")
        window.open(folder / "prompts" / "answer.txt")
        window.line(re.compile(r"asks:.\{\{.asked.\}\}"))
        window.open(folder / "tests" / "products.csv")
        window.line("__description,product,asked,__expected")
        window.picture("renamed-table")


RUNNING = """\
description: A test runs with each prompt

prompts:
  - "Greet {{name}} with hello."
  - "Say goodbye to {{name}}."

providers:
  - echo

tests:
  - description: greets Ann
    vars: {name: Ann}
    assert:
      - type: contains
        value: hello
      - type: icontains
        value: ann

  - description: names Bob
    vars: {name: Bob}
    assert:
      - type: contains
        value: Bob
"""


def test_a_test_of_promptfoo_runs_from_its_lens(tmp_path: Path) -> None:
    folder = tmp_path / "greetings"
    (folder / ".git").mkdir(parents=True)
    configuration = folder / "promptfooconfig.yaml"
    configuration.write_text(RUNNING, "utf-8")
    with open_vscode(configuration, tmp_path / "vscode", "promptfoo-run", server=SERVER) as window:
        window.see(STATUS.format("check"), "Suitecase")
        window.see(LENS, "Run all tests")
        window.page.locator(LENS).filter(has_text="Run test").first.click()

        # One of its two rows fails: the lens says so, and the assertion is marked.
        window.see(LENS, "✗ fail 0.75")
        window.see(WARNING)
        window.picture("ran")
        window.picture_for_pages("promptfoo-run", below=window.line("value: Bob"))
        explained(window, "contains", "type: contains")
        window.see(HOVER, "missed in 1 of 2 rows")
        dismiss(window)
        explained(window, "greets", "description: greets Ann")
        window.see(HOVER, "1 of 2 rows rehearsed")
        window.picture("rows")
        dismiss(window)

        # What was corrected would pass when it is run again.
        window.click("hello", "value: hello")
        window.page.keyboard.press("End")
        window.page.keyboard.press("Control+Backspace")
        window.page.keyboard.type("Ann")
        window.page.locator(LENS).filter(has_text="Run all tests").first.click()
        window.see(LENS, "○ rehearsed 1.00")
        window.gone(WARNING)
        window.picture("passed")
