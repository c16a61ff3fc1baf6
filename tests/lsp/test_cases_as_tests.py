"""The requests and notifications for test explorers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from support.lsp.client import RawClient, RpcError
from support.suites.slow import GREET, GREET_CASES, SLOW, slow_suite

Start = Callable[[], Awaitable[RawClient]]
EXPLORER = {
    "experimental": {"suitecase": {"testExplorer": True}},
    "workspace": {"codeLens": {"refreshSupport": True}},
}


@pytest.fixture
async def explorer(start: Start, tmp_path: Path) -> RawClient:
    client = await start()
    await client.initialize(EXPLORER, root=tmp_path)
    return client


def read(path: str) -> str:
    return Path(path).read_text("utf-8")


def states(client: RawClient) -> list[Any]:
    return [it["params"] for it in client.received if it["method"] == "suitecase/testState"]


def in_short(client: RawClient) -> list[tuple[str, str]]:
    return [(it["case"], it["state"]) for it in states(client)]


async def test_the_cases_of_a_document_are_discovered_as_they_stand_in_the_editor(
    explorer: RawClient, tmp_path: Path
) -> None:
    path = tmp_path / "greet.eval.yaml"
    path.write_text(GREET)
    uri = path.as_uri()
    closed = await explorer.request("suitecase/discoverTests", {"uri": uri})
    tagged = GREET.replace("  - id: part\n", "  - id: 😀 part\n    tags: [slow]\n")
    explorer.open(uri, tagged, version=3)
    opened = await explorer.run("discoverTests", {"uri": uri})
    explorer.change(uri, 4, {"text": tagged.replace("value: Goodbye", 'value: "Good')})
    broken = await explorer.run("discoverTests", uri)

    assert [it["id"] for it in closed["cases"]] == ["greet", "part"]
    assert closed["version"] == 0
    assert (opened["label"], opened["version"], opened["broken"]) == ("greet.eval.yaml", 3, False)
    assert opened["cases"][1] == {
        "id": "😀 part",
        "label": "😀 part",
        "range": {"start": {"line": 9, "character": 4}, "end": {"line": 16, "character": 22}},
        "selectionRange": {
            "start": {"line": 9, "character": 8},
            "end": {"line": 9, "character": 15},
        },
        "tags": ["slow"],
        "result": None,
    }
    assert [it["id"] for it in broken["cases"]] == ["greet", "😀 part"]
    assert broken["broken"] is True


async def test_a_run_is_told_case_by_case_with_messages_at_the_rubrics(
    explorer: RawClient, tmp_path: Path
) -> None:
    uri, other = (tmp_path / "greet.eval.yaml").as_uri(), tmp_path / "other.eval.yaml"
    other.write_text(GREET.replace("part", "apart"))
    explorer.open(uri, GREET)
    tests = [{"uri": uri, "cases": ["greet"]}, {"uri": other.as_uri(), "cases": ["apart"]}]
    answer = await explorer.request("suitecase/runTests", {"tests": tests, "runId": "run-1"})
    mine = [it for it in states(explorer) if it["uri"] == uri]
    found = await explorer.request("suitecase/discoverTests", {"uri": uri})
    report = await explorer.request("suitecase/report", {"uri": uri})

    assert answer == {
        "runId": "run-1",
        "cancelled": False,
        "results": [
            {
                "uri": uri,
                "cases": [{"id": "greet", "verdict": "fail", "score": 0.5}],
                "notRun": [],
                "problem": None,
            },
            {
                "uri": other.as_uri(),
                "cases": [{"id": "apart", "verdict": "rehearsed", "score": 1.0}],
                "notRun": [],
                "problem": None,
            },
        ],
    }
    assert [it["state"] for it in mine] == ["queued", "started", "failed"]
    assert {it["runId"] for it in states(explorer)} == {"run-1"}
    last = mine[-1]
    assert (last["score"], last["verdict"]) == (0.5, "fail")
    assert last["durationMs"] > 0
    assert [(it["uri"], it["range"]["start"]["line"]) for it in last["messages"]] == [
        (uri, 1),
        (uri, 7),
    ]
    assert found["cases"][0]["result"]["state"] == "failed"
    assert found["cases"][0]["result"]["stale"] is False
    assert "describes zebras" in read(report["path"])


async def test_the_suites_of_the_workspace_are_listed_by_what_is_in_them(
    explorer: RawClient, tmp_path: Path
) -> None:
    (tmp_path / "named.eval.yaml").write_text("evalcases: []\n")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "greetings.yaml").write_text(GREET)
    (tmp_path / "compose.yaml").write_text("services: {}\n")
    (tmp_path / "targets.yaml").write_text("targets: [{name: a, provider: mock}]\n")
    answer = await explorer.request("suitecase/listSuites", {})

    found = ["folder/greetings.yaml", "named.eval.yaml"]
    folder = tmp_path.as_uri()
    assert answer == {
        "suites": [{"uri": (tmp_path / it).as_uri(), "folder": folder, "path": it} for it in found],
        "complete": True,
    }


async def test_a_result_says_of_each_rubric_whether_it_was_met_and_where_its_score_lies(
    explorer: RawClient, tmp_path: Path
) -> None:
    uri = (tmp_path / "greet.eval.yaml").as_uri()
    ranged = GREET.replace(
        "        expected_outcome: describes zebras\n",
        "        score_ranges:\n"
        "          - {expected_outcome: describes zebras, score_range: [0, 5]}\n"
        "          - {expected_outcome: describes striped zebras, score_range: [6, 10]}\n",
    )
    explorer.open(uri, ranged)
    await explorer.run("runSuite", uri)
    await explorer.message("suitecase/resultsChanged", lambda it: it == {"uri": uri})
    found = await explorer.request("suitecase/discoverTests", {"uri": uri})
    greet, part = (it["result"] for it in found["cases"])
    lines = ranged.splitlines()
    (miss,) = (it for it in greet["messages"] if it["kind"] == "miss")
    (score,) = miss["related"]

    def named(it: Any) -> str:
        number: int = it["range"]["start"]["line"]
        return lines[number].strip()

    assert [(named(it), it["met"]) for it in greet["rubrics"]] == [
        ("- id: hello", False),
        ("- id: zebra", False),
    ]
    # A word counter that is no model found the words of the first.
    assert [rubric["rehearsed"] for rubric in greet["rubrics"]] == [True, False]
    assert "says hello" in greet["rubrics"][0]["message"]
    assert [(named(rubric), rubric["met"]) for rubric in part["rubrics"]] == [
        ("- name: word", False)
    ]
    assert named(miss) == "- id: zebra"
    assert "[0, 5]" in named(score)
    assert score["message"] == "the judge gave 0, which lies in this range"


async def test_a_run_is_cancelled_by_its_id_and_the_rest_is_skipped(
    explorer: RawClient, tmp_path: Path
) -> None:
    uri = slow_suite(tmp_path)
    explorer.open(uri, SLOW)
    id_ = explorer.begin("suitecase/runTests", {"tests": [{"uri": uri}], "runId": "r"})
    await explorer.message("suitecase/testState", lambda state: state["state"] == "skipped")
    with pytest.raises(RpcError) as twice:
        await explorer.request("suitecase/runTests", {"tests": [{"uri": uri}], "runId": "r"})
    cancelled = await explorer.request("suitecase/cancelRun", {"runId": "r"})
    answer = await explorer.answer(id_)
    again = await explorer.request("suitecase/cancelRun", {"runId": "r"})

    assert "already in progress" in twice.value.message
    assert (cancelled, again) == ({"cancelled": True}, {"cancelled": False})
    assert answer["cancelled"] is True
    assert in_short(explorer)[-1] == ("late", "skipped")
    assert states(explorer)[-1]["messages"] == [{"message": "The run was cancelled."}]


async def test_a_case_with_an_error_is_not_run_and_the_others_are(
    explorer: RawClient, tmp_path: Path
) -> None:
    uri = (tmp_path / "greet.eval.yaml").as_uri()
    explorer.open(uri, GREET.replace("type: contains", "type: contain"))
    answer = await explorer.request("suitecase/runTests", {"tests": [{"uri": uri}]})

    (result,) = answer["results"]
    assert result["problem"] is None
    assert [it["id"] for it in result["cases"]] == ["greet"]
    (left_out,) = result["notRun"]
    assert (left_out["id"], left_out["line"], left_out["kind"]) == ("part", 10, "unsound")
    assert "SC307 at greet.eval.yaml:15:15" in left_out["message"]
    assert in_short(explorer) == [
        ("greet", "queued"),
        ("part", "notRun"),
        ("greet", "started"),
        ("greet", "failed"),
    ]
    (message,) = states(explorer)[1]["messages"]
    assert (message["uri"], message["range"]["start"]["line"]) == (uri, 14)


async def test_an_error_of_the_head_keeps_all_cases_from_being_run_and_fails_none(
    explorer: RawClient, tmp_path: Path
) -> None:
    uri = (tmp_path / "greet.eval.yaml").as_uri()
    explorer.open(uri, "promt: Be kind\n" + GREET)
    answer = await explorer.request("suitecase/runTests", {"tests": [{"uri": uri}]})

    assert "Nothing was run" in answer["results"][0]["problem"]
    assert in_short(explorer) == [("greet", "notRun"), ("part", "notRun")]
    (message,) = states(explorer)[0]["messages"]
    assert (message["uri"], message["range"]["start"]["line"]) == (uri, 0)
    assert states(explorer)[1]["messages"] == []


async def test_a_variable_that_is_not_set_keeps_only_the_cases_from_being_run_that_need_it(
    explorer: RawClient, tmp_path: Path
) -> None:
    (tmp_path / "targets.yaml").write_text(
        "targets:\n  - name: keyed\n    provider: openai\n    model: gpt-4o\n"
        "    api_key: ${{ SUITECASE_NO_SUCH_KEY }}\n"
    )
    uri = (tmp_path / "greet.eval.yaml").as_uri()
    explorer.open(uri, GREET_CASES + "    execution: {target: keyed}\n")
    answer = await explorer.request("suitecase/runTests", {"tests": [{"uri": uri}]})

    (result,) = answer["results"]
    assert [it["id"] for it in result["cases"]] == ["greet"]
    assert [(it["id"], it["kind"]) for it in result["notRun"]] == [("part", "environment")]
    assert ("part", "notRun") in in_short(explorer)
    assert ("greet", "notRun") not in in_short(explorer)
    (message,) = [it["messages"][0] for it in states(explorer) if it["case"] == "part"]
    assert "SUITECASE_NO_SUCH_KEY" in message["message"]


WRONG: list[tuple[str, Any, str]] = [
    ("discoverTests", {}, "`uri` must be a string"),
    ("discoverTests", None, "`uri` must be a string"),
    ("discoverTests", {"uri": "file:///etc/passwd"}, "neither open nor a file in the workspace"),
    ("runTests", {"tests": 1}, "a list of `tests`"),
    ("runTests", {"tests": [7]}, "`uri` must be a string"),
    ("runTests", {"tests": [], "runId": 1}, "`runId` must be a non-empty string"),
    ("runTests", {"tests": [{"uri": "x", "cases": [1]}]}, "`cases` must be a list of case ids"),
    ("cancelRun", {}, "`runId` must be a string"),
]


async def test_wrong_parameters_are_refused_with_what_is_expected(client: RawClient) -> None:
    for method, params, says in WRONG:
        with pytest.raises(RpcError) as raised:
            await client.request(f"suitecase/{method}", params)

        assert raised.value.code == -32602
        assert says in raised.value.message


async def test_who_has_no_view_of_tests_is_not_told_and_who_is_not_trusted_runs_nothing(
    start: Start, tmp_path: Path
) -> None:
    uri = (tmp_path / "greet.eval.yaml").as_uri()
    client = await start()
    await client.initialize(root=tmp_path)
    client.open(uri, GREET)
    await client.run("runTests", {"tests": [{"uri": uri, "cases": ["part"]}]})
    wary = await start()
    await wary.initialize(root=tmp_path, trusted=False, testExplorer=True)
    wary.open(uri, GREET)
    with pytest.raises(RpcError) as refused:
        await wary.request("suitecase/runTests", {"tests": [{"uri": uri}]})

    assert states(client) == []
    assert "Trust the workspace" in refused.value.message
    assert states(wary) == []
