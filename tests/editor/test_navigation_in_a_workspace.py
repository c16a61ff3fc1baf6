"""Definitions and references across the files of a workspace."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from suitecase.editor.index.summary import summary_of
from suitecase.editor.index.workspace_index import WorkspaceIndex
from suitecase.editor.navigation.definition import definition
from suitecase.editor.navigation.file_edits import CannotRenameError
from suitecase.editor.navigation.links import Link, links, targets
from suitecase.editor.navigation.references import highlights, references
from suitecase.editor.navigation.renaming import renameable
from suitecase.editor.navigation.workspace_symbols import workspace_symbols
from suitecase.editor.navigation.workspace_view import OpenFile, WorkspaceView
from suitecase.formats.suitecase.parsed import parse_suite
from support.ide.marked_workspace import MarkedWorkspace
from support.suites.random_edits import SUITES, edited

TARGETS = """\
targets:
  - {name: gpt, provider: openai, model: gpt-4o, judge_target: critic}
  - name: critic
    provider: mock
    response:
      greet: Hello 😀
"""
SUITE = """\
x-shared: &tone {name: tone, type: llm_judge, prompt: tone.md}
execution:
  target: gpt
  evaluators:
    - name: manners
      type: composite
      evaluators:
        - {name: polite, type: icontains, value: please}
        - name: "deep"
          type: llm_judge
          target: critic
          prompt: "😀 {{ question }} {{ candidate_answer }} {{ rubrics }}"
          rubrics: [{id: warm, expected_outcome: Is warm}]
      aggregator:
        type: weighted_average
        weights: {polite: 1, 'deep': 2}
evalcases:
  - id: greet
    input: Hi
    expected_outcome: Says hello
    evaluators: [*tone]
  - id: part
    input_messages:
      - role: user
        content: [{type: file, value: notes.txt}, {type: file, value: gone.txt}]
    expected_outcome: Says goodbye
    evaluators:
      - *tone
      - {name: fields, type: code_judge, script: python scripts/check.py, cwd: ..}
"""
FILES = {
    "targets.yaml": TARGETS,
    "suites/a.eval.yaml": SUITE,
    "suites/b.eval.yaml": "execution: {target: gpt}\nevalcases:\n  - id: other\n    input: Hi\n"
    "    expected_outcome: x\n",
    "suites/data.jsonl": '{"id": "greet", "input": "Hi", "expected_outcome": "x",'
    ' "execution": {"target": "gpt"}}\r\n',
    "suites/data.yaml": "execution: {target: critic}\n",
    "own/targets.yaml": "targets: [{name: gpt, provider: mock}]\n",
    "own/c.eval.yaml": "execution: {target: gpt}\nevalcases: []\n",
    "suites/notes.txt": "Notes\n",
    "tone.md": "# 😀\nJudge {{ candidate_answer }} for {{ question }}.\n",
    "scripts/check.py": "print()\n",
}
A = "suites/a.eval.yaml"


def opened(folder: Path, at: str, before: str, after: str) -> MarkedWorkspace:
    """Return the workspace with the cursor between two adjacent texts."""
    assert before + after in FILES[at]
    files = {**FILES, at: FILES[at].replace(before + after, f"{before}|{after}", 1)}
    return MarkedWorkspace(folder, files, at=at)


@pytest.mark.parametrize(
    ("at", "before", "after", "found"),
    [
        (
            A,
            "target: g",
            "pt",
            [
                "targets.yaml: - {name: «gpt», provider: openai, model: gpt-4o, judge_target: critic}"
            ],
        ),
        (
            "suites/data.jsonl",
            '"target": "g',
            "pt",
            [
                "targets.yaml: - {name: «gpt», provider: openai, model: gpt-4o, judge_target: critic}"
            ],
        ),
        ("suites/data.yaml", "target: cri", "tic", ["targets.yaml: - name: «critic»"]),
        (
            "own/c.eval.yaml",
            "target: g",
            "pt",
            ["own/targets.yaml: targets: [{name: «gpt», provider: mock}]"],
        ),
        ("targets.yaml", "judge_target: c", "ritic", ["targets.yaml: - name: «critic»"]),
        (
            "targets.yaml",
            "      gre",
            "et",
            [
                "suites/a.eval.yaml: - id: «greet»",
                'suites/data.jsonl: {"id": «"greet"», "input": "Hi", "expected_outcome": "x", "execution": {"target": "gpt"}}',
            ],
        ),
        (
            A,
            "weights: {po",
            "lite",
            ["suites/a.eval.yaml: - {name: «polite», type: icontains, value: please}"],
        ),
        (A, "'de", "ep'", ['suites/a.eval.yaml: - name: «"deep"»']),
        (
            A,
            "[*to",
            "ne]",
            [
                "suites/a.eval.yaml: x-shared: &«tone» {name: tone, type: llm_judge, prompt: tone.md}"
            ],
        ),
        (A, "- id: gr", "eet", ["suites/a.eval.yaml: - id: «greet»"]),
        (
            A,
            "{{ que",
            "stion",
            ["suites/a.eval.yaml: «input»: Hi", "suites/a.eval.yaml: «input_messages»:"],
        ),
        (
            A,
            "{{ rub",
            "rics",
            ["suites/a.eval.yaml: «rubrics»: [{id: warm, expected_outcome: Is warm}]"],
        ),
        (
            "tone.md",
            "{{ ques",
            "tion",
            ["suites/a.eval.yaml: «input»: Hi", "suites/a.eval.yaml: «input_messages»:"],
        ),
        (A, "{{ candidate", "_answer", []),
        (A, "prompt: ton", "e.md", ["tone.md: «»# 😀"]),
        (A, "value: not", "es.txt", ["suites/notes.txt: «»Notes"]),
        (A, "scripts/ch", "eck.py", ["scripts/check.py: «»print()"]),
        (A, "value: gone", ".txt", []),
        (A, "type: comp", "osite", []),
    ],
)
def test_a_name_leads_to_where_it_is_given(
    tmp_path: Path, at: str, before: str, after: str, found: list[str]
) -> None:
    assert sorted(opened(tmp_path, at, before, after).definition()) == sorted(found)


def test_a_target_is_found_in_every_file_that_has_the_same_targets(tmp_path: Path) -> None:
    workspace = opened(tmp_path, A, "target: g", "pt")

    assert [it.split(":")[0] for it in workspace.references()] == [
        "suites/a.eval.yaml",
        "suites/b.eval.yaml",
        "suites/data.jsonl",
        "targets.yaml",
    ]
    assert "targets.yaml" not in {
        it.split(":")[0] for it in workspace.references(with_definition=False)
    }
    assert workspace.highlights() == ["suites/a.eval.yaml: target: «gpt»"]


def test_a_variable_is_found_in_suites_and_in_prompt_files(tmp_path: Path) -> None:
    assert opened(tmp_path, "tone.md", "{{ ques", "tion").references() == [
        'suites/a.eval.yaml: prompt: "😀 «{{ question }}» {{ candidate_answer }} {{ rubrics }}"',
        "tone.md: Judge {{ candidate_answer }} for «{{ question }}».",
    ]


def test_a_prompt_file_shows_who_uses_it(tmp_path: Path) -> None:
    found = opened(tmp_path, "tone.md", "Jud", "ge").references()

    assert "suites/a.eval.yaml: evaluators: [«*tone»]" in found
    assert "suites/a.eval.yaml: - «*tone»" in found


def test_what_an_editor_has_not_saved_counts(tmp_path: Path) -> None:
    workspace = MarkedWorkspace(
        tmp_path,
        FILES,
        at=A,
        open_files={
            A: SUITE.replace("target: gpt", "target: ne|w"),
            "targets.yaml": "targets: [{name: new, provider: mock}]\n",
            "suites/b.eval.yaml": "evalcases:\n  - {id: x, execution: {target: new}}\n",
        },
    )

    assert workspace.definition() == ["targets.yaml: targets: [{name: «new», provider: mock}]"]
    assert "suites/b.eval.yaml: - {id: x, execution: {target: «new»}}" in workspace.references()


@pytest.mark.parametrize("broken", ["- id: part\n    input: [", "- id: 'part\n"])
def test_what_still_parses_is_found_in_a_text_that_does_not(tmp_path: Path, broken: str) -> None:
    text = SUITE.replace("- id: part\n", broken, 1).replace("{polite: 1", "{po|lite: 1")
    workspace = MarkedWorkspace(tmp_path, {**FILES, A: text}, at=A)

    assert workspace.definition() == [
        "suites/a.eval.yaml: - {name: «polite», type: icontains, value: please}"
    ]


def test_names_in_older_spellings_are_found(tmp_path: Path) -> None:
    files = {
        "targets.yaml": "targets:\n  - {name: gpt, provider: mock, grader_target: gpt}\n",
        "old.eval.yaml": "target: g|pt\ntests:\n  - id: a\n    criteria: x\n    input: Hi\n"
        "    assert:\n      - {type: llm-judge, target: gpt, prompt: '${question}'}\n",
    }
    workspace = MarkedWorkspace(tmp_path, files, at="old.eval.yaml")

    assert workspace.references() == [
        "old.eval.yaml: target: «gpt»",
        "old.eval.yaml: - {type: llm-judge, target: «gpt», prompt: '${question}'}",
        "targets.yaml: - {name: «gpt», provider: mock, grader_target: gpt}",
        "targets.yaml: - {name: gpt, provider: mock, grader_target: «gpt»}",
    ]


def linked(workspace: MarkedWorkspace) -> list[Link]:
    return list(links(workspace.summary, targets(workspace.surroundings, workspace.summary)))


def test_files_that_are_there_are_linked(tmp_path: Path) -> None:
    workspace = opened(tmp_path, A, "target: g", "pt")
    found = {
        workspace.surroundings.text(workspace.path)[it.span.start : it.span.end]: it.path.name  # type: ignore[index]
        for it in linked(workspace)
    }

    assert found == {
        "tone.md": "tone.md",
        "notes.txt": "notes.txt",
        "scripts/check.py": "check.py",
    }


def test_nothing_outside_the_workspace_is_linked(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("x", "utf-8")
    suite = "evalcases:\n  - id: a\n    input:\n      - role: user\n        content:\n"
    suite += "          - {type: file, value: ../secret.txt}|\n"
    workspace = MarkedWorkspace(tmp_path / "inside", {"a.eval.yaml": suite}, at="a.eval.yaml")

    assert not linked(workspace)


def test_names_of_the_workspace_are_found_by_parts_of_them(tmp_path: Path) -> None:
    surroundings = opened(tmp_path, A, "target: g", "pt").surroundings
    found = [(it.name, it.kind.value, it.container) for it in workspace_symbols(surroundings, "GR")]

    assert found == [
        ("greet", "case", "suites/a.eval.yaml"),
        ("greet", "case", "suites/data.jsonl"),
    ]
    assert [it.name for it in workspace_symbols(surroundings, "mnrs")] == ["manners"]
    names = [it.name for it in workspace_symbols(surroundings, "")]
    assert {"gpt", "critic", "tone", "warm", "part"} <= {*names}
    assert names.count("tone") == 1


def test_the_index_sees_files_come_change_and_go(tmp_path: Path) -> None:
    first, second = tmp_path / "a.eval.yaml", tmp_path / "b.eval.yaml"
    first.write_text("evalcases:\n  - id: one\n", "utf-8")
    index = WorkspaceIndex(tmp_path)

    def names() -> list[str]:
        return [it.name for it in workspace_symbols(WorkspaceView(index, {}), "")]

    assert names() == ["one"]
    first.write_text("evalcases:\n  - id: two\n", "utf-8")
    os.utime(first, ns=(1, 1))
    assert names() == ["two"]
    second.write_text("evalcases:\n  - id: three\n", "utf-8")
    index.outdate()
    assert names() == ["two", "three"]
    first.unlink()
    assert names() == ["three"]


@pytest.mark.parametrize("number", range(len(SUITES)))
def test_nothing_is_raised_at_any_place_of_any_text(tmp_path: Path, number: int) -> None:
    random = Random(number)
    path = tmp_path / "a.eval.yaml"
    path.write_text("", "utf-8")
    text = SUITES[number]
    for _ in range(12):
        text = edited(random, text)
        written = parse_suite(text)
        summary = summary_of(path, written)
        here = OpenFile(text, summary, written)
        surroundings = WorkspaceView(WorkspaceIndex(tmp_path), {path: here}, here=here)
        for it in summary:
            assert 0 <= it.span.start <= it.span.end <= len(text)
        for offset in {
            0,
            len(text),
            *(it.span.start for it in summary),
            random.randint(0, len(text)),
        }:
            definition(surroundings, summary, offset)
            highlights(surroundings, summary, offset)
            references(surroundings, summary, offset, with_definition=True)
            with suppress(CannotRenameError):
                assert renameable(surroundings, summary, offset).name
