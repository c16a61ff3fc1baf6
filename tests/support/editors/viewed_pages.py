"""Pages of `suitecase view` in a real Chromium."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from support.editors.vscode import PATIENCE, SCREENSHOTS
from support.running.processes import COMMAND_LINE

_INSTALLED = "SUITECASE_EDITORS" in os.environ
if not _INSTALLED and os.environ.get("SUITECASE_EDITORS_REQUIRED"):
    raise RuntimeError("Playwright is not installed: run the tests of pages by `make test-editors`")
#: For tests that drive a browser; what they need is an environment of its own.
needs_driven_browser = pytest.mark.skipif(
    not _INSTALLED, reason="Chromium: run `make test-editors`"
)


@contextmanager
def browser(*options: str) -> Iterator[Any]:
    """Start a browser with further options; it is Playwright's."""
    with import_module("playwright.sync_api").sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path="/usr/bin/chromium",
            args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", *options],
        )
        try:
            yield started
        finally:
            started.close()


@contextmanager
def tab(
    started: Any, *, width: int = 1280, scheme: str = "light", quiet: bool = True
) -> Iterator[Any]:
    """Open an empty tab.

    Args:
        scheme: `light`, `dark`, or `contrast` for the colors of somebody who needs more of it.
        quiet: whether the console must have no error at the end.
    """
    context = started.new_context(
        viewport={"width": width, "height": 800},
        color_scheme="dark" if scheme == "contrast" else scheme,
        forced_colors="active" if scheme == "contrast" else "none",
    )
    page = context.new_page()
    page.set_default_timeout(PATIENCE * 1000)
    errors: list[str] = []
    page.on("console", lambda it: errors.append(it.text) if it.type == "error" else None)
    page.on("pageerror", lambda it: errors.append(str(it)))
    try:
        yield page
        assert not quiet or not errors, errors
    finally:
        context.close()


@contextmanager
def viewing(root: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start `suitecase view` over a workspace, and yield it with its address."""
    process = subprocess.Popen(
        [*COMMAND_LINE, "view", "--no-open"], cwd=root, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        lines = (re.search(r"http://\S+/", line) for line in process.stdout)
        yield process, next(it[0] for it in lines if it is not None)
    finally:
        process.kill()
        process.communicate()


def picture(page: Any, name: str) -> None:
    """Keep a picture of a page, for people."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SCREENSHOTS / f"{name}.png", animations="disabled")


def is_too_wide(page: Any) -> bool:
    """Whether the page as a whole has to be scrolled sideways."""
    too_wide: bool = page.evaluate("document.documentElement.scrollWidth > innerWidth")
    return too_wide
