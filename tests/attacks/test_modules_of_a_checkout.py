"""A checkout with modules of the names that Suitecase imports: none of them is executed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from suitecase.derived import ROOT
from support.lsp.client import RawClient
from support.running.processes import SOUND, write
from support.samples import sample

#: Modules of the standard library, of dependencies and of Suitecase that some process imports, early or late.
NAMES = (
    *(
        "suitecase",
        "suitecase_evaluators",
        "yaml",
        "click",
        "pydantic",
        "pygls",
        "lsprotocol",
        "litellm",
    ),
    *(
        "json",
        "pkgutil",
        "runpy",
        "asyncio",
        "multiprocessing",
        "concurrent",
        "sitecustomize",
        "usercustomize",
    ),
)
SCRIPT = "from suitecase.cli import main\nmain()\n"
#: Elsewhere than on Linux processes are spawned.
SPAWNING = """\
import multiprocessing
real = multiprocessing.get_context
multiprocessing.get_context = lambda _: real("spawn")
from suitecase.cli import main
if __name__ == "__main__":
    main()
"""
COMMANDS = {
    "check": ["check", "."],
    "check in processes": ["check", ".", "--jobs", "2"],
    "run": ["run", "a.eval.yaml", "--no-results"],
}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout whose modules make a file `executed` beside it."""
    folder = tmp_path / "checkout"
    (folder / ".git").mkdir(parents=True)
    text = f"open({str(tmp_path / 'executed')!r}, 'a').write(__name__ + chr(10))\n"
    for number, name in enumerate(NAMES):
        write(folder, f"{name}/__init__.py" if number % 2 else f"{name}.py", text)
    write(folder, "suitecase.py", text)
    write(folder, "a.eval.yaml", SOUND)
    write(folder, "b.eval.yaml", SOUND)
    return folder


def _executed(checkout: Path) -> list[str]:
    told = checkout.parent / "executed"
    return told.read_text().split() if told.exists() else []


def _call(checkout: Path, words: list[str], *arguments: str) -> None:
    done = subprocess.run(
        [sys.executable, *words, *arguments],
        cwd=checkout,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "PYTHONPATH": ""},
    )
    assert _executed(checkout) == []
    assert done.returncode in (0, 1), done.stderr


#: As installers write a script, and as a module is called safely; each command in one of these ways each time.
WAYS = [(command, way) for command in COMMANDS for way in ("a script", "a module")]


@pytest.mark.parametrize(("command", "way"), sample(WAYS, 2))
def test_no_module_of_the_checkout_is_executed(checkout: Path, command: str, way: str) -> None:
    script = write(checkout.parent, "bin/suitecase", SCRIPT)
    words = [str(script)] if way == "a script" else ["-P", "-m", "suitecase"]
    _call(checkout, words, *COMMANDS[command])


def test_spawned_processes_import_nothing_of_the_checkout(checkout: Path) -> None:
    script = write(checkout.parent, "bin/suitecase", SPAWNING)
    _call(checkout, [str(script)], "check", ".", "--jobs", "2")


async def test_the_server_and_its_worker_import_nothing_of_the_checkout(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = write(checkout.parent, "bin/suitecase", SCRIPT)
    uri = (checkout / "a.eval.yaml").as_uri()
    monkeypatch.chdir(checkout)
    async with RawClient.started(sys.executable, str(script), "lsp") as client:
        await client.initialize(root=checkout)
        client.open(uri, SOUND)
        await client.diagnostics(uri)
        run = {"command": "suitecase.runSuite", "arguments": [uri]}
        await client.request("workspace/executeCommand", run)
    assert _executed(checkout) == []


def test_what_would_be_executed_is_noticed(checkout: Path) -> None:
    subprocess.run([sys.executable, "-m", "suitecase"], cwd=checkout, check=False)
    assert _executed(checkout) != []


def test_no_page_recommends_a_call_that_executes_the_checkout() -> None:
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("editors/*/*.md")]
    pages += [ROOT / "action.yml", ROOT / ".pre-commit-hooks.yaml"]
    unsafe = re.compile(
        r"(?:python3?|\$SUITECASE_BIN/python\") (?!-[PI] )[^\n`]*-m suitecase\b(?!\.)"
    )
    allowed = {"docs/security.md", "CHANGELOG.md"}
    found = {
        path.relative_to(ROOT).as_posix()
        for path in pages
        if unsafe.search(path.read_text("utf-8"))
    }
    assert found <= allowed
