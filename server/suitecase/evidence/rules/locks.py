"""Rules on lock files, and on versions that are not locked."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.evidence.governed import GovernedSuite
from suitecase.evidence.releases.differences import summary
from suitecase.evidence.releases.lock_file import LockProblem
from suitecase.evidence.releases.lock_state import lock_of
from suitecase.evidence.rules.locked_cases import (
    added_after_lock,
    lock_drift,
    removed_without_entry,
    state_of,
)
from suitecase.evidence.rules.locked_graders import grader_drift, judge_drift
from suitecase.format.rule import Finding, Severity, rule
from suitecase.format.workspace import Folder
from suitecase.text.node import Scalar, Span


@rule("SC908", gradable=True, affects="release")
def unusable_lock(suite: GovernedSuite, folder: Folder) -> Iterator[Finding]:
    """The lock file of the suite cannot be used.

    A lock that was edited by hand, or merged with a mistake, no longer says what a version
    consisted of. Its `digest` shows that. Restore it from version control, or delete it and lock
    the suite again.

    ```yaml bad
    version: "2026.2"  # <- finding
    evalcases:
      - id: late
        input: My parcel is late.
        expected_outcome: Says sorry
    ```

    ```json bad file=suite.lock
    {
     "lock": 1,
     "suite": "suite.yaml",
     "dataset": "suite",
     "version": "2026.2",
     "suitecase": "0.1.0",
     "at": "2026-02-04T08:00:00Z",
     "intervals": {
      "groups": "conversation_id", "confidence": 0.95, "resamples": 10000, "seed": 20260101
     },
     "head": {"question": "eb4abcda3f3c7dc6", "mode": "6d9695b0f6f0de8c", "evaluators": null},
     "cases": {
      "lost": {
       "question": "17bf1e9c0288c0f8", "expected": "f4aa55db014ab856",
       "grading": "3ac8e968692867be", "slices": "c041216ec27fcb7c"
      }
     },
     "digest": "sha256:b79ab29a0ac51d798391179045cb083bf8808e3cb6c0dff54039dd54192c3af1"
    }
    ```

    ```yaml good
    version: "2026.2"
    evalcases:
      - id: late
        input: My parcel is late.
        expected_outcome: Says sorry
    ```

    ```json good file=suite.lock
    {
     "lock": 1,
     "suite": "suite.yaml",
     "dataset": "suite",
     "version": "2026.2",
     "suitecase": "0.1.0",
     "at": "2026-02-04T08:00:00Z",
     "intervals": {
      "groups": "conversation_id", "confidence": 0.95, "resamples": 10000, "seed": 20260101
     },
     "head": {"question": "eb4abcda3f3c7dc6", "mode": "6d9695b0f6f0de8c", "evaluators": null},
     "cases": {
      "late": {
       "question": "17bf1e9c0288c0f8", "expected": "f4aa55db014ab856",
       "grading": "3ac8e968692867be", "slices": "c041216ec27fcb7c"
      }
     },
     "digest": "sha256:b79ab29a0ac51d798391179045cb083bf8808e3cb6c0dff54039dd54192c3af1"
    }
    ```
    """
    if suite.lock is None or suite.path is None or not suite.has_head:
        return
    lock = lock_of(suite.path, folder)
    if isinstance(lock, LockProblem):
        at = f" at line {lock.line}" if lock.line is not None else ""
        yield Finding(
            _version_span(suite),
            f"the lock file `{suite.lock.name}` cannot be used{at}: {lock.message}",
        )


@rule("SC909", Severity.INFO)
def unlocked_version(suite: GovernedSuite, folder: Folder) -> Iterator[Finding]:
    """The version of a suite is later than the locked one, and not locked yet.

    Until it is locked, nothing holds the suite to this version. Run `suitecase lock` when it is
    complete.

    ```yaml bad
    version: "2026.3"  # <- finding
    evalcases:
      - id: late
        input: My parcel is late.
        expected_outcome: Says sorry, and names a date
    ```

    ```json bad file=suite.lock
    {
     "lock": 1,
     "suite": "suite.yaml",
     "dataset": "suite",
     "version": "2026.2",
     "suitecase": "0.1.0",
     "at": "2026-02-04T08:00:00Z",
     "intervals": {
      "groups": "conversation_id", "confidence": 0.95, "resamples": 10000, "seed": 20260101
     },
     "head": {"question": "eb4abcda3f3c7dc6", "mode": "6d9695b0f6f0de8c", "evaluators": null},
     "cases": {
      "late": {
       "question": "17bf1e9c0288c0f8", "expected": "f4aa55db014ab856",
       "grading": "3ac8e968692867be", "slices": "c041216ec27fcb7c"
      }
     },
     "digest": "sha256:b79ab29a0ac51d798391179045cb083bf8808e3cb6c0dff54039dd54192c3af1"
    }
    ```

    ```yaml good
    version: "2026.2"
    evalcases:
      - id: late
        input: My parcel is late.
        expected_outcome: Says sorry
    ```

    ```json good file=suite.lock
    {
     "lock": 1,
     "suite": "suite.yaml",
     "dataset": "suite",
     "version": "2026.2",
     "suitecase": "0.1.0",
     "at": "2026-02-04T08:00:00Z",
     "intervals": {
      "groups": "conversation_id", "confidence": 0.95, "resamples": 10000, "seed": 20260101
     },
     "head": {"question": "eb4abcda3f3c7dc6", "mode": "6d9695b0f6f0de8c", "evaluators": null},
     "cases": {
      "late": {
       "question": "17bf1e9c0288c0f8", "expected": "f4aa55db014ab856",
       "grading": "3ac8e968692867be", "slices": "c041216ec27fcb7c"
      }
     },
     "digest": "sha256:b79ab29a0ac51d798391179045cb083bf8808e3cb6c0dff54039dd54192c3af1"
    }
    ```
    """
    state = state_of(suite, folder) if suite.has_head else None
    if state is not None and state.is_raised:
        since = summary(state)
        yield Finding(
            _version_span(suite),
            f"version {state.version} is not locked"
            + (f"; since {state.lock.version}: {since}" if since else ""),
        )


#: The rules that compare a suite with its lock.
ON_LOCKS = frozenset(
    {
        added_after_lock,
        grader_drift,
        judge_drift,
        lock_drift,
        removed_without_entry,
        unlocked_version,
        unusable_lock,
    }
)


def _version_span(suite: GovernedSuite) -> Span:
    """Return the place of the suite's version, or the start of the file if it has none."""
    node = suite.head.node.get("version") if suite.head.node is not None else None
    return suite.head_span(node.span) if isinstance(node, Scalar) else Span(0, 0)
