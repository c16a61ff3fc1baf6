"""Commands and code actions for runs and results, beyond running a single case."""

from __future__ import annotations

import json
import operator
import time
from collections.abc import Awaitable, Callable
from functools import partial
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import unquote, urlparse

import pytest

from support.lsp.client import RawClient, RpcError
from support.suites.slow import GREET, GREET_CASES, SLOW, slow_suite

Start = Callable[[], Awaitable[RawClient]]
SHOWS = {
    "window": {"showDocument": {"support": True}},
    "workspace": {"codeLens": {"refreshSupport": True}},
    "textDocument": {"publishDiagnostics": {"relatedInformation": True}},
}
RANGES = """\
execution: {target: echo}
evalcases:
  - id: depth
    input: Goodbye now
    expected_outcome: goodbye
    rubrics:
      - id: detail
        score_ranges:
          - {score_range: [0, 4], expected_outcome: zebra quagga}
          - {score_range: [5, 10], expected_outcome: yak}
"""


@pytest.fixture
def uri(tmp_path: Path) -> str:
    return (tmp_path / "greet.eval.yaml").as_uri()


def ids(result: Any) -> list[str]:
    return [it["id"] for it in result["cases"]]


def selected(uri: str, first: int, last: int) -> dict[str, Any]:
    return {
        "textDocument": {"uri": uri},
        "range": {"start": {"line": first, "character": 2}, "end": {"line": last, "character": 2}},
        "context": {"diagnostics": []},
    }


def read(written: Any) -> str:
    return Path(written["path"]).read_text("utf-8")


async def actions(client: RawClient, uri: str, first: int, last: int) -> dict[str, Any]:
    found = await client.request("textDocument/codeAction", selected(uri, first, last))
    return {it["title"]: it["command"] for it in found if "command" in it}


async def test_the_case_under_the_cursor_the_selection_and_what_failed_can_be_run(
    client: RawClient, uri: str
) -> None:
    client.open(uri, GREET)
    before = await actions(client, uri, 11, 11)
    at_cursor = await client.request("workspace/executeCommand", {"command": "suitecase.runCase"})
    both = await actions(client, uri, 3, 12)
    run_both = both["Run the 2 selected cases"]
    selection = await client.request("workspace/executeCommand", run_both)
    by_range = await client.run("runSelection", uri, selected(uri, 0, 4)["range"])
    failed = await client.run("runFailed", uri)
    after = await actions(client, uri, 1, 1)

    assert list(before) == ["Run case `part`", "Run all cases"]
    assert ids(at_cursor) == ["part"]
    assert run_both["arguments"] == [uri, ["greet", "part"]]
    assert ids(selection) == ["greet", "part"]
    assert ids(by_range) == ids(failed) == ["greet"]
    assert list(after) == [
        "Run case `greet`",
        "Run all cases",
        "Run the failed case",
        "Open the log of `greet`",
        "Open the report of the last results",
        "Clear the result of `greet`",
        "Clear the results of runs",
    ]


async def test_where_nothing_failed_there_is_nothing_to_run_again(
    client: RawClient, uri: str
) -> None:
    client.open(uri, GREET)
    with pytest.raises(RpcError) as never_run:
        await client.run("runFailed", uri)
    with pytest.raises(RpcError) as no_log:
        await client.run("openLog", uri, "greet")
    with pytest.raises(RpcError) as no_report:
        await client.run("openReport", uri)
    with pytest.raises(RpcError) as no_range:
        await client.run("runSelection", uri, {"start": 1})

    assert "run all cases first" in never_run.value.message
    assert "`greet` has no result; run it first" in no_log.value.message
    assert "run the suite first" in no_report.value.message
    assert "a range of the document" in no_range.value.message


async def test_the_log_and_the_report_are_files_that_the_client_opens(
    start: Start, tmp_path: Path, uri: str
) -> None:
    client = await start()
    await client.initialize(SHOWS, root=tmp_path)
    client.replies["window/showDocument"] = {"success": True}
    client.open(uri, GREET)
    await client.run("runSuite", uri)
    log = await client.run("openLog", uri, "greet")
    report = await client.run("openReport", uri)
    asked = [it["params"] for it in client.received if it["method"] == "window/showDocument"]
    text = read(log)
    page = read(report)

    assert asked == [
        {"uri": log["uri"], "external": False, "takeFocus": True},
        {"uri": report["uri"], "external": True},
    ]
    assert Path(unquote(urlparse(log["uri"]).path)) == Path(log["path"])
    assert text.startswith("# fail 0.50: greet\n")
    for said in ("## Asked", "Hello there", "You grade an answer", "### Reply 1 of 1", "[zebra]"):
        assert said in text
    assert "greet" in page
    assert "describes zebras" in page
    assert (tmp_path / ".suitecase/editor/.gitignore").read_text() == "*\n"
    assert not (tmp_path / ".suitecase/results").exists()


async def test_a_client_that_opens_nothing_is_told_where_the_log_lies(
    client: RawClient, uri: str
) -> None:
    client.open(uri, GREET)
    await client.run("runCase", uri, "part")
    log = await client.run("openLog", uri, "part")
    said = await client.message("window/showMessage", lambda it: "Written" in it["message"])
    await client.run("clearResults", uri, "part")
    with pytest.raises(RpcError) as cleared:
        await client.run("openLog", uri, "part")

    assert log["shown"] is False
    assert log["path"] in said["message"]
    assert "rehearsed 1.00: part" in read(log)
    assert "has no result" in cleared.value.message


async def test_a_miss_leads_to_the_score_range_and_to_the_judge(
    start: Start, tmp_path: Path, uri: str
) -> None:
    targets = tmp_path / "targets.yaml"
    targets.write_text("targets:\n  - name: echo\n    provider: mock\n")
    client = await start()
    await client.initialize(SHOWS, root=tmp_path)
    client.open(uri, RANGES)
    await client.run("runCase", uri, "depth")
    found = await client.diagnostics(uri, met=lambda it: any("missed" in d["message"] for d in it))
    (miss,) = [it for it in found if it["message"].startswith("missed")]
    related = miss["relatedInformation"]

    assert miss["range"]["start"]["line"] == 6
    assert [
        (it["location"]["uri"], it["location"]["range"]["start"]["line"]) for it in related
    ] == [(uri, 8), (targets.as_uri(), 1)]
    assert related[0]["message"] == "the judge gave 0, which lies in this range"
    assert related[1]["message"] == "judged by `echo`"


async def test_what_is_missing_around_a_run_is_told_once_and_at_the_case(
    client: RawClient, tmp_path: Path, uri: str
) -> None:
    targets = tmp_path / "targets.yaml"
    suite = "execution: {target: agent}\n" + GREET_CASES
    targets.write_text(
        "targets:\n  - {name: agent, provider: openai, model: gpt-x, "
        "api_key: '${{ SUITECASE_NO_SUCH_KEY }}'}\n"
    )
    client.open(uri, suite)
    answer = await client.run("runCase", uri, "greet")
    found = await client.diagnostics(uri, met=lambda it: any("not run" in d["message"] for d in it))
    shown = [it["params"] for it in client.received if it["method"] == "window/showMessage"]
    titles = await client.lenses(uri)

    assert answer["cases"] == []
    assert "SUITECASE_NO_SUCH_KEY" in answer["problem"]
    problem = answer["problem"]
    assert shown == [{"type": 1, "message": f"{problem[0].upper()}{problem[1:]}."}]
    (mark,) = [it for it in found if it["source"] == "suitecase run"]
    assert (mark["severity"], mark["range"]["start"]["line"]) == (2, 2)
    reason = "not run: the environment has no SUITECASE_NO_SUCH_KEY, which its…"
    assert titles[1:3] == [reason, "▶ Run case"]

    targets.write_text("targets:\n  - {name: agent, provider: mock}\n")
    again = await client.run("runFailed", uri)

    assert ids(again) == ["greet"]
    last = [
        it["params"]["diagnostics"]
        for it in client.received
        if it["method"] == "textDocument/publishDiagnostics"
    ][-1]
    assert not any("not run" in it["message"] for it in last)


async def test_a_run_is_cancelled_by_a_command_and_a_worker_that_hangs_is_replaced(
    client: RawClient, tmp_path: Path
) -> None:
    uri = slow_suite(tmp_path)
    client.open(uri, SLOW)
    execute = {"command": "suitecase.runSuite", "arguments": [uri]}
    id_ = client.begin("workspace/executeCommand", execute)
    await client.lenses(uri, "○ rehearsed")
    while_running = await actions(client, uri, 3, 3)
    cancelled = await client.request("workspace/executeCommand", while_running["Cancel the run"])
    answer = await client.answer(id_)
    again = client.begin("workspace/executeCommand", execute)
    await client.message("window/showMessage")
    await client.lenses(uri, "(running…)")
    await client.run("restartWorker")
    stopped = await client.answer(again)
    after = await client.run("runCase", uri, "quick")

    assert cancelled == {"cancelled": [answer["runId"]]}
    assert (answer["cancelled"], stopped["cancelled"]) == (True, True)
    assert ids(answer) == ["quick"]
    assert await client.run("cancelRun") == {"cancelled": []}
    assert after["cases"] == [{"id": "quick", "verdict": "rehearsed", "score": 1.0}]


async def test_a_run_is_cancelled_in_the_same_breath(client: RawClient, tmp_path: Path) -> None:
    uri = slow_suite(tmp_path)
    client.open(uri, SLOW)
    await client.lenses(uri)
    run = {"command": "suitecase.runCase", "arguments": [uri, "late"]}
    for method, params, stop, stopped in (
        ("workspace/executeCommand", run, "workspace/executeCommand", "suitecase.cancelRun"),
        ("suitecase/runTests", {"tests": [{"uri": uri}], "runId": "a"}, "suitecase/cancelRun", "a"),
    ):
        frames = b""
        # The server is busy with the first, so it has the others at once.
        for message in (
            {"method": "workspace/symbol", "params": {"query": "late"}, "id": f"busy {stop}"},
            {"method": method, "params": params, "id": f"run {stop}"},
            {
                "method": stop,
                "params": {"command": stopped, "runId": stopped},
                "id": f"stop {stop}",
            },
        ):
            body = json.dumps({"jsonrpc": "2.0", **message}).encode()
            frames += b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
        client.send_raw(frames)
        assert (await client.answer(f"stop {stop}"))["cancelled"]
        assert (await client.answer(f"run {stop}"))["cancelled"] is True


async def _press(client: RawClient, uri: str, version: int, line: int, character: int) -> float:
    """Type a character; returns how long its diagnostics took, in seconds."""
    place = {"line": line, "character": character}
    began = time.perf_counter()
    client.change(uri, version, {"range": {"start": place, "end": place}, "text": "x"})
    await client.diagnostics(uri, version)
    return time.perf_counter() - began


async def test_typing_is_answered_at_once_while_a_thousand_cases_are_run(
    client: RawClient, uri: str
) -> None:
    case = (
        "  - id: case-{0}\n    input: Hello {0}\n    expected_outcome: Hello\n"
        "    evaluators: [{{name: word, type: contains, value: Hello}}]\n"
    )
    text = "evalcases:\n" + "".join(case.format(it) for it in range(1000))
    client.open(uri, text)
    await client.diagnostics(uri)
    versions = count(2)
    before = [await _press(client, uri, next(versions), 2, 11) for _ in range(20)]
    execute = {"command": "suitecase.runSuite", "arguments": [uri]}
    id_ = client.begin("workspace/executeCommand", execute)
    meanwhile: list[float] = []
    while id_ not in client.answers:
        meanwhile.append(await _press(client, uri, next(versions), 2, 11))
    answer = await client.answer(id_)
    published = [it for it in client.received if it["method"] == "textDocument/publishDiagnostics"]

    assert len(answer["cases"]) == 1000
    assert len(meanwhile) > 20, "each key is heard while the cases are run"
    # Beside itself without a run, whatever else the machine does; a worker takes its share of it.
    assert median(meanwhile) < 10 * median(before) + 0.02
    # Showing each result as it comes would leave no time for anything else.
    assert len(published) - len(before) - len(meanwhile) < 100


async def test_marks_of_runs_move_with_their_cases(client: RawClient, tmp_path: Path) -> None:
    case = (
        "  - id: case-{0}\n    input: Hello {0}\n    expected_outcome: Hello\n"
        "    evaluators: [{{name: word, type: contains, value: zebra}}]\n"
    )
    cases = [case.format(it) for it in range(6)]
    uri = (tmp_path / "a.eval.yaml").as_uri()
    text = "evalcases:\n" + "".join(cases)
    client.open(uri, text)
    await client.run("runSuite", uri)
    new = case.format("new")
    edits = (
        "# above\n" + text,
        "evalcases:\n" + "".join([*cases[:2], new, new, *cases[2:]]),
        "evalcases:\n" + "".join([*cases[:1], *cases[4:]]),
        "evalcases:\n" + "".join([*cases, new]),
        "evalcases:\n" + "".join([*cases[:3], cases[3].replace("Hello 3", "Other"), *cases[4:]]),
        "evalcases:\n" + "".join([cases[1], cases[0], *cases[2:]]),
    )
    typed = []
    for version, edited in enumerate(edits, 2):
        client.change(uri, version, {"text": edited})
        typed.append(await client.diagnostics(uri, version))
        assert any(diagnostic["source"] == "suitecase run" for diagnostic in typed[-1])
    # A document that was just opened has nothing to take over: its marks are read from the disk.
    for version, (edited, expected) in enumerate(zip(edits, typed, strict=True), 100):
        client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        client.open(uri, edited, version=version)
        await client.diagnostics(uri, version, partial(operator.eq, expected))
