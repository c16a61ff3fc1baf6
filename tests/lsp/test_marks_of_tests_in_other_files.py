"""Results of tests that a configuration names are marked where the tests are written, open or not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.lsp.client import RawClient
from support.lsp.fixtures import Start

CONFIGURATION = """\
prompts: ['Hi {{name}}']
providers: [echo]
tests: file://FILE
"""
TESTS = """\
# Greetings
- description: greets Ann
  vars: {name: Ann}
  assert:
    - {type: contains, value: Ann}
- vars: {name: Bob}
  assert:
    - type: contains
      value: Bob
    - type: contains
      value: Eve
"""
LISTED = [
    {
        "description": "greets Ann",
        "vars": {"name": "Ann"},
        "assert": [{"type": "contains", "value": "Ann"}],
    },
    {"vars": {"name": "Bob"}, "assert": [{"type": "contains", "value": "Eve"}]},
]
RELATED = {"textDocument": {"publishDiagnostics": {"relatedInformation": True}}}
MISSED = 'missed: the answer does not contain "Eve"'


class Tree:
    """A folder with a configuration that names a file of tests."""

    def __init__(self, folder: Path, file: str = "cases.yaml", text: str = TESTS) -> None:
        self.folder = folder
        self.text = CONFIGURATION.replace("FILE", file)
        self.uri = (folder / "promptfooconfig.yaml").as_uri()
        self.tests = folder / file
        self.tests.write_text(text, "utf-8")
        self.tests_uri = self.tests.as_uri()

    def save(self) -> None:
        (self.folder / "promptfooconfig.yaml").write_text(self.text, "utf-8")


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


def of_run(found: list[Any]) -> list[Any]:
    return [it for it in found if it["source"] == "suitecase run"]


def marks(found: list[Any]) -> list[tuple[int, int, str]]:
    """The lines, severities and messages of results."""
    return [(it["range"]["start"]["line"], it["severity"], it["message"]) for it in of_run(found)]


async def marks_in(
    client: RawClient, uri: str, count: int, version: int | None = None
) -> list[tuple[int, int, str]]:
    """Wait for so many results in a file."""
    return marks(await client.diagnostics(uri, version, lambda it: len(of_run(it)) == count))


def close(client: RawClient, uri: str) -> None:
    client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})


def sent(client: RawClient, uri: str) -> list[list[tuple[int, int, str]]]:
    """The results sent for a file, in order."""
    return [
        marks(it["params"]["diagnostics"])
        for it in client.received
        if it["method"] == "textDocument/publishDiagnostics" and it["params"]["uri"] == uri
    ]


async def test_a_failure_is_marked_in_the_file_until_it_is_cleared(
    client: RawClient, tree: Tree
) -> None:
    client.open(tree.uri, tree.text)
    await client.run("runSuite", tree.uri)
    assert await marks_in(client, tree.tests_uri, 2) == [
        (5, 2, "fail 0.50 (no model)"),
        (9, 2, MISSED),
    ]
    await client.run("clearResults", tree.uri)
    assert await marks_in(client, tree.tests_uri, 0) == []


async def test_it_is_marked_while_the_configuration_is_open(client: RawClient, tree: Tree) -> None:
    client.open(tree.uri, tree.text)
    await client.run("runSuite", tree.uri)
    await marks_in(client, tree.tests_uri, 2)
    close(client, tree.uri)
    assert await marks_in(client, tree.tests_uri, 0) == []
    client.open(tree.uri, tree.text)
    assert len(await marks_in(client, tree.tests_uri, 2)) == 2


@pytest.mark.parametrize(
    ("file", "text", "marked"),
    [
        ("cases.json", json.dumps(LISTED, indent=1), ["vars", '"contains"']),
        ("cases.jsonl", "".join(f"{json.dumps(it)}\n" for it in LISTED), ["vars", '"contains"']),
        ("cases.csv", 'name,__expected\nAnn,contains:Ann\nBob,"contains:Eve"\n', ["Bob", "contains:Eve"]),
        (
            "cases.csv",
            "__description,name,__expected1,__expected2\r\ngreets Bob,Bob,contains:Bob,contains:Eve\r\n",
            ["greets Bob", "contains:Eve"],
        ),
    ],
)  # fmt: skip
async def test_every_kind_of_file_has_places(
    client: RawClient, tmp_path: Path, file: str, text: str, marked: list[str]
) -> None:
    tree = Tree(tmp_path, file, text)
    client.open(tree.uri, tree.text)
    await client.run("runSuite", tree.uri)
    found = of_run(await client.diagnostics(tree.tests_uri, None, lambda it: len(of_run(it)) == 2))
    lines = text.split("\n")
    spans = [(it["range"]["start"], it["range"]["end"]) for it in found]
    texts = [lines[start["line"]][start["character"] : end["character"]] for start, end in spans]
    assert [it.strip('"') for it in texts] == [it.strip('"') for it in marked]
    assert [it["message"].partition(" 0.")[0] for it in found] == ["fail", MISSED]


async def test_an_open_file_is_marked_once_and_its_unsaved_text_counts(
    client: RawClient, tree: Tree
) -> None:
    client.open(tree.uri, tree.text)
    await client.run("runSuite", tree.uri)
    expected = await marks_in(client, tree.tests_uri, 2)
    client.open(tree.tests_uri, TESTS)
    assert await marks_in(client, tree.tests_uri, 2, 1) == expected

    client.change(tree.tests_uri, 2, {"text": f"# More\n{TESTS}"})
    moved = [(line + 1, severity, message) for line, severity, message in expected]
    assert await marks_in(client, tree.tests_uri, 2, 2) == moved

    client.change(tree.tests_uri, 3, {"text": TESTS.replace("Eve", "Bob!")})
    stale = await marks_in(client, tree.tests_uri, 2, 3)
    assert stale == [
        (5, 3, "fail 0.50 (no model) (stale: the test has changed since)"),
        (9, 3, f"{MISSED} (stale: the test has changed since)"),
    ]
    await client.run("runSuite", tree.uri)
    found = await client.diagnostics(tree.tests_uri, 3, lambda it: '"Bob!"' in str(it))
    assert [line for line, *_ in marks(found)] == [5, 9]

    client.change(tree.tests_uri, 4, {"text": TESTS.replace("Eve", "Bob")})
    await client.run("runSuite", tree.uri)
    assert await marks_in(client, tree.tests_uri, 0, 4) == []


async def test_a_file_that_is_closed_keeps_the_marks_of_its_text_on_disk(
    client: RawClient, tree: Tree
) -> None:
    client.open(tree.uri, tree.text)
    client.open(tree.tests_uri, TESTS)
    await client.run("runSuite", tree.uri)
    expected = await marks_in(client, tree.tests_uri, 2, 1)
    client.change(tree.tests_uri, 2, {"text": f"# More\n{TESTS}"})
    await marks_in(client, tree.tests_uri, 2, 2)
    close(client, tree.tests_uri)
    await client.until(lambda: sent(client, tree.tests_uri)[-1] == expected)


async def test_results_are_marked_in_the_next_session(start: Start, tree: Tree) -> None:
    tree.save()
    for server in range(2):
        client = await start()
        await client.initialize({}, root=tree.folder)
        client.open(tree.uri, tree.text)
        if not server:
            await client.run("runSuite", tree.uri)

        def is_there(found: list[Any]) -> bool:
            return marks(found) == [(5, 2, "fail 0.50 (no model)"), (9, 2, MISSED)]

        await client.diagnostics(tree.tests_uri, None, is_there)


async def test_what_tests_in_files_inherit_is_marked_in_the_configuration(
    start: Start, tree: Tree
) -> None:
    client = await start()
    await client.initialize(RELATED, root=tree.folder)
    inherited = "defaultTest:\n  assert:\n    - {type: contains, value: Zoe}\n"
    client.open(tree.uri, tree.text + inherited)
    await client.run("runSuite", tree.uri)
    (shared,) = of_run(await client.diagnostics(tree.uri, 1, lambda it: "name: Bob" in str(it)))
    assert shared["message"] == "missed by `greets Ann`, `name: Bob`"
    assert shared["range"]["start"]["line"] == 5
    places = [it["location"] for it in shared["relatedInformation"]]
    assert [(it["uri"], it["range"]["start"]["line"]) for it in places] == [
        (tree.tests_uri, 1),
        (tree.tests_uri, 5),
    ]
    found = await client.diagnostics(tree.tests_uri, None, lambda it: len(of_run(it)) == 3)
    assert [(line, message[:4]) for line, _, message in marks(found)] == [
        (1, "fail"), (5, "fail"), (9, "miss"),
    ]  # fmt: skip
    (named,) = of_run(found)[0]["relatedInformation"]
    assert (named["message"], named["location"]["uri"]) == (
        "run from promptfooconfig.yaml",
        tree.uri,
    )
    assert named["location"]["range"]["start"] == {"line": 2, "character": 7}


async def test_two_configurations_that_say_the_same_say_it_once(start: Start, tree: Tree) -> None:
    client = await start()
    await client.initialize(RELATED, root=tree.folder)
    other = (tree.folder / "other.promptfooconfig.yaml").as_uri()
    for uri in (tree.uri, other):
        client.open(uri, tree.text)
        await client.run("runSuite", uri)
    found = await client.diagnostics(
        tree.tests_uri, None, lambda it: str(it).count("run from other.promptfooconfig.yaml") == 2
    )
    assert [message for *_, message in marks(found)] == ["fail 0.50 (no model)", MISSED]
    assert str(found).count("run from promptfooconfig.yaml") == 2
    close(client, tree.uri)
    found = await client.diagnostics(
        tree.tests_uri, None, lambda it: "run from promptfooconfig.yaml" not in str(it)
    )
    assert [message for *_, message in marks(found)] == ["fail 0.50 (no model)", MISSED]
    await client.run("clearResults", other)
    assert await marks_in(client, tree.tests_uri, 0) == []


async def test_a_client_that_pulls_gets_those_of_open_files_on_request(
    start: Start, tree: Tree
) -> None:
    client = await start()
    pulls = {
        "textDocument": {"diagnostic": {}},
        "workspace": {"diagnostics": {"refreshSupport": True}},
    }
    await client.initialize(pulls, root=tree.folder)
    client.open(tree.uri, tree.text)
    await client.run("runSuite", tree.uri)
    assert len(await marks_in(client, tree.tests_uri, 2)) == 2
    client.open(tree.tests_uri, TESTS)
    assert await marks_in(client, tree.tests_uri, 0) == []
    request = {"textDocument": {"uri": tree.tests_uri}}
    pulled = await client.request("textDocument/diagnostic", request)
    assert marks(pulled["items"]) == [(5, 2, "fail 0.50 (no model)"), (9, 2, MISSED)]
    await client.run("clearResults", tree.uri)
    pulled = await client.request("textDocument/diagnostic", request)
    assert marks(pulled["items"]) == []


async def test_they_are_among_the_findings_of_the_workspace(start: Start, tree: Tree) -> None:
    client = await start()
    await client.initialize({}, root=tree.folder, diagnostics={"scope": "workspace"})
    client.open(tree.uri, tree.text)
    await client.run("runSuite", tree.uri)
    assert len(await marks_in(client, tree.tests_uri, 2)) == 2
    await client.run("clearResults", tree.uri)
    assert await marks_in(client, tree.tests_uri, 0) == []


@pytest.mark.parametrize("is_open", [False, True])
async def test_of_many_failures_some_are_shown(
    start: Start, tmp_path: Path, *, is_open: bool
) -> None:
    text = "name,__expected\n" + "".join(f"N{it},contains:Eve\n" for it in range(20))
    tree = Tree(tmp_path, "cases.csv", text)
    client = await start()
    await client.initialize({}, root=tmp_path, diagnostics={"limit": 10})
    client.open(tree.uri, tree.text)
    if is_open:
        client.open(tree.tests_uri, text, language="csv")
    await client.run("runSuite", tree.uri)
    version = 1 if is_open else None
    found = await client.diagnostics(tree.tests_uri, version, lambda it: "more case" in str(it))
    assert (len(found), len(of_run(found))) == (10, 9)


async def test_a_test_that_the_environment_keeps_from_running_is_marked_there(
    client: RawClient, tree: Tree
) -> None:
    provider = "{id: openai:gpt-4.1-mini, config: {apiKeyEnvar: NOBODY_SETS_THIS}}"
    client.open(tree.uri, tree.text.replace("[echo]", f"[echo, {provider}]"))
    await client.run("runSuite", tree.uri)
    found = await client.diagnostics(tree.tests_uri, None, lambda it: "NOBODY_SETS_THIS" in str(it))
    assert [line for line, _, message in marks(found) if message.startswith("not run: ")] == [1, 5]


async def test_several_files_and_the_configuration_have_the_marks_of_their_own_tests(
    client: RawClient, tree: Tree
) -> None:
    more = tree.folder / "more.json"
    more.write_text(json.dumps(LISTED[1:], indent=1), "utf-8")
    own = "  - vars: {name: Cid}\n    assert: [{type: contains, value: Eve}]\n"
    files = "  - file://more.json\n  - file://cases.yaml\n"
    text = tree.text.replace("tests: file://cases.yaml\n", f"tests:\n{own}{files}")
    client.open(tree.uri, text)
    await client.run("runSuite", tree.uri)
    assert await marks_in(client, tree.uri, 2, 1) == [
        (3, 2, "fail 0.00 (no model)"),
        (4, 2, MISSED),
    ]
    assert [message for *_, message in await marks_in(client, more.as_uri(), 2)] == [
        "fail 0.00 (no model)", MISSED,
    ]  # fmt: skip
    assert await marks_in(client, tree.tests_uri, 2) == [
        (5, 2, "fail 0.50 (no model)"),
        (9, 2, MISSED),
    ]
