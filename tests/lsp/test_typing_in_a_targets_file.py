"""A targets file open beside a suite: half-typed text there affects that entry only."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from support.lsp.client import RawClient

Start = Callable[..., Awaitable[RawClient]]
SUITE = """\
execution:
  target: small
evalcases:
  - id: greet
    input: hello
    expected_outcome: hello
"""
BEFORE = "targets:\n  - {name: small, provider: cli, command_template: cat, judge_target: large}\n"
AFTER = "  - name: large\n    provider: mock\n"
ENTRY = """\
  - name: coder
    provider: cli
    command_template: run "it" {PROMPT}
    judge_target: large
"""
PULLS: dict[str, Any] = {
    "textDocument": {"diagnostic": {}},
    "workspace": {"diagnostics": {"refreshSupport": True}},
}


async def findings(client: RawClient, uri: str) -> list[Any]:
    report = await client.request("textDocument/diagnostic", {"textDocument": {"uri": uri}})
    return [it for it in report["items"] if it["source"] == "suitecase"]


@pytest.mark.parametrize("place", ["between", "behind"])
async def test_a_new_entry_typed_key_by_key_leaves_suites_alone(
    start: Start, tmp_path: Path, place: str
) -> None:
    suite, targets = (tmp_path / it for it in ("a.eval.yaml", "targets.yaml"))
    suite.write_text(SUITE, "utf-8")
    targets.write_text(BEFORE + AFTER, "utf-8")
    client = await start()
    await client.initialize(PULLS, root=tmp_path)
    client.open(suite.as_uri(), SUITE)
    client.open(targets.as_uri(), BEFORE + AFTER)
    found: dict[str, Any] = {"": await findings(client, suite.as_uri())}
    red = 0
    for typed in range(1, len(ENTRY) + 1):
        new = ENTRY[:typed]
        line = new if new.endswith("\n") else f"{new}\n"
        text = BEFORE + line + AFTER if place == "between" else BEFORE + AFTER + new
        client.change(targets.as_uri(), typed + 1, {"text": text})
        found[new] = await findings(client, suite.as_uri())
        red += bool(await findings(client, targets.as_uri()))

    assert {new: it for new, it in found.items() if it} == {}
    assert red > len(ENTRY) / 4  # the entry itself is found to be wrong meanwhile


async def test_a_case_of_another_target_runs_while_an_entry_is_half_typed(
    start: Start, tmp_path: Path
) -> None:
    suite, targets = (tmp_path / it for it in ("a.eval.yaml", "targets.yaml"))
    suite.write_text(SUITE, "utf-8")
    targets.write_text(BEFORE + AFTER, "utf-8")
    client = await start()
    await client.initialize(root=tmp_path)
    client.open(suite.as_uri(), SUITE)
    client.open(targets.as_uri(), BEFORE + '  - name: coder\n    provider: "cl\n' + AFTER)

    result = await client.run("runCase", suite.as_uri(), "greet")

    assert result["problem"] is None
    assert result["cases"] == [{"id": "greet", "verdict": "rehearsed", "score": 1.0}]


async def test_a_suite_that_uses_the_wrong_entry_points_at_it(start: Start, tmp_path: Path) -> None:
    (tmp_path / "targets.yaml").write_text(
        f"{BEFORE}  - name: large\n    provider: opnai\n", "utf-8"
    )
    client = await start()
    related = {"textDocument": {"publishDiagnostics": {"relatedInformation": True}}}
    await client.initialize(related, root=tmp_path)
    client.open((tmp_path / "a.eval.yaml").as_uri(), SUITE)

    (found,) = await client.diagnostics((tmp_path / "a.eval.yaml").as_uri(), met=bool)

    assert found["code"] == "SC531"
    assert found["range"]["start"] == {"line": 1, "character": 10}
    assert "`opnai`" in found["message"]
    (place,) = found["relatedInformation"]
    assert place["location"]["uri"] == (tmp_path / "targets.yaml").as_uri()
    assert place["location"]["range"]["start"] == {"line": 3, "character": 14}
