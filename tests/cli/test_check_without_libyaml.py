"""PyYAML without libyaml is reported in a sentence, not as a bug."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize("command", ["check", "lsp"])
def test_what_is_missing_is_said_with_how_to_get_it(command: str) -> None:
    program = (
        "import sys; sys.modules['yaml._yaml'] = None; sys.argv = ['suitecase', sys.argv[1]]\n"
        "from suitecase.cli import main\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, command],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == 3
    assert "needs PyYAML built with libyaml" in done.stderr
    assert "pip install" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
