"""Commands and YAML in pages are what the program takes: options exist, suites and targets are valid."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click
import pytest
import yaml

import suitecase
from suitecase import __version__
from suitecase.cli import COMMANDS, group
from suitecase.derived import ROOT
from suitecase.format.case_list_keys import CASE_LIST_KEYS
from suitecase.formats.suitecase.model import SuiteHead
from suitecase_evaluators.targets.config import PROVIDERS

PATTERNS = (
    "*.md",
    "docs/*.md",
    "docs/coming-from/*.md",
    "docs/editors/*.md",
    "docs/reference/*.md",
    "editors/*/README.md",
)
PAGES = sorted(page for pattern in PATTERNS for page in ROOT.glob(pattern))
BLOCK = re.compile(r"^( *)```(\w*)[^\n]*\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
#: A command in a block or between backquotes, up to what ends it in a shell.
COMMAND = re.compile(r"(?:^\s*(?:- |-? ?run: |\$ )?|`)suitecase ([a-z][^`\n|>;&#]*)", re.MULTILINE)
#: Findings on what an example leaves out: files, targets and packages that it names, and in the head
#: of a suite also cases and their evaluators.
LEFT_OUT = ("SC301", "SC307", "SC5", "SC6")
LEFT_OUT_OF_HEADS = (*LEFT_OUT, "SC80", "SC85", "SC9")
CASE = "evalcases: [{id: a, input: Hi, expected_outcome: Says hello}]\n"


class Block(NamedTuple):
    page: str
    language: str
    text: str


def blocks() -> Iterator[Block]:
    for page in PAGES:
        for indent, language, text in BLOCK.findall(page.read_text("utf-8")):
            lines = (it.removeprefix(indent) for it in text.splitlines(keepends=True))
            yield Block(str(page.relative_to(ROOT)), language, "".join(lines))


def commands() -> Iterator[tuple[str, list[str]]]:
    """Yield each command that a page shows, with the page."""
    for page in PAGES:
        text = page.read_text("utf-8").replace("\\\n", " ")
        for found in COMMAND.findall(text):
            try:
                arguments = shlex.split(found)
            except ValueError:  # a sentence with an apostrophe
                continue
            if arguments[0] in COMMANDS:
                yield str(page.relative_to(ROOT)), arguments


def _wrong(arguments: list[str]) -> list[str]:
    """Return what a command line has that the command does not take."""
    command = group.get_command(click.Context(group), arguments[0])
    assert command is not None
    rest = arguments[1:]
    if isinstance(command, click.Group) and rest and rest[0] in command.commands:
        command, rest = command.commands[rest[0]], rest[1:]
    context = click.Context(command)
    options = {name: it for it in command.get_params(context) for name in it.opts}
    wrong = []
    for argument, after in zip(rest, [*rest[1:], ""], strict=False):
        flag = re.match(r"(--?[a-z][\w-]*)(?:=(.*))?", argument.strip("[],."))
        if flag is None or flag[1] in ("--help", "-h"):
            continue
        name, value = flag[1], flag[2]
        option = options.get(name)
        if option is None:
            wrong.append(name)
        elif isinstance(option.type, click.Choice):
            word = (value or after).strip("[],.")
            if word.islower() and word.isalpha() and word not in option.type.choices:
                wrong.append(f"{name} {word}")
    return wrong


def test_commands_in_pages_have_only_options_that_exist() -> None:
    found = list(commands())
    assert len(found) > 100
    wrong = [f"{page}: suitecase {shlex.join(it)}" for page, it in found if _wrong(it)]
    assert wrong == []


def suites() -> Iterator[Block]:
    """Yield the blocks that are suites, or the heads of some, which get a case."""
    keys = {info.alias or name for name, info in SuiteHead.model_fields.items()}
    for block in blocks():
        if block.language not in ("yaml", "yml"):
            continue
        try:
            value = yaml.safe_load(block.text)
        except yaml.YAMLError:
            continue
        if not isinstance(value, dict) or "SC" in block.text.partition("# ←")[2]:
            continue
        if any(isinstance(value.get(it), list) for it in CASE_LIST_KEYS):
            yield block
        elif value.keys() <= keys:
            yield block._replace(text=block.text + CASE)


@pytest.mark.parametrize("block", list(suites()), ids=lambda it: it.page)
def test_suites_in_pages_are_valid(block: Block, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    suite = tmp_path / "example.eval.yaml"
    suite.write_text(block.text, "utf-8")
    found = suitecase.check(suite).findings
    errors = [f"{it.rule.code} {it.message}" for it in found if it.severity == "error"]
    left_out = LEFT_OUT_OF_HEADS if block.text.endswith(CASE) else LEFT_OUT
    assert [it for it in errors if not it.startswith(left_out)] == []


@pytest.mark.parametrize(
    "block",
    [it for it in blocks() if it.language == "yaml" and it.text.startswith("targets:")],
    ids=lambda it: it.page,
)
def test_targets_in_pages_are_valid(block: Block, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "targets.yaml").write_text(block.text, "utf-8")
    found = suitecase.check(tmp_path / "targets.yaml").findings
    assert [f"{it.rule.code} {it.message}" for it in found if it.severity == "error"] == []
    assert {it["provider"] for it in yaml.safe_load(block.text)["targets"]} <= PROVIDERS.keys()


def test_tags_to_pin_are_those_of_this_version() -> None:
    text = (ROOT / "docs" / "ci.md").read_text("utf-8")
    tags = re.findall(r"suitecase/suitecase@(\S+)|rev: (\S+)", text)
    assert {one or other for one, other in tags} == {f"v{__version__}"}
