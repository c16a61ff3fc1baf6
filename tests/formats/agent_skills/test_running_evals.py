"""`suitecase run evals/evals.json`: an agent is asked, and its answers are graded by the statements."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.running.processes import suitecase
from support.running.site import Site

EVALS = {
    "skill_name": "greeting",
    "evals": [
        {
            "id": 1,
            "prompt": "Greet Ann",
            "expected_output": "A greeting",
            "assertions": ["hello Ann", {"text": "a full stop"}],
            "files": ["evals/files/names.txt"],
        },
        {"id": "bye", "prompt": "Bid farewell", "expected_output": "bye"},
        {"id": "trigger", "query": "Who are you?", "should_trigger": False},
    ],
}


def greeting(site: Site, evals: object = EVALS) -> None:
    """Write a skill with its evals, and an agent that answers them."""
    site.write("greeting/SKILL.md", "---\nname: greeting\ndescription: Greets\n---\nGreet.\n")
    site.write("greeting/evals/files/names.txt", "Ann\n")
    site.write("greeting/evals/evals.json", json.dumps(evals))
    agent = site.program("agent.py", "import sys\nprint('hello Ann, with a full stop.')\n")
    site.write(
        "targets.yaml",
        f"""\
        targets:
          - {{name: agent, provider: cli, command_template: "{agent} {{PROMPT}}", judge_target: judge}}
          - {{name: judge, provider: mock}}
        """,
    )


def test_an_agent_is_graded_by_the_statements_of_each_eval(site: Site) -> None:
    greeting(site)
    ran = site.run(
        "greeting/evals/evals.json", "--target", "agent", "--keep-going", "--format", "jsonl"
    )
    assert set(ran.records) == {"1", "bye"}, ran.err
    first = ran.records["1"]
    assert (first["verdict"], first["dataset"]) == ("pass", "greeting")
    assert [it["name"] for it in first["evaluator_results"]] == ["rubric"]
    assert len(first["hits"]) == 2
    assert "names.txt" in json.dumps(first["input"])
    assert ran.records["bye"]["expected_outcome"] == "bye"


def test_an_eval_that_asks_nothing_is_refused_at_its_line(site: Site) -> None:
    greeting(site)
    refused = site.run("greeting/evals/evals.json", "--target", "agent")
    assert refused.code == 2
    assert "evals.json:1:" in refused.err + refused.out
    assert (
        "sends the `prompt` of an eval, which this one does not have" in refused.err + refused.out
    )


def test_what_the_check_says_of_an_eval_is_not_said_again(site: Site) -> None:
    asked = {"prompt": "Greet", "expected_output": "hello"}
    greeting(site, {"evals": [{"id": 1, **asked}, {"id": 2, "expected_output": "bye"}]})
    refused = site.run("greeting/evals/evals.json")
    assert refused.code == 2
    assert "error[AS008] this eval has no `prompt`" in refused.err
    assert "not-runnable" not in refused.err


@pytest.mark.parametrize("prompt", ["", " ", None])
def test_an_empty_prompt_is_not_sent(site: Site, prompt: str | None) -> None:
    greeting(site, {"evals": [{"id": 1, "prompt": prompt, "expected_output": "hello"}]})
    refused = site.run("greeting/evals/evals.json", "--target", "agent")
    assert refused.code == 2
    assert "error[AS008] the `prompt` of this eval is empty" in refused.err
    assert "not-runnable" not in refused.err


def test_figures_of_a_run_miss_nothing_that_evals_declare(site: Site) -> None:
    greeting(site)
    site.run("greeting/evals/evals.json", "--target", "agent", "--keep-going")
    reported = suitecase("report", cwd=site.root)
    assert reported.returncode == 0
    assert "left out" not in reported.stdout + reported.stderr
    measured = suitecase("metrics", cwd=site.root)
    assert measured.returncode == 0
    assert "pass_rate" in measured.stdout
    assert "not measured" not in measured.stdout + measured.stderr


@pytest.mark.parametrize(("option", "noted"), [((), True), (("--target", "agent"), False)])
def test_a_run_that_asks_no_target_names_those_that_it_could_ask(
    site: Site, option: tuple[str, ...], noted: bool
) -> None:
    greeting(site)
    ran = site.run("greeting/evals/evals.json::bye", *option)
    note = "nothing names a target, so `mock` answers; `--target NAME` takes `agent`, `judge`"
    assert (note in ran.err) is noted


def test_an_eval_is_chosen_by_its_id(site: Site) -> None:
    greeting(site)
    ran = site.run("greeting/evals/evals.json::bye", "--target", "agent", "--format", "jsonl")
    assert list(ran.records) == ["bye"], ran.err


def test_half_of_a_surrogate_pair_in_a_statement_is_replaced(site: Site) -> None:
    greeting(site, {"evals": [{"id": 1, "prompt": "Greet \ud83d", "assertions": ["a \ud83d"]}]})
    ran = site.run("greeting/evals/evals.json", "--dry-run")
    assert ran.code == 0, ran.err


@pytest.mark.parametrize("evals", [{"evals": []}, {"evals": {}}])
def test_a_file_without_evals_is_not_green(site: Site, evals: object) -> None:
    greeting(site, evals)
    ran = site.run("greeting/evals/evals.json")
    assert ran.code == 2
    assert "evals.json:1:2: error[not-runnable] there is no eval to run" in ran.err


def test_each_entry_that_is_no_eval_is_refused_at_its_place(site: Site) -> None:
    asked = {"id": 1, "prompt": "Greet", "expected_output": "hello"}
    greeting(site, {"evals": [1, "a", asked]})
    ran = site.run("greeting/evals/evals.json")
    assert ran.code == 2
    found = [it for it in (ran.err + ran.out).splitlines() if "error[" in it]
    assert [it.partition("evals.json")[2].partition("]")[0] for it in found] == [
        ":1:12: error[AS019",
        ":1:15: error[AS019",
    ]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "there is nothing to grade by"),
        ({"assertions": [None, "", {"text": " "}]}, "there is nothing to grade by"),
        ({"assertions": "polite"}, "`assertions` of this eval is not a list"),
        ({"assertions": {"polite": "It is polite"}}, "`assertions` of this eval is not a list"),
        ({"expected_behavior": {"a": "polite"}}, "`expected_behavior` of this eval is not a list"),
        ({"expected_behavior": []}, "there is nothing to grade by"),
        ({"expected_output": {}}, "there is nothing to grade by"),
    ],
)
def test_an_eval_without_statements_to_grade_by_is_refused(
    site: Site, fields: dict[str, Any], message: str
) -> None:
    greeting(site, {"evals": [{"id": 1, "prompt": "Greet Ann", **fields}]})
    ran = site.run("greeting/evals/evals.json", "--dry-run")
    assert ran.code == 2
    assert f"evals.json:1:13: error[not-runnable] {message}" in ran.err


STATED: list[tuple[dict[str, Any], list[str]]] = [
    ({"expected_behavior": ["refuses", "explains"]}, ["refuses", "explains"]),
    ({"expected_behavior": ["refuses"], "expected_output": "a table"}, ["refuses"]),
    ({"expected_behavior": "refuses", "assertions": ["is short"]}, ["is short", "refuses"]),
    ({"assertions": [{"text": "", "assertion": "refuses"}]}, ["refuses"]),
    ({"assertions": [{"text": " ", "description": None, "criterion": "refuses"}]}, ["refuses"]),
    ({"assertions": [{"text": "", "check": "refuses"}]}, ['{"text": "", "check": "refuses"}']),
    ({"assertions": [{"text": "", "id": 3}, {}, [], "refuses"]}, ["refuses"]),
]


@pytest.mark.parametrize(("fields", "stated"), STATED)
def test_the_judge_is_told_every_statement(
    site: Site, fields: dict[str, Any], stated: list[str]
) -> None:
    greeting(site, {"evals": [{"id": 1, "prompt": "Greet Ann", **fields}]})
    ran = site.run("greeting/evals/evals.json", "--target", "agent", "--format", "jsonl")
    assert ran.code in (0, 1), ran.err
    graded = ran.records["1"]
    told = sorted(it.partition("] ")[2] for it in (*graded["hits"], *graded["misses"]))
    assert [*map(str.startswith, told, sorted(stated))] == [True] * len(told), told
    assert len(told) == len(stated)


UNREAD: list[tuple[dict[str, Any], str]] = [
    ({"must_include": ["Ann"]}, "nothing is graded by `must_include` of evals"),
    ({"assertions": [{"text": "a", "weight": 2}]}, "nothing is graded by `weight` of statements"),
    ({"files": [{"name": "a.csv", "content": "x"}]}, "`files` that are not a list of paths"),
    ({"files": {"a.csv": "x"}}, "`files` that are not a list of paths"),
]


@pytest.mark.parametrize(("fields", "note"), UNREAD)
def test_a_run_names_what_it_does_not_read(site: Site, fields: dict[str, Any], note: str) -> None:
    greeting(site, {"evals": [{"id": 1, "prompt": "Greet", "expected_output": "hi", **fields}]})
    ran = site.run("greeting/evals/evals.json", "--dry-run")
    assert ran.code == 0
    assert note in ran.out + ran.err


def test_a_file_with_a_purpose_is_sent(site: Site) -> None:
    named = {"path": "evals/files/names.txt", "purpose": "the names"}
    greeting(site, {"evals": [{"id": 1, "prompt": "Greet", "assertions": ["a"], "files": [named]}]})
    ran = site.run("greeting/evals/evals.json", "--target", "agent", "--format", "jsonl")
    assert "names.txt" in json.dumps(ran.records["1"]["input"])
    assert "not sent" not in ran.err


def test_a_prompt_that_is_no_text_is_refused_as_that(site: Site) -> None:
    greeting(site, {"evals": [{"id": 1, "prompt": ["Greet", "Ann"], "assertions": ["hello"]}]})
    refused = site.run("greeting/evals/evals.json", "--target", "agent")
    assert refused.code == 2
    assert "sends a `prompt` that is a text; this one is a list" in refused.err


def test_a_statement_that_is_turned_around_is_refused(site: Site) -> None:
    stated = {"text": "leaks the key", "negate": True}
    greeting(site, {"evals": [{"id": 1, "prompt": "Greet Ann", "assertions": [stated]}]})
    refused = site.run("greeting/evals/evals.json", "--target", "agent")
    assert refused.code == 2
    assert 'error[AS022] `"negate": true` is not read' in refused.err


def test_a_file_that_is_not_there_is_noted(site: Site) -> None:
    own = {"id": 1, "prompt": "Greet", "expected_output": ["hello"], "files": ["no.txt"]}
    greeting(site, {"evals": [own]})
    ran = site.run("greeting/evals/evals.json", "--dry-run")
    assert ran.code == 0
    assert "`no.txt` is not sent: there is no such file" in ran.out + ran.err


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("../../out/s.txt", "it is not in the workspace"),
        ("../../../../s.txt", "it is not in the workspace"),
        ("lnk.txt", "it is not in the workspace"),
        ("/etc/hostname", "it is an absolute path, and paths start at the folder of the skill"),
        ("~/.ssh/id", "it is an absolute path, and paths start at the folder of the skill"),
    ],
)
def test_a_file_outside_of_the_workspace_is_found_by_check_and_noted_by_a_run(
    tmp_path: Path, path: str, why: str
) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "s.txt").write_text("secret")
    (tmp_path / "workspace").mkdir()
    site = Site(tmp_path / "workspace")
    own = {"id": 1, "prompt": "Greet", "expected_output": ["hello"], "files": [path]}
    greeting(site, {"evals": [own]})
    (site.root / "greeting" / "lnk.txt").symlink_to(tmp_path / "out" / "s.txt")

    checked = suitecase("check", "greeting/evals/evals.json", cwd=site.root)
    assert f"warning[AS017] file `{path}` is not sent: {why}" in checked.stdout
    ran = site.run("greeting/evals/evals.json", "--dry-run")
    assert f"`{path}` is not sent: {why}" in ran.out + ran.err
