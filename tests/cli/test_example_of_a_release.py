"""The commands in the README of the example of a release, from the first run to the published bundle."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from suitecase.derived import ROOT
from support.running.processes import suitecase

EXAMPLE = ROOT / "examples" / "release"
#: The commands that do not end with 0: without labels and a calibration, gates are undecided.
CODES = {"suitecase run support.eval.yaml --output runs/first.jsonl": 3}


def commands() -> list[str]:
    """Return the command lines of the README but for the copy that they work in."""
    readme = (EXAMPLE / "README.md").read_text("utf-8")
    blocks = re.findall(r"^ *```\n(.*?)```", readme, re.MULTILINE | re.DOTALL)
    lines = [it.strip() for block in blocks for it in block.splitlines() if it.strip()]
    assert lines[0].startswith("cp ")
    return lines[1:]


def test_the_commands_of_the_readme_go_from_a_run_to_a_published_bundle(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLE, tmp_path, dirs_exist_ok=True)

    printed = ""
    for line in commands():
        program, *arguments = shlex.split(line)
        if program == "suitecase":
            ran = suitecase(*arguments, cwd=tmp_path)
        else:
            ran = subprocess.run(
                [sys.executable, *arguments],
                cwd=tmp_path,
                text=True,
                capture_output=True,
                check=False,
            )
        assert ran.returncode == CODES.get(line, 0), (line, ran.stdout, ran.stderr)
        printed = ran.stdout

    assert "(support 2026.2" in printed
    pages = {it.name for it in (tmp_path / "support-2026.2").iterdir()}
    assert {"index.html", "safety.html", "appendix.html", "results.jsonl", "NOTICE"} <= pages
