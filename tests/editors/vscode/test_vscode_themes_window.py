"""The report and the result of a case follow the theme of VS Code, and fit a narrow window."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from support.editors import vscode_story as story
from support.editors.vscode import SERVER, Window, needs_vscode, open_vscode
from support.suites.assistant import assistant_workspace

pytestmark = needs_vscode

#: Themes, the class that the window has in each, and the contrast that text needs at least.
THEMES = [
    ("Default Dark Modern", "vs-dark", 4.5),
    ("Default Light Modern", "vs", 4.5),
    ("Default High Contrast", "hc-black", 7),
    ("Default High Contrast Light", "hc-light", 7),
]
#: The texts of a page whose contrast is too low, each with its contrast.
_FAINT = """(body, least) => {
  const channels = (text) => (text.match(/[\\d.]+/g) ?? []).map(Number);
  const luminance = ([r, g, b]) => [r, g, b]
    .map(it => it / 255)
    .map(it => it <= 0.03928 ? it / 12.92 : ((it + 0.055) / 1.055) ** 2.4)
    .reduce((sum, it, i) => sum + it * [0.2126, 0.7152, 0.0722][i], 0);
  const over = ([r, g, b, a = 1], under) => [r, g, b].map((it, i) => it * a + under[i] * (1 - a));
  const ground = (it) => {
    const under = it.parentElement ? ground(it.parentElement) : [255, 255, 255];
    return over(channels(getComputedStyle(it).backgroundColor), under);
  };
  const faint = [];
  for (const it of body.querySelectorAll("*")) {
    const own = [...it.childNodes].filter(n => n.nodeType === 3).map(n => n.data.trim()).join("");
    if (!own || !it.checkVisibility({ visibilityProperty: true }) || it.closest("svg, script, style, .hidden, .skip")) continue;
    const [low, high] = [ground(it), over(channels(getComputedStyle(it).color), ground(it))]
      .map(luminance).sort((a, b) => a - b);
    const contrast = (high + 0.05) / (low + 0.05);
    if (contrast < least) faint.push(`${contrast.toFixed(1)} ${it.tagName} ${own.slice(0, 40)}`);
  }
  return faint;
}"""
_IS_WIDER = "it => it.ownerDocument.documentElement.scrollWidth > it.ownerDocument.documentElement.clientWidth"


def test_pages_follow_the_theme_and_fit_a_narrow_window(tmp_path: Path) -> None:
    suite = assistant_workspace(tmp_path / "assistant")
    settings = suite.parent / ".vscode" / "settings.json"
    settings.parent.mkdir()
    with open_vscode(suite, tmp_path / "vscode", "themes", server=SERVER) as window:
        story.ready(window)
        window.command("Suitecase: Apply All Safe Fixes")
        window.offered("[5, 10]", "gladly", "Change to [6, 10]").click()
        window.command("Suitecase: Run All Cases")
        window.see(story.LENS, "fail")
        for name, command, text in (
            ("report", "Suitecase: Show Report", "lost-parcel"),
            ("result", "Suitecase: Show Result of Case at Cursor", "Evaluator"),
        ):
            window.click("lost-parcel", "id: lost-parcel")
            window.command(command)
            page = window.frame(text)
            for theme, mark, contrast in THEMES:
                settings.write_text(json.dumps({"workbench.colorTheme": theme}))
                window.see(f".monaco-workbench.{mark}")
                faint = evaluated(window, page, contrast)
                window.picture(f"{name}-{mark}")
                assert faint == [], f"{name} in {theme}"
            narrow(window, page, name)


def evaluated(window: Window, page: Any, contrast: float) -> list[str]:
    """Return the texts that cannot be read well, once the page has taken the colors of the theme."""
    faint: list[str] = []
    for _ in range(10):
        window.page.wait_for_timeout(300)  # nothing tells when a page has been recolored
        faint = page.evaluate(_FAINT, contrast)
        if not faint:
            break
    return faint


def narrow(window: Window, page: Any, name: str) -> None:
    """The page is whole in a window of 420 pixels without its side bar; it is closed afterwards."""
    size = window.page.viewport_size
    window.command("View: Toggle Primary Side Bar Visibility")
    # Whole in a window of its own size, and not beside the suite.
    window.page.locator(".tab.active").last.click()
    window.command("View: Move Editor into Previous Group")
    window.page.set_viewport_size({"width": 420, "height": size["height"]})
    window.page.wait_for_timeout(1000)  # nothing tells when a page has been laid out again
    window.shown(page)
    window.picture(f"{name}-narrow")
    assert not page.evaluate(_IS_WIDER), f"{name} must be scrolled sideways"
    window.page.set_viewport_size(size)
    window.see(".tab", "support.eval.yaml").click()
    window.command("View: Close Other Editors in Group")
    window.command("View: Toggle Primary Side Bar Visibility")
