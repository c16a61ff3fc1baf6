"""A run of a whole suite with gates ends by its gates, and every format says the same."""

from __future__ import annotations

import html
import json
import re
import xml.etree.ElementTree as ET
from functools import cache
from pathlib import Path

import pytest
import xmlschema

import suitecase
from support.running import processes
from support.running.site import Ran, Site
from support.servers.otlp import OtlpReceiver

JUNIT = Path(__file__).parents[1] / "cli/published/junit-10.xsd"
FORMATS = ("text", "json", "junit", "github", "markdown")
#: The target repeats the question, and fails for `lost`.
TARGETS = """
targets:
  - name: bot
    provider: cli
    command_template: test {PROMPT} != lost && echo {PROMPT}
"""


@cache
def junit_schema() -> xmlschema.XMLSchema:
    return xmlschema.XMLSchema(str(JUNIT))


def suite(*gates: str, cases: dict[str, str], more: str = "") -> str:
    """Return a suite whose cases pass if they ask for `yes`; `lost` ones get no answer."""
    listed = "".join(f"  - {it}\n" for it in gates)
    written = "".join(
        f"  - id: {name}\n"
        "    expected_outcome: Says yes\n"
        f"    input: '{answer}'\n"
        f"    tags: [{name[0]}]\n"
        "    evaluators: [{name: agrees, type: equals, value: 'yes'}]\n"
        for name, answer in cases.items()
    )
    head = "execution: {target: bot}\n"
    return f"{head}{more}gates:\n{listed}evalcases:\n{written}"


def run(site: Site, text: str, *arguments: str) -> Ran:
    site.write("targets.yaml", TARGETS)
    site.write("a.eval.yaml", text)
    return site.run("a.eval.yaml", *arguments)


MOSTLY = {"a1": "yes", "a2": "yes", "b1": "no"}
WITH_LOST = {"a1": "yes", "a2": "yes", "b1": "lost"}


def test_a_run_passes_with_failing_cases_if_its_gates_hold(site: Site) -> None:
    ran = run(site, suite("pass_rate >= 60%", cases=MOSTLY))
    assert ran.code == 0, ran.err
    assert "1 gate: 1 holds" in ran.out
    assert "FAIL        0.00  b1" in ran.out


def test_a_run_fails_with_passing_cases_if_a_gate_fails(site: Site) -> None:
    ran = run(site, suite("cost_usd >= 1", "pass_rate >= 60%", "score < 50%", cases={"a": "yes"}))
    assert ran.code == 1
    assert re.search(r"FAILS +score < 50% +100.0%", ran.out)
    assert re.search(r"holds +pass_rate >= 60% ", ran.out)


def test_a_gate_that_a_missing_answer_could_break_is_undecided(site: Site) -> None:
    ran = run(site, suite("pass_rate >= 80%", cases=WITH_LOST))
    assert ran.code == 3
    assert "undecided  pass_rate >= 80%" in ran.out
    assert "1 answer is missing; with them the figure is from 66.7% to 100.0%." in ran.out
    assert "Missing: b1" in ran.out


def test_a_gate_that_no_missing_answer_can_break_holds(site: Site) -> None:
    ran = run(site, suite("pass_rate >= 60%", cases=WITH_LOST))
    assert ran.code == 0, ran.out


def test_a_gate_that_no_missing_answer_can_save_fails(site: Site) -> None:
    ran = run(site, suite("pass_rate >= 80%", cases={"a1": "lost", "b1": "no", "b2": "yes"}))
    assert ran.code == 1


def test_gates_are_about_all_cases_where_each_names_its_target(site: Site) -> None:
    labels = "evaluators: [{name: topic, type: label, labels: [yes, no], value: 'yes'}]"
    text = suite("pass_rate >= 60%", "topic.recall.yes >= 60%", cases=MOSTLY)
    text = text.replace("evaluators: [{name: agrees, type: equals, value: 'yes'}]", labels)
    text = text.replace("labels: [yes, no]", "labels: ['yes', 'no']")
    text = text.replace("    tags: [b]\n", "    tags: [b]\n    execution: {target: other}\n")
    other = "  - {name: other, provider: mock}\n"
    site.write("a.eval.yaml", text)
    site.write("targets.yaml", TARGETS.rstrip() + "\n" + other)
    ran = site.run("a.eval.yaml")
    assert ran.code == 0, ran.out + ran.err
    assert "2 gates: 2 rehearsed" in ran.out
    assert "66.7%" in ran.out


def test_a_warning_changes_nothing(site: Site) -> None:
    ran = run(site, suite("{gate: pass_rate >= 90%, level: warning, why: March}", cases=MOSTLY))
    assert ran.code == 0
    assert "warning    pass_rate >= 90%" in ran.out
    assert "March" in ran.out


def test_a_safety_slice_fails_the_run_alone(site: Site) -> None:
    safety = "slices: {risky: {tags: b, safety: true}}\n"
    gates = ("pass_rate >= 60%", "violation_rate[risky] <= 0%")
    ran = run(site, suite(*gates, cases=MOSTLY, more=safety))
    assert ran.code == 1
    assert re.search(r"holds +pass_rate >= 60% ", ran.out)
    assert re.search(r"FAILS +violation_rate\[risky\] <= 0% +100.0%", ran.out)


@pytest.mark.parametrize("argument", ["--filter=a*", "--tags=a"])
def test_a_run_of_a_part_decides_no_gate(site: Site, argument: str) -> None:
    ran = run(site, suite("pass_rate >= 99%", cases={"a1": "yes", "b1": "no"}), argument)
    assert ran.code == 0
    assert "Gates are not decided: only a part of the suite is run" in ran.out
    assert "FAILS" not in ran.out


def test_a_run_of_a_part_ends_by_its_cases(site: Site) -> None:
    ran = run(site, suite("pass_rate >= 1%", cases={"a1": "yes", "b1": "no"}), "--tags=b")
    assert ran.code == 1


def test_fewer_repeats_than_the_suite_has_decide_no_gate(site: Site) -> None:
    text = suite("pass_rate >= 60%", cases=MOSTLY).replace(
        "{target: bot}", "{target: bot, repeats: 2}"
    )
    assert run(site, text, "--no-results").code == 0
    once = run(site, text, "--repeat", "1", "--output", "once.jsonl")
    assert once.code == 3
    assert "Each case was asked once, and the suite asks it 2 times." in once.out
    assert processes.suitecase("gate", "once.jsonl", cwd=site.root).returncode == 3
    assert run(site, text, "--repeat", "3", "--no-results").code == 0


def test_fail_on_adds_the_verdicts_of_cases(site: Site) -> None:
    ran = run(site, suite("pass_rate >= 60%", cases=MOSTLY), "--fail-on", "failed")
    assert ran.code == 1
    assert "1 gate: 1 holds" in ran.out
    junit = run(site, suite("pass_rate >= 60%", cases=MOSTLY), "--fail-on=failed", "--format=junit")
    assert ET.fromstring(junit.out).get("failures") == "1"


def test_a_gate_on_a_change_needs_a_baseline(site: Site) -> None:
    text = suite("change(pass_rate) >= -5%", cases=MOSTLY)
    without = run(site, text, "--output", "first.jsonl")
    assert without.code == 3
    assert "--baseline" in without.out
    with_it = run(site, text, "--baseline", "first.jsonl", "--output", "second.jsonl")
    assert with_it.code == 0, with_it.out
    site.write("targets.yaml", TARGETS.replace("echo {PROMPT}", "echo no"))
    worse = site.run("a.eval.yaml", "--baseline", "first.jsonl", "--no-results")
    assert worse.code == 1


def test_gates_of_a_resumed_run_count_the_answers_of_both_times(site: Site) -> None:
    lost = run(site, suite("pass_rate >= 80%", cases=WITH_LOST), "--output", "r.jsonl")
    assert lost.code == 3
    site.write(
        "targets.yaml", TARGETS.replace("!= lost", "!= x").replace("echo {PROMPT}", "echo yes")
    )
    site.write("a.eval.yaml", suite("pass_rate >= 80%", cases=WITH_LOST))
    resumed = site.run("a.eval.yaml", "--resume", "r.jsonl")
    assert resumed.code == 0, resumed.out
    assert "pass_rate >= 80%  100.0%" in resumed.out


@pytest.mark.parametrize(
    ("gates", "cases", "code"),
    [
        (("pass_rate >= 60%",), MOSTLY, 0),
        (("pass_rate >= 60%", "pass_rate[a] >= 90%", "pass_rate[b] >= 50%"), MOSTLY, 1),
        (("pass_rate >= 60%", "pass_rate >= 80%"), WITH_LOST, 3),
        (("{gate: pass_rate >= 80%, level: warning}", "pass_rate >= 60%"), WITH_LOST, 0),
    ],
)
def test_every_format_and_the_exit_code_say_the_same(
    site: Site, gates: tuple[str, ...], cases: dict[str, str], code: int
) -> None:
    ran = {it: run(site, suite(*gates, cases=cases), "--format", it) for it in FORMATS}
    assert {it.code for it in ran.values()} == {code}
    outcomes = {
        it["gate"]: it["outcome"] for it in json.loads(ran["json"].out)["gates"][0]["decisions"]
    }
    assert len(outcomes) == len(gates)
    root = ET.fromstring(ran["junit"].out)
    junit_schema().validate(ran["junit"].out)
    failing = {
        case.get("name") for case in root.iter("testcase") if case.find("failure") is not None
    }
    errors = {case.get("name") for case in root.iter("testcase") if case.find("error") is not None}
    assert bool(failing or errors) == (code != 0)
    for gate, outcome in outcomes.items():
        warns = any(gate in it and "warning" in it for it in gates)
        label = {"fails": "FAILS"}.get(outcome, outcome)
        assert re.search(rf"(?m)^  {label} +{re.escape(gate)}", ran["text"].out)
        rows = html.unescape(ran["markdown"].out).splitlines()
        row = next(it for it in rows if it.startswith(f"| {gate} |"))
        assert outcome in row
        command = "warning" if warns else "error"
        annotated = re.search(
            rf"(?m)^::{command} title=suitecase gate \({outcome}\).*"
            rf"{re.escape(gate.replace('%', '%25'))}",
            ran["github"].out,
        )
        assert (annotated is not None) == (outcome != "holds")
        assert (gate in failing) == (outcome == "fails" and not warns)
        assert (gate in errors) == (outcome == "undecided" and not warns)


@pytest.mark.usefixtures("workers_here")
def test_the_python_api_passes_by_the_gates(site: Site) -> None:
    site.write("targets.yaml", TARGETS)
    path = site.write("a.eval.yaml", suite("pass_rate >= 60%", cases=MOSTLY))
    holds = suitecase.run_suite(path, root=site.root)
    assert holds.passed
    assert [str(it.outcome) for it in holds.gates] == ["holds"]
    path = site.write("a.eval.yaml", suite("pass_rate >= 70%", cases=MOSTLY))
    assert not suitecase.run_suite(path, root=site.root).passed


def test_a_dry_run_decides_nothing(site: Site) -> None:
    ran = run(site, suite("pass_rate >= 99%", cases=MOSTLY), "--dry-run")
    assert ran.code == 0
    assert "Gates" not in ran.out


def test_a_baseline_with_unusable_scores_leaves_the_gates_undecided(site: Site) -> None:
    text = suite("change(pass_rate) >= -5%", cases=MOSTLY)
    run(site, text, "--output", "first.jsonl")
    path = site.root / "first.jsonl"
    path.write_text(path.read_text().replace('"score": 1.0', '"score": 1e999'))
    ran = run(site, text, "--baseline", "first.jsonl", "--no-results")
    assert ran.code == 3
    assert "Gates are not decided: the baseline cannot be used" in ran.out


def test_figures_and_gates_stand_beside_the_results(site: Site) -> None:
    run(site, suite("pass_rate >= 60%", cases=MOSTLY), "--output", "r.jsonl")
    lines = [json.loads(it) for it in (site.root / "r.figures.jsonl").read_text().splitlines()]
    figures = {(it["figure"], it["slice"]): it for it in lines if it["kind"] == "figure"}
    assert figures["pass_rate", None]["estimate"] == pytest.approx(2 / 3)
    assert figures["pass_rate", "b"]["estimate"] == 0.0
    gates = [(it["gate"], it["outcome"]) for it in lines if it["kind"] == "gate"]
    assert gates == [("pass_rate >= 60%", "holds")]
    decided = processes.suitecase("gate", "r.jsonl", cwd=site.root)
    assert decided.returncode == 0, decided.stderr


def test_spans_tell_the_gates_of_a_run(site: Site) -> None:
    receiver = OtlpReceiver()
    site.write("targets.yaml", TARGETS)
    site.write("a.eval.yaml", suite("pass_rate >= 60%", "score >= 90%", cases=MOSTLY))
    site.run("a.eval.yaml", "--no-results", env=receiver.environment)
    span = receiver.one("run a")
    receiver.close()
    gates = [it.attributes for it in span.events if it.name == "suitecase.gate"]
    outcomes = {it["suitecase.gate"]: it["suitecase.gate.outcome"] for it in gates}
    assert outcomes == {"pass_rate >= 60%": "holds", "score >= 90%": "fails"}
    assert gates[0]["suitecase.figure.estimate"] == pytest.approx(2 / 3)
    assert span.attributes["test.suite.run.status"] == "failure"
