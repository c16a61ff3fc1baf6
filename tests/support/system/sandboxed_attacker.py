"""A program of an attacker in the sandbox, started by root and by a user without rights."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

_EVALUATORS = Path(__file__).parents[3] / "evaluators"
#: The user that has no rights on most systems.
NOBODY = 65534
#: Starts a program in the sandbox for each line that names a level and a folder, and prints the level that it ran
#: with and what it printed.
_STARTER = """
import asyncio, json, sys
from pathlib import Path
from suitecase_evaluators.targets.program import run_program
from suitecase_evaluators.targets.sandbox.confinement import Sandbox
from suitecase_evaluators.answers.sandbox_level import Level

for line in sys.stdin:
    level, folder = json.loads(line)
    level, folder = Level(level), Path(folder)
    confinement = Sandbox(scripts=level).script(None, folder=folder, cwd=folder)
    program = [sys.executable, "-I", str(folder / "attack.py")]
    ended = asyncio.run(
        run_program(program, stdin="", cwd=folder, timeout_seconds=60, confinement=confinement)
    )
    print(json.dumps([ended.level, ended.exit_code, ended.stdout, ended.stderr, ended.exceeded]), flush=True)
"""


@cache
def python_of_everyone() -> str | None:
    """Return a Python that every user can execute, and that runs our code; None if there is none."""
    names = ("python3", *(f"python3.{it}" for it in range(20, 10, -1)))
    for name in (
        sys.executable,
        *(shutil.which(it, path="/usr/local/bin:/usr/bin") for it in names),
    ):
        if name is not None and _works(name):
            return name
    return None


def _works(python: str) -> bool:
    code = f"import sys; sys.path.insert(0, {str(_EVALUATORS)!r}); import suitecase_evaluators.targets.program"
    try:
        done = subprocess.run(
            [python, "-I", "-c", code], user=NOBODY, group=NOBODY, extra_groups=(),
            capture_output=True, check=False, cwd="/",
        )  # fmt: skip
    except OSError:
        return False
    return done.returncode == 0


@dataclass
class Attacker:
    """Somebody who can write a script of a suite.

    Attributes:
        folder: the workspace, which belongs to the user who runs the suite.
        starter: the process of that user, which starts a new sandbox for each program.
    """

    folder: Path
    starter: subprocess.Popen[str]

    def run(self, text: str, level: str = "isolated") -> Any:
        """Return what a program prints as JSON, in the sandbox."""
        (self.folder / "attack.py").write_text(text)
        assert self.starter.stdin
        assert self.starter.stdout
        self.starter.stdin.write(json.dumps([level, str(self.folder)]) + "\n")
        self.starter.stdin.flush()
        line = self.starter.stdout.readline()
        assert line, f"what starts programs ended with {self.starter.wait(10)}"
        reached, code, out, err, exceeded = json.loads(line)
        assert reached == level, err
        assert (code, exceeded) == (0, None), (exceeded, err)
        return json.loads(out)


@pytest.fixture(scope="module", params=["root", "user"])
def starter(request: pytest.FixtureRequest) -> Iterator[tuple[int | None, subprocess.Popen[str]]]:
    """A process of root, and one of a user, that starts programs in the sandbox; and the user if it is another one."""
    is_root = os.getuid() == 0
    user, python = None, sys.executable
    if request.param == "root" and not is_root:
        pytest.skip("the tests are not run by root")
    if request.param == "user" and is_root:
        user, found = NOBODY, python_of_everyone()
        if found is None:
            pytest.skip("there is no Python here that another user can execute")
        python = found
    rights: dict[str, Any] = {}
    if user is not None:
        rights = {"user": user, "group": user, "extra_groups": ()}
    with subprocess.Popen(
        [python, "-c", _STARTER],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(_EVALUATORS), "HOME": "/nonexistent"},
        cwd="/",
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        **rights,
    ) as process:
        yield user, process
        assert process.stdin
        process.stdin.close()
    assert process.returncode == 0


@pytest.fixture
def attacker(starter: tuple[int | None, subprocess.Popen[str]]) -> Iterator[Attacker]:
    """An attacker whose suite is run by root, and one whose suite a user runs."""
    user, process = starter
    folder = Path(tempfile.mkdtemp(prefix="attack-"))
    if user is not None:
        os.chown(folder, user, user)
    yield Attacker(folder, process)
    shutil.rmtree(folder)
