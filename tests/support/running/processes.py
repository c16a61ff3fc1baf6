"""`suitecase` as a user starts it, and suites to start it on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

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


def suitecase(
    *arguments: str | Path, cwd: Path, stdin: str | bytes | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the command line to its end."""
    done = subprocess.run(
        [sys.executable, "-m", "suitecase", *map(str, arguments)],
        cwd=cwd,
        capture_output=True,
        input=stdin.encode() if isinstance(stdin, str) else stdin,
        timeout=120,
        check=False,
        env={**os.environ, "PYTHONUTF8": "1"},
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
