"""`suitecase compare`: intervals, tests and effect sizes of the difference between two runs."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suitecase.report.comparison import compare
from suitecase.report.pair_tests import PairTest, PairTests, pair_tests_of
from suitecase.report.pairs import pairs_of
from suitecase_evaluators.answers.records.record import ResultRecord
from support.report_pages import HOSTILE, Page, evaluator, record, suitecase, write_results

Records = list[dict[str, Any]]


def compared(before: Records, after: Records) -> PairTests:
    """Compare two runs without files."""
    found = compare([ResultRecord(it) for it in before], [ResultRecord(it) for it in after])
    return pair_tests_of([(it.targets, pairs_of(it)) for it in found.figures], {})


def whole(found: PairTests, figure: str = "pass_rate", slice_: str | None = None) -> PairTest:
    (test,) = (it for it in found.tests if (it.figure, it.slice) == (figure, slice_))
    return test


def table(both: int, fell: int, rose: int, neither: int) -> tuple[Records, Records]:
    """Return two runs with so many cases that pass in both, in one, and in neither."""
    verdicts = [(1, 1)] * both + [(1, 0)] * fell + [(0, 1)] * rose + [(0, 0)] * neither
    before = [record(f"c{at}", float(old)) for at, (old, _) in enumerate(verdicts)]
    after = [record(f"c{at}", float(new)) for at, (_, new) in enumerate(verdicts)]
    return before, after


def test_table_of_fagerland_2013_from_results_files_to_printed_numbers(tmp_path: Path) -> None:
    # Fagerland, Lydersen and Laake, BMC Medical Research Methodology 13:91 (2013), table 1: 21
    # children before and after a transplantation. The exact conditional p-value is 0.070.
    before, after = table(both=1, fell=1, rose=7, neither=12)
    old = write_results(tmp_path / "before.jsonl", *before)
    new = write_results(tmp_path / "after.jsonl", *after)
    text = suitecase("compare", old, new).out
    (row,) = (line for line in text.splitlines() if line.startswith("pass_rate "))
    assert row.split()[:5] == ["pass_rate", "21", "0.095", "0.381", "+0.286"]
    assert row.split()[-3:] == ["7", "1", "0.070"]
    assert "McNemar's exact test, two-sided p = 0.070" in text
    assert "odds ratio 7 [0.899, 315]" in text
    assert "pass_rate: may be chance (p = 0.070)" in text
    # The score is 0 or 1 here, so its test is the same one.
    assert "p: adjusted for 1 test (Holm)." in text
    told = json.loads(suitecase("compare", old, new, "--format", "json").out)["tests"]
    figure = told["figures"][0]
    assert (figure["test"], figure["p"]) == ("mcnemar_exact", 18 / 2**8)
    assert figure["odds_low"] == pytest.approx(1 / 1.111975232)
    assert figure["odds_high"] == pytest.approx(1 / 0.003169739, rel=1e-6)
    assert (told["made"], told["adjustment"]) == (1, "holm")


def test_table_of_armitage_and_berry() -> None:
    # Armitage and Berry, Statistical Methods in Medical Research (1994), page 127; with the exact
    # test and interval of Liddell (1983): p 0.0129, 6 (1.335744 to 55.197091).
    test = whole(compared(*table(both=20, fell=2, rose=12, neither=16)))
    assert test.odds == pytest.approx((6, 1.335744, 55.197091), abs=1e-6)
    assert test.p == pytest.approx(0.0129, abs=5e-5)
    assert test.conclusion == "higher"


scores = st.sampled_from([None, 0.0, 0.25, 0.5, 0.7, 0.8, 1.0])
cases = st.lists(
    st.tuples(
        scores, scores, st.sampled_from([[], ["x"], ["x", "y"]]), st.sampled_from([None, "g", "h"])
    ),
    max_size=40,
)


def runs_of(them: Any) -> Any:
    return tuple(
        [
            record(f"c{at}", it[side], tags=it[2], group=it[3], evaluator_results=[])
            for at, it in enumerate(them)
        ]
        for side in (0, 1)
    )


@given(cases)
@settings(max_examples=40, deadline=None)
def test_a_run_compared_with_itself_differs_nowhere(them: Any) -> None:
    before, _ = runs_of(them)
    found = compared(before, before)
    assert found.made == 0
    for test in found.tests:
        assert (test.difference, test.rose, test.fell, test.p) == (0, 0, 0, None)
        assert test.conclusion == "too_few_differ"


def test_text_about_a_run_and_itself_names_no_figure_that_is_the_same(tmp_path: Path) -> None:
    path = write_results(
        tmp_path / "a.jsonl", *(record(f"c{it}", tags=[f"t{it % 3}"]) for it in range(9))
    )
    text = suitecase("compare", path, path).out
    assert "No case differs in 6 more figures of evaluators and slices." in text
    assert "pass_rate: no case differs" in text
    assert "[t0]" not in text


@given(cases, st.randoms())
@settings(max_examples=40, deadline=None)
def test_the_order_of_cases_does_not_matter(them: Any, order: random.Random) -> None:
    before, after = runs_of(them)
    found = compared(before, after)
    order.shuffle(before)
    order.shuffle(after)
    assert compared(before, after) == found


@given(cases)
@settings(max_examples=40, deadline=None)
def test_exchanging_the_runs_exchanges_the_signs(them: Any) -> None:
    before, after = runs_of(them)
    there, back = compared(before, after), compared(after, before)
    assert there.made == back.made
    for one, other in zip(there.tests, back.tests, strict=True):
        assert one.difference == pytest.approx(-other.difference)
        assert (one.rose, one.fell) == (other.fell, other.rose)
        assert one.p == pytest.approx(other.p)


def test_cases_of_a_group_are_one_unit() -> None:
    def run(score: float, groups: int) -> Records:
        return [record(f"c{it}", score, group=f"g{it % groups}") for it in range(40)]

    # 40 cases alone would leave no doubt; in 4 groups they could say nothing.
    test = whole(compared(run(0.0, 40), run(1.0, 40)))
    assert (test.units, test.conclusion) == (40, "higher")
    test = whole(compared(run(0.0, 4), run(1.0, 4)))
    assert (test.cases, test.units, test.conclusion) == (40, 4, "too_few_differ")
    test = whole(compared(run(0.0, 8), run(1.0, 8)))
    assert (test.units, test.test, test.p, test.odds) == (8, "sign_flip", 2 / 2**8, None)


def test_cases_with_missing_answers_are_left_out_and_counted(tmp_path: Path) -> None:
    before = [record("a"), record("b"), record("c"), record("d", parse_failed=True)]
    after = [record("a"), record("b", None, error="timed out"), record("c", 0.5), record("d", 0.0)]
    found = compared(before, after)
    assert (whole(found).cases, found.left_out) == (2, 2)
    old = write_results(tmp_path / "before.jsonl", *before)
    new = write_results(tmp_path / "after.jsonl", *after)
    text = suitecase("compare", old, new).out
    assert "2 cases are left out: an answer or a judge's reply is missing." in text


def test_slices_and_evaluators_are_tested_too_and_all_tests_count() -> None:
    def run(polite: float, right: float) -> Records:
        return [
            record(
                f"c{it}",
                (polite + right) / 2,
                tags=["all", "even"] if it % 2 == 0 else ["all"],
                evaluator_results=[
                    evaluator(polite, name="polite"),
                    evaluator(right if it % 2 else 1.0, name="right", verdict="pass"),
                ],
            )
            for it in range(24)
        ]

    found = compared(run(0.9, 0.2), run(0.9, 1.0))
    assert whole(found, "polite").conclusion == "too_few_differ"
    right = whole(found, "right")
    assert (right.rose, right.evaluator, right.conclusion) == (12, "right", "higher")
    even = whole(found, "score", "even")
    assert (even.name, even.cases, even.rose) == ("score[even]", 12, 12)
    # What all cases have is not a slice.
    assert {it.slice for it in found.tests} == {None, "even"}
    made = [it for it in found.tests if it.p is not None]
    assert len(made) > 2
    assert all(it.adjusted_p is not None and it.adjusted_p >= (it.p or 0) for it in made)


SLICES = "slices:\n  easy: {id: c1*}\n  language: {by: metadata.language}\n"


@pytest.mark.parametrize(
    "files",
    [
        {
            "a.eval.yaml": f"{SLICES}evalcases:\n  - {{id: c1, input: Hi, expected_outcome: Greets}}\n"
        },
        {
            "a.jsonl": '{"id": "c1", "input": "Hi", "expected_outcome": "Greets"}\n',
            "a.yaml": SLICES,
        },
    ],
    ids=["suite", "data set"],
)
def test_slices_that_the_suite_declares_go_before_tags(
    tmp_path: Path, files: dict[str, str]
) -> None:
    (tmp_path / "suites").mkdir()
    for name, text in files.items():
        (tmp_path / "suites" / name).write_text(text)
    of_suite: dict[str, Any] = {"tags": ["easy"], "suite_path": f"suites/{next(iter(files))}"}

    def run(score: float) -> Records:
        languages = {it: "de" if it < 7 else "en" for it in range(16)}
        return [
            record(f"c{it}", score, **of_suite, metadata={"language": language})
            for it, language in languages.items()
        ]

    old = write_results(tmp_path / "runs" / "before.jsonl", *run(0.0))
    new = write_results(tmp_path / "runs" / "after.jsonl", *run(1.0))
    told = json.loads(suitecase("compare", old, new, "--format", "json").out)["tests"]
    sizes = {it["slice"]: it["cases"] for it in told["figures"] if it["figure"] == "pass_rate"}
    assert sizes == {None: 16, "easy": 7, "language=de": 7, "language=en": 9}


def test_repeats_are_one_case() -> None:
    def run(passed: int) -> Records:
        return [
            record(f"c{case}", float(repeat < passed), repeat=repeat + 1)
            for case in range(12)
            for repeat in range(3)
        ]

    test = whole(compared(run(1), run(2)))
    assert (test.cases, test.units, test.test) == (12, 12, "sign_flip")
    assert test.difference == pytest.approx(1 / 3)
    assert test.p == pytest.approx(2 / 2**12)


def test_the_number_of_cases_for_a_difference_is_told(tmp_path: Path) -> None:
    before, after = table(both=100, fell=10, rose=10, neither=80)
    test = whole(compared(before, after))
    # Discordant share 0.1: sd 0.316; (1.96 + 0.84) * 0.316 / sqrt(200).
    assert test.detectable == pytest.approx(0.0628, abs=5e-4)
    assert test.cases_for(0.02) == pytest.approx(1_972, abs=2)
    old = write_results(tmp_path / "before.jsonl", *before)
    new = write_results(tmp_path / "after.jsonl", *after)
    text = " ".join(suitecase("compare", old, new, "--difference", "0.02").out.split())
    assert "a difference of 0.02 takes about 1,97" in text


def test_many_tags_are_not_all_tested() -> None:
    before = [record(f"c{it}", tags=[f"own-{it}"]) for it in range(60)]
    found = compared(before, before)
    assert (len({it.slice for it in found.tests}), found.slices_left_out) == (51, 10)


def test_the_page_has_dots_and_bars_and_escapes_names(tmp_path: Path) -> None:
    before, after = table(both=10, fell=1, rose=9, neither=5)
    for it in (*before[::2], *after[::2]):
        it["tags"] = [HOSTILE]
    old = write_results(tmp_path / "before.jsonl", *before)
    new = write_results(tmp_path / "after.jsonl", *after)
    page = Page(suitecase("compare", old, new, "--format", "html").out)
    dots = [it for it in page.named("svg") if "dots" in (it.attributes["class"] or "")]
    assert len(dots) == 4
    assert (dots[0].attributes["aria-label"] or "").startswith("+0.320 [+0.")
    assert dots[0].attributes["class"] == "dots higher"
    assert "owned" not in page.title
    assert [it.text for it in page.named("script")].count("document.title='owned'") == 0
