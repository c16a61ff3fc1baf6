"""`suitecase-core` in an environment of its own checks and edits, and names what else would need."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from suitecase.cli import COMMANDS
from suitecase.derived import ROOT
from support.lsp.client import RawClient
from support.running.processes import suitecase
from support.system.installed_packages import Environment

#: What is true of a core install; docs/installation.md has the figures that were measured.
MOST_MEGABYTES = 40
#: Core, and 17 packages that it depends on.
MOST_PACKAGES = 18
#: Each command with arguments for which it does its work, and a part of its output.
WORKING: Mapping[str, tuple[tuple[str, ...], str]] = {
    "init": (("new", "--from", "examples"), "wrote"),
    "check": (("support-replies.eval.yaml",), "All checks passed"),
    "migrate": (("--diff", "mistakes"), "format"),
    "convert": (("support-replies.eval.yaml", "--to", "jsonl"), "written as"),
    "labels": (("release.jsonl", "--rater", "ann", "--output", "sheets"), "Written"),
    "list": ((), "support-replies"),
    "lock": (("release/support.eval.yaml",), "Written"),
    "cache": (("info",), "cache"),
    "diagnose": ((), "suitecase"),
    "completion": (("bash",), "suitecase"),
    "show": (("support-replies.eval.yaml",), "helpfulness"),
    "explain": (("SC201",), "score-ranges-overlap"),
}
#: Commands that need what only `suitecase` installs.
REFUSING: Mapping[str, tuple[str, ...]] = {
    "run": ("support-replies.eval.yaml",),
    "generate": ("rubrics", "support-replies.eval.yaml"),
    "report": ("run.jsonl",),
    "view": ("--no-open",),
    "compare": ("run.jsonl", "run.jsonl"),
    "metrics": ("run.jsonl",),
    "gate": ("run.jsonl",),
    "agreement": ("release/support.eval.yaml",),
    "publish": ("run.jsonl",),
    "calibrate": ("release/support.eval.yaml",),
}
#: Tried below.
OTHER = {"lsp"}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example suites, and the results of a run of one."""
    folder = tmp_path_factory.mktemp("workspace") / "suites"
    shutil.copytree(ROOT / "examples", folder)
    (folder / ".git").mkdir()
    for options in ((), ("--output", "run.jsonl")):
        suitecase("run", "support-replies.eval.yaml", *options, cwd=folder)
    suitecase("run", "release/support.eval.yaml", "--output", "release.jsonl", cwd=folder)
    assert (folder / "run.jsonl").is_file()
    return folder


def test_core_is_small(core: Environment) -> None:
    files = [it for it in core.modules.rglob("*") if it.is_file() and it.suffix != ".pyc"]
    assert sum(it.stat().st_size for it in files) < MOST_MEGABYTES * 1_000_000
    assert len(core.installed) <= MOST_PACKAGES, core.installed
    assert core.installed.isdisjoint({"litellm", "numpy", "aiohttp", "rich", "jinja2"})


def test_each_command_is_tried() -> None:
    assert COMMANDS.keys() - WORKING.keys() - REFUSING.keys() - OTHER == set()


@pytest.mark.parametrize("command", WORKING)
def test_core_is_enough_for(command: str, core: Environment, workspace: Path) -> None:
    arguments, output = WORKING[command]
    ended = core.run(command, *arguments, cwd=workspace)

    assert output in ended.stdout + ended.stderr
    assert "not installed" not in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("command", REFUSING)
def test_core_names_what_is_missing_for(command: str, core: Environment, workspace: Path) -> None:
    ended = core.run(command, *REFUSING[command], cwd=workspace)

    assert ended.returncode == 3, ended.stderr
    assert ended.stderr.startswith(
        f"Error: `suitecase {command}` needs packages that are not installed ("
    )
    assert re.search(r"; install them with `.* install .*suitecase-core\[run\].*`\n$", ended.stderr)
    assert ended.stdout == ""


def test_help_needs_nothing_more(core: Environment, tmp_path: Path) -> None:
    program = (
        "import click\nfrom suitecase.cli import COMMANDS, group\n"
        "for name in COMMANDS:\n"
        "    command = group.get_command(click.Context(group), name)\n"
        "    print(command.get_help(click.Context(command, info_name=name)))\n"
    )
    printed = subprocess.run(
        [core.python, "-I", "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
    ).stdout

    assert [it for it in COMMANDS if f"Usage: {it} " not in printed] == []


def test_the_page_on_installing_says_which_commands_core_has() -> None:
    page = (ROOT / "docs" / "installation.md").read_text("utf-8")
    here, there = page[page.index("With `suitecase-core`, ") :].split("The others (")[:2]

    assert set(re.findall(r"`([a-z]+)`", here)) == {*WORKING, *OTHER}
    assert set(re.findall(r"`([a-z]+)`", there.partition(")")[0])) == set(REFUSING)


async def test_an_editor_is_told_what_a_run_needs(core: Environment, workspace: Path) -> None:
    async with RawClient.started(str(core.suitecase), "lsp") as client:
        await client.initialize({}, root=workspace)
        uri = (workspace / "support-replies.eval.yaml").as_uri()
        text = (workspace / "support-replies.eval.yaml").read_text("utf-8")
        client.notify(
            "textDocument/didOpen",
            {"textDocument": {"uri": uri, "languageId": "yaml", "version": 1, "text": text}},
        )
        published = await client.message("textDocument/publishDiagnostics")
        ran = await client.request(
            "workspace/executeCommand", {"command": "suitecase.runSuite", "arguments": [uri]}
        )

    assert published["diagnostics"] == []
    assert "running cases needs packages that are not installed (" in ran["problem"]
    assert "suitecase-core[run]" in ran["problem"]


def test_a_program_is_told_what_a_run_needs(core: Environment, workspace: Path) -> None:
    program = (
        "import suitecase\n"
        "print(len(suitecase.check('support-replies.eval.yaml').findings))\n"
        "try:\n    suitecase.run_suite('support-replies.eval.yaml')\n"
        "except suitecase.RunFailedError as error:\n    print(error.kind, error)\n"
    )
    ended = subprocess.run(
        [core.python, "-I", "-c", program],
        cwd=workspace,
        capture_output=True,
        text=True,
        check=True,
    )

    count, _, error = ended.stdout.partition("\n")
    assert count == "0"
    assert error.startswith("environment running cases needs packages that are not installed (")


@pytest.mark.skipif(os.name == "nt", reason="there is no pseudo-terminal on Windows")
def test_pages_on_a_terminal_are_plain_without_rich(core: Environment, tmp_path: Path) -> None:
    import pty

    master, terminal = pty.openpty()
    done = subprocess.run(
        [core.suitecase, "explain", "SC201"], cwd=tmp_path, stdout=terminal, check=False
    )
    os.close(terminal)

    assert done.returncode == 0
    assert os.read(master, 1000).startswith(b"# score-ranges-overlap (SC201)")
