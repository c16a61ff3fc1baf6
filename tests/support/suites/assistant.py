"""A workspace as people have it: suites on a support assistant, and targets that need no key."""

from __future__ import annotations

from pathlib import Path

#: One range overlaps another, and an evaluator is written as it was some years ago.
SUPPORT = """\
description: How our assistant answers customers
execution:
  target: assistant
evalcases:
  - id: refund-window
    input: Can I return unworn shoes after 20 days?
    expected_outcome: Says that 30 days are left to return them
    rubrics:
      - id: tone
        score_ranges:
          - {score_range: [0, 5], expected_outcome: curt or vague}
          - {score_range: [5, 10], expected_outcome: gladly return unworn shoes}
      - id: facts
        expected_outcome: within 30 days
  - id: lost-parcel
    input: My parcel did not arrive.
    expected_outcome: Apologises and offers to send it again
    execution:
      evaluators:
        - name: quality
          type: rubric
          rubrics:
            - id: status
              description: your parcel is on its way
            - id: apology
              description: sorry for the delay
"""
#: Nothing is to be said of it.
CLEAN = """\
description: Greetings
execution: {target: mock}
evalcases:
  - id: hello
    input: Hello there
    expected_outcome: Says hello there
    evaluators:
      - {name: word, type: contains, value: Hello}
"""
#: Each case is answered after ten minutes.
SLOW = """\
execution:
  target: slow
evalcases:
  - id: late
    input: Hello
    expected_outcome: Hello
    evaluators:
      - {name: word, type: contains, value: Hello}
"""
TARGETS = """\
targets:
  - name: assistant
    provider: mock
    judge_target: grader
    response:
      refund-window: Yes, gladly! You can return unworn shoes within 30 days.
      lost-parcel: Your parcel is on its way.
  - name: grader
    provider: mock
  - name: slow
    provider: mock
    response: Hello
    delay_ms: 600000
"""


def assistant_workspace(folder: Path) -> Path:
    """Write the workspace into a new folder, and return the suite with the faults."""
    folder.mkdir()
    (folder / "targets.yaml").write_text(TARGETS)
    (folder / "greeting.eval.yaml").write_text(CLEAN)
    (folder / "slow.eval.yaml").write_text(SLOW)
    suite = folder / "support.eval.yaml"
    suite.write_text(SUPPORT)
    return suite
