"""The editor shows the same findings as CI, at the same positions."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

from suitecase.derived import ROOT
from support.lsp.client import RawClient
from support.running.processes import suitecase
from support.suites.random_edits import SUITES, edited

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
    done = suitecase("check", ".", "--format", "json", cwd=folder)
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


PROMPTS = {
    "prompts/tone.md": "# 😀 {{ mood }}\r\n😀 {{ candidate_anser }} ${question}\r\n",
    "prompts/both.md": "{{ candidate_answer }} {{ EVALUATOR_RESULTS_JSON }} {{ mood }}\n",
    "prompts/empty.md": " \n",
    "prompts/sound.md": "{{ candidate_answer }}\n",
    "prompts/silenced.md": "{{ candidate_answer }} {{ mood }}\n",
}
JUDGED = """\
evalcases:
  - id: greet
    input: Hi
    expected_outcome: Says hello
    evaluators:
"""
JUDGE = "      - {name: j%d, type: llm_judge, prompt: prompts/%s.md}\n"
AGGREGATED = """\
      - name: all
        type: composite
        evaluators: [{name: fast, type: latency, threshold: 100}]
        aggregator: {type: llm_judge, prompt: prompts/both.md}
"""


async def test_they_agree_on_files_that_suites_name(client: RawClient, tmp_path: Path) -> None:
    suites = {
        "a.eval.yaml": JUDGED + JUDGE % (1, "tone") + JUDGE % (2, "tone") + AGGREGATED,
        "b.eval.yaml": JUDGED + "".join(JUDGE % it for it in enumerate(["both", "empty", "sound"])),
        "c.eval.yaml": "# suitecase: ignore[SC302]\n" + JUDGED + JUDGE % (1, "silenced"),
        "d.eval.yaml": JUDGED + JUDGE % (1, "tone"),
    }
    (tmp_path / "prompts").mkdir()
    for name, text in {**PROMPTS, **suites}.items():
        (tmp_path / name).write_bytes(text.encode("utf-8"))
    expected = said_by_the_command_line(tmp_path)
    assert set(expected) - set(suites) == {f"prompts/{it}.md" for it in ("tone", "both", "empty")}
    for name, text in suites.items():
        client.open((tmp_path / name).as_uri(), text)
    for name, text in suites.items():
        published = await client.diagnostics((tmp_path / name).as_uri())
        assert sorted(said_by_the_editor(text, published)) == sorted(expected.get(name, []))
    for name in set(PROMPTS) & set(expected):
        wanted = sorted(expected[name])

        def agrees(said: list[dict[str, Any]], name: str = name, wanted: Any = wanted) -> bool:
            return bool(sorted(said_by_the_editor(PROMPTS[name], said)) == wanted)

        await client.diagnostics((tmp_path / name).as_uri(), met=agrees)
    await client.request("shutdown")
    last = {
        it["params"]["uri"]: it["params"]["diagnostics"]
        for it in client.received
        if it["method"] == "textDocument/publishDiagnostics"
    }
    for name, text in PROMPTS.items():
        said = said_by_the_editor(text, last.get((tmp_path / name).as_uri(), []))
        assert sorted(said) == sorted(expected.get(name, [])), name
