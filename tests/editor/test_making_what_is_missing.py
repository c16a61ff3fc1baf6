"""Creating the missing files and targets that a suite names."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from suitecase.checking.analysis import Analysis
from suitecase.checking.check import check
from suitecase.editor.missing_files import Creation, creations
from suitecase.format.rule import Fix, Severity
from suitecase.format.workspace import Folder, Workspace
from suitecase.text.node import Span
from support.parsed_files import parse_own

CASE = "evalcases:\n  - id: greet\n    input: Hi\n    expected_outcome: Says hello\n"
JUDGE = "    evaluators: [{name: tone, type: llm_judge, prompt: judges/tone.md%s}]\n"
SCRIPT = "    evaluators: [{name: fields, type: code_judge, script: [%s, check.%s]}]\n"
FILE = """\
evalcases:
  - id: review
    expected_outcome: Finds the mistake
    input_messages: [{role: user, content: [{type: file, value: %s}]}]
"""
ASKS = "execution: {target: gpt4}\n" + CASE


def looked(path: Path, root: Path) -> Analysis:
    text = path.read_bytes().decode()
    workspace = Workspace(root)
    return check(parse_own(path, text, workspace), Folder(workspace, path.parent), path)


def offered(path: Path, root: Path, *, creates_files: bool = True) -> list[Creation]:
    text = path.read_bytes().decode()
    workspace = Workspace(root)
    written = parse_own(path, text, workspace)
    folder = Folder(workspace, path.parent)
    analysis = check(written, folder, path)
    whole = Span(0, len(text))
    return list(creations(written, analysis, folder, whole, creates_files=creates_files))


def make(creation: Creation) -> Path:
    if creation.created is not None:
        creation.created.path.parent.mkdir(parents=True, exist_ok=True)
        creation.created.path.write_bytes(creation.created.text.encode())
        return creation.created.path
    assert creation.edited is not None
    path, edits = creation.edited
    path.write_bytes(Fix("", edits).apply(path.read_bytes().decode()).encode())
    return path


def codes(analysis: Analysis, *severities: Severity) -> list[str]:
    return [it.code for it in analysis.everything if it.severity in severities]


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    (tmp_path / "suitecase.toml").write_text("")
    path = tmp_path / "suites" / "a.eval.yaml"
    path.parent.mkdir()
    return path


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (CASE + JUDGE % "", "Create `suites/judges/tone.md`"),
        (CASE + JUDGE % ", rubrics: [Is warm]", "Create `suites/judges/tone.md`"),
        (
            CASE + "    evaluators:\n      - name: all\n        type: composite\n        "
            "evaluators: [{name: a, type: is_json}]\n        aggregator: {type: llm_judge, "
            "prompt: ../sum.md}\n",
            "Create `sum.md`",
        ),
        (CASE + SCRIPT % ("python", "py"), "Create `suites/check.py`"),
        (CASE + SCRIPT % ("node", "mjs"), "Create `suites/check.mjs`"),
        ("prompt: {file: system.md}\n" + CASE, "Create `suites/system.md`"),
        (FILE % "totals.py", "Create `suites/totals.py`"),
    ],
)
def test_a_file_is_made_where_it_is_looked_for_and_leaves_no_error(
    suite: Path, tmp_path: Path, text: str, title: str
) -> None:
    suite.write_text(text)

    (creation,) = offered(suite, tmp_path)
    make(creation)

    assert creation.title == title
    assert codes(looked(suite, tmp_path), Severity.ERROR) == []
    # An empty file says that it is empty until somebody fills it.
    left = codes(looked(suite, tmp_path), Severity.WARNING)
    assert left == ([] if creation.created and creation.created.text else ["SC506"])


def test_a_prompt_that_judges_share_is_made_where_one_text_is_right_for_all(
    suite: Path, tmp_path: Path
) -> None:
    second = CASE.replace("evalcases:\n", "").replace("greet", "part")
    rubrics = JUDGE % ", rubrics: [Is warm]"
    suite.write_text(CASE + JUDGE % "" + second + rubrics)
    assert offered(suite, tmp_path) == []
    suite.write_text(CASE + rubrics + second + rubrics)

    first, other = offered(suite, tmp_path)
    make(first)

    assert first.created == other.created
    assert codes(looked(suite, tmp_path), Severity.ERROR, Severity.WARNING) == []


@pytest.mark.parametrize("kind", ["code_judge", "composite"])
def test_a_script_answers_as_the_contract_has_it_and_passes_nothing(
    suite: Path, tmp_path: Path, kind: str
) -> None:
    evaluator = (
        SCRIPT % ("python", "py")
        if kind == "code_judge"
        else "    evaluators: [{name: all, type: composite, evaluators: [{name: a, type: is_json}], "
        "aggregator: {type: code_judge, path: python check.py}}]\n"
    )
    suite.write_text(CASE + evaluator)
    path = make(*offered(suite, tmp_path))

    told = json.dumps({"candidate_answer": "Hello", "results": {}})
    ran = subprocess.run(
        [sys.executable, path], input=told, capture_output=True, check=True, text=True
    )

    answer = json.loads(ran.stdout)
    assert (answer["score"], answer["misses"]) == (0, ["nothing is checked yet"])


def test_a_script_that_writes_a_prompt_writes_what_the_judge_needs(
    suite: Path, tmp_path: Path
) -> None:
    suite.write_text(
        CASE + "    evaluators: [{name: a, type: llm_judge, prompt: {script: [python, ask.py]}}]\n"
    )
    path = make(*offered(suite, tmp_path))

    told = {"question": "Hi", "expected_outcome": "Says hello", "candidate_answer": "Hello you"}
    said = json.dumps({**told, "rubrics": [{"id": "warm"}]})
    ran = subprocess.run(
        [sys.executable, path], input=said, capture_output=True, check=True, text=True
    )

    assert all(it in ran.stdout for it in ("Hi", "Says hello", "Hello you", "warm"))


@pytest.mark.parametrize(
    "text",
    [
        CASE + JUDGE.replace("judges/tone.md", "../../tone.md") % "",  # outside
        CASE + SCRIPT % ("ruby", "rb"),
        FILE % "picture.png",
        CASE + JUDGE.replace("judges/tone.md", "a.eval.yaml/tone.md") % "",  # below a file
    ],
)
def test_what_nobody_can_start_well_is_not_made(suite: Path, tmp_path: Path, text: str) -> None:
    suite.write_text(text)

    assert offered(suite, tmp_path) == []


def test_a_link_that_leads_nowhere_is_not_written_over(suite: Path, tmp_path: Path) -> None:
    suite.write_text(FILE % "totals.py")
    (suite.parent / "totals.py").symlink_to("gone.py")

    assert offered(suite, tmp_path) == []


@pytest.mark.parametrize(
    "targets",
    [
        "targets:\n  - name: small\n    provider: mock # cheap\n",
        "targets:\n- name: small\n  provider: mock\n",
        "targets: [{name: small, provider: mock}] # ours\n",
        "targets:\r\n  - name: small\r\n    provider: mock\r\n\r\n# the end\r\n",
        "targets:\n  - name: small\n    provider: mock",
    ],
)
def test_a_target_is_defined_and_what_it_is_asked_by_is_left_to_fill_in(
    suite: Path, tmp_path: Path, targets: str
) -> None:
    suite.write_text(ASKS)
    path = tmp_path / "targets.yaml"
    path.write_bytes(targets.encode())

    (creation,) = offered(suite, tmp_path)
    make(creation)

    assert creation.title == "Define `gpt4` in `targets.yaml`"
    text = path.read_bytes().decode()
    assert ("\n" in text.replace("\r\n", "")) == ("\r\n" not in targets)
    # Nobody is asked before somebody has said which model that is.
    assert codes(looked(suite, tmp_path), Severity.ERROR) == ["SC530"]
    (left,) = [it for it in looked(path, tmp_path).findings if it.severity is Severity.ERROR]
    assert "model" in left.message
    filled = text.replace("model: ", "model: openai/gpt-4o ").replace('"model": ""', '"model": "m"')
    path.write_bytes(filled.encode())
    assert codes(looked(suite, tmp_path), Severity.ERROR) == []


def test_a_targets_file_is_made_with_all_targets_that_the_suite_names(
    suite: Path, tmp_path: Path
) -> None:
    suite.write_text(ASKS + "    execution: {target: '4o: mini'}\n")

    first, _ = offered(suite, tmp_path)
    path = make(first)

    assert first.title == "Create `suites/targets.yaml` with `gpt4` and 1 more"
    filled = path.read_text().replace("model: ", "model: openai/gpt-4o ")
    path.write_text(filled)
    assert codes(looked(suite, tmp_path), Severity.ERROR, Severity.WARNING) == []


def test_a_judge_that_is_not_defined_is_defined_from_the_suite_and_from_the_targets_file(
    suite: Path, tmp_path: Path
) -> None:
    suite.write_text(ASKS)
    path = tmp_path / "targets.yaml"
    path.write_text(
        "targets:\n  - name: gpt4\n    provider: openai\n    model: gpt-4o\n    judge_target: big\n"
    )

    (of_suite,) = offered(suite, tmp_path)
    (of_targets,) = offered(path, tmp_path)

    assert of_suite.title == of_targets.title == "Define `big` in `targets.yaml`"
    assert of_suite.edited == of_targets.edited


def test_an_editor_that_makes_no_files_is_offered_what_needs_none(
    suite: Path, tmp_path: Path
) -> None:
    suite.write_text(ASKS + JUDGE % "")
    assert offered(suite, tmp_path, creates_files=False) == []
    (tmp_path / "targets.yaml").write_text("targets: []\n")

    titles = [it.title for it in offered(suite, tmp_path, creates_files=False)]

    assert titles == ["Define `gpt4` in `targets.yaml`"]
