"""Rules on files and judges that are not those of the locked version."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.evidence.governed import GovernedSuite
from suitecase.evidence.rules.locked_cases import found
from suitecase.format.rule import Finding, rule
from suitecase.format.workspace import Folder


@rule("SC904", gradable=True, affects="release")
def grader_drift(suite: GovernedSuite, folder: Folder) -> Iterator[Finding]:
    """A file that questions or grades depend on is not that of the locked version.

    Scores of another prompt or script cannot be compared with those of the locked version. Restore
    the file, or raise `version` and lock again.

    ```yaml bad
    version: "2026.2"
    evalcases:
      - id: late
        input: My parcel is late.
        expected_outcome: Says sorry
        evaluators:
          - name: tone
            type: llm_judge
            prompt: tone.md  # <- finding
    ```

    ```markdown bad file=tone.md
    Is this answer polite? {{ candidate_answer }}
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
     "files": {
      "tone.md": "sha256:3bcf2f57e3e4898e2f02e846dc55edbe4b433f070b3234b632617ba5c249c342"
     },
     "graders": {"tone": "3116ef9cd139de28"},
     "cases": {
      "late": {
       "question": "17bf1e9c0288c0f8", "expected": "f4aa55db014ab856",
       "grading": "ff0e43d088ffd76e", "slices": "c041216ec27fcb7c"
      }
     },
     "digest": "sha256:eb122def83c6ccf32bb5d214133afc1ced11d7dd83e59d29b5de512e516b9574"
    }
    ```

    ```yaml good
    version: "2026.2"
    evalcases:
      - id: late
        input: My parcel is late.
        expected_outcome: Says sorry
        evaluators:
          - name: tone
            type: llm_judge
            prompt: tone.md
    ```

    ```markdown good file=tone.md
    Is this answer polite? {{ candidate_answer }}
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
     "files": {
      "tone.md": "sha256:c349d697c756333bb2b254c56b3868e84ce23118624cedac83a7264be48daa83"
     },
     "graders": {"tone": "4d45a7485ffea543"},
     "cases": {
      "late": {
       "question": "17bf1e9c0288c0f8", "expected": "f4aa55db014ab856",
       "grading": "7808b3d5aad96641", "slices": "c041216ec27fcb7c"
      }
     },
     "digest": "sha256:e535fb47e196570451a9a59f773397bebafce0ffde71e1ce385f7e4c58e9a7aa"
    }
    ```
    """
    for difference, span in found(suite, folder, "file"):
        yield Finding(span, difference.message)


@rule("SC905", gradable=True, affects="release")
def judge_drift(suite: GovernedSuite, folder: Folder) -> Iterator[Finding]:
    """A judge is not that of the locked version.

    Another model, protocol or target judges differently, and a calibration is one of the judge that
    it was measured with. Restore the judge, or raise `version` and lock again.

    ```yaml bad
    version: "2026.2"
    judges:
      rubric:
        model: openai/gpt-5-2025-08-07  # <- finding
    evalcases:
      - id: late
        input: My parcel is late.
        expected_outcome: Says sorry
        rubrics: [Says sorry]
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
     "judges": {
      "rubric": {
       "protocol": "ce63b0e312482f47",
       "hash": "sha256:a0fa3c8b885e116485ab436ddab937906659851caf0dd3ac22a8e72e14aa365a",
       "model": "openai/gpt-4.1-2025-04-14"
      }
     },
     "cases": {
      "late": {
       "question": "17bf1e9c0288c0f8", "expected": "f4aa55db014ab856",
       "grading": "421bdbd0aee44d0b", "slices": "c041216ec27fcb7c"
      }
     },
     "digest": "sha256:66ebc8247d14f0319fd3d7bc082224c1990cb3132c16bf6cd0e8e624a59b5bf7"
    }
    ```

    ```yaml good
    version: "2026.2"
    judges:
      rubric:
        model: openai/gpt-4.1-2025-04-14
    evalcases:
      - id: late
        input: My parcel is late.
        expected_outcome: Says sorry
        rubrics: [Says sorry]
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
     "judges": {
      "rubric": {
       "protocol": "ce63b0e312482f47",
       "hash": "sha256:a0fa3c8b885e116485ab436ddab937906659851caf0dd3ac22a8e72e14aa365a",
       "model": "openai/gpt-4.1-2025-04-14"
      }
     },
     "cases": {
      "late": {
       "question": "17bf1e9c0288c0f8", "expected": "f4aa55db014ab856",
       "grading": "421bdbd0aee44d0b", "slices": "c041216ec27fcb7c"
      }
     },
     "digest": "sha256:66ebc8247d14f0319fd3d7bc082224c1990cb3132c16bf6cd0e8e624a59b5bf7"
    }
    ```
    """
    for difference, span in found(suite, folder, "judge"):
        yield Finding(span, difference.message)
