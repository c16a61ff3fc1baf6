"""Renaming: all occurrences in all files, or none and a reason."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from suitecase.editor.navigation.file_edits import CannotRenameError
from support.ide.marked_workspace import MarkedWorkspace
from support.running.commands import CommandSite
from support.samples import sample

TARGETS = """\
# Who answers.
targets:
  - name: 'gpt'   # the usual
    provider: mock
    judge_target: critic
    response:
      greet: Hello
      "part": [Bye, Bye!]
  - {name: critic, provider: mock}
"""
SUITE = """\
# 😀 Greetings.
x-judge: &judge {name: tone, type: llm_judge, target: critic}
x-gpt: &gpt "gpt"
execution:
  target: *gpt
evalcases:
  - id: greet  # the first
    input: Hi
    expected_outcome: Says hello
    rubrics:
      - {id: warm, expected_outcome: Is warm}
      - Is short
    evaluators:
      - *judge
      - name: both
        type: composite
        evaluators:
          - {name: "polite", type: icontains, value: please}
          - name: short
            type: llm_judge
            target: gpt
        aggregator:
          type: weighted_average
          weights: {polite: 1, 'short': 2}
  - id: part
    input: Bye
    expected_outcome: Says goodbye
    evaluators: [*judge]
"""
OTHER = """\
execution: {target: gpt}
evalcases:
  - {id: "part", input: Bye, expected_outcome: Bye}
  - {id: alone, input: Hi, expected_outcome: Hi, execution: {target: "gpt"}}
"""
FILES = {
    "targets.yaml": TARGETS,
    "a.eval.yaml": SUITE,
    "b.eval.yaml": OTHER,
    "bom.eval.yaml": "\ufeffexecution: {target: gpt}\r\nevalcases:\r\n"
    "  - {id: c, input: Hi, expected_outcome: Hi}\r\n",
    "data.jsonl": '{"id": "greet", "input": "Hi", "expected_outcome": "x"}\r\n'
    '{"id": "second", "input": "Hi", "expected_outcome": "x", "execution": {"target": "gpt"}}\r\n',
    "data.yaml": 'execution: {target: "gpt"}\n',
    "elsewhere/targets.yaml": "targets: [{name: gpt, provider: mock}]\n",
    "elsewhere/c.eval.yaml": "execution: {target: gpt}\nevalcases:\n"
    "  - {id: greet, input: Hi, expected_outcome: x}\n",
}


def opened(
    folder: Path, at: str, before: str, after: str, files: dict[str, str] = FILES
) -> MarkedWorkspace:
    assert before + after in files[at]
    marked = files[at].replace(before + after, f"{before}|{after}", 1)
    return MarkedWorkspace(folder, {**files, at: marked}, at=at)


#: Where a name stands, what it is, and the files that name it.
NAMES = [
    ("targets.yaml", "name: 'g", "pt'", "gpt", "a b bom data.jsonl data.yaml targets"),
    ("b.eval.yaml", "{target: g", "pt}", "gpt", "a b bom data.jsonl data.yaml targets"),
    ("data.jsonl", '"target": "g', "pt", "gpt", "a b bom data.jsonl data.yaml targets"),
    ("a.eval.yaml", "target: cri", "tic", "critic", "a targets"),
    ("a.eval.yaml", "- id: gr", "eet", "greet", "a data.jsonl targets"),
    ("targets.yaml", '"pa', 'rt"', "part", "a b targets"),
    ("b.eval.yaml", "id: al", "one", "alone", "b"),
    ("data.jsonl", '"sec', 'ond"', "second", "data.jsonl"),
    ("a.eval.yaml", "{po", "lite: 1", "polite", "a"),
    ("a.eval.yaml", "name: sho", "rt\n", "short", "a"),
    ("a.eval.yaml", "{name: to", "ne", "tone", "a"),
    ("a.eval.yaml", "{id: wa", "rm", "warm", "a"),
    ("a.eval.yaml", "- *jud", "ge", "judge", "a"),
    ("a.eval.yaml", "&gp", "t ", "gpt", "a"),
]


def _paths(short: str) -> list[str]:
    named = {"a": "a.eval.yaml", "b": "b.eval.yaml", "bom": "bom.eval.yaml"}
    return sorted(named.get(it, "targets.yaml" if it == "targets" else it) for it in short.split())


@pytest.mark.parametrize(("at", "before", "after", "name", "changed"), NAMES)
@pytest.mark.parametrize("new", sample(["renamed", "two words", "it's: [odd] 😀", "123", "yes"], 2))
def test_renaming_there_and_back_leaves_every_byte(
    tmp_path: Path, at: str, before: str, after: str, name: str, changed: str, new: str
) -> None:
    workspace = opened(tmp_path, at, before, after)
    is_anchor = "*" in before or "&" in before
    if is_anchor and new not in ("renamed", "123", "yes"):
        with pytest.raises(CannotRenameError, match="cannot name an anchor"):
            workspace.rename(new)
        return
    original = workspace.bytes()

    assert workspace.rename(new) == _paths(changed)
    there = workspace.bytes()
    assert workspace.rename(name) == _paths(changed)
    back = workspace.bytes()

    assert {path for path in original if there[path] != original[path]} == {*_paths(changed)}
    # A plain name that got the quotes another one needed keeps them.
    assert {path: _unquoted(it) for path, it in back.items()} == {
        path: _unquoted(it) for path, it in original.items()
    }
    if new == "renamed":
        assert back == original


def _unquoted(text: bytes) -> bytes:
    return re.sub(rb"['\"]", b"", text)


@pytest.mark.parametrize(
    ("at", "before", "after", "name"),
    sample(given[:4] for given in NAMES if given[3] not in ("judge",) and "&" not in given[1]),
)
def test_a_renamed_workspace_means_the_same(
    tmp_path: Path, at: str, before: str, after: str, name: str
) -> None:
    site = CommandSite(tmp_path)
    workspace = opened(tmp_path, at, before, after)
    suites = ["elsewhere/c.eval.yaml", "a.eval.yaml", "b.eval.yaml", "data.jsonl"]

    def meaning() -> tuple[str, list[object]]:
        found = site.run("check", "--format", "json", ".")
        return found.out, [
            json.loads(site.run("show", it, "--format", "json").out) for it in suites
        ]

    before_found, before_shown = meaning()
    workspace.rename("zz-renamed")
    found, shown = meaning()

    # Only the places behind the name differ, and the name.
    assert re.findall(r'"(SC\d+)"', found) == re.findall(r'"(SC\d+)"', before_found)
    assert '"error"' not in found
    assert shown[0] == before_shown[0]
    assert _plain(shown, name) == _plain(before_shown, name)
    assert "zz-renamed" in json.dumps(shown)


def _plain(shown: list[object], name: str) -> str:
    names = f"(?:{re.escape(name)}|zz-renamed)"
    return re.sub(rf"(?<![\w-]){names}(?![\w-])", "NAME", json.dumps(shown))


@pytest.mark.parametrize(
    ("at", "before", "after", "new", "why"),
    [
        ("a.eval.yaml", "- id: gr", "eet", "", "a case needs a name"),
        ("a.eval.yaml", "- id: gr", "eet", " \t", "a case needs a name"),
        ("a.eval.yaml", "- id: gr", "eet", "two\nlines", "one line"),
        (
            "a.eval.yaml",
            "- id: gr",
            "eet",
            "part",
            "a case named `part` is already there, in `a.eval.yaml:25`",
        ),
        ("data.jsonl", '"sec', "ond", "greet", "already there, in `data.jsonl:1`"),
        (
            "b.eval.yaml",
            "id: al",
            "one",
            "greet",
            "an answer to a case named `greet` is already there, in `targets.yaml:7`",
        ),
        ("b.eval.yaml", "{target: g", "pt", "critic", "a target named `critic` is already there"),
        ("b.eval.yaml", "{target: g", "pt", "mock", "`mock` is built in"),
        ("a.eval.yaml", "{po", "lite: 1", "short", "an evaluator named `short` is already there"),
        ("a.eval.yaml", "{name: to", "ne", "both", "an evaluator named `both` is already there"),
        ("a.eval.yaml", "{name: to", "ne", "rubric", "a case's own `rubrics`"),
        ("a.eval.yaml", "{id: wa", "rm", "rubric-2", "without an `id`"),
        ("a.eval.yaml", "&jud", "ge", "gpt", "an anchor named `gpt` is already there"),
        ("a.eval.yaml", "expected_out", "come", "x", "`expected_outcome` is a key of the format"),
        ("a.eval.yaml", "type: icon", "tains", "x", "nothing here can be renamed"),
        ("a.eval.yaml", "Says he", "llo", "x", "nothing here can be renamed"),
    ],
)
def test_what_cannot_be_renamed_is_refused_with_a_reason(
    tmp_path: Path, at: str, before: str, after: str, new: str, why: str
) -> None:
    workspace = opened(tmp_path, at, before, after)
    original = workspace.bytes()

    with pytest.raises(CannotRenameError) as refused:
        workspace.rename(new)

    assert why in str(refused.value)
    assert workspace.bytes() == original


@pytest.mark.parametrize(
    ("suite", "why"),
    [
        ("evalcases:\n  - {id: a, execution: {target: mo|ck}}\n", "its name is fixed"),
        (
            "evalcases:\n  - {id: a, execution: {target: un|known}}\n",
            "is defined in this workspace",
        ),
        (
            "evalcases:\n  - id: a\n    evaluators:\n      - {name: a, type: llm_judge, prompt: '{{ ques|tion }}'}\n",
            "the names of variables are fixed",
        ),
        (
            "evalcases:\n  - id: a\n    evaluators:\n      - {name: a, type: llm_judge, prompt: tone|.md}\n",
            "names a file",
        ),
        ("evalcases:\n  - id: |-\n      bl|ock\n", "written as a block of text"),
        (
            "execution:\n  target: gpt|\nevalcases:\n  - id: a\n  - {id: b, execution: {target: 'gpt\n",
            "`a.eval.yaml:5`, in a part that does not parse",
        ),
    ],
)
def test_built_in_unknown_and_unreadable_names_are_refused(
    tmp_path: Path, suite: str, why: str
) -> None:
    files = {"targets.yaml": "targets: [{name: gpt, provider: mock}]\n", "tone.md": "x\n"}
    workspace = MarkedWorkspace(tmp_path, {**files, "a.eval.yaml": suite}, at="a.eval.yaml")
    with pytest.raises(CannotRenameError, match=re.escape(why)):
        workspace.rename("new")


def test_one_text_that_names_two_things_is_not_renamed(tmp_path: Path) -> None:
    suite = """\
    x: &n gpt
    execution: {target: *n}
    evalcases:
      - id: g|reet
        evaluators: [{name: *n, type: is_json}]
    """
    files = {"targets.yaml": "targets: [{name: gpt, provider: mock}]\n"}
    workspace = MarkedWorkspace(tmp_path, {**files, "a.eval.yaml": suite}, at="a.eval.yaml")
    workspace.offset = workspace.path.read_text("utf-8").index("gpt")

    with pytest.raises(CannotRenameError, match="through an alias"):
        workspace.rename("new")


def test_of_two_cases_with_one_id_the_one_at_the_cursor_is_renamed(tmp_path: Path) -> None:
    suite = "evalcases:\n  - {id: same, input: a}\n  - {id: sa|me, input: b}\n"
    workspace = MarkedWorkspace(tmp_path, {"a.eval.yaml": suite}, at="a.eval.yaml")

    assert workspace.rename("other") == ["a.eval.yaml"]
    assert workspace.bytes()["a.eval.yaml"] == (
        b"evalcases:\n  - {id: same, input: a}\n  - {id: other, input: b}\n"
    )


def test_names_get_the_quotes_they_need(tmp_path: Path) -> None:
    suite = "evalcases:\n  - id: a|\n    input: Hi\n"
    for new, written in [
        ("plain words", "plain words"),
        ("v1.2", "v1.2"),
        ("12", "'12'"),
        ("true", "'true'"),
        ("a: b", "'a: b'"),
        ("a, b", "'a, b'"),
        ("it's #1", "'it''s #1'"),
        ("*star", "'*star'"),
        ("größe 😀", "größe 😀"),
    ]:
        workspace = MarkedWorkspace(tmp_path, {"a.eval.yaml": suite}, at="a.eval.yaml")
        workspace.rename(new)
        assert workspace.bytes()["a.eval.yaml"].decode().splitlines()[1] == f"  - id: {written}"
