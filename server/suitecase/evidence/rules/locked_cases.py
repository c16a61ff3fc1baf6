"""Rules on cases and settings that are not those of the locked version."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.evidence.governed import GovernedSuite
from suitecase.evidence.releases.differences import Difference, Kind, differences
from suitecase.evidence.releases.lock_state import LockState, lock_state
from suitecase.evidence.rules.deprecation_entries import entry_added
from suitecase.format.rule import Finding, rule
from suitecase.format.workspace import Folder
from suitecase.text.cache import Cache
from suitecase.text.node import Span


def state_of(suite: GovernedSuite, folder: Folder) -> LockState | None:
    """Return how a suite differs from its lock; None if it has none that can be used."""
    if suite.lock is None or suite.path is None:
        return None
    return _STATE.of(suite, lock_state, suite.suite, suite.path, folder)


#: What several rules need, found once for each check.
_STATE: Cache[LockState | None] = Cache()
_DIFFERENCES: Cache[list[Difference]] = Cache()


def found(suite: GovernedSuite, folder: Folder, *kinds: Kind) -> Iterator[tuple[Difference, Span]]:
    """Yield the differences of some kinds from the lock that lie in the file, with their places."""
    state = state_of(suite, folder)
    if state is None:
        return
    for it in _DIFFERENCES.of(suite, lambda: list(differences(suite.suite, state, folder))):
        number, span = it.place
        if it.kind not in kinds:
            continue
        if number is None:
            if suite.has_head:
                yield it, suite.head_span(span)
        elif suite.has_cases:
            yield it, suite.case_span(number, span)


@rule("SC901", gradable=True, affects="release")
def lock_drift(suite: GovernedSuite, folder: Folder) -> Iterator[Finding]:
    """A case or a setting is not that of the locked version.

    `suitecase lock` has written what the suite's `version` consists of. Results of a suite that
    has changed since would bear the version of another one. Restore what has changed, or raise
    `version` and lock again. Digests are of values: comments, quotes and the order of keys may
    change.

    ```yaml bad
    version: "2026.2"
    evalcases:
      - id: late  # <- finding
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
        input: "My parcel is late."  # in quotes
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
    for difference, span in found(suite, folder, "changed", "head", "version"):
        yield Finding(span, difference.message)


@rule("SC902", gradable=True, affects="release")
def removed_without_entry(suite: GovernedSuite, folder: Folder) -> Iterator[Finding]:
    """A case of the locked version was removed, and nothing says why.

    Whoever compares two versions wants to know why a case has gone and which one replaces it.
    `governance.deprecated` has an entry for each removed case. Entries stay in later versions.

    ```yaml bad
    version: "2026.3"
    evalcases:  # <- finding
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
      "late": {
       "question": "17bf1e9c0288c0f8", "expected": "f4aa55db014ab856",
       "grading": "3ac8e968692867be", "slices": "c041216ec27fcb7c"
      },
      "lost": {
       "question": "a8995adcdc4d32fc", "expected": "f4aa55db014ab856",
       "grading": "3ac8e968692867be", "slices": "c041216ec27fcb7c"
      }
     },
     "digest": "sha256:cc94a967aa0e78b69299ac1ed426815c2e284687ec1a35300e692faf79378fc4"
    }
    ```

    ```yaml fixed
    version: "2026.3"
    governance:
      deprecated:
        - {id: lost, version: "2026.2", reason: "say why"}
    evalcases:
      - id: late
        input: My parcel is late.
        expected_outcome: Says sorry
    ```
    """
    state = state_of(suite, folder)
    for difference, span in found(suite, folder, "removed"):
        fix = None
        if state is not None and difference.name in state.undocumented:
            fix = entry_added(suite, difference.name, state.lock.version)
        yield Finding(span, difference.message, fix=fix)


@rule("SC903", gradable=True, affects="release")
def added_after_lock(suite: GovernedSuite, folder: Folder) -> Iterator[Finding]:
    """A case is not in the locked version.

    Figures of a version are figures of the cases that it was locked with. To add a case, raise
    `version` and lock again.

    ```yaml bad
    version: "2026.2"
    evalcases:
      - id: late
        input: My parcel is late.
        expected_outcome: Says sorry
      - id: lost  # <- finding
        input: My parcel is lost.
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
      "late": {
       "question": "17bf1e9c0288c0f8", "expected": "f4aa55db014ab856",
       "grading": "3ac8e968692867be", "slices": "c041216ec27fcb7c"
      }
     },
     "digest": "sha256:b79ab29a0ac51d798391179045cb083bf8808e3cb6c0dff54039dd54192c3af1"
    }
    ```

    ```yaml good
    version: "2026.3"
    evalcases:
      - id: late
        input: My parcel is late.
        expected_outcome: Says sorry
      - id: lost
        input: My parcel is lost.
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
    for difference, span in found(suite, folder, "added"):
        yield Finding(span, difference.message)
