"""A folder and the command line, run in this process: starting another takes most of a second."""

from __future__ import annotations

import contextlib
import textwrap
from dataclasses import dataclass
from pathlib import Path

import click
from click.testing import CliRunner

from suitecase.cli import group


@dataclass(frozen=True)
class Ran:
    """What a command left."""

    code: int
    out: str
    err: str


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
        """Run `suitecase` in the folder; what is raised beside errors for people is raised here."""
        with contextlib.chdir(self.root):
            result = CliRunner().invoke(
                group, arguments, standalone_mode=False, input=stdin.encode("utf-8")
            )
        error = result.exception
        if isinstance(error, click.ClickException):
            return Ran(error.exit_code, result.stdout, f"{result.stderr}{error.format_message()}\n")
        if error is not None:
            raise error
        code = result.return_value
        return Ran(code if isinstance(code, int) else 0, result.stdout, result.stderr)
