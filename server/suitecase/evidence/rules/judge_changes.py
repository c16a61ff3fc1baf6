"""Rules on judges, labels and items that have changed since a judge was calibrated."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.evidence.calibration_file import Calibration
from suitecase.evidence.governed import GovernedSuite
from suitecase.evidence.labels.items import items_of
from suitecase.evidence.labels.people import peoples_labels
from suitecase.evidence.outdated_calibrations import (
    JudgeChange,
    changes_of_judge,
    relabeled,
    sorted_answers,
    why_outdated,
)
from suitecase.evidence.rules.judge_places import JudgeEntry, judge_entries
from suitecase.format.rule import Finding, Related, Severity, rule
from suitecase.format.workspace import Folder, Found
from suitecase.formats.suitecase.prompts import prompt_text
from suitecase.text.node import Span
from suitecase.text.plural import counted

#: So many places are shown with a finding at most.
_MOST_PLACES = 5


@rule("SC854", Severity.WARNING)
def calibration_outdated(suite: GovernedSuite, folder: Folder) -> Iterator[Finding]:
    """A judge is not the one that was calibrated.

    A calibration holds for one prompt, model, temperature, number of votes, rule for quotes, set of
    reference files and target. If one of these changes, the judge may err more or less often, and
    gates on it are undecided until `suitecase calibrate` has run again. The same holds for labels
    that people have changed. An answer whose item was reworded does not count any more.

    ```yaml bad
    judges:
      rubric:
        temperature: 1
        calibration: rubric.calibration.json  # <- finding
    evalcases:
      - id: late
        input: My parcel is late.
        expected_outcome: Says sorry
        rubrics:
          - {id: apology, expected_outcome: Apologizes for the delay}
    ```

    ```json bad file=rubric.calibration.json
    {
     "calibration": 1,
     "judge": "rubric",
     "at": "2026-02-03T10:12:00Z",
     "judge_hash": "sha256:6d7e",
     "judge_parts": {"model": "", "temperature": "0", "votes": "1", "quotes": "none"},
     "answers": []
    }
    ```

    ```yaml good
    judges:
      rubric:
        calibration: rubric.calibration.json
    evalcases:
      - id: late
        input: My parcel is late.
        expected_outcome: Says sorry
        rubrics:
          - {id: apology, expected_outcome: Says sorry}
    ```

    ```json good file=rubric.calibration.json
    {
     "calibration": 1,
     "judge": "rubric",
     "at": "2026-02-03T10:12:00Z",
     "judge_hash": "sha256:6d7e",
     "judge_parts": {},
     "answers": []
    }
    ```
    """
    for entry in judge_entries(suite, folder):
        calibration = entry.calibration
        if not isinstance(calibration, Calibration):
            continue
        span, date = entry.span("calibration"), calibration.at[:10]
        changes = changes_of_judge(calibration, suite.suite, folder)
        if changes:
            yield Finding(
                span,
                f"`{entry.name}` has changed since it was calibrated ({date}): "
                f"{why_outdated(changes)}; run `suitecase calibrate` again",
                related=tuple(_files(entry, changes)),
            )
        yield from _labels_changed(entry, calibration, span)
        yield from _reworded(entry, calibration, span)


def _files(entry: JudgeEntry, changes: tuple[JudgeChange, ...]) -> Iterator[Related]:
    """Yield the files of what has changed."""
    parts = {change.part for change in changes}
    prompt = entry.protocol.prompt
    if "prompt" in parts and prompt is not None:
        _, path = prompt_text(prompt, entry.folder)
        if path is not None:
            yield Related("the prompt", Span(0, 0), path)
    for reference in (entry.protocol.references or ()) if "references" in parts else ():
        found = entry.folder.find(reference.strip())
        if isinstance(found, Found):
            yield Related("a reference file", Span(0, 0), found.path)


def _labels_changed(entry: JudgeEntry, calibration: Calibration, span: Span) -> Iterator[Finding]:
    people = peoples_labels(entry.suite.suite, entry.name, entry.folder)
    changed = relabeled(calibration, people) if people is not None else ()
    if changed:
        answers = counted(len(changed), "answer")
        yield Finding(
            span,
            f"people have changed their labels of {answers} since `{entry.name}` was calibrated; run "
            "`suitecase calibrate` again",
        )


def _reworded(entry: JudgeEntry, calibration: Calibration, span: Span) -> Iterator[Finding]:
    found = sorted_answers(calibration, entry.suite.suite)
    if not found.reworded:
        return
    names = sorted({item for _, item in found.items})
    shown = ", ".join(f"`{name}`" for name in names[:3]) + (" and others" if len(names) > 3 else "")
    yield Finding(
        span,
        f"{len(found.reworded):,} of {counted(len(calibration.answers), 'answer')} of the calibration "
        f"are of an earlier wording of {shown} and do not count; run `suitecase calibrate` again",
        related=tuple(_items(entry, sorted(found.items))),
    )


def _items(entry: JudgeEntry, keys: list[tuple[str, str]]) -> Iterator[Related]:
    """Yield the places of items, as far as they are in this file."""
    suite = entry.suite
    by_case = items_of(suite.suite, entry.name)
    for case, name in keys[:_MOST_PLACES]:
        item = by_case.get(case, {}).get(name)
        number = suite.suite.case_named(case)
        if item is None:
            continue
        if item.in_head:
            yield Related(f"`{name}` today", suite.head_span(item.span))
        elif number is not None and suite.has_cases:
            yield Related(f"`{name}` today", suite.case_span(number, item.span))
