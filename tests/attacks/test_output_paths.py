"""What a run writes never takes the place of what it reads, and a results file decides no costs."""

from __future__ import annotations

import json
import os
import sys

import pytest

from support.running.processes import suitecase
from support.running.site import Site, lines_of

CASE = (
    "- {id: one, expected_outcome: x, input: x, evaluators: [{name: h, type: contains, value: x}]}"
)
TARGETS = "targets: [{name: m, provider: mock}]\n"


def suite(site: Site) -> None:
    site.write("targets.yaml", TARGETS)
    site.write("suitecase.yaml", "{}\n")
    site.write("cases.jsonl", '{"id": "one", "expected_outcome": "x", "input": "x"}\n')
    site.suite(CASE, head="execution: {target: m}")


@pytest.mark.parametrize("name", ["a.eval.yaml", "targets.yaml", "cases.jsonl", "./targets.yaml"])
def test_results_are_not_written_to_what_holds_something_else(site: Site, name: str) -> None:
    suite(site)
    before = (site.root / name).read_bytes()
    for more in ((), ("--dry-run",)):
        ran = site.run("a.eval.yaml", "--output", name, *more)
        assert ran.code == 2
        assert "results cannot be written to" in ran.err
    assert (site.root / name).read_bytes() == before


def test_results_are_not_written_to_what_is_replayed(site: Site) -> None:
    suite(site)
    assert site.run("a.eval.yaml", "--output", "r.jsonl").code == 0
    before = (site.root / "r.jsonl").read_bytes()
    os.link(site.root / "r.jsonl", site.root / "same.jsonl")
    ran = site.run("a.eval.yaml", "--replay", "r.jsonl", "--output", "same.jsonl")
    assert ran.code == 2
    assert "it is an input of the run" in ran.err
    assert (site.root / "r.jsonl").read_bytes() == before


@pytest.mark.skipif(sys.platform == "win32", reason="named pipes")
def test_a_named_pipe_is_refused_instead_of_waited_for(site: Site) -> None:
    suite(site)
    os.mkfifo(site.root / "pipe")
    ran = site.run("a.eval.yaml", "--output", "pipe")
    assert ran.code == 2
    assert "it is not a regular file" in ran.err


def test_results_are_appended_to_results(site: Site) -> None:
    suite(site)
    site.write("r.jsonl", "")
    assert [site.run("a.eval.yaml", "--output", "r.jsonl").code for _ in range(2)] == [0, 0]
    assert len(lines_of(site.root / "r.jsonl")) == 2


def test_pages_take_the_place_of_pages_alone(site: Site) -> None:
    suite(site)
    site.run("a.eval.yaml", "--output", "r.jsonl")
    before = (site.root / "a.eval.yaml").read_bytes()
    for command in (["report", "r.jsonl"], ["compare", "r.jsonl", "r.jsonl"]):
        for output, code in (("a.eval.yaml", 2), ("page.html", 0), ("page.html", 0)):
            ran = suitecase(*command, "--output", output, cwd=site.root)
            assert ran.returncode == code, ran.stderr
    assert (site.root / "a.eval.yaml").read_bytes() == before


def test_a_results_file_does_not_decide_how_much_is_asked(site: Site) -> None:
    suite(site)
    site.run("a.eval.yaml", "--output", "r.jsonl")
    (record,) = lines_of(site.root / "r.jsonl")
    (site.root / "r.jsonl").write_text(json.dumps({**record, "repeats": 100_000}) + "\n")
    for option in (("--resume", "r.jsonl"), ("--replay", "r.jsonl")):
        ran = site.run("a.eval.yaml", *option)
        assert ran.code == 2
        assert "100,000 times" in ran.err
        assert "--repeat 100000" in ran.err
    assert site.run("a.eval.yaml", "--resume", "r.jsonl", "--repeat", "2").code == 0
    assert site.run("a.eval.yaml", "--failed", "--output", "r.jsonl").code != 4


def test_what_lies_beside_a_new_file_does_not_matter(site: Site) -> None:
    """A place is tried under its own name: another one may be taken."""
    site.write("r.jsonl", '{"eval_id": "a", "candidate_answer": "hi", "score": 1.0}\n')
    (site.root / "x").mkdir()
    done = suitecase("report", "r.jsonl", "--output", "page.html", cwd=site.root)
    assert done.returncode == 0, done.stderr
    assert (site.root / "page.html").is_file()
