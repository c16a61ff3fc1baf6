"""`--repeat`: each repeat of a case has a record and is in the summary."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from support.running.site import Site, lines_of
from support.suites.counted_agent import CountedAgent

TARGETS = """
targets:
  - name: moody
    provider: mock
    response: {steady: [x], changes: [x, no, x]}
"""
CASES = """
- {id: steady, expected_outcome: x, input: x, evaluators: [{name: e, type: contains, value: x}]}
- {id: changes, expected_outcome: x, input: x, evaluators: [{name: e, type: contains, value: x}]}
"""


@pytest.fixture
def moody(site: Site) -> Site:
    site.write("targets.yaml", TARGETS)
    site.suite(CASES, "execution: {target: moody}")
    return site


def test_each_time_has_its_record_and_its_place_in_the_summary(moody: Site) -> None:
    ran = moody.run("a.eval.yaml", "--repeat", "3", "--output", "r.jsonl")
    # It passed twice, and that is not each time.
    assert ran.code == 1
    records = lines_of(moody.root / "r.jsonl")
    assert sorted((it["eval_id"], it["repeat"], it["repeats"]) for it in records) == [
        (name, repeat, 3) for name in ("changes", "steady") for repeat in (1, 2, 3)
    ]
    lines = [line.strip() for line in ran.out.splitlines()]
    assert any(line.startswith("FAIL") and "changes (2/3)" in line for line in lines)
    assert "steady   3/3 rehearsed  mean 1.00, from 1.00 to 1.00, deviation 0.00" in lines
    assert "changes  2/3 rehearsed  mean 0.67, from 0.00 to 1.00, deviation 0.58" in lines
    assert "passed each time" not in ran.out
    assert "5 rehearsed, 1 failed" in ran.out


def test_a_case_that_passes_each_time_passes(moody: Site) -> None:
    assert moody.run("a.eval.yaml::steady", "--repeat", "3", "--no-results").code == 0


def test_programs_get_the_same(moody: Site) -> None:
    ran = moody.run("a.eval.yaml", "--repeat", "3", "--no-results", "--format", "json")
    document = json.loads(ran.out)
    assert len(document["results"]) == 6
    (changes,) = (it for it in document["summary"]["repeats"] if it["case"] == "changes")
    assert (changes["runs"], changes["passed"], changes["lowest"]) == (3, 0, 0.0)
    assert changes["rehearsed"] == 2
    assert changes["mean"] == pytest.approx(2 / 3)
    assert changes["deviation"] == pytest.approx(3**-0.5)


def test_a_run_without_repeats_says_nothing_of_them(moody: Site) -> None:
    ran = moody.run("a.eval.yaml::steady", "--no-results")
    assert "each time" not in ran.out
    assert "(1/1)" not in ran.out


def test_resuming_counts_each_time_by_itself(site: Site) -> None:
    agent = CountedAgent(site)
    site.suite(CASES, "execution: {target: agent}")
    site.run("a.eval.yaml", "--repeat", "3", "--output", "r.jsonl")
    path = site.root / "r.jsonl"
    records = [it for it in lines_of(path) if (it["eval_id"], it["repeat"]) != ("changes", 2)]
    path.write_text("".join(json.dumps(it) + "\n" for it in records[:4]))
    agent.asked()
    # How often each case is asked is known from the file.
    ran = site.run("a.eval.yaml", "--resume", "r.jsonl")
    assert ran.code == 0, ran.err
    assert sum(agent.asked().values()) == 2
    counts = Counter((it["eval_id"], it["repeat"]) for it in lines_of(path))
    assert counts == Counter({(c, r): 1 for c in ("steady", "changes") for r in (1, 2, 3)})
    assert "2 of 2 cases passed each time" in ran.out


def test_more_times_than_can_be_meant_are_refused(moody: Site) -> None:
    refused = moody.run("a.eval.yaml", "--repeat", "9" * 20)
    assert refused.code == 2
    assert "is not in the range 1<=x<=1000000" in refused.err


def test_a_suite_that_wants_more_is_refused_by_its_check(moody: Site) -> None:
    moody.suite(CASES, f"execution: {{target: moody, repeats: {'9' * 20}}}")
    refused = moody.run("a.eval.yaml", "--dry-run")
    assert refused.code == 2
    assert "`repeats` must be 1,000,000 or less" in refused.err
