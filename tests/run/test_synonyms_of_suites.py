"""Synonyms of a suite or of a file of the workspace count as the text itself, in check and run."""

from __future__ import annotations

import json
from typing import Any

import pytest

from support.running.processes import suitecase
from support.running.site import Site

TARGETS = """\
targets:
  - name: replies
    provider: mock
    response:
      swap: Umtausch!
      other: refund
      body: I want my Money  Back.
      field: '{"country": " deutschland", "tags": ["Swap", "late"], "days": 5}'
"""
SUITE = """\
execution:
  target: replies
evalcases:
  - id: swap
    input: Which topic?
    expected_outcome: Names the topic
    expected_output: exchange
    evaluators:
      - {name: topic, type: equals, normalize: [casefold, punctuation], synonyms: SYNONYMS}
  - id: other
    input: Which topic?
    expected_outcome: Names the topic
    expected_output: exchange
    evaluators:
      - {name: topic, type: equals, normalize: [casefold, punctuation], synonyms: SYNONYMS}
  - id: body
    input: What is wanted?
    expected_outcome: A refund
    evaluators:
      - {name: topic, type: contains, value: Refund, normalize: [casefold, spaces], synonyms: SYNONYMS}
  - id: field
    input: Extract the fields.
    expected_outcome: The fields
    expected_output: {country: Germany, tags: [exchange, late], days: 5}
    evaluators:
      - name: fields
        type: field_accuracy
        fields:
          - {path: country, normalize: [casefold, spaces], synonyms: {Germany: Deutschland}}
          - {path: tags, normalize: [casefold], synonyms: SYNONYMS}
          - {path: days, normalize: squad}
"""
INLINE = "{exchange: [swap, umtausch], refund: [money back]}"
VERDICTS = {"swap": "pass", "other": "fail", "body": "pass", "field": "pass"}


def run(site: Site, suite: str) -> dict[str, dict[str, Any]]:
    site.write("targets.yaml", TARGETS)
    site.write("topics.eval.yaml", suite)
    assert "All checks passed" in site.check("topics.eval.yaml")
    ran = site.run("topics.eval.yaml", "--format", "jsonl")
    assert ran.code == 1, ran.err
    return ran.records


def test_synonyms_of_the_suite_count_as_the_text(site: Site) -> None:
    records = run(site, SUITE.replace("SYNONYMS", INLINE))
    assert {name: it["verdict"] for name, it in records.items()} == VERDICTS


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("topics.yaml", "exchange: [swap, umtausch]\nrefund: money back\n"),
        ("topics.json", '{"exchange": ["swap", "umtausch"], "refund": ["money back"]}'),
    ],
)
def test_synonyms_of_a_file_count_as_the_text(site: Site, name: str, text: str) -> None:
    site.write(name, text)
    records = run(site, SUITE.replace("SYNONYMS", name))
    assert {name: it["verdict"] for name, it in records.items()} == VERDICTS


def test_a_change_of_the_file_changes_the_effective_hash(site: Site) -> None:
    site.write("topics.yaml", "exchange: [swap, umtausch]\nrefund: money back\n")
    before = run(site, SUITE.replace("SYNONYMS", "topics.yaml"))
    site.write("topics.yaml", "exchange: [swap, umtausch]\nrefund: [money back, refunds]\n")
    after = run(site, SUITE.replace("SYNONYMS", "topics.yaml"))
    assert before["swap"]["effective_hash"] != after["swap"]["effective_hash"]
    assert before["swap"]["case_hash"] == after["swap"]["case_hash"]


def test_show_prints_the_synonyms_of_the_file(site: Site) -> None:
    site.write("topics.yaml", "exchange: [swap, umtausch]\n")
    site.write("topics.eval.yaml", SUITE.replace("SYNONYMS", "topics.yaml"))
    arguments = ("show", "topics.eval.yaml::swap", "--format", "json")
    shown = suitecase(*arguments, cwd=site.root).stdout
    (case,) = json.loads(shown)["cases"]
    assert case["evaluators"][0]["synonyms"] == {"exchange": ["swap", "umtausch"]}


def test_a_file_that_cannot_be_used_is_reported_and_its_cases_are_not_run(site: Site) -> None:
    site.write("targets.yaml", TARGETS)
    site.write("topics.eval.yaml", SUITE.replace("SYNONYMS", "topics.yaml"))
    assert "file `topics.yaml` not found" in site.check("topics.eval.yaml")
    site.write("topics.yaml", "exchange: [swap, 5]\nrefund: [Swap]\n")
    checked = site.check("topics.eval.yaml")
    assert "topics.yaml:1:18: error[SC841] a synonym of `exchange` must be text" in checked
    ambiguous = "`Swap` stands for `exchange` and for `refund` after normalization"
    assert f"topics.yaml:2:10: error[SC841] {ambiguous}" in checked
    ran = site.run("topics.eval.yaml")
    assert ran.code == 2
    assert "topics.yaml" in ran.out + ran.err
