"""What pages quote is what the program prints, and what they name is there."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from suitecase.cli import COMMANDS, group
from suitecase.cli.output.formatter import CHECK_FORMATS, RUN_FORMATS
from suitecase.derived import ROOT
from suitecase.rules import rule_named

README = (ROOT / "README.md").read_text("utf-8")
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "SECURITY.md")),
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs/editors").glob("*.md")),
    *sorted((ROOT / "editors").glob("*/README.md")),
]
#: Pages about the code, and the folders that paths in them may begin in.
MAPS = ("ARCHITECTURE.md", "CONTRIBUTING.md", "docs/security.md", "docs/specification.md")
FOLDERS = (
    ROOT,
    ROOT / "docs",
    ROOT / "evaluators",
    ROOT / "evaluators/suitecase_evaluators",
    ROOT / "evaluators/suitecase_evaluators/targets",
    ROOT / "server/suitecase",
    *(it for it in (ROOT / "server/suitecase").iterdir() if it.is_dir()),
)
CODE_BLOCK = re.compile(r"^```[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PATH = re.compile(r"`((?:[\w.-]+/)+(?:[\w-]+\.(?:py|md|js|json|toml|html|yaml|yml))?)`")


def quotes() -> list[tuple[str, list[str]]]:
    """Return each command of ours that a page shows with its output, and that output."""
    found = []
    for page in PAGES:
        for block in CODE_BLOCK.findall(page.read_text("utf-8")):
            head, _, output = block.partition("\n")
            if head.startswith("$ suitecase ") and output.strip():
                found.append((head.removeprefix("$ suitecase "), output.splitlines()))
    return found


@pytest.mark.parametrize(("arguments", "quoted"), quotes(), ids=lambda it: str(it)[:40])
def test_quoted_output_is_what_is_printed(
    arguments: str, quoted: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    printed = CliRunner().invoke(group, arguments.split()).output.splitlines()
    assert quoted[0] in printed
    start = printed.index(quoted[0])
    assert printed[start : start + len(quoted)] == quoted


def test_there_is_a_quote_to_compare() -> None:
    assert quotes()


def test_the_table_of_commands_has_each_command() -> None:
    rows = re.findall(r"^\| `suitecase (\w+)", README, re.MULTILINE)
    assert sorted(rows) == sorted(COMMANDS)


@pytest.mark.parametrize(
    ("title", "formats"), [("### Checking", CHECK_FORMATS), ("### Running", RUN_FORMATS)]
)
def test_each_format_is_in_the_readme(title: str, formats: dict[str, object]) -> None:
    section = README.partition(title)[2].partition("\n#")[0]
    (row,) = re.findall(r"^\| `--format` \|.*$", section, re.MULTILINE)
    assert {name for name in formats if re.search(rf"`{name}[` ]", row)} == set(formats)


def test_options_in_the_readme_exist() -> None:
    named = set(re.findall(r"--[a-z][a-z-]+", README))
    assert len(named) > 20
    assert named - {it for name in COMMANDS for it in _options(name)} == set()


def _options(name: str) -> set[str]:
    command = group.get_command(click.Context(group), name)
    assert command is not None
    commands = [command, *getattr(command, "commands", {}).values()]
    return {it for one in commands for option in one.params for it in option.opts}


@pytest.mark.parametrize("page", PAGES, ids=lambda it: str(it.relative_to(ROOT)))
def test_rules_that_a_page_links_have_that_name(page: Path) -> None:
    links = re.findall(r"\[(SC\d{3})\]\([\w./-]*rules/([\w-]+)\.md\)", page.read_text("utf-8"))
    for code, name in links:
        rule = rule_named(code)
        assert rule is not None
        assert rule.name == name


@pytest.mark.parametrize("name", MAPS)
def test_files_that_a_page_about_the_code_names_exist(name: str) -> None:
    text = CODE_BLOCK.sub("", (ROOT / name).read_text("utf-8"))
    paths = [it for it in PATH.findall(text) if not it.startswith((".", "src/"))]
    assert len(paths) > 10
    assert [it for it in paths if not any((folder / it).exists() for folder in FOLDERS)] == []
