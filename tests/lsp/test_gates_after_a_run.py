"""What an editor shows of gates after real runs: hints, diagnostics, lenses, hovers and tests."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from support.lsp.client import RawClient
from support.report_pages import Page
from support.running.processes import suitecase

Start = Callable[..., Awaitable[RawClient]]

TARGETS = "targets: [{name: small, provider: mock, response: {a: hello, b: hello, c: bye}}]\n"
SUITE = """\
execution: {target: small}
slices:
  first: {id: [a, b]}
gates:
  - pass_rate >= 60%
  - pass_rate[first] >= 90%
  - pass_rate >= 90%
  - {gate: score >= 90%, level: warning}
evalcases:
  - {id: a, input: Hi, expected_outcome: x, evaluators: [{name: w, type: contains, value: hello}]}
  - {id: b, input: Hi, expected_outcome: x, evaluators: [{name: w, type: contains, value: hello}]}
  - {id: c, input: Hi, expected_outcome: x, evaluators: [{name: w, type: contains, value: hello}]}
"""
RELATED = {
    "textDocument": {
        "publishDiagnostics": {"relatedInformation": True},
        "hover": {"contentFormat": ["markdown"]},
    }
}


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    (tmp_path / "targets.yaml").write_text(TARGETS)
    path = tmp_path / "greet.eval.yaml"
    path.write_text(SUITE)
    return path


async def opened(start: Start, suite: Path) -> RawClient:
    client = await start()
    await client.initialize(RELATED, root=suite.parent)
    client.open(suite.as_uri(), SUITE)
    return client


async def hints(client: RawClient, uri: str) -> dict[int, str]:
    """Return the hints after gates, by line."""
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 8, "character": 0}}
    params = {"textDocument": {"uri": uri}, "range": whole}
    found = await client.request("textDocument/inlayHint", params)
    return {it["position"]["line"]: it["label"] for it in found if it["position"]["line"] > 3}


def _of_gate(diagnostic: dict[str, Any]) -> bool:
    line = diagnostic["range"]["start"]["line"]
    return diagnostic.get("source") == "suitecase run" and line < 8


async def lenses(client: RawClient, uri: str) -> list[tuple[int, dict[str, Any]]]:
    """Return the lenses above the cases."""
    found = await client.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
    head = [it for it in found if it["range"]["start"]["line"] < 8]
    return [(it["range"]["start"]["line"], it["command"]) for it in head]


async def test_after_a_run_each_gate_says_how_it_came_out(start: Start, suite: Path) -> None:
    client = await opened(start, suite)
    uri = suite.as_uri()
    assert await hints(client, uri) == {}
    assert [it["title"] for _, it in await lenses(client, uri)] == [
        "▶ Run all cases",
        "▶ Run 2 cases",
    ]

    await client.run("runSuite", uri)

    found = await hints(client, uri)
    assert found[4].startswith("← 0.67 [0.")
    assert found[4].endswith("] · rehearsed")
    assert found[5].startswith("← 1.00 [0.")
    assert found[6].endswith("] · fails")
    assert found[7].endswith("] · warning")
    (line, of_gates), (slice_line, of_slice) = await lenses(client, uri)
    assert (line, slice_line) == (3, 2)
    assert "4 gates: 2 rehearsed, 1 fails, 1 warning" in of_gates["title"]
    assert of_slice["arguments"] == [uri, ["a", "b"]]


async def test_a_gate_that_fails_is_a_diagnostic_with_the_cases_that_fail(
    start: Start, suite: Path
) -> None:
    client = await opened(start, suite)
    uri = suite.as_uri()
    await client.run("runSuite", uri)

    of_gates = [
        it
        for it in await client.diagnostics(uri, met=lambda them: any(map(_of_gate, them)))
        if _of_gate(it)
    ]

    assert [(it["range"]["start"]["line"], it["code"], it["severity"]) for it in of_gates] == [
        (6, "fails", 2),
        (7, "fails", 3),
    ]
    assert of_gates[0]["message"].startswith("the gate fails: 66.7%")
    related = of_gates[0]["relatedInformation"]
    assert [it["message"] for it in related] == ["case `c` counts against it"]
    assert related[0]["location"]["range"]["start"]["line"] == 11


async def test_a_hover_draws_the_interval_with_the_threshold(start: Start, suite: Path) -> None:
    client = await opened(start, suite)
    uri = suite.as_uri()
    await client.run("runSuite", uri)

    position = {"line": 6, "character": 6}
    found = await client.request(
        "textDocument/hover", {"textDocument": {"uri": uri}, "position": position}
    )

    text = found["contents"]["value"]
    assert "**FAILS**: 66\\.7%" not in text  # a dot needs no escape
    assert "**FAILS**: 66.7%" in text
    drawing = """
0.00                                 1.00
····├──────────────────────●────────────┤  0.67 [0.09, 0.99]
                                    ▲      threshold 0.90
"""
    assert drawing in text
    assert "Measured on 3 cases in the last whole run." in text


async def test_outcomes_are_stale_once_a_case_or_a_slice_has_changed_and_back_again(
    start: Start, suite: Path
) -> None:
    client = await opened(start, suite)
    uri = suite.as_uri()
    await client.run("runSuite", uri)

    version = 1
    for old, new in (("input: Hi", "input: Hello"), ("id: [a, b]", "id: [a]")):
        client.change(uri, version + 1, {"text": SUITE.replace(old, new)})
        assert all(it.endswith("(stale)") for it in (await hints(client, uri)).values())
        version += 2
        client.change(uri, version, {"text": SUITE})
        assert not any("stale" in it for it in (await hints(client, uri)).values())
    # Another threshold is another gate, of which nothing is known.
    client.change(uri, version + 1, {"text": SUITE.replace("60%", "65%")})
    assert 4 not in await hints(client, uri)


async def test_a_case_that_is_run_again_makes_them_stale(start: Start, suite: Path) -> None:
    client = await opened(start, suite)
    uri = suite.as_uri()
    await client.run("runSuite", uri)
    await client.run("runCase", uri, "a")

    assert all(it.endswith("(stale)") for it in (await hints(client, uri)).values())

    await client.run("runSuite", uri)
    assert not any("stale" in it for it in (await hints(client, uri)).values())


async def test_a_run_in_a_terminal_shows_its_gates_in_the_editor(start: Start, suite: Path) -> None:
    suitecase("run", suite.name, cwd=suite.parent)

    client = await opened(start, suite)
    uri = suite.as_uri()
    await client.request("suitecase/discoverTests", {"uri": uri})

    found = await hints(client, uri)
    assert found[4].endswith("] · rehearsed")
    await client.run("clearResults", uri)
    assert await hints(client, uri) == {}


async def test_gates_are_tests_beside_the_cases(start: Start, suite: Path) -> None:
    client = await opened(start, suite)
    uri = suite.as_uri()
    before = await client.request("suitecase/discoverTests", {"uri": uri})
    assert [it["result"] for it in before["gates"]] == [None] * 4
    # All cases by their names are the whole suite.
    every = [it["id"] for it in before["cases"]]
    await client.request("suitecase/runTests", {"tests": [{"uri": uri, "cases": every}]})

    gates = (await client.request("suitecase/discoverTests", {"uri": uri}))["gates"]

    assert [it["label"] for it in gates][:2] == ["pass_rate >= 60%", "pass_rate[first] >= 90%"]
    assert [gate["result"]["state"] for gate in gates] == ["skipped", "skipped", "failed", "passed"]
    assert [gate["result"]["outcome"] for gate in gates] == [
        "rehearsed",
        "rehearsed",
        "fails",
        "fails",
    ]
    assert gates[2]["result"]["text"].endswith("· fails")
    assert gates[2]["result"]["messages"][0]["range"]["start"]["line"] == 6


async def test_a_part_of_a_suite_decides_no_gate(start: Start, suite: Path) -> None:
    client = await opened(start, suite)
    uri = suite.as_uri()
    await client.run("runSelection", uri, ["a", "b"])

    assert await hints(client, uri) == {}


def page_at(path: str) -> Page:
    return Page(Path(path).read_text("utf-8"))


async def test_the_report_has_the_gates_of_the_last_run(start: Start, suite: Path) -> None:
    suitecase("run", suite.name, cwd=suite.parent)

    client = await opened(start, suite)
    uri = suite.as_uri()
    await client.request("suitecase/discoverTests", {"uri": uri})
    report = await client.request("suitecase/report", {"uri": uri})

    page = page_at(report["path"])
    told = [" ".join(it.text.split()) for it in page.named("li")]
    assert any(it.startswith("fails pass_rate >= 90% 66.7% [") for it in told)
    rows = [" ".join(it.text.split()) for it in page.named("tr")]
    assert any(it.startswith("first 2 100.0% [") for it in rows)

    await client.run("runCase", uri, "a")
    report = await client.request("suitecase/report", {"uri": uri})
    assert "pass_rate" not in page_at(report["path"]).source.partition("<script")[0]
