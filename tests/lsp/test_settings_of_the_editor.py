"""Settings of the editor: at start-up, by folder, and when they change."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from support.lsp.client import Message, RawClient

Start = Callable[[], Awaitable[RawClient]]
SUITE = (
    "execution: {target: mock}\nevalcases:\n  - id: a\n    input: Hi\n    expected_outcome: Hello\n"
)
ASKED: dict[str, Any] = {
    "workspace": {
        "configuration": True,
        "didChangeConfiguration": {"dynamicRegistration": True},
        "workspaceFolders": True,
        "codeLens": {"refreshSupport": True},
    }
}


async def lenses(client: RawClient, uri: str) -> list[Any]:
    return list(await client.request("textDocument/codeLens", {"textDocument": {"uri": uri}}))


def told(client: RawClient) -> list[str]:
    return [
        it["params"]["message"]
        for it in client.received
        if it["method"] == "window/showMessage" and it["params"]["type"] == 2
    ]


def asked(client: RawClient) -> list[Message]:
    return [it for it in client.received if it["method"] == "workspace/configuration"]


async def answered(client: RawClient, number: int, *said: Any) -> list[Message]:
    """Wait for the nth settings request, from 1, and respond; returns what it requests."""
    await client.until(lambda: len(asked(client)) >= number)
    question = asked(client)[number - 1]
    client.send({"jsonrpc": "2.0", "id": question["id"], "result": list(said)})
    return list(question["params"]["items"])


async def test_what_is_wrong_is_told_once_and_the_rest_holds(start: Start, tmp_path: Path) -> None:
    client = await start()
    await client.initialize(
        root=tmp_path,
        codeLens=False,
        inlayHint={},
        run={"target": 3},
        diagnostics={"scope": "all"},
        trace={"server": "verbose"},
    )
    shown = await client.message("window/showMessage")
    assert shown["message"] == (
        "Invalid settings for Suitecase are ignored: unknown setting `inlayHint`; did you mean "
        "`inlayHints`?; "
        '`diagnostics.scope` must be `openFilesOnly` or `workspace`; got `"all"`; '
        "`run.target` must be a string; got `3`."
    )
    client.open("untitled:a", SUITE)
    assert await lenses(client, "untitled:a") == []
    settings = {"suitecase": {"codeLens": True, "run": {"target": 3}, "diagnostics": 1}}
    client.notify("workspace/didChangeConfiguration", {"settings": settings})
    assert len(await lenses(client, "untitled:a")) == 2
    # Only what is wrong and was not told before.
    (told_now,) = told(client)[1:]
    assert told_now.startswith(
        "Invalid settings for Suitecase are ignored: `diagnostics` must be a mapping; got `1`."
    )


async def test_settings_of_any_form_do_no_harm(client: RawClient) -> None:
    any_form: list[Any] = [None, {}, {"suitecase": None}, [], "x", {"suitecase": []}]
    for settings in any_form:
        client.notify("workspace/didChangeConfiguration", {"settings": settings})
    client.open("untitled:a", SUITE)
    assert len(await lenses(client, "untitled:a")) == 2
    assert client.errors == b""


async def test_each_folder_has_its_own(start: Start, tmp_path: Path) -> None:
    client = await start()
    client.answering = False
    folders = [tmp_path / "one", tmp_path / "two"]
    for it in folders:
        it.mkdir()
    one, two = ((it / "a.eval.yaml").as_uri() for it in folders)
    named = [{"uri": it.as_uri(), "name": it.name} for it in folders]
    await client.request(
        "initialize", {"processId": None, "capabilities": ASKED, "workspaceFolders": named}
    )
    client.notify("initialized", {})
    items = await answered(client, 1, {"codeLens": True}, {"codeLens": False}, None)
    assert [it.get("scopeUri") for it in items] == [None, *(it["uri"] for it in named)]
    assert {it["section"] for it in items} == {"suitecase"}
    await client.message("workspace/codeLens/refresh")
    client.open(one, SUITE)
    client.open(two, SUITE)
    assert (len(await lenses(client, one)), len(await lenses(client, two))) == (0, 2)
    registered = [it["params"] for it in client.received if it["method"].startswith("client/")]
    assert registered[0]["registrations"][0]["registerOptions"] == {"section": "suitecase"}
    # Asked again when told of a change; what the notification says is no matter then.
    client.notify("workspace/didChangeConfiguration", {"settings": {"codeLens": False}})
    await answered(client, 2, None, None, {"codeLens": False})
    await client.until(
        lambda: sum(it["method"] == "workspace/codeLens/refresh" for it in client.received) == 2
    )
    assert (len(await lenses(client, one)), len(await lenses(client, two))) == (2, 0)
    # A folder that comes is asked for as well.
    change = {"added": [{"uri": tmp_path.as_uri(), "name": "all"}], "removed": named[:1]}
    client.notify("workspace/didChangeWorkspaceFolders", {"event": change})
    items = await answered(client, 3, None, None, None)
    assert {it.get("scopeUri") for it in items[1:]} == {named[1]["uri"], tmp_path.as_uri()}


async def test_a_workspace_cannot_declare_itself_trusted(start: Start, tmp_path: Path) -> None:
    client = await start()
    await client.initialize(root=tmp_path, trusted=False)
    uri = (tmp_path / "a.eval.yaml").as_uri()
    client.open(uri, SUITE)
    client.notify("workspace/didChangeConfiguration", {"settings": {"trusted": True}})
    with pytest.raises(Exception, match="not trusted"):
        await client.run("runSuite", uri)


async def test_settings_can_take_trust_away(start: Start, tmp_path: Path) -> None:
    client = await start()
    await client.initialize(root=tmp_path)
    uri = (tmp_path / "a.eval.yaml").as_uri()
    client.open(uri, SUITE)
    client.notify("workspace/didChangeConfiguration", {"settings": {"trusted": False}})
    with pytest.raises(Exception, match="not trusted"):
        await client.run("runSuite", uri)


async def test_trust_is_given_and_taken_while_the_server_runs(start: Start, tmp_path: Path) -> None:
    client = await start()
    await client.initialize(root=tmp_path, trusted=False)
    uri = (tmp_path / "a.eval.yaml").as_uri()
    client.open(uri, SUITE)
    assert await client.request("suitecase/trust", {"trusted": True}) == {"trusted": True}
    # Other settings that change do not bring back what was said at the start.
    client.notify("workspace/didChangeConfiguration", {"settings": {"codeLens": False}})
    assert (await client.run("runSuite", uri))["problem"] is None
    assert await client.request("suitecase/trust", {"trusted": False}) == {"trusted": False}
    with pytest.raises(Exception, match="not trusted"):
        await client.run("runSuite", uri)
    with pytest.raises(Exception, match="true or false"):
        await client.request("suitecase/trust", {"trusted": "yes"})


async def test_settings_take_trust_away_also_where_it_was_given(
    start: Start, tmp_path: Path
) -> None:
    client = await start()
    await client.initialize(root=tmp_path, trusted=False)
    uri = (tmp_path / "a.eval.yaml").as_uri()
    client.open(uri, SUITE)
    await client.request("suitecase/trust", {"trusted": True})
    client.notify("workspace/didChangeConfiguration", {"settings": {"trusted": False}})
    with pytest.raises(Exception, match="not trusted"):
        await client.run("runSuite", uri)


async def test_a_run_asks_the_target_that_is_set(start: Start, tmp_path: Path) -> None:
    client = await start()
    await client.initialize(
        {"workspace": {"codeLens": {"refreshSupport": True}}},
        root=tmp_path,
        run={"target": "nobody"},
    )
    uri = (tmp_path / "a.eval.yaml").as_uri()
    client.open(uri, SUITE)
    await client.run("runSuite", uri)
    shown = await client.message("window/showMessage", lambda it: "nobody" in it["message"])
    assert shown["type"] == 1


CONFIGURATION = 'ignore = "SC101"\r\nfail-levl = "warning"\r\n# 😀\r\n'


async def test_a_configuration_is_checked_and_mended_as_it_is_typed(
    client: RawClient, tmp_path: Path
) -> None:
    uri = (tmp_path / "suitecase.toml").as_uri()
    client.open(uri, CONFIGURATION, language="toml")
    assert [it["code"] for it in await client.diagnostics(uri, 1)] == ["SC703", "SC702"]
    place = {"line": 1, "character": 3}
    params = {
        "textDocument": {"uri": uri},
        "range": {"start": place, "end": place},
        "context": {"diagnostics": []},
    }
    offered = {it["title"]: it for it in await client.request("textDocument/codeAction", params)}
    explained = "Explain SC702 (unknown-setting)"
    assert offered.keys() == {"Change to `fail-level`", "Make all 2 safe fixes", explained}
    (edit,) = offered["Change to `fail-level`"]["edit"]["changes"][uri]
    assert edit == {
        "range": {"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 9}},
        "newText": "fail-level",
    }
    params["context"] = {"diagnostics": [], "only": ["source.fixAll"]}
    (every,) = await client.request("textDocument/codeAction", params)
    assert every["title"] == "Make all 2 safe fixes"
    at = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 2}}
    setting = await client.request("textDocument/hover", at)
    assert "Rules not to apply." in setting["contents"]["value"]
    client.change(uri, 2, {"text": "# 😀\nignore = ['SC101']\n[sandbox]\nprocesses = 3\n"})
    at["position"] = {"line": 1, "character": 14}
    rule = await client.request("textDocument/hover", at)
    assert "unknown-key" in rule["contents"]["value"]
    assert rule["range"]["start"] == {"line": 1, "character": 10}
    at["position"] = {"line": 3, "character": 0}
    limit = await client.request("textDocument/hover", at)
    assert "Processes that a program may have at once" in limit["contents"]["value"]
    client.change(uri, 3, {"text": "ignore = [\r\n"})
    assert [it["code"] for it in await client.diagnostics(uri, 3)] == ["SC701"]
    for method in ("hover", "documentSymbol", "foldingRange", "completion", "inlayHint"):
        await client.request(
            f"textDocument/{method}",
            {"textDocument": {"uri": uri}, "position": place, "range": params["range"]},
        )


async def test_another_projects_file_is_let_alone(client: RawClient, tmp_path: Path) -> None:
    uri = (tmp_path / "pyproject.toml").as_uri()
    client.open(uri, "[project]\nname = 1\n", language="toml")
    client.change(uri, 2, {"text": "[tool.suitecase]\nignroe = []\n"})
    assert [it["code"] for it in await client.diagnostics(uri, 2)] == ["SC702"]
    client.change(uri, 3, {"text": "[tool.ruff]\nignroe = []\n"})
    assert await client.diagnostics(uri, 3) == []


@pytest.mark.parametrize("capabilities", [ASKED, {"workspace": {"configuration": True}}])
async def test_hints_and_lenses_that_are_off_are_not_shown_at_the_start_either(
    start: Start, tmp_path: Path, capabilities: dict[str, Any]
) -> None:
    client = await start()
    client.answering = False
    await client.initialize(capabilities, root=tmp_path)
    uri = (tmp_path / "a.eval.yaml").as_uri()
    client.open(uri, SUITE)
    document = {"textDocument": {"uri": uri}}
    everything = {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}}
    hints = client.begin("textDocument/inlayHint", {**document, "range": everything})
    shown = client.begin("textDocument/codeLens", document)
    off = {"inlayHints": False, "codeLens": False}
    await client.until(lambda: len(asked(client)) >= 1)
    await answered(client, 1, *[off] * len(asked(client)[0]["params"]["items"]))

    assert (await client.answer(hints), await client.answer(shown)) == ([], [])


async def test_hints_do_not_wait_long_for_settings_that_never_come(
    start: Start, tmp_path: Path
) -> None:
    client = await start()
    client.answering = False
    await client.initialize(ASKED, root=tmp_path)
    uri = (tmp_path / "a.eval.yaml").as_uri()
    client.open(uri, SUITE)

    assert len(await lenses(client, uri)) == 2
