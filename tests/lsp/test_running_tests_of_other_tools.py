"""Running the tests of other tools' suites from the editor, in the real worker, without a key."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.lsp.client import RawClient, RpcError
from support.lsp.fixtures import Start

CONFIGURATION = """\
description: Greetings
prompts:
  - Say hello to {{name}}
  - Hi {{name}}
providers: [echo]
defaultTest:
  assert:
    - type: icontains
      value: "{{name}}"
tests:
  - description: greets Ann
    vars: {name: Ann}
    assert:
      - type: contains
        value: hello
  - vars: {name: Bob}
    assert:
      - {type: icontains, value: bob}
"""


@pytest.fixture
def uri(tmp_path: Path) -> str:
    """The URI of a configuration."""
    return (tmp_path / "promptfooconfig.yaml").as_uri()


def is_of_run(it: dict[str, Any]) -> bool:
    return bool(it["source"] == "suitecase run")


async def run_marks(
    client: RawClient, uri: str, count: int, version: int = 1
) -> list[tuple[int, int, str]]:
    """Wait for so many diagnostics of results: their lines, severities and messages."""
    found = await client.diagnostics(uri, version, lambda it: sum(map(is_of_run, it)) == count)
    return [
        (it["range"]["start"]["line"], it["severity"], it["message"])
        for it in found
        if is_of_run(it)
    ]


async def test_a_test_is_run_with_all_its_rows_and_says_how_many_pass(
    client: RawClient, uri: str
) -> None:
    client.open(uri, CONFIGURATION)
    assert await client.lenses(uri) == ["▶ Run all tests", "▶ Run test", "▶ Run test"]

    result = await client.run("runCase", uri, "greets Ann")

    assert result["cases"] == [{"id": "greets Ann", "verdict": "fail", "score": 0.75}]
    assert await client.lenses(uri) == [
        "▶ Run all tests",
        "✗ fail 0.75 (1 of 2 rows rehearsed, no model)",
        "▶ Run again",
        "▶ Run test",
    ]
    shown = await client.message("window/showMessage")
    assert shown["message"] == "greets Ann: fail 0.75 (no model was called)"


async def test_what_a_row_missed_stands_at_its_assertion(client: RawClient, uri: str) -> None:
    client.open(uri, CONFIGURATION)
    await client.run("runSuite", uri)
    assert await run_marks(client, uri, 2) == [
        (10, 2, "fail 0.75 (no model): 1 of 2 rows rehearsed"),
        (13, 2, 'missed in 1 of 2 rows: the answer does not contain "hello"'),
    ]


async def test_what_all_tests_inherit_is_marked_once_where_it_stands(
    client: RawClient, uri: str
) -> None:
    client.open(uri, CONFIGURATION.replace('"{{name}}"', "Eve"))
    await client.run("runSuite", uri)
    marks = await run_marks(client, uri, 4)
    assert (7, 2, "missed by `greets Ann`, `name: Bob`") in marks
    assert [it for it, _, message in marks if message.startswith("fail")] == [10, 15]


async def test_an_edited_test_is_stale_and_the_others_are_not(client: RawClient, uri: str) -> None:
    client.open(uri, CONFIGURATION)
    await client.run("runSuite", uri)
    client.change(uri, 2, {"text": CONFIGURATION.replace("value: hello", "value: hallo")})
    assert await client.lenses(uri, "stale") == [
        "▶ Run all tests",
        "✗ fail 0.75 (1 of 2 rows rehearsed, no model, stale)",
        "▶ Run again",
        "○ rehearsed 1.00 (2 of 2 rows rehearsed, no model)",
        "▶ Run again",
    ]
    client.change(uri, 3, {"text": CONFIGURATION.replace("providers: [echo]", "targets: [echo]")})
    titles = await client.lenses(uri)
    assert sum("stale" in it for it in titles) == 2
    await client.run("clearResults", uri)
    assert await client.lenses(uri) == ["▶ Run all tests", "▶ Run test", "▶ Run test"]


async def test_a_hover_and_a_hint_tell_the_rows_where_a_test_is_named(
    client: RawClient, uri: str
) -> None:
    client.open(uri, CONFIGURATION)
    await client.run("runSuite", uri)
    document = {"textDocument": {"uri": uri}}
    places = [(10, 20), (15, 6)]
    texts = [
        (await client.request("textDocument/hover", {**document, "position": at}))["contents"][
            "value"
        ]
        for at in ({"line": line, "character": character} for line, character in places)
    ]
    assert texts[0].startswith("✗ fail 0.75 · 1 of 2 rows rehearsed · just now")
    assert "✗ fail 0.50: greets Ann [Hi {{name}}] · answered by echo" in texts[0]
    assert "- ✗ the answer does not contain" in texts[0]
    assert texts[1].startswith("○ rehearsed 1.00 · 2 of 2 rows rehearsed")
    start, end = {"line": 9, "character": 0}, {"line": 20, "character": 0}
    hints = await client.request(
        "textDocument/inlayHint", {**document, "range": {"start": start, "end": end}}
    )
    verdicts = {
        hint["position"]["line"]: hint["label"] for hint in hints if " rows " in hint["label"]
    }
    assert verdicts == {
        10: "← ✗ fail 0.75 (1 of 2 rows rehearsed, no model)",
        15: "← ○ rehearsed 1.00 (2 of 2 rows rehearsed, no model)",
    }


async def test_the_log_of_a_test_lists_its_rows(client: RawClient, uri: str) -> None:
    client.open(uri, CONFIGURATION)
    await client.run("runCase", uri, "greets Ann")
    opened = await client.run("openLog", uri, "greets Ann")
    log = Path(opened["path"]).read_text("utf-8")  # noqa: ASYNC240 - a small file
    assert log.startswith("# fail 0.75: greets Ann (1 of 2 rows rehearsed)\n")
    rows = [it for it in log.splitlines() if it.startswith("| greets Ann")]
    assert [row.split(" | ")[2:4] for row in rows] == [
        ["echo", "rehearsed 1.00"],
        ["echo", "fail 0.50"],
    ]
    assert "does not contain" in rows[1]
    assert "Say hello to Ann" in log


async def test_results_are_there_when_the_configuration_is_opened_again(
    start: Start, tmp_path: Path, uri: str
) -> None:
    (tmp_path / "promptfooconfig.yaml").write_text(CONFIGURATION, "utf-8")
    for server in range(2):
        client = await start()
        refreshes = {"workspace": {"codeLens": {"refreshSupport": True}}}
        await client.initialize(refreshes, root=tmp_path)
        client.open(uri, CONFIGURATION)
        if not server:
            await client.run("runCase", uri, "greets Ann")
        titles = await client.lenses(uri, "1 of 2 rows rehearsed, no model)")
        assert titles[1] == "✗ fail 0.75 (1 of 2 rows rehearsed, no model)"


async def test_tests_in_files_are_run_from_the_configuration(
    client: RawClient, tmp_path: Path, uri: str
) -> None:
    (tmp_path / "cases.csv").write_text("name,__expected\nAnn,contains:Ann\nBob,contains:Eve\n")
    text = "prompts: ['Hi {{name}}']\nproviders: [echo]\ntests: file://cases.csv\n"
    client.open(uri, text)
    assert await client.lenses(uri) == ["▶ Run all tests"]
    result = await client.run("runSuite", uri)
    found = [(it["id"], it["verdict"]) for it in result["cases"]]
    assert sorted(found) == [("name: Ann", "rehearsed"), ("name: Bob", "fail")]


async def test_a_test_that_cannot_be_run_says_so_and_the_others_are_run(
    client: RawClient, uri: str
) -> None:
    client.open(uri, CONFIGURATION.replace("type: contains", "type: similar"))
    result = await client.run("runSuite", uri)
    assert [it["id"] for it in result["cases"]] == ["name: Bob"]
    assert [it["id"] for it in result["notRun"]] == ["greets Ann"]
    assert "`similar` is not supported" in result["notRun"][0]["message"]
    titles = await client.lenses(uri)
    assert titles[1:3] == ["not run: 1 error", "▶ Run test"]
    client.change(uri, 2, {"text": CONFIGURATION})
    assert (await client.lenses(uri))[1] == "▶ Run test"


async def test_why_a_test_in_a_file_is_not_run_stands_in_that_file(
    start: Start, tmp_path: Path, uri: str
) -> None:
    (tmp_path / "cases.yaml").write_text(
        "- vars: {name: Ann}\n  assert: [{type: similar, value: Ann}]\n"
        "- vars: {name: Bob}\n  assert: [{type: contains, value: Bob}]\n"
    )
    client = await start()
    await client.initialize({}, root=tmp_path, testExplorer=True)
    client.open(uri, "prompts: ['Hi {{name}}']\nproviders: [echo]\ntests: file://cases.yaml\n")
    await client.request("suitecase/runTests", {"tests": [{"uri": uri}]})
    told = (
        message["params"]
        for message in client.received
        if message["method"] == "suitecase/testState"
    )
    (why,) = (message for sent in told if sent["state"] == "notRun" for message in sent["messages"])
    assert why["uri"] == (tmp_path / "cases.yaml").as_uri()
    assert why["range"]["start"]["line"] in (0, 1)


async def test_a_test_of_which_some_rows_cannot_be_asked_does_not_pass(
    client: RawClient, uri: str
) -> None:
    names = "{id: openai:gpt-4.1-mini, config: {apiKeyEnvar: NOBODY_SETS_THIS}}"
    client.open(uri, CONFIGURATION.replace("[echo]", f"[echo, {names}]"))
    result = await client.run("runCase", uri, "name: Bob")
    assert (result["cases"], [it["id"] for it in result["notRun"]]) == ([], ["name: Bob"])
    assert "NOBODY_SETS_THIS" in result["notRun"][0]["message"]
    titles = await client.lenses(uri)
    assert titles[2].startswith("not run: the environment has no NOBODY_SETS_THIS")


async def test_nothing_runs_where_the_workspace_is_not_trusted(
    start: Start, tmp_path: Path, uri: str
) -> None:
    client = await start()
    await client.initialize({}, root=tmp_path, trusted=False)
    client.open(uri, CONFIGURATION)
    with pytest.raises(RpcError, match="trust"):
        await client.run("runCase", uri, "greets Ann")


async def test_test_explorers_list_configurations_and_their_tests(
    start: Start, tmp_path: Path, uri: str
) -> None:
    (tmp_path / "promptfooconfig.yaml").write_text(CONFIGURATION, "utf-8")
    client = await start()
    await client.initialize({}, root=tmp_path, testExplorer=True)
    listed = await client.request("suitecase/listSuites", {})
    assert [it["path"] for it in listed["suites"]] == ["promptfooconfig.yaml"]
    await client.request("suitecase/runTests", {"tests": [{"uri": uri, "cases": ["greets Ann"]}]})
    found = await client.request("suitecase/discoverTests", {"uri": uri})
    tests = {it["label"]: it for it in found["cases"]}
    assert list(tests) == ["greets Ann", "name: Bob"]
    assert tests["greets Ann"]["result"]["state"] == "failed"
    (first,) = tests["greets Ann"]["result"]["rubrics"]
    assert (first["range"]["start"]["line"], first["met"]) == (13, False)


async def test_a_suite_of_agentv_is_run(client: RawClient, tmp_path: Path) -> None:
    uri = (tmp_path / "hours.eval.yaml").as_uri()
    text = (
        "prompts: ['When is {{ day }}?']\nproviders: [echo]\nevaluate_options: {}\ntests:\n"
        "  - id: opening-hours\n    vars: {day: Monday}\n    assert:\n"
        "      - type: contains\n        value: Tuesday\n"
    )
    client.open(uri, text)
    result = await client.run("runCase", uri, "opening-hours")
    assert [(it["id"], it["verdict"]) for it in result["cases"]] == [("opening-hours", "fail")]
    (mark, miss) = await run_marks(client, uri, 2)
    assert (mark[:2], miss[0]) == ((4, 2), 7)


async def test_evals_of_a_skill_are_run(start: Start, tmp_path: Path) -> None:
    skill = tmp_path / "greeting"
    (skill / "evals").mkdir(parents=True)
    (skill / "SKILL.md").write_text("---\nname: greeting\ndescription: Greets\n---\nGreet.\n")
    (tmp_path / "targets.yaml").write_text(
        "targets:\n  - {name: agent, provider: mock, response: hello Ann, judge_target: judge}\n"
        "  - {name: judge, provider: mock}\n"
    )
    evals = {
        "skill_name": "greeting",
        "evals": [{"id": 1, "prompt": "Greet", "assertions": ["hello Ann", "zebras graze"]}],
    }
    text = json.dumps(evals, indent=2)
    client = await start()
    refreshes = {"workspace": {"codeLens": {"refreshSupport": True}}}
    await client.initialize(refreshes, root=tmp_path, run={"target": "agent"})
    uri = (skill / "evals/evals.json").as_uri()
    client.open(uri, text, language="json")
    assert await client.lenses(uri) == ["▶ Run all evals", "▶ Run eval"]
    result = await client.run("runCase", uri, "1")
    assert [it["id"] for it in result["cases"]] == ["1"], result
    marks = await run_marks(client, uri, 2)
    lines = text.splitlines()
    assert [lines[it].strip(" ,") for it, *_ in marks] == ['"id": 1', '"zebras graze"']
    assert marks[1][2].startswith("missed: zebras graze")


async def test_members_of_a_set_are_marked_one_by_one(client: RawClient, uri: str) -> None:
    text = (
        "prompts: ['Hi {{name}}']\nproviders: [echo]\ntests:\n  - vars: {name: Ann}\n    assert:\n"
        "      - type: assert-set\n        assert:\n          - type: contains\n"
        "            value: Ann\n          - type: contains\n            value: Eve\n"
    )
    client.open(uri, text)
    await client.run("runSuite", uri)
    assert await run_marks(client, uri, 2) == [
        (3, 2, "fail 0.50 (no model)"),
        (9, 2, 'missed: the answer does not contain "Eve"'),
    ]


async def test_a_configuration_in_json_is_run(client: RawClient, tmp_path: Path) -> None:
    uri = (tmp_path / "promptfooconfig.json").as_uri()
    assertion = {"type": "contains", "value": "Eve"}
    test = {"description": "greets", "vars": {"name": "Ann"}, "assert": [assertion]}
    text = json.dumps({"prompts": ["Hi {{name}}"], "providers": ["echo"], "tests": [test]})
    client.open(uri, text, language="json")
    await client.run("runCase", uri, "greets")
    assert await client.lenses(uri, "fail") == [
        "▶ Run all tests", "✗ fail 0.00 (no model)", "▶ Run again",
    ]  # fmt: skip
    found = await client.diagnostics(uri, 1, lambda it: sum(map(is_of_run, it)) == 2)
    spans = [it["range"] for it in found if is_of_run(it)]
    marked = [text[it["start"]["character"] : it["end"]["character"]] for it in spans]
    assert marked == ['"greets"', '"contains"']


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("tests:", "tests: [", "line 4: SC001 "),
        ("providers: [echo]", "providers: [nobody]", "line 2: There is no provider `nobody`"),
    ],
)
async def test_an_error_of_syntax_is_reported_instead_of_what_it_hides(
    client: RawClient, tmp_path: Path, old: str, new: str, message: str
) -> None:
    """The suite names its providers, though they cannot be read after an error of syntax."""
    uri = (tmp_path / "hours.eval.yaml").as_uri()
    text = (
        "prompts: ['When is {{ day }}?']\nproviders: [echo]\ntests:\n"
        "  - id: opening\n    vars: {day: Monday}\n    assert: [Says when]\n"
    )
    client.open(uri, text.replace(old, new))
    result = await client.run("runSuite", uri)
    assert message in result["problem"]
    assert "providers`" not in result["problem"]


async def test_changes_of_scripts_and_prompts_are_watched(start: Start, tmp_path: Path) -> None:
    watches = {"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}}}
    client = await start()
    await client.initialize(watches, root=tmp_path)
    registered = await client.message("client/registerCapability")
    watchers = registered["registrations"][0]["registerOptions"]["watchers"]
    (pattern,) = [it["globPattern"] for it in watchers if "{" in it["globPattern"]]
    endings = pattern.partition("{")[2].rstrip("}").split(",")
    assert {"js", "mjs", "cjs", "ts", "py", "rb", "j2", "txt"} <= set(endings)
