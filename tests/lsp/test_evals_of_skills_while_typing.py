"""The evals of a skill in an editor: what is said while the JSON is being typed, over the protocol."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support.lsp.client import RawClient
from support.lsp.fixtures import Start

EVALS = """\
{
  "skill_name": "sums",
  "evals": [
    {
      "id": 1,
      "prompt": "Add up",
      "files": ["evals/files/bill.csv"],
      "assertions": ["It says 12"]
    },
    {
      "id": 2,
      "prompt": "Add up again",
      "assertions": ["It says 13"]
    }
  ]
}
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The path of the evals, beside what they name."""
    path = tmp_path / "skills/sums/evals/evals.json"
    (path.parent / "files").mkdir(parents=True)
    (path.parent / "files/bill.csv").write_text("amount\n12\n", "utf-8")
    (path.parents[1] / "SKILL.md").write_text("---\nname: sums\n---\n", "utf-8")
    path.write_text(EVALS, "utf-8")
    return path


def typed(line: int, start: int, end: int, text: str) -> dict[str, Any]:
    places = {"start": {"line": line, "character": start}, "end": {"line": line, "character": end}}
    return {"range": places, "text": text}


def codes(found: list[dict[str, Any]]) -> list[tuple[int, str]]:
    return [(it["range"]["start"]["line"], it["code"]) for it in found]


async def test_findings_follow_what_is_typed(client: RawClient, path: Path) -> None:
    uri = path.as_uri()
    client.open(uri, EVALS)
    assert await client.diagnostics(uri, 1) == []
    client.change(uri, 2, typed(10, 12, 13, "1"))
    assert codes(await client.diagnostics(uri, 2)) == [(10, "AS005")]
    client.change(uri, 3, typed(6, 17, 37, "evals/files/bil.csv"))
    assert codes(await client.diagnostics(uri, 3)) == [(6, "AS017"), (10, "AS005")]
    client.change(uri, 4, typed(1, 17, 21, "sum"))
    assert codes(await client.diagnostics(uri, 4)) == [(1, "AS018"), (6, "AS017"), (10, "AS005")]


async def test_an_eval_that_is_half_written_leaves_the_others(
    client: RawClient, path: Path
) -> None:
    uri = path.as_uri()
    twice = EVALS.replace('"id": 2', '"id": 1').replace('["It says 13"]', '["It says 13", ""]')
    client.open(uri, twice)
    assert codes(await client.diagnostics(uri, 1)) == [(10, "AS005"), (12, "AS015")]
    client.change(uri, 2, typed(5, 16, 25, "'Add up',"))
    found = codes(await client.diagnostics(uri, 2))
    assert (5, "SC751") in found
    assert (12, "AS015") in found
    client.change(uri, 3, typed(5, 16, 25, '"Add up",'))
    assert codes(await client.diagnostics(uri, 3)) == [(10, "AS005"), (12, "AS015")]


async def test_quick_fixes_hovers_and_completion_answer(start: Start, path: Path) -> None:
    client = await start()
    literal = {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}}}
    await client.initialize({"textDocument": {"codeAction": literal}}, root=path.parents[3])
    uri = path.as_uri()
    client.open(uri, EVALS.replace('"assertions": ["It says 13"]', '"asertions": ["It says 13"]'))
    (found,) = (it for it in await client.diagnostics(uri, 1) if it["code"] == "AS010")
    document = {"textDocument": {"uri": uri}}
    actions = await client.request(
        "textDocument/codeAction",
        {**document, "range": found["range"], "context": {"diagnostics": [found]}},
    )
    titles = [it["title"] for it in actions]
    assert "Change to `assertions`" in titles
    assert not any("gnore" in it for it in titles), "JSON has no comments"
    place = {**document, "position": {"line": 5, "character": 9}}
    hover = await client.request("textDocument/hover", place)
    assert "as a user would write it" in hover["contents"]["value"]
    client.change(uri, 2, typed(10, 14, 14, '\n      "ex'))
    place["position"] = {"line": 11, "character": 9}
    offered = await client.request("textDocument/completion", place)
    items = offered["items"] if isinstance(offered, dict) else offered
    assert "expected_output" in [it["label"] for it in items]


async def test_names_lead_to_the_files_and_to_the_skill(client: RawClient, path: Path) -> None:
    uri = path.as_uri()
    client.open(uri, EVALS)
    document = {"textDocument": {"uri": uri}}
    links = await client.request("textDocument/documentLink", document)
    skill, bill = path.parents[1] / "SKILL.md", path.parent / "files/bill.csv"
    lines = [(it["range"]["start"]["line"], it["target"]) for it in links]
    assert lines == [(1, skill.as_uri()), (6, bill.as_uri())]
    for line, target in ((1, skill), (6, bill)):
        place = {**document, "position": {"line": line, "character": 19}}
        (found,) = await client.request("textDocument/definition", place)
        assert found.get("uri", found.get("targetUri")) == target.as_uri()


async def test_moved_files_are_named_anew_and_the_skill_keeps_its_name(
    client: RawClient, path: Path
) -> None:
    client.open(path.as_uri(), EVALS)
    bill = path.parent / "files/bill.csv"
    moved = {"oldUri": bill.as_uri(), "newUri": (path.parent / "files/june.csv").as_uri()}
    edit = await client.request("workspace/willRenameFiles", {"files": [moved]})
    changes = edit.get("changes") or {
        it["textDocument"]["uri"]: it["edits"] for it in edit["documentChanges"]
    }
    assert [it["newText"] for it in changes[path.as_uri()]] == ['"evals/files/june.csv"']
    skill = path.parents[1] / "SKILL.md"
    moved = {"oldUri": skill.as_uri(), "newUri": (path.parents[1] / "README.md").as_uri()}
    edit = await client.request("workspace/willRenameFiles", {"files": [moved]})
    assert not edit or not (edit.get("changes") or edit.get("documentChanges"))
