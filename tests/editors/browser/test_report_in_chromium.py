"""The report of a run in a real Chromium: its order, filters, heads, and that it fits its window."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support.browser import (
    OpenPage,
    boxes,
    eventually,
    is_in_sight,
    needs_chromium,
    scrolls_sideways,
    tab_to,
)
from support.report_pages import evaluator, record, suitecase, write_results

pytestmark = needs_chromium

LONG = "a-very-long-identifier-" * 8
NUMBERS = {"tags": ["smoke"], "trace_summary": {"duration_ms": 900, "cost_usd": 0.002}}


def report(path: Path, *records: dict[str, Any]) -> Path:
    ended = suitecase("report", write_results(path, *records))
    assert ended.code == 0, ended.err
    return path.with_suffix(".html")


def cases(page: Any) -> list[str]:
    return [str(it) for it in page.locator("tr.row .open").all_inner_texts()]


def varied(number: int, **fields: Any) -> dict[str, Any]:
    """Return a record of a suite of cases with long and short ids in several scripts."""
    name = [f"case-{number}", f"{LONG}{number}", f"räksmörgås-質問-{number}"][number % 3]
    tags = ["smoke", "billing"] if number % 2 else ["smoke"]
    score = [1.0, 0.7, 0.2, 1.0][number % 4]
    return record(name, score, position=number + 1, **{**NUMBERS, "tags": tags}, **fields)


SUITES = {
    "five": [varied(it) for it in range(5)],
    "repeats and targets": [
        varied(it, target=target, repeat=repeat, repeats=3)
        for it in range(12)
        for target in ("bot", LONG)
        for repeat in (1, 2, 3)
    ],
    "errors only": [
        record(str(it), None, candidate_answer=None, evaluator_results=[], error="down " * 40)
        for it in range(4)
    ],
    "no figures": [{"eval_id": "a", "score": 0.4}, {"eval_id": "b", "score": 1.0}],
}


@pytest.mark.parametrize("records", SUITES.values(), ids=SUITES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_of_420_pixels_does_not_scroll_sideways(
    tmp_path: Path, open_page: OpenPage, records: list[dict[str, Any]], scheme: str
) -> None:
    path = report(tmp_path / "run.jsonl", *records)
    page = open_page(path, width=420, color_scheme=scheme)
    assert not scrolls_sideways(page)
    page.locator("tr.row .open").first.click()
    page.locator(".detail h4").first.wait_for()
    assert not scrolls_sideways(page)
    # What is opened is read without scrolling the table.
    box = page.locator(".detail > td > div").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 420


@pytest.mark.parametrize("width", [420, 1280])
def test_the_keyboard_reaches_what_scrolls_and_nothing_that_does_not(
    tmp_path: Path, open_page: OpenPage, width: int
) -> None:
    path = report(tmp_path / "run.jsonl", *SUITES["repeats and targets"])
    page = open_page(path, width=width)
    page.locator(".wide[tabindex='-1']").first.wait_for()
    found = boxes(page)
    assert all(it.label for it in found)
    assert [it.label for it in found if it.scrolls] == [it.label for it in found if it.is_stop]
    assert {it.is_stop for it in found} == {True, False}


def test_a_table_wider_than_its_box_scrolls_by_keys(tmp_path: Path, open_page: OpenPage) -> None:
    path = report(tmp_path / "run.jsonl", *SUITES["repeats and targets"])
    page = open_page(path, width=420)
    for label in ("Targets", "Cases"):
        tab_to(page, label)
        page.keyboard.press("ArrowRight")
        eventually(page, "document.activeElement.scrollLeft > 0")
    # A window that gets wider or narrower changes what is a stop.
    page.set_viewport_size({"width": 1280, "height": 800})
    page.locator("[aria-label=Targets][tabindex='-1']").wait_for()
    page.set_viewport_size({"width": 420, "height": 800})
    page.locator("[aria-label=Targets][tabindex='0']").wait_for()


def test_figures_with_their_intervals_fit_a_window_of_420_pixels(
    tmp_path: Path, open_page: OpenPage
) -> None:
    page = open_page(report(tmp_path / "run.jsonl", *SUITES["five"]), width=420)
    box = page.get_by_role("group", name="Figures").first
    assert box.get_by_role("columnheader", name="Estimate and interval").is_visible()
    assert box.evaluate("it => it.scrollWidth === it.clientWidth")


def test_cases_come_in_the_order_of_the_suite_and_failures_first_on_demand(
    tmp_path: Path, open_page: OpenPage
) -> None:
    scores: dict[str, float | None] = {
        "one": 1.0,
        "two": 0.1,
        "three": 0.7,
        "four": None,
        "five": 0.2,
    }
    records = [
        record(name, score, position=at + 1) for at, (name, score) in enumerate(scores.items())
    ]
    path = report(tmp_path / "run.jsonl", *reversed(records))
    page = open_page(path)
    assert cases(page) == list(scores)
    page.get_by_label("failures first").check()
    failures_first = ["two", "five", "four", "three", "one"]
    assert cases(page) == failures_first
    # A link keeps it.
    fragment = page.url.partition("#")[2]
    again = open_page(path, fragment)
    assert cases(again) == failures_first
    assert again.get_by_label("failures first").is_checked()
    # Up, down, and in the order of the suite again.
    orders = []
    for _ in range(3):
        again.get_by_role("button", name="Score").click()
        orders.append(cases(again)[0])
    assert orders == ["two", "one", "one"]
    assert cases(again) == list(scores)


def test_cases_are_filtered_by_their_tags(tmp_path: Path, open_page: OpenPage) -> None:
    tagged = {"a": ["billing", "de"], "b": ["billing"], "c": ["de"], "d": []}
    path = report(tmp_path / "run.jsonl", *(record(it, tags=tags) for it, tags in tagged.items()))
    page = open_page(path)
    page.locator("#tags").get_by_role("button", name="billing 2").click()
    assert cases(page) == ["a", "b"]
    page.locator("tr.row").first.get_by_role("button", name="de").click()
    assert cases(page) == ["a"]
    assert page.locator(".shown").inner_text() == "1 of 4 cases"
    again = open_page(path, page.url.partition("#")[2])
    assert cases(again) == ["a"]
    page.locator("#tags").get_by_role("button", name="de 2").click()
    assert cases(page) == ["a", "b"]


@pytest.mark.parametrize("width", [420, 1280])
def test_heads_of_a_long_table_stay_in_sight(
    tmp_path: Path, open_page: OpenPage, width: int
) -> None:
    path = report(tmp_path / "run.jsonl", *(varied(it) for it in range(300)))
    page = open_page(path, width=width)
    page.locator("tr.row").nth(150).scroll_into_view_if_needed()
    assert is_in_sight(page, "table.cases thead th button")
    assert is_in_sight(page, "tr.row:nth-child(151) .open")


def test_a_case_that_a_link_opens_stands_below_the_heads(
    tmp_path: Path, open_page: OpenPage
) -> None:
    path = report(tmp_path / "run.jsonl", *(varied(it) for it in range(300)))
    page = open_page(path, "open=case-240")
    page.locator(".detail h4").first.wait_for()
    assert is_in_sight(page, ".open[aria-expanded=true]")


def test_ten_thousand_cases_are_shown_in_steps(tmp_path: Path, open_page: OpenPage) -> None:
    path = report(tmp_path / "run.jsonl", *(varied(it) for it in range(10_000)))
    page = open_page(path, "order=failures", width=420)
    assert page.locator("tr.row").count() == 200
    assert page.locator(".shown").inner_text() == "10,000 cases"
    assert set(page.locator("tr.row .badge").all_inner_texts()) == {"fail"}
    assert not scrolls_sideways(page)
    assert page.evaluate("performance.getEntriesByType('navigation')[0].domInteractive") < 10_000


def test_high_contrast_draws_what_colors_say_elsewhere(tmp_path: Path, open_page: OpenPage) -> None:
    path = report(tmp_path / "run.jsonl", record("a", 1.0), record("b", 0.1))
    border = "getComputedStyle(document.querySelector('tr.row .badge')).borderTopStyle"
    assert open_page(path).evaluate(border) == "none"
    assert open_page(path, forced_colors="active").evaluate(border) == "solid"
    assert open_page(path, contrast="more").evaluate(border) == "solid"
    # As VS Code marks a page in a theme of high contrast.
    page = open_page(path)
    page.evaluate(
        """document.body.classList.add("vscode-high-contrast");
        document.documentElement.style.setProperty("--vscode-editor-background", "rgb(1, 2, 3)")"""
    )
    assert page.evaluate(border) == "solid"
    section = "getComputedStyle(document.querySelector('section')).backgroundColor"
    assert page.evaluate(section) == "rgb(1, 2, 3)"


def test_a_printed_page_has_whole_tables(tmp_path: Path, open_page: OpenPage) -> None:
    path = report(tmp_path / "run.jsonl", *(varied(it) for it in range(60)))
    page = open_page(path)
    page.emulate_media(media="print")
    assert page.locator(".controls").is_hidden()
    style = "getComputedStyle(document.querySelector('#table')).overflow"
    assert page.evaluate(style) == "visible"
    assert (
        page.evaluate("getComputedStyle(document.querySelector('thead th')).position") == "static"
    )


def test_a_run_without_a_model_looks_like_none_with_one(
    tmp_path: Path, open_page: OpenPage
) -> None:
    judged = {"evaluator_results": [evaluator(1.0, judged_by=["embedded"])]}
    stand_in = record("a", 1.0, target="mock", answered_by="echo", **judged)
    page = open_page(report(tmp_path / "mock.jsonl", stand_in))
    assert page.title() == "No model: a: results"
    assert page.get_by_role("note").first.inner_text().startswith("No model was called\n")
    style = "getComputedStyle(document.querySelector('.verdicts li')).borderTopStyle"
    assert page.evaluate(style) == "dashed"
    of_model = open_page(report(tmp_path / "model.jsonl", record("a", 1.0, answered_by="model")))
    assert of_model.title() == "a: results"
    assert of_model.evaluate(style) == "none"


def test_checks_of_an_answer_by_no_model_have_not_passed(
    tmp_path: Path, open_page: OpenPage
) -> None:
    word = {"name": "word", "type": "contains", "score": 1.0, "verdict": "pass", "hits": ["greets"]}
    canned = record("a", 1.0, answered_by="canned", evaluator_results=[word])
    asked = record("b", 1.0, answered_by="model", evaluator_results=[word])
    page = open_page(report(tmp_path / "both.jsonl", canned, asked))
    for case, shown in (("a", "rehearsed"), ("b", "pass")):
        page.locator("tr.row .open").filter(has_text=case).click()
        opened = page.locator(".answer").last
        opened.locator(".evaluator summary").wait_for()
        assert opened.locator(".badge").all_inner_texts() == [shown]
        page.locator("tr.row .open").filter(has_text=case).click()
