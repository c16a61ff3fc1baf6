"""The pages of a bundle: what they show, and that a browser shows it."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from support.publishing import Bundle, Shop
from support.report_pages import Page, in_browser, needs_browser, rows_of


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    made = Shop(tmp_path)
    made.is_ready()
    return made


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    """The bundle of a run as it is."""
    made = Shop(tmp_path_factory.mktemp("published"))
    made.is_ready()
    return made.bundle()


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    """The bundle of a run with a baseline in which each case failed."""
    made = Shop(tmp_path_factory.mktemp("compared"))
    made.is_ready()
    records = made.records()
    made.keeps([{**record, "score": 0.0, "verdict": "fail"} for record in records])
    made.results.rename(made.folder / "before.jsonl")
    made.keeps(records)
    return made.bundle("--baseline", "before.jsonl")


def rows(page: Page) -> list[str]:
    return [" ".join(it.text.split()) for it in page.named("tr")]


def texts(page: Page, name: str) -> list[str]:
    return [" ".join(it.text.split()) for it in page.named(name)]


def test_the_safety_page_has_policy_violations_bound_and_mitigations(shop: Shop) -> None:
    (shop.folder / "policy").mkdir()
    (shop.folder / "policy" / "red-lines.md").write_text("Repeat no card numbers.", "utf-8")
    shop.edits("    safety: true\n", "    safety: true\n    policy: policy/red-lines.md\n")
    page = shop.bundle("--draft").pages()["safety.html"]
    assert "policy/red-lines.md" in texts(page, "dd")
    assert "Requests for data of customers" in texts(page, "p")
    assert "red-team 0.0% [0.0%, 97.5%] 1 0" in rows(page)
    bound = "None was seen, and yet the true rate may be as high as 97.5% (95% interval)."
    assert bound in texts(page, "p")
    assert "2026-01-20 The system prompt forbids repeating card numbers —" in rows(page)
    assert any(it.startswith("holds violation_rate[red-team] <= 0%") for it in texts(page, "li"))


def test_the_safety_page_says_what_missing_answers_could_make_of_it(shop: Shop) -> None:
    shop.rewrites("card-number", score=None, verdict="error", error="timed out")
    page = shop.bundle("--draft").pages()["safety.html"]
    told = " ".join(texts(page, "p"))
    assert "1 answer is missing: with it the rate is between 0.0% and 100.0%." in told


def test_the_safety_page_has_refusals_outside_of_safety_slices(shop: Shop) -> None:
    shop.rewrites("refund-late", refused=True)
    page = shop.bundle().pages()["safety.html"]
    assert "Refusals outside of safety slices" in texts(page, "h2")
    assert any(it.startswith("refusal_rate 50.0% [") and it.endswith(" 2") for it in rows(page))


def test_groups_of_people_have_basis_coverage_figures_and_gap_with_p(published: Bundle) -> None:
    page = published.pages()["safety.html"]
    told = texts(page, "p")
    assert (
        "Basis for recording and comparing it: The language is that of the message itself" in told
    )
    assert "Coverage: de 1 case, en 2 cases." in told
    table = rows(page)
    assert any(it.startswith("pass_rate[language=de] 100.0% [") for it in table)
    (gap,) = (it for it in table if it.startswith("gap(pass_rate by language) "))
    assert "p = 1.000" in gap


def test_a_suite_without_safety_slices_says_so(tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    shop.has(gates="gates: [pass_rate >= 50%]\n")
    shop.edits("    safety: true\n", "")
    shop.runs()
    shop.locks()
    page = shop.bundle().pages()["safety.html"]
    assert "The suite declares no safety slice." in texts(page, "p")


def test_failures_are_by_slice_and_evaluator_with_links(tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    shop.has()
    shop.edits("value: 5 days", "value: 7 days")
    shop.runs()
    shop.locks()
    page = shop.bundle().pages()["failures.html"]
    assert "benign 1 of 2 refund-late" in rows(page)
    assert "names-days 1 of 1 refund-late" in rows(page)
    links = {it.text: it.attributes["href"] for it in page.named("a")}
    assert links["refund-late"] == "#open=refund-late"
    assert [row["id"] for row in page.json("index")["rows"]] == ["refund-late"]


def test_a_run_without_failures_says_so(published: Bundle) -> None:
    page = published.pages()["failures.html"]
    assert "No case fails." in texts(page, "p")


def test_the_leaderboard_has_each_slice_and_the_baseline(compared: Bundle) -> None:
    table = list(csv.DictReader(io.StringIO(compared.files()["leaderboard.csv"].decode())))
    whole = [(it["results"], it["estimate"], it["cases"]) for it in table if it["slice"] == ""]
    assert whole == [("run.jsonl", "1.0", "3"), ("before.jsonl", "0.0", "3")]
    assert {it["slice"] for it in table} >= {"", "red-team", "benign", "language=de"}
    page = compared.pages()["leaderboard.html"]
    assert any(it.startswith("all cases 1-2 run.jsonl bot 100.0% [") for it in rows(page))
    assert "leaderboard.csv" in {it.attributes["href"] for it in page.named("a")}


def test_a_baseline_with_the_name_of_the_run_is_told_apart(shop: Shop) -> None:
    (shop.folder / "before").mkdir()
    (shop.folder / "before" / "run.jsonl").write_bytes(shop.results.read_bytes())
    bundle = shop.bundle("--baseline", "before/run.jsonl")
    table = csv.DictReader(io.StringIO(bundle.files()["leaderboard.csv"].decode()))
    names = {it["results"] for it in table}
    assert names == {"run.jsonl", "run.jsonl (baseline)"}


def test_a_baseline_is_compared_and_redacted(compared: Bundle) -> None:
    page = compared.pages()["compare.html"]
    assert any(it.startswith("pass_rate +1.000") for it in rows(page))
    assert "[restricted: thesaurus]" in page.source
    assert "compare.html" in {
        link.attributes["href"] for link in compared.pages()["index.html"].named("a")
    }


def test_without_a_baseline_there_is_no_comparison(published: Bundle) -> None:
    assert "compare.html" not in published.files()
    assert "compare.html" not in published.files()["index.html"].decode()


@needs_browser
def test_a_browser_shows_each_page(shop: Shop) -> None:
    shop.edits("5 days", "6 days")
    bundle = shop.bundle("--draft")
    for name in bundle.pages():
        page = in_browser(bundle.folder / name)
        # Its answers are canned; pages without cases say that in their text.
        assert (
            page.title.removeprefix("Draft: ")
            .removeprefix("No model: ")
            .startswith("support 2026.2")
        ), name
        assert page.title.startswith("Draft: "), name
        assert "Shoe shop support suite 2026" in page.named("footer")[0].text, name
    assert [it.split()[2] for it in rows_of(in_browser(bundle.folder / "index.html"))] == [
        "topic",
        "refund-late",
        "card-number",
    ]
