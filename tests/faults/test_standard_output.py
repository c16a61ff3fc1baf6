"""Standard output that takes nothing is no bug, and never a success that nobody can see."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from support.running.forked import ForkedCommand
from support.running.processes import COMMAND_LINE
from support.running.site import Site

FULL = Path("/dev/full")


@pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("form", ["text", "json"])
def test_that_is_full(site: Site, form: str) -> None:
    site.suite("- {id: one, expected_outcome: x, input: x}", "execution: {target: mock}")
    with FULL.open("wb") as full:
        command = ("run", "a.eval.yaml", "--format", form)
        with ForkedCommand(*command, cwd=site.root, stdout=full) as run:
            _, said = run.communicate(timeout=60)
    assert run.returncode == 3
    assert "standard output cannot be written: No space left on device" in said
    assert "bug" not in said


@pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX systems")
@pytest.mark.parametrize("command", ["check .", "list", "explain"])
def test_that_may_not_grow(site: Site, command: str) -> None:
    site.suite("- {id: one, expected_outcome: x, input: x}", "execution: {target: mock}")
    shell = f"ulimit -f 0; exec {' '.join(COMMAND_LINE)} {command} > printed"
    ran = subprocess.run(
        shell, shell=True, cwd=site.root, stderr=subprocess.PIPE, check=False, timeout=60
    )
    assert (ran.returncode, ran.stderr.decode().strip()) == (
        3,
        "standard output cannot be written: File too large",
    )


def test_that_is_closed(site: Site) -> None:
    site.suite("- {id: one, expected_outcome: x, input: x}", "execution: {target: mock}")
    command = " ".join([*COMMAND_LINE, "run", "a.eval.yaml", ">&-"])
    ran = subprocess.run(
        command, shell=True, cwd=site.root, stderr=subprocess.PIPE, check=False, timeout=60
    )
    assert (ran.returncode, b"bug" in ran.stderr) == (0, False), ran.stderr


@pytest.mark.parametrize("form", ["text", "jsonl", "json", "junit"])
def test_whose_reader_leaves_ends_no_run(site: Site, form: str) -> None:
    cases = "".join(f"- {{id: c{number}, expected_outcome: x, input: x}}\n" for number in range(12))
    site.write(
        "targets.yaml",
        "targets: [{name: bot, provider: cli, command: \"sh -c 'sleep 0.1; echo x'\"}]",
    )
    grading = "  evaluators: [{name: e, type: contains, value: y}]"
    site.suite(cases, f"execution:\n  target: bot\n{grading}")
    command = ("run", "a.eval.yaml", "--format", form, "--output", "r.jsonl")
    with ForkedCommand(*command, cwd=site.root) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        if form in ("text", "jsonl"):
            assert run.stdout.readline()
        run.stdout.close()
        said = run.stderr.read()
        code = run.wait(60)
    assert len((site.root / "r.jsonl").read_text("utf-8").splitlines()) == 12
    # That of the run, in which all cases fail.
    assert code == 1, said
    assert "its results are in r.jsonl" in said


@pytest.mark.parametrize("command", [["explain"], ["check", "."], ["list"]])
def test_whose_reader_leaves_changes_no_exit_code(site: Site, command: list[str]) -> None:
    site.suite("- {id: one, expected_outcome: x, input: x}", "execution: {target: mock}")
    with ForkedCommand(*command, cwd=site.root) as ended:
        assert ended.stdout is not None
        assert ended.stderr is not None
        ended.stdout.close()
        said = ended.stderr.read()
    assert (ended.returncode, said) == (0, "")
