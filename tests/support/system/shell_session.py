"""A shell on a terminal, in which somebody types and presses TAB."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Self

#: Where `suitecase` is, as it was installed with this Python.
PROGRAMS = Path(sys.executable).parent
_READY = "ready>"
_START = {
    "bash": (
        ["--norc", "--noprofile", "-i"],
        f"PS1='{_READY}'; bind 'set show-all-if-ambiguous on'; bind 'set bell-style none'; "
        + "bind 'set enable-bracketed-paste off'; bind 'set page-completions off'",
    ),
    "zsh": (["-f", "-i"], f"PS1='{_READY}'; unsetopt beep; autoload -U compinit; compinit -u -D"),
}
_ESCAPES = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|[()][A-Z0-9]|[=>])|[\r\x07]")
_LINE_START, _CLEAR = "\x01", "\x15"


class ShellSession:
    """An interactive bash or zsh in a folder."""

    def __init__(self, shell: str, folder: Path) -> None:
        program = shutil.which(shell)
        assert program is not None
        arguments, setup = _START[shell]
        self._ours, theirs = pty.openpty()
        path = f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}"
        environment = {"PATH": path, "HOME": str(folder), "TERM": "dumb", "LANG": "C.UTF-8"}
        self._process = subprocess.Popen(
            [program, *arguments],
            cwd=folder,
            env={**environment, "COLUMNS": "200", "LINES": "100"},
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        self._shown = ""
        self._lines = 0
        self.run("stty cols 300 rows 100; " + setup)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._ours)

    def run(self, command: str) -> str:
        """Run a command line, and return what is printed."""
        self._lines += 1
        # The marker is put together by the shell, so that what is typed does not have it.
        return self._type(f"{command}; echo en''d{self._lines}\n", f"end{self._lines}")

    def completed(self, typed: str) -> list[str]:
        """Type the start of a command line, press TAB, and return its words as the shell takes them."""
        self._lines += 1
        line = f"{typed}\t; echo en''d{self._lines}{_LINE_START}printf '<%s>\\n' \n"
        shown = self._type(line, f"end{self._lines}")
        return re.findall(r"^<(.*)>$", shown, re.MULTILINE)

    def listed(self, typed: str, until: str) -> str:
        """Type the start of a command line, press TAB, and return what is shown below up to a text."""
        # A shell with more keys to read does not list; so the line is cleared afterwards.
        self._lines += 1
        shown = self._type(f"{typed}\t", until)
        shown += self._type(f"{_CLEAR}echo en''d{self._lines}\n", f"end{self._lines}")
        return shown.partition("\n")[2]

    def _type(self, keys: str, until: str) -> str:
        os.write(self._ours, keys.encode())
        before = len(self._shown)
        while until not in self._shown[before:]:
            assert select.select([self._ours], [], [], 30)[0], self._shown
            read = os.read(self._ours, 65536).decode("utf-8", "replace")
            self._shown += _ESCAPES.sub("", read)
        return self._shown[before:]
