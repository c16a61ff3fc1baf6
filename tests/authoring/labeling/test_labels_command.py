"""`suitecase labels`: from a results file to sheets, and from filled sheets to labels."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal
from unicodedata import normalize  # noqa: TID251 - text of this test

import pytest

from suitecase.evidence.labels.digests import answer_digest
from suitecase.evidence.labels.people import PeoplesLabels, peoples_labels
from suitecase.evidence.labels.reading import read_labels
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.parsed import parse_suite
from support.figures import answer
from support.running.processes import suitecase, write

SUITE = """\
description: Replies
human:
  rubric:
    labels: [LABELS]
MORE
evalcases:
  - id: refund-late
    input: My parcel came two weeks late.
    expected_outcome: Apologises
    expected_output: You get it back
    rubrics:
      - {id: apology, expected_outcome: Says sorry}
      - id: tone
        score_ranges: {0: Blames the customer, 3: Is polite, 8: Is warm}
  - id: "1-2"
    input: "=cmd|'/c calc'!A1"
    expected_outcome: Greets
    rubrics: [Says hello]
"""


class Run:
    """A suite, and results of it in `run.jsonl`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.suite()

    def suite(self, *labels: str, more: str = "", text: str = SUITE) -> None:
        named = ", ".join(labels) or "labels/rubric.csv"
        write(self.folder, "s.eval.yaml", text.replace("LABELS", named).replace("MORE\n", more))

    def answers(self, *records: dict[str, Any]) -> None:
        write(self.folder, "run.jsonl", "".join(f"{json.dumps(it)}\n" for it in records))

    def labels(self, *arguments: str, code: int = 0) -> str:
        done = suitecase("labels", "run.jsonl", *arguments, cwd=self.folder)
        assert done.returncode == code, done.stderr
        return done.stdout + done.stderr

    def text(self, name: str) -> str:
        return (self.folder / "labels" / name).read_text("utf-8")

    def rows(self, name: str) -> list[dict[str, str]]:
        with (self.folder / "labels" / name).open(encoding="utf-8-sig", newline="") as file:
            return list(csv.DictReader(file))

    def fill(self, name: str, value: Callable[[dict[str, str]], str], note: str = "") -> None:
        """Fill in a sheet as a spreadsheet saves it."""
        rows = [{**it, "value": value(it), "note": note} for it in self.rows(name)]
        path = self.folder / "labels" / name
        with path.open("w", encoding="utf-8-sig", newline="") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)

    def people(self, name: str = "rubric") -> PeoplesLabels:
        text = (self.folder / "s.eval.yaml").read_text("utf-8")
        found = peoples_labels(parse_suite(text), name, Folder(Workspace(self.folder), self.folder))
        assert found is not None
        return found


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Run(tmp_path)


def said(case: str, text: str | None, **fields: Any) -> dict[str, Any]:
    """Return a record of an answer that a model with a telling name gave, and that failed."""
    verdict = "error" if text is None else "fail"
    return answer(
        case, None if text is None else 0.25, candidate_answer=text, verdict=verdict, suite_path="s.eval.yaml",
        target="secret-model", reasoning="It is a graded reason.",
        input=[
            {"role": "system", "content": "You are the instructed bot."},
            {"role": "user", "content": f"Question of {case}"},
        ],
        expected_output=[{"role": "assistant", "content": "You get it back"}],
        evaluator_results=[{"name": "rubric", "type": "llm_judge", "verdict": "fail", "score": 0.25}],
        **fields,
    )  # fmt: skip


def test_a_sheet_has_each_item_with_what_its_scores_mean(run: Run) -> None:
    run.answers(said("refund-late", "Sorry!"))
    out = run.labels("--rater", "ann")
    assert "rubric: all 1 answer; 2 items to label" in out
    assert "Written: labels/rubric.ann.csv" in out
    check, score = run.rows("rubric.ann.csv")
    assert check["question"] == "Question of refund-late"
    assert check["reference"] == "You get it back"
    assert check["response"] == "Sorry!"
    assert check["criterion"] == "Says sorry"
    assert check["scale"] == "true: met\nfalse: not met"
    assert (check["case"], check["item"], check["rater"]) == ("refund-late", "apology", "ann")
    assert check["answer"] == answer_digest("Sorry!")
    assert check["value"] == check["note"] == ""
    assert score["scale"] == "0 to 2: Blames the customer\n3 to 7: Is polite\n8 to 10: Is warm"


def test_the_reference_is_the_last_message_of_the_expected_conversation(run: Run) -> None:
    turns = ["One moment.", "You get it back"]
    expected = [{"role": "assistant", "content": turn} for turn in turns]
    run.answers(said("refund-late", "Sorry!") | {"expected_output": expected})
    run.labels("--rater", "ann")
    assert [row["reference"] for row in run.rows("rubric.ann.csv")] == ["You get it back"] * 2


@pytest.mark.parametrize("form", ["csv", "label-studio", "argilla"])
def test_raters_see_neither_verdicts_nor_targets(run: Run, form: str) -> None:
    run.answers(said("refund-late", "Sorry!"))
    run.labels("--format", form, "--rater", "ann")
    for file in (run.folder / "labels").iterdir():
        text = file.read_text("utf-8")
        for hidden in ("secret-model", "graded reason", "0.25", "fail", "instructed bot"):
            assert hidden not in text


def test_raters_get_no_secrets_that_a_targets_file_names(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = "Zk39fjQ0aPxv71Lw"
    monkeypatch.setenv("SHOP_DOOR", secret)
    target = "{name: bot, provider: openai, model: m, api_base: 'https://x/${{ SHOP_DOOR }}'}"
    (run.folder / "targets.yaml").write_text(f"targets: [{target}]", "utf-8")
    run.answers(said("refund-late", f"It is {secret}."))
    run.labels("--rater", "ann")
    assert next(it["response"] for it in run.rows("rubric.ann.csv")) == "It is [redacted]."


@pytest.mark.parametrize("form", ["csv", "label-studio", "argilla"])
def test_raters_get_no_secrets_of_answers_from_elsewhere(
    run: Run, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    secret = "sk-live-Zk39fjQ0aPxv71Lw"
    monkeypatch.setenv("SHOP_API_KEY", secret)
    text = f"The key is {secret}."
    run.answers(said("refund-late", text))
    run.labels("--format", form, "--rater", "ann")
    sheet = "".join(it.read_text("utf-8") for it in (run.folder / "labels").iterdir())
    assert secret not in sheet
    assert "The key is [redacted]." in sheet
    assert answer_digest(text) in sheet


def test_sheets_are_made_again_byte_for_byte_in_another_order_for_each_rater(run: Run) -> None:
    run.answers(*(said("refund-late", f"Answer {number}", repeat=number) for number in range(30)))
    run.labels("--rater", "ann", "--rater", "ben")
    run.labels("--rater", "ann", "--output", "again")
    run.labels("--rater", "ann", "--seed", "7", "--output", "other")
    first = (run.folder / "labels/rubric.ann.csv").read_bytes()
    assert first == (run.folder / "again/rubric.ann.csv").read_bytes()
    assert first != (run.folder / "other/rubric.ann.csv").read_bytes()
    ann = [it["response"] for it in run.rows("rubric.ann.csv")]
    ben = [it["response"] for it in run.rows("rubric.ben.csv")]
    assert ann != ben
    assert sorted(ann) == sorted(ben)
    assert ann[::2] == ann[1::2], "the items of an answer stand together"


def test_a_sample_is_the_same_for_all_raters_and_part_of_each_larger_one(run: Run) -> None:
    run.answers(*(said("refund-late", f"Answer {number}", repeat=number) for number in range(40)))

    def drawn(rater: str, *arguments: str) -> set[str]:
        run.labels("--rater", rater, *arguments)
        return {it["answer"] for it in run.rows(f"rubric.{rater}.csv")}

    ten = drawn("ann", "--sample", "10")
    assert len(ten) == 10
    assert drawn("ben", "--sample", "10") == ten
    assert drawn("cem", "--sample", "20") > ten
    assert drawn("dan", "--sample", "10", "--seed", "1") != ten
    out = run.labels("--rater", "eva", "--sample", "10")
    assert "10 of 40 answers, drawn at random (seed 20260101)" in out


def test_what_cannot_be_labeled_is_left_out_and_counted(run: Run) -> None:
    run.answers(
        said("refund-late", "Sorry!"),
        said("refund-late", "Sorry!", repeat=2),
        said("refund-late", None, repeat=3),
        said("removed", "Hello"),
    )
    out = run.labels("--rater", "ann")
    assert "all 1 answer;" in out
    assert "Left out: 1 result without an answer" in out
    assert "Left out: 1 result of cases that the suite does not have any more" in out
    assert "1 result with the same answer to the same case as another one" in out


def test_formulas_and_ids_like_dates_survive_a_spreadsheet_and_are_read_back(run: Run) -> None:
    run.answers(said("1-2", "=1+1"), said("refund-late", "@SUM(A1)"))
    run.labels("--rater", "=ann")
    rows = run.rows("rubric.=ann.csv") if (run.folder / "labels/rubric.=ann.csv").exists() else []
    rows = rows or run.rows("rubric.-ann.csv")
    for row in rows:
        assert not any(it.startswith(("=", "@", "+", "-")) for it in row.values())
        assert row["case"] in ("'1-2", "refund-late")
    run.fill("rubric.-ann.csv", lambda _: "1", note="fine")
    found = read_labels(Path("x.csv"), run.text("rubric.-ann.csv"))
    assert not found.problems
    assert {(it.case, it.answer, it.rater, it.note) for it in found.labels} == {
        ("1-2", answer_digest("=1+1"), "=ann", "fine"),
        ("refund-late", answer_digest("@SUM(A1)"), "=ann", "fine"),
    }


def test_labels_of_filled_sheets_count(run: Run) -> None:
    run.answers(said("refund-late", 'He said:\n"Sorry, it is late"'), said("1-2", "Hello"))
    run.labels("--rater", "ann", "--rater", "ben")
    run.suite("labels/rubric.ann.csv", "labels/rubric.ben.csv")
    assert run.people().labels == ()
    for rater in ("ann", "ben"):
        run.fill(f"rubric.{rater}.csv", lambda row: "8" if row["item"] == "tone" else "TRUE")
    people = run.people()
    assert len(people.labels) == 6
    assert people.raters == ("ann", "ben")
    assert not people.stale
    assert people.by_answer["refund-late", answer_digest('He said:\n"Sorry, it is late"')] == {
        "apology": {"ann": True, "ben": True},
        "tone": {"ann": 8, "ben": 8},
    }


def test_tasks_of_label_studio_come_back_as_labels(run: Run) -> None:
    run.answers(said("refund-late", "Sorry!"), said("1-2", "Hello"))
    run.labels("--format", "label-studio")
    config = run.text("rubric.label-studio.xml")
    tasks = json.loads(run.text("rubric.label-studio.json"))
    assert len(tasks) == 3
    values = {it["data"]["items"]["value"]: it["data"]["values"] for it in tasks}
    assert values["apology"] == [{"value": "true"}, {"value": "false"}]
    assert values["tone"] == [{"value": str(it)} for it in range(11)]
    assert 'name="value"' in config
    assert 'value="$values"' in config
    exported = [
        {
            "id": number,
            "data": task["data"],
            "annotations": [
                {
                    "completed_by": {"email": "ann@example.org"},
                    "result": [
                        {
                            "from_name": "value",
                            "type": "choices",
                            "value": {"choices": [task["data"]["values"][-1]["value"]]},
                        },
                        {"from_name": "note", "type": "textarea", "value": {"text": ["hm"]}},
                    ],
                }
            ],
        }
        for number, task in enumerate(tasks)
    ]
    write(run.folder, "labels/export.json", json.dumps(exported))
    run.suite("labels/export.json")
    people = run.people()
    assert not people.stale
    assert {(it.label.item, it.label.value, it.label.note) for it in people.labels} == {
        ("apology", False, "hm"),
        ("tone", 10, "hm"),
        ("rubric-1", False, "hm"),
    }


def test_records_of_argilla_come_back_as_labels(run: Run) -> None:
    run.answers(said("refund-late", "Sorry!"))
    run.labels("--format", "argilla")
    records = json.loads(run.text("rubric.argilla.json"))
    assert [it["fields"]["response"] for it in records] == ["Sorry!", "Sorry!"]
    assert all(isinstance(it, str) for record in records for it in record["metadata"].values())
    for record, value in zip(records, ("true", "7"), strict=True):
        record["responses"] = {"value": [{"value": value, "user_id": "u-1"}]}
    write(run.folder, "labels/export.json", json.dumps(records))
    run.suite("labels/export.json")
    people = run.people()
    assert not people.stale
    assert {(it.label.item, it.label.value) for it in people.labels} == {
        ("apology", True),
        ("tone", 7),
    }


ADJUDICATED = "    adjudication: adjudicator\n    adjudicators: [eva]\n"


def test_disagreements_go_to_adjudicators_with_the_values_that_differ(run: Run) -> None:
    run.answers(said("refund-late", "Sorry!"), said("1-2", "Hello"))
    run.labels("--rater", "ann", "--rater", "ben")
    run.suite("labels/rubric.ann.csv", "labels/rubric.ben.csv", more=ADJUDICATED)
    assert "nothing to adjudicate" in run.labels("--disagreements", code=2)
    run.fill("rubric.ann.csv", lambda row: "8" if row["item"] == "tone" else "true")
    run.fill("rubric.ben.csv", lambda row: "6" if row["item"] == "tone" else "true", note="vague")
    out = run.labels("--disagreements")
    assert "rubric: all 1 answer; 1 item to adjudicate" in out
    (row,) = run.rows("rubric.adjudication.eva.csv")
    assert (row["item"], row["rater"], row["ratings"]) == ("tone", "eva", "6: vague\n8")
    assert "ann" not in row["ratings"]
    run.fill("rubric.adjudication.eva.csv", lambda _: "8")
    run.suite(
        "labels/rubric.ann.csv",
        "labels/rubric.ben.csv",
        "labels/rubric.adjudication.eva.csv",
        more=ADJUDICATED,
    )
    assert run.people().to_adjudicate == []


@pytest.mark.parametrize("forms", [("NFC", "NFD", "NFC"), ("NFD", "NFC", "NFD")])
def test_a_name_is_the_same_whether_its_letters_are_composed_or_not(
    run: Run, forms: tuple[Literal["NFC", "NFD"], ...]
) -> None:
    one, other, third = (normalize(form, "Zoë") for form in forms)
    run.answers(said("refund-late", "Sorry!"), said("1-2", "Hello"))
    assert "is given twice" in run.labels("--rater", one, "--rater", other, code=2)
    run.labels("--rater", one, "--rater", "ben")
    assert (run.folder / "labels" / "rubric.Zo\u00eb.csv").is_file()
    run.fill("rubric.Zo\u00eb.csv", lambda row: "8" if row["item"] == "tone" else "true")
    run.fill("rubric.ben.csv", lambda row: "6" if row["item"] == "tone" else "true")
    text = run.text("rubric.Zo\u00eb.csv").replace("Zo\u00eb", third)
    (run.folder / "labels" / "again.csv").write_text(text, "utf-8")
    more = ADJUDICATED.replace("eva", other)
    run.suite("labels/rubric.ben.csv", "labels/rubric.Zo\u00eb.csv", "labels/again.csv")
    assert run.people().raters == ("Zo\u00eb", "ben")
    run.suite("labels/rubric.ben.csv", "labels/again.csv", more=more)
    done = suitecase("check", "s.eval.yaml", cwd=run.folder)
    assert "is one of the two who differ" in done.stdout


def test_without_adjudicators_somebody_has_to_be_named(run: Run) -> None:
    run.answers(said("1-2", "Hello"))
    run.labels("--rater", "ann", "--rater", "ben")
    run.fill("rubric.ann.csv", lambda _: "true")
    run.fill("rubric.ben.csv", lambda _: "false")
    run.suite("labels/rubric.ann.csv", "labels/rubric.ben.csv")
    assert "say with --rater who adjudicates" in run.labels("--disagreements", code=2)
    assert "rubric.adjudication.eva.csv" in run.labels("--disagreements", "--rater", "eva")


def test_sheets_that_exist_are_never_overwritten(run: Run) -> None:
    run.answers(said("1-2", "Hello"))
    run.labels("--rater", "ann")
    run.fill("rubric.ann.csv", lambda _: "true")
    before = run.text("rubric.ann.csv")
    out = run.labels("--rater", "ann", "--rater", "ben", code=2)
    assert "labels/rubric.ann.csv already exists" in out
    assert "--output" in out
    assert run.text("rubric.ann.csv") == before
    assert [it.name for it in (run.folder / "labels").iterdir()] == ["rubric.ann.csv"]


def test_each_evaluator_has_sheets_of_its_own(run: Run) -> None:
    text = SUITE.replace("MORE\n", "  tone-judge:\n    labels: [labels/tone.csv]\n").replace(
        "    rubrics: [Says hello]\n",
        "    rubrics: [Says hello]\n    evaluators: [{name: tone-judge, type: llm_judge}]\n",
    )
    run.suite(text=text)
    run.answers(said("1-2", "Hello"))
    out = run.labels()
    assert "tone-judge: all 1 answer; 1 item to label" in out
    assert sorted(it.name for it in (run.folder / "labels").iterdir()) == [
        "rubric.rater-1.csv",
        "rubric.rater-2.csv",
        "tone-judge.rater-1.csv",
        "tone-judge.rater-2.csv",
    ]
    (row,) = run.rows("tone-judge.rater-1.csv")
    assert (row["item"], row["criterion"]) == ("verdict", "Greets")
    assert row["scale"] == "true: good\nfalse: not good"


def test_of_a_comparison_raters_say_whether_the_answer_is_better(run: Run) -> None:
    text = SUITE.replace("MORE\n", "  better:\n    labels: [labels/better.csv]\n").replace(
        "    expected_output: You get it back\n",
        "    expected_output: You get it back\n"
        "    evaluators: [{name: better, type: preference, against: reference}]\n",
    )
    run.suite(text=text)
    run.answers(said("refund-late", "Sorry!"))
    run.labels("--rater", "ann")
    (row,) = run.rows("better.ann.csv")
    assert row["reference"] == "You get it back"
    assert row["scale"] == "true: better than the reference answer\nfalse: not better"


def test_a_suite_without_human_is_told_what_to_write(run: Run) -> None:
    text = SUITE.replace("human:\n  rubric:\n    labels: [LABELS]\nMORE\n", "")
    run.suite(text=text)
    run.answers(said("1-2", "Hello"))
    out = run.labels(code=2)
    assert "human:\n      rubric:\n        labels: [labels/rubric.rater-1.csv" in out
    assert not (run.folder / "labels").exists()


@pytest.mark.parametrize("form", ["csv", "label-studio", "argilla"])
def test_half_a_character_of_an_answer_is_replaced(run: Run, form: str) -> None:
    run.answers(said("1-2", "half \ud83d of it"))
    assert "Written: " in run.labels("--rater", "ann", "--format", form)


def test_a_rater_gets_one_sheet(run: Run) -> None:
    run.answers(said("1-2", "Hello"))
    assert "`ann` is given twice" in run.labels("--rater", "ann", "--rater", "ann", code=2)
    assert "would be one file" in run.labels("--rater", "ann", "--rater", "Ann", code=2)
    out = run.labels("--rater", "ann/x", "--rater", "ann x", code=2)
    assert "the sheets of `ann/x` and `ann x` would be one file" in out
    assert not (run.folder / "labels").exists()


def test_names_of_raters_lead_to_no_other_folder(run: Run) -> None:
    run.answers(said("1-2", "Hello"))
    run.labels("--rater", "../../ann")
    assert [it.name for it in (run.folder / "labels").iterdir()] == ["rubric.-..-ann.csv"]


def test_cases_that_have_changed_since_the_run_are_counted(run: Run) -> None:
    run.answers(said("1-2", "Hello", case_hash="of an earlier text"))
    assert "1 case has changed since the run" in run.labels("--rater", "ann")


def test_answers_too_long_for_a_cell_are_cut_and_still_labeled(run: Run) -> None:
    long = "long " * 20_000
    run.answers(said("1-2", long))
    out = run.labels("--rater", "ann")
    assert "1 item has a text that is too long for a cell" in out
    (row,) = run.rows("rubric.ann.csv")
    assert len(row["response"]) < 32_767
    assert "68,000 more characters are in the results file" in row["response"]
    assert row["answer"] == answer_digest(long)


def test_a_folder_that_cannot_be_written_ends_with_2(run: Run) -> None:
    run.answers(said("1-2", "Hello"))
    write(run.folder, "labels", "a file")
    assert "labels: cannot be written" in run.labels("--rater", "ann", code=2)
