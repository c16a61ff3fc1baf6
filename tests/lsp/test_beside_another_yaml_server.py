"""Running beside another YAML server: this one handles suites only, and does not format."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.lsp.client import RawClient

OTHER = "services:\n  web:\n    image: nginx\n    tests: [a, b]\n"
SOUND = (
    "execution: {target: mock}\nevalcases:\n  - id: a\n    input: Hi\n    expected_outcome: Hello\n"
)


async def test_of_other_yaml_nothing_is_said(client: RawClient, tmp_path: Path) -> None:
    uri, suite = ((tmp_path / it).as_uri() for it in ("compose.yaml", "a.eval.yaml"))
    client.open(uri, OTHER)
    at = {"textDocument": {"uri": uri}, "position": {"line": 2, "character": 4}}
    here = {"start": at["position"], "end": at["position"]}
    for method, more in (
        ("hover", {}),
        ("completion", {}),
        ("definition", {}),
        ("documentSymbol", {}),
        ("foldingRange", {}),
        ("codeLens", {}),
        ("codeAction", {"range": here, "context": {"diagnostics": []}}),
    ):
        answer = await client.request(f"textDocument/{method}", {**at, **more})
        assert not (answer["items"] if isinstance(answer, dict) else answer), method
    client.open(suite, SOUND)
    await client.diagnostics(suite)
    published = [it for it in client.received if it["method"] == "textDocument/publishDiagnostics"]
    assert {it["params"]["uri"] for it in published} == {suite}


async def test_nothing_is_formatted(client: RawClient, tmp_path: Path) -> None:
    uri = (tmp_path / "a.eval.yaml").as_uri()
    client.open(uri, SOUND)
    options = {"tabSize": 2, "insertSpaces": True}
    with pytest.raises(Exception, match="there is no method"):
        await client.request(
            "textDocument/formatting", {"textDocument": {"uri": uri}, "options": options}
        )
