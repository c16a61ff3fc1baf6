"""What the sessions in terminal editors share: the workspace, the program, whether there is an editor.

A session is a script that a real editor carries out. It says `ok` or `FAIL` for each step, and ends
with 1 if one failed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
#: The program of the environment that the tests run in.
SUITECASE = Path(sys.executable).with_name("suitecase")
#: An overlap with a fix behind characters of several bytes, two older spellings, a case that is
#: answered after ten minutes.
SUITE = """\
evalcases:
  - id: greet
    input: Hello there
    outcome: Says hello
    rubrics:
      - id: hello
        description: says hello
      - id: zebra
        score_ranges:
          - {expected_outcome: "😀 é says nothing of zebras", score_range: [0, 5]}
          - {expected_outcome: "😀 é describes zebras", score_range: [5, 10]}
  - id: patience
    input: Take your time
    expected_outcome: Says so
    execution:
      target: slow
      evaluators:
        - name: asked
          type: llm_judge
          prompt: Does {{ candidate_answer }} answer {{ question }}?
execution:
  target: mock
"""
#: A session takes a few seconds on a machine that does nothing else.
LONGEST_SECONDS = 240
TARGETS = """\
targets:
  - {name: slow, provider: mock, response: Hello, delay_ms: 600000}
"""


def editor(program: str, how: str, *, works: bool = True) -> str:
    """Return the path of an editor; skip the test, or fail where editors are required.

    Args:
        program: its name on the path.
        how: how it is installed.
        works: whether what it needs beside itself is there.
    """
    found = shutil.which(program)
    if found is None or not works:
        reason = f"needs {program}: {how}"
        if os.environ.get("SUITECASE_EDITORS_REQUIRED") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    return found


@dataclass(frozen=True, slots=True)
class Workspace:
    """A home without any configuration, and a repository with one suite.

    Attributes:
        home: the home directory.
        suite: the suite.
    """

    home: Path
    suite: Path

    @classmethod
    def of(cls, folder: Path) -> Workspace:
        """Write one into a folder."""
        home, root = folder / "home", folder / "workspace"
        (root / ".git").mkdir(parents=True)
        home.mkdir()
        (root / "targets.yaml").write_text(TARGETS)
        (root / "greet.eval.yaml").write_text(SUITE)
        return cls(home, root / "greet.eval.yaml")

    def environment(
        self, server: Path = SUITECASE, *, patience: float = 30, **more: str
    ) -> Mapping[str, str]:
        """Return the environment of an editor that has `server` on its path as `suitecase`.

        Args:
            server: the program.
            patience: how many seconds a session waits for what should be seen.
            more: further variables.
        """
        programs = self.home / "bin"
        programs.mkdir(exist_ok=True)
        (programs / "suitecase").symlink_to(server)
        kept = {it: os.environ[it] for it in ("LANG", "LC_ALL", "TMPDIR") if it in os.environ}
        return {
            "LANG": "C.UTF-8",
            **kept,
            "HOME": str(self.home),
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "TERM": "dumb",
            "SUITECASE_SUITE": str(self.suite),
            "SUITECASE_PATIENCE": str(patience),
            **more,
        }


def carried_out(command: list[str], environment: Mapping[str, str]) -> tuple[int, str]:
    """Have an editor carry out a session, and return its exit code and what it said."""
    try:
        done = subprocess.run(
            command,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            # Apart from each other: what is buffered differently would cut into lines of the other.
            capture_output=True,
            # A screenless Emacs is killed by a server that is gone before it has said its last
            # word to it; one with a screen ignores that, as it does here.
            restore_signals=False,
            timeout=LONGEST_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as late:
        said = _both(late.stderr, late.stdout)
        raise AssertionError(f"{command[0]} was still at it, and had said:\n{said}") from None
    return done.returncode, _both(done.stderr, done.stdout)


def _both(*streams: bytes | None) -> str:
    return "\n".join((it or b"").decode(errors="replace") for it in streams)


def failed_steps(said: str) -> list[str]:
    """Return the steps of a session that failed, without what was seen instead."""
    lines = (it.removeprefix("FAIL ") for it in said.splitlines() if it.startswith("FAIL "))
    return [it.partition(":")[0] for it in lines]


def written_on(page: Path, language: str) -> list[str]:
    """Return the blocks of code that somebody takes from a page."""
    blocks = page.read_text().split(f"```{language}\n")[1:]
    return [block.partition("```")[0].replace("/path/to/suitecase", str(ROOT)) for block in blocks]
