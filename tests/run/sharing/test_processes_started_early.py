"""With `--workers`, processes start while a long suite is planned, and end with the run in any case."""

from __future__ import annotations

from suitecase.run.sharing.chosen import LONG_SUITE
from support.running.shared_runs import GRADER, shared_run
from support.running.site import Site
from support.system.processes_left import needs_proc

pytestmark = needs_proc

CASE = "  - {id: case-%d, expected_outcome: x, input: %s, evaluators: [{name: e, type: equals, value: x}]}\n"


def long_suite(site: Site, *, rest: str = "") -> int:
    """Write a long suite whose target is a mock; returns the number of its cases."""
    text = "a long question " * 100
    cases = LONG_SUITE // len(text) + 1
    site.write("targets.yaml", "targets: [{name: plain, provider: mock, response: x}]\n")
    listed = "".join(CASE % (it, text) for it in range(cases))
    site.write("a.eval.yaml", f"execution: {{target: plain}}\nevalcases:\n{listed}{rest}")
    return cases


def test_they_grade_what_was_planned(site: Site) -> None:
    cases = long_suite(site)
    with shared_run(site, "a.eval.yaml", "--workers", "2") as run:
        ran = run.ended()
    assert f"{cases} rehearsed" in ran.out, ran.err


def test_they_end_with_a_run_that_is_refused(site: Site) -> None:
    long_suite(site, rest="  - {id: case-0, expected_outcome: x, input: y}\n")
    with shared_run(site, "a.eval.yaml", "--workers", "2") as run:
        ran = run.ended()
    assert ran.code == 2
    assert "case-0" in ran.err
    assert run.started(GRADER) == 2
