"""What the editor says is what CI says: finding by finding, place by place."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

from edited_suites import SUITES, edited
from raw_client import RawClient

from suitecase.derived import ROOT

CORPUS = ROOT.parent / "shared" / "corpus" / "agentv"
SEVERITIES = {1: "error", 2: "warning", 3: "info", 4: "info"}


def texts() -> list[str]:
    random = Random(20)
    made = [edited(random, edited(random, text)) for text in SUITES for _ in range(4)]
    examples = [path.read_text("utf-8") for path in (ROOT / "examples").rglob("*.eval.yaml")]
    real = [path.read_bytes().decode("utf-8") for path in sorted(CORPUS.glob("e*/*.yaml"))[::6]]
    emoji = "evalcases:\n  - id: 😀 a\n    input: 😀\n    outcome: 😀 Hi\n    inptu: 1\n"
    return [*SUITES, *made, *examples, *real, emoji, emoji.replace("\n", "\r\n")]


def said_by_the_command_line(folder: Path) -> dict[str, list[tuple[Any, ...]]]:
    done = subprocess.run(
        [sys.executable, "-m", "suitecase.cli", "check", ".", "--format", "json"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    found: dict[str, list[tuple[Any, ...]]] = {}
    for it in json.loads(done.stdout)["findings"]:
        place = (it["line"], it["column"], it["end_line"], it["end_column"])
        found.setdefault(it["file"], []).append(
            (place, it["code"], it["severity"], it["message"], it["help_url"])
        )
    return found


def said_by_the_editor(text: str, diagnostics: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")

    def position(it: dict[str, int]) -> tuple[int, int]:
        units = lines[it["line"]].encode("utf-16-le")[: 2 * it["character"]]
        return it["line"] + 1, len(units.decode("utf-16-le")) + 1

    return [
        (
            (*position(it["range"]["start"]), *position(it["range"]["end"])),
            it["code"],
            SEVERITIES[it["severity"]],
            it["message"],
            it["codeDescription"]["href"],
        )
        for it in diagnostics
    ]


async def test_editor_and_command_line_agree(client: RawClient, tmp_path: Path) -> None:
    made = texts()
    for number, text in enumerate(made):
        (tmp_path / f"{number}.eval.yaml").write_bytes(text.encode("utf-8", "surrogatepass"))
    expected = said_by_the_command_line(tmp_path)
    assert sum(map(len, expected.values())) > 50
    for number, text in enumerate(made):
        name = f"{number}.eval.yaml"
        uri = (tmp_path / name).as_uri()
        client.open(uri, text)
        published = await client.diagnostics(uri)
        assert sorted(said_by_the_editor(text, published)) == sorted(expected.get(name, [])), name
