"""Scenario "Rubric-based human scoring with quality gates", from label files to what may be published.

People score answers by rubrics with anchors. How far they agree is a figure with a gate; below it nothing is
published.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from suitecase.evidence.labels.digests import answer_digest
from support.running.commands import CommandSite

SUITE = """\
dataset: support
version: "2026.2"
execution: {target: bot}
human:
  rubric:
    labels: [labels/rubric.csv]
    raters: 2
    adjudication: adjudicator
    adjudicators: [eva]
gates:
  - human.rubric.alpha >= 0.667
evalcases:
"""
CASE = """\
  - id: case-{number}
    input: My parcel is {number} weeks late.
    expected_outcome: Is polite
    rubrics:
      - id: tone
        required_min_score: 3
        score_ranges: {{0: Blames the customer, 3: Is polite, 8: Is warm and says what happens next}}
"""
NUMBERS = range(1, 9)
#: How warm each answer is, and how another rater sees it who does not agree.
SCORES = {1: 0, 2: 3, 3: 8, 4: 0, 5: 8, 6: 3, 7: 8, 8: 0}
OTHERS = {1: 8, 2: 0, 3: 3, 4: 8, 5: 0, 6: 8, 7: 3, 8: 3}


def _answer(number: int) -> str:
    return f"Thank you for message {number}."


class _Desk(CommandSite):
    """The suite with answers to it, and labels of two raters."""

    def is_set_up(self) -> None:
        answers = {f"case-{it}": _answer(it) for it in NUMBERS}
        bot = {"name": "bot", "provider": "mock", "response": answers, "judge_target": "mock"}
        mock = {"name": "mock", "provider": "mock"}
        self.write("targets.yaml", json.dumps({"targets": [bot, mock]}))
        self.write("support.eval.yaml", SUITE + "".join(CASE.format(number=it) for it in NUMBERS))

    def labels(self, *raters: tuple[str, dict[int, int]]) -> None:
        rows = [
            f"case-{number},{answer_digest(_answer(number))},tone,{rater},{score}"
            for rater, scores in raters
            for number, score in scores.items()
        ]
        self.write("labels/rubric.csv", "\n".join(["case,answer,item,rater,value", *rows, ""]))

    def kinds_of_conditions(self) -> set[str]:
        ran = self.run("publish", "run.jsonl", "--format", "json")
        assert ran.code in (1, 3)
        return {it["kind"] for it in json.loads(ran.out)["conditions"]}


@pytest.fixture
def desk(tmp_path: Path) -> _Desk:
    desk = _Desk(tmp_path)
    desk.is_set_up()
    desk.labels(("ann", SCORES), ("ben", SCORES))
    desk.run("run", "support.eval.yaml", "--output", "run.jsonl")
    assert desk.run("lock", "support.eval.yaml").code == 0
    return desk


def test_sheets_show_the_anchors_and_are_read_back_when_they_are_filled_in(desk: _Desk) -> None:
    sheets = ("labels/rubric.ann.csv", "labels/rubric.ben.csv")
    suite = desk.read("support.eval.yaml")
    desk.write("support.eval.yaml", suite.replace("labels/rubric.csv", ", ".join(sheets)))
    assert desk.run("labels", "run.jsonl", "--rater", "ann", "--rater", "ben").code == 0
    for name in sheets:
        path = desk.root / name
        rows = list(csv.DictReader(path.read_text("utf-8-sig").splitlines(keepends=True)))
        assert len(rows) == len(SCORES)
        assert all("Is warm and says what happens next" in it["scale"] for it in rows)
        for it in rows:
            it["value"] = str(SCORES[int(it["case"].removeprefix("case-"))])
        with path.open("w", encoding="utf-8", newline="") as file:
            sheet = csv.DictWriter(file, list(rows[0]))
            sheet.writeheader()
            sheet.writerows(rows)

    assert desk.run("agreement", "support.eval.yaml").code == 0
    assert desk.run("gate", "run.jsonl").code == 0


def test_raters_who_agree_meet_the_gate(desk: _Desk) -> None:
    assert desk.run("check", "support.eval.yaml").code == 0
    ran = desk.run("agreement", "support.eval.yaml", "--format", "json")
    assert ran.code == 0
    (kind,) = json.loads(ran.out)["human"]["rubric"]["kinds"]
    assert kind["alpha"]["estimate"] == 1
    assert desk.run("gate", "run.jsonl").code == 0
    # People agree; nobody compared the judge with them, and no model answered.
    assert desk.kinds_of_conditions() == {"judge", "rehearsal"}


def test_raters_who_do_not_agree_block_publication(desk: _Desk) -> None:
    desk.labels(("ann", SCORES), ("ben", OTHERS))

    assert desk.run("agreement", "support.eval.yaml").code == 1
    gate = desk.run("gate", "run.jsonl")
    assert (gate.code, "human.rubric.alpha >= 0.667" in gate.out) == (1, True)
    assert "gate" in desk.kinds_of_conditions()
    assert not (desk.root / "support-2026.2").exists()


def test_without_labels_the_gate_is_undecided_and_nothing_is_published(desk: _Desk) -> None:
    desk.labels()

    assert desk.run("agreement", "support.eval.yaml").code == 2, "there is nothing to measure"
    assert desk.run("gate", "run.jsonl").code == 3
    assert "gate" in desk.kinds_of_conditions()


def test_scores_off_the_scale_and_of_unknown_cases_are_found_in_the_label_file(desk: _Desk) -> None:
    desk.labels(("ann", SCORES | {1: 11}), ("ben", SCORES))
    ran = desk.run("check", "support.eval.yaml")
    assert ran.code == 1
    assert "labels/rubric.csv:2:" in ran.out
    assert "11" in ran.out


def test_differences_are_settled_by_the_adjudicator(desk: _Desk) -> None:
    desk.labels(("ann", SCORES), ("ben", SCORES | {1: 3}))
    left = desk.run("agreement", "support.eval.yaml")
    assert "1 answer" in left.out
    assert "eva" in left.out

    desk.labels(("ann", SCORES), ("ben", SCORES | {1: 3}), ("eva", {1: 3}))
    settled = desk.run("agreement", "support.eval.yaml")
    assert settled.code == 0
    assert "To adjudicate" not in settled.out


def test_the_manifest_has_anchors_adjudication_and_agreement(desk: _Desk) -> None:
    ran = desk.run("publish", "run.jsonl", "--draft")
    assert (desk.root / "support-2026.2").is_dir(), ran.out + ran.err
    manifest = (desk.root / "support-2026.2" / "manifest.json").read_text("utf-8")
    for text in ("Is warm and says what happens next", '"adjudicator"', "eva", "alpha"):
        assert text in manifest, text
