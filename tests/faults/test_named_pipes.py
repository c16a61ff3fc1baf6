"""A named pipe where a file is expected holds up nobody: a reader would wait for a writer for ever."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from suitecase.figures.figures_file import read_figures
from suitecase.lsp.editor_results import EDITOR_FOLDER, file_name, last_records
from support.running.site import Ran, Site, lines_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="named pipes")

CASE = (
    "- {id: one, expected_outcome: x, input: x, evaluators: [{name: it, type: contains, value: x}]}"
)
SUITE = "a.eval.yaml"
FOLDER = Path(".suitecase", "results")


def run_with(site: Site, command: str) -> Ran:
    target = {"name": "agent", "provider": "cli", "command_template": command}
    site.write("targets.yaml", json.dumps({"targets": [target]}))
    site.suite(CASE, head="execution: {target: agent}")
    return site.run(SUITE, "--output", "r.jsonl")


def test_as_the_output_of_a_program(site: Site) -> None:
    ran = run_with(site, "mkfifo {OUTPUT_FILE}")
    assert ran.code == 3
    (record,) = lines_of(site.root / "r.jsonl")
    assert "{OUTPUT_FILE} (it is not a regular file)" in record["error"]


def test_a_link_as_the_output_of_a_program_is_not_followed(site: Site) -> None:
    private = site.write("private", "x marks the spot")
    ran = run_with(site, f"ln -s {private} {{OUTPUT_FILE}}")
    assert ran.code == 3
    (record,) = lines_of(site.root / "r.jsonl")
    assert "{OUTPUT_FILE} (it is a link)" in record["error"]
    assert "marks the spot" not in (site.root / "r.jsonl").read_text()


@pytest.mark.parametrize("option", ["--resume", "--failed"])
def test_among_results(site: Site, option: str) -> None:
    site.suite(CASE, head="execution: {target: mock}")
    assert site.run(SUITE).code == 0
    os.mkfifo(site.root / FOLDER / "z.jsonl")
    ran = site.run(SUITE, option)
    assert ran.code in (0, 2), ran.err
    shown = last_records(site.root, SUITE)
    assert [it.record.eval_id for it in shown] == ["one"]


@pytest.mark.parametrize("option", ["--resume", "--replay"])
def test_as_results_that_are_named(site: Site, option: str) -> None:
    site.suite(CASE, head="execution: {target: mock}")
    os.mkfifo(site.root / "pipe.jsonl")
    ran = site.run(SUITE, f"{option}=pipe.jsonl")
    assert ran.code in (2, 3)
    assert "pipe.jsonl" in ran.err
    assert "Traceback" not in ran.err


def test_as_the_results_file_of_a_run(site: Site) -> None:
    site.suite(CASE, head="execution: {target: mock}")
    os.mkfifo(site.root / "pipe.jsonl")
    ran = site.run(SUITE, "--output", "pipe.jsonl")
    assert ran.code == 2
    assert "it is not a regular file" in ran.err


def test_as_results_of_an_editor_or_as_figures(site: Site) -> None:
    folder = site.root / EDITOR_FOLDER
    folder.mkdir(parents=True)
    os.mkfifo(folder / f"{file_name(SUITE)}.jsonl")
    assert last_records(site.root, SUITE) == []
    os.mkfifo(site.root / "r.figures.jsonl")
    assert read_figures(site.root / "r.jsonl") is None
