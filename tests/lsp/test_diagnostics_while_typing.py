from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from support.lsp.client import RawClient
from support.suites.slow import GREET, GREET_CASES

Start = Callable[[], Awaitable[RawClient]]
URI = "file:///nowhere/greet.eval.yaml"
OVERLAP = """\
evalcases:
  - id: greet
    input: Hi
    expected_outcome: Says hello
    rubrics:
      - id: "😀"
        score_ranges:
          - {expected_outcome: "😀", score_range: [0, 5]}
          - {expected_outcome: "😀", score_range: [5, 10]}
execution: {target: mock}
"""
TARGET = "execution: {target: mock}\n"
LEGACY = GREET.replace("expected_outcome: Says hello", "outcome: Says hello")


async def test_a_finding_says_what_and_where_and_where_to_read_more(start: Start) -> None:
    client = await start()
    await client.initialize({"textDocument": {"publishDiagnostics": {"relatedInformation": True}}})
    client.open(URI, OVERLAP)

    (found,) = await client.diagnostics(URI, 1)

    assert found["source"] == "suitecase"
    assert found["code"] == "SC201"
    assert found["codeDescription"]["href"].endswith("/rules/score-ranges-overlap.md")
    assert found["severity"] == 1
    assert "[5, 10] overlaps [0, 5]" in found["message"]
    assert found["range"] == {
        "start": {"line": 8, "character": 50},
        "end": {"line": 8, "character": 57},
    }
    (related,) = found["relatedInformation"]
    assert related["location"]["uri"] == URI
    assert related["location"]["range"]["start"]["line"] == 7


async def test_columns_are_counted_as_the_client_asks(start: Start) -> None:
    client = await start()
    capabilities = await client.initialize({"general": {"positionEncodings": ["utf-8", "utf-16"]}})
    client.open(URI, OVERLAP)

    (found,) = await client.diagnostics(URI, 1)

    assert capabilities["positionEncoding"] == "utf-8"
    assert found["range"]["start"]["character"] == 52


@pytest.mark.parametrize(
    ("said", "taken", "column"),
    [("utf-8", "utf-8", 52), ("utf-32", "utf-32", 49), ("bytes", "utf-16", 50), (8, "utf-16", 50)],
)
async def test_columns_are_counted_as_an_option_says(
    start: Start, said: object, taken: str, column: int
) -> None:
    client = await start()
    capabilities = await client.initialize(positionEncoding=said)
    client.open(URI, OVERLAP)

    (found,) = await client.diagnostics(URI, 1)

    assert capabilities["positionEncoding"] == taken
    assert found["range"]["start"]["character"] == column


async def test_an_older_spelling_is_marked_as_deprecated(client: RawClient) -> None:
    client.open(URI, LEGACY)

    (found,) = await client.diagnostics(URI, 1)

    assert found["tags"] == [2]
    assert found["severity"] == 2
    assert "relatedInformation" not in found


async def test_what_has_no_effect_is_marked_as_unnecessary(client: RawClient) -> None:
    weighty = "    rubrics: [{id: a, expected_outcome: b, weight: 3}]\n"
    client.open(URI, GREET_CASES + weighty + TARGET)

    (found,) = await client.diagnostics(URI, 1)

    assert (found["code"], found["tags"]) == ("SC219", [1])


async def test_a_burst_of_changes_is_checked_once_and_the_last_version_is_shown(
    client: RawClient,
) -> None:
    client.open(URI, GREET, version=0)
    for version in range(1, 30):
        client.change(URI, version, {"text": GREET})
    client.change(URI, 30, {"text": LEGACY})

    assert len(await client.diagnostics(URI, 30)) == 1
    sent = [it for it in client.received if it["method"] == "textDocument/publishDiagnostics"]
    assert len(sent) < 10


async def test_closing_a_document_takes_its_findings_back(client: RawClient) -> None:
    client.open(URI, LEGACY)
    await client.diagnostics(URI, 1)
    client.notify("textDocument/didClose", {"textDocument": {"uri": URI}})

    assert await client.diagnostics(URI, met=lambda it: not it) == []
    await client.request("shutdown")
    assert client.errors == b""


async def test_of_a_document_closed_as_soon_as_it_was_opened_nothing_stays(
    client: RawClient,
) -> None:
    client.open(URI, LEGACY)
    client.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
    client.open("file:///nowhere/other.eval.yaml", LEGACY)
    await client.diagnostics("file:///nowhere/other.eval.yaml", 1)

    shown = [it["params"] for it in client.received if (it["params"] or {}).get("uri") == URI]
    assert not shown or shown[-1]["diagnostics"] == []


@pytest.mark.parametrize(
    ("uri", "language", "is_suite"),
    [
        ("file:///w/a.eval.yaml", "yaml", True),
        ("file:///w/a.EVAL.YML", "plaintext", True),
        ("file:///w/suite.yaml", "yaml", True),
        ("file:///w/suite.yml", "anything", True),
        ("untitled:Untitled-1", "yaml", True),
        ("git:/w/a.eval.yaml", "yaml", True),
        ("file:///w/notes.md", "markdown", False),
        ("untitled:Untitled-1", "json", False),
        ("untitled:Untitled-1", "suitecase", True),
    ],
)
async def test_suites_are_known_by_name_or_as_yaml_with_a_list_of_cases(
    client: RawClient, uri: str, language: str, is_suite: bool
) -> None:
    client.open(uri, LEGACY, language=language)
    client.open(URI, GREET)
    await client.diagnostics(URI, 1)

    said = [it for it in client.received if (it["params"] or {}).get("uri") == uri]
    assert bool(said) == is_suite


async def test_other_yaml_is_left_alone(client: RawClient) -> None:
    other = "file:///w/deploy.yaml"
    client.open(other, "kind: Deployment\nkind: twice\n")
    client.open(URI, GREET)
    await client.diagnostics(URI, 1)
    here = {"textDocument": {"uri": other}, "position": {"line": 0, "character": 1}}
    range_ = {"start": here["position"], "end": here["position"]}

    assert not [it for it in client.received if (it["params"] or {}).get("uri") == other]
    assert await client.request("textDocument/hover", here) is None
    assert await client.request("textDocument/codeLens", here) == []
    asked = {**here, "range": range_, "context": {"diagnostics": []}}
    assert await client.request("textDocument/codeAction", asked) == []


async def test_yaml_that_stops_being_a_suite_loses_its_findings_but_not_while_it_is_broken(
    client: RawClient,
) -> None:
    uri = "file:///w/suite.yaml"
    client.open(uri, LEGACY)
    await client.diagnostics(uri, 1)
    client.change(uri, 2, {"text": "x: [\n" + LEGACY})

    broken = await client.diagnostics(uri, 2)

    assert [it["severity"] for it in broken if it["code"].startswith("SC0")]
    client.change(uri, 3, {"text": "x: 1\n"})
    assert await client.diagnostics(uri, 3) == []


async def test_a_document_that_is_no_file_is_not_asked_for_files_beside_it(
    client: RawClient,
) -> None:
    text = GREET + "prompt: {file: missing.md}\n"
    client.open("untitled:Untitled-1", text)
    client.open(URI, text)

    assert await client.diagnostics("untitled:Untitled-1", 1) == []
    assert len(await client.diagnostics(URI, 1)) == 1


async def test_a_file_that_appears_is_seen_when_the_client_tells_of_it(
    start: Start, tmp_path: Path
) -> None:
    client = await start()
    await client.initialize(
        {"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}}}, root=tmp_path
    )
    uri = (tmp_path / "a.eval.yaml").as_uri()
    client.open(uri, GREET + "prompt: {file: prompt.md}\n")
    asked = await client.message("client/registerCapability")
    await client.diagnostics(uri, 1, lambda it: len(it) == 1)
    (tmp_path / "prompt.md").write_text("Answer.")
    event = {"uri": (tmp_path / "prompt.md").as_uri(), "type": 1}
    client.notify("workspace/didChangeWatchedFiles", {"changes": [event]})

    assert await client.diagnostics(uri, 1, lambda it: not it) == []
    assert asked["registrations"][0]["method"] == "workspace/didChangeWatchedFiles"


async def test_an_address_is_the_same_however_it_is_escaped_and_is_echoed_as_it_came(
    client: RawClient,
) -> None:
    opened, asked = "file:///c%3A/w/a.eval.yaml", "file:///c:/w/a.eval.yaml"
    client.open(opened, LEGACY)
    here = {"textDocument": {"uri": asked}, "position": {"line": 1, "character": 4}}

    assert len(await client.diagnostics(opened, 1)) == 1
    assert await client.request("textDocument/hover", here) is not None


RENAME, IGNORE = "Rename to `expected_outcome`", "Ignore SC602 (legacy-key) here"
MIGRATE, EXPLAIN = "Migrate this suite", "Explain SC602 (legacy-key)"
RUN = ("Run case `greet`", "Run all cases")


@pytest.mark.parametrize(
    ("context", "titles"),
    [
        ({}, [RENAME, IGNORE, MIGRATE, *RUN, EXPLAIN]),
        ({"only": ["quickfix"]}, [RENAME, IGNORE]),
        ({"only": [""]}, [RENAME, IGNORE, "Make 1 safe fix", MIGRATE, *RUN, EXPLAIN]),
        ({"only": ["source.fixAll"]}, ["Make 1 safe fix"]),
        ({"only": ["source.fixAll.suitecase"]}, ["Make 1 safe fix"]),
        ({"only": ["refactor"]}, [MIGRATE]),
        ({"triggerKind": 2}, [RENAME, IGNORE]),
    ],
)
async def test_actions_are_those_that_were_asked_for(
    client: RawClient, context: dict[str, Any], titles: list[str]
) -> None:
    client.open(URI, LEGACY)
    at = {"line": 3, "character": 5}
    params = {
        "textDocument": {"uri": URI},
        "range": {"start": at, "end": at},
        "context": {"diagnostics": [], **context},
    }
    found = await client.request("textDocument/codeAction", params)

    assert [it["title"] for it in found] == titles


async def test_every_safe_fix_is_made_at_once_and_comments_silence_the_rest(
    client: RawClient,
) -> None:
    text = LEGACY.replace("evalcases", "cases").replace("\n", "\r\n")
    client.open(URI, text)
    params = {
        "textDocument": {"uri": URI},
        "range": {"start": {"line": 3, "character": 5}, "end": {"line": 3, "character": 5}},
        "context": {"diagnostics": []},
    }
    found = await client.request("textDocument/codeAction", params)
    actions = {it["title"]: it for it in found}
    assert "Make all 2 safe fixes" in actions

    def applied(title: str) -> str:
        (edit,) = actions[title]["edit"]["changes"][URI]
        lines = text.split("\r\n")

        def offset(at: dict[str, int]) -> int:
            return sum(len(it) + 2 for it in lines[: at["line"]]) + at["character"]

        start, end = offset(edit["range"]["start"]), offset(edit["range"]["end"])
        return str(text[:start] + edit["newText"] + text[end:])

    fixed = applied("Make all 2 safe fixes")
    assert fixed == GREET.replace("\n", "\r\n")
    client.change(URI, 2, {"text": applied(IGNORE)})
    (left,) = await client.diagnostics(URI, 2)
    assert left["code"] == "SC603"


async def test_a_targets_file_is_checked_as_the_command_line_does(
    client: RawClient, tmp_path: Path
) -> None:
    uri = (tmp_path / "targets.yaml").as_uri()
    client.open(uri, "targets:\n  - name: a\n    provider: opnai\n")
    (found,) = await client.diagnostics(uri, 1)
    assert (found["code"], found["range"]["start"]) == ("SC512", {"line": 2, "character": 14})


PULLS: dict[str, Any] = {
    "textDocument": {"diagnostic": {}},
    "workspace": {"diagnostics": {"refreshSupport": True}},
}


async def pulled(client: RawClient, previous: str | None = None) -> Any:
    params = {"textDocument": {"uri": URI}, "previousResultId": previous}
    return await client.request("textDocument/diagnostic", params)


async def test_a_client_that_asks_for_diagnostics_is_sent_none(start: Start) -> None:
    client = await start()
    capabilities = await client.initialize(PULLS)
    client.open(URI, LEGACY)

    first = await pulled(client)
    again = await pulled(client, first["resultId"])
    client.change(URI, 2, {"text": GREET})
    changed = await pulled(client, first["resultId"])
    result = await client.run("runCase", URI, "greet")
    await client.message("workspace/diagnostic/refresh")
    after = await pulled(client, changed["resultId"])

    assert capabilities["diagnosticProvider"]["identifier"] == "suitecase"
    assert [it["code"] for it in first["items"]] == ["SC602"]
    assert again["kind"] == "unchanged"
    assert changed["items"] == []
    assert result["cases"][0]["verdict"] == "fail"
    assert {it["source"] for it in after["items"]} == {"suitecase run"}
    assert not [it for it in client.received if it["method"] == "textDocument/publishDiagnostics"]


async def test_a_client_that_cannot_be_told_to_ask_again_is_sent_diagnostics(
    start: Start,
) -> None:
    client = await start()
    capabilities = await client.initialize({"textDocument": {"diagnostic": {}}})
    client.open(URI, LEGACY)

    assert "diagnosticProvider" not in capabilities
    assert len(await client.diagnostics(URI, 1)) == 1
