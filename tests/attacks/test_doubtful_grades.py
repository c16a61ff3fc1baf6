"""Grades that nobody should believe without a look: other scales, quoted and drafted verdicts."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from suitecase.editor.grading_hashes import grading_hash
from suitecase.editor.hover.evaluator_results import evaluator_text
from suitecase.editor.results import CaseResult
from suitecase.editor.run_marks import run_marks
from suitecase.format.rule import Severity
from suitecase.formats.suitecase.parsed import parse_suite
from suitecase_evaluators.answers.records.record import ResultRecord
from support.report_pages import Page, in_browser, needs_browser, suitecase
from support.running.site import Site, lines_of
from support.suites.judged import JudgedSite, result

GOOD = '{"score": 1, "hits": ["drafted"], "misses": [], "reasoning": ""}'
BAD = '{"score": 0.1, "hits": [], "misses": ["meant"], "reasoning": ""}'


@pytest.mark.parametrize(
    "reply",
    [
        f"<think>Perhaps {GOOD}?</think>{BAD}",
        f"\n <THINK>\n{GOOD}\n</THINK>\n\n{BAD}",
        f"<thinking>{GOOD}</thinking> My verdict: ```json\n{BAD}\n```",
        f"[THINK]{GOOD}[/THINK]{BAD}",
        # Some servers send no beginning.
        f"Perhaps {GOOD}?\n</think>\n{BAD}",
        f"<think>The answer says `</think>{GOOD}` of itself.</think>{BAD}",
        f"<think>{GOOD}</think> And again: <think>{GOOD}</think> {BAD}",
        # What is quoted inside of the verdict ends no thinking.
        BAD.replace("meant", f"says </think> {GOOD}".replace('"', "'")),
        f'{BAD}\nIt said "</think>" somewhere, which I left out.',
    ],
)
async def test_what_a_judge_thinks_is_no_verdict(site: Site, reply: str) -> None:
    record = await JudgedSite(site).record({}, "Paris", reply)
    assert (record["score"], record["attempts"]) == (0.1, 1)
    assert "ambiguous_reply" not in result(record)["details"]


@pytest.mark.parametrize("reply", [f"<think>{GOOD}", f"<think>{GOOD}</think>", f"{GOOD}\n</think>"])
async def test_a_reply_that_is_all_thinking_is_asked_for_again(site: Site, reply: str) -> None:
    record = await JudgedSite(site).record({}, "Paris", reply, BAD)
    assert (record["score"], record["attempts"]) == (0.1, 2)
    (problem,) = result(record)["details"]["reply_problems"]
    assert problem == "the reply ends with its thinking, before its verdict"


async def test_much_thinking_is_read_quickly(site: Site) -> None:
    reply = f"<think>{GOOD * 20_000}{'</think>' * 100_000}{BAD}"
    started = datetime.now(UTC)
    record = await JudgedSite(site).record({}, "Paris", reply)
    assert record["score"] == 0.1
    assert (datetime.now(UTC) - started).total_seconds() < 20


def graded(site: Site, *evaluators: dict[str, Any], judge: str | list[str] = BAD) -> None:
    targets = [
        {"name": "bot", "provider": "mock", "response": "Paris", "judge_target": "judge"},
        {"name": "judge", "provider": "mock", "response": judge},
    ]
    site.write("targets.yaml", json.dumps({"targets": targets}))
    case: dict[str, Any] = {"id": "case", "input": "x", "evaluators": list(evaluators)}
    case |= {"expected_outcome": "y", "expected_output": "Rome"}
    site.write("a.eval.yaml", json.dumps({"execution": {"target": "bot"}, "evalcases": [case]}))


def scripted(name: str, reply: str) -> dict[str, Any]:
    return {"name": name, "type": "code_judge", "script": ["echo", reply]}


JUDGED = {"name": "judged", "type": "llm_judge"}
OF_TWENTY = json.dumps({"score": 20, "misses": ["is rude"], "reasoning": "2 of 10"})
TWENTY = (
    "the judge gave the score 20, outside 0 to 1, also when it was asked again; 1 is recorded, and "
    "counts as no grade"
)
DIFFER = "the judge's reply contains different verdicts; the first one counts"


def test_a_judge_on_another_scale_grades_nothing_wherever_it_is_shown(site: Site) -> None:
    composite = {
        "name": "both",
        "type": "composite",
        "aggregator": {"type": "weighted_average"},
        "evaluators": [{**JUDGED, "name": "inner"}],
    }
    graded(site, JUDGED, composite, judge=OF_TWENTY)
    ran = site.run("a.eval.yaml", "--output", "r.jsonl")
    assert ran.code == 3, ran.out
    assert "JUDGE FAILED" in ran.out
    assert "1.00" not in ran.out
    flat = " ".join(ran.out.split())
    assert f"? judged: {TWENTY}" in flat
    assert f"? both / inner: {TWENTY}" in flat
    assert "1 judge failure" in ran.out
    assert "2 scores were outside 0 to 1, and are recorded as the nearest bound." in ran.out
    (record,) = lines_of(site.root / "r.jsonl")
    only = record["evaluator_results"][0]
    assert (only["details"]["given_score"], only["parse_failed"], only["score"]) == (20, True, 1)
    told = json.loads(site.run("a.eval.yaml", "--no-results", "--format", "json").out)["summary"]
    assert (told["clamped_scores"], told["statuses"]["judge_failed"]) == (2, 1)
    assert told["mean_score"] is None
    assert "⚠️ judge failed" in site.run("a.eval.yaml", "--no-results", "--format", "markdown").out
    annotations = site.run("a.eval.yaml", "--no-results", "--format", "github").out
    assert f"evaluator `judged`: {TWENTY}" in annotations
    junit = site.run("a.eval.yaml", "--no-results", "--format", "junit").out
    assert 'failures="0" errors="1"' in junit
    assert '<error message="judge failed: `score` is 20' in junit


def test_a_script_on_another_scale_is_an_error(site: Site) -> None:
    graded(site, scripted("script", '{"score": 20}'))
    ran = site.run("a.eval.yaml", "--no-results")
    assert ran.code == 3
    assert "`score` is 20 in the script's answer, expected a number from 0 to 1" in " ".join(
        ran.out.split()
    )


ITEMS = {**JUDGED, "rubrics": ["Says Paris"]}
MET, NOT_MET = (
    json.dumps({"checks": [{"id": "rubric-1", "satisfied": it, "reasoning": ""}]})
    for it in (True, False)
)
COMPARED = {"name": "better", "type": "preference", "against": "reference"}
OURS, THEIRS = (json.dumps({"better": it, "reasoning": ""}) for it in ("first", "second"))
#: A judge that keeps to a reply is asked three times for it.
KEPT_TO = 3


@pytest.mark.parametrize(
    ("evaluator", "replies"),
    [
        pytest.param(JUDGED, [GOOD + BAD], id="a score"),
        pytest.param(ITEMS, [MET + NOT_MET], id="items"),
        pytest.param(COMPARED, [OURS + THEIRS], id="a comparison"),
        # In one order only.
        pytest.param(COMPARED, [OURS + THEIRS] * KEPT_TO + [OURS], id="half of a comparison"),
        pytest.param({**JUDGED, "votes": 3}, [GOOD + BAD] * KEPT_TO + [GOOD], id="a vote"),
        pytest.param(
            {**ITEMS, "votes": 3}, [MET + NOT_MET] * KEPT_TO + [MET], id="a vote on items"
        ),
    ],
)
def test_two_verdicts_are_said_and_counted(
    site: Site, evaluator: dict[str, Any], replies: list[str]
) -> None:
    graded(site, evaluator, judge=replies)
    for options in ((), ("--show", "all")):
        ran = site.run("a.eval.yaml", "--no-results", *options)
        assert f"? {DIFFER}" in ran.out
        assert "1 judge's reply contains different verdicts; the first one counts." in ran.out
    told = json.loads(site.run("a.eval.yaml", "--no-results", "--format", "json").out)
    assert told["summary"]["ambiguous_replies"] == 1


@pytest.mark.parametrize(("evaluator", "reply"), [(JUDGED, GOOD), (ITEMS, MET), (COMPARED, OURS)])
def test_one_verdict_said_twice_is_no_doubt(
    site: Site, evaluator: dict[str, Any], reply: str
) -> None:
    graded(site, evaluator, judge=reply + reply)
    told = json.loads(site.run("a.eval.yaml", "--no-results", "--format", "json").out)
    assert told["summary"]["ambiguous_replies"] == 0


@pytest.mark.parametrize(
    ("reply", "score", "given"),
    [('{"score": 7}', 1, 7), ('{"score": 1.01}', 1, 1.01), ('{"score": -1}', 0, -1)],
)
async def test_the_score_of_a_judge_on_another_scale(
    site: Site, reply: str, score: float, given: float
) -> None:
    only = result(await JudgedSite(site).record({}, "Paris", reply))
    assert (only["score"], only["details"]["given_score"]) == (score, given)
    assert (only["attempts"], only["parse_failed"]) == (3, True)


@pytest.mark.parametrize(
    "reply",
    [
        '{"score": 1, "details": {"given_score": 20, "ambiguous_reply": true}}',
        '{"score": 1, "details": {"members": [{"details": {"ambiguous_reply": true}}]}}',
        '{"score": 0.5}',
    ],
)
def test_a_script_makes_no_doubt_of_its_own(site: Site, reply: str) -> None:
    graded(site, scripted("script", reply))
    ran = site.run("a.eval.yaml", "--no-results")
    assert "outside 0 to 1" not in ran.out
    assert "differ" not in ran.out


def test_a_score_of_hundreds_of_digits_is_none(site: Site) -> None:
    graded(site, scripted("script", f'{{"score": {"9" * 400}}}'))
    ran = site.run("a.eval.yaml", "--no-results")
    assert ran.code == 3, ran.err
    assert "finite" in ran.out


@needs_browser
def test_a_report_counts_it_and_says_it_at_the_case(site: Site) -> None:
    two = f"{OF_TWENTY} {BAD}"
    graded(site, JUDGED, judge=two)
    site.run("a.eval.yaml", "--output", "r.jsonl")
    assert suitecase("report", site.root / "r.jsonl").code == 0
    page = Page((site.root / "r.html").read_text("utf-8"))
    heads = [" ".join(it.text.split()) for it in page.named("th", scope="col")]
    assert {"Off the scale", "Ambiguous"} <= set(heads)
    shown = in_browser(site.root / "r.html", "open=case")
    told = [it.text for it in shown.named("p", **{"class": "broken"})]
    assert any(
        "The score 20 is outside 0 to 1; 1 is recorded." in paragraph for paragraph in told
    ), told
    assert any("The judge failed" in paragraph for paragraph in told), told
    assert any("different verdicts" in it for it in told), told


def test_an_editor_marks_it_at_the_evaluator_and_says_it_in_the_hover(site: Site) -> None:
    graded(site, JUDGED, judge=OF_TWENTY)
    site.run("a.eval.yaml", "--output", "r.jsonl")
    (record,) = lines_of(site.root / "r.jsonl")
    path = site.root / "a.eval.yaml"
    suite = parse_suite(path.read_text())
    last = CaseResult.of_record(
        ResultRecord(record), grading=grading_hash(suite, 0), at=datetime.now(UTC)
    )
    marks = {run_mark.message: run_mark for run_mark in run_marks(suite, {"case": last})}
    assert all(
        run_mark.severity is not Severity.INFO or run_mark.is_miss for run_mark in marks.values()
    )
    mark = marks[f"evaluator `judged`: {TWENTY}"]
    assert path.read_text()[mark.span.start : mark.span.end].strip('"') == "judged"
    assert any(message.startswith("judge failed: ") for message in marks)
    assert TWENTY in evaluator_text(last.evaluators[0], stale=False)
    assert "judge failed" in evaluator_text(last.evaluators[0], stale=False)
