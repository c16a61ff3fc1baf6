"""`suitecase report`: what its pages say, and that nothing in them is obeyed that others wrote."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest

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
from support.running import processes

BASELINES = Path(__file__).parents[3] / "shared/corpus/agentv/tree-2026-02-01/examples"


def reported(path: Path, *arguments: str | Path) -> Page:
    ended = suitecase("report", path, *arguments)
    assert ended.code == 0, ended.err
    return Page((path.with_suffix(".html")).read_text("utf-8"))


def fact(page: Page, name: str) -> str:
    """Return the value that stands beside a name."""
    (text,) = (it.text for it in page.named("div") if it.text.strip().startswith(name))
    return " ".join(text.split()).removeprefix(name).strip()


def test_totals_keep_errors_apart_from_failures(tmp_path: Path) -> None:
    trace = {"token_usage": {"input": 700, "output": 300}, "cost_usd": 0.25, "duration_ms": 90_000}
    page = reported(
        write_results(
            tmp_path / "run.jsonl",
            record("good", 1.0, trace_summary=trace),
            record("middling", 0.7, trace_summary=trace),
            record("bad", 0.1),
            record("unreadable", 0.0, parse_failed=True),
            record("broken", None, error="the target is down"),
            record("empty", None, verdict="not_evaluated"),
        )
    )
    verdicts = [" ".join(it.text.split()) for it in page.named("li")]
    assert verdicts == [
        "1 passed",
        "1 borderline",
        "1 failed",
        "1 judge failures",
        "1 could not be graded",
        "1 not evaluated",
    ]
    mean = page.text("div", **{"class": "mean"})
    assert mean.startswith("0.60 mean score of 3 graded answers")
    assert "1 answer not graded, since the judge failed" in mean
    assert fact(page, "Tokens of the answers") == "1,400 read, 600 written"
    assert fact(page, "Cost of the answers") == "$0.5000, without 4 answers of unknown cost"
    assert fact(page, "Total time of all answers") == "3 min 0 s"
    assert fact(page, "Graded") == "2026-01-02 03:04:05 UTC"
    assert page.title == "a: results"


def test_a_result_that_says_no_verdict_could_not_be_graded(tmp_path: Path) -> None:
    results = write_results(
        tmp_path / "run.jsonl",
        record("good", 1.0),
        record("odd", 1.0, verdict="FAILED"),
        record("late", 1.0, error="timed out"),
    )
    page = reported(results)
    verdicts = [" ".join(it.text.split()) for it in page.named("li")]
    assert verdicts == ["1 passed", "0 failed", "2 could not be graded"]
    assert '\\"FAILED\\" is not a verdict' in page.source
    ended = suitecase("compare", write_results(tmp_path / "old.jsonl", record("odd", 1.0)), results)
    assert ended.code == 3


def test_results_of_a_newer_version_make_no_page(tmp_path: Path) -> None:
    path = write_results(tmp_path / "run.jsonl", record("a", 1.0, schema_version=2))
    ended = suitecase("report", path)
    assert ended.code == 2
    assert "a newer version of Suitecase wrote line 1" in ended.err
    assert not path.with_suffix(".html").exists()


def test_scores_are_drawn_where_their_thresholds_are(tmp_path: Path) -> None:
    page = reported(write_results(tmp_path / "run.jsonl", record("a", 0.6), record("b", 0.8)))
    (chart,) = page.named("svg", role="img", **{"class": "chart"})
    assert chart.attributes["aria-label"] == (
        "Number of answers by score: 1 from 0.60 to 0.65; 1 from 0.80 to 0.85"
    )


def test_evaluators_and_rubrics_have_means_hits_and_failed_gates(tmp_path: Path) -> None:
    def judged(score: float, verdict: str, met: bool, depth: int) -> dict[str, object]:
        points = ["[clear] Is clear."], ["[deep] Goes deep: it does not"]
        return evaluator(
            score,
            verdict=verdict,
            hits=points[0] if met else [],
            misses=points[1] if met else [*points[0], *points[1]],
            details={"raw_scores": {"clear": met, "deep": depth}},
        )

    page = reported(
        write_results(
            tmp_path / "run.jsonl",
            record("a", 0.9, verdict="fail", evaluator_results=[judged(0.9, "fail", True, 6)]),
            record("b", 0.2, evaluator_results=[judged(0.2, "fail", False, 4)]),
            record("c", None, evaluator_results=[evaluator(None, verdict="error", error="down")]),
        )
    )
    rows = [" ".join(it.text.split()) for it in page.named("tr")]
    assert "Evaluator Type Graded Mean Mean as a bar Hits Below minimum Errors" in rows
    assert "politeness llm_judge 2 0.55 25% 1 1" in rows
    assert "clear politeness 2 0.50 50%" in rows
    assert "deep politeness 2 0.50 0%" in rows


def test_the_models_that_were_asked_and_that_replied_are_named_at_the_top(tmp_path: Path) -> None:
    judged = evaluator(judged_by=["model"], requested_model="big", reported_model="big")
    models = {"requested_model": "small", "reported_model": "small-2026-01-01"}
    own: dict[str, Any] = {"answered_by": "model", "evaluator_results": [judged], **models}
    page = reported(write_results(tmp_path / "run.jsonl", record("a", **own)))
    assert fact(page, "Target") == "bot: small, which replied as small-2026-01-01"
    assert fact(page, "Judge") == "judge: big"


def test_rubrics_with_one_name_and_different_texts_are_counted_apart(tmp_path: Path) -> None:
    def judged(text: str, met: bool) -> dict[str, object]:
        point = [f"[tone] {text}: x"]
        details = {"raw_scores": {"tone": met}, "rubric_texts": {"tone": text}}
        hits, misses = (point, []) if met else ([], point)
        return evaluator(float(met), hits=hits, misses=misses, details=details)

    page = reported(
        write_results(
            tmp_path / "run.jsonl",
            record("a", 1.0, evaluator_results=[judged("Is warm", True)]),
            record("b", 0.0, evaluator_results=[judged("Is brief", False)]),
            record("c", 1.0, evaluator_results=[judged("Is warm", True)]),
        )
    )
    rows = [" ".join(it.text.split()) for it in page.named("tr")]
    assert "tone Is brief politeness 1 0.00 0%" in rows
    assert "tone Is warm politeness 2 1.00 100%" in rows


def test_members_of_composites_are_counted_under_their_names(tmp_path: Path) -> None:
    composite = evaluator(
        name="both", type="composite", details={"members": [evaluator(0.5, name="inner")]}
    )
    page = reported(
        write_results(tmp_path / "run.jsonl", record("a", evaluator_results=[composite]))
    )
    rows = [" ".join(it.text.split()) for it in page.named("tr")]
    assert any(row.startswith("both / inner llm_judge 1 0.50") for row in rows)


def test_a_page_needs_nothing_from_elsewhere(tmp_path: Path) -> None:
    path = write_results(tmp_path / "run.jsonl", record("a"))
    page = reported(path)
    (policy,) = page.named("meta", **{"http-equiv": "Content-Security-Policy"})
    content = policy.attributes["content"] or ""
    assert content.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in content
    assert "http" not in content
    assert not re.search(r"https?:", page.source)
    assert not re.search(r"@import|url\(|innerHTML|insertAdjacentHTML|document\.write", page.source)
    loading = {"src", "href", "srcset", "data", "action", "poster", "style"}
    loaded = {value for it in page.tags for name, value in it.attributes.items() if name in loading}
    assert loaded == {"#cases"}
    assert not page.named("link")


def test_text_of_others_stays_text(tmp_path: Path) -> None:
    hostile = record(
        f"<b onclick=x>{HOSTILE}",
        candidate_answer=HOSTILE,
        target=HOSTILE,
        dataset=HOSTILE,
        suite_path=HOSTILE,
        reasoning=HOSTILE,
        evaluator_results=[
            evaluator(name=HOSTILE, hits=[f"[{HOSTILE}] x"], details={"raw_scores": {HOSTILE: 1}})
        ],
    )
    page = reported(write_results(tmp_path / "run.jsonl", hostile))
    assert [it.attributes.get("type") for it in page.named("script")] == [
        "application/json",
        None,
        "application/json",
    ]
    assert not page.named("img")
    assert not page.named("b")
    assert page.json("d0")["candidate_answer"] == HOSTILE
    assert page.json("index")["rows"][0]["id"] == f"<b onclick=x>{HOSTILE}"
    # What reorders or ends text does not stand in the page at all, it is only named in it.
    assert not re.search("[\x00\x07\u2028\u202a-\u202e\u2066-\u2069]", page.source)
    assert "[U+202E]gnp.exe[U+202C]" in page.text("h1")


def test_half_a_surrogate_ends_no_report(tmp_path: Path) -> None:
    page = reported(
        write_results(tmp_path / "run.jsonl", record("half\ud83d", candidate_answer="\udc00"))
    )
    assert page.json("d0")["candidate_answer"] == "\udc00"


def test_long_prompts_that_repeat_stand_in_the_page_once(tmp_path: Path) -> None:
    path = write_results(tmp_path / "run.jsonl", *(record(f"case-{it}") for it in range(50)))
    page = reported(path)
    system = "You grade. " * 40
    assert page.source.count(system) == 1
    request = page.json("d49")["evaluator_results"][0]["evaluator_provider_request"]
    assert page.json("index")["texts"][request["system_prompt"]["text_of_page"]] == system
    assert request["user_prompt"] == "Is it polite?"


def test_repeats_of_a_case_stand_in_one_row(tmp_path: Path) -> None:
    path = write_results(
        tmp_path / "run.jsonl",
        record("a", 1.0, repeat=1),
        record("b", 1.0, repeat=1),
        record("a", 0.5, repeat=2),
    )
    rows = reported(path).json("index")["rows"]
    assert [row["id"] for row in rows] == ["a", "b"]
    assert rows[0]["kinds"] == [["pass", 1], ["fail", 1]]
    assert rows[0]["cells"][1] == 0.75
    assert rows[0]["sides"] == [["", [0, 1]]]
    assert rows[1]["sides"] == [["", [2]]]


def test_a_later_result_of_a_case_counts(tmp_path: Path) -> None:
    path = write_results(tmp_path / "run.jsonl", record("a", 0.0), record("a", 1.0))
    page = reported(path)
    (row,) = page.json("index")["rows"]
    assert row["kinds"] == [["pass", 1]]
    assert "1 result was followed by a later one of the same case" in page.source


def test_a_line_that_was_cut_short_is_told(tmp_path: Path) -> None:
    path = write_results(tmp_path / "run.jsonl", record("a"), tail='{"eval_id": "b", "sco')
    ended = suitecase("report", path)
    assert ended.code == 0
    assert "The last line (2) is truncated and was ignored" in ended.err
    assert "The last line (2) is truncated" in path.with_suffix(".html").read_text("utf-8")


def test_the_newest_results_of_a_folder_are_taken(tmp_path: Path) -> None:
    old = write_results(tmp_path / "z-old.jsonl", record("old"))
    new = write_results(tmp_path / "a-new.jsonl", record("new"))
    os.utime(old, (1, 1))
    ended = suitecase("report", tmp_path, "--output", tmp_path / "pages/page.html")
    assert ended.code == 0, ended.err
    page = Page((tmp_path / "pages/page.html").read_text("utf-8"))
    assert [row["id"] for row in page.json("index")["rows"]] == ["new"]
    assert not new.with_suffix(".html").exists()


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("notes.jsonl", b"Dear all,\n", "not a results file"),
        ("other.jsonl", b'{"id": 1}\n[2]\n', "not a results file"),
        ("binary.jsonl", bytes(range(256)), "not a results file"),
        ("deep.jsonl", b"[" * 100_000, "not a results file"),
        ("empty.jsonl", b"", "no results yet: the file is empty"),
        ("missing", None, "it does not exist"),
        ("folder/", None, "no results in this folder"),
    ],
)
def test_what_is_no_results_file_is_said(
    tmp_path: Path, name: str, text: bytes | None, said: str
) -> None:
    path = tmp_path / name
    if name.endswith("/"):
        path.mkdir()
    elif text is not None:
        path.write_bytes(text)
    ended = suitecase("report", path)
    assert ended.code == 2
    assert said in ended.err
    assert "Traceback" not in ended.err
    assert not list(tmp_path.glob("*.html"))


def test_results_are_never_written_over(tmp_path: Path) -> None:
    path = write_results(tmp_path / "run.jsonl", record("a"))
    before = path.read_bytes()
    ended = suitecase("report", path, "--output", path)
    assert ended.code == 2
    assert "is read by this command" in ended.err
    assert path.read_bytes() == before


def test_a_page_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    path = write_results(tmp_path / "run.jsonl", record("a"))
    ended = suitecase("report", path, "--output", path / "page.html")
    assert ended.code == 2
    assert "cannot be written" in ended.err


def test_records_with_other_forms_show_what_they_have(tmp_path: Path) -> None:
    page = reported(
        write_results(
            tmp_path / "run.jsonl",
            {"eval_id": "least"},
            {"eval_id": "scored", "score": 0.9},
            {"eval_id": "failed", "score": 0, "error": "down"},
            record("odd", 7, trace_summary="fast", evaluator_results="none", timestamp=5),
        )
    )
    rows = {row["id"]: row for row in page.json("index")["rows"]}
    kinds = {name: row["kinds"][0][0] for name, row in rows.items()}
    assert kinds == {
        "least": "not_evaluated",
        "scored": "pass",
        "failed": "error",
        "odd": "pass",
    }
    assert rows["odd"]["cells"][1] == 1.0


@pytest.mark.skipif(not BASELINES.is_dir(), reason="the baselines are not here")
def test_baselines_of_the_original_can_be_reported(tmp_path: Path) -> None:
    baselines = sorted(BASELINES.rglob("*.baseline.jsonl"))
    assert baselines
    for number, path in enumerate(baselines):
        records = [json.loads(it) for it in path.read_text("utf-8").splitlines() if it.strip()]
        output = tmp_path / f"{number}.html"
        ended = suitecase("report", path, "--output", output)
        assert (ended.code, ended.err) == (0, "")
        assert f"({len(records)} answer" in ended.out
        page = Page(output.read_text("utf-8"))
        assert page.json("d0")["eval_id"] == records[0]["eval_id"]


@needs_browser
def test_a_browser_shows_what_the_address_asks_for(tmp_path: Path) -> None:
    path = write_results(
        tmp_path / "run.jsonl",
        record("good", 1.0),
        record("worse", 0.3),
        record("worst", 0.1, candidate_answer="Farewell"),
        record("broken", None, error="down"),
    )
    page = path.with_suffix(".html")
    reported(path)
    assert len(list(rows_of(in_browser(page)))) == 4
    failed = in_browser(page, "verdict=fail&sort=score")
    assert list(rows_of(failed)) == ["fail 0.10 worst", "fail 0.30 worse"]
    assert failed.text("p", role="status") == "2 of 4 cases"
    assert [it.text for it in failed.named("button", **{"aria-pressed": "true"})] == ["2 failed"]
    assert list(rows_of(in_browser(page, "q=WORS&sort=-score"))) == [
        "fail 0.30 worse",
        "fail 0.10 worst",
    ]
    assert list(rows_of(in_browser(page, "q=farewell"))) == []
    assert list(rows_of(in_browser(page, "q=farewell&in=everything"))) == ["fail 0.10 worst"]


@needs_browser
def test_a_browser_opens_a_case_and_obeys_nothing_in_it(tmp_path: Path) -> None:
    path = write_results(
        tmp_path / "run.jsonl",
        *(record(f"case-{it}") for it in range(300)),
        record(
            "hostile",
            0.9,
            verdict="fail",
            candidate_answer=HOSTILE,
            evaluator_results=[
                evaluator(0.9, verdict="fail", reasoning=HOSTILE, hits=[HOSTILE], name=HOSTILE)
            ],
        ),
    )
    reported(path)
    page = in_browser(path.with_suffix(".html"), "open=hostile")
    assert page.title == "a: results"
    assert not page.named("img")
    (answer,) = page.named("div", **{"class": "answer"})
    assert "document.title='owned'" in answer.text
    assert "[U+202E]gnp.exe[U+202C]" in answer.text
    assert "Something required is not met" in answer.text
    assert "What the judge was asked" in answer.text


@needs_browser
def test_a_browser_shows_what_was_asked_and_expected(tmp_path: Path) -> None:
    prompt = "You answer in one word. " * 20
    asked: dict[str, Any] = {
        "input": [
            {"role": "system", "content": prompt, "tool_calls": None},
            {"role": "user", "content": HOSTILE, "tool_calls": None},
        ],
        "expected_outcome": "Names the capital.",
        "expected_output": [{"role": "assistant", "content": "Paris", "tool_calls": None}],
        "gate_failed": True,
        "verdict": "fail",
        "finish_reason": "length",
        "seed": 41,
        "judge_cost_usd": 0.25,
    }
    path = write_results(tmp_path / "run.jsonl", record("a", 0.2, **asked), record("b", **asked))
    html = reported(path)
    # The suite's prompt stands in the page once, however often it was sent.
    assert html.source.count(prompt.strip()) == 1
    page = in_browser(path.with_suffix(".html"), "open=a")
    assert page.title == "a: results"
    (answer,) = page.named("div", **{"class": "answer"})
    titles = [it.text for it in page.named("h4")]
    assert titles[:4] == ["Input", "Expected outcome", "Expected output", "Answer"]
    shown = [it.text for it in page.named("pre")]
    assert "document.title='owned'" in shown[0]
    assert shown[1:3] == ["Names the capital.", "Paris"]
    assert "System prompt of the suite" in answer.text
    for fact in ("answer was cut off", "41", "$0.25"):
        assert fact in answer.text
    assert "More of the record" not in answer.text


@needs_browser
def test_a_browser_shows_how_the_judge_voted_and_what_it_quoted(tmp_path: Path) -> None:
    quotes = [
        {"item": "tone", "quote": "So <b>sorry</b>", "in_answer": True},
        {"item": "refund", "quote": "", "in_answer": False},
    ]
    judge = evaluator(0.2, confidence=2 / 3, quotes=quotes, reported_model="critic-1")
    path = write_results(
        tmp_path / "run.jsonl",
        record("a", 0.2, evaluator_results=[judge], reported_model="writer-1"),
    )
    reported(path)
    (answer,) = in_browser(path.with_suffix(".html"), "open=a").named("div", **{"class": "answer"})
    for text in (
        "67% of the votes agree",
        "tone: “So <b>sorry</b>”",
        "refund: none (not in the answer)",
        "critic-1",
        "writer-1",
    ):
        assert text in answer.text
    assert "More of the record" not in answer.text


@needs_browser
def test_a_browser_shows_the_beginning_of_a_very_long_answer(tmp_path: Path) -> None:
    path = write_results(tmp_path / "run.jsonl", record("long", candidate_answer="x" * 1_048_576))
    reported(path)
    page = in_browser(path.with_suffix(".html"), "open=long")
    assert page.text("button", **{"class": "all"}) == "Show all 1,048,576 characters"
    shown = page.named("pre")[0].text
    assert 1_000 < len(shown) < 50_000
    assert set(shown) == {"x", "…"}


@needs_browser
def test_a_browser_shows_a_record_of_another_form_as_it_stands(tmp_path: Path) -> None:
    odd = record(
        "odd", hits="all", evaluator_results=[{"name": 5}], trace_summary={"tool_names": 5}
    )
    path = write_results(tmp_path / "run.jsonl", odd)
    reported(path)
    (answer,) = in_browser(path.with_suffix(".html"), "open=odd").named(
        "div", **{"class": "answer"}
    )
    assert answer.text.strip().startswith("The record, as it stands in the results file")
    assert '"tool_names": 5' in answer.text


@pytest.mark.parametrize("reason", ["length", "content_filter", "SAFETY"])
@pytest.mark.parametrize("command", ["report", "metrics", "compare"])
def test_answers_that_were_cut_off_are_counted_beside_the_figures(
    tmp_path: Path, command: str, reason: str
) -> None:
    cut_off = {"finish_reason": reason, "candidate_answer": "Paris is"}
    whole = {"finish_reason": "stop", "candidate_answer": "Paris"}
    path = write_results(
        tmp_path / "run.jsonl",
        record("a", 1.0, **cut_off),
        record("b", 1.0, **cut_off),
        record("c", 1.0, **whole),
        record("b", 1.0, **whole),
    )
    ended = suitecase(command, path, *([path] if command == "compare" else []))
    assert ended.code == 0, ended.err
    assert "run.jsonl: 1 answer was cut off, and is graded without its end" in ended.err


@pytest.mark.skipif(sys.platform == "win32", reason="devices are no files there")
@pytest.mark.parametrize("command", ["report", "metrics", "gate", "compare", "publish", "labels"])
def test_a_device_is_refused_rather_than_read_for_ever(tmp_path: Path, command: str) -> None:
    (tmp_path / "link.jsonl").symlink_to("/dev/zero")
    for path in ("/dev/zero", "link.jsonl"):
        done = processes.suitecase(command, path, cwd=tmp_path)
        assert done.returncode == 2
        assert f"{path}: cannot be read: it is a device, not a file" in done.stderr
