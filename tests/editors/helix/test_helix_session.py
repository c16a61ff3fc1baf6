"""A real Helix in a terminal, as somebody has it who followed the page; asserted is what is on its screen."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.editors.terminal import ROOT, SUITECASE, Workspace
from support.lsp.misbehaving_server import misbehaving

FILES = ROOT / "editors" / "helix"
HX = shutil.which("hx")
TMUX = shutil.which("tmux")
# Debian 12 has no Helix, so this one is never required.
pytestmark = pytest.mark.skipif(HX is None or TMUX is None, reason="needs hx and tmux")


class Screen:
    """What somebody at a terminal types and sees."""

    def __init__(self, socket: Path, patience: float) -> None:
        self._tmux = [str(TMUX), "-f", "/dev/null", "-S", str(socket)]
        self._patience = patience

    def tmux(self, *words: str) -> str:
        done = subprocess.run([*self._tmux, *words], capture_output=True, timeout=30, check=True)
        return done.stdout.decode()

    def text(self) -> str:
        return self.tmux("capture-pane", "-p")

    def see(self, pattern: str, *, patience: float | None = None) -> str:
        """Wait until the screen has something; how it looks then."""
        end = time.monotonic() + (patience or self._patience)
        while not re.search(pattern, shown := self.text()):
            assert time.monotonic() < end, f"{pattern} is not seen:\n{shown}"
            time.sleep(0.05)
        return shown

    def type(self, *keys: str) -> None:
        for key in keys:
            self.tmux("send-keys", key)

    def go(self, text: str) -> None:
        """Put the cursor on a text."""
        self.type("Escape", "g", "g", "/")
        self.tmux("send-keys", "-l", text)
        self.type("Enter")
        self.see(r"NOR (?!.*search:)")

    def choose(self, action: str) -> None:
        """Choose a code action from its menu."""
        before = self.text().splitlines()
        self.type("Space", "a")
        menu = self.see(re.escape(action)).splitlines()
        # The menu stands in the lines that have changed; its first is chosen already.
        first = next(n for n, (was, it) in enumerate(zip(before, menu, strict=True)) if was != it)
        place = next(n for n, it in enumerate(menu) if action in it)
        self.type(*["Tab"] * (place - first), "Enter")


@contextmanager
def helix(folder: Path, server: Path = SUITECASE, *, patience: float = 30) -> Iterator[Screen]:
    workspace = Workspace.of(folder)
    # The page has both copied there.
    configuration = workspace.home / ".config" / "helix"
    shutil.copytree(FILES / "runtime", configuration / "runtime")
    shutil.copy(FILES / "languages.toml", configuration)
    kept = workspace.environment(server)
    assigned = [f"{name}={value}" for name, value in kept.items() if name != "TERM"]
    command = shlex.join(["env", *assigned, str(HX), str(workspace.suite)])
    screen = Screen(folder / "tmux", patience)
    screen.tmux("new-session", "-d", "-x", "150", "-y", "40", command)
    try:
        yield screen
    finally:
        screen.tmux("kill-server")


def story(screen: Screen) -> None:
    """What somebody does, and sees."""
    screen.see("●", patience=30)
    screen.go("\\[5, 10")
    screen.see(r"\[5, 10\] overlaps \[0, 5\]")
    screen.type("Space", "k")
    screen.see("more than one range covers these")
    screen.type("Escape")
    screen.choose("Change to [6, 10]")
    screen.see(r"describes zebras\", score_range: \[6, 10\]")
    screen.go("Says hello")
    screen.choose("Make all 2 safe fixes")
    screen.see(r" {6}expected_outcome: Says hello")
    screen.see(r" {10}expected_outcome: says hello")
    screen.go("id: greet")
    screen.choose("Run case `greet`")
    screen.see(r"fail 0\.\d\d")
    screen.go("id: zebra")
    screen.see("missed")


def test_a_session_in_helix(tmp_path: Path) -> None:
    with helix(tmp_path) as screen:
        story(screen)


def test_the_session_in_helix_fails_with_a_server_that_misbehaves(tmp_path: Path) -> None:
    server = misbehaving(tmp_path, [str(SUITECASE)], say={"overlaps": "agrees with"})

    with (
        helix(tmp_path, server, patience=3) as screen,
        pytest.raises(AssertionError, match="is not seen"),
    ):
        story(screen)
