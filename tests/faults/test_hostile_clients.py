"""A client of the language server that leaves in the middle of a run leaves nothing behind."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest

from support.lsp.hostile_clients import PARTINGS, Visit, graded
from support.running.site import Site
from support.system.processes_left import MARK, needs_proc, processes, wait_until_gone

CASES = 40
#: How clients over TCP leave; the others leave by standard input.
TCP = ("garbage", "odd", "kill")


@pytest.fixture
def suite(site: Site) -> Path:
    """A suite that takes a while, and whose programs write to temporary files."""
    command = "sleep .3; echo answer > {OUTPUT_FILE}"
    target = {"name": "program", "provider": "cli", "command_template": command, "workers": 1}
    site.write("targets.yaml", json.dumps({"targets": [target]}))
    grading = "evaluators: [{name: it, type: contains, value: answer}]"
    return site.suite(
        "".join(
            f"- {{id: case-{n}, expected_outcome: answers, input: x, {grading}}}\n"
            for n in range(CASES)
        ),
        head="execution: {target: program}",
    )


@needs_proc
@pytest.mark.parametrize("parting", PARTINGS)
def test_who_leaves_in_the_middle_of_a_run(site: Site, suite: Path, parting: str) -> None:
    tcp = parting in TCP
    temporary = site.root / "temporary"
    temporary.mkdir()
    mark = f"{os.getpid()}-{parting}-{tcp}"
    environ = {MARK: mark, "TMPDIR": str(temporary)}
    try:
        assert Visit(tcp=tcp, parting=parting).pay(suite, environ) is None
        assert graded(suite), "the client has left before anything was run"
        wait_until_gone(mark)
    finally:
        for it in processes(mark):
            os.kill(it, signal.SIGKILL)
    records = (site.root / ".suitecase" / "editor").glob("*.jsonl")
    assert sum(len(it.read_text().splitlines()) for it in records) < CASES
    # What was left by a kill goes with the next run.
    site.suite("- {id: one, expected_outcome: x, input: x}", name="next.eval.yaml")
    site.run(
        "next.eval.yaml", "--target", "program", "--no-results", env={"TMPDIR": str(temporary)}
    )
    assert list(temporary.iterdir()) == []
