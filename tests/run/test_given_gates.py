"""`suitecase run --gate`: gates beside those of the suite, and of suites that can have none."""

from __future__ import annotations

import json

import pytest

from support.running.site import Site

CONFIGURATION = """\
prompts: ["Say hello to {{name}}"]
providers: [echo]
tests:
  - description: ann
    vars: {name: Ann}
    assert: [{type: contains, value: Ann, metric: named}]
  - description: bob
    vars: {name: Bob}
    assert: [{type: contains, value: bob, metric: named}]
"""
SUITE = """\
gates: [score >= 0.5]
evalcases:
  - {id: a, input: hello, expected_outcome: x, evaluators: [{name: c, type: contains, value: h}]}
  - {id: b, input: bye, expected_outcome: x, evaluators: [{name: c, type: contains, value: h}]}
"""


@pytest.mark.parametrize(
    ("gate", "code", "outcome"),
    [
        ("pass_rate >= 40%", 0, "rehearsed"),
        ("pass_rate >= 60%", 1, "fails"),
        ("named.pass_rate >= 60%", 1, "fails"),
    ],
)
@pytest.mark.parametrize("name", ["promptfooconfig.yaml", "a.eval.yaml"])
def test_gates_of_the_command_line_decide_the_run(
    site: Site, name: str, gate: str, code: int, outcome: str
) -> None:
    site.write("promptfooconfig.yaml", CONFIGURATION)
    site.write("a.eval.yaml", SUITE)
    if name == "a.eval.yaml":
        gate = gate.replace("named", "c")
    ran = site.run(name, "--gate", gate, "--format", "json")
    gates = json.loads(ran.out)["gates"][-1]["decisions"]
    assert (gates[-1]["gate"], gates[-1]["outcome"], ran.code) == (gate, outcome, code), ran.err


def test_the_gates_of_the_suite_still_count(site: Site) -> None:
    site.write("a.eval.yaml", SUITE.replace("0.5", "0.9"))
    ran = site.run("a.eval.yaml", "--gate", "pass_rate >= 10%")
    assert ran.code == 1
    assert "score >= 0.9" in ran.out
    assert "pass_rate >= 10%" in ran.out


@pytest.mark.parametrize(
    ("gate", "message"),
    [
        ("pass_rate => 40%", "did you mean `>=`?"),
        ("pas_rate >= 40%", "did you mean `pass_rate`?"),
    ],
)
def test_a_gate_that_means_nothing_is_refused_before_anything_is_asked(
    site: Site, gate: str, message: str
) -> None:
    site.write("promptfooconfig.yaml", CONFIGURATION)
    ran = site.run("promptfooconfig.yaml", "--gate", gate)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err
