"""The tutorial, followed step by step: each command is run, each file written, and what is printed compared."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from suitecase.derived import ROOT
from support.servers.helpful_model import helpful
from support.servers.openai import OpenAiServer

PAGE = ROOT / "docs/tutorial.md"
#: What is not run: installing is what `tests/packages` do, and there is no VS Code here.
NOT_RUN = ("pip install ", "code ", "git ")
_BLOCK = re.compile(
    r"(?:<!-- (?P<act>file|append|change): (?P<path>\S+) -->\n)?"
    r"^```(?P<language>\w+)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
#: What differs from run to run.
_VARIES = (
    (re.compile(r"\b\d+(?:\.\d+)? (?:ms|s)\b"), "TIME"),
    (re.compile(r"\d{8}T\d{6}\.\d{3}Z"), "WHEN"),
    (re.compile(r"(?<=the longest TIME )\(.*\)"), "(CASE)"),
    (re.compile(r"[ \t]+$", re.MULTILINE), ""),
)


@dataclass(frozen=True)
class Block:
    """A block of the page: commands, or a text and the file that it is for."""

    language: str
    text: str
    act: str | None
    path: str | None


def blocks() -> list[Block]:
    """Return the blocks of the page."""
    found = _BLOCK.finditer(PAGE.read_text("utf-8"))
    return [Block(it["language"], it["text"], it["act"], it["path"]) for it in found]


def commands(text: str) -> Iterator[tuple[str, str]]:
    """Yield the commands of a block, with what is shown below each."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        yield command, shown


class Reader:
    """Somebody who follows the page in an empty folder."""

    def __init__(self, folder: Path, server: str) -> None:
        self.root = self.folder = folder
        programs = Path(sys.executable).parent
        self.environment = {
            **{it: value for it, value in os.environ.items() if it != "OPENAI_API_KEY"},
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            # The provider's own address, whose prices are known; a server is asked as a proxy in its place.
            "OPENAI_API_BASE": "http://api.openai.com/v1",
            "HTTP_PROXY": server.removesuffix("/v1"),
            "COLUMNS": "80",
            "HOME": str(folder),
        }
        (folder / ".git").mkdir()

    def follow(self, block: Block) -> Iterator[tuple[str, str, str]]:
        """Do what a block says; yield each command with what is shown and what is printed."""
        if block.language == "console":
            for command, shown in commands(block.text):
                if not command.startswith(NOT_RUN):
                    yield command, shown, self.run(command)
        elif block.path is not None:
            self.edit(block)

    def run(self, command: str) -> str:
        """Run a command line; `cd` and `export` last."""
        word, _, rest = command.partition(" ")
        if word == "cd":
            self.folder = self.folder / rest
            return ""
        if word == "export":
            name, _, value = rest.partition("=")
            self.environment[name] = value
            return ""
        done = subprocess.run(
            ["sh", "-c", command],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            encoding="utf-8",
        )
        # Some messages have whole paths; the page shows those of somebody's folder.
        return done.stdout.replace(str(self.root), "/home/ann/shop")

    def edit(self, block: Block) -> None:
        """Write, extend or change a file as a block shows."""
        assert block.path is not None
        path = self.root / block.path
        text = path.read_text("utf-8") if path.exists() else ""
        if block.act == "file":
            text = block.text
        elif block.act == "append":
            text = text.rstrip("\n") + "\n\n" + block.text
        else:
            lines = block.text.splitlines()
            before = "\n".join(it[1:] for it in lines if it[:1] in ("-", " "))
            after = "\n".join(it[1:] for it in lines if it[:1] in ("+", " "))
            assert text.count(before) == 1, f"{block.path} does not have:\n{before}"
            text = text.replace(before, after)
        path.write_text(text, "utf-8")


def normal(text: str) -> str:
    """Return a text without what differs from run to run, such as which case is graded first."""
    for pattern, instead in _VARIES:
        text = pattern.sub(instead, text)
    lines = text.strip("\n").splitlines()
    passes = iter(sorted(line for line in lines if line.startswith(("PASS", "REHEARSED"))))
    return "\n".join(
        next(passes) if line.startswith(("PASS", "REHEARSED")) else line for line in lines
    )


@pytest.fixture
def reader(tmp_path: Path, openai_server: OpenAiServer) -> Reader:
    """Somebody with an empty folder, and a model that answers on this machine."""
    openai_server.default = helpful
    return Reader(tmp_path, openai_server.url)


def test_the_tutorial_prints_what_it_shows(reader: Reader) -> None:
    seen = 0
    for block in blocks():
        for command, shown, printed in reader.follow(block):
            seen += 1
            assert normal(printed) == normal(shown), f"after $ {command}:\n{printed}"
    assert seen > 8


def test_every_block_of_the_tutorial_is_used() -> None:
    for block in blocks():
        assert block.language in ("console", "lua") or block.path is not None, block.text
