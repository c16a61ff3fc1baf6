"""The page that compares two runs in a real Chromium: it fits its window, and its heads stay."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.browser import OpenPage, is_in_sight, needs_chromium, scrolls_sideways
from support.report_pages import record, suitecase, write_results

pytestmark = needs_chromium

LONG = "a-very-long-identifier-" * 8


@pytest.fixture(scope="module")
def comparison(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of two runs of 200 cases, of which some got worse and some changed a hair."""
    folder = tmp_path_factory.mktemp("comparison")
    for name, lower in (("before", 0.0), ("after", 0.9)):
        records = (
            record(
                f"{LONG if it % 3 == 0 else 'case-'}{it}",
                1.0 - (lower if it % 5 == 0 else 0.001 * bool(lower)),
                tags=["smoke"] if it % 2 else ["billing"],
            )
            for it in range(200)
        )
        write_results(folder / f"{name}.jsonl", *records)
    page = folder / "page.html"
    ended = suitecase("compare", folder / "before.jsonl", folder / "after.jsonl", "--output", page)
    assert ended.code == 1, ended.err  # some got worse
    return page


@pytest.mark.parametrize("width", [420, 1280])
def test_a_comparison_fits_its_window_and_its_heads_stay(
    comparison: Path, open_page: OpenPage, width: int
) -> None:
    page = open_page(comparison, width=width, color_scheme="dark")
    assert not scrolls_sideways(page)
    page.locator("tr.row").nth(100).scroll_into_view_if_needed()
    assert is_in_sight(page, "table.cases thead th button")
    page.locator("tr.row .open").nth(100).click()
    page.locator(".detail h3").first.wait_for()
    assert not scrolls_sideways(page)


def test_what_rounds_to_0_has_no_sign(comparison: Path, open_page: OpenPage) -> None:
    page = open_page(comparison)
    cells = page.locator("tr.row td:last-child").all_inner_texts()
    assert set(cells) == {"\u22120.90", "0.00"}
    assert "-0.00" not in page.inner_text("body")
    assert "-0.000" not in page.inner_text("body")


def test_cases_of_a_comparison_are_filtered_by_tag(comparison: Path, open_page: OpenPage) -> None:
    page = open_page(comparison, "change=new_failure")
    assert page.locator("tr.row").count() == 40
    page.locator("#tags").get_by_role("button", name="smoke 100").click()
    assert page.locator(".shown").inner_text() == "20 of 200 cases"
