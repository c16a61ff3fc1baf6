"""A results file says how many answers its run was to have, so that one that was stopped is known."""

from __future__ import annotations

import pytest

from suitecase.report.history import past_runs
from support.running.site import Site, lines_of

CASES = """
- {id: steady, expected_outcome: x, input: x, evaluators: [{name: e, type: contains, value: x}]}
- {id: changes, expected_outcome: x, input: x, evaluators: [{name: e, type: contains, value: x}]}
- {id: late, expected_outcome: x, input: x, evaluators: [{name: e, type: contains, value: x}]}
"""


@pytest.fixture
def failing(site: Site) -> Site:
    """A suite whose target answers nothing, until it is replaced by one that does."""
    command = site.program("agent.py", "raise SystemExit('out of order')")
    site.write("targets.yaml", f"targets: [{{name: agent, provider: cli, command: {command}}}]")
    site.suite(CASES, "execution: {target: agent}")
    return site


def test_each_record_has_the_answers_of_its_whole_run(site: Site) -> None:
    site.suite(CASES)
    assert site.run("a.eval.yaml", "--repeat", "2", "--target", "mock").code == 0
    (run,) = past_runs(site.root)
    assert {it["planned"] for it in lines_of(run.path)} == {6}
    assert (run.answers, run.planned, run.unfinished) == (6, 6, False)


def test_a_run_of_one_case_is_whole(site: Site) -> None:
    site.suite(CASES)
    assert site.run("a.eval.yaml::late", "--target", "mock").code == 0
    (run,) = past_runs(site.root)
    assert (run.answers, run.planned, run.unfinished) == (1, 1, False)


def test_a_run_that_stopped_early_is_unfinished_until_it_is_resumed(failing: Site) -> None:
    ran = failing.run("a.eval.yaml", "--max-errors", "1", "--concurrency", "1")
    assert ran.code == 3, ran.err
    (run,) = past_runs(failing.root)
    assert (run.answers, run.planned, run.missing, run.unfinished) == (1, 3, 2, True)
    failing.program("agent.py", "print('x')")
    ran = failing.run("a.eval.yaml", "--resume", str(run.path))
    assert ran.code == 0, ran.err
    (run,) = past_runs(failing.root)
    assert (run.answers, run.passed, run.planned, run.unfinished) == (3, 3, 3, False)
