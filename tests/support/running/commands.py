"""A folder in which any command is run."""

from __future__ import annotations

import textwrap
from pathlib import Path

from support.running.processes import suitecase
from support.running.site import Ran


class CommandSite:
    """A workspace in a folder, in which commands are run."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / ".git").mkdir()

    def write(self, name: str, text: str) -> Path:
        """Write a file, its line breaks as they are; its text may be indented as a whole."""
        path = self.root / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(textwrap.dedent(text).encode("utf-8"))
        return path

    def read(self, name: str) -> str:
        return (self.root / name).read_bytes().decode("utf-8")

    def names(self) -> list[str]:
        """Return what lies in the folder."""
        return sorted(it.name for it in self.root.iterdir() if it.name != ".git")

    def run(self, *arguments: str, stdin: str = "") -> Ran:
        """Run `suitecase` in the folder."""
        ended = suitecase(*arguments, cwd=self.root, stdin=stdin)
        return Ran(ended.returncode, ended.stdout, ended.stderr)
