"""A file belongs to a format by its content: those of other tools are named, and never changed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from suitecase.formats.suitecase.current.detect import CASE_KEYS, HEAD_KEYS
from suitecase.formats.suitecase.model import Case, SuiteHead
from suitecase.formats.suitecase.parsed import keys_of
from support.running.processes import SOUND, suitecase, write

VALLY = """\
name: storage
description: Does the skill answer?
tags: {skill: storage}
defaults: {runs: 5, timeout: "10m"}
stimuli:
  - name: upload
    prompt: How do I upload a file?
    graders:
      - {type: skill-invocation, config: {required: [storage]}}
"""
WAZA = """\
name: greeting
skill: greeting
version: "1.0"
config: {trials_per_task: 3}
tasks: ["tasks/*.yaml"]
"""
VENOM = """\
name: Orders
testcases:
  - name: create
    steps:
      - type: http
        messages: [{topic: orders, value: x}]
        assertions: [result.statuscode ShouldEqual 201]
"""
#: What each tool's file looks like, by what is said of it.
OTHERS = {
    "a suite of Vally": VALLY,
    "a suite of waza": WAZA,
    "a suite of Venom": VENOM,
    "a prompt of GitHub Models": (
        "name: Summary\nmodel: a\nmessages: [{role: user, content: Hi}]\n"
        "testData: [{input: a, expected: b}]\nevaluators: [{name: x, string: {contains: b}}]\n"
    ),
    "an evaluation set of Google ADK": (
        "eval_set_id: home\nname: home\neval_cases:\n  - eval_id: a\n    conversation: []\n"
    ),
    "a task of lm-evaluation-harness": (
        "task: quiz\ndataset_path: a/b\ndoc_to_text: '{{question}}'\ndescription: A quiz\n"
    ),
    "a registry of OpenAI Evals": (
        "quiz:\n  id: quiz.v0\n  metrics: [accuracy]\nquiz.v0:\n  class: evals.elsuite:Match\n"
    ),
    "an evaluation of mcpchecker": "kind: Eval\nmetadata: {name: a}\nconfig: {taskSets: []}\n",
    "a data set of Pydantic Evals": (
        "name: capitals\ncases:\n  - name: a\n    inputs: What?\n    expected_output: Paris\n"
    ),
    "a file of Docker Compose": "name: evals\nservices: {runner: {image: a}}\n",
    "a workflow of GitHub Actions": "name: eval\non: push\njobs: {a: {runs-on: b}}\n",
}
#: What says only in part what it is.
UNKNOWN = {
    "keys of nobody": "name: a\ndescription: b\nchecks:\n  - {run: c}\n",
    "a case in a file": "name: a\nprompt: Hi\nexpected: Hello\n",
    "a list of its own": "- {id: a, question: Hi, expected: Hello}\n",
    "tests of something": "name: a\ntests:\n  - {name: b, run: c}\n",
    "cases of its own": "name: a\ncases:\n  - {id: a, input: Hi, expected: Hello}\n",
    "broken": "name: a: b\nchecks: [\n",
}
ALL = {**OTHERS, **UNKNOWN}
each = pytest.mark.parametrize("text", ALL.values(), ids=ALL.keys())


def test_the_keys_by_which_files_are_recognized_are_those_of_the_models() -> None:
    assert set(keys_of(SuiteHead)) == HEAD_KEYS
    assert set(keys_of(Case)) == set(CASE_KEYS)


@pytest.mark.parametrize(("what", "text"), OTHERS.items(), ids=OTHERS.keys())
@pytest.mark.parametrize("name", ["a.eval.yaml", "a.eval.yml"])
def test_one_line_names_the_tool(name: str, what: str, text: str, tmp_path: Path) -> None:
    write(tmp_path, name, text)
    write(tmp_path, "own.eval.yaml", SOUND)
    done = suitecase("check", "--format", "concise", cwd=tmp_path)
    assert done.returncode == 0
    (line,) = [it for it in done.stdout.splitlines() if it.startswith(name)]
    assert line.endswith(
        f"info[SC011] not checked: it looks like {what}, which Suitecase does not read"
    )


def test_the_format_for_people_has_one_line_of_it_too(tmp_path: Path) -> None:
    write(tmp_path, "a.eval.yaml", next(iter(OTHERS.values())))
    write(tmp_path, "own.eval.yaml", SOUND)
    lines = suitecase("check", cwd=tmp_path).stdout.splitlines()
    assert "info[SC011] not checked" in lines[0]
    assert [line.partition(" ")[0] for line in lines[1:]] == ["", "Found"]


@each
def test_of_an_unknown_file_one_line_is_said_and_it_is_no_error(text: str, tmp_path: Path) -> None:
    write(tmp_path, "a.eval.yaml", text)
    write(tmp_path, "own.eval.yaml", SOUND)
    done = suitecase("check", "--format", "json", cwd=tmp_path)
    assert done.returncode == 0
    found = json.loads(done.stdout)
    listed = found if isinstance(found, list) else found["findings"]
    assert [it["code"] for it in listed] == ["SC011"]


@each
@pytest.mark.parametrize("name", ["a.eval.yaml", "a.yaml"])
def test_a_named_file_that_is_no_suite_was_not_checked(
    name: str, text: str, tmp_path: Path
) -> None:
    write(tmp_path, name, text)
    done = suitecase("check", name, cwd=tmp_path)
    assert done.returncode == 2
    assert f"{name}: cannot be checked: " in done.stderr
    assert done.stderr.count("\n") == 1
    assert "error[" not in done.stdout


@each
def test_a_folder_with_nothing_else_has_no_suite(text: str, tmp_path: Path) -> None:
    write(tmp_path, "a.eval.yaml", text)
    done = suitecase("check", ".", cwd=tmp_path)
    assert done.returncode == 2
    assert "cannot be checked: it has no suite that Suitecase reads" in done.stderr


@each
@pytest.mark.parametrize(
    "words",
    [
        ("check", "--fix", "--unsafe-fixes", "."),
        ("check", "--fix", "--unsafe-fixes", "a.eval.yaml"),
        ("check", "--fix", "--unsafe-fixes", "--force-exclude", "a.eval.yaml"),
        ("check", "--diff", "--unsafe-fixes", "a.eval.yaml"),
        ("migrate", "."),
        ("migrate", "a.eval.yaml"),
        ("lock", "a.eval.yaml"),
        ("generate", "rubrics", "a.eval.yaml", "--target", "mock"),
        ("convert", "a.eval.yaml", "--to", "yaml", "--output", "a.eval.yaml", "--force"),
    ],
    ids=" ".join,
)
def test_no_command_changes_a_file_of_another_tool(
    words: tuple[str, ...], text: str, tmp_path: Path
) -> None:
    write(tmp_path, "a.eval.yaml", text)
    done = suitecase(*words, cwd=tmp_path)
    assert (tmp_path / "a.eval.yaml").read_text("utf-8") == text
    assert [it.name for it in tmp_path.iterdir()] == ["a.eval.yaml"]
    assert not done.stdout.startswith("---")


@each
def test_on_standard_input_it_comes_back_as_it_is(text: str, tmp_path: Path) -> None:
    words = ("check", "--fix", "--unsafe-fixes", "--stdin-filename", "a.eval.yaml", "-")
    done = suitecase(*words, cwd=tmp_path, stdin=text)
    assert done.returncode == 2
    assert done.stdout == text


def test_a_commit_hook_passes_over_it(tmp_path: Path) -> None:
    write(tmp_path, "a.eval.yaml", VALLY)
    done = suitecase("check", "--force-exclude", "--fix", "a.eval.yaml", cwd=tmp_path)
    assert done.returncode == 0
    assert "it looks like a suite of Vally" in done.stdout


def test_a_run_of_a_folder_leaves_it_out(tmp_path: Path) -> None:
    write(tmp_path, "a.eval.yaml", VALLY)
    write(tmp_path, "own.eval.yaml", SOUND)
    done = suitecase("run", "--dry-run", ".", cwd=tmp_path)
    assert done.returncode == 0
    assert "a.eval.yaml" not in done.stdout.replace("own.eval.yaml", "")


def test_a_run_of_it_says_what_it_is(tmp_path: Path) -> None:
    write(tmp_path, "a.eval.yaml", VALLY)
    done = suitecase("run", "a.eval.yaml", cwd=tmp_path)
    assert done.returncode == 2
    assert "cannot be run: it looks like a suite of Vally" in done.stderr


@pytest.mark.parametrize("name", ["http.yml", "a.eval.yaml"])
def test_tests_of_venom_are_not_found_by_the_key_of_their_list(name: str, tmp_path: Path) -> None:
    write(tmp_path, name, VENOM)
    write(tmp_path, "own.eval.yaml", SOUND)
    done = suitecase("check", "--fix", "--unsafe-fixes", cwd=tmp_path)
    assert done.returncode == 0
    assert (tmp_path / name).read_text("utf-8") == VENOM


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "SC008"),
        ("# begun\n", "SC008"),
        ("desc", "SC008"),
        ("description: Greetings\n", "SC008"),
        ("target: mock\n", "SC008"),
        ("execution: {target: mock}\n", "SC008"),
        ("description: a\nevalcase:\n  - {id: a, inptu: Hi}\n", "SC008"),
        ("descripton: a\n", "SC008"),
        ("name: a\ntest:\n  - {id: a, input: Hi, expected_outcome: Greets}\n", "SC008"),
        ("- {id: a, input: Hi, expected_outcome: Greets}\n", "SC008"),
        ("evalcases:\n", "SC009"),
        ("name: a\nevalcases: []\n", "SC009"),
        ("name: a: b\nevalcases:\n  - {id: a, input: Hi, expected_outcome: Greets}\n", "SC001"),
        ("name: a: b\ntests:\n  - id: a\n    input: Hi\n    criteria: Greets\n", "SC001"),
    ],
)
def test_who_begins_a_suite_gets_help(text: str, code: str, tmp_path: Path) -> None:
    write(tmp_path, "a.eval.yaml", text)
    done = suitecase("check", "--format", "concise", cwd=tmp_path)
    assert done.returncode == 1
    assert f"error[{code}]" in done.stdout


@pytest.mark.parametrize("text", ["target: mock\n", "description: a\ntarget: mock\n"])
def test_the_beginning_of_a_suite_is_not_changed(text: str, tmp_path: Path) -> None:
    write(tmp_path, "a.eval.yaml", text)
    done = suitecase("check", "--fix", "--unsafe-fixes", cwd=tmp_path)
    assert done.returncode == 1
    assert (tmp_path / "a.eval.yaml").read_text("utf-8") == text


def test_a_misspelt_list_of_cases_can_be_fixed(tmp_path: Path) -> None:
    write(tmp_path, "a.eval.yaml", SOUND.replace("evalcases", "evalcase"))
    suitecase("check", "--fix", "--unsafe-fixes", cwd=tmp_path)
    assert (tmp_path / "a.eval.yaml").read_text("utf-8") == SOUND


QUESTION = '{"id": "a", "question": "Refunds?", "expected": "30 days"}\n'
CASE = '{"id": "a", "input": "Hi", "expected_outcome": "Greets"}\n'
RECORDS = [
    QUESTION,
    '{"input": [{"role": "user", "content": "Hi"}], "ideal": "Hello"}\n',
    '{"id": 1, "input": "Hi", "expected_output": "Hello", "metadata": {}}\n',
    '{"query": "Hi", "response": "Hello", "context": "", "ground_truth": "Hello"}\n',
    '{"id": "x", "request": {"input": "Hi"}, "grade": {"criteria": "a"}}\n',
    '{"a": 1}\n',
    "not JSON\n",
]


@pytest.mark.parametrize("line", RECORDS)
def test_lines_that_are_not_cases_are_one_line_and_stay(line: str, tmp_path: Path) -> None:
    write(tmp_path, "a.jsonl", line * 5_000)
    done = suitecase("check", "--fix", "--unsafe-fixes", "a.jsonl", cwd=tmp_path)
    assert done.returncode == 2
    assert "a.jsonl: cannot be checked: it is not a data set" in done.stderr
    assert done.stdout.count("\n") < 5
    assert (tmp_path / "a.jsonl").read_text("utf-8") == line * 5_000


@pytest.mark.parametrize("sidecar", ["- {id: a, input: Hi}\n", "stimuli: []\n", "a: 1\n"])
def test_a_yaml_file_without_a_key_of_a_sidecar_is_none(sidecar: str, tmp_path: Path) -> None:
    write(tmp_path, "cases.jsonl", CASE)
    write(tmp_path, "cases.yaml", sidecar)
    done = suitecase("check", "--format", "concise", "cases.jsonl", cwd=tmp_path)
    assert done.returncode == 0
    assert "sidecar of this data set" not in done.stdout
    done = suitecase("check", "cases.yaml", cwd=tmp_path)
    assert done.returncode == 2


@pytest.mark.parametrize(
    "sidecar", ["description: a\n", "executoin: {target: mock}\n", "", "a: b: c\n"]
)
def test_beside_cases_a_sidecar_may_be_begun_or_wrong(sidecar: str, tmp_path: Path) -> None:
    write(tmp_path, "cases.jsonl", CASE)
    write(tmp_path, "cases.yaml", sidecar)
    done = suitecase("check", "cases.yaml", cwd=tmp_path)
    assert "cannot be checked" not in done.stderr


@pytest.mark.parametrize(
    "sidecar", ["execution: {target: mock}\n", "evaluation_criteria: Is kind\n"]
)
def test_a_sidecar_says_that_lines_are_cases(sidecar: str, tmp_path: Path) -> None:
    write(tmp_path, "cases.jsonl", QUESTION)
    write(tmp_path, "cases.yaml", sidecar)
    done = suitecase("check", "--format", "concise", cwd=tmp_path)
    assert "unknown key `question`" in done.stdout


def test_a_file_that_names_its_data_is_no_suite_for_that(tmp_path: Path) -> None:
    write(tmp_path, "cases.jsonl", QUESTION)
    write(tmp_path, "config.yaml", "model: a\ncases: ./cases.jsonl\nworkers: 4\n")
    done = suitecase("check", "--fix", "--unsafe-fixes", "cases.jsonl", "config.yaml", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.count("cannot be checked") == 2


LISTS = {
    "cases.json": '[{"id": "a", "question": "Refunds?", "expected": "30 days"}]',
    "cases.yaml": "- {id: a, input: Refunds?, expected: 30 days}\n",
    "golden.yaml": "cases:\n  - {id: a, input: Refunds?, grader: {kind: regex}}\n",
    "golden.json": '{"cases": [{"id": "a", "query": "Refunds?", "expected_title": "b"}]}',
    "evals.json": '{"evals": [{"question": "Refunds?", "answer": "30 days"}]}',
    "targets.yaml": "- targets: [localhost:9090]\n  labels: {job: a}\n",
    "other/targets.yaml": "targets:\n  - {host: a, port: 1}\n",
    "promptfooconfig.b.yaml": "title: A pipeline\nsteps: [{run: a}]\n",
    "promptfooconfig.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: promptfooconfig}\n",
}


@pytest.mark.parametrize(("name", "text"), LISTS.items(), ids=LISTS.keys())
def test_lists_of_other_programs_are_neither_wrong_nor_green(
    name: str, text: str, tmp_path: Path
) -> None:
    path = f"evals/{name}"
    write(tmp_path, path, text)
    done = suitecase("check", "--fix", "--unsafe-fixes", path, cwd=tmp_path)
    assert done.returncode == 2
    assert f"{path}: cannot be checked: " in done.stderr
    assert "error[" not in done.stdout
    assert (tmp_path / path).read_text("utf-8") == text
    write(tmp_path, "own.eval.yaml", SOUND)
    done = suitecase("check", "--fix", "--unsafe-fixes", cwd=tmp_path)
    assert done.returncode == 0
    assert (tmp_path / path).read_text("utf-8") == text
