"""Hovers over the protocol, after real runs with targets whose responses are in their file."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from support.lsp.client import RawClient
from support.suites.slow import SLOW, slow_suite

Start = Callable[[], Awaitable[RawClient]]

MARKDOWN = {"textDocument": {"hover": {"contentFormat": ["markdown", "plaintext"]}}}
TARGETS = """\
targets:
  - name: small
    provider: mock
    judge_target: critic
    response: "Good <b>day</b>"
  - name: critic
    provider: mock
    response: >-
      {"checks": [{"id": "rubric-1", "reasoning": "it greets", "satisfied": true},
      {"id": "warmth", "reasoning": "rather cold", "score": 4}], "overall_reasoning": "Polite."}
  - name: mumbles
    provider: mock
    response: hm
"""
SUITE = """\
execution:
  target: small
evalcases:
  - id: greet
    input: Hi
    expected_outcome: Greets
    rubrics:
      - Says hello
      - id: warmth
        expected_outcome: Is warm
        required_min_score: 5
        score_ranges: {0: Cold, 5: Warm, 8: Hot}
  - id: mumbled
    input: Hi
    expected_outcome: Greets
    evaluators:
      - name: opinion
        type: llm_judge
        target: mumbles
  - id: never
    input: Hi
    expected_outcome: Greets
"""


async def hover(client: RawClient, uri: str, text: str, place: str) -> str:
    """Return the hover at the end of a part of a text; empty if there is none."""
    end = text.index(place) + len(place)
    line, start = text.count("\n", 0, end), text.rfind("\n", 0, end) + 1
    position = {"line": line, "character": end - start}
    found = await client.request(
        "textDocument/hover", {"textDocument": {"uri": uri}, "position": position}
    )
    return found["contents"]["value"] if found else ""


@pytest.fixture
def uri(tmp_path: Path) -> str:
    (tmp_path / "targets.yaml").write_text(TARGETS)
    path = tmp_path / "greet.eval.yaml"
    path.write_text(SUITE)
    return path.as_uri()


async def test_hovers_show_the_answer_the_score_in_its_ranges_and_what_was_not_read(
    start: Start, tmp_path: Path, uri: str
) -> None:
    client = await start()
    await client.initialize(MARKDOWN, root=tmp_path)
    client.open(uri, SUITE)
    before = await hover(client, uri, SUITE, "id: greet")
    await client.run("runCase", uri, "greet")
    await client.run("runCase", uri, "mumbled")

    case = await hover(client, uri, SUITE, "id: greet")
    mumbled = await hover(client, uri, SUITE, "id: mumbled")
    warmth = await hover(client, uri, SUITE, "id: warmth")
    plain = await hover(client, uri, SUITE, "- Says")
    never = await hover(client, uri, SUITE, "id: never")

    assert before.startswith("**Not run**")
    assert "answered by `small` (a canned answer)" in case
    assert "judged by `critic` (a canned reply) · **no model was called**" in case
    assert "```text\nGood <b>day</b>\n```" in case
    assert case.count("rather cold") == case.count("it greets") == case.count("Polite") == 1
    assert (
        "in 3 attempts it gave no verdict that could be read: the reply holds no JSON object. The answer counts as not graded."
        in mumbled
    )
    assert "last    ·  ·  ·  ·  ●  ·  ·  ·  ·  ·  ·  ✗ 4 of 10 where 5 is needed" in warmth
    assert "Last: **○ rehearsed** · judged by `critic`\n\nit greets" in plain
    assert "suitecase run greet.eval.yaml::never" in never


async def test_a_client_without_markdown_reads_the_answer_as_it_is(
    client: RawClient, uri: str
) -> None:
    client.open(uri, SUITE)
    await client.run("runCase", uri, "greet")

    case = await hover(client, uri, SUITE, "id: greet")

    assert "Answer:\n\nGood <b>day</b>\n\n- ✗ [warmth] Is warm: 4 of 10" in case
    assert "`" not in case
    assert "**" not in case


async def test_a_case_that_a_run_left_out_says_why_until_it_is_run(
    client: RawClient, uri: str
) -> None:
    wrong = SUITE.replace("type: llm_judge", "type: llm_juge")
    client.open(uri, wrong)
    await client.run("runSuite", uri)
    left_out = await hover(client, uri, wrong, "id: mumbled")
    client.change(uri, 2, {"text": SUITE})
    await client.run("runSuite", uri)

    assert left_out.startswith("Not run the last time: SC307 at greet.eval.yaml:18:15")
    assert (await hover(client, uri, SUITE, "id: mumbled")).startswith("! judge failed")


async def test_a_case_of_a_suite_that_was_refused_says_so(client: RawClient, uri: str) -> None:
    twice = SUITE.replace("id: never", "id: mumbled")
    client.open(uri, twice)
    await client.run("runCase", uri, "mumbled")

    said = await hover(client, uri, twice, "id: mumbled")

    assert said.startswith("Not run the last time: SC111 at greet.eval.yaml:20:9: the case id")


async def test_a_case_whose_run_was_cancelled_says_so(client: RawClient, tmp_path: Path) -> None:
    uri = slow_suite(tmp_path)
    client.open(uri, SLOW)
    id_ = client.begin(
        "workspace/executeCommand", {"command": "suitecase.runSuite", "arguments": [uri]}
    )
    await client.lenses(uri, "○ rehearsed")
    running = await hover(client, uri, SLOW, "id: late")
    await client.run("cancelRun", uri)
    await client.answer(id_)

    assert running.startswith("Running: there is no result yet.")
    assert (await hover(client, uri, SLOW, "id: late")).startswith(
        "Not run the last time: the run was cancelled"
    )
    assert (await hover(client, uri, SLOW, "id: quick")).startswith("○ rehearsed 1.00")
