"""Which labels count for an evaluator, what raters agree on, and what is to be adjudicated."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from suitecase.evidence.labels.digests import VERDICT, answer_digest, text_digest, wording_digest
from suitecase.evidence.labels.items import graded_items, items_of
from suitecase.evidence.labels.people import PeoplesLabels, peoples_labels
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.parsed import ParsedSuite, parse_suite
from suitecase_evaluators.answers.rubric import Rubric

ANSWER = answer_digest("Sorry!")
SUITE = """\
human:
  rubric:
    labels: [labels.csv]
    {settings}
evalcases:
  - id: late
    input: My parcel is late.
    expected_outcome: Says sorry
    rubrics:
      - {{id: apology, expected_outcome: Says sorry}}
      - id: tone
        score_ranges: {{0: Blames, 3: Is polite, 8: Is warm}}
  - id: other
    input: Hi
    expected_outcome: Greets
"""
HEADER = "case,answer,item,wording,rater,value\n"


def people(
    root: Path, rows: str, settings: str = "raters: 2", header: str = HEADER
) -> PeoplesLabels:
    """Return what a label file comes to; rows may leave the answer out: `late apology ann yes`."""
    lines = []
    for row in dedent(rows).strip().splitlines():
        case, item, rater, value, *more = row.split()
        wording = more[0] if more else ""
        answer = more[1] if len(more) > 1 else ANSWER
        lines.append(f"{case},{answer},{item},{wording},{rater},{value}\n")
    (root / "labels.csv").write_text(header + "".join(lines))
    found = peoples_labels(
        parse_suite(SUITE.format(settings=settings)), "rubric", Folder(Workspace(root), root)
    )
    assert found is not None
    return found


def test_digests_are_those_of_the_text() -> None:
    # printf 'Sorry!' | sha256sum
    assert ANSWER == "9317a84bd54abe32"
    one = Rubric(id="tone", expected_outcome="Is warm", weight=2)
    assert wording_digest(one) == wording_digest(Rubric(id="t", expected_outcome="Is warm"))
    assert wording_digest(one) != wording_digest(Rubric(expected_outcome="Is polite"))


def test_both_forms_of_the_same_score_ranges_have_the_same_wording() -> None:
    mapped = Rubric.model_validate({"id": "a", "score_ranges": {"0": "Bad", "5": "Good"}})
    listed = Rubric.model_validate(
        {
            "id": "a",
            "score_ranges": [
                {"score_range": [5, 10], "expected_outcome": "Good"},
                {"score_range": [0, 4], "expected_outcome": "Bad"},
            ],
        }
    )
    assert wording_digest(mapped) == wording_digest(listed)


def test_labels_that_count(tmp_path: Path) -> None:
    wording = items_of(parse_suite(SUITE.format(settings="raters: 2")), "rubric")["late"]["tone"]
    found = people(
        tmp_path,
        f"""
        late apology ann yes
        late apology ben 1
        late tone ann 8 {wording.wording}
        late tone ben 1
        """,
    )
    assert found.by_answer == {
        ("late", ANSWER): {
            "apology": {"ann": True, "ben": True},
            "tone": {"ann": 8, "ben": 1},
        }
    }
    assert found.raters == ("ann", "ben")
    assert list(found.units("check").values()) == [[("ann", True), ("ben", True)]]
    assert list(found.units("range")) == [("late", ANSWER, "tone")]
    assert found.to_adjudicate == [("late", ANSWER, "tone")]
    assert [it.label.line for it in found.labels_of(("late", ANSWER, "tone"))] == [4, 5]


def test_labels_that_do_not_count_are_kept_apart(tmp_path: Path) -> None:
    found = people(
        tmp_path,
        """
        lat apology ann yes
        late apologie ann yes
        other apology ann yes
        late tone ann 11
        late tone ben yes
        late tone eva 6.5
        late apology ben 2
        late apology eva yes 00000000
        late tone dan 5
        late tone dan 6
        late tone fay 5
        late tone fay 5
        """,
    )
    assert [it.label.line for it in found.unknown_case] == [2]
    assert [it.label.line for it in found.unknown_item] == [3, 4]
    assert [it.label.line for it in found.off_scale] == [5, 6, 7, 8]
    assert [it.label.line for it in found.stale] == [9]
    assert [(it.first.label.line, it.second.label.line) for it in found.double] == [(10, 11)]
    assert found.by_answer == {("late", ANSWER): {"tone": {"fay": 5}}}


def test_the_same_label_in_two_files_counts_once(tmp_path: Path) -> None:
    (tmp_path / "more.csv").write_text(HEADER + f"late,{ANSWER},tone,,ann,8\n")
    (tmp_path / "labels.csv").write_text(HEADER + f"late,{ANSWER},tone,,ann,8\n")
    text = SUITE.format(settings="raters: 1").replace("[labels.csv]", "[labels.csv, more.csv]")
    found = peoples_labels(parse_suite(text), "rubric", Folder(Workspace(tmp_path), tmp_path))
    assert found is not None
    assert (len(found.labels), found.double) == (1, ())


@pytest.mark.parametrize(
    ("settings", "rows", "value"),
    [
        ("adjudication: majority", "late tone ann 8", 8),
        ("adjudication: majority", "late tone ann 8\nlate tone ben 8", 8),
        ("adjudication: majority", "late tone ann 8\nlate tone ben 6", None),
        ("adjudication: majority", "late tone ann 8\nlate tone ben 6\nlate tone eva 6", 6),
        ("adjudication: majority", "late tone ann 8\nlate tone ben 6\nlate tone eva 7", None),
        ("adjudication: median", "late tone ann 8\nlate tone ben 6", 7),
        ("adjudication: median", "late tone ann 8\nlate tone ben 7", 7),
        ("adjudication: median", "late tone ann 1\nlate tone ben 6\nlate tone eva 7", 6),
        (
            "adjudication: adjudicator\n    adjudicators: [eva]",
            "late tone ann 8\nlate tone ben 6",
            None,
        ),
        (
            "adjudication: adjudicator\n    adjudicators: [eva]",
            "late tone ann 8\nlate tone ben 6\nlate tone eva 7",
            7,
        ),
        (
            "adjudication: adjudicator\n    adjudicators: [eva]",
            "late tone ann 8\nlate tone ben 8\nlate tone eva 7",
            8,
        ),
        (
            "adjudication: adjudicator\n    adjudicators: [eva, fay]",
            "late tone ann 8\nlate tone ben 6\nlate tone eva 7\nlate tone fay 8",
            None,
        ),
    ],
)
def test_differences_are_settled_as_the_suite_says(
    tmp_path: Path, settings: str, rows: str, value: int | None
) -> None:
    found = people(tmp_path, rows, settings)
    assert found.adjudicated() == {("late", ANSWER): {"tone": value}}
    assert bool(found.to_adjudicate) == (value is None)


def test_checks_have_no_median_between_two(tmp_path: Path) -> None:
    found = people(tmp_path, "late apology ann yes\nlate apology ben no", "adjudication: median")
    assert found.to_adjudicate == [("late", ANSWER, "apology")]


def test_decisions_of_adjudicators_are_not_ratings(tmp_path: Path) -> None:
    settings = "adjudication: adjudicator\n    adjudicators: [eva]"
    rows = "late tone ann 8\nlate tone ben 6\nlate tone eva 7"
    found = people(tmp_path, rows, settings)
    assert found.units("range") == {("late", ANSWER, "tone"): [("ann", 8), ("ben", 6)]}
    assert found.raters == ("ann", "ben")
    assert found.rated_by_adjudicators == []


def test_an_adjudicator_who_is_one_of_two_who_differ_settles_nothing(tmp_path: Path) -> None:
    settings = "adjudication: adjudicator\n    adjudicators: [eva]"
    found = people(tmp_path, "late tone ann 8\nlate tone eva 6", settings)
    assert found.to_adjudicate == [("late", ANSWER, "tone")]
    assert found.rated_by_adjudicators == [(("late", ANSWER, "tone"), "eva")]


def parsed(text: str) -> ParsedSuite:
    return parse_suite(dedent(text))


def test_items_of_each_kind_of_evaluator() -> None:
    suite = parsed(
        """\
        execution:
          evaluators:
            - {name: of-suite, type: llm_judge, rubrics: [Is short]}
            - {name: whole, type: llm_judge}
            - {name: exact, type: equals, value: x}
        evalcases:
          - {id: a, input: x, expected_outcome: Greets}
          - id: b
            input: x
            expected_outcome: Answers
            evaluators:
              - {name: own, type: llm_judge, rubrics: [{id: kind, expected_outcome: Is kind}]}
              - {name: whole, type: criteria, criteria: Is true}
        """
    )
    assert list(items_of(suite, "of-suite")) == ["a"]
    assert items_of(suite, "of-suite")["a"]["rubric-1"].in_head
    whole = items_of(suite, "whole")
    assert whole["a"][VERDICT].wording == text_digest("Greets")
    assert whole["b"][VERDICT].wording == text_digest("Is true")
    own = items_of(suite, "own")["b"]["kind"]
    assert suite.cases[1].source[own.span.start : own.span.end] == "kind"
    assert items_of(suite, "exact") == {"a": {}}
    assert items_of(suite, "missing") == {}


def test_the_verdict_of_the_default_judge_and_of_criteria() -> None:
    suite = parsed("evalcases: [{id: a, input: x, expected_outcome: Greets}]\n")
    assert items_of(suite, "llm_judge")["a"][VERDICT].wording == text_digest("Greets")
    suite = parsed(
        """\
        evaluation_mode: llm
        evaluation_criteria: Is true
        evalcases: [{id: a, input: x, expected_outcome: Greets}]
        """
    )
    assert items_of(suite, "llm_judge") == {}
    assert items_of(suite, "evaluation_criteria")["a"][VERDICT].in_head


def test_a_case_with_errors_has_no_known_items() -> None:
    suite = parsed(
        """\
        evalcases:
          - {id: a, input: x, expected_outcome: Greets, rubrics: [Greets]}
          - {id: b, input: x, rubrics: [{}]}
        """
    )
    found = graded_items(suite, "rubric")
    assert [set(it) for it in (found.by_case, found.unread, found.cases)] == [
        {"a"},
        {"b"},
        {"a", "b"},
    ]


def test_what_labels_come_to_is_found_once_for_an_unchanged_suite(tmp_path: Path) -> None:
    (tmp_path / "labels.csv").write_text(HEADER + f"late,{ANSWER},tone,,ann,8\n")
    suite = parse_suite(SUITE.format(settings="raters: 2"))
    first = peoples_labels(suite, "rubric", Folder(Workspace(tmp_path), tmp_path))
    assert peoples_labels(suite, "rubric", Folder(Workspace(tmp_path), tmp_path)) is first
    (tmp_path / "labels.csv").write_text(HEADER + f"late,{ANSWER},tone,,ann,9\n")
    assert peoples_labels(suite, "rubric", Folder(Workspace(tmp_path), tmp_path)) is not first


@pytest.mark.parametrize(
    "evaluator",
    [
        "{name: calls, type: tool_trajectory, mode: any_order, minimums: {search: 1}}",
        "{name: fields, type: field_accuracy, fields: [{path: city}]}",
    ],
)
def test_evaluators_with_criteria_that_are_no_text_have_nothing_to_label(evaluator: str) -> None:
    text = f"""\
execution: {{evaluators: [{evaluator}]}}
evalcases:
  - {{id: late, input: Hi, expected_outcome: Greets, expected_output: {{city: Rome}}}}
"""
    name = "calls" if "calls" in evaluator else "fields"
    assert items_of(parse_suite(text), name)["late"] == {}


def test_moving_an_item_keeps_what_labels_come_to_and_moves_its_place(tmp_path: Path) -> None:
    (tmp_path / "labels.csv").write_text(HEADER + f"late,{ANSWER},tone,,ann,8\n")
    text = SUITE.format(settings="raters: 2")
    folder = Folder(Workspace(tmp_path), tmp_path)
    before = parse_suite(text)
    first = peoples_labels(before, "rubric", folder)
    after = parse_suite(text.replace("My parcel is late.", "It is late, you."), reuse=before)
    second = peoples_labels(after, "rubric", folder)
    assert first is not None
    assert second is not None
    assert second.labels is first.labels
    span = second.items.by_case["late"]["tone"].span
    assert after.cases[0].source[span.start : span.end] == "tone"
