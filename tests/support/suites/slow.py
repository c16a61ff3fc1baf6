"""Suites for runs: with the embedded target that needs no key, and with one that takes its time."""

from __future__ import annotations

from pathlib import Path

#: Names no target, so that tests can add cases, or a target of their own.
GREET_CASES = """\
evalcases:
  - id: greet
    input: Hello there
    expected_outcome: Says hello
    rubrics:
      - id: hello
        expected_outcome: says hello
      - id: zebra
        expected_outcome: describes zebras
  - id: part
    input: Goodbye now
    expected_outcome: goodbye
    evaluators:
      - name: word
        type: contains
        value: Goodbye
"""
#: The target stands at the end, where it moves no case.
GREET = f"{GREET_CASES}execution: {{target: mock}}\n"

SLOW = """\
execution:
  target: slow
evalcases:
  - id: quick
    input: Hello
    expected_outcome: Hello
    execution:
      target: mock
    evaluators: [{name: word, type: contains, value: Hello}]
  - id: late
    input: Hello
    expected_outcome: Hello
    evaluators: [{name: word, type: contains, value: Hello}]
"""


def slow_suite(folder: Path) -> str:
    """Write a suite whose case `late` is answered after ten minutes; returns its address."""
    (folder / "targets.yaml").write_text(
        "targets:\n  - name: slow\n    provider: mock\n    response: Hello\n    delay_ms: 600000\n"
    )
    suite = folder / "slow.eval.yaml"
    suite.write_text(SLOW)
    return suite.as_uri()
