"""Labels that a suite lists and that cannot be read: no command decides as if they were not there."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from suitecase.evidence.labels.digests import answer_digest
from support.figures import answer
from support.running.processes import suitecase

SUITE = """\
execution: {target: bot}
human:
  rubric: {labels: [labels/a.csv, labels/b.csv, labels/c.csv]}
gates: [human.rubric.alpha >= 0.667]
evalcases:
"""
CASE = """\
  - id: c%d
    input: Hi
    expected_outcome: Says hi
    rubrics: [{id: warm, expected_outcome: Is warm}]
"""
NUMBERS = range(12)
HEADER = "case,answer,item,rater,value,note\n"
MISSING = "the label file labels/c.csv does not exist"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two raters agree, and a third contradicts them on each item."""
    (tmp_path / "labels").mkdir()
    (tmp_path / "targets.yaml").write_text("targets: [{name: bot, provider: mock, response: Hi}]\n")
    (tmp_path / "s.eval.yaml").write_text(SUITE + "".join(CASE % it for it in NUMBERS))
    records = [answer(f"c{it}", candidate_answer="Hi") for it in NUMBERS]
    (tmp_path / "r.jsonl").write_text("".join(f"{json.dumps(it)}\n" for it in records))
    for name, rater in (("a", "ann"), ("b", "ben")):
        (tmp_path / f"labels/{name}.csv").write_text(HEADER + _rows(rater))
    (tmp_path / "labels/c.csv").write_text(HEADER + _rows("eva", differs=True))
    return tmp_path


def _rows(rater: str, note: str = "", value: str = "", *, differs: bool = False) -> str:
    values = [str((it % 3 == 0) is not differs).lower() for it in NUMBERS]
    digest = answer_digest("Hi")
    return "".join(f"c{it},{digest},warm,{rater},{value or values[it]},{note}\n" for it in NUMBERS)


def _latin(folder: Path) -> None:
    text = HEADER + _rows("eva", "grün", differs=True)
    (folder / "labels/c.csv").write_text(text, "latin-1")


def _gone(folder: Path) -> None:
    (folder / "labels/c.csv").unlink()


def _folder(folder: Path) -> None:
    _gone(folder)
    (folder / "labels/c.csv").mkdir()


def _rows_with(value: str) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        (folder / "labels/c.csv").write_text(HEADER + _rows("eva", value=value))

    return write


def _twice(folder: Path) -> None:
    text = HEADER + _rows("eva", value="true") + _rows("eva", value="false")
    (folder / "labels/c.csv").write_text(text)


UNREAD = pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (_latin, "the label file labels/c.csv cannot be read: it is not text in UTF-8"),
        (_gone, MISSING),
        (_folder, "the label file labels/c.csv is not a file"),
        (_rows_with("perhaps"), "12 rows of the label file labels/c.csv cannot be read"),
        (_rows_with("7"), "12 labels are off the scale"),
        (_twice, "24 labels are given twice with different values"),
    ],
    ids=["latin-1", "missing", "a-folder", "no-values", "off-scale", "twice"],
)


@UNREAD
def test_agreement_and_gate_decide_nothing_and_say_why(
    folder: Path, spoil: Callable[[Path], None], why: str
) -> None:
    whole = suitecase("agreement", "s.eval.yaml", cwd=folder)
    assert (whole.returncode, "FAILS      human.rubric.alpha" in whole.stdout) == (1, True)
    spoil(folder)
    for command in (["agreement", "s.eval.yaml"], ["gate", "r.jsonl", "--suite", "s.eval.yaml"]):
        done = suitecase(*command, cwd=folder)
        said = " ".join(done.stdout.split())
        assert done.returncode == 3, command
        assert "undecided human.rubric.alpha >= 0.667" in said
        assert f"{why[0].upper()}{why[1:]}" in said, command


@UNREAD
def test_figures_of_what_was_read_in_part_are_not_shown_but_named(
    folder: Path, spoil: Callable[[Path], None], why: str
) -> None:
    spoil(folder)
    shown = suitecase("metrics", "r.jsonl", cwd=folder)
    assert "human.rubric" not in shown.stdout
    assert why[1:] in shown.stderr
    (folder / "s.eval.yaml").write_text((folder / "s.eval.yaml").read_text().replace("gates:", "#"))
    shown = suitecase("report", "r.jsonl", cwd=folder)
    assert shown.returncode == 0, shown.stderr
    assert why[1:] in (folder / "r.html").read_text()


@pytest.mark.parametrize("spoil", [_latin, _gone])
def test_agreement_names_the_file_without_gates_too(
    folder: Path, spoil: Callable[[Path], None]
) -> None:
    spoil(folder)
    (folder / "s.eval.yaml").write_text((folder / "s.eval.yaml").read_text().replace("gates:", "#"))
    done = suitecase("agreement", "s.eval.yaml", cwd=folder)
    assert "Not read: the label file labels/c.csv " in done.stdout
    done = suitecase("agreement", "s.eval.yaml", "--format", "json", cwd=folder)
    (told,) = json.loads(done.stdout)["human"]["rubric"]["not_counted"]["files"]
    assert told["file"] == "labels/c.csv"
    assert told["reason"].startswith("the label file labels/c.csv ")


def test_labels_of_a_case_with_errors_decide_nothing(folder: Path) -> None:
    text = (folder / "s.eval.yaml").read_text().replace("id: c3\n", "id: c3\n    inptu: Hi\n")
    (folder / "s.eval.yaml").write_text(text)
    done = suitecase("agreement", "s.eval.yaml", cwd=folder)
    assert done.returncode == 3
    assert "3 labels are of cases with errors" in " ".join(done.stdout.split())


def test_a_run_decides_no_gate_by_a_part_of_the_labels(folder: Path) -> None:
    _gone(folder)
    done = suitecase("run", "s.eval.yaml", "--no-results", cwd=folder)
    assert "undecided  human.rubric.alpha >= 0.667" in done.stdout
    assert MISSING[1:] in " ".join(done.stdout.split())
    # That a file cannot be read is an error of the suite.
    _latin(folder)
    done = suitecase("run", "s.eval.yaml", "--no-results", cwd=folder)
    assert (done.returncode, "labels/c.csv" in done.stderr) == (2, True)
    done = suitecase("run", "s.eval.yaml", "--no-results", "--keep-going", cwd=folder)
    assert "undecided  human.rubric.alpha >= 0.667" in done.stdout


def test_nobody_is_told_that_nothing_differs_where_a_file_was_not_read(folder: Path) -> None:
    _latin(folder)
    done = suitecase("labels", "r.jsonl", "--disagreements", "--rater", "eva", cwd=folder)
    assert "rubric: nothing to adjudicate" in done.stderr
    assert "differences may be missing: the label file labels/c.csv cannot be read" in done.stderr
