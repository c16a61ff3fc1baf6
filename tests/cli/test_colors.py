"""Styles of what is printed: on terminals, and where `NO_COLOR` and `FORCE_COLOR` say so."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from suitecase.cli import COMMANDS
from suitecase.cli.output.formatter import CHECK_FORMATS, RUN_FORMATS
from support.running.processes import MISSPELLED, SOUND, suitecase, write
from support.running.terminals import on_a_terminal

ESCAPE = "\x1b"
#: Calls that print styles.
STYLED = {
    "check": ("check", "."),
    "run": ("run", "sound.eval.yaml", "--no-results"),
    "list": ("list", "."),
    "compare": ("compare", "a.jsonl", "b.jsonl"),
    "metrics": ("metrics", "a.jsonl"),
    "gate": ("gate", "a.jsonl"),
    "show": ("show", "sound.eval.yaml"),
    "explain": ("explain", "SC201"),
}
#: Calls that print none.
PLAIN = {
    "init": ("init", "new", "--yes", "--dry-run"),
    "migrate": ("migrate", ".", "--diff"),
    "convert": ("convert", "sound.eval.yaml", "--to", "jsonl"),
    "generate": ("generate", "rubrics", "sound.eval.yaml", "--dry-run"),
    "view": ("view", "--help"),
    "report": ("report", "a.jsonl"),
    "agreement": ("agreement", "sound.eval.yaml"),
    "labels": ("labels", "a.jsonl", "--rater", "ann"),
    "lock": ("lock", "sound.eval.yaml"),
    "publish": ("publish", "a.jsonl"),
    "calibrate": ("calibrate", "sound.eval.yaml"),
    "cache": ("cache", "info"),
    "diagnose": ("diagnose",),
    "completion": ("completion", "bash"),
    "lsp": ("lsp", "--help"),
}
FOR_PROGRAMS = [
    *(
        ("check", ".", "--format", it)
        for it in CHECK_FORMATS
        if it not in ("text", "concise", "summary", "github")
    ),
    *(
        ("run", "sound.eval.yaml", "--no-results", "--format", it)
        for it in RUN_FORMATS
        if it != "text"
    ),
    ("list", ".", "--format", "json"),
    ("compare", "a.jsonl", "b.jsonl", "--format", "json"),
    ("metrics", "a.jsonl", "--format", "csv"),
    ("gate", "a.jsonl", "--format", "markdown"),
    ("show", "sound.eval.yaml", "--format", "json"),
    ("explain", "SC201", "--format", "json"),
]
USAGE = [
    ("chekc",),
    ("check", "--selct"),
    ("show", "missing.eval.yaml"),
    ("--help",),
    ("run", "--help"),
]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("colors")
    (folder / ".git").mkdir()
    write(
        folder,
        "sound.eval.yaml",
        SOUND.replace("execution:", "gates: [pass_rate >= 50%]\nexecution:"),
    )
    suitecase("run", "sound.eval.yaml", "--output", "a.jsonl", cwd=folder)
    shutil.copy(folder / "a.jsonl", folder / "b.jsonl")
    write(folder, "wrong.eval.yaml", MISSPELLED)
    return folder


@pytest.fixture
def folder(written: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(written, tmp_path / "w"))


def printed(folder: Path, call: tuple[str, ...], **env: str) -> str:
    done = suitecase(*call, cwd=folder, env=env)
    assert done.returncode in (0, 1, 2, 3), done.stderr
    return done.stdout + done.stderr


def names(calls: dict[str, tuple[str, ...]] | list[tuple[str, ...]]) -> list[str]:
    return [" ".join(it) for it in (calls.values() if isinstance(calls, dict) else calls)]


def test_every_command_is_called() -> None:
    assert {*STYLED, *PLAIN} == {*COMMANDS}


@pytest.mark.parametrize("call", STYLED.values(), ids=names(STYLED))
def test_styles_are_shown_on_terminals_and_where_they_are_forced(
    folder: Path, call: tuple[str, ...]
) -> None:
    assert ESCAPE in on_a_terminal(folder, *call)
    assert ESCAPE not in printed(folder, call)
    assert ESCAPE in printed(folder, call, FORCE_COLOR="1")
    assert ESCAPE in printed(folder, call, FORCE_COLOR="1", NO_COLOR="")
    assert ESCAPE not in printed(folder, call, FORCE_COLOR="")


@pytest.mark.parametrize(
    "call",
    [*STYLED.values(), *PLAIN.values(), *USAGE],
    ids=names([*STYLED.values(), *PLAIN.values(), *USAGE]),
)
def test_nothing_has_styles_where_there_is_no_color(folder: Path, call: tuple[str, ...]) -> None:
    assert ESCAPE not in on_a_terminal(folder, *call, env={"NO_COLOR": "1"})
    assert ESCAPE not in printed(folder, call, NO_COLOR="1", FORCE_COLOR="1")


@pytest.mark.parametrize("call", FOR_PROGRAMS, ids=names(FOR_PROGRAMS))
def test_formats_for_programs_never_have_styles(folder: Path, call: tuple[str, ...]) -> None:
    assert ESCAPE not in suitecase(*call, cwd=folder, env={"FORCE_COLOR": "1"}).stdout


def test_a_dumb_terminal_shows_no_styles(folder: Path) -> None:
    assert ESCAPE not in on_a_terminal(folder, "check", ".", env={"TERM": "dumb"})
