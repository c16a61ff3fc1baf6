"""Command lines of targets where there is no shell, as on Windows."""

from __future__ import annotations

from support.running.site import Site
from support.suites.counted_agent import CountedAgent

SAYS_X = "evaluators: [{name: e, type: contains, value: x}]"


def test_the_run_ends_before_a_program_is_started(site: Site) -> None:
    site.suite(
        f"\n- {{id: one, expected_outcome: x, input: x, {SAYS_X}}}\n", "execution: {target: agent}"
    )
    agent = CountedAgent(site)
    ran = site.run("a.eval.yaml", env={"PATH": str(site.root)})
    assert ran.code == 3
    assert "target `agent`: command lines are run by `sh`, and there is none on the PATH" in ran.err
    assert not agent.asked()
    assert site.run("a.eval.yaml").code == 0
