"""A folder without suites: what was searched, and what is there that looks like a suite."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.running.processes import SOUND, suitecase, write

CONFIGURATION = "prompts: ['{{q}}']\nproviders: [echo]\ntests: [{vars: {q: Hi}}]\n"
EVALS = '{"skill_name": "a", "evals": [{"id": 1, "prompt": "Hi", "expected_output": "Hi"}]}'

VALLY = "stimuli: [{prompt: Hi}]\n"


def _said(folder: Path, command: str = "check") -> str:
    done = suitecase(command, ".", cwd=folder)
    assert done.returncode == 2
    return done.stderr


@pytest.mark.parametrize("command", ["check", "migrate"])
def test_it_says_what_was_searched(command: str, tmp_path: Path) -> None:
    write(tmp_path, "notes.yaml", VALLY)
    said = _said(tmp_path, command)
    assert "no suite found in this folder (searched: `*.eval.yaml`, " in said
    assert "it has" not in said


@pytest.mark.parametrize(
    ("name", "text", "what"),
    [
        (
            "promptfooconfig.ts",
            "export default {}\n",
            "a promptfoo configuration in code, which is not read",
        ),
        ("skill.json", EVALS, "which is checked if it is named"),
        (".ci/a.eval.yaml", SOUND, "a suite, in a folder that is not searched"),
        (".ci/promptfooconfig.yaml", CONFIGURATION, "a promptfoo configuration, in a folder"),
        ("tests.csv", "q,__expected\nHi,Hi\n", "tests of promptfoo"),
        ("tests.jsonl", '{"vars": {"q": "Hi"}}\n', "tests of promptfoo"),
        (".ci/a.eval.yaml", VALLY, "a suite of Vally, which is not read, in a folder"),
    ],
)
def test_it_says_what_looks_like_a_suite(name: str, text: str, what: str, tmp_path: Path) -> None:
    write(tmp_path, name, text)
    assert f"it has `{name}` (" in _said(tmp_path)
    assert what in _said(tmp_path)


def test_it_says_that_suites_are_excluded(tmp_path: Path) -> None:
    write(tmp_path, "suitecase.toml", 'exclude = ["*.eval.yaml"]\n')
    write(tmp_path, "a.eval.yaml", SOUND)
    assert "`a.eval.yaml` (a suite, which the configuration excludes)" in _said(tmp_path)


@pytest.mark.parametrize("options", [(), ("--fix",)], ids=["", "--fix"])
def test_it_says_nothing_of_a_suite_that_cannot_be_read(
    options: tuple[str, ...], tmp_path: Path
) -> None:
    write(tmp_path, "targets.yaml", "targets:\n- {name: bot, provider: mock}\n")
    write(tmp_path, "suitecase.toml", "ignroe = []\n")
    (tmp_path / "a.eval.yaml").write_bytes(SOUND.encode() + b"\xff")
    done = suitecase("check", ".", *options, cwd=tmp_path)
    assert done.returncode == 2
    assert [line.partition(": it is")[0] for line in done.stderr.splitlines()] == [
        "a.eval.yaml: cannot be checked"
    ]


def test_it_names_a_few_files_only(tmp_path: Path) -> None:
    for number in range(9):
        write(tmp_path, f"{number}/promptfooconfig.js", "")
    said = _said(tmp_path)
    assert said.count("promptfooconfig.js") == 3
    assert said.strip().endswith("and others")
