"""Running cases from the editor, in the real worker, with the target that needs no key."""

from __future__ import annotations

import os
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from support.lsp.client import RawClient, RpcError
from support.suites.slow import GREET, GREET_CASES, SLOW, slow_suite

Start = Callable[[], Awaitable[RawClient]]
INVALID_PARAMS, REQUEST_FAILED = -32602, -32803


@pytest.fixture
def uri(tmp_path: Path) -> str:
    return (tmp_path / "greet.eval.yaml").as_uri()


async def run_marks(client: RawClient, uri: str, **rest: Any) -> list[Any]:
    found = await client.diagnostics(uri, **rest)
    return [it for it in found if it["source"] == "suitecase run"]


def has_results(found: list[Any]) -> bool:
    return any(it["source"] == "suitecase run" for it in found)


async def test_running_a_case_shows_its_verdict_and_what_it_missed(
    client: RawClient, uri: str
) -> None:
    client.open(uri, GREET)
    result = await client.run("runCase", uri, "greet")

    found = await run_marks(client, uri, met=has_results)
    hover = await client.request(
        "textDocument/hover",
        {"textDocument": {"uri": uri}, "position": {"line": 1, "character": 2}},
    )

    assert result == {
        "runId": result["runId"],
        "cases": [{"id": "greet", "verdict": "fail", "score": 0.5}],
        "cancelled": False,
        "notRun": [],
        "problem": None,
    }
    assert [(it["range"]["start"]["line"], it["severity"]) for it in found] == [(1, 2), (7, 2)]
    assert found[0]["message"].startswith("fail 0.50")
    assert found[1]["message"].startswith("missed: describes zebras")
    assert "✗ fail 0.50 · just now" in hover["contents"]["value"]
    assert "[hello] says hello" in hover["contents"]["value"]
    assert (await client.lenses(uri))[1:] == ["✗ fail 0.50 (no model)", "▶ Run again", "▶ Run case"]
    shown = await client.message("window/showMessage")
    assert shown == {"type": 3, "message": "greet: fail 0.50 (no model was called)"}


async def test_an_editor_asks_each_case_once_whatever_the_suite_repeats(
    client: RawClient, uri: str
) -> None:
    client.open(uri, GREET.replace("target: mock", "target: mock, repeats: 3"))
    result = await client.run("runCase", uri, "greet")
    assert result["cases"] == [{"id": "greet", "verdict": "fail", "score": 0.5}]


async def test_running_all_cases_runs_what_is_in_the_editor_and_not_on_disk(
    client: RawClient, uri: str, tmp_path: Path
) -> None:
    (tmp_path / "greet.eval.yaml").write_text("this is no suite")
    client.open(uri, GREET)
    client.change(uri, 2, {"text": GREET.replace("describes zebras", "there")})

    result = await client.run("runSuite", uri)

    assert [(it["id"], it["verdict"]) for it in result["cases"]] == [
        ("greet", "rehearsed"),
        ("part", "rehearsed"),
    ]
    assert await client.lenses(uri) == [
        "▶ Run all cases",
        "○ rehearsed 1.00 (no model)",
        "▶ Run again",
        "○ rehearsed 1.00 (no model)",
        "▶ Run again",
    ]
    shown = await client.message("window/showMessage")
    assert shown["message"] == "2 cases: 2 rehearsed (no model was called)"


async def test_findings_and_results_stand_side_by_side(client: RawClient, uri: str) -> None:
    legacy = GREET.replace("expected_outcome: Says hello", "outcome: Says hello")
    client.open(uri, legacy)
    await client.run("runCase", uri, "greet")

    found = await client.diagnostics(uri, 1, has_results)
    client.change(uri, 2, {"text": legacy + "# a comment\n"})
    later = await client.diagnostics(uri, 2)

    assert {it["source"] for it in found} == {"suitecase", "suitecase run"}
    assert later == found


async def test_a_change_makes_the_result_stale_and_clearing_takes_it_away(
    client: RawClient, uri: str
) -> None:
    client.open(uri, GREET)
    await client.run("runCase", uri, "greet")
    client.change(uri, 2, {"text": GREET.replace("Hello there", "Good day")})

    stale = await run_marks(client, uri, version=2)
    titles = await client.lenses(uri)
    await client.run("clearResults", uri)

    assert [it["severity"] for it in stale] == [3, 3]
    assert all("stale" in it["message"] for it in stale)
    assert titles[1] == "✗ fail 0.50 (no model, stale)"
    assert (await client.lenses(uri))[1] == "▶ Run case"
    assert await client.diagnostics(uri, 2, lambda it: not it) == []


async def test_results_are_there_again_when_the_document_is_opened_again(
    client: RawClient, uri: str
) -> None:
    client.open(uri, GREET)
    await client.run("runCase", uri, "greet")
    client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    client.open(uri, GREET, version=7)

    assert len(await run_marks(client, uri, version=7, met=has_results)) == 2


async def test_a_document_that_is_no_file_can_be_run(client: RawClient) -> None:
    client.open("untitled:Untitled-1", GREET)

    result = await client.run("runCase", "untitled:Untitled-1", "part")

    assert result["cases"] == [{"id": "part", "verdict": "rehearsed", "score": 1.0}]


async def test_arguments_that_are_left_out_mean_the_last_document(
    client: RawClient, uri: str
) -> None:
    with pytest.raises(RpcError) as nothing_open:
        await client.run("runSuite")
    client.open(uri, GREET)
    with pytest.raises(RpcError) as which:
        await client.run("runCase")
    result = await client.request("workspace/executeCommand", {"command": "suitecase.runSuite"})

    assert nothing_open.value.code == INVALID_PARAMS
    assert "no document is open" in nothing_open.value.message
    assert which.value.code == INVALID_PARAMS
    assert "`greet`, `part`" in which.value.message
    assert len(result["cases"]) == 2


@pytest.mark.parametrize(
    ("command", "arguments", "says"),
    [
        ("runCase", ["file:///never/opened.eval.yaml", "greet"], "is not open"),
        ("runCase", [None, "gret"], "there is no case `gret`; expected one of `greet`, `part`"),
        ("runCase", [None, 5], "must be a string"),
        ("runSuite", [{"uri": "x"}], "must be a string"),
        ("runSuite", ["file:///w/plain.yaml"], "not a suite"),
        ("explode", [], "there is no command"),
    ],
)
async def test_wrong_arguments_are_refused_with_what_is_expected(
    client: RawClient, uri: str, command: str, arguments: list[Any], says: str
) -> None:
    client.open("file:///w/plain.yaml", "a: 1\n")
    client.open(uri, GREET)
    with pytest.raises(RpcError) as raised:
        await client.run(command, *arguments)

    assert raised.value.code == INVALID_PARAMS
    assert says in raised.value.message


async def test_running_all_runs_the_sound_cases_and_the_message_names_the_others(
    client: RawClient, uri: str
) -> None:
    client.open(uri, GREET.replace("type: contains", "type: contain"))

    result = await client.run("runSuite", uri)
    shown = await client.message("window/showMessage")
    alone = await client.run("runCase", uri, "greet")

    assert [it["id"] for it in result["cases"]] == ["greet"]
    assert shown["type"] == 2
    assert "Not run: part. SC307 at greet.eval.yaml:15:15" in shown["message"]
    assert (alone["problem"], alone["notRun"]) == (None, [])


async def test_a_suite_with_errors_is_not_run_and_the_message_says_so(
    client: RawClient, uri: str
) -> None:
    client.open(uri, GREET.replace("id: part", "id: greet"))

    result = await client.run("runCase", uri, "greet")
    shown = await client.message("window/showMessage")

    assert result["cases"] == []
    assert shown["type"] == 2
    assert "Nothing was run: the suite has an error" in shown["message"]
    assert "greet.eval.yaml, line 10" in shown["message"]


async def test_a_case_that_does_not_parse_is_not_run_and_the_message_says_where(
    client: RawClient, uri: str
) -> None:
    client.open(uri, GREET)
    before = await client.lenses(uri)
    client.change(uri, 2, {"text": GREET.replace("input: Goodbye now", 'input: "Goodbye')})
    titles = await client.lenses(uri)

    result = await client.run("runCase", uri, "part")

    assert titles == before
    assert result["cases"] == []
    assert "Nothing was run" in result["problem"]


async def test_a_document_opened_again_in_the_middle_of_a_run_shows_the_results(
    client: RawClient, tmp_path: Path
) -> None:
    uri = slow_suite(tmp_path)
    client.open(uri, SLOW.replace("value: Hello", "value: hello"))
    client.begin("workspace/executeCommand", {"command": "suitecase.runSuite", "arguments": [uri]})
    client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    client.open(uri, SLOW.replace("value: Hello", "value: hello"), version=7)

    assert len(await run_marks(client, uri, version=7, met=has_results)) == 2


async def test_a_case_that_cannot_be_graded_is_an_error_at_the_case(
    client: RawClient, uri: str, tmp_path: Path
) -> None:
    (tmp_path / "targets.yaml").write_text(
        "targets: [{name: other, provider: mock, response: {elsewhere: x}}]\n"
    )
    client.open(uri, "execution: {target: other}\n" + GREET_CASES)
    await client.run("runCase", uri, "greet")

    (found,) = await run_marks(client, uri, met=has_results)

    assert found["severity"] == 1
    assert "no response for the case `greet`" in found["message"]


@pytest.mark.parametrize("trusted", [False, "false", 0])
async def test_in_a_workspace_that_is_not_trusted_nothing_is_run(
    start: Start, tmp_path: Path, uri: str, trusted: object
) -> None:
    client = await start()
    await client.initialize(root=tmp_path, trusted=trusted)
    client.open(uri, GREET)
    with pytest.raises(RpcError) as raised:
        await client.run("runSuite", uri)

    assert raised.value.code == REQUEST_FAILED
    assert "Trust the workspace" in raised.value.message
    assert await client.diagnostics(uri, 1) == []


PROGRESS = {
    "window": {"workDoneProgress": True},
    "workspace": {"codeLens": {"refreshSupport": True}},
}


def progress_values(client: RawClient) -> list[Any]:
    return [it["params"]["value"] for it in client.received if it["method"] == "$/progress"]


async def test_progress_is_shown_from_the_beginning_to_the_end(
    start: Start, tmp_path: Path, uri: str
) -> None:
    client = await start()
    await client.initialize(PROGRESS, root=tmp_path)
    client.open(uri, GREET)
    await client.run("runSuite", uri)

    values = progress_values(client)

    assert values[0]["kind"] == "begin"
    assert values[0]["cancellable"] is True
    # Of what comes within the same moment only the last is said.
    said = [it["message"] for it in values[1:-1]]
    assert values[0]["title"] == "Running greet.eval.yaml"
    assert said
    assert set(said) <= {"0 of 2 cases", "1 of 2 cases", "2 of 2 cases"}
    assert values[-1]["kind"] == "end"
    assert values[-1]["message"] == "2 cases: 1 rehearsed, 1 failed (no model was called)"
    assert not [it for it in client.received if it["method"] == "window/showMessage"]


async def test_a_run_that_is_cancelled_by_its_progress_keeps_what_it_has(
    start: Start, tmp_path: Path
) -> None:
    client = await start()
    await client.initialize(PROGRESS, root=tmp_path)
    uri = slow_suite(tmp_path)
    client.open(uri, SLOW)
    id_ = client.begin(
        "workspace/executeCommand", {"command": "suitecase.runSuite", "arguments": [uri]}
    )
    await client.lenses(uri, "○ rehearsed")
    token = (await client.message("window/workDoneProgress/create"))["token"]
    client.notify("window/workDoneProgress/cancel", {"token": token})

    result = await client.answer(id_)

    assert result["cancelled"] is True
    assert [it["id"] for it in result["cases"]] == ["quick"]
    assert progress_values(client)[-1]["message"] == "Run cancelled after 1 of 2 cases"
    assert await client.lenses(uri) == [
        "▶ Run all cases",
        "○ rehearsed 1.00 (no model)",
        "▶ Run again",
        "▶ Run case",
    ]


async def test_a_client_that_never_answers_gets_its_run_all_the_same(
    start: Start, tmp_path: Path, uri: str
) -> None:
    client = await start()
    await client.initialize(PROGRESS, root=tmp_path)
    client.answering = False
    client.open(uri, GREET)

    assert len((await client.run("runSuite", uri))["cases"]) == 2
    assert progress_values(client) == []


async def test_typing_goes_on_while_a_case_is_being_run(client: RawClient, tmp_path: Path) -> None:
    uri = slow_suite(tmp_path)
    client.open(uri, SLOW)
    id_ = client.begin(
        "workspace/executeCommand", {"command": "suitecase.runSuite", "arguments": [uri]}
    )
    titles = await client.lenses(uri, "○ rehearsed")
    client.change(uri, 2, {"text": SLOW.replace("id: late", "id: later")})

    assert titles[3] == "■ Cancel (running…)"
    assert await client.lenses(uri) == [
        "▶ Run all cases",
        "○ rehearsed 1.00 (no model)",
        "▶ Run again",
        "▶ Run case",
    ]
    assert id_ not in client.answers


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="finds the worker in /proc")
async def test_a_worker_that_is_killed_in_the_middle_of_a_run_harms_nothing_else(
    client: RawClient, tmp_path: Path
) -> None:
    uri = slow_suite(tmp_path)
    client.open(uri, SLOW)
    id_ = client.begin(
        "workspace/executeCommand", {"command": "suitecase.runSuite", "arguments": [uri]}
    )
    await client.lenses(uri, "○ rehearsed")
    (worker,) = children(client.process.pid)
    os.kill(worker, signal.SIGKILL)

    broken = await client.answer(id_)
    shown = await client.message("window/showMessage")
    again = await client.run("runCase", uri, "quick")

    assert [it["id"] for it in broken["cases"]] == ["quick"]
    assert "The run broke off: the worker process was killed" in broken["problem"]
    assert shown["message"] == broken["problem"]
    assert again["cases"] == [{"id": "quick", "verdict": "rehearsed", "score": 1.0}]


def children(pid: int) -> list[int]:
    return [int(it) for it in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


async def test_cases_of_a_data_set_are_run_like_those_of_a_suite(
    client: RawClient, tmp_path: Path
) -> None:
    path = tmp_path / "greetings.jsonl"
    (tmp_path / "greetings.yaml").write_text("dataset: greetings\nexecution: {target: mock}\n")
    uri = path.as_uri()
    hello = '{"id": "greet", "input": "Hello there", "expected_outcome": "hello there"}\n'
    bye = '{"id": "leave", "input": "Bye", "expected_outcome": "zebras"}\n'
    client.open(uri, hello + bye)
    assert await client.lenses(uri) == ["▶ Run all cases", "▶ Run case", "▶ Run case"]
    actions = await client.request(
        "textDocument/codeAction",
        {
            "textDocument": {"uri": uri},
            "range": {"start": {"line": 1, "character": 3}, "end": {"line": 1, "character": 3}},
            "context": {"diagnostics": []},
        },
    )
    assert any(it["title"].startswith("Run case `leave`") for it in actions)

    result = await client.run("runSuite", uri)
    found = await run_marks(client, uri, met=has_results)

    assert [(it["id"], it["verdict"]) for it in result["cases"]] == [
        ("greet", "rehearsed"),
        ("leave", "fail"),
    ]
    assert {it["range"]["start"]["line"] for it in found} == {1}
    assert (await client.lenses(uri))[1:] == [
        "○ rehearsed 1.00 (no model)",
        "▶ Run again",
        "✗ fail 0.00 (no model)",
        "▶ Run again",
    ]
    client.change(uri, 2, {"text": hello + bye.replace("Bye", "Farewell")})
    assert (await client.lenses(uri))[3] == "✗ fail 0.00 (no model, stale)"
    tests = await client.request("suitecase/discoverTests", {"uri": uri})
    assert [it["id"] for it in tests["cases"]] == ["greet", "leave"]
