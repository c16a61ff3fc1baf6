"""What pages quote is what the program prints, and what they name is there."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from suitecase.checking.rules import rule_named
from suitecase.cli import COMMANDS, group
from suitecase.derived import ROOT
from support.running.processes import suitecase, write
from support.servers.helpful_model import helpful
from support.servers.openai import OpenAiServer

README = (ROOT / "README.md").read_text("utf-8")
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "SECURITY.md")),
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs/coming-from").glob("*.md")),
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
    """Return each command about an example that a page shows with its output, and that output."""
    found = []
    for page in PAGES:
        for block in CODE_BLOCK.findall(page.read_text("utf-8")):
            head, _, output = block.partition("\n")
            if head.startswith("$ suitecase ") and "examples/" in head and output.strip():
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


def test_the_first_example_of_the_readme_is_checked_and_run(
    tmp_path: Path, openai_server: OpenAiServer
) -> None:
    openai_server.default = helpful
    (tmp_path / ".git").mkdir()
    named = re.findall(r"^```yaml\n# (\S+\.yaml)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    assert [name for name, _ in named] == ["support.eval.yaml", "targets.yaml"]
    for name, text in named:
        # One server stands for both models.
        write(tmp_path, name, text.replace("anthropic/claude-sonnet-4-5", "openai/gpt-4o"))
    keys = {"OPENAI_API_KEY": "sk-one", "ANTHROPIC_API_KEY": "sk-other"}

    checked = suitecase("check", "--fail-level", "info", cwd=tmp_path)
    ran = suitecase(
        "run", "support.eval.yaml", cwd=tmp_path, env={**keys, "OPENAI_API_BASE": openai_server.url}
    )

    assert checked.stdout == "All checks passed (1 suite, 1 case, 1 other file).\n"
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "1 passed" in ran.stdout
    assert "No model" not in ran.stdout


def test_the_table_of_commands_has_each_command() -> None:
    rows = re.findall(r"^\| `suitecase (\w+)", README, re.MULTILINE)
    assert sorted(rows) == sorted(COMMANDS)


def test_options_on_the_pages_of_commands_exist() -> None:
    pages = ("README.md", "docs/checking.md", "docs/running.md")
    text = "".join((ROOT / it).read_text("utf-8") for it in pages)
    named = set(re.findall(r"--[a-z][a-z-]+", text))
    assert len(named) > 15
    assert named - {it for name in COMMANDS for it in _options(name)} == set()


def _options(name: str) -> set[str]:
    command = group.get_command(click.Context(group), name)
    assert command is not None
    commands = [command, *getattr(command, "commands", {}).values()]
    options = (option for one in commands for option in one.params)
    return {it for option in options for it in (*option.opts, *option.secondary_opts)}


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
