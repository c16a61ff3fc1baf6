"""With hundreds of open suites, as after a search and replace, a keystroke costs its own file only."""

from __future__ import annotations

from pathlib import Path

from support.lsp import server_counting_calls
from support.lsp.client import RawClient

COUNTED = Path(server_counting_calls.__file__).read_text("utf-8")
#: The client is told when colours have to be asked for again, for which prompts are looked for.
CLIENT = {"workspace": {"semanticTokens": {"refreshSupport": True}}}
SUITE = """\
execution: {{target: t}}
evalcases:
  - id: a
    input: Hi
    expected_outcome: Greets
    evaluators:
      - {{name: j, type: llm_judge, prompt: judge-{number}.md}}
"""


async def calls_of(folder: Path, *, suites: int, keys: int) -> int:
    """Return how many calls it takes to type in one of some open suites."""
    uris = []
    async with RawClient.started(script=COUNTED) as client:
        await client.initialize(CLIENT, root=folder)
        for number in range(suites):
            (folder / f"judge-{number}.md").write_text("Judge {{ candidate_answer }}\n")
            uris.append((folder / f"{number}.eval.yaml").as_uri())
            client.open(uris[-1], SUITE.format(number=number))
            await client.diagnostics(uris[-1], 1)
        await client.request(server_counting_calls.REQUEST)
        for version in range(2, keys + 2):
            place = {"line": 3, "character": 11}
            change = {"range": {"start": place, "end": place}, "text": "x"}
            client.change(uris[0], version, change)
            await client.diagnostics(uris[0], version)
        counted: int = await client.request(server_counting_calls.REQUEST)
    return counted


async def test_a_keystroke_costs_the_same_however_many_suites_are_open(tmp_path: Path) -> None:
    (tmp_path / "suitecase.toml").touch()
    (tmp_path / "targets.yaml").write_text("targets: [{name: t, provider: mock}]\n")
    keys = 30
    few, many = 5, 80

    cost = {count: await calls_of(tmp_path, suites=count, keys=keys) for count in (few, many)}

    assert cost[few] > keys * 100  # something was counted
    assert cost[many] < 1.5 * cost[few]
