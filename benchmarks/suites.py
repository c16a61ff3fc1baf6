"""Suites of any size, with everything real ones have."""

from __future__ import annotations

from pathlib import Path

HEAD = """\
description: A generated suite
execution:
  target: mock

evalcases:
"""

CASE = """\
  # Case {n}
  - id: case-{n}
    expected_outcome: |-
      Explains topic {n} to a newcomer, with an example and without jargon,
      and says where to read on.
    input_messages:
      - role: system
        content: You are a patient teacher.
      - role: user
        content: "What is topic {n}, and why does it matter?"
    expected_messages:
      - role: assistant
        content: |-
          Topic {n} is about one thing. For example:

          1. First this
          2. Then that
    rubrics:
      - Names an example
      - id: clarity
        expected_outcome: Is clear to a newcomer
        weight: 2.0
        required: false
      - id: depth
        required_min_score: 4
        score_ranges:
          0: Says nothing about the topic
          4: Names the topic
          8: Explains the topic and its use

"""


AGENTV_CASE = """\
  # Case {n}
  - id: case-{n}
    criteria: |-
      Explains topic {n} to a newcomer, with an example and without jargon,
      and says where to read on.
    input:
      - role: system
        content: You are a patient teacher.
      - role: user
        content: "What is topic {n}, and why does it matter?"
    expected_output:
      - role: assistant
        content: |-
          Topic {n} is about one thing. For example:

          1. First this
          2. Then that
    assertions:
      - Names an example
      - type: rubrics
        criteria:
          - id: clarity
            outcome: Is clear to a newcomer
            weight: 2.0
            required: false

"""


def suite(cases: int) -> str:
    """Return the text of a suite with that many cases."""
    return HEAD + "".join(CASE.format(n=number) for number in range(cases))


def promptfoo_suite(cases: int) -> str:
    """Return as many cases in promptfoo's format."""
    head = "prompts: ['{{question}}']\nproviders: [echo]\ntests:\n"
    case = "  - vars: {{question: 'What is topic {n}?'}}\n    assert: [{{type: contains, value: topic}}]\n"
    return head + "".join(case.format(n=number) for number in range(cases))


def agentv_suite(cases: int) -> str:
    """Return as many cases in the format of agentv 4."""
    return "execution:\n  target: mock\ntests:\n" + "".join(
        AGENTV_CASE.format(n=number) for number in range(cases)
    )


def write_suites(folder: Path) -> dict[str, Path]:
    """Write the suites of the table; returns each by its name in the table."""
    suites = {}
    for name, cases in (("1 case", 1), ("1,000 cases", 1_000), ("10,000 cases", 10_000)):
        suites[name] = folder / f"suite-{cases}.eval.yaml"
        suites[name].write_text(suite(cases), "utf-8")
        promptfoo = suites[name].with_suffix(".promptfoo.yaml")
        promptfoo.write_text(promptfoo_suite(cases), "utf-8")
        peer = folder / "agentv" / suites[name].name
        peer.parent.mkdir(exist_ok=True)
        peer.write_text(agentv_suite(cases), "utf-8")
    many = folder / "many"
    many.mkdir()
    (folder / "agentv" / "many").mkdir()
    for number in range(1_000):
        name = f"suite-{number}.eval.yaml"
        (many / name).write_text(suite(5), "utf-8")
        (folder / "agentv" / "many" / name).write_text(agentv_suite(5), "utf-8")
    suites["1,000 files"] = many
    return suites
