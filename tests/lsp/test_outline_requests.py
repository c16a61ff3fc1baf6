"""Outline, folds, selections, tokens, hints and hovers, for clients with different capabilities."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support.lsp.client import RawClient
from support.lsp.fixtures import Start
from support.suites.editor_texts import EVERYTHING, TARGETS, write_surroundings
from support.suites.slow import GREET

ABLE = {
    "textDocument": {
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
        "hover": {"contentFormat": ["markdown"]},
    }
}
WHOLE = {"start": {"line": 0, "character": 0}, "end": {"line": 9_999, "character": 0}}


@pytest.fixture
def uri(tmp_path: Path) -> str:
    write_surroundings(tmp_path)
    return (tmp_path / "everything.eval.yaml").as_uri()


async def asked(client: RawClient, method: str, uri: str, **rest: Any) -> Any:
    return await client.request(f"textDocument/{method}", {"textDocument": {"uri": uri}, **rest})


def names(symbols: list[dict[str, Any]]) -> list[str]:
    return [name for it in symbols for name in (it["name"], *names(it.get("children") or []))]


async def test_outlines_and_hovers_are_what_the_client_can_show(
    start: Start, client: RawClient, tmp_path: Path, uri: str
) -> None:
    able = await start()
    await able.initialize(ABLE, root=tmp_path)
    line = EVERYTHING.splitlines().index("  target: small")
    outlines: list[Any] = []
    hovers: list[Any] = []
    for it in (able, client):
        it.open(uri, EVERYTHING)
        outlines.append(await asked(it, "documentSymbol", uri))
        place = {"line": line, "character": 12}
        hovers.append((await asked(it, "hover", uri, position=place))["contents"])

    nested, listed = outlines
    assert len(nested) == 1
    assert names(nested) == [it["name"] for it in listed]
    greet = next(it for it in nested[0]["children"] if it["name"] == "greet")
    line = EVERYTHING.splitlines().index("  - id: greet")
    assert greet["detail"] == "Says hello"
    assert greet["selectionRange"] == {
        "start": {"line": line, "character": 8},
        "end": {"line": line, "character": 13},
    }
    warmth = next(it for it in listed if it["name"] == "warmth")
    assert warmth["containerName"] == "greet"
    assert warmth["location"]["uri"] == uri
    markdown, text = hovers
    assert markdown["kind"] == "markdown"
    assert "**`small`** · `openai`" in markdown["value"]
    assert text["kind"] == "plaintext"
    assert text["value"].startswith("small · openai · targets.yaml, line 3\n\nname: small\n")
    assert "`" not in text["value"]


async def test_a_client_that_takes_few_folds_gets_the_outermost(
    start: Start, tmp_path: Path, uri: str
) -> None:
    client = await start()
    await client.initialize({"textDocument": {"foldingRange": {"rangeLimit": 4}}}, root=tmp_path)
    client.open(uri, EVERYTHING)

    found = await asked(client, "foldingRange", uri)

    lines = EVERYTHING.splitlines()
    assert [lines[it["startLine"]].strip() for it in found] == [
        "# The judges of the front desk,",
        "x-judges:",
        "execution:",
        "evalcases:",
    ]
    assert found[0]["kind"] == "comment"


async def test_a_selection_counts_in_the_units_of_the_client(client: RawClient, uri: str) -> None:
    client.open(uri, EVERYTHING)
    line = EVERYTHING.splitlines().index("    input: Hi 😀")

    (found, _) = await asked(
        client,
        "selectionRange",
        uri,
        positions=[{"line": line, "character": 12}, {"line": 9_999, "character": 0}],
    )

    assert found["range"]["end"] == {"line": line, "character": 13}
    assert found["parent"]["range"]["end"] == {"line": line, "character": 16}
    while found.get("parent"):
        found = found["parent"]
    assert found["range"]["start"] == {"line": 0, "character": 0}


async def test_tokens_come_whole_then_as_changes_and_in_ranges(
    start: Start, tmp_path: Path, uri: str
) -> None:
    client = await start()
    provider = (await client.initialize(root=tmp_path))["semanticTokensProvider"]
    client.open(uri, EVERYTHING)

    whole = await asked(client, "semanticTokens/full", uri)
    same = await asked(client, "semanticTokens/full/delta", uri, previousResultId=whole["resultId"])
    client.change(uri, 2, {"text": EVERYTHING.replace("{{ qestion }}", "{{ question }}")})
    changed = await asked(
        client, "semanticTokens/full/delta", uri, previousResultId=same["resultId"]
    )
    anew = await asked(client, "semanticTokens/full", uri)
    unknown = await asked(client, "semanticTokens/full/delta", uri, previousResultId="never")

    assert provider["full"] == {"delta": True}
    assert provider["range"] is True
    assert same["edits"] == []
    (edit,) = changed["edits"]
    data = list(whole["data"])
    data[edit["start"] : edit["start"] + edit["deleteCount"]] = edit["data"]
    assert data == anew["data"] == unknown["data"]
    assert len(data) == len(whole["data"]) + 5
    line = EVERYTHING.splitlines().index("          for {{ input }}? {{ qestion }}")
    some = await asked(
        client,
        "semanticTokens/range",
        uri,
        range={"start": {"line": line, "character": 0}, "end": {"line": line + 1, "character": 0}},
    )
    legend = provider["legend"]["tokenTypes"]
    assert [legend[it] for it in some["data"][3::5]] == ["parameter", "parameter"]
    assert some["data"][:3] == [line, 14, 11]


async def test_hints_show_verdicts_and_are_asked_for_again_after_a_run(
    start: Start, tmp_path: Path
) -> None:
    client = await start()
    can = {"workspace": {"inlayHint": {"refreshSupport": True}}}
    await client.initialize(can, root=tmp_path, inlayHints={"defaults": False})
    uri = (tmp_path / "greet.eval.yaml").as_uri()
    client.open(uri, GREET)

    await client.run("runCase", uri, "part")
    await client.message("workspace/inlayHint/refresh")
    found = await asked(client, "inlayHint", uri, range=WHOLE)

    labels = [it["label"] for it in found]
    assert "← ○ rehearsed 1.00 (no model)" in labels
    assert "← judged by mock" in labels
    assert "← required" not in labels


async def test_the_prompt_of_a_judge_is_filled_in_with_files_as_they_stand_in_the_editor(
    client: RawClient, tmp_path: Path, uri: str
) -> None:
    prompt = (tmp_path / "tone.md").as_uri()
    text = """\
evalcases:
  - id: greet
    input: Hi there
    expected_outcome: Says hello
    evaluators:
      - {name: tone, type: llm_judge, prompt: tone.md}
"""
    client.open(uri, text)
    await client.diagnostics(uri)
    client.open(prompt, "Unsaved: {{ question }} {{ candidate_answer }}", language="markdown")

    found = await asked(client, "hover", uri, position={"line": 5, "character": 40})
    told = await asked(client, "hover", prompt, position={"line": 0, "character": 12})
    coloured = await asked(client, "semanticTokens/full", prompt)

    assert "Unsaved: Hi there (the answer of mock)" in found["contents"]["value"]
    assert "The case's input as text." in told["contents"]["value"]
    assert len(coloured["data"]) == 10


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (0, "# A comment\n\n"),
        (9, "  # 😀\n"),
        (6, "    conversation_id: x\n"),
        (12, "  - id: new\n    expected_outcome: a\n    input: '{{ x }}'\n"),
    ],
)
async def test_tokens_of_cases_move_with_them(
    start: Start, tmp_path: Path, line: int, text: str
) -> None:
    client = await start()
    await client.initialize(root=tmp_path)
    uri = (tmp_path / "moved.eval.yaml").as_uri()
    case = (
        "  - id: {n}\n    expected_outcome: a\n    input: Hi\n    execution: {{target: other}}\n"
        "    evaluators:\n      - {{name: tone, type: llm_judge, prompt: '😀 {{{{ question }}}}'}}\n"
    )
    client.open(
        uri,
        "execution:\n  target: mock\n\nevalcases:\n"
        + "".join(case.format(n=number) for number in range(4))
        + "prompt: '{{ question }}'\n",
    )
    before = (await asked(client, "semanticTokens/full", uri))["data"]
    place = {"line": line, "character": 0}
    client.change(uri, 2, {"range": {"start": place, "end": place}, "text": text})

    whole = (await asked(client, "semanticTokens/full", uri))["data"]

    # Tokens of a range are not taken from those of cases before.
    assert whole == (await asked(client, "semanticTokens/range", uri, range=WHOLE))["data"]
    assert whole != before
    assert len(whole) == 45


async def test_a_prompt_gets_its_colours_once_a_suite_that_names_it_is_found(
    start: Start, tmp_path: Path
) -> None:
    client = await start()
    (tmp_path / "a.eval.yaml").write_text(
        "evalcases:\n  - {id: a, input: Hi, expected_outcome: Hello,"
        " evaluators: [{name: tone, type: llm_judge, prompt: tone.md}]}\n"
    )
    await client.initialize(
        {"workspace": {"semanticTokens": {"refreshSupport": True}}}, root=tmp_path
    )
    text = "{{ question }} {{ candidate_answer }}"
    (tmp_path / "tone.md").write_text(text)
    prompt = (tmp_path / "tone.md").as_uri()
    client.open(prompt, text, language="markdown")
    await client.message("workspace/semanticTokens/refresh")
    assert len((await asked(client, "semanticTokens/full", prompt))["data"]) == 10


async def test_targets_files_have_outlines_and_hovers_and_other_files_have_none(
    client: RawClient, tmp_path: Path, uri: str
) -> None:
    targets, other = (tmp_path / "targets.yaml").as_uri(), (tmp_path / "compose.yaml").as_uri()
    client.open(targets, TARGETS)
    client.open(other, "services:\n  web:\n    image: nginx\n")
    place = {"line": 2, "character": 11}

    assert "small" in names(await asked(client, "documentSymbol", targets))
    assert (await asked(client, "hover", targets, position=place))["contents"]["value"]
    assert await asked(client, "documentSymbol", other) == []
    assert await asked(client, "foldingRange", other) == []
    assert await asked(client, "inlayHint", other, range=WHOLE) == []
    assert await asked(client, "selectionRange", other, positions=[place]) is None
    assert await asked(client, "hover", other, position=place) is None
    assert (await asked(client, "semanticTokens/full", other))["data"] == []
