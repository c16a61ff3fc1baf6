"""`human`: people score the answers of a run, by labels that are for these very answers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from suitecase.evidence.labels.digests import answer_digest
from support.running.site import Site, lines_of

ANSWER = "I am sorry, Ann."
HEADER = "case,answer,item,rater,value"
RUBRICS = [
    {"id": "sorry", "expected_outcome": "Says sorry"},
    {"id": "tone", "score_ranges": {"0": "cold", "7": "warm"}, "required_min_score": 5},
]


@pytest.fixture
def people(site: Site) -> Site:
    bot = {"name": "bot", "provider": "mock", "response": ANSWER}
    site.write("targets.yaml", json.dumps({"targets": [bot]}))
    return site


def run(site: Site, rows: Sequence[tuple[str, str, str]], *options: str, **human: Any) -> Any:
    """Run a suite with labels of the answer, as item, rater and value; return the result."""
    lines = [f"one,{answer_digest(ANSWER)},{','.join(it)}" for it in rows]
    site.write("labels.csv", "\n".join([HEADER, *lines]) + "\n")
    case = {"id": "one", "input": "Hi", "expected_outcome": "Says sorry"}
    entry = {"name": "panel", "type": "human", "rubrics": RUBRICS}
    suite = {
        "execution": {"target": "bot", "evaluators": [entry]},
        "human": {"panel": {"labels": ["labels.csv"], "raters": 1, **human}},
        "evalcases": [case],
    }
    site.write("a.eval.yaml", json.dumps(suite))
    (site.root / "r.jsonl").unlink(missing_ok=True)
    ran = site.run("a.eval.yaml", "--output", "r.jsonl", *options)
    assert ran.code in (0, 1, 3), ran.err
    *_, record = lines_of(site.root / "r.jsonl")
    (result,) = record["evaluator_results"]
    return result


def test_labels_of_the_answer_are_its_score(people: Site) -> None:
    result = run(people, [("sorry", "ann", "true"), ("tone", "ann", "8")])
    assert (result["verdict"], result["score"]) == ("pass", 0.9)
    assert result["details"]["raw_scores"] == {"sorry": True, "tone": 8}
    assert (result["attempts"], result["judge_hash"]) == (0, None)


def test_minimums_hold_for_people_too(people: Site) -> None:
    result = run(people, [("sorry", "ann", "true"), ("tone", "ann", "4")])
    assert (result["verdict"], result["gate_failed"]) == ("fail", True)


@pytest.mark.parametrize(
    ("labels", "reason"),
    [
        ([], "It waits for labels: nobody has labeled this answer."),
        ([("sorry", "ann", "true")], "It waits for labels of `tone`."),
        (
            [("sorry", "ann", "true"), ("sorry", "ben", "false"), ("tone", "ann", "8")],
            "People differ on `sorry`, and nothing settles it.",
        ),
    ],
)
def test_an_answer_waits_until_people_agree_on_it(
    people: Site, labels: list[tuple[str, str, str]], reason: str
) -> None:
    result = run(people, labels, raters=2)
    assert (result["verdict"], result["score"]) == ("not_evaluated", None)
    assert result["reasoning"] == reason


def test_an_adjudicator_settles_what_people_differ_on(people: Site) -> None:
    labels = [("sorry", "ann", "true"), ("sorry", "ben", "false"), ("sorry", "eva", "true")]
    labels += [("tone", "ann", "8")]
    result = run(people, labels, raters=2, adjudication="adjudicator", adjudicators=["eva"])
    assert result["verdict"] == "pass"


def test_labels_of_another_answer_do_not_count(people: Site) -> None:
    other = answer_digest("Another answer")
    result = run(people, [])
    people.write("labels.csv", f"{HEADER}\none,{other},sorry,ann,true\none,{other},tone,ann,8\n")
    people.run("a.eval.yaml", "--output", "s.jsonl")
    *_, record = lines_of(people.root / "s.jsonl")
    assert record["evaluator_results"][0]["reasoning"] == result["reasoning"]


def test_a_replay_scores_what_was_labeled_since(people: Site) -> None:
    assert run(people, [])["verdict"] == "not_evaluated"
    (people.root / "r.jsonl").rename(people.root / "first.jsonl")
    labels = [("sorry", "ann", "true"), ("tone", "ann", "8")]
    result = run(people, labels, "--replay", "first.jsonl")
    assert result["verdict"] == "pass"


def test_an_answer_waits_for_a_label_file_that_is_not_there(people: Site) -> None:
    labels = [("sorry", "ann", "true"), ("tone", "ann", "8")]
    result = run(people, labels, labels=["labels.csv", "eva.csv"])
    assert (result["verdict"], result["score"]) == ("not_evaluated", None)
    assert result["reasoning"] == "It waits for labels: the label file eva.csv does not exist."


def test_labels_that_cannot_be_read_grade_nothing(people: Site) -> None:
    labels = [("sorry", "ann", "true"), ("tone", "ann", "8")]
    (people.root / "eva.csv").write_bytes(b"gr\xfcn")
    result = run(people, labels, "--keep-going", labels=["labels.csv", "eva.csv"])
    assert (result["verdict"], result["score"]) == ("error", None)
    assert result["error"].startswith(
        "not all labels can be read: the label file eva.csv cannot be read: "
    )
