"""Selecting cases by pattern, tag and previous result."""

from __future__ import annotations

import json
import os

import pytest

from support.running.site import Site

CASES = """
- {id: greets-once, expected_outcome: hello, input: hello, tags: [quick, polite]}
- {id: greets-twice, expected_outcome: hello, input: goodbye, tags: [slow]}
- {id: leaves, expected_outcome: bye, input: bye, tags: [quick]}
"""


def ran_cases(site: Site, *options: str) -> list[str]:
    ran = site.run("a.eval.yaml", "--format", "jsonl", "--no-results", *options)
    return sorted(ran.records)


@pytest.mark.parametrize(
    ("options", "cases"),
    [
        (["--filter", "greets-*"], ["greets-once", "greets-twice"]),
        (["--filter", "*-once", "--filter", "leaves"], ["greets-once", "leaves"]),
        (["--tags", "quick"], ["greets-once", "leaves"]),
        (["--tags", "polite", "--tags", "slow"], ["greets-once", "greets-twice"]),
        (["--tags", "quick", "--filter", "greets-*"], ["greets-once"]),
    ],
)
def test_cases_are_chosen_by_pattern_and_tag(
    site: Site, options: list[str], cases: list[str]
) -> None:
    site.suite(CASES)
    assert ran_cases(site, *options) == cases


def test_what_was_chosen_is_named(site: Site) -> None:
    site.suite(CASES)
    ran = site.run("a.eval.yaml", "--no-results", "--tags", "quick")
    assert "selected 2 of 3 cases, with the tag `quick`: `greets-once`, `leaves`" in ran.err


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--filter", "grets-*"], "it has `greets-once`, `greets-twice`, `leaves`"),
        (["--tags", "fast"], "its tags are `quick`, `polite`, `slow`"),
        (["--failed"], "run it without --failed first"),
    ],
)
def test_nothing_chosen_is_told_and_ends_with_2(site: Site, options: list[str], told: str) -> None:
    site.suite(CASES)
    ran = site.run("a.eval.yaml", *options)
    assert ran.code == 2
    assert told in ran.err
    assert ran.out == ""
    assert not (site.root / ".suitecase").exists()


def test_of_several_suites_one_with_something_chosen_is_enough(site: Site) -> None:
    site.suite(CASES)
    site.suite("- {id: other, expected_outcome: x, input: x}", name="b.eval.yaml")
    ran = site.run("a.eval.yaml", "b.eval.yaml", "--no-results", "--filter", "leaves")
    assert ran.code == 0, ran.err
    assert "b.eval.yaml has no case with an id like `leaves`" in ran.err


BROKEN = """
- id: broken
  expected_outcome: x
  input: x
  evaluators: [{name: code, type: code_judge, script: exit 7}]
"""


def test_failed_runs_what_did_not_pass_in_the_newest_results_of_this_suite(site: Site) -> None:
    site.suite(CASES + BROKEN)
    site.suite("- {id: greets-once, expected_outcome: a, input: b}", name="b.eval.yaml")
    site.run("a.eval.yaml")
    # Newer, but another suite's: there a case of the same name failed.
    site.run("b.eval.yaml")
    assert ran_cases(site, "--failed") == ["broken", "greets-twice"]


def test_failed_looks_at_the_last_record_of_the_newest_file_alone(site: Site) -> None:
    path = site.suite(CASES)
    site.run("a.eval.yaml", "--output", "r.jsonl")
    path.write_text(path.read_text().replace("goodbye", "hello"))
    site.run("a.eval.yaml::greets-twice", "--output", "r.jsonl")
    ran = site.run("a.eval.yaml", "--output", "r.jsonl", "--failed")
    assert ran.code == 2
    assert "a last result in" in ran.err
    site.run("a.eval.yaml::greets-once")
    path.write_text(path.read_text().replace("input: hello", "input: nothing"))
    site.run("a.eval.yaml::greets-once")
    (older, newer) = sorted((site.root / ".suitecase/results").glob("*.jsonl"))
    os.utime(older, ns=(1, 1))
    assert json.loads(newer.read_text())["verdict"] == "fail"
    assert ran_cases(site, "--failed") == ["greets-once"]
