"""Pages of ours in a real Chromium, driven by Playwright: what `make test-editors` installs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

_INSTALLED = "SUITECASE_EDITORS" in os.environ
if not _INSTALLED and os.environ.get("SUITECASE_EDITORS_REQUIRED"):
    raise RuntimeError("no Playwright: run the tests in browsers by `make test-editors`")
needs_chromium = pytest.mark.skipif(not _INSTALLED, reason="Chromium: run `make test-editors`")

#: Opens an address, or a file, in a page of its own; keyword arguments are those of a context of
#: Playwright, such as `color_scheme="dark"`, and `width` and `height` in pixels.
OpenPage = Callable[..., Any]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """A browser of Playwright. Not of the whole session: while it is open, its event loop runs."""
    # Playwright is in an environment that type checkers do not know.
    with import_module("playwright.sync_api").sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium",
            args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
        )
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium: Any) -> Iterator[OpenPage]:
    """Open pages; at the end, none of them may have had an error."""
    errors: list[str] = []
    contexts: list[Any] = []

    def opened(
        address: str | Path,
        fragment: str = "",
        *,
        width: int = 1280,
        height: int = 800,
        **context: Any,
    ) -> Any:
        made = chromium.new_context(viewport={"width": width, "height": height}, **context)
        contexts.append(made)
        page = made.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda it: errors.append(it.text) if it.type == "error" else None)
        url = address.resolve().as_uri() if isinstance(address, Path) else address
        page.goto(url + (f"#{fragment}" if fragment else ""))
        return page

    yield opened
    for context in contexts:
        context.close()
    assert not errors


def scrolls_sideways(page: Any) -> bool:
    """Whether the page as a whole is wider than the window."""
    wide: bool = page.evaluate("document.documentElement.scrollWidth > innerWidth")
    return wide


def is_in_sight(page: Any, selector: str) -> bool:
    """Whether the first such element stands in the window, and nothing lies over it."""
    seen: bool = page.evaluate(
        """(selector) => {
          const it = document.querySelector(selector), box = it.getBoundingClientRect();
          const top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
          return !!top && (it.contains(top) || top.contains(it));
        }""",
        selector,
    )
    return seen


def tab_to(page: Any, label: str) -> None:
    """Press Tab until the element with this label has the focus."""
    for _ in range(200):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.ariaLabel") == label:
            return
    raise AssertionError(f"the Tab key does not reach {label}")


def eventually(page: Any, expression: str) -> None:
    """Wait until a script finds this to be true; pages forbid Playwright's way to wait."""
    for _ in range(250):
        if page.evaluate(expression):
            return
        page.wait_for_timeout(20)
    raise AssertionError(f"never true: {expression}")


@dataclass(frozen=True)
class Box:
    """What holds a table or a chart."""

    label: str
    #: Whether it has more than it shows.
    scrolls: bool
    #: Whether the Tab key stops there.
    is_stop: bool


def boxes(page: Any) -> list[Box]:
    """Return the boxes of tables and charts, without those in what is folded."""
    found = page.evaluate(
        """() => [...document.querySelectorAll(".wide")].filter((it) => it.checkVisibility())
          .map((it) => [it.role === "group" ? it.ariaLabel || "" : "",
            getComputedStyle(it).overflowX === "auto"
              && (it.scrollWidth > it.clientWidth || it.scrollHeight > it.clientHeight),
            it.tabIndex === 0])"""
    )
    return [Box(*it) for it in found]
