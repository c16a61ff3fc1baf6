"""Running beside another YAML server: this one handles suites only, and does not format."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from suitecase.derived import ROOT
from support.lsp.client import RawClient

OTHER = "services:\n  web:\n    image: nginx\n    tests: [a, b]\n"
SOUND = (
    "execution: {target: mock}\nevalcases:\n  - id: a\n    input: Hi\n    expected_outcome: Hello\n"
)
EXAMPLES = sorted((ROOT / "examples").glob("*.eval.yaml"))


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


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda it: it.name)
def test_what_is_sound_here_is_sound_by_the_schema_for_other_servers(path: Path) -> None:
    schema = yaml.safe_load((ROOT / "schemas" / "suite.schema.json").read_text("utf-8"))
    # Keys of YAML may be numbers, which a schema sees as the texts that JSON has for them.
    suite = json.loads(json.dumps(yaml.safe_load(path.read_text("utf-8"))))
    jsonschema.validate(suite, schema)
