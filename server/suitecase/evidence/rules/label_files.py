"""Rules on what of a label file can be read, and on labels that contradict each other."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.checking.rules.prompts import why_not
from suitecase.evidence.governed import GovernedSuite
from suitecase.evidence.rules.label_places import label_files, labeled, shown
from suitecase.format.rule import Finding, Related, Severity, rule
from suitecase.format.workspace import Folder, NotFound, Unreadable
from suitecase.text.node import Span


@rule("SC879", gradable=True, affects="run")
def invalid_label_file(suite: GovernedSuite, folder: Folder) -> Iterator[Finding]:
    """A label file, or a row of it, cannot be read.

    It is CSV with the columns `case`, `answer`, `item`, `rater` and `value`, and maybe
    `wording` and `note`; JSON lines with these keys; or what Label Studio or Argilla export as JSON.
    A row without a value waits for its rater and is not reported. Until the others can be read, gates on
    these labels are undecided.

    ```yaml bad
    human:
      rubric:
        labels: [labels.csv]
    gates: [human.rubric.alpha >= 0.667]
    evalcases:
      - id: refund-late
        input: My parcel is late.
        expected_outcome: Says sorry
        rubrics:
          - {id: apology, expected_outcome: Says sorry}
    ```

    ```csv bad file=labels.csv
    case,answer,item,rater,value
    refund-late,3f9a1c22d1b0a7e4,apology,ann,maybe  # <- finding
    refund-late,3.9E+15,apology,ann,true  # <- finding@13
    refund-late,3f9a1c22d1b0a7e4,apology,,true  # <- finding
    refund-late,3f9a1c22d1b0a7e4,apology,ann,true
    refund-late,3f9a1c22d1b0a7e4,apology,ben,true
    ```

    ```yaml good
    human:
      rubric:
        labels: [labels.csv]
    gates: [human.rubric.alpha >= 0.667]
    evalcases:
      - id: refund-late
        input: My parcel is late.
        expected_outcome: Says sorry
        rubrics:
          - {id: apology, expected_outcome: Says sorry}
    ```

    ```csv good file=labels.csv
    case,answer,item,rater,value
    refund-late,3f9a1c22d1b0a7e4,apology,ann,true
    refund-late,3f9a1c22d1b0a7e4,apology,ben,true
    ```
    """
    for entry in labeled(suite, folder):
        for file in entry.people.files:
            wrong = file.labels
            if isinstance(wrong, Unreadable):
                message = why_not(file.reference, wrong, folder, "a label file")
                if "UTF-8" in wrong.reason:
                    message += "; save it as `CSV UTF-8`"
                yield Finding(suite.head_span(entry.reference(file)), message)
    for named in label_files(suite, folder):
        for problem in named.file.problems:
            yield Finding(problem.span, problem.message, external=named.external(suite))


@rule("SC881", Severity.WARNING)
def missing_label_file(suite: GovernedSuite, folder: Folder) -> Iterator[Finding]:
    """A label file does not exist.

    The file is searched for beside the suite and in each folder above it, up to the root of the
    workspace. Until it is there, gates on these labels are undecided. `suitecase labels RESULTS`
    writes a sheet for each rater.

    ```yaml bad
    human:
      rubric:
        labels: [labels/rubric.ann.csv]  # <- finding@14
    gates: [human.rubric.alpha >= 0.667]
    evalcases:
      - id: refund-late
        input: My parcel is late.
        expected_outcome: Says sorry
        rubrics:
          - {id: apology, expected_outcome: Says sorry}
    ```

    ```yaml good
    human:
      rubric:
        labels: [labels.csv]
    gates: [human.rubric.alpha >= 0.667]
    evalcases:
      - id: refund-late
        input: My parcel is late.
        expected_outcome: Says sorry
        rubrics:
          - {id: apology, expected_outcome: Says sorry}
    ```

    ```csv good file=labels.csv
    case,answer,item,rater,value
    refund-late,3f9a1c22d1b0a7e4,apology,ann,true
    refund-late,3f9a1c22d1b0a7e4,apology,ben,true
    ```
    """
    for entry in labeled(suite, folder):
        for file in entry.people.files:
            if isinstance(file.found, NotFound):
                message = why_not(file.reference, file.found, folder, "a label file")
                yield Finding(
                    suite.head_span(entry.reference(file)),
                    f"{message}; `suitecase labels RESULTS` writes sheets for raters",
                )


@rule("SC880", gradable=True, affects="run")
def contradicting_labels(suite: GovernedSuite, folder: Folder) -> Iterator[Finding]:
    """A rater gave two values to one item of an answer.

    Which of them is meant cannot be known, so neither counts. Remove one of the rows. A row that is
    repeated with the same value counts once and is not reported.

    ```yaml bad
    human:
      rubric:
        labels: [labels.csv]
    gates: [human.rubric.alpha >= 0.667]
    evalcases:
      - id: refund-late
        input: My parcel is late.
        expected_outcome: Says sorry
        rubrics:
          - {id: apology, expected_outcome: Says sorry}
    ```

    ```csv bad file=labels.csv
    case,answer,item,rater,value
    refund-late,3f9a1c22d1b0a7e4,apology,ann,true
    refund-late,3f9a1c22d1b0a7e4,apology,ann,false  # <- finding
    refund-late,90c2e1aa4b7f3d10,apology,ann,true
    refund-late,90c2e1aa4b7f3d10,apology,ben,true
    ```

    ```yaml good
    human:
      rubric:
        labels: [labels.csv]
    gates: [human.rubric.alpha >= 0.667]
    evalcases:
      - id: refund-late
        input: My parcel is late.
        expected_outcome: Says sorry
        rubrics:
          - {id: apology, expected_outcome: Says sorry}
    ```

    ```csv good file=labels.csv
    case,answer,item,rater,value
    refund-late,3f9a1c22d1b0a7e4,apology,ann,true
    refund-late,90c2e1aa4b7f3d10,apology,ann,true
    refund-late,90c2e1aa4b7f3d10,apology,ben,true
    ```
    """
    seen: set[tuple[object, Span]] = set()
    for named in label_files(suite, folder):
        for entry, _ in named.entries:
            for first, second in ((it.first, it.second) for it in entry.people.double):
                span = second.label.cells["value"]
                if second.path != named.path or (second.path, span) in seen:
                    continue
                seen.add((second.path, span))
                line = first.label.line
                where = f"line {line}" if first.path == second.path else f"{first.path.name}:{line}"
                value = shown(first.label.value)
                yield Finding(
                    span,
                    f"{second.label.rater} gave `{second.label.item}` of this answer {value} on "
                    f"{where}, so neither counts; remove one of the two",
                    related=(Related("the other value", first.label.cells["value"], first.path),),
                    external=named.external(suite),
                )
