"""`suitecase generate rubrics`: what is asked, what is written, and what stays as it was."""

from __future__ import annotations

import json
import os
import signal
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest
import yaml

from support.running.commands import CommandSite
from support.running.forked import ForkedCommand
from support.running.site import Ran


def reply(*rubrics: dict[str, Any]) -> str:
    """Return what a model says that proposes these rubrics."""
    return json.dumps({"rubrics": rubrics})


SORRY = {"id": "sorry", "expected_outcome": "Says sorry", "weight": 2, "required": True}
NEXT = {"id": "next", "expected_outcome": "Says: what next", "weight": 1.0, "required": False}
#: How both stand in a suite.
BLOCK = """\
    rubrics:
      - id: sorry
        expected_outcome: Says sorry
        weight: 2
      - id: next
        expected_outcome: 'Says: what next'
        required: false
"""


ITEMS = BLOCK.partition("\n")[2]


class Generating(CommandSite):
    """A workspace with a target `writer`, which answers each case from a list."""

    def targets(self, replies: dict[str, Any], **more: Any) -> None:
        writer = {"name": "writer", "provider": "mock", "response": replies, **more}
        self.write("targets.yaml", json.dumps({"targets": [writer]}))

    def generate(self, suite: str = "a.eval.yaml", *options: str) -> Ran:
        return self.run("generate", "rubrics", suite, "--target", "writer", *options)


@pytest.fixture
def site(tmp_path: Path) -> Generating:
    made = Generating(tmp_path)
    made.targets({"a": reply(SORRY, NEXT), "b": reply(SORRY, NEXT)})
    return made


def test_rubrics_are_written_where_they_belong_and_nothing_else_changes(site: Generating) -> None:
    before = (
        "# Replies\n"
        "evalcases:\n"
        "  - id: a   # the first\n"
        "    expected_outcome: 'Apologises'   # and more\n"
        "    # what is asked\n"
        "    input: |\n"
        "      My parcel\n"
        "\n"
        "      # is late\n"
        "\n"
        "    # whom\n"
        "    tags: [x]\n"
        "  - {id: b, input: Hi, expected_outcome: Apologises}   # short\n"
    )
    site.write("a.eval.yaml", before)
    ran = site.generate()
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines() == [
        "a.eval.yaml::a: got 2 rubrics",
        "a.eval.yaml::b: got 2 rubrics",
        "a.eval.yaml: rubrics written for 2 of 2 cases",
    ]
    flow = (
        ', rubrics: [{id: "sorry", expected_outcome: "Says sorry", weight: 2}, '
        '{id: "next", expected_outcome: "Says: what next", required: false}]}'
    )
    assert site.read("a.eval.yaml") == before.replace(
        "      # is late\n", f"      # is late\n{BLOCK}"
    ).replace("Apologises}", f"Apologises{flow}")
    assert site.run("check", ".").code == 0


def test_a_second_time_changes_nothing(site: Generating) -> None:
    site.write("a.eval.yaml", "evalcases:\n  - id: a\n    input: Hi\n    expected_outcome: x\n")
    assert site.generate().code == 0
    once = site.read("a.eval.yaml")
    ran = site.generate()
    assert ran.code == 0
    assert "a.eval.yaml::a: unchanged: it has rubrics, in `rubrics`; --replace" in ran.err
    assert site.read("a.eval.yaml") == once


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            "evalcases:\r\n  - id: a\r\n    input: Hi\r\n    expected_outcome: x\r\n",
            "evalcases:\r\n  - id: a\r\n    input: Hi\r\n    expected_outcome: x\r\n"
            + BLOCK.replace("\n", "\r\n"),
            id="line endings",
        ),
        pytest.param(
            "\ufeffevalcases:\n  - id: a\n    input: Hi\n    expected_outcome: x",
            f"\ufeffevalcases:\n  - id: a\n    input: Hi\n    expected_outcome: x\n{BLOCK}"[:-1],
            id="no line break at the end",
        ),
        pytest.param(
            "evalcases:\n- expected_outcome: x\n  id: a\n  input:\n  - role: user\n    content: Hi\n",
            "evalcases:\n- expected_outcome: x\n  id: a\n  input:\n  - role: user\n    content: Hi\n"
            "  rubrics:\n  - id: sorry\n    expected_outcome: Says sorry\n    weight: 2\n"
            "  - id: next\n    expected_outcome: 'Says: what next'\n    required: false\n",
            id="lists as deep as their keys",
        ),
        pytest.param(
            "evalcases:\n- id: a\n  expected_outcome: x\n  input:\n    - role: user\n"
            "      content: Hi\n",
            "evalcases:\n- id: a\n  expected_outcome: x\n  input:\n    - role: user\n"
            f"      content: Hi\n{textwrap.indent(textwrap.dedent(BLOCK), '  ')}",
            id="lists of the case deeper than their keys, those of the suite not",
        ),
        pytest.param(
            "evalcases:\n- id: a\n  expected_outcome: x\n  input: Hi\n",
            "evalcases:\n- id: a\n  expected_outcome: x\n  input: Hi\n"
            f"  rubrics:\n{textwrap.indent(textwrap.dedent(ITEMS), '  ')}",
            id="the list of cases as deep as its key",
        ),
        pytest.param(
            "evalcases:\n  - id: a\n    expected_outcome: x\n    input: |\n      Hi",
            f"evalcases:\n  - id: a\n    expected_outcome: x\n{BLOCK}    input: |\n      Hi",
            id="a block of text at the end",
        ),
    ],
)
def test_a_suite_keeps_its_manner(site: Generating, before: str, after: str) -> None:
    site.write("a.eval.yaml", before)
    ran = site.generate()
    assert ran.code == 0, ran.err
    assert site.read("a.eval.yaml") == after


@pytest.mark.parametrize(
    "case",
    [
        "{id: a, input: Hi, expected_outcome: x}",
        '{"id": "a", "input": "Hi", "expected_outcome": "x"}',
        "id: a\n    input: Hi\n    expected_outcome: x",
    ],
)
def test_characters_that_yaml_takes_for_line_breaks_or_nobody_sees_are_escaped(
    site: Generating, case: str
) -> None:
    said = "Says \x85 a \u2028 b \x7f c \u202e d"
    site.targets({"a": reply({"id": "said", "expected_outcome": said})})
    site.write("a.eval.yaml", f"evalcases:\n  - {case}\n")
    ran = site.generate()
    assert ran.code == 0, ran.err
    written = site.read("a.eval.yaml")
    assert written.isascii()
    (made,) = yaml.safe_load(written)["evalcases"]
    assert made["rubrics"] == [{"id": "said", "expected_outcome": said}]


def test_rubrics_are_replaced_where_that_is_asked_for(site: Generating) -> None:
    before = (
        "evalcases:\n  - id: a\n    input: Hi\n    rubrics:   # old ones\n      - Old  # one\n"
        "      - |\n        Old\n        too\n    # outcome\n    expected_outcome: x\n"
        "  - rubrics: [Old]\n    id: b\n    input: Hi\n    expected_outcome: x\n"
    )
    site.write("a.eval.yaml", before)
    ran = site.generate("a.eval.yaml", "--replace")
    assert ran.code == 0, ran.err
    assert site.read("a.eval.yaml") == (
        f"evalcases:\n  - id: a\n    input: Hi\n{BLOCK}    # outcome\n    expected_outcome: x\n"
        f"  - {BLOCK.strip(' ')}    id: b\n    input: Hi\n    expected_outcome: x\n"
    )


def test_cases_with_rubrics_elsewhere_are_left(site: Generating) -> None:
    judge = "    evaluators: [{name: j, type: llm_judge, rubrics: [Good]}]\n"
    text = f"evalcases:\n  - id: a\n    input: Hi\n    expected_outcome: x\n{judge}"
    site.write("a.eval.yaml", text)
    ran = site.generate("a.eval.yaml", "--replace")
    assert ran.code == 0
    assert "it has rubrics, in the evaluator `j`\n" in ran.err
    assert site.read("a.eval.yaml") == text


def test_a_data_set_stays_lines_of_json(site: Generating) -> None:
    cases = [{"id": it, "input": "Hi", "expected_outcome": "x"} for it in ("a", "b")]
    site.write("a.jsonl", "".join(json.dumps(it) + "\n" for it in cases))
    site.write("a.yaml", "dataset: some\n")
    assert site.generate("a.jsonl::b").code == 0
    first, second = site.read("a.jsonl").splitlines()
    assert json.loads(first) == cases[0]
    assert [it["id"] for it in json.loads(second)["rubrics"]] == ["sorry", "next"]
    assert site.run("check", "a.jsonl").code == 0


SUITE = "evalcases:\n" + "".join(
    f"  - id: {it}\n    input: Hi\n    expected_outcome: x\n" for it in ("a", "b")
)


def test_what_is_wrong_with_one_reply_holds_up_no_other_case(site: Generating) -> None:
    wrong = [
        "I would rather not.",
        reply({"id": "A b", "expected_outcome": " "}),
        reply(SORRY, {**NEXT, "id": "sorry"}),
    ]
    site.targets({"a": wrong, "b": f"Here you are:\n```json\n{reply({**SORRY, 'why': 1})}\n```"})
    site.write("a.eval.yaml", SUITE)
    ran = site.generate()
    assert ran.code == 1
    assert "a.eval.yaml::a: no rubrics: none of 3 replies could be used; " in ran.err
    assert "two items have the id `sorry`" in ran.err
    assert "a.eval.yaml: rubrics written for 1 of 2 cases" in ran.out
    assert site.read("a.eval.yaml").startswith(SUITE)
    assert site.read("a.eval.yaml").count("rubrics:") == 1


def test_a_reply_is_asked_for_again_until_it_can_be_used(site: Generating) -> None:
    site.targets({"a": [reply(), reply({**SORRY, "weight": 0}), reply(NEXT)]})
    site.write("a.eval.yaml", SUITE)
    assert site.generate("a.eval.yaml::a").code == 0
    assert "id: next" in site.read("a.eval.yaml")


def test_an_item_without_end_is_not_written(site: Generating) -> None:
    site.targets({"a": reply({"id": "long", "expected_outcome": "word " * 1_000_000})})
    site.write("a.eval.yaml", SUITE)
    ran = site.generate("a.eval.yaml::a")
    assert ran.code == 1
    assert "must be a non-empty text, 2,000 characters at most" in ran.err
    assert site.read("a.eval.yaml") == SUITE


def test_what_would_not_check_is_not_written(site: Generating) -> None:
    taken = "    evaluators: [{name: rubric, type: contains, value: x}]\n"
    site.write("a.eval.yaml", SUITE + taken)
    ran = site.generate()
    assert ran.code == 1
    assert (
        "a.eval.yaml::b: not written, so no model is asked: the suite would have an error: the name"
        in ran.err
    )
    assert "a.eval.yaml: rubrics written for 1 of 2 cases" in ran.out
    assert site.run("check", "a.eval.yaml").code == 0


def test_no_model_is_asked_about_a_case_that_cannot_be_changed(site: Generating) -> None:
    text = "evalcases:\n  - id: a\n    input: Hi\n    expected_outcome: |+\n      Says hello\n\n\n"
    site.targets({"a": "no reply that could be used"})
    site.write("a.eval.yaml", text)
    for options in ([], ["--dry-run"]):
        ran = site.generate("a.eval.yaml", *options)
        assert ran.code == 1
        assert "a.eval.yaml::a: not written, so no model is asked: " in ran.err
        assert "would call" not in ran.out
    assert site.read("a.eval.yaml") == text


def test_a_dry_run_asks_nobody_and_a_diff_writes_nothing(site: Generating) -> None:
    site.write("a.eval.yaml", SUITE)
    ran = site.generate("a.eval.yaml", "--dry-run")
    assert ran.code == 0
    assert ran.out.splitlines() == [
        "a.eval.yaml::a: would call `writer`",
        "a.eval.yaml::b: would call `writer`",
        ("`writer` would get 2 calls, at most 6 if replies cannot be used. Nothing was called."),
    ]
    ran = site.generate("a.eval.yaml::b", "--diff")
    assert ran.code == 0
    assert ran.out.startswith("--- a.eval.yaml\n+++ a.eval.yaml\n@@ -5,3 +5,10 @@\n")
    assert "\n+      - id: sorry\n" in ran.out
    assert "rubrics proposed, not written, for 1 of 1 case" in ran.err
    assert site.read("a.eval.yaml") == SUITE


def test_who_cannot_propose_says_so(site: Generating) -> None:
    site.write("a.eval.yaml", SUITE)
    ran = site.run("generate", "rubrics", "a.eval.yaml")
    assert ran.code == 2
    assert "the target `mock` is the mock, which repeats the question" in ran.err
    assert "--target" in ran.err
    replay = {"name": "old", "provider": "replay", "results": "r.jsonl"}
    site.write("targets.yaml", json.dumps({"targets": [replay]}))
    ran = site.run("generate", "rubrics", "a.eval.yaml", "--target", "old")
    assert (ran.code, "replays answers" in ran.err) == (2, True)


def test_the_judge_of_the_suite_is_asked_where_none_is_named(site: Generating) -> None:
    site.targets({"a": reply(SORRY)})
    bot = {"name": "bot", "provider": "mock", "judge_target": "writer"}
    listed = json.loads(site.read("targets.yaml"))["targets"]
    site.write("targets.yaml", json.dumps({"targets": [bot, *listed]}))
    site.write("a.eval.yaml", f"execution:\n  target: bot\n{SUITE}")
    ran = site.run("generate", "rubrics", "a.eval.yaml::a", "--dry-run")
    assert "a.eval.yaml::a: would call `writer`" in ran.out


@pytest.mark.parametrize(
    ("arguments", "code", "reason"),
    [
        (("nope.yaml",), 2, "it does not exist"),
        (("a.eval.yaml::c",), 2, "has no case `c`"),
        (("a.eval.yaml", "--target", "writr"), 2, "did you mean `writer`?"),
        (("wrong.eval.yaml",), 2, "wrong.eval.yaml has errors, so no target was called"),
        (("a.eval.yaml", "--dry-run", "--diff"), 2, "exclude each other"),
        (("a.eval.yaml", "--target", "keyless"), 3, "SUITECASE_NO_SUCH_KEY"),
    ],
)
def test_what_is_asked_wrongly(
    site: Generating, arguments: tuple[str, ...], code: int, reason: str
) -> None:
    site.write("a.eval.yaml", SUITE)
    site.write("wrong.eval.yaml", SUITE.replace("input", "inptu"))
    writer = json.loads(site.read("targets.yaml"))["targets"]
    keyless = {"name": "keyless", "provider": "openai", "model": "m"}
    keyless["api_key"] = "${{ SUITECASE_NO_SUCH_KEY }}"
    site.write("targets.yaml", json.dumps({"targets": [*writer, keyless]}))
    ran = site.run("generate", "rubrics", *arguments)
    assert ran.code == code
    assert reason in ran.err


def test_a_program_that_proposes_is_held_as_the_command_line_says(site: Generating) -> None:
    program = site.write("propose.py", f"print({reply(SORRY)!r})\nopen('made', 'w').close()\n")
    writer = {
        "name": "writer",
        "provider": "cli",
        "command_template": f"{sys.executable} {program}",
        "sandbox": "limits",
    }
    site.write("targets.yaml", json.dumps({"targets": [writer]}))
    site.write("a.eval.yaml", SUITE)
    ran = site.generate("a.eval.yaml::a", "--require-sandbox", "networked", "--diff")
    assert ran.code == 2
    assert "target `writer` would run with `limits`" in ran.err
    # Without a level it takes no other argument for its own.
    ran = site.run("generate", "rubrics", "--require-sandbox", "a.eval.yaml", "--target", "writer")
    assert ran.code == 2
    assert "the sandbox level `isolated` is required" in ran.err
    assert not (site.root / "made").exists()
    ran = site.generate("a.eval.yaml::a", "--sandbox", "file-size-mb=0.5", "--diff")
    assert (ran.code, "`file-size-mb` cannot be `0.5`" in ran.err) == (2, True)
    ran = site.generate("a.eval.yaml::a", "--sandbox", "targets=networked", "--diff")
    assert ran.code == 0, ran.err
    assert "`writer` requests `sandbox: limits` but runs `networked`" in ran.err
    assert (site.root / "made").exists()


#: Proposes for the case `a`; says that it was asked about any other, and waits for its end.
SLOW = """\
import signal, sys
if "case-a" in sys.argv[1]:
    print(REPLY)
else:
    open(FIFO, "w").close()
    signal.pause()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no named pipes here")
def test_what_was_proposed_before_an_interruption_is_kept(site: Generating) -> None:
    fifo = site.root / "asked"
    os.mkfifo(fifo)
    program = SLOW.replace("REPLY", repr(reply(SORRY))).replace("FIFO", repr(str(fifo)))
    path = site.write("slow.py", program)
    template = f"{sys.executable} {path} {{EVAL_ID}}"
    writer = {"name": "writer", "provider": "cli", "command_template": template, "workers": 1}
    site.write("targets.yaml", json.dumps({"targets": [writer]}))
    site.write("a.eval.yaml", SUITE.replace("id: ", "id: case-"))
    command = ("generate", "rubrics", "a.eval.yaml", "--target", "writer")
    process = ForkedCommand(*command, cwd=site.root)
    with fifo.open():
        process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "a.eval.yaml: rubrics written for 1 of 2 cases" in out
    assert site.read("a.eval.yaml").count("id: sorry") == 1
