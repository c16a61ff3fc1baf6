"""`suitecase convert`: what is written, what is told, and what is left alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.running.commands import CommandSite

SUITE = """\
# Greetings of all kinds
description: Greets
execution:
  target: mock
evalcases:
  - id: greet   # the first
    input: Hi
    expected_outcome: &hello Says hello
    tags: [short]
  # Two lines
  # about the next
  - id: part
    input: "yes"
    expected_outcome: *hello
"""


class Site(CommandSite):
    """A folder with a suite, and the command."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.write("greet.eval.yaml", SUITE)


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def test_a_suite_becomes_lines_with_a_sidecar_and_what_is_lost_is_told(site: Site) -> None:
    ran = site.run("convert", "greet.eval.yaml", "--to", "jsonl")
    assert ran.code == 0
    assert ran.out == "greet.eval.yaml: written as greet.jsonl and greet.yaml, 2 cases\n"
    assert ran.err.splitlines() == [
        "greet.eval.yaml:1:1: lost: the comment # Greetings of all kinds",
        "greet.eval.yaml:6:17: lost: the comment # the first",
        "greet.eval.yaml:10:3: lost: the comment # Two lines and 1 more line",
        "greet.eval.yaml:8:23: what `&hello` names is written out wherever it is used",
    ]
    assert [json.loads(line) for line in site.read("greet.jsonl").splitlines()] == [
        {"id": "greet", "input": "Hi", "expected_outcome": "Says hello", "tags": ["short"]},
        {"id": "part", "input": "yes", "expected_outcome": "Says hello"},
    ]
    assert site.read("greet.yaml") == "description: Greets\nexecution:\n  target: mock\n"
    assert site.run("check", "greet.jsonl").code == 0


def test_lines_become_a_suite_that_people_like_to_read(site: Site) -> None:
    case = {
        "expected_outcome": "Says hello,\nand more\n",
        "x-mine": 1,
        "input": [{"content": "012", "role": "user"}],
        "id": "greet",
    }
    site.write("data.jsonl", json.dumps(case) + "\n\n" + json.dumps({**case, "id": "b"}) + "\n")
    site.write("data.yaml", "dataset: greetings # of old\n")
    ran = site.run("convert", "data.jsonl", "--output", "all.yaml")
    assert (ran.code, ran.out) == (0, "data.jsonl: written as all.yaml, 2 cases\n")
    assert ran.err == "data.yaml:1:20: lost: the comment # of old\n"
    body = """\
    expected_outcome: |
      Says hello,
      and more
    input:
      - role: user
        content: '012'
    x-mine: 1
"""
    assert site.read("all.yaml") == (
        f"dataset: greetings\n\nevalcases:\n  - id: greet\n{body}\n  - id: b\n{body}"
    )


@pytest.mark.parametrize(
    "line",
    [
        {"role": "user", "content": "Hi", "target": "bot"},
        {"eval_id": "a", "score": 1.0, "input": "Hi", "target": "bot"},
        {"prompt": "Hi", "completion": "Hello"},
    ],
)
def test_lines_that_are_not_cases_become_no_suite(site: Site, line: dict[str, Any]) -> None:
    text = f"{json.dumps(line)}\n{json.dumps(line)}\n"
    site.write("lines.jsonl", text)
    before = site.names()
    ran = site.run("convert", "lines.jsonl", "--to", "yaml")
    assert ran.code == 2
    assert "lines.jsonl cannot be converted: it is " in ran.err
    assert site.names() == before
    piped = site.run("convert", "-", "--to", "yaml", stdin=text)
    assert (piped.code, piped.out) == (2, "")


def test_a_name_that_results_know_is_kept(site: Site) -> None:
    ran = site.run("convert", "greet.eval.yaml", "--output", "other.jsonl")
    assert "`dataset: greet` is added" in ran.err
    assert "dataset: greet\n" in site.read("other.yaml")


def test_nothing_is_written_over_unasked(site: Site) -> None:
    site.write("greet.jsonl", "mine\n")
    site.write("greet.yaml", "also: mine\n")
    before = site.names()
    refused = site.run("convert", "greet.eval.yaml", "--to", "jsonl")
    assert refused.code == 2
    assert "greet.jsonl and greet.yaml are there already; --force writes over" in refused.err
    assert (site.read("greet.jsonl"), site.names()) == ("mine\n", before)
    assert site.run("convert", "greet.eval.yaml", "--to", "jsonl", "--force").code == 0
    assert site.read("greet.yaml").startswith("description: Greets\n")


def test_a_data_set_is_written_with_its_sidecar_or_not_at_all(site: Site) -> None:
    site.write("greet.yaml", "also: mine\n")
    (site.root / "greet.jsonl").mkdir()
    ran = site.run("convert", "greet.eval.yaml", "--to", "jsonl", "--force")
    assert ran.code == 2
    assert "greet.jsonl: cannot be written: it is a folder" in ran.err
    assert site.read("greet.yaml") == "also: mine\n"
    assert site.names() == ["greet.eval.yaml", "greet.jsonl", "greet.yaml"]


def test_a_suite_is_never_taken_for_its_own_sidecar(site: Site) -> None:
    site.write("plain.yaml", SUITE)
    ran = site.run("convert", "plain.yaml", "--to", "jsonl", "--force")
    assert ran.code == 2
    assert "--output plain-cases.jsonl" in ran.err
    site.write("lines.jsonl", '{"id": "a", "input": "b", "expected_outcome": "c"}\n')
    ran = site.run("convert", "lines.jsonl", "--output", "lines.yaml")
    assert ran.code == 2
    assert "--output lines.eval.yaml" in ran.err
    assert site.read("plain.yaml") == SUITE


def test_an_old_sidecar_does_not_slip_in(site: Site) -> None:
    site.write("bare.eval.yaml", SUITE[SUITE.index("evalcases") :])
    site.write("bare.yaml", "execution: {target: another}\n")
    assert site.run("convert", "bare.eval.yaml", "--to", "jsonl").code == 2
    assert site.run("convert", "bare.eval.yaml", "--to", "jsonl", "--force").code == 0
    assert site.read("bare.yaml") == "dataset: bare\n"


def test_standard_input_and_output(site: Site) -> None:
    line = '{"id": "a", "input": "b", "expected_outcome": "c"}\n'
    ran = site.run("convert", "-", "--to", "yaml", stdin=line)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == "evalcases:\n  - id: a\n    expected_outcome: c\n    input: b\n"
    back = site.run("convert", "-", "--to", "jsonl", stdin=ran.out)
    assert json.loads(back.out) == json.loads(line)
    headed = site.run("convert", "greet.eval.yaml", "--to", "jsonl", "--output", "-")
    assert (headed.code, headed.out) == (1, "")
    assert "its sidecar, for which there is no place on standard output" in headed.err
    assert site.names() == ["greet.eval.yaml"]


def test_the_installed_command_reads_and_writes_bytes(site: Site) -> None:
    line = '{"id": "a", "input": "\u00e9 \U0001f600", "expected_outcome": "c"}\n'
    command = [sys.executable, "-m", "suitecase", "convert", "-", "--to", "yaml"]
    ended = subprocess.run(command, input=line.encode(), capture_output=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert "input: \u00e9 \U0001f600\n".encode() in ended.stdout


@pytest.mark.parametrize(
    ("text", "place", "reason"),
    [
        (SUITE.replace("Hi", ".nan"), ":7:12: ", "JSON has no number `.nan`"),
        (SUITE.replace("tags:", "input: Ho\n    tags:"), ":9:5: ", "`input` is given twice"),
        (SUITE.replace('"yes"', '"yes'), ":13:12: ", "before the quote is closed"),
        (SUITE + "  - just a text\n", ":15:5: ", "this case is not a mapping"),
        ("evalcases: []\n", ":1:1: ", "there are no cases"),
        (
            SUITE.replace("evalcases", "tests") + "    assert: [{type: contains, value: a, transform: b}]\n",
            ":15:41: ",
            "`transform` of an evaluator has no equivalent here",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_kept_is_refused_at_its_place(
    site: Site, text: str, place: str, reason: str
) -> None:
    site.write("wrong.eval.yaml", text)
    ran = site.run("convert", "wrong.eval.yaml", "--to", "jsonl")
    assert ran.code == 1
    assert f"wrong.eval.yaml{place}" in ran.err
    assert reason in ran.err
    assert ran.err.endswith("nothing was written\n")
    assert site.names() == ["greet.eval.yaml", "wrong.eval.yaml"]


def test_half_a_surrogate_pair_has_no_place_in_yaml(site: Site) -> None:
    line = '{"id": "a", "input": "\\ud83d", "expected_outcome": "c"}\n'
    ran = site.run("convert", "-", "--to", "yaml", stdin=line)
    assert (ran.code, ran.out) == (1, "")
    assert "standard input:1:22: this text holds half of a surrogate pair, U+D83D" in ran.err


def test_a_suite_whose_files_would_not_be_found_stays_where_it_is(site: Site) -> None:
    site.write("prompts/judge.md", "Grade {{ candidate_answer }}\n")
    evaluators = "    evaluators: [{name: j, type: llm_judge, prompt: prompts/judge.md}]\n"
    site.write("far.eval.yaml", SUITE + evaluators)
    (site.root.parent / "elsewhere").mkdir(exist_ok=True)
    target = os.path.join(os.pardir, "elsewhere", "far.jsonl")  # noqa: PTH118 - as it is typed
    ran = site.run("convert", "far.eval.yaml", "--output", target)
    assert ran.code == 1
    assert "far.eval.yaml:12:5: in its new place: " in ran.err
    assert "prompts/judge.md" in ran.err
    assert site.run("convert", "far.eval.yaml", "--output", "near.jsonl").code == 0


def test_older_formats_come_out_in_todays(site: Site) -> None:
    site.write(
        "old.yaml",
        """\
        tests:
          - id: a
            input: Hi
            criteria: Says hello
            assert:
              - {type: contains, value: hello}
        assert:
          - {type: is-json}
          - {type: contains, value: "!"}
        """,
    )
    ran = site.run("convert", "old.yaml", "--output", "new.jsonl")
    assert ran.code == 0, ran.err
    assert json.loads(site.read("new.jsonl")) == {
        "id": "a",
        "input": "Hi",
        "expected_outcome": "Says hello",
        "evaluators": [
            {"name": "contains", "type": "contains", "value": "hello"},
            {"name": "is_json", "type": "is_json"},
            {"name": "contains-2", "type": "contains", "value": "!"},
        ],
    }


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("nope.yaml", "--to", "jsonl"), "it does not exist"),
        (("greet.eval.yaml",), "choose the format with --to: jsonl, prompt-library"),
        (("greet.eval.yaml", "--to", "yaml"), "`suitecase migrate greet.eval.yaml`"),
        (("greet.eval.yaml", "--to", "jsonl", "--output", "x.txt"), "must end with `.jsonl`"),
        (("notes.yaml", "--to", "jsonl"), "neither a suite nor a prompt library"),
        (
            ("foreign.yaml", "--to", "jsonl"),
            "it is a list of tests in the manner of promptfoo, which",
        ),
        (("cut.json", "--to", "yaml"), "cut.json cannot be converted: line 2, column 15: this is"),
        (("greet.eval.yaml", "--to", "jsonl", "--prompt", "a"), "--prompt chooses a prompt of"),
    ],
)
def test_what_is_asked_wrongly(site: Site, arguments: tuple[str, ...], reason: str) -> None:
    site.write("notes.yaml", "a: b\n")
    site.write("cut.json", '[{"content": "a",\n  "test_cases"}]\n')
    site.write("foreign.yaml", "- vars: {a: b}\n  assert: [{type: contains, value: b}]\n")
    ran = site.run("convert", *arguments)
    assert ran.code == 2
    assert reason in ran.err
