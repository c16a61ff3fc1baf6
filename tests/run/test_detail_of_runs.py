"""How much of a run is printed: `--show`, `--answers`, `--quiet` and `--limit`."""

from __future__ import annotations

import json
import re

import pytest

from support.running.site import Site

HAS = "evaluators: [{name: has, type: contains, value: hello}]"
SUITE = f"""
- {{id: greets, expected_outcome: hello, input: hello you, {HAS}}}
- {{id: leaves, expected_outcome: hello, input: goodbye, {HAS}}}
- {{id: stays, expected_outcome: hello, input: hello again, {HAS}}}
"""
WHY_PASSED = '    + the answer contains "hello"'
WHY_FAILED = '    - the answer does not contain "hello"'


def test_passes_take_a_line_and_failures_say_why(site: Site) -> None:
    site.suite(SUITE)
    lines = site.run("a.eval.yaml", "--no-results").out.splitlines()
    assert [line.split()[2] for line in lines[:2]] == ["greets", "leaves"]
    assert lines[2] == WHY_FAILED
    # The reasoning of a check without a judge is what it misses, which is printed once.
    assert lines[3].split()[2] == "stays"
    assert lines[4] == ""


def test_a_line_says_how_long_its_case_took(site: Site) -> None:
    site.write("targets.yaml", "targets: [{name: slow, provider: mock, delay_ms: 30}]")
    site.suite(SUITE, "execution: {target: slow}")
    line = site.run("a.eval.yaml", "--no-results").out.splitlines()[0]
    took = re.search(r"greets +(\d+) ms", line)
    assert took is not None, line
    assert int(took[1]) >= 30


def test_all_and_none_of_the_cases_are_shown(site: Site) -> None:
    site.suite(SUITE)
    everything = site.run("a.eval.yaml", "--no-results", "--show", "all").out
    assert everything.splitlines()[1] == WHY_PASSED
    assert everything.count(WHY_PASSED) == 2
    nothing = site.run("a.eval.yaml", "--no-results", "--show", "none").out
    assert "greets" not in nothing
    assert "leaves" not in nothing
    assert nothing.startswith("Scores")
    assert "2 rehearsed, 1 failed" in nothing


def test_quiet_prints_what_failed_and_one_line_of_counts(site: Site) -> None:
    site.suite(SUITE)
    ran = site.run("a.eval.yaml", "-q", "--tags", "x")
    assert ran.code == 2
    assert "no case with the tag `x`" in ran.err
    ran = site.run("a.eval.yaml", "-q", "--limit", "2")
    assert ran.err == ""
    first, why, blank, counts, remark = ran.out.splitlines()
    assert (first.split()[0], first.split()[2]) == ("FAIL", "leaves")
    assert (why, blank) == (WHY_FAILED, "")
    assert counts == "1 rehearsed, 1 failed; mean score 0.50 of 2 graded"
    # It is quiet about much, and not about this.
    assert remark.startswith("No model was called")
    site.suite(SUITE.replace("goodbye", "hello there"))
    assert site.run("a.eval.yaml", "-q").out.startswith("3 rehearsed; mean score 1.00")


def test_answers_are_shown_on_demand_and_cut_where_they_are_long(site: Site) -> None:
    long = "\n".join(f"line {it} goodbye" for it in range(40))
    site.suite(f"{SUITE}\n- {{id: long, expected_outcome: x, input: {json.dumps(long)}, {HAS}}}")
    assert "hello you" not in site.run("a.eval.yaml").out
    out = site.run("a.eval.yaml", "--answers").out
    lines = out.splitlines()
    assert lines[:2][1] == "    | hello you"
    start = lines.index("    | line 0 goodbye")
    assert lines[start + 11 : start + 13] == ["    | line 11 goodbye", "    ... 28 more lines"]
    last = lines[-1]
    assert last.startswith("Long answers are cut; `suitecase report .suitecase/results/a-")
    quiet = site.run("a.eval.yaml", "--answers", "-q", "--no-results").out
    assert "hello you" not in quiet
    assert "    | goodbye" in quiet
    assert "--format json has all of each" in quiet


@pytest.mark.parametrize("letter", ["x", "語"])
def test_answers_without_spaces_are_cut_too(site: Site, letter: str) -> None:
    width = 2 if letter == "語" else 1
    site.suite(f"- {{id: one, expected_outcome: hello, input: {letter * 3_000}, {HAS}}}")
    lines = site.run("a.eval.yaml", "--answers", "--no-results").out.splitlines()
    shown = [it for it in lines if it.startswith("    | ")]
    assert len(shown) == 12
    assert all(6 + (len(it) - 6) * width <= 100 for it in shown)
    assert any(it.endswith(" more lines") for it in lines)


@pytest.mark.parametrize("option", [("--show", "all"), ("--answers",)])
def test_formats_for_programs_have_it_all(site: Site, option: tuple[str, ...]) -> None:
    site.suite(SUITE)
    ran = site.run("a.eval.yaml", *option, "--format", "json")
    assert ran.code == 2
    assert f"{' '.join(option)} and --format json exclude each other" in ran.err


GATED = "execution: {target: mock}\ngates: [pass_rate >= 90%]"


def test_a_limit_takes_the_first_cases_and_decides_no_gate(site: Site) -> None:
    broken = "\n- {id: broken, input: x}"
    site.suite(SUITE + broken, head=GATED)
    site.suite(SUITE, name="b.eval.yaml")
    ran = site.run(".", "--limit", "1", "--no-results")
    # The error is in none of the first cases.
    assert ran.code == 0, ran.err
    assert "a.eval.yaml: the first 1 of 4 cases; 3 left out (--limit)" in ran.err
    assert "b.eval.yaml: the first 1 of 3 cases; 2 left out (--limit)" in ran.err
    assert "Gates of a.eval.yaml are not decided: only a part of the suite is run" in ran.out
    assert "2 rehearsed" in ran.out
    some = site.run("b.eval.yaml", "--filter", "*s", "--limit", "2", "--no-results")
    assert "selected 2 of 3 cases, with an id like `*s`, the first 2 of 3 (--limit)" in some.err
    enough = site.run("b.eval.yaml", "--limit", "3", "--no-results")
    assert "--limit" not in enough.err
