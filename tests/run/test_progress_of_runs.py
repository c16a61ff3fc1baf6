"""The live progress display of a run on a terminal, and its removal."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import signal
import struct
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from support.running.forked import ForkedCommand
from support.running.site import Site

HIDE, SHOW = "\x1b[?25l", "\x1b[?25h"
CONTROLS = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")
LONG = "a-case-whose-name-is-longer-than-any-narrow-terminal-is-wide-and-then-some-more"

SLOW = """
targets:
  - {name: slow, provider: mock, delay_ms: 600000, response: hello}
  - {name: quick, provider: mock, response: hello}
"""
CASES = f"""
- {{id: quick, expected_outcome: x, input: x, execution: {{target: quick}},
    evaluators: [{{name: e, type: equals, value: bye}}]}}
- {{id: {LONG}, expected_outcome: x, input: x}}
"""


@dataclass
class Terminal:
    """A command line on a terminal, and what it has written to it."""

    process: ForkedCommand
    side: int
    raw: str = ""

    def read(self) -> bool:
        """Read more; return whether there was more to come."""
        try:
            chunk = os.read(self.side, 65_536)
        except OSError:  # how Linux tells that the other side is closed
            return False
        self.raw += chunk.decode(errors="replace")
        return bool(chunk)

    def until(self, pattern: str) -> None:
        while not re.search(pattern, self.text):
            assert self.read(), self.raw

    @property
    def text(self) -> str:
        return CONTROLS.sub("", self.raw).replace("\r", "\n")


@contextmanager
def on_a_terminal(site: Site, columns: int, *options: str, **env: str) -> Iterator[Terminal]:
    """Run where all three streams are a terminal of so many columns."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 30, columns, 0, 0))
    # Whoever runs the tests may have said how wide its own terminal is.
    environ = {"COLUMNS": None, "LINES": None, "CI": None, "TERM": "xterm-256color", **env}
    command = ("run", "a.eval.yaml", "--no-results", *options)
    with ForkedCommand(
        *command, cwd=site.root, env=environ, stdin=theirs, stdout=theirs, stderr=theirs
    ) as process:
        os.close(theirs)
        try:
            yield Terminal(process, ours)
        finally:
            process.kill()
            os.close(ours)


@pytest.fixture
def slow_site(site: Site) -> Site:
    site.write("targets.yaml", SLOW)
    site.suite(CASES, "execution: {target: slow}")
    return site


@pytest.mark.parametrize("columns", [24, 60, 140])
def test_a_live_display_fits_and_goes_with_ctrl_c(slow_site: Site, columns: int) -> None:
    with on_a_terminal(slow_site, columns) as terminal:
        terminal.until(r"1/2 done · 1 failing")
        terminal.until(r"\n  0:0\d  a-case-wh")
        terminal.process.send_signal(signal.SIGINT)
        while terminal.read():
            pass
        assert terminal.process.wait(30) == 130
    drawn = [it for it in terminal.text.split("\n") if it.startswith("  0:0") or " done" in it]
    assert max(map(len, drawn)) <= columns
    # What there is no room for is left out rather than cut off.
    assert not any("…" in it for it in drawn if " done" in it)
    assert terminal.raw.rindex(SHOW) > terminal.raw.rindex(HIDE)
    # The display is taken away before it is summed up.
    assert terminal.raw.rindex("done") < terminal.raw.rindex("Not run:")
    assert "interrupted" in terminal.text
    assert "Traceback" not in terminal.text


@pytest.mark.parametrize("env", [{"TERM": "dumb"}, {"CI": "true"}])
def test_no_display_where_it_cannot_be_drawn(site: Site, env: dict[str, str]) -> None:
    site.suite("- {id: passes, expected_outcome: hello, input: hello}")
    with on_a_terminal(site, 80, **env) as terminal:
        while terminal.read():
            pass
        assert terminal.process.wait(30) == 0
    assert HIDE not in terminal.raw
    assert ("\x1b" in terminal.raw) == (env.get("TERM") != "dumb")
    assert "1 rehearsed" in terminal.text


def test_a_display_beside_a_document_leaves_it_alone(slow_site: Site) -> None:
    # Standard output is a pipe that waits for its document; the display is on standard error.
    ours, theirs = pty.openpty()
    environ = {"CI": None, "TERM": "xterm-256color", "NO_COLOR": "1"}
    command = ("run", "a.eval.yaml", "--no-results", "--format", "json")
    with ForkedCommand(*command, cwd=slow_site.root, env=environ, stderr=theirs) as process:
        os.close(theirs)
        terminal = Terminal(process, ours)
        terminal.until("1/2 done · 1 failing")
        process.send_signal(signal.SIGINT)
        assert process.stdout is not None
        out = process.stdout.read()
        while terminal.read():
            pass
    os.close(ours)
    assert out.startswith("{")
    assert "\x1b" not in out
    assert terminal.raw.rindex(SHOW) > terminal.raw.rindex(HIDE)
