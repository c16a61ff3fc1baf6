"""`Migrate this suite`, also for editors that do not apply edits, and with findings left to
resolve.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support.lsp.client import RawClient, RpcError
from support.lsp.fixtures import Start

OLD = """\
cases:
  - id: greet
    input: Hi
    outcome: Says hello
    evaluators: [{name: tone, type: llm_judge, prompt: old.md}]
"""


async def test_an_editor_that_takes_no_edits_of_the_server_is_told_them(
    client: RawClient, tmp_path: Path
) -> None:
    (tmp_path / "old.md").write_text("Grade ${candidate_answer}, please.\n")
    uri = (tmp_path / "a.eval.yaml").as_uri()
    text = OLD.replace("\n", "\r\n")
    client.open(uri, text)

    answer = await _migrate(client, uri)

    assert not answer["applied"]
    changes = answer["edit"]["changes"]
    assert set(changes) == {uri, (tmp_path / "old.md").as_uri()}
    today = text.replace("outcome:", "expected_outcome:").replace("cases:", "evalcases:")
    assert _edited(text, changes[uri]) == today
    assert "Migrated" in answer["message"]


async def test_no_line_break_of_windows_is_split_where_a_line_with_another_one_goes(
    client: RawClient, tmp_path: Path
) -> None:
    uri = (tmp_path / "a.eval.yaml").as_uri()
    case = "  - {id: greet, input: Hi, expected_outcome: Says hello}\r\n"
    client.open(uri, f"cases:\r\n{case}evaluator: llm_judge\nexecution: {{target: mock}}\n")

    (edit,) = (await _migrate(client, uri))["edit"]["changes"][uri]

    assert edit["newText"] == f"evalcases:\r\n{case}"
    assert edit["range"]["end"] == {"line": 3, "character": 0}


async def test_what_a_person_must_decide_is_said_with_its_number_and_first_line(
    client: RawClient, tmp_path: Path
) -> None:
    uri = (tmp_path / "a.eval.yaml").as_uri()
    client.open(uri, OLD.replace("prompt: old.md", "prompt: gone.md"))

    answer = await _migrate(client, uri)
    said = await client.message("window/showMessage", lambda it: "left" in it["message"])

    assert answer["left"] == 1
    assert said == {"type": 2, "message": answer["message"]}
    assert "1 thing is left to decide or fix. It is on line 5: file `gone.md`" in (said["message"])


async def test_a_prompt_that_another_suite_names_stays(client: RawClient, tmp_path: Path) -> None:
    (tmp_path / "old.md").write_text("Grade ${candidate_answer}, please.\n")
    (tmp_path / "b.eval.yaml").write_text(OLD)
    uri = (tmp_path / "a.eval.yaml").as_uri()
    client.open(uri, OLD)

    answer = await _migrate(client, uri)

    assert set(answer["edit"]["changes"]) == {uri}
    assert "old.md is left as it is, since b.eval.yaml names it too" in answer["message"]


async def test_a_suite_of_today_stays_as_it_is_and_is_offered_nothing(
    start: Start, tmp_path: Path
) -> None:
    client = await start()
    await client.initialize({"workspace": {"applyEdit": True}}, root=tmp_path)
    uri = (tmp_path / "a.eval.yaml").as_uri()
    client.open(uri, "evalcases:\n  - id: greet\n    input: Hi\n    expected_outcome: Says hello\n")
    at = {"line": 2, "character": 5}
    params = {
        "textDocument": {"uri": uri},
        "range": {"start": at, "end": at},
        "context": {"diagnostics": [], "only": ["refactor"]},
    }

    answer = await _migrate(client, uri)
    offered = await client.request("textDocument/codeAction", params)

    assert (answer["applied"], answer["edit"], answer["changes"]) == (False, None, 0)
    assert answer["message"] == "The suite is already in the current format."
    assert "Migrate this suite" not in [it["title"] for it in offered]


async def test_an_editor_that_refuses_the_edit_is_quoted(start: Start, tmp_path: Path) -> None:
    client = await start()
    client.replies["workspace/applyEdit"] = {"applied": False, "failureReason": "read-only"}
    await client.initialize({"workspace": {"applyEdit": True}}, root=tmp_path)
    uri = (tmp_path / "a.eval.yaml").as_uri()
    client.open(uri, OLD)

    with pytest.raises(RpcError, match="did not apply the changes: read-only"):
        await _migrate(client, uri)


def _edited(text: str, edits: list[dict[str, Any]]) -> str:
    """Return an ASCII text with an edit applied."""
    (edit,) = edits
    lines = text.splitlines(keepends=True)
    start, end = (
        sum(map(len, lines[: it["line"]])) + it["character"]
        for it in (edit["range"]["start"], edit["range"]["end"])
    )
    return str(text[:start] + edit["newText"] + text[end:])


async def _migrate(client: RawClient, uri: str) -> dict[str, Any]:
    params = {"command": "suitecase.migrateSuite", "arguments": [uri]}
    answer: dict[str, Any] = await client.request("workspace/executeCommand", params)
    return answer
