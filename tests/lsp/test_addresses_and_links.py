"""Files are found however a client spells their URIs, and through links, and each is shown once."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from urllib.parse import quote

import pytest

from support.lsp.client import RawClient
from support.running.processes import LEGACY, found, write

Start = Callable[[], Awaitable[RawClient]]
PROMPTED = """\
execution: {target: mock}
evalcases:
  - id: greet
    input: Hi
    expected_outcome: Says hello
    evaluators: [{name: tone, type: llm_judge, prompt: prompts/tone.md}]
"""
TONE = "Judge {{ candidate_answer }}, {{ qestion }}.\n"


def sent(client: RawClient) -> dict[str, list[str]]:
    """The diagnostics last sent for each URI, if any."""
    last = {
        it["params"]["uri"]: [found["code"] for found in it["params"]["diagnostics"]]
        for it in client.received
        if it["method"] == "textDocument/publishDiagnostics"
    }
    return {uri: codes for uri, codes in last.items() if codes}


@pytest.fixture
def linked(tmp_path: Path) -> Path:
    """A linked folder in which a suite names a prompt."""
    real = tmp_path / "real"
    write(real, "suitecase.toml", "")
    write(real, "a.eval.yaml", PROMPTED)
    write(real, "prompts/tone.md", TONE)
    link = tmp_path / "link"
    link.symlink_to(real, target_is_directory=True)
    return link


async def test_a_folder_opened_through_a_link_shows_each_finding_once(
    start: Start, linked: Path
) -> None:
    client = await start()
    await client.initialize(root=linked, diagnostics={"scope": "workspace"})
    suite, tone = (linked / "a.eval.yaml").as_uri(), (linked / "prompts" / "tone.md").as_uri()
    client.open(suite, PROMPTED)
    await client.diagnostics(tone, met=bool)
    client.open(tone, TONE, language="markdown")
    await client.diagnostics(tone, 1, met=bool)
    assert sent(client) == {tone: ["SC302"]}
    assert [it[2] for it in found(".", cwd=linked)] == ["SC302"]


async def test_a_suite_that_is_a_link_takes_its_files_from_where_it_lies(
    client: RawClient, tmp_path: Path
) -> None:
    write(tmp_path, "suitecase.toml", "")
    write(tmp_path, "kept/a.eval.yaml", PROMPTED)
    write(tmp_path, "evals/prompts/tone.md", TONE)
    (tmp_path / "evals" / "b.eval.yaml").symlink_to(tmp_path / "kept" / "a.eval.yaml")
    uri = (tmp_path / "evals" / "b.eval.yaml").as_uri()
    client.open(uri, PROMPTED)
    await client.diagnostics((tmp_path / "evals" / "prompts" / "tone.md").as_uri(), met=bool)
    assert await client.diagnostics(uri) == []
    on_disk = [it[:3] for it in found("evals/b.eval.yaml", cwd=tmp_path)]
    assert on_disk == [("evals/prompts/tone.md", 1, "SC302")]


NAMES = (
    "with space",
    "über",
    "a+b",
    "100%",
    "50%25",
    "a:b",
    "日本語",
    "a#b?c",
    "A(1)",
    "it's",
    "😀",
)


async def test_any_name_is_found_however_it_is_escaped(client: RawClient, tmp_path: Path) -> None:
    for name in NAMES:
        folder = tmp_path / name
        write(folder, "prompts/tone.md", TONE)
        path = write(folder, f"{name}.eval.yaml", PROMPTED)
        # As Python, as VS Code and as a careless client spell it.
        spelled = (
            path.as_uri(),
            "file://" + quote(str(path), safe="/").replace("%3A", "%3a"),
            "file://" + quote(str(path), safe="/:+'()!$&,;=@"),
        )
        for version, uri in enumerate(spelled, 1):
            client.open(uri, LEGACY, version=version)
            assert [it["code"] for it in await client.diagnostics(uri, version)] == ["SC602"]
            client.change(spelled[0], 10 + version, {"text": PROMPTED})
            assert await client.diagnostics(uri, 10 + version) == []
            asked = {"textDocument": {"uri": uri}}
            (link,) = await client.request("textDocument/documentLink", asked)
            assert link["target"] == (folder / "prompts" / "tone.md").as_uri()
            client.notify("textDocument/didClose", asked)
