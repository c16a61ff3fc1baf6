"""Files with more findings than an editor shows: the worst and the nearest are shown, and one says so."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from support.lsp.client import RawClient

Start = Callable[[], Awaitable[RawClient]]
CASE = "  - id: case-{n}\n    input: Hi\n    expected_outcome: Says hello\n    notez: wrong\n"
LEGACY = "  - id: case-{n}\n    input: Hi\n    outcome: Says hello\n"
LINES = 4
PULLS: dict[str, Any] = {
    "textDocument": {"diagnostic": {}},
    "workspace": {"diagnostics": {"refreshSupport": True}},
}
ERROR, WARNING, INFORMATION = 1, 2, 3


def suite(*cases: str) -> str:
    listed = "".join(it.format(n=number) for number, it in enumerate(cases))
    return f"execution: {{target: mock}}\nevalcases:\n{listed}"


NOISY = suite(*[CASE] * 50)


def line_of(case: int) -> int:
    """Return the line of the finding in a case of `NOISY`."""
    return 2 + case * LINES + LINES - 1


async def started(
    start: Start, folder: Path, limit: int, pause: float = 0, **capabilities: Any
) -> RawClient:
    client = await start()
    diagnostics = {"limit": limit, "pause": pause, "scope": "openFilesOnly"}
    await client.initialize(capabilities or None, root=folder, diagnostics=diagnostics)
    return client


def lines(found: list[dict[str, Any]]) -> list[int]:
    return sorted(it["range"]["start"]["line"] for it in found if it["code"] != "more-findings")


def note(found: list[dict[str, Any]]) -> str:
    (only,) = [it for it in found if it["code"] == "more-findings"]
    assert only["severity"] == INFORMATION
    assert only["range"]["start"] == {"line": 0, "character": 0}
    return str(only["message"])


def uri_in(folder: Path, name: str = "noisy.eval.yaml", text: str = NOISY) -> str:
    path = folder / name
    path.write_text(text, "utf-8")
    return path.as_uri()


def pressed(client: RawClient, uri: str, version: int, line: int, column: int, text: str) -> None:
    place = {"line": line, "character": column}
    client.change(uri, version, {"range": {"start": place, "end": place}, "text": text})


async def test_as_many_are_shown_as_the_setting_says_and_one_counts_the_rest(
    start: Start, tmp_path: Path
) -> None:
    client = await started(start, tmp_path, 10)
    uri = uri_in(tmp_path)
    client.open(uri, NOISY)

    found = await client.diagnostics(uri, 1)

    assert lines(found) == [line_of(it) for it in range(9)]
    assert len(found) == 10
    assert note(found) == (
        "41 more findings in this file are not shown: 41 errors. `suitecase check noisy.eval.yaml` "
        "prints all of them. The setting `diagnostics.limit` (10) says how many an editor shows of "
        "a file; errors come first, then what is nearest the cursor."
    )


@pytest.mark.parametrize("limit", [0, 50, 51])
async def test_nothing_is_left_out_below_the_limit_or_without_one(
    start: Start, tmp_path: Path, limit: int
) -> None:
    client = await started(start, tmp_path, limit)
    uri = uri_in(tmp_path)
    client.open(uri, NOISY)

    found = await client.diagnostics(uri, 1)

    assert [it["code"] for it in found] == ["SC101"] * 50


async def test_errors_come_before_what_is_nearer(start: Start, tmp_path: Path) -> None:
    text = suite(*[LEGACY] * 20, *[CASE] * 5)
    client = await started(start, tmp_path, 10)
    uri = uri_in(tmp_path, text=text)
    client.open(uri, text)

    found = await client.diagnostics(uri, 1)

    assert [it["severity"] for it in found].count(ERROR) == 5
    assert [it["severity"] for it in found].count(WARNING) == 4
    assert "16 more findings in this file are not shown: 16 warnings. " in note(found)


async def test_those_around_the_cursor_are_shown_when_it_leaves_the_others(
    start: Start, tmp_path: Path
) -> None:
    client = await started(start, tmp_path, 10)
    uri = uri_in(tmp_path)
    client.open(uri, NOISY)
    await client.diagnostics(uri, 1)
    there = {"line": line_of(40), "character": 6}

    fixes = await client.request(
        "textDocument/codeAction",
        {
            "textDocument": {"uri": uri},
            "range": {"start": there, "end": there},
            "context": {"diagnostics": []},
        },
    )
    # A finding that was not shown when it was asked about has its fixes all the same.
    assert "Change to `note`" in [it["title"] for it in fixes]
    found = await client.diagnostics(uri, 1, lambda it: line_of(40) in lines(it))
    assert lines(found) == [line_of(it) for it in range(37, 46)]


async def test_what_is_shown_stays_while_somebody_types_among_it(
    start: Start, tmp_path: Path
) -> None:
    client = await started(start, tmp_path, 20)
    uri = uri_in(tmp_path)
    client.open(uri, NOISY)
    await client.diagnostics(uri, 1)
    pressed(client, uri, 2, line_of(25) - 1, 22, "x")
    before = await client.diagnostics(uri, 2)
    assert lines(before) == [line_of(it) for it in range(16, 35)]

    for version, case in enumerate((25, 26, 23, 28, 22), start=3):
        pressed(client, uri, version, line_of(case) - 1, 22, "x")
        now = await client.diagnostics(uri, version)
        assert now == before


async def test_what_is_held_back_while_somebody_types_takes_no_place(
    start: Start, tmp_path: Path
) -> None:
    client = await started(start, tmp_path, 20, pause=600)
    uri = uri_in(tmp_path)
    client.open(uri, NOISY)
    before = await client.diagnostics(uri, 1)

    pressed(client, uri, 2, line_of(5) - 2, 4, "q")  # `qinput` is not a key
    now = await client.diagnostics(uri, 2)
    client.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
    saved = await client.diagnostics(uri, 2, lambda it: line_of(5) - 2 in lines(it))

    assert (lines(now), note(now)) == (lines(before), note(before))
    assert len(saved) == 20
    assert note(saved).startswith("32 more findings")


async def test_what_is_shown_stays_until_a_pause_while_somebody_types_elsewhere(
    start: Start, tmp_path: Path
) -> None:
    client = await started(start, tmp_path, 20, pause=1)
    uri = uri_in(tmp_path)
    client.open(uri, NOISY)
    before = await client.diagnostics(uri, 1)

    pressed(client, uri, 2, line_of(40) - 1, 22, "x")

    assert await client.diagnostics(uri, 2) == before
    paused = await client.diagnostics(uri, 2, lambda it: line_of(40) in lines(it))
    assert lines(paused) == [line_of(it) for it in range(31, 50)]


async def test_a_client_that_asks_is_told_that_nothing_has_changed(
    start: Start, tmp_path: Path
) -> None:
    client = await started(start, tmp_path, 20, **PULLS)
    uri = uri_in(tmp_path)
    client.open(uri, NOISY)
    asked = {"textDocument": {"uri": uri}}
    first = await client.request("textDocument/diagnostic", asked)
    assert len(first["items"]) == 20
    pressed(client, uri, 2, line_of(5) - 1, 22, "x")
    asked["previousResultId"] = first["resultId"]

    second = await client.request("textDocument/diagnostic", asked)

    assert second == {"kind": "unchanged", "resultId": first["resultId"]}


async def test_all_findings_are_fixed_whether_they_are_shown_or_not(
    start: Start, tmp_path: Path
) -> None:
    text = suite(*[LEGACY] * 30)
    client = await started(start, tmp_path, 10)
    uri = uri_in(tmp_path, text=text)
    client.open(uri, text)
    await client.diagnostics(uri, 1)
    top = {"line": 0, "character": 0}

    (all_fixes,) = await client.request(
        "textDocument/codeAction",
        {
            "textDocument": {"uri": uri},
            "range": {"start": top, "end": top},
            "context": {"diagnostics": [], "only": ["source.fixAll.suitecase"]},
        },
    )

    assert all_fixes["title"] == "Make all 30 safe fixes"


async def test_files_that_are_not_open_have_the_first_ones(start: Start, tmp_path: Path) -> None:
    uri = uri_in(tmp_path)
    client = await start()
    settings = {"limit": 10, "scope": "workspace"}
    await client.initialize(root=tmp_path, diagnostics=settings)
    client.open(uri_in(tmp_path, "other.eval.yaml", suite()), suite())

    found = await client.diagnostics(uri, None)

    assert lines(found) == [line_of(it) for it in range(9)]
    assert "41 more findings" in note(found)


async def test_findings_of_suites_in_a_file_they_name_are_left_out_too(
    start: Start, tmp_path: Path
) -> None:
    prompt = "".join(f"{{{{ candidate_anser_{number} }}}}\n" for number in range(30))
    judged = "    evaluators: [{name: tone, type: llm_judge, prompt: tone.md}]\n"
    text = suite(LEGACY.replace("outcome", "expected_outcome")) + judged
    client = await started(start, tmp_path, 10)
    prompt_uri = uri_in(tmp_path, "tone.md", prompt)
    client.open(uri_in(tmp_path, text=text), text)

    found = await client.diagnostics(prompt_uri, None)

    assert len(lines(found)) == 9
    assert "more findings in this file are not shown" in note(found)


async def test_a_setting_that_is_no_number_is_reported(start: Start, tmp_path: Path) -> None:
    client = await start()
    await client.initialize(root=tmp_path, diagnostics={"limit": -1})

    shown = await client.message("window/showMessage")

    assert (
        "`diagnostics.limit` must be a whole number, or 0 for no limit; got `-1`"
        in shown["message"]
    )


async def test_failures_of_a_run_share_the_limit_with_findings(
    start: Start, tmp_path: Path
) -> None:
    (tmp_path / "targets.yaml").write_text(
        'targets: [{name: small, provider: mock, response: "no"}]\n', "utf-8"
    )
    failing = (
        "  - id: case-{n}\n    input: Hi\n    outcome: Says yes\n"
        "    evaluators: [{{name: says, type: contains, value: 'yes'}}]\n"
    )
    text = suite(*[failing] * 30).replace("mock", "small")
    client = await started(start, tmp_path, 20)
    uri = uri_in(tmp_path, text=text)
    client.open(uri, text)
    await client.diagnostics(uri, 1)

    await client.run("runSuite", uri)
    said = "The results of 25 more cases are not shown"
    found = await client.diagnostics(uri, 1, lambda it: said in str(it))

    assert len(found) == 20
    assert sum(it["source"] == "suitecase run" for it in found) == 10  # a case has two
    assert note(found).startswith("21 more findings in this file are not shown: 21 warnings.")
