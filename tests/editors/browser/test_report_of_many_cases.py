"""The report of a run of many cases in a real Chromium: what is not shown at once is loaded as it is asked for."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from support.browser import OpenPage, is_in_sight, needs_chromium, scrolls_sideways
from support.report_pages import HOSTILE, record, suitecase, write_results

pytestmark = needs_chromium

CASES = 3_000
#: A case whose record nothing that is shown at first has anything to do with.
LATE = 2_345


def _score(number: int) -> float | None:
    if number % 100 == 7:
        return None
    return 0.1 if number % 10 == 3 else 0.7 if number % 10 == 4 else 1.0


def _records() -> list[dict[str, Any]]:
    records = [
        record(
            f"case-{number:04}",
            _score(number),
            position=number + 1,
            tags=["smoke", "billing"] if number % 2 else ["smoke"],
            trace_summary={"duration_ms": 100 + number, "cost_usd": number / 1e6},
        )
        for number in range(CASES)
    ]
    records[LATE]["candidate_answer"] = "A zebra, as ÖRSTED says."
    records[LATE + 1]["candidate_answer"] = HOSTILE
    return records


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("many") / "run.jsonl"
    # As they end, which is not the order of the suite; one line is replaced by a later one.
    records = _records()
    ended = suitecase("report", write_results(path, records[50] | {"score": 0.5}, *records[::-1]))
    assert ended.code == 0, ended.err
    return path.with_suffix(".html")


def cases(page: Any) -> list[str]:
    return [str(it) for it in page.locator("tr.row .open").all_inner_texts()]


def wait_for_number(page: Any, text: str) -> None:
    page.locator(".shown", has_text=re.compile(f"^{text}$")).wait_for()


def test_failures_come_first_and_more_as_the_reader_scrolls(
    report: Path, open_page: OpenPage
) -> None:
    page = open_page(report)
    wait_for_number(page, "3,000 cases")
    assert page.locator("tr.row").count() == 200
    assert set(page.locator("tr.row .badge").all_inner_texts()) == {"fail"}
    assert cases(page)[:3] == ["case-0003", "case-0013", "case-0023"]
    page.locator("tr.row").nth(199).scroll_into_view_if_needed()
    page.locator("tr.row").nth(399).wait_for()
    assert len(set(cases(page))) == page.locator("tr.row").count() == 400
    # The order of the suite, on demand, is in the address.
    page.get_by_label("failures first").uncheck()
    assert cases(page)[:2] == ["case-0000", "case-0001"]
    again = open_page(report, page.url.partition("#")[2])
    wait_for_number(again, "3,000 cases")
    assert cases(again)[:2] == ["case-0000", "case-0001"]


def test_all_cases_are_filtered_sorted_and_searched(report: Path, open_page: OpenPage) -> None:
    page = open_page(report)
    wait_for_number(page, "3,000 cases")
    page.get_by_role("button", name="30 could not be graded").click()
    wait_for_number(page, "30 of 3,000 cases")
    assert cases(page)[-1] == "case-2907"
    page.locator("#tags").get_by_role("button", name="billing 1,500").click()
    page.get_by_role("button", name="all", exact=False).first.click()
    wait_for_number(page, "1,500 of 3,000 cases")
    page.get_by_role("button", name="Time").click()
    page.get_by_role("button", name="Time").click()
    assert cases(page)[:2] == ["case-2999", "case-2997"]
    page.get_by_label("Search").fill("CASE-229")
    wait_for_number(page, "5 of 3,000 cases")


@pytest.mark.parametrize("query", ["a zebra", "örsted"])
def test_answers_of_all_cases_are_searched(report: Path, open_page: OpenPage, query: str) -> None:
    page = open_page(report)
    page.get_by_label("in answers and reasons too").check()
    page.get_by_label("Search").fill(query)
    wait_for_number(page, "1 of 3,000 cases")
    assert cases(page) == [f"case-{LATE}"]
    page.locator("tr.row .open").click()
    page.get_by_text("A zebra, as ÖRSTED says.").wait_for()


def test_a_link_leads_to_any_case(report: Path, open_page: OpenPage) -> None:
    page = open_page(report, "order=suite&open=case-2900")
    page.get_by_text("Hello from case-2900").wait_for()
    assert is_in_sight(page, ".open[aria-expanded=true]")
    # Not all that come before it are there, and they can be had.
    assert cases(page)[0] == "case-2880"
    page.get_by_role("button", name="Show 200 before").click()
    assert cases(page)[0] == "case-2680"
    assert page.locator("tr.row").count() == 320
    # One that was replaced by a later line has its last result.
    page = open_page(report, "open=case-0050")
    page.get_by_text("Hello from case-0050").wait_for()
    assert page.locator(".detail .evaluator summary").first.inner_text().startswith("pass")


def test_records_are_text_whatever_is_in_them(report: Path, open_page: OpenPage) -> None:
    page = open_page(report, f"open=case-{LATE + 1}")
    page.locator(".detail h4").first.wait_for()
    assert "document.title='owned'" in page.inner_text(".detail")
    assert "[U+202E]gnp.exe[U+202C]" in page.inner_text(".detail")
    assert page.title() == "a: results"
    assert page.locator("img").count() == 0


@pytest.mark.parametrize("width", [420, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_of_many_cases_fits_its_window(
    report: Path, open_page: OpenPage, width: int, scheme: str
) -> None:
    page = open_page(report, width=width, color_scheme=scheme)
    wait_for_number(page, "3,000 cases")
    assert not scrolls_sideways(page)
    page.locator("tr.row .open").nth(150).click()
    page.locator(".detail h4").first.wait_for()
    assert not scrolls_sideways(page)
    assert is_in_sight(page, "table.cases thead th button")


def test_a_printed_page_says_how_many_cases_it_has(report: Path, open_page: OpenPage) -> None:
    page = open_page(report)
    wait_for_number(page, "3,000 cases")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert page.locator("p.printed").inner_text() == "2,200 of 3,000 cases are printed."
    assert page.locator("tr.row").count() == 2_200


def test_a_file_that_was_cut_off_says_so(report: Path, tmp_path: Path, open_page: OpenPage) -> None:
    whole = report.read_bytes()
    cut = tmp_path / "cut.html"
    cut.write_bytes(whole[: whole.index(b'id="r0-3"')])
    page = open_page(cut, "order=suite&open=case-0010")
    page.get_by_text("This page is incomplete").wait_for()


def test_an_editor_is_asked_for_the_records_that_are_shown(
    report: Path, tmp_path: Path, chromium: Any
) -> None:
    """The extension for VS Code leaves blocks out of what it sends to its panel (report_records.ts)."""
    whole = report.read_text("utf-8")
    block = r'<script type="text/plain" id="(r0-\d+)">(.*?)</script>'
    shown = tmp_path / "panel.html"
    shown.write_text(re.sub(block, "", whole), "utf-8")
    blocks = dict(re.findall(block, whole))
    del blocks["r0-1"]
    context = chromium.new_context()
    context.add_init_script(
        f"""const blocks = {json.dumps(blocks)};
        self.asked = [];
        self.acquireVsCodeApi = () => ({{ postMessage: ({{ block }}) => {{
          asked.push(block);
          self.postMessage({{ block, text: blocks[block] }}, "*");
        }} }});"""
    )
    page = context.new_page()
    page.goto(shown.as_uri())
    wait_for_number(page, "3,000 cases")
    assert page.evaluate("asked") == []
    page.locator("tr.row .open").first.click()
    page.get_by_text("Hello from case-0003").wait_for()
    assert page.evaluate("asked.length") == 1
    # One that the editor does not have any more.
    page.get_by_label("Search").fill("case-2900")
    wait_for_number(page, "1 of 3,000 cases")
    page.locator("tr.row .open").click()
    page.get_by_text("The report has changed").wait_for()
    context.close()


def test_a_comparison_of_many_cases_opens_both_sides(tmp_path: Path, open_page: OpenPage) -> None:
    for name, score in (("before", 1.0), ("after", 0.2)):
        write_results(
            tmp_path / f"{name}.jsonl",
            *(
                record(
                    f"case-{it}", score if it % 50 == 0 else 1.0, candidate_answer=f"{name} {it}"
                )
                for it in range(900 if name == "before" else 901)
            ),
        )
    page = tmp_path / "page.html"
    ended = suitecase(
        "compare", tmp_path / "before.jsonl", tmp_path / "after.jsonl", "--output", page
    )
    assert ended.code == 1, ended.err
    shown = open_page(page)
    wait_for_number(shown, "901 cases")
    shown.locator("tr.row .open").nth(1).click()
    shown.get_by_text("before 50", exact=True).wait_for()
    assert shown.get_by_text("after 50", exact=True).count() == 1
    again = open_page(page, shown.url.partition("#")[2])
    again.get_by_text("after 50", exact=True).wait_for()
    # Only the later run has the last case.
    again.get_by_label("Search").fill("case-900")
    wait_for_number(again, "1 of 901 cases")
    again.locator("tr.row .open").click()
    again.get_by_text("This case is not in this run.").wait_for()
    # What only an answer of the later run says.
    again.get_by_label("in answers and reasons too").check()
    again.get_by_label("Search").fill("after 77")
    wait_for_number(again, r"11 of 901 cases")
