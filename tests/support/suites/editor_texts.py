"""Texts as editors have them: sound, half typed, with the line breaks and marks of other systems."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

from suitecase.derived import ROOT
from support.suites.random_edits import SUITES, edited

EVERYTHING = """\
# The judges of the front desk,
# and what they look for.
x-judges:
  - &tone {name: tone, type: llm_judge, prompt: tone.md, weight: 2}
description: Greets 😀
execution:
  target: small
  evaluators:
    - *tone
    - name: mix
      type: composite
      aggregator: {type: weighted_average, weights: {warm: 2, short: 1}}
      evaluators:
        - {name: warm, type: llm_judge, rubrics: [Is warm, {id: kind, expected_outcome: Is kind}]}
        - {name: short, type: regex, value: "^.{1,80}$"}
evalcases:
  # suitecase: ignore[SC302] for a reason
  - id: greet
    input: Hi 😀
    expected_outcome: Says hello
    rubrics:
      - Is short
      - id: warmth
        weight: 3
        required_min_score: 6
        score_ranges: {0: Cold, 3: Cool, 6: Warm}
  - id: part
    input_messages:
      - role: system
        content: Be kind
      - role: user
        content:
          - {type: text, value: Bye}
    expected_messages:
      - {role: assistant, content: Goodbye}
    expected_outcome: Says goodbye
    evaluators:
      - name: own
        type: llm_judge
        prompt: |
          Is {{ candidate_answer }} fine
          for {{ input }}? {{ qestion }}
      - name: form
        type: json_schema
        schema: |
          {"type": "object", "maxProperties": 3}
  - id: left
    outcome: Says nothing
    input: "{{ question }}"
"""

TARGETS = """\
# Who answers.
targets:
  - name: small
    provider: openai
    model: gpt-4o-mini
    api_key: ${{ SMALL_KEY }}
    judge_target: large
  - name: large
    provider: azure
    endpoint: https://${{ HOST }}/v1?sig=9f8e7d6c
    api_key: sk-do-not-show-123456
    deployment: gpt-4o
  - name: agent
    provider: cli
    command_template: agent --ask {PROMPT}
"""


def texts(seed: int, edits: int) -> Iterator[str]:
    """Yield the suites of tests and examples, and `edits` edits of each of some of them."""
    random = Random(seed)
    own = (EVERYTHING, *SUITES)
    examples = sorted((ROOT / "examples").rglob("*.eval.yaml"))
    yield from own
    yield from (path.read_text("utf-8") for path in examples)
    yield from (
        "",
        "\ufeff",
        "\n",
        "evalcases:",
        "evalcases:\n  -",
        "evalcases:\n  - id",
        "{",
        "- ",
    )
    yield EVERYTHING.replace("\n", "\r\n")
    yield EVERYTHING.replace("\n", "\r")
    yield "\ufeff" + EVERYTHING.replace("Hi", "Hi\u2028\x85 there")
    for text in own:
        for _ in range(edits):
            yield edited(random, edited(random, text))


def write_surroundings(folder: Path) -> None:
    """Write the files that the texts name."""
    (folder / "targets.yaml").write_text(TARGETS, "utf-8")
    (folder / "tone.md").write_text("Is {{ candidate_answer }} warm?\n", "utf-8")
