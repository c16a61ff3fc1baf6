"""Results are kept across restarts, and are marked when they are stale."""

from __future__ import annotations

import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from support.lsp.client import RawClient
from support.running.processes import suitecase
from support.suites.slow import GREET

Start = Callable[[], Awaitable[RawClient]]
PROMPTED = """\
evalcases:
  - id: greet
    input: Hello there
    expected_outcome: Says hello
    evaluators:
      - name: style
        type: llm_judge
        prompt: judge.md
  - id: part
    input: Goodbye
    expected_outcome: goodbye
    evaluators: [{name: word, type: contains, value: Goodbye}]
execution: {target: mock}
"""
PROMPT = "Is {{ candidate_answer }} good for {{ question }}? Reply with JSON."


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    path = tmp_path / "greet.eval.yaml"
    path.write_text(GREET)
    return path


def read(path: Path) -> str:
    return path.read_text("utf-8")


def write(path: Path, text: str) -> None:
    path.write_text(text, "utf-8")


async def opened(start: Start, suite: Path, **options: Any) -> RawClient:
    client = await start()
    await client.initialize(
        {"workspace": {"codeLens": {"refreshSupport": True}}}, root=suite.parent, **options
    )
    client.open(suite.as_uri(), read(suite))
    return client


def run_in_a_terminal(suite: Path) -> None:
    suitecase("run", suite.name, cwd=suite.parent)


def saved(client: RawClient, path: Path) -> None:
    client.notify("textDocument/didSave", {"textDocument": {"uri": path.as_uri()}})


def changed(client: RawClient, path: Path) -> None:
    client.notify(
        "workspace/didChangeWatchedFiles", {"changes": [{"uri": path.as_uri(), "type": 2}]}
    )


async def test_results_are_there_after_a_restart_until_they_are_cleared(
    start: Start, suite: Path
) -> None:
    uri = suite.as_uri()
    first = await opened(start, suite)
    await first.run("runSuite", uri)
    write(suite, GREET.replace("Goodbye now", "Goodbye then"))
    second = await opened(start, suite)
    after_restart = await second.lenses(uri, "✗ fail")
    log = await second.run("openLog", uri, "greet")
    await second.run("clearResults", uri, "greet")
    third = await opened(start, suite)
    after_clearing = await third.lenses(uri, "stale")

    assert after_restart == [
        "▶ Run all cases",
        "✗ fail 0.50 (no model)",
        "▶ Run again",
        "○ rehearsed 1.00 (no model, stale)",
        "▶ Run again",
    ]
    assert Path(log["path"]).name.startswith("greet-")
    assert after_clearing[1:] == ["▶ Run case", "○ rehearsed 1.00 (no model, stale)", "▶ Run again"]


async def test_who_asks_at_once_after_opening_is_told_of_earlier_results(
    start: Start, suite: Path
) -> None:
    run_in_a_terminal(suite)
    uri = suite.as_uri()
    found = await (await opened(start, suite)).request("suitecase/discoverTests", {"uri": uri})
    report = await (await opened(start, suite)).run("openReport", uri)
    log = await (await opened(start, suite)).run("openLog", uri, "greet")
    again = await (await opened(start, suite)).run("runFailed", uri)

    assert [case["result"]["state"] for case in found["cases"]] == ["failed", "skipped"]
    assert "describes zebras" in read(Path(report["path"]))
    assert "describes zebras" in read(Path(log["path"]))
    assert [it["id"] for it in again["cases"]] == ["greet"]


async def test_a_run_in_a_terminal_is_shown_too_where_it_is_newer(
    start: Start, suite: Path
) -> None:
    uri = suite.as_uri()
    client = await opened(start, suite)
    await client.run("runCase", uri, "greet")
    write(suite, GREET.replace("describes zebras", "there"))
    run_in_a_terminal(suite)
    (results,) = (suite.parent / ".suitecase" / "results").glob("*.jsonl")
    client.change(uri, 2, {"text": read(suite)})
    changed(client, results)

    assert (await client.lenses(uri, "○ rehearsed"))[1:] == [
        "○ rehearsed 1.00 (no model)",
        "▶ Run again",
        "○ rehearsed 1.00 (no model)",
        "▶ Run again",
    ]


async def test_a_prompt_that_changes_makes_the_results_stale_that_it_graded(
    start: Start, tmp_path: Path
) -> None:
    suite, prompt = tmp_path / "greet.eval.yaml", tmp_path / "judge.md"
    suite.write_text(PROMPTED)
    prompt.write_text(PROMPT)
    client = await opened(start, suite)
    uri = suite.as_uri()
    await client.run("runSuite", uri)
    fresh = await client.lenses(uri, "○ rehearsed")
    prompt.write_text(PROMPT + " Be strict.")
    saved(client, prompt)
    stale = await client.lenses(uri, "stale")
    prompt.write_text(PROMPT)
    changed(client, prompt)
    while any("stale" in it for it in await client.lenses(uri)):
        before = len(client.received)
        await client.until(lambda before=before: len(client.received) > before)  # type: ignore[misc]

    assert not any("stale" in it for it in fresh)
    assert [("stale" in it) for it in stale[1::2]] == [True, False]


async def test_where_nothing_can_be_written_cases_are_run_all_the_same(
    start: Start, suite: Path
) -> None:
    (suite.parent / ".suitecase").write_text("in the way")
    client = await opened(start, suite)
    answer = await client.run("runCase", suite.as_uri(), "part")
    log = await client.run("openLog", suite.as_uri(), "part")

    assert [case["verdict"] for case in answer["cases"]] == ["rehearsed"]
    assert "rehearsed 1.00: part" in read(Path(log["path"]))


async def test_results_files_with_rubbish_in_them_are_read_as_far_as_they_can_be(
    start: Start, suite: Path
) -> None:
    run_in_a_terminal(suite)
    folder = suite.parent / ".suitecase" / "results"
    (results,) = folder.glob("*.jsonl")
    lines = results.read_bytes().splitlines(keepends=True)
    alien = b'{"eval_id": "part", "suite_path": "greet.eval.yaml", "verdict": 7}\n'
    results.write_bytes(b"\xff\xfe\n" + lines[0] + alien + lines[1][:80])
    shutil.copy(results, folder / "older.jsonl")
    client = await opened(start, suite, trusted=False)

    assert (await client.lenses(suite.as_uri(), "fail"))[1:] == [
        "✗ fail 0.50 (no model)",
        "▶ Run again",
        "▶ Run case",
    ]
    assert client.errors == b""


async def test_a_test_view_has_the_results_of_suites_that_are_not_open(
    start: Start, suite: Path
) -> None:
    run_in_a_terminal(suite)
    client = await start()
    await client.initialize({}, root=suite.parent)

    async def verdicts() -> list[str | None]:
        found = await client.request("suitecase/discoverTests", {"uri": suite.as_uri()})
        return [case["result"] and case["result"]["verdict"] for case in found["cases"]]

    assert await verdicts() == ["fail", "rehearsed"]
    assert "report" in (await client.request("suitecase/report", {"uri": suite.as_uri()}))["path"]
    write(suite, GREET.replace("id: greet", "id: other"))
    assert await verdicts() == [None, "rehearsed"]


@pytest.mark.parametrize("is_open", [True, False])
async def test_results_whose_file_is_deleted_are_no_longer_shown(
    start: Start, suite: Path, *, is_open: bool
) -> None:
    run_in_a_terminal(suite)
    client = await opened(start, suite)
    uri = suite.as_uri()
    await client.lenses(uri, "✗ fail")
    if not is_open:
        client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    (results,) = (suite.parent / ".suitecase" / "results").glob("*.jsonl")
    results.unlink()
    client.notify(
        "workspace/didChangeWatchedFiles", {"changes": [{"uri": results.as_uri(), "type": 3}]}
    )
    if is_open:
        while len(await client.lenses(uri)) > 3:
            before = len(client.received)
            await client.until(lambda before=before: len(client.received) > before)  # type: ignore[misc]
    found = await client.request("suitecase/discoverTests", {"uri": uri})
    assert [case["result"] for case in found["cases"]] == [None, None]
