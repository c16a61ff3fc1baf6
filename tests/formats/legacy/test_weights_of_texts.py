"""Texts in a list of assertions count as much as the evaluators beside them."""

from __future__ import annotations

import pytest

from suitecase.authoring.migration import migrate
from suitecase.format.workspace import Workspace
from support.running.runs import run_here
from support.running.site import Site

TARGETS = """\
targets:
  - name: writer
    provider: mock
    response: Paris
    judge_target: judge
  - name: judge
    provider: mock
    response: '{"checks": [%s], "overall_reasoning": "All in all."}'
"""
CHECK = '{"id": "rubric-%d", "satisfied": true, "reasoning": "Yes."}'
HEAD = "execution: {target: writer}\n"
#: The texts are met, `London` is not in the answer: 3 of 4, 2 of 3, and within a composite, whose
#: members weigh 1 unless its aggregator says otherwise, 1 of 2.
BESIDE = """\
tests:
  - id: case
    criteria: Names Paris.
    input: What is the capital of France?
    assertions:
      - Is short
      - {type: contains, value: London}
      - Is polite
      - Is right
"""
OF_THE_SUITE = """\
assertions: [{type: contains, value: London}]
tests:
  - id: case
    criteria: Names Paris.
    input: What is the capital of France?
    assertions:
      - Is short
      - Is polite
"""
IN_A_COMPOSITE = """\
tests:
  - id: case
    criteria: Names Paris.
    input: What is the capital of France?
    assertions:
      - type: composite
        assertions: [Is short, Is polite, {type: contains, value: London}]
        aggregator: {type: weighted_average}
"""


@pytest.mark.parametrize(
    ("cases", "texts", "score"),
    [(BESIDE, 3, 3 / 4), (OF_THE_SUITE, 2, 2 / 3), (IN_A_COMPOSITE, 2, 1 / 2)],
    ids=["beside evaluators", "beside the suite's", "in a composite"],
)
async def test_a_suite_scores_the_same_before_and_after_its_migration(
    cases: str, texts: int, score: float, site: Site
) -> None:
    site.write("targets.yaml", TARGETS % ", ".join(CHECK % it for it in range(1, texts + 1)))
    path = site.root / "a.eval.yaml"
    migrated = migrate(HEAD + cases, path, Workspace(site.root))
    assert migrated is not None
    assert migrated.decisions == ()
    for text in (HEAD + cases, migrated.after):
        site.write(path.name, text)
        record = (await run_here(site.request())).records["case"]
        assert (record["error"], record["score"]) == (None, pytest.approx(score)), text
