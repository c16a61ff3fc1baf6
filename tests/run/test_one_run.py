"""A run is one thing, whatever number of targets, repeats and continuations it has."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.running.processes import suitecase
from support.running.site import Ran, Site, lines_of

BOTH = ("--target", "one", "--target", "two")


def target(name: str, **responses: str) -> dict[str, Any]:
    return {"name": name, "provider": "mock", "response": responses}


def with_targets(site: Site, *targets: dict[str, Any]) -> None:
    site.write("targets.yaml", json.dumps({"targets": targets}))


def case(name: str) -> str:
    grading = "evaluators: [{name: e, type: contains, value: good}]"
    return f"- {{id: {name}, expected_outcome: x, input: x, {grading}}}\n"


@pytest.fixture
def suite(site: Site) -> Site:
    """Four cases; the first target fails one of them, and the second none."""
    with_targets(
        site,
        target("one", a="good", b="good", c="good", d="bad"),
        target("two", a="good", b="good", c="good", d="good"),
    )
    head = 'execution: {target: one}\ngates: ["pass_rate >= 80%", "pass_rate >= 50%"]'
    site.suite("".join(map(case, "abcd")), head)
    return site


def gate(site: Site, *arguments: str) -> Ran:
    ended = suitecase("gate", *arguments, cwd=site.root)
    return Ran(ended.returncode, ended.stdout, ended.stderr)


def outcomes(site: Site, *arguments: str) -> tuple[int, dict[tuple[str, str], str]]:
    """Return the exit code of `gate`, and what it decides by target and gate."""
    decided = gate(site, *arguments, "--format", "json")
    found = json.loads(decided.out)["gates"]
    return decided.code, {
        (decision["target"], decision["gate"]): decision["outcome"] for decision in found
    }


def results(site: Site) -> list[Path]:
    return sorted(
        path
        for path in (site.root / ".suitecase/results").glob("*.jsonl")
        if not path.name.endswith(".figures.jsonl")
    )


def test_gates_of_all_targets_of_a_run_are_decided(suite: Site) -> None:
    assert suite.run(*BOTH).code == 1
    decided = gate(suite)
    assert decided.code == 1
    (path,) = results(suite)
    first, *_ = decided.out.splitlines()
    shown = path.relative_to(suite.root)
    assert first == f"Run: {shown} (a.eval.yaml; targets one, two; 8 answers)"
    assert "4 gates: 3 rehearsed, 1 fails" in decided.out
    assert outcomes(suite) == (
        1,
        {
            ("one", "pass_rate >= 80%"): "fails",
            ("one", "pass_rate >= 50%"): "rehearsed",
            ("two", "pass_rate >= 80%"): "rehearsed",
            ("two", "pass_rate >= 50%"): "rehearsed",
        },
    )
    assert f"{shown} (a.eval.yaml; targets one, two" in gate(suite, "--format", "markdown").out
    figures = path.with_name(f"{path.stem}.figures.jsonl").read_text("utf-8").splitlines()
    gates = [json.loads(line) for line in figures if '"kind": "gate"' in line]
    assert {entry["target"] for entry in gates} == {"one", "two"}


def test_what_failed_continues_the_run_and_is_no_sample(suite: Site) -> None:
    assert suite.run("--target", "one").code == 1
    (path,) = results(suite)
    with_targets(suite, target("one", d="good", a="bad"))
    assert suite.run("--target", "one", "--failed").code == 0
    assert results(suite) == [path]
    *_, last = records = lines_of(path)
    assert [record["eval_id"] for record in records] == ["a", "b", "c", "d", "d"]
    assert len({record["run_id"] for record in records}) == 1
    assert (last["verdict"], last["asked_again_after"]) == ("pass", "fail")
    # Three passed of four; whether the fourth did is not known from a second chance.
    code, decided = outcomes(suite)
    assert (code, set(decided.values())) == (3, {"undecided", "rehearsed"})
    assert decided["one", "pass_rate >= 80%"] == "undecided"
    text = gate(suite).out
    assert "1 case that had failed got a second chance by `--failed`" in " ".join(text.split())
    listed = json.loads(suitecase("list", "--format", "json", cwd=suite.root).stdout)["runs"]
    assert [(run["answers"], run["statuses"]["rehearsed"]) for run in listed] == [(4, 4)]
    assert suite.run("--target", "one", "--failed").code == 2  # nothing is left


def test_what_fails_again_has_failed(suite: Site) -> None:
    assert suite.run("--target", "one").code == 1
    assert suite.run("--target", "one", "--failed").code == 1
    code, decided = outcomes(suite)
    assert (code, decided["one", "pass_rate >= 80%"]) == (1, "fails")


def test_an_answer_that_was_missing_counts_when_it_is_there(suite: Site) -> None:
    suite.write("targets.yaml", "targets: [{name: one, provider: cli, command: 'exit 1'}]")
    assert suite.run("--target", "one").code == 3
    with_targets(suite, target("one", a="good", b="good", c="good", d="good"))
    assert suite.run("--target", "one", "--failed").code == 0
    code, decided = outcomes(suite)
    assert (code, set(decided.values())) == (0, {"rehearsed"})


def test_a_run_of_other_targets_is_a_run_of_its_own(suite: Site) -> None:
    assert suite.run("--target", "one").code == 1
    assert suite.run("--target", "two", "--failed").code == 0
    assert len(results(suite)) == 2


def test_no_gate_of_a_run_that_lacks_a_target_holds(suite: Site) -> None:
    assert suite.run(*BOTH).code == 1
    (path,) = results(suite)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(line for line in lines if b'"target": "two"' in line))
    decided = gate(suite)
    assert decided.code == 3
    assert "The run is not finished: it has 4 of 8 answers" in decided.err
    assert "2 undecided" in decided.out


def test_results_without_the_id_of_a_run_are_read(suite: Site) -> None:
    assert suite.run("--target", "two").code == 0
    (path,) = results(suite)
    old = [
        {
            key: record[key]
            for key in record
            if key not in ("run_id", "asked_again_after", "planned")
        }
        for record in lines_of(path)
    ]
    path.write_text("".join(f"{json.dumps(record)}\n" for record in old), "utf-8")
    code, decided = outcomes(suite)
    assert (code, set(decided.values())) == (0, {"rehearsed"})
    assert suite.run("--target", "two", "--resume").code == 0


@pytest.mark.parametrize("command", ["metrics", "report", "labels"])
def test_commands_say_which_run_of_a_folder_they_took(suite: Site, command: str) -> None:
    suite.run("--target", "two")
    (path,) = results(suite)
    ended = suitecase(command, cwd=suite.root)
    assert (
        f"Run: {path.relative_to(suite.root)} (a.eval.yaml; target two; 4 answers)" in ended.stderr
    )
