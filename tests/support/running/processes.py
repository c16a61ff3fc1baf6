"""`suitecase` as a user calls it, and suites to call it on.

It runs in the test's process. A test with the mark `process` needs one that ends, and all tests have one by
`--as-processes all`: it is forked, and started where it has other variables for Python. Tests of streams that are
closed or full, of signals, and of what is imported start `COMMAND_LINE` themselves.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from support.running.forked import STARTED_WITH, can_fork, run_forked, starts_alike
from support.running.process_choice import in_process

SOUND = """\
execution: {target: mock}
evalcases:
  - id: greet
    input: Hi
    expected_outcome: Says hello
"""
#: A warning (SC602) with a safe fix at line 5.
LEGACY = SOUND.replace("expected_outcome", "outcome")
#: An error (SC101) with an unsafe fix at line 6.
MISSPELLED = SOUND + "    rubics: [Says hello]\n"
#: An error (SC113) at line 6 that can be graded all the same, and so be silenced.
SILENT = SOUND + "    expected_messages: [{role: assistant}]\n"


COMMAND_LINE = (sys.executable, "-m", "suitecase")


def suitecase(
    *arguments: str | Path,
    cwd: Path | None = None,
    stdin: str | bytes = b"",
    env: Mapping[str, str] | None = None,
    constants: Mapping[str, Any] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run the command line to its end; `env` is added to the environment of the test.

    `constants` of modules have other values meanwhile, such as `suitecase.text.time_limits.LIMIT`; a process that
    has to be started does not have them.
    """
    variables = {**os.environ, "PYTHONUTF8": "1", **(env or {})}
    words = [*map(str, arguments)]
    given = stdin.encode() if isinstance(stdin, str) else stdin
    # Modules of this process are those of its own path.
    has_own_path = variables.get("PYTHONPATH") != STARTED_WITH.get("PYTHONPATH")
    if in_process() and not has_own_path and starts_alike(variables):
        from support.running.in_process import run_in_process

        with pytest.MonkeyPatch.context() as patch:
            for constant, value in (constants or {}).items():
                patch.setattr(constant, value)
            done = run_in_process(words, cwd or Path.cwd(), variables, given)
    elif can_fork(variables):
        done = run_forked(words, cwd or Path.cwd(), variables, given, constants)
    else:
        done = subprocess.run(
            [*COMMAND_LINE, *words],
            cwd=cwd,
            capture_output=True,
            input=given,
            timeout=120,
            check=False,
            env=variables,
        )
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )


#: How a script ends that does something first and calls the command line then.
CALL = "from suitecase.cli import main\nmain()\n"


def execute(script: str, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Execute a program in Python to its end, in a process that has imported everything; see `forked`."""
    variables = {**os.environ, "PYTHONUTF8": "1"}
    if can_fork(variables):
        done = run_forked(arguments, cwd, variables, b"", script=script)
    else:
        command = [sys.executable, "-c", script, *arguments]
        done = subprocess.run(
            command, cwd=cwd, capture_output=True, timeout=120, check=False, env=variables
        )
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )


def write(folder: Path, name: str, text: str) -> Path:
    """Write a file, and the folders it lies in, with its line breaks as they are."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8"))
    return path


def found(*arguments: str | Path, cwd: Path) -> list[tuple[str, int, str, str]]:
    """Check, and return what is found: file, line, code and severity."""
    report = report_of(*arguments, cwd=cwd)
    return [(it["file"], it["line"], it["code"], it["severity"]) for it in report["findings"]]


def report_of(*arguments: str | Path, cwd: Path) -> Any:
    """Check, and return what is printed as JSON."""
    done = suitecase("check", *arguments, "--format", "json", cwd=cwd)
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout)
