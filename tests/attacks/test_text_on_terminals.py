"""Names and texts of suites, answers and results on a terminal and in a log: none of them controls it.

A third of the calls is made on terminals and half of them in logs, other ones each time; `make sweep` makes all.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from suitecase.cli import COMMANDS, report_bug
from suitecase.cli.output.formatter import CHECK_FORMATS, RUN_FORMATS
from support.running.processes import COMMAND_LINE, suitecase, write
from support.running.terminals import on_a_terminal
from support.samples import sample
from support.suites.hostile_texts import (
    ATTACK,
    BROKEN,
    CASE,
    FORGED,
    NAME,
    RAW,
    STYLE,
    SUITE,
    hostile_workspace,
    sound_suite,
)

OTHER = f"{NAME}/promptfooconfig.yaml"
SKILLS = f"{NAME}/evals/evals.json"
AGENT = f"{NAME}/agent.eval.yaml"
DATA = f"{NAME}/data.jsonl"
PLAIN = "plain.eval.yaml"
MISSING = f"missing {ATTACK}{FORGED}"
#: How each command is called, with what works and what is refused.
CALLS: dict[str, list[tuple[str, ...]]] = {
    "init": [
        ("init", f"folder {NAME}", "--yes"),
        ("init", SUITE),
        ("init", ".", "--target", f"x{ATTACK}{FORGED}"),
    ],
    "check": [
        *(("check", ".", "--format", form) for form in CHECK_FORMATS),
        *(("check", ".", "--statistics", "--format", form) for form in ("text", "json")),
        ("check", ".", "--diff"),
        ("check", ".", "--fix", "--unsafe-fixes"),
        ("check", MISSING),
        ("check", ".", "--select", f"x{ATTACK}{FORGED}"),
        ("check", ".", "--write-baseline", f"baseline {NAME}"),
    ],
    "run": [
        *(("run", SUITE, "--no-results", "--format", form) for form in RUN_FORMATS),
        ("run", SUITE, "--no-results", "--show", "all", "--answers"),
        ("run", SUITE, "--dry-run"),
        ("run", SUITE, "--dry-run", "--format", "markdown"),
        ("run", SUITE, "--target", f"fails {ATTACK}", "--no-results"),
        ("run", SUITE, "--target", f"fails {ATTACK}", "--target", f"bot {ATTACK}", "--no-results"),
        ("run", SUITE, "--target", f"unknown {ATTACK}"),
        ("run", f"{SUITE}::{CASE}"),
        *(("run", BROKEN, "--no-results", "--format", form) for form in RUN_FORMATS),
        *(
            ("run", BROKEN, "--no-results", "--keep-going", "--format", form)
            for form in RUN_FORMATS
        ),
        ("run", OTHER, "--no-results"),
        ("run", OTHER, "--no-results", "--keep-going"),
        ("run", OTHER, "--dry-run"),
        ("run", SKILLS, "--no-results"),
        ("run", AGENT, "--no-results"),
        ("run", DATA, "--no-results"),
        ("run", ".", "--no-results", "--keep-going"),
    ],
    "migrate": [("migrate", ".", "--diff"), ("migrate", "."), ("migrate", MISSING)],
    "convert": [
        ("convert", SUITE, "--to", "jsonl"),
        ("convert", SUITE, "--to", "prompt-library"),
        ("convert", SUITE, "--to", "yaml"),
        ("convert", SUITE, "--to", "jsonl", "--output", f"written {NAME}.jsonl"),
        ("convert", BROKEN, "--to", "jsonl"),
        ("convert", OTHER, "--to", "yaml"),
        ("convert", DATA, "--to", "yaml"),
    ],
    "generate": [
        ("generate", "rubrics", PLAIN, "--dry-run"),
        ("generate", "rubrics", PLAIN, "--target", f"bot {ATTACK}"),
        ("generate", "rubrics", PLAIN, "--target", f"writer {ATTACK}", "--diff"),
        ("generate", "rubrics", BROKEN),
    ],
    "list": [("list",), ("list", "--format", "json"), ("list", "--suite", f"x{ATTACK}{FORGED}")],
    "view": [("view", MISSING)],
    "report": [
        ("report", "run.jsonl", "--output", f"page {NAME}.html"),
        ("report", f"{MISSING}.jsonl"),
        ("report", SUITE),
    ],
    "compare": [
        *(
            ("compare", "run.jsonl", "other.jsonl", "--format", form)
            for form in ("text", "json", "html")
        ),
        ("compare", MISSING, "run.jsonl"),
    ],
    "metrics": [
        *(("metrics", "run.jsonl", "--format", it) for it in ("text", "json", "csv", "markdown")),
        ("metrics", "run.jsonl", "other.jsonl"),
        ("metrics", "run.jsonl", "--suite", BROKEN),
    ],
    "gate": [
        *(("gate", "run.jsonl", "--format", it) for it in ("text", "json", "markdown")),
        ("gate", "run.jsonl", "--suite", BROKEN),
        ("gate", "run.jsonl", "--gate", f"x{ATTACK} > 1"),
    ],
    "agreement": [
        ("agreement", SUITE),
        ("agreement", SUITE, "--format", "json"),
        ("agreement", BROKEN),
    ],
    "labels": [
        ("labels", "run.jsonl", "--rater", "ann"),
        ("labels", "run.jsonl", "--suite", BROKEN, "--rater", f"x{ATTACK}{FORGED}"),
    ],
    "lock": [
        ("lock", SUITE),
        ("lock", SUITE, "--format", "json"),
        ("lock", SUITE, "--check"),
        ("lock", BROKEN),
    ],
    "publish": [
        ("publish", "run.jsonl"),
        ("publish", "run.jsonl", "--format", "json"),
        ("publish", "run.jsonl", "--draft", "--output", f"bundle {NAME}"),
    ],
    "calibrate": [("calibrate", SUITE, "--dry-run"), ("calibrate", BROKEN)],
    "cache": [("cache", "info"), ("cache", "info", NAME), ("cache", "info", MISSING)],
    "show": [
        *(("show", it) for it in (SUITE, BROKEN, OTHER, SKILLS, AGENT, DATA)),
        *(("show", it, "--format", "json") for it in (SUITE, OTHER)),
        ("show", f"{SUITE}::x{ATTACK}{FORGED}"),
    ],
    "explain": [("explain",), ("explain", "SC201"), ("explain", f"x{ATTACK}{FORGED}")],
    "diagnose": [("diagnose",), ("diagnose", NAME), ("diagnose", "--format", "json")],
    "completion": [("completion", "bash"), ("completion", f"x{ATTACK}{FORGED}")],
    "lsp": [("lsp", f"--x{ATTACK}")],
}
EVERY_CALL = [it for calls in CALLS.values() for it in calls]
#: Formats for programs are the same there, and the page of a rule is laid out by `rich`.
ON_TERMINALS = [it for it in EVERY_CALL if "--format" not in it and it != ("explain", "SC201")]


def name_of(call: tuple[str, ...]) -> str:
    """Return a call with short names of files, for the name of a test."""
    short = {
        SUITE: "SUITE",
        BROKEN: "BROKEN",
        OTHER: "PROMPTFOO",
        SKILLS: "SKILLS",
        AGENT: "AGENT",
        DATA: "DATA",
    }
    return " ".join(short.get(it, ascii(it)[1:-1][:16] if ATTACK in it else it) for it in call)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = hostile_workspace(tmp_path_factory.mktemp("hostile"))
    shutil.copy(folder / "run.jsonl", folder / "other.jsonl")
    return folder


@pytest.fixture
def workspace(written: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(written, tmp_path / "w"))


def raw_characters(text: str) -> list[str]:
    """Return what is not seen in a text, with what stands before it."""
    return [ascii(text[max(0, it.start() - 40) : it.end() + 10]) for it in RAW.finditer(text)]


def test_every_command_is_called() -> None:
    assert CALLS.keys() == COMMANDS.keys()


@pytest.mark.parametrize("call", sample(EVERY_CALL, 2), ids=name_of)
def test_no_text_controls_a_log(workspace: Path, call: tuple[str, ...]) -> None:
    done = suitecase(*call, cwd=workspace)
    assert done.returncode != 4, done.stderr
    assert raw_characters(done.stdout) == []
    assert raw_characters(done.stderr) == []
    if "markdown" not in call:  # where it stands in a fence
        assert FORGED.strip() not in done.stdout.splitlines() + done.stderr.splitlines()


@pytest.mark.parametrize("call", sample(ON_TERMINALS), ids=name_of)
def test_no_text_controls_a_terminal(workspace: Path, call: tuple[str, ...]) -> None:
    shown = on_a_terminal(workspace, *call)
    assert shown
    assert raw_characters(STYLE.sub("", shown)) == []
    if "markdown" not in call:
        assert FORGED.strip() not in shown.splitlines()


def test_a_bug_report_controls_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    report_bug(f"Traceback\n  ValueError: {ATTACK}\n")
    shown = capsys.readouterr().err
    assert "  ValueError: [U+001B][2J" in shown
    assert raw_characters(shown) == []


def test_completion_offers_no_name_that_controls_the_shell(workspace: Path) -> None:
    write(workspace, "plain.eval.yaml", "evalcases:\n  - id: all\n  - id: a\u202eb\n")
    env = {"_SUITECASE_COMPLETE": "zsh_complete"}
    line = suitecase(
        cwd=workspace, env={**env, "_SUITECASE_LINE": "suitecase show plain.eval.yaml::a"}
    )
    assert "plain.eval.yaml::all" in line.stdout
    assert raw_characters(line.stdout) == []
    line = suitecase(cwd=workspace, env={**env, "_SUITECASE_LINE": "suitecase check "})
    assert "plain.eval.yaml" in line.stdout
    assert raw_characters(line.stdout) == []


def test_a_fix_of_standard_input_is_exact_for_programs_and_visible_on_terminals(
    workspace: Path,
) -> None:
    text = "# \u202ex\nevalcases:\n  - id: a\n    outcome: \u202eb\n    input: c\n"
    done = suitecase(
        *("check", "-", "--stdin-filename", "s.eval.yaml", "--fix"), cwd=workspace, stdin=text
    )
    assert "expected_outcome: \u202eb" in done.stdout
    assert raw_characters(done.stderr) == []


@pytest.mark.parametrize("command", [("check",), ("run", "--no-results")], ids=" ".join)
def test_watching_names_changed_files_harmlessly(workspace: Path, command: tuple[str, ...]) -> None:
    for other in workspace.glob("*.eval.yaml"):
        if other.name != SUITE:
            other.unlink()
    process = subprocess.Popen(
        [*COMMAND_LINE, *command, SUITE, "--watch"],
        cwd=workspace,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    with process:
        try:
            assert process.stderr is not None
            lines = iter(process.stderr.readline, b"")
            next(it for it in lines if it.startswith(b"Waiting for changes"))
            write(workspace, SUITE, json.dumps(sound_suite()) + "\n")
            changed = next(it.decode() for it in lines if b"changed" in it)
        finally:
            process.kill()
    assert "[U+001B]]0;pwned[U+0007]" in changed
    assert raw_characters(changed) == []
