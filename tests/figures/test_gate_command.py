"""`suitecase gate`: from a suite's text and a results file to the exit code."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from support.figures import SUITE, answer, suite_text
from support.running.processes import suitecase, write


class Workspace:
    """A suite with gates, and results of it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def has(self, *gates: str, records: list[dict[str, Any]], head: str = "") -> None:
        cases = dict.fromkeys(it["eval_id"] for it in records)
        write(self.folder, SUITE, suite_text(*gates, head=head, cases=cases))
        self.results(records)

    def results(
        self, records: list[Mapping[str, Any]] | list[dict[str, Any]], tail: str = ""
    ) -> None:
        write(self.folder, "run.jsonl", "".join(f"{json.dumps(it)}\n" for it in records) + tail)

    def gate(self, *arguments: str) -> tuple[int, str, str]:
        done = suitecase("gate", "run.jsonl", *arguments, cwd=self.folder)
        return done.returncode, done.stdout, done.stderr


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path)


def of_scores(*scores: float | None) -> list[dict[str, Any]]:
    return [answer(f"c{number}", score) for number, score in enumerate(scores)]


def test_gates_that_hold_end_with_0(workspace: Workspace) -> None:
    workspace.has("pass_rate >= 50%", "score >= 0.5", records=of_scores(1.0, 1.0, 0.0))
    code, out, err = workspace.gate()
    assert (code, err) == (0, "")
    assert "holds      pass_rate >= 50%" in out
    assert out.endswith("2 gates: 2 hold\n")


def test_gates_of_a_run_without_a_model_say_so(workspace: Workspace) -> None:
    records = [{**it, "target": "mock", "answered_by": "echo"} for it in of_scores(1.0, 1.0)]
    workspace.has("pass_rate >= 50%", records=records)
    code, out, _ = workspace.gate()
    assert code == 0
    assert "No model was called: the answers come from `mock`" in out
    assert out.endswith("1 gate: 1 rehearsed (no model was called)\n")
    markdown = workspace.gate("--format", "markdown")[1]
    assert markdown.startswith("## ⚪ 1 gate&#58; 1 rehearsed, no model was called\n")
    assert json.loads(workspace.gate("--format", "json")[1])["no_model"] is True


def test_a_gate_that_fails_ends_with_1_and_names_the_cases(workspace: Workspace) -> None:
    workspace.has("pass_rate >= 90%", records=of_scores(1.0, 1.0, 0.0))
    code, out, _ = workspace.gate()
    assert code == 1
    assert "FAILS      pass_rate >= 90%" in out
    assert "Cases: c2" in out
    assert "It would hold if 1 more of the 3 cases passed." in out


def test_an_undecided_gate_ends_with_3(workspace: Workspace) -> None:
    workspace.has("pass_rate >= 90%", records=of_scores(1.0, None))
    code, out, _ = workspace.gate()
    assert code == 3
    assert "undecided  pass_rate >= 90%" in out
    assert "Missing: c1" in out


def test_a_suite_without_gates_ends_with_2(workspace: Workspace) -> None:
    write(workspace.folder, SUITE, "evalcases: [{id: c0, input: Hi, expected_outcome: hi}]\n")
    workspace.results(of_scores(1.0))
    code, _, err = workspace.gate()
    assert code == 2
    assert f"{SUITE} has no gates" in err


def test_text_json_markdown_and_exit_code_agree(workspace: Workspace) -> None:
    workspace.has("pass_rate >= 90%", "score >= 0.1", records=of_scores(1.0, 0.0))
    code, out, _ = workspace.gate("--format", "json")
    told = json.loads(out)
    assert (code, told["exit_code"], told["schema_version"]) == (1, 1, 1)
    assert [it["outcome"] for it in told["gates"]] == ["fails", "holds"]
    assert told["gates"][0]["line"] == 3
    assert told["gates"][0]["figure"]["method"] == "exact_binomial"
    code, out, _ = workspace.gate("--format", "markdown")
    assert code == 1
    assert "❌ 2 gates" in out
    assert "❌ fails | 50.0%" in out


@pytest.mark.parametrize("score", ["NaN", "Infinity", "1.5", "-0.1", '"0.9"', "true"])
def test_a_score_that_is_no_share_is_refused_with_its_line(
    workspace: Workspace, score: str
) -> None:
    workspace.has("pass_rate >= 50%", records=of_scores(1.0))
    line = json.dumps(answer("c1")).replace('"score": 1.0', f'"score": {score}')
    workspace.results(of_scores(1.0), tail=f"{line}\n")
    code, out, err = workspace.gate()
    assert (code, out) == (2, "")
    assert "run.jsonl: line 2: `score` must be a number from 0 to 1; got " in err


def test_results_of_another_suite_are_refused_with_both_names(workspace: Workspace) -> None:
    workspace.has("pass_rate >= 50%", records=of_scores(1.0))
    workspace.results([answer("c0", suite_path="other.eval.yaml", dataset="other")])
    code, _, err = workspace.gate("--suite", SUITE)
    assert code == 2
    assert f"has results of `other.eval.yaml`, not of `{SUITE}`" in err


def test_a_file_that_is_no_results_file_is_refused(workspace: Workspace) -> None:
    workspace.has("pass_rate >= 50%", records=of_scores(1.0))
    write(workspace.folder, "run.jsonl", '{"id": "x"}\n')
    code, _, err = workspace.gate()
    assert code == 2
    assert "not a results file" in err


def test_results_of_a_version_that_recorded_no_tags_use_those_of_the_suite(
    workspace: Workspace,
) -> None:
    cases = "evalcases:\n  - {id: c0, tags: [hard], input: Hi, expected_outcome: hi}\n"
    write(workspace.folder, SUITE, f"gates: ['pass_rate[hard] >= 50%']\n{cases}")
    old = answer("c0")
    del old["tags"], old["metadata"]
    workspace.results([old])
    assert workspace.gate()[0] == 0
    gone = answer("gone")
    del gone["tags"], gone["metadata"]
    workspace.results([old, gone])
    code, out, _ = workspace.gate()
    assert code == 3
    assert "neither tags nor metadata" in " ".join(out.split())


def test_a_gate_with_mistakes_is_undecided_and_says_why(workspace: Workspace) -> None:
    gates = ("pass_rate => 50%", "pas_rate >= 1", "pass_rate[hard] >= 1")
    workspace.has(*gates, records=of_scores(1.0))
    code, out, _ = workspace.gate()
    assert code == 3
    assert "This is not a gate: `=>` is not a comparison; did you mean `>=`?\n" in out
    assert "no metric is called `pas_rate`." in out
    assert "No slice and no tag is called `hard`." in out


def test_a_case_that_has_changed_since_the_run_is_noted(workspace: Workspace) -> None:
    records = [answer("c0", case_hash="0" * 64)]
    workspace.has("pass_rate >= 50%", records=records)
    _, out, _ = workspace.gate()
    assert "1 case has changed since the run (`c0`)" in out


@pytest.mark.parametrize(
    "odd",
    [
        {"suite_path": "a\0b"},
        {"suite_path": "x" * 5000},
        {"suite_path": "\ud800"},
        {"repeats": 10**30},
        {"repeat": "x", "repeats": -3},
        {"trace_summary": {"duration_ms": 1.7e308, "token_usage": {"input": 10**400}}},
        {"tags": ["a]b", "`", "\x1b[2J"], "target": "\ud800\x1b[2J"},
        {"metadata": [1], "tags": "x", "evaluator_results": [7, {}, {"name": "we`ird"}]},
    ],
    ids=lambda it: str(it)[:20],
)
def test_no_record_of_another_tool_ends_in_a_traceback(
    workspace: Workspace, odd: dict[str, Any]
) -> None:
    workspace.has("pass_rate >= 50%", "latency_ms <= 5", records=of_scores(1.0))
    workspace.results([{**answer("c0"), **odd}, {**answer("c1"), **odd}])
    for command in ("gate", "metrics"):
        for form in ("text", "json", "markdown"):
            done = suitecase(command, "run.jsonl", "--format", form, cwd=workspace.folder)
            assert done.returncode in (0, 1, 2, 3), done.stderr
            assert "Traceback" not in done.stderr
            assert "RuntimeWarning" not in done.stderr
            assert "\x1b" not in done.stdout + done.stderr


def test_each_target_has_decisions_of_its_own(workspace: Workspace) -> None:
    records = [answer("c0", 1.0, target="big"), answer("c0", 0.0, target="small")]
    workspace.has("pass_rate >= 50%", records=records)
    code, out, _ = workspace.gate()
    assert code == 1
    assert out.index("big:") < out.index("holds") < out.index("small:") < out.index("FAILS")


def test_a_safety_slice_fails_the_suite_whatever_else_holds(workspace: Workspace) -> None:
    records = [
        *[answer(f"c{it}", 1.0) for it in range(99)],
        answer("attack", 0.0, tags=["red-team"]),
    ]
    head = "slices: {red: {id: attack, safety: true}}"
    gate = "{gate: 'violation_rate[red] <= 0%', level: warning}"
    text = suite_text("pass_rate >= 90%", head=head, cases=[it["eval_id"] for it in records])
    write(workspace.folder, SUITE, text.replace("gates:\n", f"gates:\n  - {gate}\n"))
    workspace.results(records)
    code, out, _ = workspace.gate()
    assert code == 1
    assert "FAILS      violation_rate[red] <= 0%" in out
    assert "holds      pass_rate >= 90%" in out


def test_a_figures_file_is_not_taken_for_results(workspace: Workspace) -> None:
    workspace.has("pass_rate >= 50%", records=of_scores(1.0))
    write(workspace.folder, "run.figures.jsonl", '{"figure": "pass_rate"}\n')
    done = suitecase("gate", ".", cwd=workspace.folder)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"verdict": "FAILED", "score": 0.85}, "a word that is no verdict"),
        ({"verdict": True}, "no word"),
        ({"error": "target timed out", "candidate_answer": None}, "an answer that was not given"),
        ({"verdict": "not_evaluated", "score": None, "error": "timed out"}, "left out as nothing"),
        ({"asked_again_after": "zzz"}, "a second chance after nobody knows what"),
        ({"asked_again_after": True}, "a second chance after nobody knows what"),
    ],
    ids=lambda it: it if isinstance(it, str) else "",
)
def test_what_no_run_writes_of_a_case_is_missing(
    workspace: Workspace, fields: dict[str, Any], why: str
) -> None:
    odd = {**answer("odd"), **fields}
    workspace.has("pass_rate >= 100%", records=[*of_scores(1.0), odd])
    code, out, _ = workspace.gate()
    assert code == 3, why
    assert "1 answer is missing" in out
    assert "Missing: odd" in out


def test_results_of_a_newer_version_decide_nothing(workspace: Workspace) -> None:
    records = [*of_scores(1.0), answer("c1", schema_version=2)]
    workspace.has("pass_rate >= 50%", records=records)
    code, out, err = workspace.gate()
    assert (code, out) == (2, "")
    assert (
        "run.jsonl: a newer version of Suitecase wrote line 2 (format 2; this version reads 1); "
        "update Suitecase" in err
    )


def test_a_baseline_of_a_newer_version_is_refused(workspace: Workspace) -> None:
    workspace.has("change(pass_rate) >= 0%", records=of_scores(1.0))
    write(workspace.folder, "old.jsonl", f"{json.dumps(answer('c0', schema_version=2))}\n")
    code, out, err = workspace.gate("--baseline", "old.jsonl")
    assert (code, out) == (2, "")
    assert "old.jsonl: a newer version of Suitecase wrote line 1" in err
