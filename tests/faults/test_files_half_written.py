"""What a killed process leaves beside a file is removed by whoever writes to that file next."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

import pytest

from suitecase.text.writing.staged_file import StagedFile
from support.running.processes import CALL, execute, suitecase
from support.running.site import Site, lines_of
from support.system.refused_calls import filters_only, refusing

SUITE = "a.eval.yaml"
#: In an older format, which `check --fix` corrects.
CASE = "- {id: one, outcome: x, input: x}\n"


def killed_at_the_rename(site: Site, *arguments: str) -> None:
    """Run a command that is killed, or its worker, when it puts a file in the place of another."""
    killed = execute(refusing("rename") + CALL, *arguments, cwd=site.root)
    assert killed.returncode == -signal.SIGSYS or "(SIGSYS)" in killed.stderr


def fix(site: Site, name: str = SUITE) -> None:
    suitecase("check", "--fix", name, cwd=site.root)


def left_beside(site: Site, name: str) -> list[Path]:
    return list(site.root.glob(f".{name[:50]}*"))


@filters_only
def test_by_fixes(site: Site) -> None:
    path = site.suite(CASE)
    before = path.read_text()
    killed_at_the_rename(site, "check", "--fix", SUITE)
    assert path.read_text() == before
    assert len(left_beside(site, SUITE)) == 1
    fix(site)
    assert "expected_outcome" in path.read_text()
    assert left_beside(site, SUITE) == []


@filters_only
def test_by_runs_that_resume(site: Site) -> None:
    site.suite(
        "- {id: one, expected_outcome: x, input: x, evaluators: [{name: it, type: contains, value: x}]}\n",
        head="execution: {target: mock}",
    )
    results = site.root / "results.jsonl"
    assert site.run(SUITE, "--output", results.name).code in (0, 1)
    (record,) = lines_of(results)
    results.write_text(f"{json.dumps(record)}\n" * 2)
    before = results.read_text()
    killed_at_the_rename(site, "run", SUITE, "--resume", results.name)
    assert results.read_text() == before
    assert len(left_beside(site, results.name)) == 1
    assert site.run(SUITE, "--resume", results.name).code in (0, 1)
    assert lines_of(results) == [record]
    assert left_beside(site, results.name) == []


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such locks")
def test_what_a_living_process_writes_stays(site: Site) -> None:
    path = site.suite(CASE)
    living = StagedFile.make(path)
    living.file.write(b"whole")
    fix(site)
    assert "expected_outcome" in path.read_text()
    assert left_beside(site, SUITE) == [living.path]
    living.take_place()
    living.discard()
    assert path.read_text() == "whole"


@pytest.mark.skipif(sys.platform == "win32", reason="named pipes")
def test_files_of_others_stay(site: Site) -> None:
    path = site.suite(CASE)
    mine = site.write("mine", "mine")
    link = site.root / f".{SUITE}.0000abcd.suitecase-tmp"
    link.symlink_to(mine)
    pipe = site.root / f".{SUITE}.0000abce.suitecase-tmp"
    os.mkfifo(pipe)
    others = {site.write(f".{SUITE}.{it}", "x") for it in ("backup01.tmp", "swp", "suitecase-tmp")}
    fix(site)
    assert "expected_outcome" in path.read_text()
    assert set(left_beside(site, SUITE)) == {link, pipe, *others}
    assert mine.read_text() == "mine"


def test_a_name_that_leaves_no_room_for_another_beside_it_is_written(site: Site) -> None:
    name = f"{'ü' * 120}.eval.yaml"
    path = site.suite(CASE, name=name)
    fix(site, name)
    assert "expected_outcome" in path.read_text()
    assert left_beside(site, name) == []
