"""The parts of the extension that need no editor, by their own tests in TypeScript."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from support.editors.vscode import PROJECT, needs_vscode

pytestmark = needs_vscode

TESTS = sorted((PROJECT / "editors" / "vscode" / "test").glob("*.test.ts"))


def test_paths_are_those_of_each_system() -> None:
    node = Path(os.environ["SUITECASE_NODE"])
    done = subprocess.run(
        [node, "--test", *TESTS], capture_output=True, text=True, check=False, timeout=60
    )

    assert TESTS
    assert done.returncode == 0, done.stdout
