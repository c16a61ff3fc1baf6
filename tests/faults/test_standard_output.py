"""Standard output that takes nothing is no bug, and never a success that nobody can see."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from support.running.processes import COMMAND_LINE
from support.running.site import Site

FULL = Path("/dev/full")


@pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("form", ["text", "json"])
def test_that_is_full(site: Site, form: str) -> None:
    site.suite("- {id: one, expected_outcome: x, input: x}", "execution: {target: mock}")
    with FULL.open("wb") as full:
        ran = subprocess.run(
            [*COMMAND_LINE, "run", "a.eval.yaml", "--format", form],
            cwd=site.root,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            timeout=60,
        )
    assert ran.returncode == 3
    assert b"standard output cannot be written: No space left on device" in ran.stderr
    assert b"bug" not in ran.stderr


def test_that_is_closed(site: Site) -> None:
    site.suite("- {id: one, expected_outcome: x, input: x}", "execution: {target: mock}")
    command = " ".join([*COMMAND_LINE, "run", "a.eval.yaml", ">&-"])
    ran = subprocess.run(
        command, shell=True, cwd=site.root, stderr=subprocess.PIPE, check=False, timeout=60
    )
    assert (ran.returncode, b"bug" in ran.stderr) == (0, False), ran.stderr
