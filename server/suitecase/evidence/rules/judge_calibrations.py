"""Rules on calibrations of judges: whether there is one that can be used, and what it is made with."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.evidence.calibration_file import Calibration, CalibrationProblem, NoCalibration
from suitecase.evidence.governed import GovernedSuite
from suitecase.evidence.named_judges import judges_named
from suitecase.evidence.outdated_calibrations import sorted_answers
from suitecase.evidence.rules.judge_places import JudgeEntry, judge_entries
from suitecase.figures.gates.names import suite_figures
from suitecase.figures.statistics.binomial import clopper_pearson
from suitecase.format.rule import External, Finding, Severity, rule
from suitecase.format.workspace import Folder
from suitecase.text.node import Span
from suitecase.text.plural import counted

#: Of fewer good or bad answers than this nothing is known about the errors of a judge.
FEWEST = 10


@rule("SC853", Severity.INFO)
def uncalibrated_judge(suite: GovernedSuite, folder: Folder) -> Iterator[Finding]:
    """A judge was never compared with people.

    How often a model that grades is wrong is not known until people have labeled some of the
    answers. `suitecase labels` writes sheets for them, and `suitecase calibrate` compares the judge
    with what they say.

    ```yaml bad
    human:
      rubric:  # <- finding
        labels: [rubric.csv]
    gates: [human.rubric.alpha >= 0.667]
    evalcases:
      - id: late
        input: My parcel is late.
        expected_outcome: Says sorry
        rubrics: [Says sorry]
    ```

    ```csv bad file=rubric.csv
    case,answer,item,rater,value
    ```

    ```yaml good
    judges:
      rubric:
        calibration: rubric.calibration.json
    evalcases:
      - id: late
        input: My parcel is late.
        expected_outcome: Says sorry
        rubrics: [Says sorry]
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
    if suite.model is None or not suite.has_head:
        return
    entries = {judge_entry.name: judge_entry for judge_entry in judge_entries(suite, folder)}
    human = suite.under("human")
    names = [*entries, *(name for name, _ in human or () if name not in entries)]
    for name in names:
        entry = entries.get(name)
        found = entry.calibration if entry is not None else NoCalibration("")
        if not isinstance(found, NoCalibration) or not judges_named(suite.suite, name):
            continue
        yield Finding(_place(suite, name, entry), _never_compared(suite, name, entry))


def _place(suite: GovernedSuite, name: str, entry: JudgeEntry | None) -> Span:
    """Return where a judge is named, under `judges` or else under `human`."""
    if entry is not None:
        return entry.span("calibration")
    human = suite.under("human")
    key = human.key(name) if human is not None else None
    return suite.head_span(key.span if key is not None else Span(0, 0))


def _never_compared(suite: GovernedSuite, name: str, entry: JudgeEntry | None) -> str:
    graded = suite_figures(suite.suite).evaluators
    number = sum(it is not None and name in it for it in graded)
    # The judge of a composite's member is not named by cases.
    cases = f" grades {number:,} of {counted(len(graded), 'case')} and" if number else ""
    if entry is None or entry.protocol.calibration is None:
        return f"`{name}`{cases} was never compared with people"
    return (
        f"`{name}`{cases} was not compared with people yet; `suitecase calibrate` writes this file"
    )


@rule("SC862", Severity.WARNING)
def unusable_calibration(suite: GovernedSuite, folder: Folder) -> Iterator[Finding]:
    """A calibration file cannot be read, or is of another judge.

    Gates on the judge and corrected rates are undecided until it is written again:
    `suitecase calibrate`. A file that was merged with conflicts is restored from one side, or
    written again; lines of two calibrations do not make one.

    ```yaml bad
    judges:
      rubric:
        calibration: rubric.calibration.json
    evalcases:
      - id: late
        input: My parcel is late.
        expected_outcome: Says sorry
        rubrics: [Says sorry]
    ```

    ```json bad file=rubric.calibration.json
    {
     "calibration": 1,
     "judge": "tone",  # <- finding
     "at": "2026-02-03T10:12:00Z",
     "judge_hash": "sha256:6d7e",
     "judge_parts": {},
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
        rubrics: [Says sorry]
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
        problem = entry.calibration
        if isinstance(problem, CalibrationProblem):
            external = External(problem.path, entry.span("calibration"))
            yield Finding(problem.span, problem.message, external=external)


@rule("SC855", Severity.WARNING)
def calibration_one_sided(suite: GovernedSuite, folder: Folder) -> Iterator[Finding]:
    """A judge was calibrated with very few good or very few bad answers.

    Sensitivity, the share of good answers that the judge passes, is measured with good answers
    alone, and specificity with bad ones. With fewer than ten of a kind, the interval spans most of
    what is possible, and so do corrected rates. This is reported if they are less than a quarter of
    all. Label more answers of that kind: those of cases that
    are known to fail, or of a weaker model.

    ```yaml bad
    judges:
      rubric:
        calibration: rubric.calibration.json  # <- finding
    evalcases:
      - id: late
        input: My parcel is late.
        expected_outcome: Says sorry
        rubrics:
          - {id: apology, expected_outcome: Says sorry}
    ```

    ```json bad file=rubric.calibration.json
    {
     "calibration": 1,
     "judge": "rubric",
     "at": "2026-02-03T10:12:00Z",
     "judge_hash": "sha256:6d7e",
     "judge_parts": {},
     "answers": [
      {"case": "late", "answer": "3f9a1c22d1b0a7e4", "people": {"apology": true}, "judge": {"apology": true},
       "people_pass": true, "judge_pass": true}
     ]
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
        answers = sorted_answers(calibration, suite.suite).current
        read = [answer for answer in answers if answer.judge_pass is not None]
        kinds: tuple[tuple[str, str, list[bool]], ...] = (
            ("good", "sensitivity", [bool(it.judge_pass) for it in read if it.people_pass]),
            ("bad", "specificity", [not it.judge_pass for it in read if not it.people_pass]),
        )
        kind, share, right = min(kinds, key=lambda entry: len(entry[2]))
        if len(right) < FEWEST and len(right) * 4 < len(read):
            low, high = clopper_pearson(sum(right), len(right))
            number = len(right)
            is_are = "is" if number == 1 else "are"
            share_of = f"{number} of {counted(len(read), 'labeled answer')} {is_are} {kind}"
            yield Finding(
                entry.span("calibration"),
                f"{share_of if number else f'no labeled answer is {kind}'}: the {share} of "
                f"`{entry.name}` may be anything from {low:z.2f} to {high:z.2f}",
            )
