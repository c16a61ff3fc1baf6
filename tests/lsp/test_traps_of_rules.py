"""A rule that raises, a bug of ours, is reported once and switched off for that document."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from support.lsp.client import RawClient

Start = Callable[..., Awaitable[RawClient]]
#: A server in which one rule does not survive the id `unlucky`.
BROKEN = """
import functools, sys
from suitecase.lsp import server
from suitecase.checking.rules import rule_named
rule = rule_named("duplicate-rubric-id")
right = rule.check
@functools.wraps(right)
def check(rubrics):
    if any(it.id == "unlucky" for it in rubrics.items):
        raise KeyError("planted")
    return right(rubrics)
object.__setattr__(rule, "check", check)
sys.exit(server.main())
"""
SUITE = """\
evalcases:
  - id: lucky
    input: Hi
    expected_outcome: Says hello
    rubrics: [{id: a, expected_outcome: x}, {id: a, expected_outcome: y}]
  - id: other
    input: Hi
    outcome: Says hello
execution: {target: mock}
"""
UNLUCKY = SUITE.replace("id: a,", "id: unlucky,")
DUPLICATE, REST = "SC209", ["SC010", "SC602"]


def told(client: RawClient) -> list[str]:
    return [
        it["params"]["message"]
        for it in client.received
        if it["method"] in ("window/logMessage", "window/showMessage")
    ]


@pytest.mark.parametrize("pulls", [False, True], ids=["sent", "asked for"])
async def test_a_rule_that_raises_is_switched_off_for_that_document_alone(
    start: Start, tmp_path: Path, *, pulls: bool
) -> None:
    client = await start(script=BROKEN)
    declared = {
        "textDocument": {"diagnostic": {}},
        "workspace": {"diagnostics": {"refreshSupport": True}},
    }
    await client.initialize(declared if pulls else {}, root=tmp_path)
    other, broken = ((tmp_path / f"{it}.eval.yaml").as_uri() for it in ("other", "broken"))

    async def codes(uri: str, version: int) -> list[str]:
        if not pulls:
            return [it["code"] for it in await client.diagnostics(uri, version)]
        params = {"textDocument": {"uri": uri}}
        report = await client.request("textDocument/diagnostic", params)
        return [it["code"] for it in report["items"]]

    client.open(other, SUITE)
    client.open(broken, SUITE)
    assert await codes(other, 1) == await codes(broken, 1) == [DUPLICATE, *REST]

    # It is told of, and what the other rules find stays.
    client.change(broken, 2, {"text": UNLUCKY})
    assert await codes(broken, 2) == REST
    (message,) = told(client)
    assert f"The rule {DUPLICATE} (duplicate-rubric-id) failed on {broken}" in message
    assert "planted" in message

    # Further edits are checked by the others, and nothing is said again.
    client.change(broken, 3, {"text": f"# edited\n{UNLUCKY}"})
    assert await codes(broken, 3) == REST
    client.change(broken, 4, {"text": SUITE})
    assert await codes(broken, 4) == REST
    client.change(other, 2, {"text": f"# edited\n{SUITE}"})
    assert await codes(other, 2) == [DUPLICATE, *REST]
    assert told(client) == [message]
    assert client.errors.count(b"KeyError: 'planted'") == 1

    # Opened anew, the document gets its rule back.
    client.notify("textDocument/didClose", {"textDocument": {"uri": broken}})
    client.open(broken, SUITE, version=5)
    assert await codes(broken, 5) == [DUPLICATE, *REST]
