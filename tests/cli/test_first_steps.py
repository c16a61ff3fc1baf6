"""Where there is nothing yet, every command says what to do first."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.running.processes import SOUND, suitecase, write

FIRST = "`suitecase init` writes a first one"
#: Commands that need a suite or a run, with what they are called with.
COMMANDS = (
    *("check", "run", "run --dry-run", "migrate", "show", "lock", "calibrate", "agreement"),
    *("convert", "generate rubrics", "list", "report", "compare", "metrics", "gate", "labels"),
    *("publish", "run first.eval.yaml", "check .", "show first.eval.yaml::one"),
)


@pytest.mark.parametrize("command", COMMANDS)
def test_in_an_empty_folder_it_is_to_write_a_suite(command: str, tmp_path: Path) -> None:
    done = suitecase(*command.split(), cwd=tmp_path)
    assert done.returncode == (0 if command == "list" else 2)
    said = done.stdout + done.stderr
    if command.startswith(("run first", "show first")):
        assert "it does not exist, and its folder has no suite" in said
    assert FIRST in said
    assert said.count("\n") == 1, "nothing but that, and no usage"


def test_without_runs_it_is_to_run(tmp_path: Path) -> None:
    write(tmp_path, "a.eval.yaml", SOUND)
    for command in ("list", "report", "compare", "metrics", "gate", "labels", "publish"):
        done = suitecase(command, cwd=tmp_path)
        said = done.stdout + done.stderr
        assert "`suitecase run` writes" in said, command
        assert FIRST not in said, command


@pytest.mark.parametrize("command", ["check", "run", "migrate", "show", "lock", "convert"])
def test_a_file_that_is_not_there_is_compared_with_those_that_are(
    command: str, tmp_path: Path
) -> None:
    write(tmp_path, "support.eval.yaml", SOUND)
    more = ["--to", "jsonl"] if command == "convert" else []
    done = suitecase(command, "suport.eval.yaml", *more, cwd=tmp_path)
    assert done.returncode == 2
    assert "it does not exist; did you mean `support.eval.yaml`?" in done.stderr


@pytest.mark.parametrize("command", ["report", "metrics", "gate", "publish", "labels", "compare"])
def test_results_that_are_not_there_are_to_be_listed(command: str, tmp_path: Path) -> None:
    more = ["b.jsonl"] if command == "compare" else []
    done = suitecase(command, "a.jsonl", *more, cwd=tmp_path)
    assert done.returncode == 2
    assert "a.jsonl: it does not exist; `suitecase list` lists past runs\n" in done.stderr


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("a.eval.yaml", "`suitecase check a.eval.yaml` reports the mistakes in a suite"),
        ("gone.yaml", "`suitecase run gone.yaml` runs it"),
        ("eval", "unknown command 'eval'; did you mean 'run'?"),
        ("history", "unknown command 'history'; did you mean 'list'?"),
        ("chekc", "unknown command 'chekc'; did you mean 'check'?"),
        ("xyzzy", "unknown command 'xyzzy'; `suitecase --help` lists the commands"),
    ],
)
def test_a_word_that_is_no_command_leads_to_one(given: str, said: str, tmp_path: Path) -> None:
    write(tmp_path, "a.eval.yaml", SOUND)
    done = suitecase(given, cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr


def test_a_case_that_is_not_there_leads_to_those_that_are(tmp_path: Path) -> None:
    write(tmp_path, "a.eval.yaml", SOUND)
    done = suitecase("show", "a.eval.yaml::zzz", cwd=tmp_path)
    assert done.returncode == 2
    assert "has no case `zzz`; it has `" in done.stderr


def test_what_can_be_explained_fits_on_a_screen() -> None:
    page = suitecase("explain")
    assert page.returncode == 0
    assert len(page.stdout.splitlines()) <= 40
    assert "`suitecase explain rules` lists them" in page.stdout
    rules = suitecase("explain", "rules").stdout
    assert rules == suitecase("explain", "--all").stdout
    assert len(rules.splitlines()) > 300
