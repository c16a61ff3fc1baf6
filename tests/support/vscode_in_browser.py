"""A real VS Code: its server with the packaged extension, and a browser that shows its window."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import quote

PROJECT = Path(__file__).parents[2]
SCREENSHOTS = PROJECT / "build" / "editors" / "screenshots"
#: How long anything may take to appear, in seconds; the machines of CI are slow at times.
PATIENCE = 40
#: The program that is started as the server, where it is not that of the project.
SERVER = Path(os.environ.get("SUITECASE_SERVER") or Path(sys.executable).parent / "suitecase")

_SETTINGS = {
    "chat.disableAIFeatures": True,
    "editor.hover.delay": 100,
    "extensions.autoCheckUpdates": False,
    "extensions.autoUpdate": False,
    "git.enabled": False,
    "security.workspace.trust.startupPrompt": "never",
    "telemetry.telemetryLevel": "off",
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "workbench.startupEditor": "none",
}


class Window:
    """A window of VS Code as the person in front of it sees it; `page` is Playwright's."""

    def __init__(self, page: Any, name: str) -> None:
        self.page = page
        self._name = name
        self._pictures = 0

    def picture(self, what: str) -> None:
        """Keep a picture of the window, for people."""
        self._pictures += 1
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=SCREENSHOTS / f"{self._name}-{self._pictures}-{what}.png")

    def see(self, selector: str, text: str) -> Any:
        """Wait until an element with a text is shown, and return it.

        Raises:
            AssertionError: it does not come; the message holds what is there instead.
        """
        found = self.page.locator(selector).filter(has_text=text).first
        try:
            found.wait_for(timeout=PATIENCE * 1000)
        except Exception as error:
            self.picture("failure")
            there = [" ".join(it.split()) for it in self.page.locator(selector).all_inner_texts()]
            raise AssertionError(f"no `{selector}` says {text!r}; there is {there}") from error
        return found

    def gone(self, selector: str) -> None:
        """Wait until no such element is shown."""
        self.page.locator(selector).first.wait_for(state="hidden", timeout=PATIENCE * 1000)

    def command(self, title: str) -> None:
        """Choose a command in the palette."""
        self.page.keyboard.press("F1")
        self.page.locator(".quick-input-widget input").first.fill(f">{title}")
        self.see(".quick-input-list .monaco-list-row", title)
        self.page.keyboard.press("Enter")


@contextmanager
def open_vscode(
    suite: Path, folder: Path, name: str, *, server: Path | None, trusted: bool = True
) -> Iterator[Window]:
    """Open the window on a suite; when it is left everything that was started has ended.

    Args:
        suite: the file that is opened; its folder is the workspace.
        folder: an empty folder for the settings and extensions of this VS Code.
        name: what the names of the pictures begin with.
        server: the program `suitecase` that is found on the PATH; None for none.
        trusted: whether the workspace is.
    """
    programs = folder / "programs"
    programs.mkdir(parents=True)
    if server is not None:
        (programs / "suitecase").symlink_to(server)
    settings = folder / "data" / "User" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps({**_SETTINGS, "security.workspace.trust.enabled": not trusted}))
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
    env = {
        "HOME": str(folder),
        "PATH": os.pathsep.join([str(programs), "/usr/bin", "/bin"]),
        "PYTHONUTF8": "1",
        "VSCODE_CLI": "1",  # else the PATH is that of a login shell
    }
    (extension,) = (PROJECT / "editors" / "vscode" / "dist").glob("suitecase-*.vsix")
    subprocess.run(
        [*command, "--install-extension", str(extension)], env=env, check=True, capture_output=True
    )
    with (folder / "code-server.log").open("wb") as log:
        running = subprocess.Popen(
            command,
            env=env,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        try:
            _await_healthy(port, running)
            with _browser() as page:
                opened = json.dumps([["openFile", f"vscode-remote://127.0.0.1:{port}{suite}"]])
                page.goto(
                    f"http://127.0.0.1:{port}/?folder={quote(str(suite.parent))}"
                    f"&payload={quote(opened)}",
                    wait_until="domcontentloaded",
                    timeout=PATIENCE * 1000,
                )
                page.wait_for_selector(".editor-instance .view-line", timeout=PATIENCE * 1000)
                yield Window(page, name)
        finally:
            _end(running)


@contextmanager
def _browser() -> Iterator[Any]:
    # Playwright lies in an environment that type checkers are not told of.
    with import_module("playwright.sync_api").sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium",
            args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
        )
        try:
            yield browser.new_page(viewport={"width": 1280, "height": 800}, color_scheme="light")
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
