"""Summaries of runs: whether a model was called, cases without criteria, and results per target."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from support.running.site import Site, lines_of
from support.servers.openai import OpenAiServer  # pyright: ignore[reportMissingImports]

ECHOED = "- {id: one, expected_outcome: hello, input: hello}"
UNEVALUATED = """
- {id: nothing, expected_outcome: x, input: x}
- {id: meets, expected_outcome: A number., input: '1', evaluation_schema: {type: integer}}
"""


@pytest.fixture
def model() -> Iterator[OpenAiServer]:
    server = OpenAiServer()

    def behave(body: Mapping[str, Any]) -> str:
        judges = "score" in body["messages"][0]["content"]
        return json.dumps({"score": 0.9, "reasoning": "fine"}) if judges else "hello"

    server.default = behave
    yield server
    server.close()


def with_targets(site: Site, server: OpenAiServer, **judges: str) -> None:
    """Write targets: `real` asks the server, `canned` has an answer, each with the judge given."""
    real = {"name": "real", "provider": "openai", "model": "m", "api_base": server.url}
    entries = [
        {**real, "api_key": "none", "judge_target": judges.get("real", "real")},
        {
            "name": "canned",
            "provider": "mock",
            "response": "hello",
            "judge_target": judges.get("canned", "mock"),
        },
    ]
    site.write("targets.yaml", json.dumps({"targets": entries}))


def test_a_run_that_asked_no_model_says_so_in_its_record_too(site: Site) -> None:
    site.suite(ECHOED)
    ran = site.run("a.eval.yaml", "--output", "r.jsonl")
    assert ran.code == 0
    assert (
        "No model was called: the answers come from `mock`, which repeats the question, and the "
        "verdicts come from the embedded judge, which counts words."
    ) in ran.out
    (record,) = lines_of(site.root / "r.jsonl")
    assert record["answered_by"] == "echo"
    assert record["evaluator_results"][0]["judged_by"] == ["embedded"]
    again = site.run("a.eval.yaml", "--replay", "r.jsonl", "--no-results")
    assert "No model was called: the answers come from `mock`" in again.out


def test_junit_says_who_answered_and_judged(site: Site) -> None:
    site.suite(ECHOED)
    root = ET.fromstring(site.run("a.eval.yaml", "--no-results", "--format", "junit").out)
    (suite,) = root
    properties = {it.get("name"): it.get("value") for it in suite.iter("property")}
    assert properties == {"answered_by": "echo", "judged_by": "embedded", "no_model": "true"}
    assert suite.get("name") == "a.eval.yaml (no model was called)"
    # As in a run with a model.
    assert [it.get("classname") for it in suite.iter("testcase")] == ["a.eval.yaml"]
    assert "No model was called" in (suite.findtext("system-out") or "")


@pytest.mark.parametrize(
    ("target", "judges", "said", "kinds"),
    [
        ("real", {}, None, ("model", ["model"])),
        (
            "real",
            {"real": "mock"},
            "The judge was not a model: the verdicts come from the embedded judge, which counts words.",
            ("model", ["embedded"]),
        ),
        (
            "canned",
            {"canned": "real"},
            "The answers are canned (`canned`); only judges were called.",
            ("canned", ["model"]),
        ),
        (
            "canned",
            {},
            (
                "No model was called: the answers are canned (`canned`), and the verdicts come "
                "from the "
                "embedded judge, which counts words."
            ),
            ("canned", ["embedded"]),
        ),
    ],
)
def test_who_answered_and_who_judged_are_told_apart(
    site: Site,
    model: OpenAiServer,
    target: str,
    judges: dict[str, str],
    said: str | None,
    kinds: tuple[str, list[str]],
) -> None:
    with_targets(site, model, **judges)
    site.suite(ECHOED, f"execution: {{target: {target}}}")
    ran = site.run("a.eval.yaml", "--no-results", "--format", "json")
    document = json.loads(ran.out)
    assert document["summary"]["remarks"] == ([] if said is None else [said])
    (record,) = document["results"]
    assert (record["answered_by"], record["evaluator_results"][0]["judged_by"]) == kinds


@pytest.mark.parametrize(
    ("option", "code"), [((), 0), (("--fail-on", "not-evaluated"), 3), (("--fail-on", "error"), 0)]
)
def test_a_case_that_was_not_evaluated_is_counted_and_may_fail_the_run(
    site: Site, option: tuple[str, ...], code: int
) -> None:
    site.suite(UNEVALUATED, head="evaluation_mode: schema")
    ran = site.run("a.eval.yaml", "--no-results", *option)
    assert ran.code == code
    assert "1 rehearsed, 1 not evaluated" in ran.out
    assert "1 case has nothing to grade by, and counts neither as passed nor as failed." in ran.out


@pytest.mark.parametrize(
    ("level", "code"), [("not-evaluated", 1), ("borderline", 1), ("failed", 0), ("error", 0)]
)
def test_the_least_grave_verdict_that_fails_a_run_is_chosen(
    site: Site, level: str, code: int
) -> None:
    site.suite("""
        - id: half
          expected_outcome: x
          input: hello
          evaluators:
            - {name: a, type: contains, value: hello, weight: 7}
            - {name: b, type: contains, value: goodbye, weight: 3}
    """)
    ran = site.run("a.eval.yaml", "--no-results", "--fail-on", level)
    assert "1 borderline" in ran.out
    assert ran.code == code


def test_markdown_counts_what_was_not_evaluated_in_its_headline(site: Site) -> None:
    site.suite(UNEVALUATED, head="evaluation_mode: schema")
    ran = site.run("a.eval.yaml", "--no-results", "--format", "markdown")
    assert ran.out.splitlines()[0] == (
        "## ⚪ suitecase run: 1 of 2 rehearsed, 1 not evaluated, no model was called"
    )


def test_several_targets_have_no_common_mean(site: Site, tmp_path: Path) -> None:
    site.write(
        "targets.yaml",
        "targets: [{name: good, provider: mock, response: hello}, {name: bad, provider: mock, "
        "response: no}]",
    )
    cases = [
        f"- {{id: {name}-{number}, expected_outcome: x, input: x, execution: {{target: {name}}}, "
        "evaluators: [{name: has, type: contains, value: hello}]}"
        for name in ("good", "bad")
        for number in range(2)
    ]
    site.suite("\n".join(cases))
    ran = site.run("a.eval.yaml", "--output", "r.jsonl")
    assert "Targets  good: 2 rehearsed; mean 1.00 of 2" in ran.out
    assert "bad: 2 fail; mean 0.00 of 2" in ran.out
    assert "mean score" not in ran.out
    assert "0.50" not in ran.out
    summary = json.loads(site.run("a.eval.yaml", "--no-results", "--format", "json").out)["summary"]
    assert summary["mean_score"] is None
    assert {name: it["mean_score"] for name, it in summary["targets"].items()} == {
        "good": 1.0,
        "bad": 0.0,
    }


def test_a_summary_gives_the_pass_rate_with_its_interval(site: Site) -> None:
    site.suite("""
        - {id: a, input: "yes", expected_outcome: x, evaluators: [{name: c, type: contains, value: "yes"}]}
        - {id: b, input: "yes", expected_outcome: x, evaluators: [{name: c, type: contains, value: "yes"}]}
        - {id: c, input: "no", expected_outcome: x, evaluators: [{name: c, type: contains, value: "yes"}]}
        - {id: d, input: "yes", expected_outcome: x, evaluators: [{name: c, type: contains, value: "yes"}]}
    """)
    # A rehearsal has no rate at which a model passes.
    assert "pass rate" not in site.run("a.eval.yaml", "--no-results").out
    answer = "targets: [{name: mock, provider: cli, command_template: 'echo {PROMPT}'}]\n"
    site.write("targets.yaml", answer)
    # Clopper and Pearson (1934) for 3 of 4.
    line = "pass rate 75%, 95% interval 19% to 99%"
    assert line in site.run("a.eval.yaml", "--no-results").out
    # Answers to one case go together, and say less than answers to as many cases.
    assert "interval" not in site.run("a.eval.yaml", "--no-results", "--repeat", "2").out
