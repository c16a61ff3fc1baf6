"""`suitecase agreement`: how far people agree, what is open, and what gates on people decide."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from support.running.processes import suitecase

SUITE = """\
human:
  rubric:
    labels: [labels.csv]
    {settings}
{gates}
execution: {{target: mock}}
evalcases:
  - id: late
    input: My parcel is late.
    expected_outcome: Says sorry
    rubrics:
      - {{id: apology, expected_outcome: Says sorry}}
      - {{id: tone, score_ranges: {{0: Blames the customer, 5: Is warm}}}}
"""
HEADER = "case,answer,item,wording,rater,value,note\n"
#: Krippendorff, Computing Krippendorff's Alpha-Reliability (2011): 4 observers of 12 units.
PUBLISHED = {
    "a": "1 2 3 3 2 1 4 1 2 . . .",
    "b": "1 2 3 3 2 2 4 1 2 5 . 3",
    "c": ". 3 3 3 2 3 4 2 2 5 1 .",
    "d": "1 2 3 3 2 4 4 1 2 5 1 .",
}


def answer(number: int) -> str:
    return hashlib.sha256(f"answer {number}".encode()).hexdigest()[:16]


def rows(values: dict[str, str], item: str = "tone") -> str:
    """Return rows of labels: for each rater a value for each answer, or a point for none."""
    return "".join(
        f"late,{answer(number)},{item},,{rater},{value},\n"
        for rater, listed in values.items()
        for number, value in enumerate(listed.split(), 1)
        if value != "."
    )


def write(folder: Path, text: str, settings: str = "raters: 2", gates: str = "") -> None:
    (folder / "labels.csv").write_text(HEADER + text)
    (folder / "support.eval.yaml").write_text(SUITE.format(settings=settings, gates=gates))


def measured(folder: Path, *options: str) -> tuple[int, dict[str, Any]]:
    done = suitecase("agreement", "support.eval.yaml", "--format", "json", *options, cwd=folder)
    assert done.stderr == ""
    return done.returncode, json.loads(done.stdout)


@pytest.mark.parametrize(("scale", "alpha"), [("ordinal", 0.815388), ("interval", 0.849107)])
def test_alpha_of_a_label_file_is_the_published_one(
    tmp_path: Path, scale: str, alpha: float
) -> None:
    write(tmp_path, rows(PUBLISHED), f"scale: {scale}")
    code, found = measured(tmp_path)
    (kind,) = found["human"]["rubric"]["kinds"]
    assert code == 0
    assert kind["alpha"]["estimate"] == pytest.approx(alpha, abs=1e-6)
    assert kind["alpha"]["low"] < alpha < kind["alpha"]["high"]
    assert (kind["kind"], kind["scale"], kind["labeled"]) == ("score", scale, 11)


def test_the_text_names_raters_items_pairs_and_what_is_open(tmp_path: Path) -> None:
    text = rows({"ann": "8 6 9 7", "ben": "7 6 7 6"}) + rows(
        {"ann": "yes yes no no", "ben": "yes yes no yes"}, "apology"
    )
    text += f"late,{answer(1)},tone,,eva,8,\nlate,{answer(4)},apology,,eva,no,\n"
    text += f"late,{answer(1)},tone,00000000,dan,8,\nlate,{answer(1)},tone,,dan,11,\n"
    write(tmp_path, text, "adjudication: adjudicator\n    adjudicators: [eva]")
    done = suitecase("agreement", "support.eval.yaml", cwd=tmp_path)
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0] == "rubric: 4 answers, 2 raters (ann, ben), 8 items labeled by two or more"
    assert lines[1].startswith("  checks  alpha 0.53 [")
    assert "nominal" in lines[1]
    assert lines[2].startswith("  scores  alpha")
    assert "quadratic   agree 0.25 [" in lines[2]
    assert ", within one point 0.75 [" in lines[2]
    by_item = lines.index("  By item, the lowest alpha first:")
    assert any(
        it.startswith("    tone ") and it.endswith("; ann gives 1.0 point more than ben")
        for it in lines[by_item:]
    )
    open_at = lines.index("To adjudicate: 2 answers differ and have no value by eva.")
    assert lines[open_at + 1 : open_at + 3] == [
        f"  labels.csv:4: tone of late ({answer(3)}): ann 9, ben 7",
        f"  labels.csv:5: tone of late ({answer(4)}): ann 7, ben 6",
    ]
    assert (
        "Stale: 1 label is of an earlier wording of `tone` (support.eval.yaml:14) and does not count."
        in lines
    )
    assert "Not counted: 1 off the scale. `suitecase check support.eval.yaml` lists them." in lines


@pytest.mark.parametrize(
    ("gates", "code", "outcomes"),
    [
        ("gates: [human.rubric.alpha >= 0.667]", 0, ["holds"]),
        ("gates: [human.rubric.alpha >= 0.9]", 1, ["fails"]),
        ("gates: [lower(human.rubric.alpha) >= 0.8]", 1, ["fails"]),
        ("gates: [{gate: human.rubric.alpha >= 0.9, level: warning}]", 0, ["fails"]),
        ("gates: [human.rubric.alpha >= 0.667, pass_rate >= 50%]", 0, ["holds"]),
        ("gates: [human.rubric.apology.alpha >= 0.667]", 3, ["undecided"]),
    ],
)
def test_gates_on_people_decide_the_exit_code(
    tmp_path: Path, gates: str, code: int, outcomes: list[str]
) -> None:
    write(tmp_path, rows(PUBLISHED), gates=gates)
    returned, found = measured(tmp_path)
    assert returned == found["exit_code"] == code
    assert [it["outcome"] for it in found["gates"]] == outcomes


def test_the_check_reports_a_gate_that_fails_with_the_same_value(tmp_path: Path) -> None:
    write(tmp_path, rows(PUBLISHED), gates="gates: [human.rubric.alpha >= 0.9]")
    done = suitecase("check", "support.eval.yaml", cwd=tmp_path)
    assert "warning[SC877] alpha is 0.815 of 11 answers, so `>= 0.9` does not hold" in done.stdout
    _, found = measured(tmp_path)
    assert found["gates"][0]["value"] == pytest.approx(0.815388, abs=1e-6)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "`human.rubric` has no labels"),
        (rows({"ann": "1 2 3"}), "no answer was labeled by two raters"),
        ("lat,0000000000000000,tone,,ann,8,\n", "1 of unknown cases or items"),
    ],
)
def test_nothing_to_measure_ends_with_2_and_says_why(
    tmp_path: Path, text: str, message: str
) -> None:
    write(tmp_path, text)
    done = suitecase("agreement", "support.eval.yaml", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_a_suite_without_people_and_one_with_errors_are_told_apart(tmp_path: Path) -> None:
    suite = tmp_path / "support.eval.yaml"
    suite.write_text("evalcases: [{id: a, input: x, expected_outcome: y}]\n")
    done = suitecase("agreement", "support.eval.yaml", cwd=tmp_path)
    assert done.returncode == 2
    assert "support.eval.yaml has no `human`, so it names no labels" in done.stderr
    suite.write_text("human: 3\nevalcases: [{id: a, input: x, expected_outcome: y}]\n")
    done = suitecase("agreement", "support.eval.yaml", cwd=tmp_path)
    assert done.returncode == 2
    assert "has errors; `suitecase check" in done.stderr


def test_labels_of_answers_that_a_run_does_not_have_are_named(tmp_path: Path) -> None:
    from suitecase.evidence.labels.digests import answer_digest

    write(tmp_path, "")
    run = suitecase("run", "support.eval.yaml", "--output", "run.jsonl", cwd=tmp_path)
    (record,) = map(json.loads, (tmp_path / "run.jsonl").read_text().splitlines())
    here = answer_digest(record["candidate_answer"])
    assert run.returncode in (0, 1, 3)
    gone = answer(1)
    text = "".join(
        f"late,{it},tone,,{rater},8,\n" for it in (here, gone) for rater in ("ann", "ben")
    )
    write(tmp_path, text)
    done = suitecase("agreement", "support.eval.yaml", "--results", "run.jsonl", cwd=tmp_path)
    assert f"Not in run.jsonl: 1 labeled answer: late ({gone})." in done.stdout
    _, found = measured(tmp_path, "--results", "run.jsonl")
    assert found["human"]["rubric"]["not_in_results"] == [{"case": "late", "answer": gone}]


def test_labels_of_a_data_set_are_measured_by_its_sidecar(tmp_path: Path) -> None:
    (tmp_path / "labels.csv").write_text(HEADER + rows(PUBLISHED))
    case = {
        "id": "late",
        "input": "x",
        "expected_outcome": "y",
        "rubrics": [{"id": "tone", "score_ranges": {"0": "Bad", "5": "Good"}}],
    }
    (tmp_path / "cases.jsonl").write_text(json.dumps(case) + "\n")
    (tmp_path / "cases.yaml").write_text("human: {rubric: {labels: [labels.csv]}}\n")
    done = suitecase("agreement", "cases.jsonl", "--format", "json", cwd=tmp_path)
    (kind,) = json.loads(done.stdout)["human"]["rubric"]["kinds"]
    assert kind["alpha"]["estimate"] == pytest.approx(0.815388, abs=1e-6)


def test_values_that_are_all_the_same_have_no_alpha_and_a_reason(tmp_path: Path) -> None:
    write(tmp_path, rows({"ann": "yes yes", "ben": "yes yes"}, "apology"))
    lines = suitecase("agreement", "support.eval.yaml", cwd=tmp_path).stdout.splitlines()
    assert lines[1].startswith("  checks  alpha none nominal   kappa none   agree 1.00 [")
    assert lines[2] == (
        "          no alpha: all values are the same, so agreement by chance cannot be told apart"
    )
    _, found = measured(tmp_path)
    alpha = found["human"]["rubric"]["kinds"][0]["alpha"]
    assert (alpha["estimate"], alpha["low"], alpha["high"]) == (None, None, None)
    assert alpha["reason"].startswith("all values are the same")
