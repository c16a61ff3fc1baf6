"""A real VS Code: its server with the packaged extension, and a browser that shows its window."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from support.editors.small_pictures import write_small

PROJECT = Path(__file__).parents[3]
SCREENSHOTS = PROJECT / "build" / "editors" / "screenshots"
#: Where pictures for the project's pages are written, when they are wanted: `make pictures`.
PICTURES = os.environ.get("SUITECASE_PICTURES")
#: How long anything may take to appear, in seconds; the machines of CI are slow at times.
PATIENCE = 40
#: The program that is started as the server, where it is not that of the project.
SERVER = Path(os.environ.get("SUITECASE_SERVER") or Path(sys.executable).parent / "suitecase")

LINE = ".editor-instance .view-line"
MENU_ROW = ".action-widget .monaco-list-row.action"
#: Where a light bulb, within the text or beside it, stands in the line of the cursor; for the browser.
_BULB = """() => {
  const shown = (selector) => [...document.querySelectorAll(selector)]
    .map(it => it.getBoundingClientRect()).filter(it => it.height > 0);
  const bulbs = shown(".lightBulbWidget, [class*=codicon-gutter-lightbulb]");
  const lines = shown(".editor-instance .current-line");
  const near = (it, line) => Math.abs(it.top - line.top) < line.height / 2;
  const it = bulbs.find(bulb => lines.some(line => near(bulb, line)));
  return it && [it.left + it.width / 2, it.top + it.height / 2];
}"""
#: The names of the pictures in the margin that are the extension's, each once, for the browser.
_ICONS = """() => {
  const pictures = [...document.querySelectorAll(".glyph-margin-widgets *")]
    .map(sign => getComputedStyle(sign).backgroundImage)
    .map(image => /([a-z_]+)-(?:light|dark)\\.svg/.exec(image)?.[1]);
  return [...new Set(pictures)].filter(name => name !== undefined).sort();
}"""

_INSTALLED = "SUITECASE_EDITORS" in os.environ
if not _INSTALLED and os.environ.get("SUITECASE_EDITORS_REQUIRED"):
    raise RuntimeError("VS Code is not installed: run the tests of editors by `make test-editors`")
#: For tests that open a window; what they need is an environment of its own.
needs_vscode = pytest.mark.skipif(not _INSTALLED, reason="VS Code: run `make test-editors`")

_SETTINGS = {
    "chat.disableAIFeatures": True,
    "editor.hover.delay": 100,
    "editor.minimap.enabled": False,
    "editor.scrollBeyondLastLine": False,
    "extensions.autoCheckUpdates": False,
    "extensions.autoUpdate": False,
    "git.enabled": False,
    "security.workspace.trust.startupPrompt": "never",
    "telemetry.telemetryLevel": "off",
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "workbench.reduceMotion": "on",
    "workbench.startupEditor": "none",
}


class Window:
    """A window of VS Code as the person in front of it sees it; `page` is Playwright's.

    Whatever is waited for and does not come is an AssertionError.

    Attributes:
        patience: how long anything may take to appear, in seconds.
    """

    def __init__(self, page: Any, name: str) -> None:
        self.page = page
        self.patience: float = PATIENCE
        self._name = name
        self._pictures = 0
        for old in SCREENSHOTS.glob(f"{name}-*.png"):
            old.unlink()

    def picture(self, what: str) -> None:
        """Keep a picture of the window, for people."""
        self._pictures += 1
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        path = SCREENSHOTS / f"{self._name}-{self._pictures:02}-{what}.png"
        self.page.screenshot(path=path, animations="disabled")

    def picture_for_pages(self, what: str, *, below: Any = None, sharp: bool = True) -> None:
        """Keep a picture of the editor for the project's pages, where it is wanted.

        Args:
            what: the name of its file.
            below: the last thing that is shown; else the whole editor is.
            sharp: whether it has four dots for each, for sharp screens.
        """
        if not PICTURES:
            return
        clip = self.page.locator(".part.editor").bounding_box()
        if below is not None:
            last = below.bounding_box()
            clip["height"] = last["y"] + last["height"] - clip["y"]
        scale = "device" if sharp else "css"
        shown = self.page.screenshot(clip=clip, scale=scale, animations="disabled")
        write_small(shown, Path(PICTURES) / f"{what}.png")

    def see(self, selector: str, text: str | re.Pattern[str] = "") -> Any:
        """Wait until an element with a text is shown, and return it."""
        found = self.page.locator(selector).filter(has_text=text).first
        self._await(found, "visible", f"no `{selector}` says {text!r}", selector)
        return found

    def shown(self, it: Any) -> None:
        """Wait until something that was found before is shown."""
        self._await(it, "visible", f"{it} is not shown", "body")

    def gone(self, selector: str, text: str | re.Pattern[str] = "") -> None:
        """Wait until no such element is shown."""
        found = self.page.locator(selector).filter(has_text=text).first
        self._await(found, "hidden", f"`{selector}` still says {text!r}", selector)

    def icons(self, *names: str) -> None:
        """Wait until the icons of the extension in the gutter are those: `missed`, `rehearsed`."""
        shown: list[str] = []
        end = time.monotonic() + self.patience
        while time.monotonic() < end:
            shown = self.page.evaluate(_ICONS)
            if shown == sorted(names):
                return
            self.page.wait_for_timeout(50)
        self.picture("failure")
        raise AssertionError(f"the icons in the gutter are not {sorted(names)}; there are {shown}")

    def line(self, text: str | re.Pattern[str]) -> Any:
        """Wait for a line of the editor that has a text, and return it."""
        return self.see(LINE, text)

    def point(self, word: str, line: str) -> None:
        """Rest the mouse on a word of a line, until something is said of it."""
        x, y = self._place(word, line)
        self.page.mouse.move(x - 40, y + 70)
        self.page.mouse.move(x, y, steps=8)

    def click(self, word: str, line: str) -> None:
        """Put the cursor into a word of a line."""
        self.page.mouse.click(*self._place(word, line))

    def offered(self, word: str, line: str, title: str) -> Any:
        """Open the menu of the light bulb at a word of a line, and return a row of it."""
        self.click(word, line)
        try:
            bulb = self.page.wait_for_function(_BULB, timeout=self.patience * 1000)
        except Exception as error:
            self.picture("failure")
            raise AssertionError(f"no light bulb in the line {line!r}") from error
        self.page.mouse.click(*bulb.json_value())
        return self.see(MENU_ROW, title)

    def command(self, title: str) -> None:
        """Choose a command in the palette."""
        self._pick(f">{title}", title)

    def open(self, file: Path) -> None:
        """Open a file of the workspace by its name."""
        self._pick(file.name, file.name)
        self.see(".tab.active", file.name)

    def frame(self, text: str) -> Any:
        """Wait for a page inside the window, that says a text, and return its body."""
        page = self.page.frame_locator("iframe.webview.ready").frame_locator("#active-frame")
        found = page.locator("body").filter(has_text=text)
        self._await(found, "visible", f"no page says {text!r}", "iframe.webview")
        return found

    def _pick(self, typed: str, row: str) -> None:
        palette = self.page.locator(".quick-input-widget input").first
        for _ in range(5):
            self.page.keyboard.press("F1")
            self.page.wait_for_timeout(200)  # a page that is just being shown takes the focus again
            if palette.is_visible():
                break
        palette.fill(typed)
        self.see(".quick-input-list .monaco-list-row.focused", row)
        self.page.keyboard.press("Enter")

    def _place(self, word: str, line: str) -> tuple[float, float]:
        """Return where the middle of a word of a line stands on the screen."""
        box = self.line(line).evaluate(
            """(line, word) => {
              const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
              const nodes = [];
              while (walker.nextNode()) nodes.push(walker.currentNode);
              const text = nodes.map(it => it.data).join("").replaceAll("\u00a0", " ");
              const start = text.indexOf(word);
              const point = (offset) => {
                for (const it of nodes) {
                  if (offset <= it.data.length) return [it, offset];
                  offset -= it.data.length;
                }
              };
              const range = document.createRange();
              range.setStart(...point(start));
              range.setEnd(...point(start + word.length));
              const {left, top, width, height} = range.getBoundingClientRect();
              return start < 0 ? null : [left + width / 2, top + height / 2];
            }""",
            word,
        )
        assert box is not None, f"{word!r} is not in the line {line!r}"
        return box[0], box[1]

    def _await(self, found: Any, state: str, complaint: str, selector: str) -> None:
        try:
            found.wait_for(state=state, timeout=self.patience * 1000)
        except Exception as error:
            self.picture("failure")
            there = [" ".join(it.split()) for it in self.page.locator(selector).all_inner_texts()]
            raise AssertionError(f"{complaint}; there is {there}") from error


@contextmanager
def open_vscode(
    suite: Path,
    folder: Path,
    name: str,
    *,
    server: Path | None,
    trusted: bool = True,
    env: Mapping[str, str] | None = None,
) -> Iterator[Window]:
    """Open the window on a suite; when it is left everything that was started has ended.

    Args:
        suite: the file that is opened; its folder is the workspace.
        folder: an empty folder for the settings and extensions of this VS Code.
        name: what the names of the pictures begin with.
        server: the program `suitecase` that is found on the PATH; None for none.
        trusted: whether the workspace is.
        env: more of the environment.
    """
    with (
        running_vscode(folder, server=server, trusted=trusted, env=env) as url,
        browser_page() as page,
    ):
        opened = json.dumps([["openFile", f"vscode-remote://{url.removeprefix('http://')}{suite}"]])
        page.goto(
            f"{url}/?folder={quote(str(suite.parent))}&payload={quote(opened)}",
            wait_until="domcontentloaded",
            timeout=PATIENCE * 1000,
        )
        window = Window(page, name)
        window.line("")
        yield window


@contextmanager
def running_vscode(
    folder: Path,
    *,
    server: Path | None,
    trusted: bool = True,
    packaged: bool = True,
    flags: Sequence[str] = (),
    settings: Mapping[str, object] | None = None,
    env: Mapping[str, str] | None = None,
) -> Iterator[str]:
    """Run VS Code's server, and return its address: `http://127.0.0.1:PORT`.

    Args:
        folder: an empty folder for its settings and extensions.
        server: the program `suitecase` that is found on the PATH; None for none.
        trusted: whether workspaces are trusted without being asked.
        packaged: whether the packaged extension is installed.
        flags: more arguments.
        settings: more settings of the user.
        env: more of the environment.
    """
    programs = folder / "programs"
    programs.mkdir(parents=True)
    if server is not None:
        (programs / "suitecase").symlink_to(server)
    user = folder / "data" / "User" / "settings.json"
    user.parent.mkdir(parents=True)
    trust = {"security.workspace.trust.enabled": not trusted}
    user.write_text(json.dumps({**_SETTINGS, **trust, **(settings or {})}))
    port = _free_port()
    config = folder / "config.yaml"
    config.write_text(f"bind-addr: 127.0.0.1:{port}\nauth: none\ncert: false\n")
    entry = Path("code-server/node_modules/code-server/out/node/entry.js")
    command = [
        os.environ["SUITECASE_NODE"],
        str(Path(os.environ["SUITECASE_EDITORS"]) / entry),
        *("--config", str(config)),
        *("--user-data-dir", str(folder / "data"), "--extensions-dir", str(folder / "extensions")),
        *("--disable-telemetry", "--disable-update-check", "--disable-getting-started-override"),
    ]
    environment = {
        "HOME": str(folder),
        "PATH": os.pathsep.join([str(programs), "/usr/bin", "/bin"]),
        "PYTHONUTF8": "1",
        "VSCODE_CLI": "1",  # else the PATH is that of a login shell
        **(env or {}),
    }
    if packaged:
        (extension,) = (PROJECT / "editors" / "vscode" / "dist").glob("suitecase-*.vsix")
        install = [*command, "--install-extension", str(extension)]
        subprocess.run(install, env=environment, check=True, capture_output=True)
    with (folder / "code-server.log").open("wb") as log:
        running = subprocess.Popen(
            [*command, *flags], env=environment, stdout=log, stderr=log, start_new_session=True
        )
        try:
            _await_healthy(port, running)
            yield f"http://127.0.0.1:{port}"
        finally:
            _end(running)


@contextmanager
def browser_page() -> Iterator[Any]:
    """Open an empty page in a browser; it is Playwright's."""
    # Playwright is in an environment that type checkers do not know.
    with import_module("playwright.sync_api").sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium",
            args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
        )
        try:
            yield browser.new_page(
                viewport={"width": 1280, "height": 720},
                color_scheme="light",
                device_scale_factor=2 if PICTURES else 1,  # pages are read on sharp screens
            )
        finally:
            browser.close()


def _free_port() -> int:
    with socket.socket() as it:
        it.bind(("127.0.0.1", 0))
        port: int = it.getsockname()[1]
        return port


def _await_healthy(port: int, running: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + PATIENCE
    while running.poll() is None and time.monotonic() < end:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5):
                return
        except OSError:
            time.sleep(0.1)  # nothing tells when a port is open
    raise AssertionError("VS Code's server did not start; see code-server.log in the test's folder")


def _end(running: subprocess.Popen[bytes]) -> None:
    os.killpg(running.pid, signal.SIGTERM)
    try:
        running.wait(20)
    except subprocess.TimeoutExpired:
        os.killpg(running.pid, signal.SIGKILL)
        running.wait()
