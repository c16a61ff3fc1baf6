"""The figures, gates, slices and failures that the page of a run shows, from records to HTML."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from suitecase.report.failures import failures_of, traits_of
from suitecase.report.groups import grouped
from suitecase_evaluators.answers.records.record import ResultRecord
from support.report_pages import (
    HOSTILE,
    Page,
    evaluator,
    in_browser,
    needs_browser,
    record,
    rows_of,
    suitecase,
    write_results,
)

SUITE = """\
gates:
  - pass_rate >= 90%
  - lower(pass_rate[critical]) >= 50%
  - {gate: score >= 0.99, level: warning, why: The <b>gateway</b> moves in March}
slices:
  critical: {tags: critical}
  language: {by: metadata.language}
evalcases:
"""


def page_of(tmp_path: Path, *records: dict[str, Any], suite: str | None = SUITE) -> Page:
    """Report on a run, beside the suite that it is of."""
    if suite is not None:
        path = tmp_path / "suites" / "a.eval.yaml"
        path.parent.mkdir(exist_ok=True)
        cases = {it["eval_id"]: it for it in records}
        path.write_text(suite + "".join(map(case_of, cases.values())))
    results = write_results(tmp_path / "run.jsonl", *records)
    ended = suitecase("report", results)
    assert ended.code == 0, ended.err
    return Page(results.with_suffix(".html").read_text("utf-8"))


def case_of(it: dict[str, Any]) -> str:
    facts = f"tags: {it.get('tags', [])}, metadata: {it.get('metadata', {})}"
    return f"  - {{id: {it['eval_id']}, {facts}, input: Hi, expected_outcome: Greets}}\n"


def run(passed: int, failed: int, missing: int = 0, **fields: Any) -> list[dict[str, Any]]:
    scores = [1.0] * passed + [0.0] * failed + [None] * missing
    return [
        record(f"c{at}", it, metadata={"language": "de" if at % 2 else "en"}, **fields)
        for at, it in enumerate(scores)
    ]


def rows(page: Page) -> list[str]:
    return [" ".join(it.text.split()) for it in page.named("tr")]


def gates(page: Page) -> list[str]:
    texts = [" ".join(it.text.split()) for it in page.named("li")]
    return [it for it in texts if it.startswith(("holds", "fails", "undecided", "warning"))]


def test_gates_say_what_failed_them_and_why(tmp_path: Path) -> None:
    page = page_of(tmp_path, *run(18, 2))
    first, second, third = gates(page)
    assert first.startswith("holds pass_rate >= 90% 90.0% [")
    assert "Not clear: the interval reaches beyond 90%." in first
    assert second.startswith("undecided lower(pass_rate[critical]) >= 50%")
    assert third.startswith("warning score >= 0.99 0.900 [")
    assert "Cases: c18 , c19" in third
    assert "The <b>gateway</b> moves in March" in third
    assert "2 warnings" not in page.source
    links = {it.text: it.attributes["href"] for it in page.named("a")}
    assert links["c18"] == "#open=c18"


def test_figures_have_intervals_as_dots_and_bars(tmp_path: Path) -> None:
    page = page_of(tmp_path, *run(18, 2, missing=1))
    told = rows(page)
    assert any(it.startswith("pass_rate 90.0% [") for it in told)
    (row,) = (it for it in told if it.startswith("pass_rate 90.0% ["))
    # 20 cases, one missing: 18 or 19 of 21.
    assert row.endswith("20 1 (85.7% to 90.5%)")
    dots = page.named("svg", **{"class": "dots "})
    assert dots
    assert all((it.attributes["aria-label"] or "").strip() for it in dots)


def test_charts_have_room_for_all_shares_and_draw_nothing_else(tmp_path: Path) -> None:
    records = run(18, 2)
    for at, it in enumerate(records):
        it["trace_summary"] = {"duration_ms": 900 + at}
    page = page_of(tmp_path, *records, suite=None)
    told = rows(page)
    assert "Figure 60% to 100% Estimate and interval Cases" in told
    (latency,) = (it for it in told if it.startswith("latency_ms "))
    assert latency.startswith("latency_ms 910 ms [")
    assert not [it for it in page.named("svg") if "ms" in (it.attributes.get("aria-label") or "")]


def test_slices_are_those_of_the_suite_and_tags(tmp_path: Path) -> None:
    told = rows(page_of(tmp_path, *run(18, 2, tags=["routine"])))
    assert any(it.startswith("language=de 10 90.0% [") for it in told)
    assert any(it.startswith("language=en 10 90.0% [") for it in told)
    assert any(it.startswith("routine 20 90.0% [") for it in told)


def test_a_run_without_its_suite_has_figures_and_no_gates(tmp_path: Path) -> None:
    page = page_of(tmp_path, *run(18, 2, tags=["routine"]), suite=None)
    assert any(it.startswith("pass_rate 90.0% [") for it in rows(page))
    assert not gates(page)


def test_a_suite_with_errors_is_noted_and_has_no_gates(tmp_path: Path) -> None:
    page = page_of(tmp_path, *run(18, 2), suite="gates: 7\nevalcases:\n")
    assert any(it.startswith("pass_rate 90.0% [") for it in rows(page))
    assert not gates(page)
    note, _ = page.named("p", **{"class": "note"})  # the other one is of `noscript`
    assert note.text.strip() == (
        "The suite `suites/a.eval.yaml` cannot be read or has errors, so its gates, slices and "
        "metrics are left out."
    )


def test_scores_off_the_scale_of_other_tools_leave_no_figures(tmp_path: Path) -> None:
    page = page_of(tmp_path, record("a", 0.5), {**record("b"), "score": 7})
    assert "There are no figures: `score` must be a number from 0 to 1; got 7." in page.source
    assert not any(it.startswith("pass_rate") for it in rows(page))


def test_targets_are_ranked_by_each_figure(tmp_path: Path) -> None:
    page = page_of(
        tmp_path,
        *(record(f"c{it}", it % 2 / 1, target="coin") for it in range(8)),
        *(record(f"c{it}", 1.0, target="best") for it in range(8)),
    )
    told = rows(page)
    best, coin = (
        next(at for at, it in enumerate(told) if it.startswith(f"pass_rate {name} "))
        for name in ("best", "coin")
    )
    assert best < coin
    assert "Figures by target" in page.source
    # 4 of 8 cases differ: too few to tell which is better.
    assert any(it.startswith("1-2 best 100.0% [") for it in told)


def test_several_runs_are_ranked(tmp_path: Path) -> None:
    for name, passed in (("good", 30), ("bad", 5), ("likewise", 29)):
        write_results(tmp_path / f"{name}.jsonl", *run(passed, 30 - passed))
    names = [tmp_path / f"{it}.jsonl" for it in ("good", "bad", "likewise")]
    assert suitecase("report", *names).code == 0
    told = rows(Page((tmp_path / "good.html").read_text("utf-8")))
    ranks = [it.split()[:2] for it in told if it[0].isdigit()][:3]
    assert ranks == [["1-2", "good.jsonl"], ["1-2", "likewise.jsonl"], ["3", "bad.jsonl"]]


def test_repeats_have_pass_at_k(tmp_path: Path) -> None:
    told = rows(
        page_of(
            tmp_path,
            *(
                record(f"c{case}", float(repeat == 1), repeat=repeat, repeats=3)
                for case in range(6)
                for repeat in (1, 2, 3)
            ),
        )
    )
    assert any(it.startswith("pass@2 66.7%") for it in told)
    assert any(it.startswith("pass@3 100.0%") for it in told)
    assert any(it.startswith("pass^3 0.0%") for it in told)


def test_failing_cases_are_searched_for_what_they_have_in_common(tmp_path: Path) -> None:
    def case(at: int) -> dict[str, Any]:
        long = at % 3 == 0
        judged = evaluator(
            0.0 if long else 1.0,
            verdict="fail" if long else "pass",
            details={"raw_scores": {"brief": not long}},
            hits=[] if long else ["[brief] Is brief"],
            misses=["[brief] Is brief"] if long else [],
        )
        return record(
            f"c{at}",
            0.0 if long else 1.0,
            tags=["long" if long else "short", "half" if at % 2 else "other"],
            metadata={"customer": at},
            evaluator_results=[judged],
        )

    page = page_of(tmp_path, *map(case, range(30)))
    told = rows(page)
    assert "long 10 of 10 (100%) 0 of 20 (0%) <0.001" in told
    assert not any(it.startswith("customer=") for it in told)
    assert "politeness 10 of 10" in told
    assert "brief politeness 10 of 10" in told
    assert "10 cases of 30 fail. 4 tags and values of metadata were looked at." in page.source


def test_cases_of_groups_have_no_p_values(tmp_path: Path) -> None:
    records = [
        record(
            f"c{it}", float(it % 3 > 0), tags=["long"] if it % 3 == 0 else [], group=f"g{it % 4}"
        )
        for it in range(30)
    ]
    page = page_of(tmp_path, *records)
    assert "long 10 of 10 (100%) 0 of 20 (0%)" in rows(page)
    assert "no p-values, since cases of a group are not independent" in page.source


@given(
    st.lists(
        st.tuples(
            st.booleans(), st.sampled_from([[], ["a"], ["b"], ["a", "b"]]), st.integers(0, 3)
        ),
        max_size=40,
    )
)
def test_counts_of_failures_add_up(cases: list[tuple[bool, list[str], int]]) -> None:
    answers = [
        ResultRecord(record(f"c{at}", float(good), tags=tags, metadata={"k": value}))
        for at, (good, tags, value) in enumerate(cases)
    ]
    found = failures_of(grouped(answers), traits_of(answers))
    bad = sum(not good for good, _, _ in cases)
    if not bad:
        assert found is None
        return
    assert found is not None
    assert (found.failing, found.graded) == (bad, len(cases))
    for it in found.traits:
        assert it.failing + it.others_failing == bad
        assert it.cases + it.others == len(cases)
        assert it.share > it.others_share
        assert it.p is not None


def test_names_of_others_stay_text(tmp_path: Path) -> None:
    page = page_of(
        tmp_path,
        *(
            record(
                f"{HOSTILE} {at}",
                float(at % 2),
                tags=[HOSTILE] if at % 2 else ["x"],
                metadata={HOSTILE: HOSTILE if at % 2 else "y"},
                target=HOSTILE,
                evaluator_results=[evaluator(float(at % 2), name=HOSTILE, verdict="fail")],
            )
            for at in range(12)
        ),
        suite=None,
    )
    assert "owned" not in page.title
    assert not page.named("img")
    assert "\u202e" not in page.source


@needs_browser
def test_a_browser_opens_the_case_that_a_gate_names(tmp_path: Path) -> None:
    page_of(tmp_path, *run(18, 2))
    page = in_browser(tmp_path / "run.html", "open=c18")
    assert "Hello from c18" in page.text("main")
    assert any("c18" in it for it in rows_of(page))
