"""`suitecase run` with several targets: one run in one results file, and a table of all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from support.running.site import Site, lines_of
from support.servers.openai import OpenAiServer  # pyright: ignore[reportMissingImports] - see conftest

#: The server tells 11 tokens read and 7 written.
A_CENT = {"input_per_million": 0, "output_per_million": 0.01e6 / 7}


def case(name: str, value: str) -> str:
    grading = f"evaluators: [{{name: h, type: contains, value: {value}}}]"
    return f"- {{id: {name}, expected_outcome: x, input: '{name}?', {grading}}}\n"


@pytest.fixture
def models(site: Site, openai_server: OpenAiServer) -> Site:
    """Two models that answer differently; a suite of three cases, two of which tell them apart."""
    openai_server.default = lambda body: "red" if body["model"] == "red-1" else "blue and more"
    entry = {"provider": "openai", "api_base": openai_server.url, "api_key": "unused"}
    targets = [
        {"name": "red", "model": "red-1", "price": A_CENT, **entry},
        {"name": "blue", "model": "blue-1", **entry},
    ]
    site.write("targets.yaml", json.dumps({"targets": targets}))
    site.suite(
        case("warm", "red") + case("cold", "blue") + case("both", "e"),
        head="execution: {target: red}",
    )
    return site


def results(site: Site) -> dict[str, list[dict[str, Any]]]:
    """The records of the only results file, by target."""
    (path,) = (
        file
        for file in (site.root / ".suitecase/results").glob("*.jsonl")
        if not file.name.endswith(".figures.jsonl")
    )
    by_target: dict[str, list[dict[str, Any]]] = {}
    for record in lines_of(path):
        by_target.setdefault(record["target"], []).append(record)
    return by_target


BOTH = ("--target", "red", "--target", "blue")


def test_all_are_one_run_and_each_has_a_row(models: Site) -> None:
    ran = models.run("a.eval.yaml", *BOTH, "--target", "red")
    assert ran.code == 1
    by_target = results(models)
    assert {name: len(it) for name, it in by_target.items()} == {"red": 3, "blue": 3}
    records = [record for listed in by_target.values() for record in listed]
    assert len({record["run_id"] for record in records}) == 1
    assert {record["planned"] for record in records} == {6}
    lines = ran.out.splitlines()
    start = lines.index("Targets of a.eval.yaml:")
    head, red, blue, differ, *cases = (it.split() for it in lines[start + 1 : start + 7])
    assert head[:6] == ["target", "model", "pass", "border", "fail", "error"]
    assert red[:8] == ["red", "red-1", "2", "0", "1", "0", "0.67", "$0.03"]
    # Nobody knows what this model costs.
    assert blue[:8] == ["blue", "blue-1", "2", "0", "1", "0", "0.67", "unknown"]
    assert red[-1] == blue[-1] == "54"
    assert " ".join(differ) == "2 of 3 cases pass with one target and fail with another:"
    assert [" ".join(it) for it in cases] == [
        "warm pass: red; fail: blue",
        "cold pass: blue; fail: red",
    ]
    assert max(map(len, lines[start:])) <= 100


def test_the_table_is_in_each_format(models: Site) -> None:
    document = json.loads(models.run("a.eval.yaml", *BOTH, "--format", "json").out)
    (comparison,) = document["target_comparisons"]
    red, blue = comparison["targets"]
    assert comparison["suite"] == "a.eval.yaml"
    assert (red["target"], red["cost_usd"]["answers"]) == ("red", pytest.approx(0.03))
    assert blue["cost_usd"]["answers"] is None
    assert 0 < red["latency_seconds"]["median"] <= red["latency_seconds"]["p95"]
    (path,) = document["results_files"]
    assert [Path(of_target["results_file"]).name for of_target in (red, blue)] == 2 * [
        Path(path).name
    ]
    assert comparison["differing"] == [
        {"case": "warm", "verdicts": {"red": "pass", "blue": "fail"}},
        {"case": "cold", "verdicts": {"red": "fail", "blue": "pass"}},
    ]
    *records, last = models.run("a.eval.yaml", *BOTH, "--format", "jsonl").out.splitlines()
    assert len(records) == 6
    assert json.loads(last)["target_comparison"]["differing"] == comparison["differing"]
    markdown = models.run("a.eval.yaml", *BOTH, "--format", "markdown").out
    assert "| target | model | pass | border | fail | error | score | cost |" in markdown
    assert "2 of 3 cases differ between targets" in markdown
    marks = models.run("a.eval.yaml", *BOTH, "--format", "github").out
    assert "[red] cold: fail 0.00" in marks
    assert "a.eval.yaml::warm: pass: red; fail: blue" in marks
    suites = ElementTree.fromstring(models.run("a.eval.yaml", *BOTH, "--format", "junit").out)
    assert [it.get("name") for it in suites] == ["a.eval.yaml [red]", "a.eval.yaml [blue]"]
    assert [it.get("failures") for it in suites] == ["1", "1"]
    properties = {it.get("name"): it.get("value") for it in suites[0].iter("property")}
    assert properties["target"] == "red"
    assert properties["cost_usd"] == "0.03"
    assert float(properties["latency_median_seconds"] or 0) > 0


def test_a_misspelt_target_costs_nothing(models: Site, openai_server: OpenAiServer) -> None:
    ran = models.run("a.eval.yaml", "--target", "red", "--target", "bleu")
    assert ran.code == 2
    assert "`bleu`" in ran.err
    assert "blue" in ran.err
    assert openai_server.requests == []
    assert not (models.root / ".suitecase").exists()


def test_results_of_several_targets_go_to_a_file_or_a_folder(models: Site) -> None:
    assert models.run("a.eval.yaml", *BOTH, "--output", "r.jsonl").code == 1
    assert len(lines_of(models.root / "r.jsonl")) == 6
    assert models.run("a.eval.yaml", *BOTH, "--output", "runs/").code == 1
    assert len(list((models.root / "runs").glob("*.jsonl"))) == 1


def test_resuming_runs_the_target_whose_turn_had_not_come(
    models: Site, openai_server: OpenAiServer
) -> None:
    assert models.run("a.eval.yaml", *BOTH).code == 1
    (path,) = (models.root / ".suitecase/results").glob("*.jsonl")
    first, *_ = lines = path.read_bytes().splitlines(keepends=True)
    assert len(lines) == 6
    path.write_bytes(first)
    for resume in (("--resume",), ("--resume", str(path))):
        path.write_bytes(first)
        openai_server.requests.clear()
        assert models.run("a.eval.yaml", *BOTH, *resume).code == 1
        assert len(openai_server.requests) == 5
        assert list((models.root / ".suitecase/results").glob("*.jsonl")) == [path]
        assert {record["run_id"] for record in lines_of(path)} == {json.loads(first)["run_id"]}


def test_what_failed_is_asked_of_the_target_that_failed(
    models: Site, openai_server: OpenAiServer
) -> None:
    assert models.run("a.eval.yaml", *BOTH).code == 1
    openai_server.requests.clear()
    ran = models.run("a.eval.yaml", *BOTH, "--failed", "--format", "jsonl")
    *records, _ = map(json.loads, ran.out.splitlines())
    assert [(it["target"], it["eval_id"]) for it in records] == [("red", "cold"), ("blue", "warm")]
    assert len(openai_server.requests) == 2


def test_each_is_replayed_and_resumed_from_its_own_results(
    models: Site, openai_server: OpenAiServer
) -> None:
    assert models.run("a.eval.yaml", *BOTH).code == 1
    together = models.root / "all.jsonl"
    together.write_text(
        "".join(it.read_text() for it in (models.root / ".suitecase/results").glob("*.jsonl"))
    )
    openai_server.requests.clear()
    resumed = models.run("a.eval.yaml", *BOTH, "--resume")
    assert resumed.code == 1
    assert "2 of 3 cases pass with one target" in resumed.out
    replayed = models.run("a.eval.yaml", *BOTH, "--replay", "all.jsonl", "--no-results")
    assert replayed.code == 1
    assert "warm  pass: red; fail: blue" in replayed.out
    assert openai_server.requests == []


def test_one_budget_is_for_all_targets(models: Site, openai_server: OpenAiServer) -> None:
    targets = json.loads((models.root / "targets.yaml").read_text())
    for it in targets["targets"]:
        it["price"] = A_CENT
    models.write("targets.yaml", json.dumps(targets))
    ran = models.run("a.eval.yaml", *BOTH, "--budget-usd", "0.04")
    assert ran.code == 3
    assert "the budget of $0.04 is used up" in ran.err
    assert len(openai_server.requests) == 4


def test_the_summary_says_what_each_model_cost_and_how_long_it_took(
    models: Site, openai_server: OpenAiServer
) -> None:
    verdict = json.dumps({"score": 1, "hits": [], "misses": [], "reasoning": ""})
    openai_server.default = lambda body: verdict if body["model"] == "blue-1" else "red"
    targets = json.loads((models.root / "targets.yaml").read_text())
    targets["targets"][0]["judge_target"] = "blue"
    models.write("targets.yaml", json.dumps(targets))
    cases = "".join(f"- {{id: c{it}, expected_outcome: x, input: x}}\n" for it in range(3))
    models.suite(cases, head="execution: {target: red}")
    ran = models.run("a.eval.yaml", "--no-results")
    assert ran.code == 0, ran.err
    (line,) = (it for it in ran.out.splitlines() if it.startswith("Models"))
    assert " red-1: 3 answers, $0.03, median " in line
    assert ", p95 " in line
    assert "        blue-1: 3 judgements, cost unknown" in ran.out
    document = json.loads(models.run("a.eval.yaml", "--no-results", "--format", "json").out)
    summary = document["summary"]["models"]
    assert {name: (it["answers"], it["judgements"]) for name, it in summary.items()} == {
        "red-1": (3, 0),
        "blue-1": (0, 3),
    }
    assert summary["red-1"]["cost_usd"] == pytest.approx(0.03)
    assert summary["red-1"]["latency_seconds"]["p95"] > 0
    assert summary["blue-1"]["cost_usd"] is None
