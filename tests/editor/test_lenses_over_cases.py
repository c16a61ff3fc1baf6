from __future__ import annotations

from typing import Any

import pytest

from suitecase.editor.lenses import Anchors, anchors, lenses
from suitecase.editor.results import DocumentResults, NotRun
from suitecase.formats.suitecase.parsed import ParsedSuite
from support.ide.marked_suite import judged, result, shown, suite

SUITE = """\
    description: x
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
      - input: Bye
        id: part
        expected_outcome: Says goodbye
    """


def titles(
    written: ParsedSuite, results: DocumentResults | None = None, before: Anchors | None = None
) -> list[tuple[str, str]]:
    found = lenses(written, anchors(written, before), results or DocumentResults())
    return [(it.title, shown(written, it.span)) for it in found]


def test_there_is_a_lens_over_the_list_and_over_each_case() -> None:
    assert titles(suite(SUITE)) == [
        ("▶ Run all cases", "«evalcases»:"),
        ("▶ Run case", "- «id»: greet"),
        ("▶ Run case", "- «input»: Bye"),
    ]


def test_a_suite_without_cases_has_no_lenses() -> None:
    assert titles(suite("evalcases: []\n")) == []
    assert titles(suite("")) == []


def test_lenses_show_the_last_verdict_and_whether_it_still_holds() -> None:
    before = suite(SUITE)
    results = DocumentResults(
        {
            "greet": result(before, "greet", "pass", score=0.92, answered_by="model"),
            "part": result(before, "part", "fail", score=0.4, answered_by="model"),
        }
    )
    after = suite(SUITE.replace("Bye", "Good bye"))

    assert [title for title, _ in titles(after, results)] == [
        "▶ Run all cases",
        "✓ pass 0.92",
        "▶ Run again",
        "✗ fail 0.40 (stale)",
        "▶ Run again",
    ]


def test_a_change_to_how_the_whole_suite_is_graded_makes_every_result_stale() -> None:
    before = suite(SUITE)
    results = DocumentResults({"greet": result(before, "greet", "error", error="no key")})
    described = suite(SUITE.replace("description: x", "description: y"))
    regraded = suite(SUITE.replace("description: x", "execution: {target: other}"))

    assert titles(described, results)[1][0] == "! error: no key"
    assert titles(regraded, results)[1][0] == "! error: no key (stale)"


@pytest.mark.parametrize(
    ("record", "title"),
    [
        ({"answered_by": "echo", "candidate_answer": "Hi"}, "○ rehearsed 0.90 (no model)"),
        (
            {"answered_by": "echo", "evaluator_results": [{**judged([]), "judged_by": ["model"]}]},
            "✓ pass 0.90 (mock answer)",
        ),
        (
            {
                "answered_by": "model",
                "evaluator_results": [{**judged([]), "judged_by": ["embedded"]}],
            },
            "○ rehearsed 0.90 (embedded judge)",
        ),
        ({"answered_by": "model"}, "✓ pass 0.90"),
    ],
)
def test_a_verdict_says_what_took_the_place_of_a_model(record: dict[str, Any], title: str) -> None:
    written = suite(SUITE)
    record = {"score": 0.9, "candidate_answer": "Hi", **record}
    results = DocumentResults({"greet": result(written, "greet", "pass", **record)})

    assert titles(written, results)[1][0] == title


@pytest.mark.parametrize(
    ("error", "title"),
    [
        (
            "target `large`: model `openai/x` could not be reached at http://127.0.0.1:9: refused.",
            "! error: model `openai/x` could not be reached at http://127.0.0.1:9",
        ),
        ("evaluator `a`: exit code 1. See the log.", "! error: exit code 1"),
    ],
)
def test_an_error_says_what_failed_and_has_no_score(error: str, title: str) -> None:
    written = suite(SUITE)
    results = DocumentResults({"greet": result(written, "greet", "error", error=error, score=0.0)})

    assert titles(written, results)[1][0] == title


def test_a_case_that_was_not_run_leads_to_what_is_wrong_with_it() -> None:
    written = suite(SUITE)
    place = anchors(written, None)
    own = NotRun("SC101 at a.eval.yaml:3:5: bad", "unsound", 2)
    found = lenses(written, place, DocumentResults(), {"part": own})
    shared = lenses(written, place, DocumentResults(), {None: own})

    assert [(it.title, it.action) for it in found[1:]] == [
        ("▶ Run case", "run"),
        ("not run: 2 errors", "problem"),
        ("▶ Run case", "run"),
    ]
    assert [(it.title, it.case) for it in shared] == [
        ("▶ Run all cases", None),
        ("not run: 2 errors", None),
        ("▶ Run case", "greet"),
        ("▶ Run case", "part"),
    ]


def test_a_case_that_is_being_run_says_so() -> None:
    assert titles(suite(SUITE), DocumentResults(running={"part"}))[2][0] == ("■ Cancel (running…)")


def test_a_case_that_does_not_parse_keeps_its_lens_and_the_others_stay_where_they_are() -> None:
    good = suite(SUITE)
    broken = suite(SUITE.replace("input: Hi", 'input: "Hi\n        note: x'))

    found = titles(broken, before=anchors(good, None))

    assert found == [
        ("▶ Run all cases", "«evalcases»:"),
        ("▶ Run case", "- «id»: greet"),
        ("▶ Run case", "- «input»: Bye"),
    ]


def test_a_text_that_does_not_parse_at_all_keeps_its_lenses_at_the_lines_they_belong_to() -> None:
    good = suite(SUITE)
    broken = suite("# first\nexecution: {target: [\n" + good.document.text)

    found = titles(broken, before=anchors(good, None))

    assert [place for _, place in found] == [
        "«evalcases»:",
        "- «id»: greet",
        "- «input»: Bye",
    ]


def test_a_case_that_was_renamed_or_removed_leaves_no_lens_behind() -> None:
    good = suite(SUITE)
    renamed = suite(SUITE.replace("id: greet", "id: hail"))

    found = anchors(renamed, anchors(good, None))

    assert list(found.cases) == ["hail", "part"]
