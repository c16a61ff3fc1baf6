"""What is offered under `judges`, `human` and `governance`."""

from __future__ import annotations

import pytest

from support.ide.completions import Offer

CASES = """\
evalcases:
  - id: refund-late
    tags: [critical]
    metadata: {source: thesaurus}
    input: Hi
    expected_outcome: x
    rubrics: [Says hello]
  - id: refund-new
    input: Hi
    expected_outcome: x
    evaluators: [{name: no-digits, type: regex, value: a}, {name: tone, type: llm_judge}]
"""


@pytest.mark.parametrize("key", ["judges", "human"])
def test_judges_are_offered_as_names(key: str) -> None:
    offer = Offer(f"{key}:\n  ▮\n{CASES}")
    assert {"rubric", "tone"} <= set(offer.labels)
    assert "no-digits" not in offer.labels
    assert offer.accepted("tone").startswith(f"{key}:\n  tone: ")


def test_judges_that_are_there_are_not_offered_again() -> None:
    offer = Offer(f"human:\n  rubric: {{labels: [a.csv]}}\n  ▮\n{CASES}")
    assert "rubric" not in offer.labels
    assert "tone" in offer.labels


def test_cases_are_offered_as_replacements() -> None:
    entry = "{id: refund-old, reason: Ended, replacement: ▮}"
    offer = Offer(f"governance:\n  deprecated:\n    - {entry}\n{CASES}")
    assert offer.labels == ["refund-late", "refund-new"]


def test_spdx_licenses_are_offered_with_the_usual_ones_first() -> None:
    offer = Offer(f"governance:\n  license: ▮\n{CASES}")
    assert offer.labels[:2] == ["CC-BY-4.0", "CC-BY-SA-4.0"]
    assert "GPL-3.0-only" in offer.labels
    assert len(offer.labels) == len(set(offer.labels))
    source = Offer(f"governance:\n  sources:\n    t:\n      license: CC▮\n{CASES}")
    assert "CC0-1.0" in source.labels


def test_sources_of_cases_and_their_slices_are_offered() -> None:
    offer = Offer(f"governance:\n  sources:\n    ▮\n{CASES}")
    assert "thesaurus" in offer.labels
    offer = Offer(f"governance:\n  sources:\n    t:\n      slice: ▮\n{CASES}")
    assert "critical" in offer.labels


def test_probes_are_offered() -> None:
    offer = Offer(f"judges:\n  rubric:\n    probes: [▮]\n{CASES}")
    assert {"repeat", "length", "injection"} <= set(offer.labels)


def test_authors_are_offered_as_adjudicators() -> None:
    head = "governance: {authors: [ann, eva]}\nhuman:\n  rubric:\n    adjudicators: [ann, ▮]\n"
    assert Offer(head + CASES).labels == ["eva"]
