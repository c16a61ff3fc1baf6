"""Runs of suites in which some cases have errors: the others are run, and nothing is red."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support.lsp.client import RawClient
from support.lsp.fixtures import Start

SUITE = """\
evalcases:
  - id: one
    input: Hello there
    expected_outcome: Hello
    evaluators: [{name: word, type: contains, value: Hello}]
  - id: two
    input: Goodbye now
    expected_outcome: goodbye
    evaluators: [{name: word, type: contains, value: Goodbye}]
  - id: three
    input: Hi
    expected_outcome: Hi
    evaluators: [{name: word, type: contains, value: Hi}]
execution: {target: mock}
"""
VERDICT = "○ rehearsed 1.00 (no model)"
RAN = [VERDICT, "▶ Run again"]
LEFT_OUT = ["not run: 1 error", "▶ Run case"]


@pytest.fixture
async def explorer(start: Start, tmp_path: Path) -> RawClient:
    client = await start()
    capabilities = {
        "experimental": {"suitecase": {"testExplorer": True}},
        "workspace": {"codeLens": {"refreshSupport": True}},
        "window": {"showDocument": {"support": True}},
    }
    await client.initialize(capabilities, root=tmp_path)
    client.replies["window/showDocument"] = {"success": True}
    return client


def states(client: RawClient) -> dict[str, tuple[str, list[str]]]:
    """Return the last state of each case, and its messages."""
    told = [it["params"] for it in client.received if it["method"] == "suitecase/testState"]
    return {
        it["case"]: (it["state"], [message["message"] for message in it.get("messages", ())])
        for it in told
    }


def in_two(old: str, new: str) -> str:
    before, two = SUITE.split("  - id: two", 1)
    return f"{before}  - id: two{two.replace(old, new, 1)}"


#: What is wrong with `two`, and the line of the error.
UNSOUND = {
    "an unclosed list": (in_two("Goodbye now", "[Goodbye now"), 7),
    "an unclosed quote": (in_two("Goodbye now", '"Goodbye now'), 7),
    "an indentation": (in_two("    input", "   input"), 7),
    "a tab": (in_two("    input", "\tinput"), 7),
    "an evaluator type": (in_two("contains", "contain"), 9),
    "line ends of Windows": (in_two("contains", "contain").replace("\n", "\r\n"), 9),
    "a missing file": (
        in_two("value: Goodbye}", "value: Goodbye}, {name: j, type: llm_judge, prompt: ./gone.md}"),
        9,
    ),
    "an order of cases": (in_two("    input", "    depends_on: [one]\n    input"), 7),
}


@pytest.mark.parametrize("way", UNSOUND)
async def test_an_error_in_one_case_keeps_no_other_from_being_run(
    explorer: RawClient, tmp_path: Path, way: str
) -> None:
    text, line = UNSOUND[way]
    uri = (tmp_path / "a.eval.yaml").as_uri()
    explorer.open(uri, SUITE)
    await explorer.lenses(uri)
    explorer.change(uri, 2, {"text": text})
    alone = await explorer.run("runCase", uri, "one")
    # A view of tests still has the case that does not parse.
    tests = [{"uri": uri, "cases": ["one", "two"]}]
    some = await explorer.request("suitecase/runTests", {"tests": tests})
    explorer.received.clear()
    everything = await explorer.run("runSuite", uri)
    lenses = await explorer.lenses(uri)
    shown = await explorer.message("window/showMessage")
    problem = await explorer.run("showProblem", uri, "two")
    marks = [
        it
        for it in await explorer.diagnostics(uri, 2, met=lambda _: True)
        if it["source"] == "suitecase run"
    ]

    assert (alone["problem"], alone["notRun"], len(alone["cases"])) == (None, [], 1)
    assert [it["id"] for it in some["results"][0]["cases"]] == ["one"]
    assert [it["id"] for it in some["results"][0]["notRun"]] == ["two"]
    assert [it["id"] for it in everything["cases"]] == ["one", "three"]
    assert [it["id"] for it in everything["notRun"]] == ["two"]
    told = states(explorer)
    assert [(name, state) for name, (state, _) in sorted(told.items())] == [
        ("one", "skipped"),
        ("three", "skipped"),
        ("two", "notRun"),
    ]
    assert f"a.eval.yaml:{line}:" in told["two"][1][0]
    assert lenses == ["▶ Run all cases", *RAN, *LEFT_OUT, *RAN]
    assert shown["type"] == 2
    assert shown["message"].startswith(
        "2 cases: 2 rehearsed (no model was called). Not run: two. SC"
    )
    assert not shown["message"].endswith(("?.", ".."))
    assert problem["location"]["range"]["start"]["line"] == line - 1
    assert marks == []


async def test_an_error_that_is_fixed_is_no_longer_named(
    explorer: RawClient, tmp_path: Path
) -> None:
    uri = (tmp_path / "a.eval.yaml").as_uri()
    explorer.open(uri, in_two("contains", "contain"))
    await explorer.run("runSuite", uri)
    before = await explorer.lenses(uri)
    explorer.change(uri, 2, {"text": SUITE})

    assert before == ["▶ Run all cases", *RAN, *LEFT_OUT, *RAN]
    assert await explorer.lenses(uri) == ["▶ Run all cases", *RAN, "▶ Run case", *RAN]


async def test_of_two_cases_with_one_id_neither_is_run_and_that_is_told_once(
    explorer: RawClient, tmp_path: Path
) -> None:
    uri = (tmp_path / "a.eval.yaml").as_uri()
    explorer.open(uri, SUITE.replace("id: three", "id: two"))
    everything = await explorer.run("runSuite", uri)

    assert [it["id"] for it in everything["cases"]] == ["one"]
    assert [it["id"] for it in everything["notRun"]] == ["two"]
    assert await explorer.lenses(uri) == ["▶ Run all cases", *RAN, *LEFT_OUT]


async def test_who_runs_all_cases_by_their_ids_is_told_of_the_one_that_has_none(
    explorer: RawClient, tmp_path: Path
) -> None:
    uri = (tmp_path / "a.eval.yaml").as_uri()
    explorer.open(uri, SUITE.replace("id: three", "tags: [three]"))
    tests = [{"uri": uri, "cases": ["one", "two"]}]
    (result,) = (await explorer.request("suitecase/runTests", {"tests": tests}))["results"]

    assert [case["id"] for case in result["cases"]] == ["one", "two"]
    assert [case["line"] for case in result["notRun"]] == [10]


SHARED = {
    "a key of the head": f"evaluation_mode: nonsense\n{SUITE}",
    "the end of the head": SUITE.replace("{target: mock}", "{target: mock"),
    "a target that is invalid": SUITE.replace("target: mock", "target: odd"),
}


@pytest.mark.parametrize("way", SHARED)
async def test_an_error_that_all_cases_share_is_told_once(
    explorer: RawClient, tmp_path: Path, way: str
) -> None:
    (tmp_path / "targets.yaml").write_text("targets:\n  - {name: odd, provider: nonsense}\n")
    uri = (tmp_path / "a.eval.yaml").as_uri()
    explorer.open(uri, SHARED[way])
    answer = await explorer.run("runSuite", uri)
    shown = [it["params"] for it in explorer.received if it["method"] == "window/showMessage"]
    told = states(explorer)

    assert answer["problem"].startswith("Nothing was run: ")
    assert [it["type"] for it in shown] == [2]
    assert [state for state, _ in told.values()] == ["notRun"] * 3
    assert [len(messages) for _, messages in told.values()] == [1, 0, 0]
    assert await explorer.lenses(uri) == ["▶ Run all cases", LEFT_OUT[0], *["▶ Run case"] * 3]
    problem: Any = await explorer.run("showProblem", uri, None)
    assert problem["shown"] is True
