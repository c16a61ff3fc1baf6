"""`suitecase run` of folders: each suite below is run once, and what is not run is named."""

from __future__ import annotations

import json

import pytest

from support.running.processes import suitecase
from support.running.site import Site
from support.servers.openai import OpenAiServer  # pyright: ignore[reportMissingImports] - see conftest

HELLO = (
    "- {id: hello, expected_outcome: hello, input: hello, tags: [polite], "
    "evaluators: [{name: h, type: contains, value: hello}]}"
)
BYE = HELLO.replace("hello", "bye").replace("polite", "short")
BROKEN = "- {id: broken, input: x}"
PROMPTFOO = """
    prompts: ['{{q}}']
    providers: [echo]
    tests: [{vars: {q: x}, assert: [{type: contains, value: x}]}]
"""


LIST_OF_TESTS = "- {vars: {q: x}, assert: [{type: contains, value: x}]}\n"


def test_all_suites_that_check_finds_are_run_in_order(site: Site) -> None:
    site.suite(BYE, name="evals/b.eval.yaml")
    site.suite(HELLO, name="evals/a.eval.yaml")
    site.suite(HELLO, name="evals/deep/c.eval.yaml")
    site.suite(HELLO, name="evals/archive/old.eval.yaml")
    site.write("targets.yaml", "targets: [{name: a, provider: mock}]")
    site.write("suitecase.toml", 'exclude = ["evals/archive/**"]')
    ran = site.run("evals", "--format", "json", "--no-results")
    assert ran.code == 0, ran.err
    document = json.loads(ran.out)
    assert [it["suite_path"] for it in document["results"]] == [
        "evals/a.eval.yaml",
        "evals/b.eval.yaml",
        "evals/deep/c.eval.yaml",
    ]
    assert "skipped" not in document
    assert document["problems"] == []


def test_without_a_path_those_of_the_working_directory_are_run(site: Site) -> None:
    site.suite(HELLO, name="evals/a.eval.yaml")
    site.suite(HELLO, name="other/b.eval.yaml")
    ended = suitecase("run", "--no-results", cwd=site.root / "evals")
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith("REHEARSED   1.00  hello")
    assert "1 rehearsed" in ended.stdout
    assert "2 rehearsed" in site.run("--no-results").out


def test_cases_stand_below_the_name_of_their_suite(site: Site) -> None:
    site.suite(HELLO, name="a.eval.yaml")
    site.suite(BYE, name="b.eval.yaml")
    lines = site.run("--no-results").out.splitlines()
    assert lines[0] == "a.eval.yaml"
    assert lines[1].split()[2] == "hello"
    assert lines[lines.index("b.eval.yaml") + 1].split()[2] == "bye"


def test_a_suite_is_run_once_however_often_it_is_named(site: Site) -> None:
    suite = site.suite(f"{HELLO}\n{BYE}", name="evals/a.eval.yaml")
    (suite.parent / "again.eval.yaml").symlink_to(suite)
    site.write("evals/set.jsonl", '{"id": "one", "input": "hello", "expected_outcome": "hello"}\n')
    site.write("evals/set.yaml", "dataset: set\n")
    ran = site.run(
        *("evals", "evals/a.eval.yaml::hello", "evals/", "--format", "jsonl", "--no-results")
    )
    found = [(it["suite_path"], it["eval_id"]) for it in map(json.loads, ran.out.splitlines())]
    assert sorted(found) == [
        ("evals/a.eval.yaml", "bye"),
        ("evals/a.eval.yaml", "hello"),
        ("evals/set.jsonl", "one"),
    ]


def test_a_broken_suite_is_listed_and_does_not_block_the_others(site: Site) -> None:
    site.suite(HELLO, name="evals/a.eval.yaml")
    site.suite(BROKEN, name="evals/b.eval.yaml")
    site.write("evals/c.eval.yaml", "evalcases: []\n")
    ran = site.run("evals", "--no-results")
    assert ran.code == 2
    assert "evals/b.eval.yaml has 1 error, so it was not run" in ran.err
    assert "evals/b.eval.yaml: not run, 1 error" in ran.out
    assert "evals/c.eval.yaml: not run, 1 error" in ran.out
    assert "1 rehearsed" in ran.out


def test_suites_of_other_tools_are_run_with_the_others(site: Site) -> None:
    site.suite(HELLO, name="evals/a.eval.yaml")
    site.write("evals/promptfooconfig.yaml", PROMPTFOO)
    ran = site.run("evals", "--no-results")
    assert ran.code == 0, ran.err
    assert "2 rehearsed" in ran.out


def test_a_file_that_is_only_a_part_of_a_suite_is_not_run(site: Site) -> None:
    site.write("evals/list.yaml", LIST_OF_TESTS)
    assert site.run("evals").code == 2
    ran = site.run("evals/list.yaml")
    assert ran.code == 2
    assert "evals/list.yaml cannot be run: it is a list of tests" in ran.err


def test_suites_without_a_selected_case_are_counted(site: Site) -> None:
    for name in "abc":
        site.suite(HELLO, name=f"{name}.eval.yaml")
    site.suite(BYE, name="d.eval.yaml")
    ran = site.run(".", "--tags", "short", "--no-results")
    assert ran.code == 0, ran.err
    assert "3 of 4 suites have no case that is selected" in ran.err
    assert "has no case with" not in ran.err
    none = site.run(".", "--tags", "sweet", "--no-results")
    assert none.code == 2
    assert "no suite has a case that is selected" in none.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["empty"], "empty: cannot be run: no suite found in this folder"),
        (["evals::hello"], "evals is a folder: name the suite that has the case"),
        (["evals::hello"], "as with `--filter hello`"),
        (["gone"], "gone: cannot be run: it does not exist"),
        (["::hello"], "`::hello` names no suite"),
        (["evals/a.eval.yaml::"], "no name of a case behind `::`; evals/a.eval.yaml alone is all"),
    ],
)
def test_a_folder_that_cannot_be_meant_is_refused_before_anything_is_run(
    site: Site, arguments: list[str], message: str
) -> None:
    site.suite(HELLO, name="evals/a.eval.yaml")
    (site.root / "empty").mkdir()
    ran = site.run("evals/a.eval.yaml", *arguments)
    assert ran.code == 2
    assert message in ran.err
    assert ran.out == ""


def test_what_models_will_be_asked_is_said_before_the_first_call(
    site: Site, openai_server: OpenAiServer
) -> None:
    openai_server.default = lambda _: "hello"
    entry = {"provider": "openai", "model": "m-1", "api_base": openai_server.url, "api_key": "key"}
    site.write("targets.yaml", json.dumps({"targets": [{"name": "bot", **entry}]}))
    head = "execution: {target: bot}"
    site.suite(f"{HELLO}\n{BYE}", head=head, name="evals/a.eval.yaml")
    site.suite(HELLO, head=head, name="evals/b.eval.yaml")
    ran = site.run("evals", "--no-results")
    first, second, *_ = ran.err.splitlines()
    assert first == "Running 2 suites with 1 target: 3 cases"
    assert second.startswith("    asks `bot` (openai, m-1): 3 questions, about ")
    assert "Running" not in site.run("evals/a.eval.yaml", "--no-results").err
    # Nobody waits for a mock or pays for it.
    assert "Running" not in site.run("evals", "--target", "mock", "--no-results").err


def test_a_budget_is_one_for_all_suites_of_a_folder(
    site: Site, openai_server: OpenAiServer
) -> None:
    openai_server.default = lambda _: "hello"
    price = {"per_question": 1.0}
    entry = {"provider": "openai", "model": "m-1", "api_base": openai_server.url, "api_key": "key"}
    site.write("targets.yaml", json.dumps({"targets": [{"name": "bot", "price": price, **entry}]}))
    for name in "abcd":
        site.suite(HELLO, head="execution: {target: bot}", name=f"evals/{name}.eval.yaml")
    ran = site.run("evals", "--budget-usd", "2", "--no-results")
    assert ran.code == 3
    assert len(openai_server.requests) == 2
    assert "the budget of $2 is used up" in ran.err
