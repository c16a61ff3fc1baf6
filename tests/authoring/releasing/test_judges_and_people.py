"""Judges that decide cases and people who label: what forbids publication, and what a bundle shows."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from suitecase.evidence.calibration_file import CalibratedAnswer, Calibration
from suitecase.evidence.calibration_writing import calibration_text
from suitecase.evidence.labels.items import items_of
from suitecase.evidence.named_judges import parts_of_judges
from suitecase.format.reading import parse_document
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.judge_hash import judge_hash
from suitecase.formats.suitecase.parsed import ParsedSuite
from support.publishing import HEAD, SUITE, Bundle, Shop

JUDGED = HEAD.replace(
    "governance:\n",
    "judges:\n"
    "  rubric: {temperature: 0, calibration: labels/rubric.calibration.json}\n"
    "governance:\n",
)
PEOPLE = JUDGED.replace(
    "governance:\n", "human:\n  rubric: {labels: [labels/rubric.csv]}\ngovernance:\n"
)
GRADED = "    rubrics: [{id: days, expected_outcome: Says how many days it takes}]\n"


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path)


def has_judge(shop: Shop, head: str = JUDGED, gates: str = "gates: [pass_rate >= 10%]\n") -> None:
    head = head.replace("    safety: true\n", "")
    shop.has(head=head, gates=gates)
    shop.edits("    evaluators: [{name: names-days, type: icontains, value: 5 days}]\n", GRADED)


def calibrated(shop: Shop) -> Calibration:
    """Return a calibration of the judge as it is now: 40 answers, two of them judged wrongly."""
    path = shop.folder / SUITE
    within = Folder(Workspace(shop.folder), shop.folder)
    suite = parse_document(path, path.read_text("utf-8"), within.workspace)
    assert isinstance(suite, ParsedSuite)
    parts = parts_of_judges(suite, "rubric", within)
    assert parts is not None
    wording = {item: it.wording for item, it in items_of(suite, "rubric")["refund-late"].items()}
    answers = tuple(
        CalibratedAnswer(
            case="refund-late",
            answer=f"{number:016x}",
            people={"days": number % 2 == 0},
            judge={"days": number % 2 == 0 or number < 4},
            people_pass=number % 2 == 0,
            judge_pass=number % 2 == 0 or number < 4,
            wording=wording,
        )
        for number in range(40)
    )
    return Calibration(
        judge="rubric",
        at="2026-02-03T10:12:00Z",
        judge_hash=judge_hash(parts),
        judge_parts=parts,
        raters=("ann", "ben"),
        answers=answers,
    )


def writes(shop: Shop, calibration: Calibration) -> None:
    (shop.folder / "labels").mkdir(exist_ok=True)
    path = shop.folder / "labels" / "rubric.calibration.json"
    path.write_text(calibration_text(calibration), "utf-8")


def labels(shop: Shop, *values: tuple[int, str, str]) -> None:
    rows = [
        f"refund-late,{hashlib.sha256(f'answer {number}'.encode()).hexdigest()[:16]},days,,{rater},{value},"
        for number, rater, value in values
    ]
    (shop.folder / "labels").mkdir(exist_ok=True)
    text = "\n".join(["case,answer,item,wording,rater,value,note", *rows, ""])
    (shop.folder / "labels" / "rubric.csv").write_text(text, "utf-8")


def of_kind(shop: Shop, kind: str) -> list[str]:
    return [text for own, text, *_ in shop.forbidden() if own == kind]


def test_a_judge_that_was_compared_with_people_forbids_nothing(shop: Shop) -> None:
    has_judge(shop)
    writes(shop, calibrated(shop))
    shop.runs()
    shop.locks()
    assert of_kind(shop, "judge") == []
    bundle = shop.bundle("--draft")
    text = bundle.files()["appendix.md"].decode()
    assert (
        "It was compared with people on 2026-02-03: on 40 answers, of which people pass 20" in text
    )
    assert "| `judges.rubric.sensitivity` | 1.00 \\[" in text
    assert "| `judges.rubric.specificity` | 0.90 \\[" in text
    judge = bundle.json("manifest.json")["judges"]["rubric"]
    assert judge["calibrated"]["answers"] == 40
    assert judge["temperature"] == 0
    assert judge["hash"] == judge["calibrated"]["judge_hash"]
    figures = {it["figure"]: it["estimate"] for it in judge["figures"]}
    assert figures["judges.rubric.specificity"] == pytest.approx(0.9)
    (rubric,) = [
        it
        for grader in bundle.json("manifest.json")["graders"]
        for it in (grader["settings"] or {}).get("rubrics", ())
    ]
    assert rubric["expected_outcome"] == "Says how many days it takes"


def test_a_calibration_does_not_name_who_labeled(shop: Shop) -> None:
    has_judge(shop)
    files = {"labels/rubric.ben.csv": "0a", "labels/rubric.jane.doe@example.com.csv": "0b"}
    writes(shop, replace(calibrated(shop), labels=files, raters=("jane.doe@example.com", "ben")))
    shop.runs()
    shop.locks()
    shop.rewrites("refund-late", reasoning="As JANE.DOE@example.com says, and rubric.ben.csv")
    bundle = shop.bundle("--draft")
    judge = bundle.json("manifest.json")["judges"]["rubric"]
    assert judge["calibrated"]["labels"] == {"label file 1": "0a", "label file 2": "0b"}
    for name, content in bundle.files().items():
        assert b"jane.doe" not in content.lower(), name
        assert b"rubric.ben" not in content, name


def test_a_judge_that_has_changed_since_forbids_publication(shop: Shop) -> None:
    has_judge(shop)
    before = calibrated(shop)
    writes(shop, replace(before, judge_parts={**before.judge_parts, "temperature": "0.7"}))
    shop.runs()
    shop.locks()
    (text,) = of_kind(shop, "judge")
    assert text == (
        "the calibration of `rubric` (2026-02-03) is outdated: `temperature` was `0.7` and is `0` now"
    )


def test_a_calibration_that_cannot_be_read_forbids_publication_at_its_line(shop: Shop) -> None:
    has_judge(shop)
    shop.runs()
    shop.locks()
    writes(shop, calibrated(shop))
    path = shop.folder / "labels" / "rubric.calibration.json"
    path.write_text(path.read_text("utf-8")[:-20], "utf-8")
    found = [it for it in shop.forbidden() if it[0] == "judge"]
    assert [(it[2], it[3] is not None) for it in found] == [
        ("labels/rubric.calibration.json", True)
    ]
    assert "the calibration of `rubric` cannot be used" in found[0][1]


def test_labels_need_two_raters_and_a_gate(shop: Shop) -> None:
    has_judge(shop, PEOPLE)
    writes(shop, calibrated(shop))
    labels(shop, (1, "ann", "true"), (2, "ann", "false"))
    shop.runs()
    shop.locks()
    assert of_kind(shop, "labels") == [
        "agreement on `rubric` is not measured: no answer was labeled by two people",
        "no gate asks for the agreement of people on `rubric`, such as `human.rubric.alpha >= 0.667`",
    ]


def test_a_label_file_that_is_missing_forbids_publication(shop: Shop) -> None:
    has_judge(shop, PEOPLE.replace("[labels/rubric.csv]", "[labels/rubric.csv, labels/eva.csv]"))
    writes(shop, calibrated(shop))
    labels(shop, (1, "ann", "true"), (1, "ben", "false"))
    shop.runs()
    shop.locks()
    text = "labels of `rubric` are left out: the label file labels/eva.csv does not exist"
    assert text in of_kind(shop, "labels")
    appendix = shop.bundle("--draft").files()["appendix.md"].decode()
    assert (
        "People differ on 1 item of answers for `rubric`, and nothing settles that yet." in appendix
    )


def test_a_row_that_cannot_be_read_forbids_publication(shop: Shop) -> None:
    has_judge(shop, PEOPLE)
    writes(shop, calibrated(shop))
    labels(shop, (1, "ann", "true"), (1, "ben", "true"))
    shop.runs()
    shop.locks()
    labels(shop, (1, "ann", "true"), (1, "ben", "perhaps"))
    (text,) = [it for it in of_kind(shop, "labels") if "left out" in it]
    assert text.startswith(
        "labels of `rubric` are left out: 1 row of the label file labels/rubric.csv cannot be read: line 3"
    )


def test_agreement_below_its_gate_forbids_publication(shop: Shop) -> None:
    has_judge(shop, PEOPLE, "gates:\n  - pass_rate >= 10%\n  - human.rubric.alpha >= 0.667\n")
    writes(shop, calibrated(shop))
    values = [(it, "ann", "true" if it % 2 else "false") for it in range(20)]
    values += [(it, "ben", "true" if it % 3 else "false") for it in range(20)]
    labels(shop, *values)
    shop.runs()
    shop.locks()
    assert of_kind(shop, "labels") == []
    (text,) = [it for it in of_kind(shop, "gate") if "human" in it]
    assert text.startswith("`human.rubric.alpha >= 0.667` fails: ")
    appendix = shop.bundle("--draft").files()["appendix.md"].decode()
    assert "People label answers by the rubrics of `rubric`: 2 people each." in appendix
    assert "| `human.rubric.alpha` |" in appendix
    people = Bundle(shop.folder / "support-2026.2").json("manifest.json")["human"]["rubric"]
    assert "human.rubric.alpha" in {it["figure"] for it in people["figures"]}


def test_judges_and_labels_are_in_the_description_for_catalogs(shop: Shop) -> None:
    has_judge(shop, PEOPLE)
    writes(shop, calibrated(shop))
    labels(shop, (1, "ann", "true"), (1, "ben", "true"))
    shop.runs()
    shop.locks()
    found = shop.bundle("--draft").json("croissant.json")
    assert found["rai:annotationsPerItem"] == "2 for rubric"
    assert found["rai:machineAnnotationTools"] == ["rubric: model not stated"]
    assert "differences are settled by majority" in found["rai:dataAnnotationProtocol"]
    assert found["creativeWorkStatus"] == "Draft"


def test_prompts_of_judges_are_withheld_from_model_teams(shop: Shop) -> None:
    prompt = "Look for the number of days in {{ candidate_answer }} by {{ rubrics }}"
    has_judge(shop, JUDGED.replace("temperature: 0,", f'temperature: 0, prompt: "{prompt}",'))
    writes(shop, calibrated(shop))
    shop.runs()
    public = shop.bundle("--draft", "--output", "public", name="public")
    team = shop.bundle("--draft", "--audience", "model-team", "--output", "team", name="team")
    marks = ("Look for the number of days", "Says how many days it takes")
    for mark in marks:
        assert any(mark in it.decode() for it in public.files().values()), mark
        assert not [name for name, it in team.files().items() if mark in it.decode()], mark
