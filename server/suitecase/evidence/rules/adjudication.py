"""Rules on who settles the differences of raters."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.evidence.governed import GovernedSuite
from suitecase.evidence.labels.people import ItemKey
from suitecase.evidence.rules.label_places import labeled
from suitecase.format.protocols import HumanLabels, person_name
from suitecase.format.rule import Finding, Severity, rule
from suitecase.format.workspace import Folder
from suitecase.text.node import Scalar, Sequence
from suitecase.text.plural import counted


@rule("SC875", Severity.WARNING)
def unadjudicated(suite: GovernedSuite, folder: Folder) -> Iterator[Finding]:
    """Raters differ, and nothing settles it.

    `adjudication` says what counts if raters differ: the value of one of `adjudicators`, the value
    that more than half of the raters gave (`majority`), or the `median` of scores. Answers without
    such a value are left out when a judge is calibrated. `suitecase agreement` lists them.

    ```yaml bad
    human:
      rubric:
        labels: [labels.csv]
        adjudication: adjudicator  # <- finding
        adjudicators: [eva]
    gates: [human.rubric.agreement >= 50%]
    evalcases:
      - id: refund-late
        input: My parcel is late.
        expected_outcome: Says sorry
        rubrics:
          - {id: apology, expected_outcome: Says sorry}
    ```

    ```csv bad file=labels.csv
    case,answer,item,rater,value
    refund-late,90c2e1aa4b7f3d10,apology,ann,true
    refund-late,90c2e1aa4b7f3d10,apology,ben,true
    refund-late,3f9a1c22d1b0a7e4,apology,ann,true
    refund-late,3f9a1c22d1b0a7e4,apology,ben,false
    ```

    ```yaml good
    human:
      rubric:
        labels: [labels.csv]
        adjudication: adjudicator
        adjudicators: [eva]
    gates: [human.rubric.agreement >= 50%]
    evalcases:
      - id: refund-late
        input: My parcel is late.
        expected_outcome: Says sorry
        rubrics:
          - {id: apology, expected_outcome: Says sorry}
    ```

    ```csv good file=labels.csv
    case,answer,item,rater,value
    refund-late,90c2e1aa4b7f3d10,apology,ann,true
    refund-late,90c2e1aa4b7f3d10,apology,ben,true
    refund-late,3f9a1c22d1b0a7e4,apology,ann,true
    refund-late,3f9a1c22d1b0a7e4,apology,ben,false
    refund-late,3f9a1c22d1b0a7e4,apology,eva,true
    ```
    """
    for entry in labeled(suite, folder):
        by_adjudicator = {key for key, _ in entry.people.rated_by_adjudicators}
        open_items = [it for it in entry.people.to_adjudicate if it not in by_adjudicator]
        if open_items:
            yield Finding(
                suite.head_span(entry.at("adjudication")),
                unsettled(entry.people.human, open_items),
                related=entry.places(open_items),
            )


def unsettled(human: HumanLabels, items: list[ItemKey]) -> str:
    """Return what is to be said about differences that nothing settles."""
    differ = "raters differ on " + counted(len({item[:2] for item in items}), "answer")
    if human.adjudication == "adjudicator":
        who = " or ".join(human.adjudicators or ()) or "an adjudicator"
        return f"{differ}, and no value by {who} settles it"
    if human.adjudication == "median":
        return f"{differ}, and half of them say that an item is met: one more rater would settle it"
    return f"{differ}, and no value has a majority"


@rule("SC876", gradable=True, affects="run")
def adjudicator_rated(suite: GovernedSuite, folder: Folder) -> Iterator[Finding]:
    """An adjudicator is one of the raters who differ.

    An adjudicator settles differences of two others. Where an adjudicator is one of the two, nobody
    has settled it, so that the difference stays open. Let somebody else decide, or a third person
    rate the answer.

    ```yaml bad
    human:
      rubric:
        labels: [labels.csv]
        adjudication: adjudicator
        adjudicators: [ann]  # <- finding@20
    gates: [human.rubric.agreement >= 50%]
    evalcases:
      - id: refund-late
        input: My parcel is late.
        expected_outcome: Says sorry
        rubrics:
          - {id: apology, expected_outcome: Says sorry}
    ```

    ```csv bad file=labels.csv
    case,answer,item,rater,value
    refund-late,90c2e1aa4b7f3d10,apology,ann,true
    refund-late,90c2e1aa4b7f3d10,apology,ben,true
    refund-late,3f9a1c22d1b0a7e4,apology,ann,true
    refund-late,3f9a1c22d1b0a7e4,apology,ben,false
    ```

    ```yaml good
    human:
      rubric:
        labels: [labels.csv]
        adjudication: adjudicator
        adjudicators: [eva]
    gates: [human.rubric.agreement >= 50%]
    evalcases:
      - id: refund-late
        input: My parcel is late.
        expected_outcome: Says sorry
        rubrics:
          - {id: apology, expected_outcome: Says sorry}
    ```

    ```csv good file=labels.csv
    case,answer,item,rater,value
    refund-late,90c2e1aa4b7f3d10,apology,ann,true
    refund-late,90c2e1aa4b7f3d10,apology,ben,true
    refund-late,3f9a1c22d1b0a7e4,apology,ann,true
    refund-late,3f9a1c22d1b0a7e4,apology,ben,false
    refund-late,3f9a1c22d1b0a7e4,apology,eva,true
    ```
    """
    for entry in labeled(suite, folder):
        listed = entry.node.get("adjudicators")
        for name in listed.items if isinstance(listed, Sequence) else ():
            rated = [key for key, it in entry.people.rated_by_adjudicators if _is(name, it)]
            if rated and isinstance(name, Scalar):
                number = counted(len({it[:2] for it in rated}), "answer")
                yield Finding(
                    suite.head_span(name.span),
                    f"{name.text} is one of the two who differ on {number}, so somebody else has "
                    "to settle it",
                    related=entry.places(rated),
                )


def _is(node: object, name: str) -> bool:
    return isinstance(node, Scalar) and person_name(node.text) == name
