"""`suitecase calibrate`: what is asked, what is written, and what is said if nothing is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from support.judging import (
    CALIBRATION,
    SUITE,
    CalibrationSite,
    SimulatedJudge,
    answer_text,
)
from support.servers.openai import (  # pyright: ignore[reportMissingImports] - see tests/conftest.py
    Answer,
    OpenAiServer,
)

GOOD = {1: True, 2: True, 3: True, 4: False, 5: False}


@pytest.fixture
def site(tmp_path: Path, openai_server: OpenAiServer) -> CalibrationSite:
    """Five labeled answers, and a judge that passes one of the two bad ones."""
    site = CalibrationSite(tmp_path, openai_server, GOOD)
    site.labels(GOOD)
    openai_server.default = SimulatedJudge(GOOD | {4: True})
    return site


def test_the_file_has_what_people_and_the_judge_say(site: CalibrationSite) -> None:
    ran = site.calibrate("--no-probes")
    assert ran.code == 0, ran.err
    found = site.calibration
    assert (found.judge, found.reported_model, found.raters) == (
        "rubric",
        "gpt-judge",
        ("ann", "ben"),
    )
    assert found.asked == {"target": "judge", "model": "gpt-judge", "temperature": 0}
    assert found.probes_version is None
    said = {it.case: (it.people_pass, it.judge_pass) for it in found.answers}
    assert said == {
        "case-1": (True, True),
        "case-2": (True, True),
        "case-3": (True, True),
        "case-4": (False, True),
        "case-5": (False, False),
    }
    assert found.answers[0].people == found.answers[0].judge == {"good": True}
    assert (
        "people: good                 3             0    sensitivity 1.00 [0.29, 1.00]" in ran.out
    )
    assert (
        "people: bad                  1             1    specificity 0.50 [0.01, 0.99]" in ran.out
    )
    assert "5 labeled answers of 5 cases, 3 good, 2 bad" in ran.out
    assert f"Written: {CALIBRATION}" in ran.out


def test_the_judge_is_asked_as_a_run_asks_it(site: CalibrationSite) -> None:
    answers = {"targets": [{"name": "bot", "provider": "mock", "response": answer_text(1)}]}
    targets = json.loads(site.read("targets.yaml"))
    targets["targets"][0] = {**answers["targets"][0], "judge_target": "judge"}
    site.write("targets.yaml", json.dumps(targets))
    assert site.run("run", f"{SUITE}::case-1", "--no-results").code == 0
    site.calibrate("--no-probes")
    asked, *others = (it.body for it in site.server.requests)
    assert len(others) == len(GOOD)
    assert asked in others


def test_the_same_answers_give_the_same_file(site: CalibrationSite) -> None:
    site.calibrate()
    first = site.read(CALIBRATION).splitlines()
    site.calibrate("--concurrency", "1")
    again = site.read(CALIBRATION).splitlines()
    assert [it for it in first if '"at"' not in it] == [it for it in again if '"at"' not in it]


def test_each_probe_is_asked_and_counted(site: CalibrationSite) -> None:
    site.server.default = SimulatedJudge(GOOD, turned_by={"official sources": 1.0})
    ran = site.calibrate()
    assert ran.code == 0, ran.err
    assert dict(site.calibration.probes) == {
        "authority": 5,
        "empty": 5,
        "injection": 2,
        "layout": 5,
        "length": 5,
        "repeat": 5,
    }
    assert len(site.server.requests) == 5 + 27
    assert all(it.flips == ("authority",) for it in site.calibration.answers)
    assert "authority 5 of 5" in ran.out
    assert "injection 0 of 2" in ran.out


def test_only_the_probes_that_the_suite_names_are_tried(site: CalibrationSite) -> None:
    site.suite("    probes: [layout]\n")
    site.calibrate()
    assert dict(site.calibration.probes) == {"layout": 5}


def test_a_judge_that_passes_empty_answers_is_found(site: CalibrationSite) -> None:
    site.suite("    probes: [empty]\n")
    judge = SimulatedJudge(GOOD)
    site.server.default = lambda body: judge.reply(body, satisfied=True)
    site.calibrate()
    assert [it.flips for it in site.calibration.answers] == [("empty",)] * 5


def test_a_dry_run_asks_and_writes_nothing(site: CalibrationSite) -> None:
    ran = site.calibrate("--dry-run")
    assert (ran.code, site.server.requests) == (0, [])
    assert "rubric: 5 labeled answers of 5 cases" in ran.out
    assert "asks to judge `judge` (openai, gpt-judge): 30 to 105 questions" in ran.out
    assert "tokens sent" in ran.out
    assert "Nothing was asked." in ran.out
    assert not (site.root / CALIBRATION).exists()


def test_an_answer_with_a_reply_that_cannot_be_read_is_counted(site: CalibrationSite) -> None:
    judge = SimulatedJudge(GOOD)
    site.server.default = lambda body: (
        "I would rather not say." if "Answer 2 of" in str(body) else judge(body)
    )
    ran = site.calibrate("--no-probes")
    assert ran.code == 0, ran.err
    unread = site.calibration.answers[1]
    assert (unread.case, unread.judge, unread.judge_pass) == ("case-2", None, None)
    assert "unreadable replies 1 of 5" in ran.out


def test_a_judge_that_cannot_be_reached_writes_nothing(site: CalibrationSite) -> None:
    judge = SimulatedJudge(GOOD)
    site.calibrate("--no-probes")
    before = site.read(CALIBRATION)
    site.server.default = lambda body: (
        Answer(status=500, error="out of order") if "Answer 2 of" in str(body) else judge(body)
    )
    ran = site.calibrate("--no-probes")
    assert ran.code == 3
    assert "rubric: 4 of 5 answers could be judged: `case-2`: " in ran.err
    assert "no calibration was written; 4 questions cost" in ran.err
    assert site.read(CALIBRATION) == before


def test_replies_of_a_calibration_that_failed_are_used_again(site: CalibrationSite) -> None:
    judge = SimulatedJudge(GOOD)
    site.server.default = lambda body: (
        Answer(status=500, error="out of order") if "Answer 2 of" in str(body) else judge(body)
    )
    assert "--cache read" in site.calibrate("--no-probes").err
    site.server.default = judge
    site.server.requests.clear()
    assert site.calibrate("--no-probes", "--cache", "read").code == 0
    assert ["Answer 2 of" in str(it.body) for it in site.server.requests] == [True]


def test_a_budget_that_is_used_up_writes_nothing(site: CalibrationSite) -> None:
    site.targets(price={"input_per_million": 1e5, "output_per_million": 0})
    ran = site.calibrate("--no-probes", "--budget-usd", "2", "--concurrency", "1")
    assert ran.code == 3
    assert "the budget of $2 is used up: $2.2 spent" in ran.err
    assert len(site.server.requests) == 2
    assert not (site.root / CALIBRATION).exists()


def test_a_budget_takes_a_price(site: CalibrationSite) -> None:
    ran = site.calibrate("--budget-usd", "2")
    assert ran.code == 2
    assert "the price is unknown for the model `gpt-judge`" in ran.err
    assert site.server.requests == []


def test_labels_of_answers_that_are_no_longer_there_are_named(site: CalibrationSite) -> None:
    path = site.results()
    lines = path.read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[:3] + lines[4:]), "utf-8")
    ran = site.calibrate("--no-probes")
    assert ran.code == 0
    assert "1 labeled answer not found in 1 results file" in ran.err
    assert "`case-4` " in ran.err
    assert len(site.calibration.answers) == 4


def test_answers_are_found_in_the_results_that_are_named(site: CalibrationSite) -> None:
    (site.root / ".suitecase" / "results" / "s.jsonl").unlink()
    ran = site.calibrate("--no-probes")
    assert ran.code == 2
    assert "no results of this suite in which the text of 5 labeled answers" in ran.err
    elsewhere = site.results("elsewhere/named.jsonl", suite="moved.eval.yaml")
    assert site.calibrate("--no-probes", "--run", str(elsewhere)).code == 0
    assert len(site.calibration.answers) == 5


def test_answers_on_which_people_differ_are_left_out(site: CalibrationSite) -> None:
    site.labels(GOOD, value=lambda rater, number: GOOD[number] ^ (rater == "ben" and number == 1))
    ran = site.calibrate("--no-probes")
    assert ran.code == 0
    assert "1 answer left out, since people differ and nothing settles that yet" in ran.err
    assert [it.case for it in site.calibration.answers] == ["case-2", "case-3", "case-4", "case-5"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            ("    calibration: labels/rubric.calibration.json\n", "    temperature: 0\n"),
            "no judge names a calibration file",
        ),
        (
            ("human:\n  rubric:\n    labels: [labels/rubric.csv]\n", ""),
            "no labels are named for `rubric`",
        ),
        (("labels/rubric.calibration.json", "../out.json"), "../out.json is outside the workspace"),
        (("labels/rubric.calibration.json", "labels"), "is a folder"),
        (("[labels/rubric.csv]", "[gone.csv]"), "the label file gone.csv does not exist"),
        (
            ("labels/rubric.calibration.json", "targets.yaml"),
            "targets.yaml exists and is not a calibration",
        ),
        (
            ("expected_outcome: Is good}", "expected_outcome: Reworded}"),
            "labels/rubric.csv: no labels that count (1 label of an earlier wording)",
        ),
    ],
)
def test_a_judge_that_cannot_be_calibrated_says_what_to_write(
    site: CalibrationSite, change: tuple[str, str], said: str
) -> None:
    if "Reworded" in change[1]:
        site.write(
            "labels/rubric.csv",
            "case,answer,item,wording,rater,value\n"
            "case-1,0123456789abcdef,good,00000000,ann,true\n",
        )
    site.write(SUITE, site.read(SUITE).replace(*change))
    ran = site.calibrate()
    assert ran.code == 2
    assert said in ran.err
    assert site.server.requests == []


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b"case,answer,item,rater,value\ncase-1,gr\xfcn", "it is not text in UTF-8"),
        (b"case,answer,item,rater,value\ncase-1,0123456789abcdef,good,eva,so so\n", "`so so`"),
        (b"case,answer,item,rater,value\ncase-1,0123456789abcdef,good,eva,7\n", "not 7"),
        (None, "the label file labels/eva.csv does not exist"),
    ],
    ids=["latin-1", "no-value", "off-scale", "missing"],
)
def test_a_judge_is_not_held_against_a_part_of_the_labels(
    site: CalibrationSite, text: bytes | None, why: str
) -> None:
    site.write(
        SUITE,
        site.read(SUITE).replace("[labels/rubric.csv]", "[labels/rubric.csv, labels/eva.csv]"),
    )
    if text is not None:
        (site.root / "labels/eva.csv").write_bytes(text)
    for options in ([], ["--dry-run"]):
        ran = site.calibrate(*options)
        assert ran.code == 2
        assert why in ran.err
    assert site.server.requests == []
    assert not (site.root / "labels/rubric.calibration.json").exists()


def test_a_judge_by_another_name_is_not_calibrated(site: CalibrationSite) -> None:
    ran = site.calibrate("--judge", "rubrik")
    assert ran.code == 2
    assert "`judges.rubrik` names no calibration file. Did you mean `rubric`?" in ran.err


def test_a_suite_with_errors_is_not_asked_about(site: CalibrationSite) -> None:
    site.write(SUITE, site.read(SUITE).replace("input: Where", "inptu: Where"))
    ran = site.calibrate()
    assert ran.code == 2
    assert "has errors, so the judge was not asked" in ran.err


def test_json_has_the_same_numbers(site: CalibrationSite) -> None:
    ran = site.calibrate("--format", "json")
    (judge,) = json.loads(ran.out)["judges"]
    assert (judge["good"], judge["bad"]) == (
        {"answers": 3, "passed": 3},
        {"answers": 2, "failed": 1},
    )
    assert judge["specificity"]["estimate"] == 0.5
    assert judge["probes"]["injection"] == {"turned": 0, "tried": 1}
    assert judge["file"] == CALIBRATION


def test_repeat_is_asked_again_whatever_the_cache_has(site: CalibrationSite) -> None:
    site.suite("    probes: [repeat]\n")
    site.targets(seed=7)
    assert site.calibrate("--cache", "read").code == 0
    seeds = [it.body["seed"] for it in site.server.requests]
    assert len(seeds) == 2 * len(GOOD)
    assert sorted(set(seeds)) == [7, 1007]
    site.calibrate("--cache", "read")
    assert len(site.server.requests) == 2 * len(GOOD)


def test_empty_answers_are_tried_once_for_each_case(site: CalibrationSite) -> None:
    site.suite("    probes: [empty, layout]\n")
    path = site.results()
    lines = [json.loads(it) for it in path.read_text("utf-8").splitlines()]
    # Another answer to the first case, with the text of the answer to the second one.
    lines.append(lines[1] | {"eval_id": "case-1", "repeat": 2})
    path.write_text("".join(f"{json.dumps(it)}\n" for it in lines), "utf-8")
    rows = site.read("labels/rubric.csv").splitlines()
    rows += [it.replace("case-2", "case-1") for it in rows if it.startswith("case-2,")]
    site.write("labels/rubric.csv", "\n".join([*rows, ""]))
    assert site.calibrate().code == 0
    assert len(site.calibration.answers) == 6
    assert dict(site.calibration.probes) == {"empty": 5, "layout": 6}


@pytest.mark.parametrize(
    ("gates", "code", "said"),
    [
        ("judges.rubric.sensitivity >= 60%", 0, "1 gate: 1 holds"),
        ("judges.rubric.specificity >= 60%", 1, "FAILS      judges.rubric.specificity >= 60%"),
        ("{gate: judges.rubric.specificity >= 60%, level: warning}", 0, "warning"),
        ("judges.rubric.self_agreement >= 90%", 3, "undecided"),
        ("judges.rubric.self_agreement >= 90%, judges.rubric.specificity >= 60%", 1, "FAILS"),
        ("pass_rate >= 90%, human.rubric.alpha >= 0.9", 0, "Written"),
    ],
)
def test_gates_on_the_judge_decide_the_exit_code(
    site: CalibrationSite, gates: str, code: int, said: str
) -> None:
    site.suite(head=f"gates: [{gates}]\n")
    ran = site.calibrate("--no-probes")
    assert ran.code == code, ran.out
    assert said in ran.out
    assert "pass_rate" not in ran.out
    assert len(site.calibration.answers) == len(GOOD)


def test_each_judge_with_a_calibration_is_calibrated_unless_one_is_named(
    site: CalibrationSite,
) -> None:
    suite = site.read(SUITE)
    suite = suite.replace(
        "execution: {target: bot}",
        "execution:\n  target: bot\n  evaluators: [{name: kind, type: criteria, criteria: Is kind}]",
    )
    suite = suite.replace("judges:\n", "judges:\n  kind: {calibration: labels/kind.json}\n")
    suite = suite.replace("human:\n", "human:\n  kind: {labels: [labels/kind.csv]}\n")
    site.write(SUITE, suite)
    site.write("labels/kind.csv", site.read("labels/rubric.csv").replace(",good,", ",verdict,"))
    judge = SimulatedJudge(GOOD)

    def behave(body: Mapping[str, Any]) -> str:
        if "checks" in str(body["messages"]):
            return judge(body)
        return json.dumps({"score": 0.9, "hits": [], "misses": [], "reasoning": "Kind."})

    site.server.default = behave
    ran = site.calibrate("--no-probes", "--judge", "kind")
    assert ran.code == 0, ran.err
    assert not (site.root / CALIBRATION).exists()
    assert "specificity 0.00 [0.00, 0.84]" in ran.out
    ran = site.calibrate("--no-probes")
    assert ran.out.index("kind by gpt-judge") < ran.out.index("rubric by gpt-judge")
    assert "specificity 1.00 [0.16, 1.00]" in ran.out
    assert len(site.calibration.answers) == len(GOOD)
