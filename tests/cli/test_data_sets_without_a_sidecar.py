"""A JSONL file is recognized as a data set by its first line; other JSON lines are ignored."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.lsp.client import RawClient
from support.running.processes import found, suitecase, write

CASES = {
    "today": '{"id": "a", "input": "Hi", "expected_outcome": "x", "execution": {"target": "mock"}}\n',
    "older": '{"id": "a", "input": "Hi", "outcome": "x", "execution": {"target": "mock"}}\n',
    "oldest": '{"id": "a", "messages": [{"role": "user", "content": "Hi"}], "outcome": "x", "execution": {"target": "mock"}}\n',
    "newer": '{"id" : "a", "input" : "Hi", "criteria" : "x", "execution": {"target": "mock"}}\n',
}
OTHERS = (
    '{"id": 1, "text": "the outcome of the input"}\n',
    '{"messages": [{"role": "user", "content": "Hi"}]}\n',
    '{"id": "a", "prompt": "Hi", "expected_outcome": "x"}\n',
    "not json\n",
    "",
)


@pytest.mark.parametrize("name", CASES)
def test_a_first_line_that_is_a_case_makes_a_data_set(tmp_path: Path, name: str) -> None:
    write(tmp_path, "set.jsonl", CASES[name])
    codes = {it[2] for it in found(".", cwd=tmp_path)}
    assert (codes == set()) == (name == "today")
    assert all(it.startswith("SC6") for it in codes)


def test_other_lines_of_json_are_none(tmp_path: Path) -> None:
    for number, text in enumerate(OTHERS):
        write(tmp_path, f"{number}.jsonl", text)
    done = suitecase("check", ".", cwd=tmp_path)
    assert "no suite found in this folder" in done.stderr


async def test_the_editor_knows_the_same_files(client: RawClient, tmp_path: Path) -> None:
    other = (tmp_path / "other.jsonl").as_uri()
    client.open(other, OTHERS[0], language="jsonl")
    for name, text in CASES.items():
        path = write(tmp_path, f"{name}.jsonl", text)
        client.open(path.as_uri(), text, language="jsonl")
        codes = [it["code"] for it in await client.diagnostics(path.as_uri())]
        assert sorted(codes) == sorted(it[2] for it in found(path, cwd=tmp_path))
    assert all(it["params"]["uri"] != other for it in client.received if "params" in it)
