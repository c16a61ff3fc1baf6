"""The README and the first page of the documentation lead a newcomer the same way."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from suitecase.cli import COMMANDS
from suitecase.derived import ROOT
from support.running.processes import suitecase

PAGES = ("README.md", "docs/index.md")


def first_steps(page: str) -> list[str]:
    """Return the commands of the first block that installs the program, without their remarks."""
    blocks = re.findall(r"```\w*\n(.*?)```", (ROOT / page).read_text("utf-8"), re.DOTALL)
    block = next(it for it in blocks if "pip install" in it)
    return [line.partition("#")[0].strip() for line in block.splitlines()]


def test_both_have_the_same_first_steps() -> None:
    assert first_steps("README.md") == first_steps("docs/index.md")


@pytest.mark.parametrize("page", PAGES)
def test_the_first_command_makes_what_the_next_ones_need(page: str) -> None:
    commands = [shlex.split(it)[1] for it in first_steps(page) if it.startswith("suitecase ")]
    assert commands[0] == "init"
    assert set(commands) <= set(COMMANDS)


def test_the_first_steps_can_be_followed_in_an_empty_folder(tmp_path: Path) -> None:
    for step in first_steps("docs/index.md"):
        words = shlex.split(step)
        if words[0] == "suitecase" and words[1] != "view":
            more = ["--target", "mock"] if words[1] == "init" else []
            done = suitecase(*words[1:], *more, cwd=tmp_path)
            assert done.returncode in (0, 1), (step, done.stderr)


def test_the_first_page_names_no_file_that_a_reader_does_not_have() -> None:
    steps = first_steps("docs/index.md")
    assert not [it for it in steps if ".yaml" in it]
