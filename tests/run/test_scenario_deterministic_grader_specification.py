"""Scenario "Deterministic grader specification": classification and extraction are graded by rules alone.

A suite of each kind names its graders with normalization rules, JSON schema, tolerance windows and synonym
dictionaries; what is wrong with them is found by `check`, and `run` grades by them without a model.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from support.running.site import Site

TOPICS = """\
# The dictionary of the support desk.
exchange: [swap, Umtausch, wrong size]
refund: [money back, reimbursement]
"""
CLASSIFICATION = """\
description: Topics of messages to a shoe shop
execution:
  target: recorded
  evaluators:
    - name: topic
      type: label
      labels: [refund, exchange, delivery]
      find: last
      normalize: [casefold, accents, punctuation, spaces]
      synonyms: topics.yaml
evalcases:
  - id: small
    input: "Which topic? The shoes are too small."
    expected_outcome: Names the topic
    expected_output: Exchange
  - id: german
    input: "Welches Thema? Die Schuhe sind zu klein."
    expected_outcome: Names the topic
    expected_output: exchange
  - id: late
    input: "Which topic? My parcel is late."
    expected_outcome: Names the topic
    expected_output: delivery
  - id: angry
    input: "Which topic? I want my money back!"
    expected_outcome: Names the topic
    expected_output: money back
  - id: vague
    input: "Which topic? Hello?"
    expected_outcome: Names the topic
    expected_output: delivery
"""
EXTRACTION = """\
description: Fields of invoices
execution:
  target: recorded
  evaluators:
    - name: shape
      type: json_schema
      required: true
      parse: tolerant
      schema:
        type: object
        required: [country, total, issued]
        properties:
          country: {type: string}
          total: {type: number}
          issued: {type: string}
    - name: fields
      type: field_accuracy
      required: true
      aggregation: all_or_nothing
      fields:
        - path: country
          normalize: [casefold, accents, spaces]
          synonyms: {Germany: [DE, Deutschland], Ivory Coast: ["Côte d'Ivoire"]}
        - {path: total, match: numeric_tolerance, tolerance: 0.01}
        - {path: issued, match: date}
evalcases:
  - id: exact
    input: Extract the fields of invoice 1.
    expected_outcome: The fields are those of the invoice
    expected_output: {country: Germany, total: 1889.5, issued: "2026-01-15"}
  - id: in-other-words
    input: Extract the fields of invoice 2.
    expected_outcome: The fields are those of the invoice
    expected_output: {country: ivory coast, total: 12.34, issued: "2026-02-01"}
  - id: total-off
    input: Extract the fields of invoice 3.
    expected_outcome: The fields are those of the invoice
    expected_output: {country: Germany, total: 100, issued: "2026-02-01"}
  - id: not-of-the-shape
    input: Extract the fields of invoice 4.
    expected_outcome: The fields are those of the invoice
    expected_output: {country: Germany, total: 100, issued: "2026-02-01"}
  - id: days
    input: Within how many days is it to be paid?
    expected_outcome: Names the days
    expected_output: Within 30 days.
    evaluators:
      - {name: days, type: number, tolerance: 0.1, relative: true}
      - {name: words, type: token_f1, value: [within 30 days, in 30 days], min_score: 0.4, weight: 0}
"""
ANSWERS = """\
targets:
  - name: recorded
    provider: mock
    response:
      small: "The topic is: Exchange."
      german: "Umtausch"
      late: "It could be a refund, but it is a delivery!"
      angry: "Reimbursement"
      vague: "I cannot tell."
      exact: '{"country": "DE", "total": 1889.5, "issued": "15 Jan 2026"}'
      in-other-words: 'Here you are: {"country": "Cote d''Ivoire", "total": 12.345, "issued": "2026-02-01"}'
      total-off: '{"country": "Germany", "total": 100.02, "issued": "2026-02-01"}'
      not-of-the-shape: '{"country": "Germany", "total": "100", "issued": "2026-02-01"}'
      days: Payment is due in 31 days.
"""


@pytest.fixture
def shop(site: Site) -> Site:
    site.write("targets.yaml", ANSWERS)
    site.write("topics.yaml", TOPICS)
    site.write("topics.eval.yaml", CLASSIFICATION)
    site.write("invoices.eval.yaml", EXTRACTION)
    return site


def graded_by(record: dict[str, Any], name: str) -> dict[str, Any]:
    return next(it for it in record["evaluator_results"] if it["name"] == name)


def test_a_classification_is_graded_by_its_labels_and_their_synonyms(shop: Site) -> None:
    assert "All checks passed" in shop.check("topics.eval.yaml")
    ran = shop.run("topics.eval.yaml", "--format", "jsonl", "--no-results")
    assert ran.code == 1  # one of five is wrong
    assert "No model was called" in ran.err
    labels = {name: graded_by(record, "topic")["details"] for name, record in ran.records.items()}
    assert labels == {
        "small": {"expected": "exchange", "predicted": "exchange"},
        "german": {"expected": "exchange", "predicted": "exchange"},
        "late": {"expected": "delivery", "predicted": "delivery"},
        "angry": {"expected": "refund", "predicted": "refund"},
        # An answer that names no label is wrong, and not an error.
        "vague": {"expected": "delivery", "predicted": None},
    }
    verdicts = {name: record["verdict"] for name, record in ran.records.items()}
    assert verdicts == {**dict.fromkeys(labels, "pass"), "vague": "fail"}


def test_an_extraction_is_graded_by_schema_windows_dates_and_synonyms(shop: Site) -> None:
    assert "All checks passed" in shop.check("invoices.eval.yaml")
    ran = shop.run("invoices.eval.yaml", "--format", "jsonl", "--no-results")
    assert ran.code == 1
    verdicts = {name: record["verdict"] for name, record in ran.records.items()}
    assert verdicts == {
        "exact": "pass",
        "in-other-words": "pass",
        "total-off": "fail",
        "not-of-the-shape": "fail",
        "days": "pass",
    }
    records = ran.records
    assert graded_by(records["total-off"], "shape")["verdict"] == "pass"
    assert (
        graded_by(records["total-off"], "fields")["misses"][0] == "`total` is 100.02, expected 100"
    )
    assert graded_by(records["not-of-the-shape"], "shape")["gate_failed"] is True
    assert graded_by(records["days"], "days")["hits"] == [
        "the last number of the answer is 31, which is 30 within 10 %"
    ]
    words = graded_by(records["days"], "words")
    assert words["score"] == pytest.approx(2 * 2 / (6 + 3))
    assert words["details"]["compared_with"] == "in 30 days"


@pytest.mark.parametrize("suite", ["topics.eval.yaml", "invoices.eval.yaml"])
def test_each_run_comes_to_the_same(shop: Site, suite: str) -> None:
    first, second = (
        {
            name: (it["verdict"], it["score"], it["effective_hash"])
            for name, it in shop.run(suite, "--format", "jsonl", "--no-results").records.items()
        }
        for _ in range(2)
    )
    assert first == second


@pytest.mark.parametrize(
    ("suite", "old", "new", "code", "message"),
    [
        ("topics", "labels: [refund, exchange", "labels: [refund, Refund, exchange", "SC833", "same label"),
        ("topics", "expected_output: Exchange", "expected_output: exchnge", "SC834", "did you mean `exchange`?"),
        ("topics", "    expected_output: money back\n", "", "SC839", "nothing to compare"),
        ("topics", "[casefold,", "[casefolds,", "SC104", "did you mean `casefold`?"),
        ("topics", "topics.yaml", "topic.yaml", "SC841", "not found"),
        ("invoices", "[DE, Deut", "[DE, ivory coast, Deut", "SC831", "stands for `Germany` and for `Ivory Coast`"),
        ("invoices", "required: [country, total, issued]", "required: country", "SC402", "not a valid JSON Schema"),
        ("invoices", "expected_output: Within 30 days.", "expected_output: Soon.", "SC839", "has no number"),
    ],
)  # fmt: skip
def test_a_specification_that_cannot_be_graded_is_refused_before_anything_runs(
    shop: Site, suite: str, old: str, new: str, code: str, message: str
) -> None:
    text = {"topics": CLASSIFICATION, "invoices": EXTRACTION}[suite]
    assert old in text
    shop.write(f"{suite}.eval.yaml", text.replace(old, new, 1))
    checked = shop.check(f"{suite}.eval.yaml", "--format", "json")
    found = [it for it in json.loads(checked)["findings"] if it["severity"] == "error"]
    assert [it["code"] for it in found] == [code]
    assert message in found[0]["message"]
    assert shop.run(f"{suite}.eval.yaml", "--no-results").code == 2


def test_windows_that_say_little_are_warned_of(shop: Site) -> None:
    shop.write("invoices.eval.yaml", EXTRACTION.replace("tolerance: 0.01}", "tolerance: 12.34}"))
    checked = shop.check("invoices.eval.yaml")
    assert "warning[SC838] a tolerance of 12.34" in checked
    assert "so an answer of 0 would pass" in checked
    shop.write("invoices.eval.yaml", EXTRACTION.replace("Within 30 days.", "Within 0 days."))
    checked = shop.check("invoices.eval.yaml")
    assert "warning[SC840] the expected number is 0" in checked


def test_of_a_data_set_each_mistake_is_reported_in_the_file_it_is_in(site: Site) -> None:
    site.write(
        "d.yaml",
        """\
        execution:
          target: mock
          evaluators:
            - {name: topic, type: label, labels: [exchange, refund, delivery]}
            - {name: days, type: number, value: 5, tolerance: 7}
        """,
    )
    rows = [
        {"id": "a", "expected_output": "exchange"},
        {"id": "b", "expected_output": "refundd"},
        {"id": "c"},
    ]
    common = {"input": "Hi", "expected_outcome": "Names the topic"}
    site.write("d.jsonl", "".join(json.dumps({**it, **common}) + "\n" for it in rows))
    checked = json.loads(site.check(".", "--format", "json"))["findings"]
    found = [(it["file"].rpartition("/")[2], it["line"], it["code"]) for it in checked]
    assert found == [
        ("d.jsonl", 1, "SC835"),  # refund
        ("d.jsonl", 1, "SC835"),  # delivery
        ("d.jsonl", 2, "SC834"),
        ("d.jsonl", 3, "SC839"),
        ("d.yaml", 5, "SC838"),
    ]
    assert "(line 4 of the sidecar)" in checked[0]["message"]
