"""A running case is not run again: a second click shares its result, or cancels it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support.lsp.client import RawClient
from support.lsp.fixtures import Start
from support.servers.openai import Answer, OpenAiServer

SUITE = """\
execution:
  target: slow
evalcases:
  - id: a
    input: First
    expected_outcome: Paris
    evaluators: [{name: word, type: contains, value: Paris}]
  - id: b
    input: Second
    expected_outcome: Paris
    evaluators: [{name: word, type: contains, value: Paris}]
"""
CANCEL = "■ Cancel (running…)"
PASS = {"id": "a", "verdict": "pass", "score": 1.0}


@pytest.fixture
def uri(tmp_path: Path, openai_server: OpenAiServer) -> str:
    """A suite whose model responds when the test lets it."""
    openai_server.default = Answer(stall=True)
    (tmp_path / "targets.yaml").write_text(
        "targets: [{name: slow, provider: openai, model: m, workers: 4, api_key: sk-loopback, "
        f"api_base: '{openai_server.url}'}}]\n"
    )
    (tmp_path / "slow.eval.yaml").write_text(SUITE)
    return (tmp_path / "slow.eval.yaml").as_uri()


def asked(server: OpenAiServer) -> list[str]:
    """Return the questions sent to the model, sorted."""
    return sorted(str(it.body["messages"][-1]["content"]) for it in server.requests)


def begin(client: RawClient, command: str, *arguments: Any) -> int:
    called = {"command": f"suitecase.{command}", "arguments": list(arguments)}
    return client.begin("workspace/executeCommand", called)


async def lenses(client: RawClient, uri: str) -> list[Any]:
    params = {"textDocument": {"uri": uri}}
    return list(await client.request("textDocument/codeLens", params))


@pytest.mark.parametrize(
    ("command", "arguments", "questions"),
    [
        ("runCase", ["a"], ["First"]),
        ("runSelection", [["a", "b"]], ["First", "Second"]),
        ("runSuite", [], ["First", "Second"]),
    ],
)
async def test_a_case_that_is_being_run_is_not_asked_again(
    client: RawClient,
    uri: str,
    openai_server: OpenAiServer,
    command: str,
    arguments: list[Any],
    questions: list[str],
) -> None:
    client.open(uri, SUITE)
    first = begin(client, "runCase", uri, "a")
    await client.lenses(uri, CANCEL)
    again = [begin(client, command, uri, *arguments) for _ in range(2)]
    await lenses(client, uri)
    openai_server.over.set()

    assert (await client.answer(first))["cases"] == [PASS]
    for it in again:
        answer = await client.answer(it)
        assert PASS in answer["cases"]
        assert len(answer["cases"]) == len(questions)
        assert (answer["problem"], answer["cancelled"]) == (None, False)
    assert asked(openai_server) == questions


async def test_a_view_of_tests_shares_what_a_lens_began(
    start: Start, tmp_path: Path, uri: str, openai_server: OpenAiServer
) -> None:
    client = await start()
    await client.initialize(
        {"workspace": {"codeLens": {"refreshSupport": True}}}, root=tmp_path, testExplorer=True
    )
    client.open(uri, SUITE)
    all_cases = begin(client, "runSuite", uri)
    await client.lenses(uri, CANCEL)
    tests = {"runId": "mine", "tests": [{"uri": uri, "cases": ["a"]}, {"uri": uri}]}
    mine = client.begin("suitecase/runTests", tests)
    await lenses(client, uri)
    openai_server.over.set()

    assert len((await client.answer(all_cases))["cases"]) == 2
    results = (await client.answer(mine))["results"]
    assert [len(it["cases"]) for it in results] == [1, 2]
    assert asked(openai_server) == ["First", "Second"]
    states = [
        (it["params"]["case"], it["params"]["state"])
        for it in client.received
        if it["method"] == "suitecase/testState" and it["params"]["runId"] == "mine"
    ]
    assert {("a", "queued"), ("a", "started"), ("a", "passed"), ("b", "passed")} <= {*states}


async def test_the_lens_of_a_case_that_is_being_run_cancels_it(
    client: RawClient, uri: str, openai_server: OpenAiServer
) -> None:
    client.open(uri, SUITE)
    run = begin(client, "runCase", uri, "a")
    await client.lenses(uri, CANCEL)
    again = begin(client, "runCase", uri, "a")
    shown = [it["command"] for it in await lenses(client, uri)]
    at = {"line": 4, "character": 6}
    actions = await client.request(
        "textDocument/codeAction",
        {
            "textDocument": {"uri": uri},
            "range": {"start": at, "end": at},
            "context": {"diagnostics": []},
        },
    )

    assert [it["title"] for it in shown] == ["▶ Run all cases", CANCEL, "▶ Run case"]
    assert "Cancel the run of `a`" in [it["title"] for it in actions]
    assert "Run case `a`" not in [it["title"] for it in actions]
    command = shown[1]
    assert (command["command"], command["arguments"]) == ("suitecase.cancelRun", [uri, "a"])
    cancelled = await client.request("workspace/executeCommand", command)
    assert len(cancelled["cancelled"]) == 2
    for it in (run, again):
        assert (await client.answer(it))["cancelled"] is True
    await client.lenses(uri, "▶ Run case")
    assert CANCEL not in [it["command"]["title"] for it in await lenses(client, uri)]
    assert len(openai_server.requests) <= 1


async def test_while_all_cases_are_being_run_the_lens_of_the_list_cancels_them(
    client: RawClient, uri: str
) -> None:
    client.open(uri, SUITE)
    run = begin(client, "runSuite", uri)
    await client.lenses(uri, CANCEL)
    shown = [it["command"] for it in await lenses(client, uri)]

    assert [it["title"] for it in shown] == [CANCEL] * 3
    await client.request("workspace/executeCommand", shown[0])
    assert (await client.answer(run))["cancelled"] is True


async def test_a_case_that_has_changed_since_is_asked_as_it_is_now(
    client: RawClient, uri: str, openai_server: OpenAiServer
) -> None:
    client.open(uri, SUITE)
    first = begin(client, "runCase", uri, "a")
    await client.lenses(uri, CANCEL)
    client.change(uri, 2, {"text": SUITE.replace("input: First", "input: Third")})
    second = begin(client, "runCase", uri, "a")
    await lenses(client, uri)
    openai_server.over.set()

    for it in (first, second):
        assert (await client.answer(it))["cases"] == [PASS]
    assert asked(openai_server) == ["First", "Third"]
