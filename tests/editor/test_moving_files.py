"""Paths in suites when their files, or the suite itself, are moved."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from suitecase.checking.check import check
from suitecase.editor.index.workspace_index import WorkspaceIndex
from suitecase.editor.navigation.moved_files import Moves, moved_references
from suitecase.editor.navigation.workspace_view import WorkspaceView
from suitecase.format.reading import parse_document
from suitecase.format.rule import Fix
from suitecase.format.workspace import Folder, Workspace

SUITE = """\
prompt: {file: ../shared/system.md}
execution: {target: mock}
judges:
  deep: {prompt: judges/deep.md, references: [../shared/policy.md]}
evalcases:
  - id: greet
    expected_outcome: Says hello
    input_messages:
      - role: user
        content: [{type: file, value: "shared/question.txt"}]
    evaluators:
      - {name: tone, type: llm_judge, prompt: ./judges/tone.md, references: [judges/facts.md]}
      - {name: deep, type: llm_judge}
      - {name: fields, type: code_judge, script: [python, checks/fields.py]}
      - {name: line, type: code_judge, script: python checks/line.py --strict}
      - {name: topic, type: equals, value: swap, synonyms: judges/topics.yaml}
      - {name: there, type: code_judge, script: [python, there.py], cwd: checks}
"""
FILES = {
    "suitecase.toml": "",
    "shared/system.md": "Be brief.\n",
    "shared/question.txt": "Hi\n",
    "shared/policy.md": "Be kind.\n",
    "suites/judges/tone.md": "Is {{ candidate_answer }} warm by {{ references }}?\n",
    "suites/judges/facts.md": "Parcels take a day.\n",
    "suites/judges/deep.md": "Is {{ candidate_answer }} deep by {{ references }}?\n",
    "suites/judges/topics.yaml": "exchange: swap\n",
    "suites/checks/fields.py": "",
    "suites/checks/line.py": "",
    "suites/checks/there.py": "",
    "suites/a.eval.yaml": SUITE,
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def move(root: Path, *moves: tuple[str, str]) -> str:
    """Move files as an editor does, edits first; returns the suite at its new path."""
    pairs = [(root / old, root / new) for old, new in moves]
    for made in moved_references(WorkspaceView(WorkspaceIndex(root), {}), Moves(pairs)):
        assert made.path is not None
        made.path.write_text(Fix("", made.edits).apply(made.text))
    for old, new in pairs:
        new.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(old, new)
    (path,) = root.rglob("a.eval.yaml")
    return path.read_text()


def missing(root: Path) -> list[str]:
    """Return the missing files that a suite reports, wherever it is."""
    (path,) = root.rglob("a.eval.yaml")
    workspace = Workspace(root)
    written = parse_document(path, path.read_text(), workspace)
    found = check(written, Folder(workspace, path.parent), path).everything
    others = ("evaluator-without-criteria", "uncalibrated-judge")
    return [f"{it.code} {it.message}" for it in found if it.rule.name not in others]


@pytest.mark.parametrize(
    ("old", "new", "before", "after"),
    [
        ("shared/system.md", "shared/brief.md", "../shared/system.md", "../shared/brief.md"),
        ("shared/question.txt", "q/it's.txt", '"shared/question.txt"', '"q/it\'s.txt"'),
        ("suites/judges/tone.md", "suites/tone.md", "./judges/tone.md", "./tone.md"),
        ("suites/judges/topics.yaml", "suites/t.yaml", "judges/topics.yaml", "t.yaml"),
        ("suites/judges/facts.md", "suites/f.md", "judges/facts.md", "f.md"),
        ("suites/judges/deep.md", "suites/d.md", "judges/deep.md", "d.md"),
        ("shared/policy.md", "policy.md", "../shared/policy.md", "../policy.md"),
        ("suites/judges/tone.md", "suites/a, b.md", "./judges/tone.md", "'./a, b.md'"),
        ("suites/checks/fields.py", "suites/f.py", "checks/fields.py", "f.py"),
        ("suites/checks/line.py", "checks/line.py", "checks/line.py", "../checks/line.py"),
        ("suites/checks/there.py", "suites/checks/x/y.py", "there.py", "x/y.py"),
    ],
)
def test_a_path_leads_to_what_was_moved(
    root: Path, old: str, new: str, before: str, after: str
) -> None:
    text = move(root, (old, new))

    assert text == SUITE.replace(before, after)
    assert missing(root) == []


def test_paths_lead_into_a_folder_that_was_moved(root: Path) -> None:
    text = move(root, ("suites/judges", "suites/prompts"))

    assert text == SUITE.replace("judges/", "prompts/")
    assert missing(root) == []


@pytest.mark.parametrize(
    "moves",
    [
        [("suites/a.eval.yaml", "suites/deep/er/a.eval.yaml")],
        [("suites/a.eval.yaml", "a.eval.yaml")],
    ],
)
def test_a_suite_that_is_moved_names_what_it_named(
    root: Path, moves: list[tuple[str, str]]
) -> None:
    text = move(root, *moves)

    assert text != SUITE
    # A script in a folder that is not moved along is for a person to find.
    assert [it for it in missing(root) if "there.py" not in it and "`checks`" not in it] == []


def test_a_folder_that_is_moved_with_all_that_its_suite_names_says_the_same(root: Path) -> None:
    assert move(root, ("suites", "evals")) == SUITE
    assert missing(root) == []


def test_a_file_of_the_same_name_nearer_by_is_not_taken_for_it(root: Path) -> None:
    (root / "suites" / "shared").mkdir()
    text = move(root, ("suites/judges/tone.md", "suites/shared/question.txt"))

    # What was found in a folder above would be hidden by the file that comes to be here.
    assert '"../shared/question.txt"' in text
    assert missing(root) == []


def test_what_nobody_names_and_what_leaves_the_workspace_change_nothing(root: Path) -> None:
    (root / "notes.md").write_text("")
    index = WorkspaceView(WorkspaceIndex(root), {})
    outside = root.parent / "tone.md"

    assert moved_references(index, Moves([(root / "notes.md", root / "n.md")])) == []
    assert moved_references(index, Moves([(root / "suites/judges/tone.md", outside)])) == []
