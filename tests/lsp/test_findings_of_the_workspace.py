"""Findings of files that are not open: pulled, or pushed if a setting says so."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from support.lsp.client import RawClient

Start = Callable[[], Awaitable[RawClient]]
WRONG = "evalcases:\n  - id: 😀 a\n    input: Hi\n    outcome: Hello\n    inptu: 1\n"
WRONG += "execution: {target: mock}\n"
SOUND = (
    "execution: {target: mock}\nevalcases:\n  - id: a\n    input: Hi\n    expected_outcome: Hello\n"
)
PROMPTED = SOUND + "    evaluators: [{name: tone, type: llm_judge, prompt: tone.md}]\n"
TONE = "{{ candidate_anser }} {{ candidate_answer }}\n"
PULLS: dict[str, Any] = {
    "textDocument": {"diagnostic": {}},
    "workspace": {"diagnostics": {"refreshSupport": True}},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "wrong.eval.yaml").write_text(WRONG, "utf-8")
    (tmp_path / "sound.eval.yaml").write_text(SOUND, "utf-8")
    (tmp_path / "prompted.eval.yaml").write_text(PROMPTED, "utf-8")
    (tmp_path / "tone.md").write_text(TONE, "utf-8")
    return tmp_path


def write(client: RawClient, path: Path, text: str, kind: int = 2) -> None:
    """Change a file on disk, and notify the server; `kind` is the protocol's, 1 is created."""
    path.write_text(text, "utf-8")
    changes = [{"uri": path.as_uri(), "type": kind}]
    client.notify("workspace/didChangeWatchedFiles", {"changes": changes})


def asked(known: dict[str, str], **rest: Any) -> dict[str, Any]:
    previous = [{"uri": uri, "value": id_} for uri, id_ in known.items()]
    return {"previousResultIds": previous, **rest}


def by_name(report: Any) -> dict[str, Any]:
    return {it["uri"].rpartition("/")[2]: it for it in report["items"]}


def codes(report: Any) -> list[str]:
    return [it["code"] for it in report["items"]]


def ids(report: Any) -> dict[str, str]:
    return {it["uri"]: it["resultId"] for it in report["items"] if it.get("resultId")}


async def test_a_client_that_asks_is_told_of_every_file_and_then_of_what_changes(
    start: Start, folder: Path
) -> None:
    client = await start()
    provider = (await client.initialize(PULLS, root=folder))["diagnosticProvider"]
    assert provider["workspaceDiagnostics"] is True
    first = await client.request("workspace/diagnostic", asked({}))
    found = by_name(first)
    assert found.keys() == {"wrong.eval.yaml", "tone.md"}
    assert "SC101" in codes(found["wrong.eval.yaml"])
    assert codes(found["tone.md"]) == ["SC302"]
    # Nothing has changed: the next question waits for that.
    waiting = client.begin("workspace/diagnostic", asked(ids(first)))
    write(client, folder / "tone.md", TONE.replace("anser", "answer"))
    second = await client.answer(waiting)
    now = by_name(second)
    assert (now["tone.md"]["kind"], now["tone.md"]["items"]) == ("full", [])
    assert now["wrong.eval.yaml"]["kind"] == "unchanged"
    # A new file, and one that is gone.
    known = {uri: id_ for uri, id_ in ids(first).items() if not uri.endswith("tone.md")}
    waiting = client.begin("workspace/diagnostic", asked(known))
    (folder / "wrong.eval.yaml").unlink()
    write(client, folder / "new.eval.yaml", WRONG, kind=1)
    third = by_name(await client.answer(waiting))
    assert third["wrong.eval.yaml"]["items"] == []
    assert codes(third["new.eval.yaml"]) == codes(found["wrong.eval.yaml"])
    assert client.errors == b""


async def test_an_open_file_is_left_to_its_document_until_it_is_closed(
    start: Start, folder: Path
) -> None:
    client = await start()
    await client.initialize(PULLS, root=folder)
    uri = (folder / "wrong.eval.yaml").as_uri()
    client.open(uri, SOUND)
    first = await client.request("workspace/diagnostic", asked({}))
    assert "wrong.eval.yaml" not in by_name(first)
    waiting = client.begin("workspace/diagnostic", asked(ids(first)))
    client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    second = by_name(await client.answer(waiting))
    # The file has the mistake, the document had not.
    assert second["wrong.eval.yaml"]["items"]
    document = await client.request("textDocument/diagnostic", {"textDocument": {"uri": uri}})
    assert document["resultId"] == second["wrong.eval.yaml"]["resultId"]
    assert not [it for it in client.received if it["method"] == "textDocument/publishDiagnostics"]


async def test_what_is_typed_into_an_open_prompt_bears_on_suites_that_are_not_open(
    start: Start, folder: Path
) -> None:
    client = await start()
    await client.initialize(PULLS, root=folder)
    tone = (folder / "tone.md").as_uri()
    client.open(tone, TONE, language="markdown")
    first = await client.request("workspace/diagnostic", asked({}))
    assert "tone.md" not in by_name(first)
    waiting = client.begin("workspace/diagnostic", asked(ids(first)))
    client.change(tone, 2, {"text": "Is it kind?\n"})
    second = by_name(await client.answer(waiting))
    assert "SC303" in codes(second["prompted.eval.yaml"])


async def test_a_report_in_parts_is_all_told_before_the_answer(start: Start, folder: Path) -> None:
    client = await start()
    await client.initialize(PULLS, root=folder)
    answer = await client.request("workspace/diagnostic", asked({}, partialResultToken="p"))
    assert answer == {"items": []}
    part = await client.message("$/progress", lambda it: it["token"] == "p")
    assert {"wrong.eval.yaml", "tone.md"} <= by_name(part["value"]).keys()


async def test_a_question_that_waits_can_be_given_up(start: Start, folder: Path) -> None:
    client = await start()
    await client.initialize(PULLS, root=folder)
    first = await client.request("workspace/diagnostic", asked({}))
    waiting = client.begin("workspace/diagnostic", asked(ids(first)))
    client.notify("$/cancelRequest", {"id": waiting})
    with pytest.raises(Exception, match="-32800"):
        await client.answer(waiting)
    # Nobody waits now, so the client is told to ask.
    write(client, folder / "sound.eval.yaml", WRONG)
    await client.message("workspace/diagnostic/refresh")
    second = by_name(await client.request("workspace/diagnostic", asked(ids(first))))
    assert second["sound.eval.yaml"]["items"]


async def test_a_client_that_does_not_ask_is_sent_them_where_a_setting_says_so(
    start: Start, folder: Path
) -> None:
    client = await start()
    await client.initialize(root=folder, diagnostics={"scope": "workspace"})
    wrong = (folder / "wrong.eval.yaml").as_uri()
    assert await client.diagnostics(wrong)
    tone = (folder / "tone.md").as_uri()
    assert codes({"items": await client.diagnostics(tone)}) == ["SC302"]
    client.open(wrong, SOUND)
    assert await client.diagnostics(wrong, 1) == []
    client.notify("textDocument/didClose", {"textDocument": {"uri": wrong}})
    sent = len(client.received)
    await client.until(
        lambda: any(
            it["method"] == "textDocument/publishDiagnostics"
            and it["params"]["uri"] == wrong
            and it["params"]["diagnostics"]
            for it in client.received[sent:]
        )
    )
    # Without the setting they are taken back.
    client.notify(
        "workspace/didChangeConfiguration",
        {"settings": {"suitecase": {"diagnostics": {"scope": "openFilesOnly"}}}},
    )
    await client.diagnostics(tone, met=lambda it: not it)


@pytest.mark.skipif(sys.platform == "win32", reason="the server waits at named pipes")
async def test_a_text_that_changes_while_a_new_file_is_checked_counts(folder: Path) -> None:
    for name in ("checked", "go"):
        os.mkfifo(folder / name)
    program = (
        "import sys\n"
        "from suitecase.lsp import server, workspace_check\n"
        "check = workspace_check._check\n"
        "def check_and_wait(batch):\n"
        "    found = check(batch)\n"
        "    if any(path.name == 'new.eval.yaml' for path, _ in batch) and not waited:\n"
        "        waited.append(True)\n"
        f"        open({str(folder / 'checked')!r}, 'w').close()\n"
        f"        open({str(folder / 'go')!r}).close()\n"
        "    return found\n"
        "waited = []\n"
        "workspace_check._check = check_and_wait\n"
        "sys.exit(server.main())\n"
    )
    async with RawClient.started(script=program) as client:
        await client.initialize(PULLS, root=folder)
        known = ids(await client.request("workspace/diagnostic", asked({})))
        waiting = client.begin("workspace/diagnostic", asked(known))
        write(client, folder / "new.eval.yaml", PROMPTED, kind=1)
        await asyncio.to_thread(lambda: (folder / "checked").open().close())
        # It was checked with the text on disk, which has the answer.
        client.open((folder / "tone.md").as_uri(), "Grade it.\n")
        document = {"textDocument": {"uri": (folder / "tone.md").as_uri()}}
        await client.request("textDocument/diagnostic", document)
        await asyncio.to_thread(lambda: (folder / "go").open("w").close())
        report = await client.answer(waiting)
        while "new.eval.yaml" not in by_name(report):
            known |= ids(report)
            report = await client.request("workspace/diagnostic", asked(known))
        assert codes(by_name(report)["new.eval.yaml"]) == ["SC303"]
