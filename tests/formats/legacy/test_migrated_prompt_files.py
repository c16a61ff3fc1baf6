"""`suitecase migrate` writes the variables in prompt files as they are called today."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from support.running.processes import suitecase

BEFORE = "<!-- ${HOME} -->\r\nWarm? ${question}\r\n{{output}} {{ criteria }}\r\n"
AFTER = "<!-- ${HOME} -->\r\nWarm? {{ question }}\r\n{{ candidate_answer }} {{ criteria }}\r\n"
OLDER = """\
testcases:
  - id: greet
    input: Hi
    outcome: Says hello
    evaluators:
      - {name: tone, type: llm_judge, prompt: tone.md}
"""
TODAY = OLDER.replace("testcases", "evalcases").replace("outcome", "expected_outcome")
ERA = "AgentV's format of 2025-11-15 (`outcome`, `testcases`)"
SENT = TODAY.replace("evalcases", "prompt: {file: tone.md}\nevalcases")


def _migrate(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return suitecase("migrate", *arguments, cwd=folder)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "suitecase.toml").touch()
    (tmp_path / "tone.md").write_bytes(BEFORE.encode())
    (tmp_path / "a.eval.yaml").write_text(OLDER, "utf-8")
    (tmp_path / "b.eval.yaml").write_text(OLDER, "utf-8")
    return tmp_path


def test_a_prompt_file_is_rewritten_once_with_the_suites_that_name_it(folder: Path) -> None:
    checked = _migrate(folder, "--check", ".")
    assert (checked.returncode, checked.stdout.splitlines()[-1]) == (
        1,
        "tone.md: would be migrated, 2 changes",
    )
    shown = _migrate(folder, "--diff", ".")
    assert "+Warm? {{ question }}" in shown.stdout
    assert (folder / "tone.md").read_bytes() == BEFORE.encode()
    done = _migrate(folder, ".")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1] == "tone.md: migrated, 2 changes"
    assert (folder / "tone.md").read_bytes() == AFTER.encode()
    again = _migrate(folder, "--check", ".")
    assert (again.returncode, again.stdout.count("tone.md")) == (0, 0)


@pytest.mark.parametrize(
    ("other", "why"),
    [
        (OLDER, "b.eval.yaml names it too and is not migrated"),
        (SENT, "b.eval.yaml sends it as it stands"),
        (TODAY, None),
    ],
)
def test_a_prompt_file_is_left_alone_where_another_suite_would_change(
    folder: Path, other: str, why: str | None
) -> None:
    (folder / "b.eval.yaml").write_text(other, "utf-8")
    done = _migrate(folder, "a.eval.yaml")
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        f"a.eval.yaml: migrated from {ERA}, 2 changes",
        f"tone.md: left as it is, since {why}" if why else "tone.md: migrated, 2 changes",
    ]
    assert (folder / "tone.md").read_bytes() == (BEFORE if why else AFTER).encode()
    assert (folder / "b.eval.yaml").read_text("utf-8") == other
