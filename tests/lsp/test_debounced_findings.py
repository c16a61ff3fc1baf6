"""Debounced findings: while the user types, new findings wait for a pause, a save or an edit
elsewhere.

Whole files are typed key by key, and it is looked what is shown after a third of the keys, other ones each time;
`make sweep` looks after each.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from support.lsp.client import RawClient
from support.lsp.fixtures import Start
from support.lsp.typist import ASKS, NEVER, SOON, Typist

EXAMPLES = Path(__file__).parents[2] / "examples"
HEAD = """\
description: Greetings
evalcases:
"""
CASE = """\
  - id: {id}
    input: Hello there
    expected_outcome: Says hello
    rubrics:
      - id: hello
        expected_outcome: Says hello
        required: true
"""
SUITE = HEAD + "".join(CASE.format(id=it) for it in ("one", "two", "three"))
TARGETS = """\
targets:
  - name: bot
    provider: mock
    response: Hello
    retry:
      max_retries: 2
      status_codes: [429, 500]
  - name: judge
    provider: litellm
    model: openai/gpt-4o-mini
    api_key: ${{ OPENAI_API_KEY }}
    temperature: 0
  - name: tool
    provider: cli
    command_template: "python agent.py {PROMPT} > {OUTPUT_FILE}"
    timeout_seconds: 30
"""
EVALUATED = """\
# Evaluators of several kinds.
execution:
  target: tool
  evaluators:
    - name: tone
      type: llm_judge
      target: judge
      prompt: |
        Judge {{ candidate_answer }} by {{ expected_outcome }}.
evalcases:
  - id: part
    expected_outcome: >-
      Says goodbye
      to Ann
    input_messages:
      - role: system
        content: "Be kind: always"
      - role: user
        content: 'It''s late. Bye!'
    expected_output: '{"total": 12.5}'
    evaluators:
      - name: pattern
        type: regex
        value: "^(bye|see you)[.!]?$"
      - name: shape
        type: json_schema
        schema: {"type": "object", "required": ["total"]}
      - name: calls
        type: tool_trajectory
        mode: any_order
        minimums: {search: 1}
      - name: manners
        type: composite
        evaluators:
          - {name: a, type: contains, value: a, weight: 2}
          - {name: b, type: equals, value: b}
        aggregator:
          type: weighted_average
          weights: {a: 0.4, b: 0.6}
  - id: filed
    expected_outcome: Says goodbye
    input: Bye
    evaluators: [{name: filed, type: llm_judge, prompt: tone.md}]
  - id: plain
    expected_outcome: Says goodbye
    input: Bye
"""
DATASET = """\
{"id": "a", "input": "Hi", "expected_outcome": "Greets back"}
{"id": "b", "input": [{"role": "user", "content": "Bye"}], "expected_outcome": "Says \\"bye\\""}
"""
CONFIGURATION = """\
exclude = ["vendor", "more/d*"]
ignore = ["SC602", "redundant-weight"]

[severity]
ambiguous-scalar = "warning"
"""
PROMPT = """\
Judge {{ candidate_answer }} for {{ question }}.

By: {{ expected_outcome }}
"""
FILES = {
    "greet.eval.yaml": SUITE,
    "parts.eval.yaml": EVALUATED,
    "targets.yaml": TARGETS,
    "set.jsonl": DATASET,
    "suitecase.toml": CONFIGURATION,
    "tone.md": PROMPT,
}


async def begun(
    start: Start, root: Path, pause: float = NEVER, files: Mapping[str, str] = MappingProxyType({})
) -> RawClient:
    """Start a server for a client that pulls diagnostics, in a workspace with these files."""
    for name, text in {**FILES, **files}.items():
        (root / name).write_text(text)
    client = await start()
    await client.initialize(ASKS, root=root, diagnostics={"pause": pause})
    return client


def beside(client: RawClient, root: Path, *names: str) -> list[str]:
    """Open other files with their text on disk; returns their URIs."""
    for name in names:
        client.open((root / name).as_uri(), (root / name).read_text())
    return [(root / name).as_uri() for name in names]


@pytest.mark.parametrize("name", FILES)
async def test_a_sound_file_is_never_wrong_while_it_is_written(
    start: Start, tmp_path: Path, name: str
) -> None:
    client = await begun(start, tmp_path, files={name: ""})
    others = [it for it in ("parts.eval.yaml", "targets.yaml", "tone.md") if it != name]
    uris = beside(client, tmp_path, *others)
    typist = Typist(client, (tmp_path / name).as_uri(), beside=uris, share=3)

    typist.type(FILES[name])

    assert await typist.seen() == []
    typist.save()
    for uri in (typist.uri, *typist.beside):
        assert await typist.errors(uri) == []
    assert typist.states == len(FILES[name])


@pytest.mark.parametrize("name", ["support-replies"])
async def test_the_examples_are_never_wrong_while_they_are_written(
    start: Start, tmp_path: Path, name: str
) -> None:
    targets = (EXAMPLES / "targets.yaml").read_text()
    client = await begun(start, tmp_path, files={"targets.yaml": targets})
    typist = Typist(client, (tmp_path / "example.eval.yaml").as_uri(), share=3)

    typist.type((EXAMPLES / f"{name}.eval.yaml").read_text())

    assert await typist.seen() == []
    typist.save()
    assert await typist.errors() == []


@pytest.mark.parametrize("name", ["parts.eval.yaml", "targets.yaml", "set.jsonl"])
async def test_without_a_pause_to_wait_for_all_that_is_half_written_is_wrong(
    start: Start, tmp_path: Path, name: str
) -> None:
    client = await begun(start, tmp_path, pause=0, files={name: ""})
    others = beside(client, tmp_path, "parts.eval.yaml") if name != "parts.eval.yaml" else []
    typist = Typist(client, (tmp_path / name).as_uri(), beside=others)

    typist.type(FILES[name][:150])

    assert await typist.seen()


async def test_the_places_of_a_snippet_are_not_wrong_before_they_are_filled_in(
    start: Start, tmp_path: Path
) -> None:
    client = await begun(start, tmp_path)
    typist = Typist(client, (tmp_path / "new.eval.yaml").as_uri())

    typist.type("description: New\n")
    await typist.accept("evalcases", "first", "Hello there", "Says hello")
    typist.type("\n    evaluators:\n      - ")
    await typist.accept("contains", "word", "hello")
    typist.type("\n      - ")
    await typist.accept("llm_judge", "judged")
    typist.type("\n    rubrics:\n      - ")
    await typist.accept("rubric", "greets", "Greets")
    typist.type("\n  - ")
    await typist.accept("case", "second", "Bye", "Says bye")

    assert await typist.seen() == []
    typist.save()
    assert await typist.errors() == []


async def test_the_places_of_a_target_are_not_wrong_before_they_are_filled_in(
    start: Start, tmp_path: Path
) -> None:
    client = await begun(start, tmp_path)
    (suite,) = beside(client, tmp_path, "parts.eval.yaml")
    typist = Typist(client, (tmp_path / "targets.yaml").as_uri(), TARGETS, [suite])

    typist.type("  - ")
    await typist.accept("azure", "az", "https://example.com", "gpt")

    assert await typist.seen() == []
    typist.save()
    assert await typist.errors() == []


async def test_writing_in_the_middle_of_a_sound_suite_makes_nothing_wrong(
    start: Start, tmp_path: Path
) -> None:
    client = await begun(start, tmp_path)
    typist = Typist(client, (tmp_path / "greet.eval.yaml").as_uri(), SUITE)

    typist.go_to("  - id: two\n")
    typist.type('    note: "quoted: [text"\n    tags: [a, "b"]\n    metadata: {owner: Ann}\n')
    typist.go_to("  - id: two\n" + '    note: "quoted: [text"\n')
    typist.delete('    note: "quoted: [text"\n')
    typist.type("    note: >-\n      folded\n      text\n")
    typist.go_to("description: Greetings\n")
    typist.type("execution:\n  target: bot\n")
    typist.go_to("  - id: three\n    input: Hello there")
    typist.delete("input: Hello there")
    typist.type("input:\n      - role: user\n        content: Hi")
    typist.go_to("  - id: three")
    typist.delete("three")
    typist.type("two-b")

    assert await typist.seen() == []
    typist.save()
    assert await typist.errors() == []


async def test_a_case_written_between_others_is_not_wrong_before_it_is_done(
    start: Start, tmp_path: Path
) -> None:
    client = await begun(start, tmp_path)
    text = SUITE.replace("  - id: two\n", "\n  - id: two\n")
    typist = Typist(client, (tmp_path / "greet.eval.yaml").as_uri(), text)

    typist.cursor = text.index("\n  - id: two")
    typist.type(CASE.format(id="twofold"))

    assert await typist.seen() == []
    typist.save()
    assert await typist.errors() == []


MISTAKE = SUITE.replace("    input: Hello there\n", "    inptu: Hello there\n", 1)


async def test_a_mistake_that_stays_is_shown_after_a_pause(start: Start, tmp_path: Path) -> None:
    client = await begun(start, tmp_path, pause=SOON)
    typist = Typist(client, (tmp_path / "greet.eval.yaml").as_uri(), SUITE)

    typist.go_to("  - id: two\n    inp")
    typist.replace(typist.cursor, typist.cursor + 2, "t")

    assert await typist.errors_in_time() == [(10, "SC101")]


async def test_a_mistake_that_stays_is_shown_when_it_is_saved(start: Start, tmp_path: Path) -> None:
    client = await begun(start, tmp_path)
    typist = Typist(client, (tmp_path / "greet.eval.yaml").as_uri())

    typist.type(MISTAKE[: MISTAKE.index("  - id: two")])
    assert await typist.seen() == []
    typist.save()

    assert await typist.errors_in_time() == [(3, "SC101")]


async def test_a_mistake_is_shown_as_soon_as_something_else_is_written(
    start: Start, tmp_path: Path
) -> None:
    client = await begun(start, tmp_path)
    typist = Typist(client, (tmp_path / "greet.eval.yaml").as_uri())
    first, second = MISTAKE.split("  - id: two\n")

    typist.type(first)
    assert await typist.errors() == []
    typist.type("  - i")

    # Of what is written now still nothing.
    assert await typist.errors() == [(3, "SC101")]
    typist.type("d: two\n" + second)
    assert await typist.errors() == [(3, "SC101")]


async def test_a_mistake_is_shown_as_soon_as_something_is_written_elsewhere(
    start: Start, tmp_path: Path
) -> None:
    client = await begun(start, tmp_path)
    suite, targets = (tmp_path / it for it in ("greet.eval.yaml", "targets.yaml"))
    typist = Typist(client, suite.as_uri(), SUITE)
    typist.go_to("  - id: two\n    inp")
    typist.type("x")
    assert await typist.errors() == []

    typist.go_to("description: Greetings")
    typist.type("!")
    assert await typist.errors() == [(10, "SC101")]

    typist.go_to("  - id: three")
    typist.delete("three")
    assert await typist.errors() == [(10, "SC101")]
    Typist(client, targets.as_uri(), TARGETS).type("#")
    assert [it for it, _ in await typist.errors()] == [10, 16]


async def test_what_is_mended_is_gone_with_the_key_that_mends_it(
    start: Start, tmp_path: Path
) -> None:
    client = await begun(start, tmp_path)
    typist = Typist(client, (tmp_path / "greet.eval.yaml").as_uri(), MISTAKE)
    assert await typist.errors() == [(3, "SC101")]

    typist.go_to("    inptu")
    typist.delete("tu")
    typist.type("ut")

    assert await typist.errors() == []


async def test_what_was_shown_before_stays_and_moves_along(start: Start, tmp_path: Path) -> None:
    client = await begun(start, tmp_path)
    wrong = SUITE.replace("required: true", "required: 3")
    typist = Typist(client, (tmp_path / "greet.eval.yaml").as_uri(), wrong)
    assert [it for it, _ in await typist.errors()] == [8, 15, 22]

    typist.go_to("  - id: two\n")
    typist.type("    no")
    assert await typist.errors() != []
    typist.type("te: a\n")
    assert [it for it, _ in await typist.errors()] == [8, 16, 23]
    typist.type('    tags: ["a')
    typist.type('"]\n')
    assert [it for it, _ in await typist.errors()] == [8, 17, 24]


async def test_a_suite_waits_too_while_its_targets_are_being_written(
    start: Start, tmp_path: Path
) -> None:
    client = await begun(start, tmp_path)
    (suite,) = beside(client, tmp_path, "parts.eval.yaml")
    typist = Typist(client, (tmp_path / "targets.yaml").as_uri(), TARGETS, [suite])
    assert await typist.found(suite) == []

    typist.go_to("  - name: judge")
    typist.delete("udge")
    assert await typist.found(suite) == []
    typist.save()

    assert await typist.found(suite) != []


async def test_what_waits_can_be_mended_and_keeps_a_run_from_beginning(
    start: Start, tmp_path: Path
) -> None:
    client = await begun(start, tmp_path)
    typist = Typist(client, (tmp_path / "greet.eval.yaml").as_uri(), SUITE)
    typist.go_to("  - id: two\n    input: Hello there\n    exp")
    typist.type("x")
    assert await typist.errors() == []

    at = {"line": 11, "character": 8}
    asked = {
        "textDocument": {"uri": typist.uri},
        "range": {"start": at, "end": at},
        "context": {"diagnostics": []},
    }
    actions = await client.request("textDocument/codeAction", asked)
    run = await client.run("runCase", typist.uri, "two")

    assert "Change to `expected_outcome`" in [it["title"] for it in actions]
    assert run["cases"] == []
    assert "Nothing was run" in run["problem"]


async def test_an_empty_file_is_wrong_only_after_a_pause(start: Start, tmp_path: Path) -> None:
    client = await begun(start, tmp_path, pause=SOON)
    typist = Typist(client, (tmp_path / "new.eval.yaml").as_uri())

    assert await typist.errors_in_time() == [(0, "SC008")]

    typist.type("d")
    assert await typist.seen() == []


async def test_a_client_that_is_sent_findings_is_sent_them_after_a_pause(
    start: Start, tmp_path: Path
) -> None:
    client = await start()
    await client.initialize(root=tmp_path, diagnostics={"pause": SOON})
    uri = (tmp_path / "greet.eval.yaml").as_uri()
    target = "execution: {target: mock}\n"
    client.open(uri, SUITE + target)
    client.change(uri, 2, {"text": MISTAKE + target})

    await client.diagnostics(uri, 2, lambda it: not it)
    found = await client.diagnostics(uri, 2, lambda it: bool(it))

    assert [it["code"] for it in found] == ["SC101"]


async def test_files_that_are_not_open_wait_too(start: Start, tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    client = await start()
    said: dict[str, Any] = {"pause": NEVER, "scope": "workspace"}
    await client.initialize(root=tmp_path, diagnostics=said)
    (targets,) = beside(client, tmp_path, "targets.yaml")
    suite = (tmp_path / "parts.eval.yaml").as_uri()
    await client.diagnostics(targets, 1)
    # Another suite, so that it is known when all were looked at.
    (tmp_path / "wrong.eval.yaml").write_text(MISTAKE)
    event = {"uri": (tmp_path / "wrong.eval.yaml").as_uri(), "type": 1}
    client.notify("workspace/didChangeWatchedFiles", {"changes": [event]})
    await client.diagnostics((tmp_path / "wrong.eval.yaml").as_uri())

    client.change(targets, 2, {"text": TARGETS.replace("name: judge", "name: jud")})
    await client.diagnostics(targets, 2)
    await client.request("textDocument/codeLens", {"textDocument": {"uri": targets}})
    assert not [it for it in client.received if (it["params"] or {}).get("uri") == suite]

    client.notify("textDocument/didSave", {"textDocument": {"uri": targets}})
    assert await client.diagnostics(suite, met=lambda it: bool(it))
