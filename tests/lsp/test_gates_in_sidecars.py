"""The gates in an open sidecar are checked with the cases of its data set, saved or not."""

from __future__ import annotations

from pathlib import Path

from support.lsp.client import RawClient

CASE = '{"id": "a", "input": "Hi", "expected_outcome": "x", "tags": ["%s"]}\n'
HEAD = "execution: {target: mock}\ngates:\n  - pass_rate[critical] >= 90%\n"


async def test_an_edit_of_the_data_set_changes_what_is_found_in_the_sidecar(
    client: RawClient, tmp_path: Path
) -> None:
    dataset, sidecar = tmp_path / "set.jsonl", tmp_path / "set.yaml"
    dataset.write_text(CASE % "routine")
    sidecar.write_text(HEAD)
    client.open(sidecar.as_uri(), HEAD)

    (unknown,) = await client.diagnostics(sidecar.as_uri(), met=lambda it: bool(it))
    assert (unknown["code"], unknown["range"]["start"]) == ("SC803", {"line": 2, "character": 14})

    client.open(dataset.as_uri(), CASE % "routine")
    client.change(dataset.as_uri(), 2, {"text": CASE % "critical"})

    def is_known(found: list[dict[str, object]]) -> bool:
        return all(it["code"] != "SC803" for it in found)

    await client.diagnostics(sidecar.as_uri(), met=is_known)
