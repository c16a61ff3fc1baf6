"""Which files processes open, and which folders they list, elsewhere than in some folders."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

EVENTS = frozenset({"open", "os.scandir", "os.listdir", "os.walk", "os.fwalk", "glob.glob"})


DEVICES = ("/dev/null", "/dev/urandom", "/dev/tty")
REPOSITORY = Path(__file__).parents[3]
#: What the interpreter itself runs as it starts, where this folder is on its path.
_START = """\
import os, sys
sys.path.append({tests!r})
from support.system.paths_opened import record
_file = os.open({target!r}, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
record(lambda path: os.write(_file, (path + "\\n").encode("utf-8", "surrogateescape")), *{allowed!r})
"""


def _own_folders() -> list[str]:
    """Return the folders of Python, of its libraries and of Suitecase."""
    named = [sys.prefix, sys.base_prefix, sys.exec_prefix, *filter(None, sys.path)]
    named += [str(REPOSITORY / it) for it in ("server", "evaluators", "tests")]
    return [os.path.realpath(it) for it in named]


class Recording:
    """What all Python processes open that are started with its environment."""

    def __init__(self, folder: Path, *allowed: Path) -> None:
        """Prepare it.

        Args:
            folder: for its own files.
            *allowed: what is opened there is not recorded.
        """
        folder.mkdir()
        self._target = folder / "opened.txt"
        self.home = folder / "home"
        self.home.mkdir()
        tests = str(REPOSITORY / "tests")
        within = [str(it) for it in (folder, *allowed)]
        text = _START.format(tests=tests, target=str(self._target), allowed=within)
        (folder / "sitecustomize.py").write_text(text, "utf-8")
        self.environment = {
            "PYTHONPATH": str(folder),
            "HOME": str(self.home),
            "XDG_CONFIG_HOME": str(self.home),
            "TMPDIR": str(folder),
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    @property
    def paths(self) -> list[str]:
        """What was opened or listed so far, each with how."""
        return sorted({*self._target.read_text("utf-8", "surrogateescape").splitlines()})


def record(seen: Callable[[str], object], *allowed: str | Path) -> None:
    """Report each path that is opened or listed outside some folders, until the process ends."""
    within = tuple(os.path.realpath(it).rstrip("/") + "/" for it in (*allowed, *_own_folders()))
    busy = False

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal busy
        if event not in EVENTS or busy or not arguments:
            return
        named = arguments[0]
        if isinstance(named, bytes):
            named = os.fsdecode(named)
        if not isinstance(named, str):
            return  # a descriptor
        busy = True
        try:
            real = os.path.realpath(named or ".")
        finally:
            busy = False
        # A process that tests have forked gives itself a name.
        own_name = f"/proc/{os.getpid()}/comm"
        if real not in (*DEVICES, own_name) and not f"{real}/".startswith(within):
            seen(f"{event} {real}")

    sys.addaudithook(hook)
