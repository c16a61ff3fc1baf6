"""The specification's scenarios of figures and gates, from the text of a suite to the exit code.

The target repeats the question, so that the input of a case is its answer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from support.figures import answer, decided, evaluator
from support.running.processes import suitecase, write

#: Expected and predicted label of each case, as in the documentation of scikit-learn's `f1_score`.
EXPECTED = [0, 1, 2, 0, 1, 2]
PREDICTED = [0, 2, 1, 0, 0, 1]


def case(
    name: str, answer_: str, expected: str, *evaluators: Mapping[str, Any], **keys: Any
) -> str:
    fields = {
        "id": name,
        "input": answer_,
        "expected_outcome": "As expected",
        "expected_output": expected,
        "evaluators": list(evaluators),
        **keys,
    }
    return f"  - {json.dumps(fields)}"


def run_of(folder: Path, head: str, *cases: str) -> None:
    text = "\n".join(["execution: {target: mock}", head, "evalcases:", *cases, ""])
    write(folder, "s.eval.yaml", text)
    suitecase("run", "s.eval.yaml", "--output", "run.jsonl", cwd=folder)


def figures_of(folder: Path) -> dict[tuple[str, str | None], Any]:
    done = suitecase("metrics", "run.jsonl", "--all", "--format", "json", cwd=folder)
    assert done.returncode == 0, done.stderr
    (run,) = json.loads(done.stdout)["runs"]
    return {(it["figure"], it["slice"]): it for it in run["figures"]}


LABEL = {"name": "topic", "type": "label", "labels": ["l0", "l1", "l2"]}
#: What the script of SQuAD 1.1 gives these answers: exact match after normalisation, and token F1.
SQUAD = [
    ("The Denver Broncos", "Denver Broncos", 1.0, 1.0),
    ("Denver Broncos!", "denver broncos", 1.0, 1.0),
    ("the Carolina Panthers", "Denver Broncos", 0.0, 0.0),
    ("Broncos of Denver", "Denver Broncos", 0.0, 0.8),
]


def test_metric_computation_and_ci_reporting(tmp_path: Path) -> None:
    """WHEN evaluation results are produced THEN the system MUST compute task-appropriate metrics, and
    SHALL report slice-level and suite-level confidence intervals.
    """
    labelled = [
        case(f"label-{it}", f"l{predicted}", f"l{expected}", LABEL, tags=["labelled"])
        for it, (expected, predicted) in enumerate(zip(EXPECTED, PREDICTED, strict=True))
    ]
    graders = (
        {"name": "exact", "type": "equals", "normalize": "squad"},
        {"name": "f1", "type": "token_f1"},
    )
    answered = [
        case(f"squad-{it}", given, expected, *graders, tags=["squad"])
        for it, (given, expected, _, _) in enumerate(SQUAD)
    ]
    refuses = {"name": "refuses", "type": "refusal"}
    refused = [case("refused", "I'm sorry, but I can't help with that.", "No", refuses)]
    run_of(tmp_path, "", *labelled, *answered, *refused)
    found = figures_of(tmp_path)
    assert found["topic", None]["estimate"] == pytest.approx(2 / 6)
    assert found["topic.macro_f1", None]["estimate"] == pytest.approx(0.8 / 3)
    assert found["topic.recall.l0", None]["estimate"] == 1
    assert found["topic.recall.l1", None]["estimate"] == 0
    assert found["exact", None]["estimate"] == pytest.approx(sum(it[2] for it in SQUAD) / 4)
    assert found["f1", "squad"]["estimate"] == pytest.approx(sum(it[3] for it in SQUAD) / 4)
    assert found["refusal_rate", None]["estimate"] == pytest.approx(1 / 11)
    for figure in found.values():
        if figure["no_interval"] is None:
            assert 0 <= figure["low"] <= figure["estimate"] <= figure["high"]
        else:
            # What has no highest value, of cases that are alike or few.
            assert figure["unit"] != "share"


@pytest.mark.parametrize(
    ("passed", "total", "low", "high"),
    [
        (81, 263, 0.2527, 0.3676),
        (15, 148, 0.0578, 0.1617),
        (0, 20, 0, 0.1684),
        (1, 29, 0.0009, 0.1776),
    ],
)
def test_pass_rates_have_the_exact_intervals_of_newcombe(
    passed: int, total: int, low: float, high: float
) -> None:
    """Table I of Newcombe, Statistics in Medicine 17 (1998), in the row of Clopper and Pearson."""
    records = [answer(f"c{it}", float(it < passed)) for it in range(total)]
    figure = decided("pass_rate >= 0", records).figure
    assert figure is not None
    assert figure.low == pytest.approx(low, abs=5e-5)
    assert figure.high == pytest.approx(high, abs=5e-5)


HEAD = """slices:
  critical: {tags: critical}
  red-team: {tags: red-team, safety: true}
metrics: {quality: 0.5 * f1 + 0.5 * exact}
gates:
  - f1[critical] >= 0.85
  - quality >= 0.5
  - violation_rate[red-team] <= 0%"""
GRADERS = ({"name": "exact", "type": "equals"}, {"name": "f1", "type": "token_f1"})
REFUSES = {"name": "refuses", "type": "refusal"}
GOOD = [case(f"good-{it}", "Denver Broncos", "Denver Broncos", *GRADERS) for it in range(8)]
CRITICAL = [case("crit", "Denver Broncos", "Denver Broncos", *GRADERS, tags=["critical"])]
WRONG = [case("crit", "Panthers", "Denver Broncos", *GRADERS, tags=["critical"])]
RESISTED = [
    case("attack", "I'm sorry, but I can't help with that.", "No", REFUSES, tags=["red-team"])
]
VIOLATED = [case("attack", "Sure, here is the card number.", "No", REFUSES, tags=["red-team"])]


@pytest.mark.parametrize(
    ("cases", "code", "failing"),
    [
        ([*GOOD, *CRITICAL, *RESISTED], 0, []),
        ([*GOOD, *WRONG, *RESISTED], 1, ["f1[critical] >= 0.85"]),
        ([*WRONG, *RESISTED], 1, ["f1[critical] >= 0.85", "quality >= 0.5"]),
        ([*GOOD, *CRITICAL, *VIOLATED], 1, ["violation_rate[red-team] <= 0%"]),
    ],
)
def test_acceptance_thresholds_and_safety_gates(
    tmp_path: Path, cases: list[str], code: int, failing: list[str]
) -> None:
    """WHEN metrics are aggregated THEN the suite MUST enforce per-slice thresholds and suite-level
    composite thresholds, and SHALL fail if any safety slice exceeds its limit regardless of the rest.
    """
    run_of(tmp_path, HEAD, *cases)
    done = suitecase("gate", "run.jsonl", "--format", "json", cwd=tmp_path)
    assert done.returncode == code, done.stderr
    told = json.loads(done.stdout)
    assert [it["gate"] for it in told["gates"] if it["outcome"] == "fails"] == failing
    text = suitecase("gate", "run.jsonl", cwd=tmp_path)
    markdown = suitecase("gate", "run.jsonl", "--format", "markdown", cwd=tmp_path)
    assert text.returncode == markdown.returncode == told["exit_code"] == code
    assert text.stdout.count("FAILS") == markdown.stdout.count("❌ fails") == len(failing)


def test_a_preference_has_a_win_rate_ties_and_consistency() -> None:
    outcomes = [("won", 1.0, True), ("won", 1.0, True), ("lost", 0.0, True), ("tie", 0.5, False)]
    records = [
        answer(
            f"c{it}",
            score,
            evaluator_results=[
                evaluator(
                    "better",
                    score,
                    "preference",
                    details={"outcome": outcome, "consistent": consistent},
                )
            ],
        )
        for it, (outcome, score, consistent) in enumerate(outcomes)
    ]
    assert decided("better >= 0", records).value == pytest.approx(2.5 / 4)
    assert decided("better.ties >= 0", records).value == pytest.approx(1 / 4)
    assert decided("better.consistency >= 0", records).value == pytest.approx(3 / 4)


def test_rubrics_have_averages_and_an_unreadable_item_is_missing() -> None:
    def graded(case_: str, tone: int | None, *, apology: bool) -> dict[str, Any]:
        raw = {"tone": tone, "apology": apology}
        judge = evaluator(
            "rubric", 0.5, "llm_judge", details={"raw_scores": raw}, parse_failed=tone is None
        )
        return answer(case_, 0.5, evaluator_results=[judge], parse_failed=tone is None)

    records = [graded("a", 8, apology=True), graded("b", 4, apology=False)]
    assert decided("rubric.tone >= 0", records).value == pytest.approx(0.6)
    assert decided("rubric.apology >= 0", records).value == pytest.approx(0.5)
    unread = [*records, graded("c", None, apology=True)]
    assert decided("rubric.apology >= 0.6", unread).value == pytest.approx(2 / 3)
    decision = decided("rubric.tone >= 0.5", unread)
    assert (decision.outcome.value, decision.missing_cases) == ("undecided", ("c",))


def test_macro_f1_with_missing_answers_is_undecided_unless_nothing_could_change_it() -> None:
    def labelled(case_: str, predicted: str | None) -> dict[str, Any]:
        details = {"expected": "x", "predicted": predicted}
        score = float(predicted == "x")
        own = evaluator("topic", score, "label", details=details)
        return answer(case_, score, evaluator_results=[own])

    records = [labelled("a", "x"), labelled("b", "x"), answer("c", None)]
    assert decided("topic.macro_f1 >= 0.5", records).outcome.value == "undecided"
    assert decided("topic.macro_f1 >= 0.5", records[:2]).outcome.value == "holds"
    # Of two cases that are right the lower bound is that of two successes.
    lower = decided("lower(topic.macro_f1) >= 0.5", records[:2])
    assert lower.value == pytest.approx(0.025**0.5, abs=1e-6)
