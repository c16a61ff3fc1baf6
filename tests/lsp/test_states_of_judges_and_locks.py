"""What an editor shows of judges, people's labels and locks: lenses and hovers."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from support.calibrated_suite import CALIBRATION, LABELS, SUITE, suite_text, write_calibrated_suite
from support.lsp.client import RawClient
from support.running.processes import SOUND, suitecase

Start = Callable[..., Awaitable[RawClient]]
MARKDOWN = {"textDocument": {"hover": {"contentFormat": ["markdown"]}}}
VERSIONED = 'version: "2026.1"\n' + suite_text("human.rubric.alpha >= 0.6")


async def opened(start: Start, folder: Path, text: str = VERSIONED) -> tuple[RawClient, str]:
    write_calibrated_suite(folder)
    (folder / SUITE).write_text(text, "utf-8")
    client = await start()
    await client.initialize(MARKDOWN, root=folder)
    uri = (folder / SUITE).as_uri()
    client.open(uri, text)
    return client, uri


async def states(client: RawClient, uri: str) -> dict[int, str]:
    """Return the titles of the lenses that run nothing, by line."""
    found = await client.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
    return {
        it["range"]["start"]["line"]: it["command"]["title"]
        for it in found
        if not it["command"]["command"]
    }


async def hover(client: RawClient, uri: str, text: str, part: str) -> str:
    """Return the hover at the start of a part of a text."""
    before = text[: text.index(part)]
    position = {"line": before.count("\n"), "character": len(before.rpartition("\n")[2])}
    params = {"textDocument": {"uri": uri}, "position": position}
    found = await client.request("textDocument/hover", params)
    return str(found["contents"]["value"])


async def test_lenses_tell_how_judges_and_people_agree(start: Start, tmp_path: Path) -> None:
    client, uri = await opened(start, tmp_path)
    assert await states(client, uri) == {
        2: "alpha 1.00",
        3: "kappa 0.71 · 100 answers, 2026-02-03",
    }


async def test_a_lens_tells_that_a_calibration_is_outdated(start: Start, tmp_path: Path) -> None:
    client, uri = await opened(start, tmp_path)
    client.open((tmp_path / "judge.md").as_uri(), "Another prompt", language="markdown")
    found = await states(client, uri)
    assert found[3] == "outdated since 2026-02-03: its prompt is another one now"


async def test_lenses_are_asked_for_again_when_a_calibration_is_written(
    start: Start, tmp_path: Path
) -> None:
    write_calibrated_suite(tmp_path)
    calibration = tmp_path / CALIBRATION
    text = calibration.read_text("utf-8")
    calibration.unlink()
    (tmp_path / SUITE).write_text(VERSIONED, "utf-8")
    client, uri = await start(), (tmp_path / SUITE).as_uri()
    await client.initialize({"workspace": {"codeLens": {"refreshSupport": True}}}, root=tmp_path)
    client.open(uri, VERSIONED)
    assert (await states(client, uri))[3] == "not calibrated"
    calibration.write_text(text, "utf-8")
    changes = {"changes": [{"uri": calibration.as_uri(), "type": 1}]}
    client.notify("workspace/didChangeWatchedFiles", changes)
    await client.message("workspace/codeLens/refresh")
    assert (await states(client, uri))[3].startswith("kappa 0.71")


async def test_a_lens_tells_what_is_left_to_adjudicate(start: Start, tmp_path: Path) -> None:
    write_calibrated_suite(tmp_path)
    labels = (tmp_path / LABELS).read_text().replace("ben,true", "ben,false", 3)
    client, uri = await opened(start, tmp_path)
    client.open((tmp_path / LABELS).as_uri(), labels, language="csv")
    found = await states(client, uri)
    assert found[2].startswith("alpha 0.9")
    assert " · 3 to adjudicate" in found[2]


async def test_the_version_is_frozen_until_a_case_changes(start: Start, tmp_path: Path) -> None:
    text = f'version: "2026.1"\n{SOUND}'
    (tmp_path / SUITE).write_text(text, "utf-8")
    done = suitecase("lock", SUITE, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    client, uri = await opened(start, tmp_path, text)
    assert (await states(client, uri))[0] == "frozen"
    assert "Locked in version `2026.1`: question `" in await hover(client, uri, text, "greet")
    changed = text.replace("input: Hi", "input: Good morning")
    client.change(uri, 2, {"text": changed})
    assert (await states(client, uri))[0] == "1 case differs from 2026.1"
    found = await hover(client, uri, changed, "greet")
    assert "Not the case that version `2026.1` locked: its question changed." in found


LOCKED = """\
version: "2026.1"
execution: {target: mock}
evalcases:
  # About parcels
  - id: late
    input: Where is my parcel?
    expected_outcome: Apologizes
  - id: size
    input: The shoes are too small.
    expected_outcome: Offers an exchange
"""


async def actions(client: RawClient, uri: str, line: int) -> dict[str, list[Any]]:
    """Return the edits of the actions at the start of a line, by their titles."""
    at = {"line": line, "character": 4}
    params = {
        "textDocument": {"uri": uri},
        "range": {"start": at, "end": at},
        "context": {"diagnostics": [], "only": ["refactor.rewrite"]},
    }
    found = await client.request("textDocument/codeAction", params)
    return {it["title"]: it["edit"]["changes"][uri] for it in found if "edit" in it}


def applied(text: str, edits: list[Any]) -> str:
    starts = [0, *(it.end() for it in re.finditer("\n", text))]

    def offset(position: dict[str, int]) -> int:
        return starts[position["line"]] + position["character"]

    for edit in sorted(edits, key=lambda it: -offset(it["range"]["start"])):
        start, end = (offset(edit["range"][it]) for it in ("start", "end"))
        text = text[:start] + edit["newText"] + text[end:]
    return text


async def test_the_version_of_a_locked_suite_is_raised_and_a_case_removed_with_an_entry(
    start: Start, tmp_path: Path
) -> None:
    (tmp_path / SUITE).write_text(LOCKED, "utf-8")
    assert suitecase("lock", SUITE, cwd=tmp_path).returncode == 0
    client, uri = await opened(start, tmp_path, LOCKED)
    raised = await actions(client, uri, 0)
    edits = raised["Raise `version` to `2026.2`"]
    assert applied(LOCKED, edits) == LOCKED.replace("2026.1", "2026.2")
    for number, name in ((5, "late"), (9, "size")):
        offered = await actions(client, uri, number)
        title = (
            f"Remove `{name}`, with an entry under `governance.deprecated`, and raise `version` to "
            "`2026.2`"
        )
        after = applied(LOCKED, offered[title])
        entry = f'- {{id: {name}, version: "2026.1", reason: "say why"}}'
        assert f"governance:\n  deprecated:\n    {entry}\n" in after
        assert f"- id: {name}" not in after
        assert after.count("  - id: ") == 1
        client.change(uri, number, {"text": after})
        found = await client.diagnostics(uri, number)
        assert not [it for it in found if it["code"] == "SC902"]
        client.change(uri, number + 1, {"text": LOCKED})


async def test_a_suite_without_a_lock_has_no_such_action(start: Start, tmp_path: Path) -> None:
    client, uri = await opened(start, tmp_path, LOCKED)
    for line in (0, 5):
        titles = await actions(client, uri, line)
        assert not [it for it in titles if it.startswith(("Raise", "Remove"))]


async def test_a_hover_shows_the_judge_against_people(start: Start, tmp_path: Path) -> None:
    client, uri = await opened(start, tmp_path)
    for part in ("rubric: {prompt", "calibration:", "rubric.calibration.json"):
        text = await hover(client, uri, VERSIONED, part)
        assert "| people: good | 54 | 6 | sensitivity 0.90 [0.79, 0.96] |" in text
        assert "| people: bad | 8 | 32 | specificity 0.80 [0.64, 0.91] |" in text
        assert "- kappa 0.71" in text
        assert "- verdicts that probes turned: `repeat` 0 of 100, `length` 5 of 100" in text


async def test_a_suite_without_these_keys_has_no_such_lens(start: Start, tmp_path: Path) -> None:
    text = "execution: {target: mock}\nevalcases:\n  - {id: a, input: Hi, expected_outcome: x}\n"
    client, uri = await opened(start, tmp_path, text)
    assert await states(client, uri) == {}


async def test_the_case_and_the_item_of_a_label_are_defined_in_the_suite(
    start: Start, tmp_path: Path
) -> None:
    client, uri = await opened(start, tmp_path)
    labels = (tmp_path / LABELS).read_text()
    client.open((tmp_path / LABELS).as_uri(), labels, language="csv")
    lines = VERSIONED.splitlines()
    row = labels.splitlines()[1]
    for column, line, part in (("late", "  - id: late", "late"), ("sorry", None, "sorry")):
        position = {"line": 1, "character": row.index(column) + 1}
        params = {"textDocument": {"uri": (tmp_path / LABELS).as_uri()}, "position": position}
        (found,) = await client.request("textDocument/definition", params)
        assert found["uri"] == uri
        start_of, number = found["range"]["start"]["character"], found["range"]["start"]["line"]
        assert lines[number][start_of:].startswith(part)
        assert line is None or lines[number] == line
    params["position"] = {"line": 1, "character": row.index("ann")}
    assert not await client.request("textDocument/definition", params)
