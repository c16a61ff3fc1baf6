"""Rules on the rows of label files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from suitecase.evidence.governed import GovernedSuite
from suitecase.evidence.labels.label import Label
from suitecase.evidence.labels.people import PlacedLabel
from suitecase.evidence.rules.label_places import (
    MOST_PLACES,
    Labeled,
    NamedLabels,
    label_files,
    labeled,
    shown,
)
from suitecase.format.rule import Edit, External, Finding, Fix, Related, Severity, rule
from suitecase.format.workspace import Folder, Found
from suitecase.text.near_names import nearest
from suitecase.text.plural import counted
from suitecase_evaluators.answers.rubric import TOP

#: What can stand in a cell of any format without quotes and escapes.
_PLAIN = re.compile(r"[^\s\"'\\,;=+@\-\d][^\"\\,;\t\r\n]*")


@rule("SC871", gradable=True, affects="run")
def label_of_unknown_case(suite: GovernedSuite, folder: Folder) -> Iterator[Finding]:
    """A label is of a case or an item that the suite does not have.

    The label does not count. `case` is the id of a case, and `item` the id of one of its rubric
    items, or `verdict` for a judge without rubric items. Labels of cases that are listed under
    `governance.deprecated` are not reported.

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
    refund-lat,3f9a1c22d1b0a7e4,apology,ann,true  # <- finding@1
    refund-late,90c2e1aa4b7f3d10,apologies,ann,true  # <- finding@30
    refund-late,90c2e1aa4b7f3d10,apology,ben,true
    ```

    ```yaml fixed
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

    ```csv fixed file=labels.csv
    case,answer,item,rater,value
    refund-late,3f9a1c22d1b0a7e4,apology,ann,true
    refund-late,90c2e1aa4b7f3d10,apology,ann,true
    refund-late,90c2e1aa4b7f3d10,apology,ben,true
    ```
    """
    for named in label_files(suite, folder):
        external = named.external(suite)
        yield from _unknown_cases(suite, named, external)
        yield from _unknown_items(named, external)


def _unknown_cases(
    suite: GovernedSuite, named: NamedLabels, external: External
) -> Iterator[Finding]:
    entry, _ = named.entries[0]
    items = entry.people.items
    governance = suite.model.governance if suite.model is not None else None
    deprecated = {it.id for it in (governance.deprecated or ())} if governance is not None else ()
    by_case: dict[str, list[Label]] = {}
    for path, label in entry.people.unknown_case:
        if path == named.path and label.case not in deprecated:
            by_case.setdefault(label.case, []).append(label)
    for case, labels in by_case.items():
        meant = nearest(case, sorted(items.cases))
        message = f"the suite has no case `{case}`"
        yield _misnamed(labels, "case", message, meant, external)


def _unknown_items(named: NamedLabels, external: External) -> Iterator[Finding]:
    """Yield the items that no evaluator has whose labels may be in the file."""
    entries = [entry for entry, _ in named.entries]
    shared = set.intersection(*({id(it.label) for it in _items(entry)} for entry in entries))
    by_item: dict[tuple[str, str], list[Label]] = {}
    for path, label in _items(entries[0]):
        if path == named.path and id(label) in shared:
            by_item.setdefault((label.case, label.item), []).append(label)
    named_entries = dict.fromkeys(f"`{entry.people.name}`" for entry in entries)
    names = " and ".join(named_entries)
    for (case, item), labels in by_item.items():
        known = sorted({it for entry in entries for it in entry.people.items.by_case.get(case, ())})
        if known:
            verb = "has" if len(named_entries) == 1 else "have"
            message = f"{names} {verb} no item `{item}` in the case `{case}`"
        else:
            verb = "does" if len(named_entries) == 1 else "do"
            message = f"{names} {verb} not grade the case `{case}`"
        yield _misnamed(labels, "item", message, nearest(item, known), external)


def _items(entry: Labeled) -> tuple[PlacedLabel, ...]:
    # Of an evaluator that does not exist, its name is what is wrong.
    return entry.people.unknown_item if entry.people.items.is_graded else ()


def _misnamed(
    labels: list[Label], column: str, message: str, meant: str | None, external: External
) -> Finding:
    """Return the finding about labels with the same wrong name, at the first of them."""
    fix = None
    if meant is not None:
        message += f"; did you mean `{meant}`?"
        if _PLAIN.fullmatch(meant):
            edits = tuple(Edit(label.cells[column], meant) for label in labels)
            fix = Fix(f"Change to `{meant}`", edits, safe=False)
    if len(labels) > 1:
        message += f" ({len(labels):,} labels name it)"
    return Finding(labels[0].cells[column], message, fix, external=external)


@rule("SC872", gradable=True, affects="run")
def label_off_scale(suite: GovernedSuite, folder: Folder) -> Iterator[Finding]:
    """A label has a value that its item cannot have.

    An item with `score_ranges` has a whole number from 0 to 10. Any other item, and a verdict, is met
    or not: `true` or `false`, which may also be written as `yes` or `no`, and 1 or 0. A label with
    another value does not count.

    ```yaml bad
    human:
      rubric:
        labels: [labels.csv]
    gates: [human.rubric.agreement >= 50%]
    evalcases:
      - id: refund-late
        input: My parcel is late.
        expected_outcome: Says sorry
        rubrics:
          - {id: apology, expected_outcome: Says sorry}
          - {id: tone, score_ranges: {0: Blames the customer, 5: Is warm}}
    ```

    ```csv bad file=labels.csv
    case,answer,item,rater,value
    refund-late,3f9a1c22d1b0a7e4,tone,ann,11  # <- finding@39
    refund-late,3f9a1c22d1b0a7e4,tone,ben,yes  # <- finding
    refund-late,3f9a1c22d1b0a7e4,apology,ann,3  # <- finding
    refund-late,3f9a1c22d1b0a7e4,apology,ben,1
    refund-late,3f9a1c22d1b0a7e4,apology,eva,yes
    ```

    ```yaml good
    human:
      rubric:
        labels: [labels.csv]
    gates: [human.rubric.agreement >= 50%]
    evalcases:
      - id: refund-late
        input: My parcel is late.
        expected_outcome: Says sorry
        rubrics:
          - {id: apology, expected_outcome: Says sorry}
          - {id: tone, score_ranges: {0: Blames the customer, 5: Is warm}}
    ```

    ```csv good file=labels.csv
    case,answer,item,rater,value
    refund-late,3f9a1c22d1b0a7e4,tone,ann,10
    refund-late,3f9a1c22d1b0a7e4,tone,ben,10
    refund-late,3f9a1c22d1b0a7e4,apology,ann,true
    refund-late,3f9a1c22d1b0a7e4,apology,ben,true
    ```
    """
    for named in label_files(suite, folder):
        external = named.external(suite)
        seen: set[int] = set()
        for entry, _ in named.entries:
            for path, label in entry.people.off_scale:
                if path != named.path or id(label) in seen:
                    continue
                seen.add(id(label))
                item = entry.people.items.by_case[label.case][label.item]
                value = shown(label.value)
                if item.mode == "check":
                    message = f"`{label.item}` is met or not: write `true` or `false`, not {value}"
                else:
                    message = f"{value} is not on the scale of `{label.item}`, whole numbers from 0 to {TOP}"
                yield Finding(label.cells["value"], message, external=external)


@rule("SC874", Severity.WARNING)
def stale_labels(suite: GovernedSuite, folder: Folder) -> Iterator[Finding]:
    """Labels are of an earlier wording of a rubric item.

    `wording` is the digest of the text and the score ranges of the item when it was labeled. Since
    the item has changed, these labels say nothing about it any more, and do not count. Let people
    label the answers again, or restore the wording. The id, the weight and the minimum score of an
    item may change.

    ```yaml bad
    human:
      rubric:
        labels: [labels.csv]  # <- finding
    gates: [human.rubric.alpha >= 0.667]
    evalcases:
      - id: refund-late
        input: My parcel is late.
        expected_outcome: Says sorry
        rubrics:
          - {id: apology, expected_outcome: Says sorry that the parcel is late}
    ```

    ```csv bad file=labels.csv
    case,answer,item,wording,rater,value
    refund-late,3f9a1c22d1b0a7e4,apology,65d08c5c,ann,true
    refund-late,3f9a1c22d1b0a7e4,apology,65d08c5c,ben,true
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
    case,answer,item,wording,rater,value
    refund-late,3f9a1c22d1b0a7e4,apology,478c41bd,ann,true
    refund-late,3f9a1c22d1b0a7e4,apology,478c41bd,ben,true
    ```
    """
    for entry in labeled(suite, folder):
        people = entry.people
        by_file: dict[tuple[Path, str], list[Label]] = {}
        for stale in people.stale:
            by_file.setdefault((stale.path, stale.label.item), []).append(stale.label)
        for file in people.files:
            for (path, item), labels in by_file.items():
                if file.found != Found(path):
                    continue
                number = counted(len(labels), "label")
                verb, do = ("is", "does") if len(labels) == 1 else ("are", "do")
                yield Finding(
                    suite.head_span(entry.reference(file)),
                    f"{number} {verb} of an earlier wording of `{item}` and {do} not count",
                    related=tuple(_items_of(suite, entry, labels))[:MOST_PLACES],
                )


def _items_of(suite: GovernedSuite, entry: Labeled, labels: list[Label]) -> Iterator[Related]:
    """Yield the items of some labels, as far as they are in the file that is checked."""
    for case, item_id in dict.fromkeys((label.case, label.item) for label in labels):
        item = entry.people.items.by_case[case][item_id]
        number = suite.suite.case_named(case)
        if item.in_head:
            yield Related(f"the item `{item_id}`", suite.head_span(item.span))
        elif suite.has_cases and number is not None:
            yield Related(f"`{item_id}` of the case `{case}`", suite.case_span(number, item.span))
