"""A calibration is of one judge and of one wording of its items; what has changed since is known."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from suitecase.evidence.calibration_file import CalibratedAnswer, Calibration
from suitecase.evidence.labels.items import items_of
from suitecase.evidence.named_judges import judges_named, parts_of_judges
from suitecase.evidence.outdated_calibrations import changes_of_judge, sorted_answers
from suitecase.format.reading import parse_document
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.judge_hash import judge_hash
from suitecase.formats.suitecase.parsed import ParsedSuite

SUITE = """\
execution: {target: bot}
judges:
  rubric:
    prompt: prompts/tone.md
    model: gpt-4.1-2025-04-14
evalcases:
  - id: late
    input: My parcel is late.
    expected_outcome: Says sorry
    rubrics:
      - {id: sorry, expected_outcome: Says sorry}
      - {id: refund, expected_outcome: Names the refund}
  - id: size
    input: The shoes are too small.
    expected_outcome: Offers an exchange
    rubrics:
      - {id: exchange, expected_outcome: Offers an exchange}
"""
TARGETS = """\
targets:
  - {name: bot, provider: openai, model: gpt-4o, judge_target: judge}
  - {name: judge, provider: openai, model: gpt-4.1}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "tone.md").write_text("Judge {{ candidate_answer }}", "utf-8")
    (tmp_path / "targets.yaml").write_text(TARGETS, "utf-8")
    return tmp_path


def parsed(folder: Path, text: str = SUITE) -> tuple[ParsedSuite, Folder]:
    within = Folder(Workspace(folder), folder)
    suite = parse_document(folder / "support.eval.yaml", text, within.workspace)
    assert isinstance(suite, ParsedSuite)
    return suite, within


def calibration(folder: Path) -> Calibration:
    suite, within = parsed(folder)
    parts = parts_of_judges(suite, "rubric", within)
    assert parts is not None
    wordings = {
        case: {item: it.wording for item, it in items.items()}
        for case, items in items_of(suite, "rubric").items()
    }
    answers = tuple(
        CalibratedAnswer(
            case=case,
            answer="00",
            people=dict.fromkeys(wording, True),
            judge=dict.fromkeys(wording, True),
            people_pass=True,
            judge_pass=True,
            wording=wording,
        )
        for case, wording in wordings.items()
    )
    return Calibration(
        judge="rubric",
        at="2026-02-03T10:12:00Z",
        judge_hash=judge_hash(parts),
        judge_parts=parts,
        answers=answers,
    )


def changes(folder: Path, text: str) -> list[str]:
    before = calibration(folder)
    return [it.text for it in changes_of_judge(before, *parsed(folder, text))]


def test_nothing_has_changed_where_only_cases_rubrics_and_comments_did(folder: Path) -> None:
    text = SUITE.replace("Says sorry}", "Apologizes}").replace("id: size", "id: shoes")
    assert changes(folder, f"# A comment\n{text}") == []


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("prompts/tone.md", "Rate it. {{ candidate_answer }}", "its prompt is another one now"),
        (
            "gpt-4.1-2025",
            "gpt-5-2026",
            "`model` was `gpt-4.1-2025-04-14` and is `gpt-5-2026-04-14` now",
        ),
        ("    model:", "    temperature: 1\n    model:", "`temperature` was `0` and is `1` now"),
        ("    model:", "    votes: 3\n    model:", "`votes` was `1` and is `3` now"),
        (
            "    model:",
            "    quotes: required\n    model:",
            "`quotes` was `none` and is `required` now",
        ),
        (
            "    model:",
            "    references: [targets.yaml]\n    model:",
            "its reference files are other ones now",
        ),
        ("    model:", "    target: bot\n    model:", None),
    ],
)
def test_what_of_the_judge_has_changed_is_said(
    folder: Path, old: str, new: str, said: str | None
) -> None:
    found = changes(folder, SUITE.replace(old, new))
    # Two targets with the same settings, apart from the model that is overridden, are the same judge.
    assert found == ([] if said is None else [said])


def test_a_prompt_file_that_changes_is_another_prompt(folder: Path) -> None:
    before = calibration(folder)
    (folder / "prompts" / "tone.md").write_text("Another {{ candidate_answer }}", "utf-8")
    assert [it.part for it in changes_of_judge(before, *parsed(folder))] == ["prompt"]


def test_a_model_that_is_named_by_the_version_that_answered_is_the_same(folder: Path) -> None:
    before = replace(calibration(folder), reported_model="gpt-5-2026-01-01")
    text = SUITE.replace("gpt-4.1-2025-04-14", "openai/gpt-5-2026-01-01")
    assert changes_of_judge(before, *parsed(folder, text)) == ()


def test_settings_of_the_judging_target_count(folder: Path) -> None:
    before = calibration(folder)
    (folder / "targets.yaml").write_text(
        TARGETS.replace("model: gpt-4.1}", "model: gpt-4.1, base_url: http://localhost}"), "utf-8"
    )
    assert [it.part for it in changes_of_judge(before, *parsed(folder))] == ["target"]


def test_the_target_of_a_case_decides_who_judges_it(folder: Path) -> None:
    before = calibration(folder)
    entry = "  - {name: other, provider: openai, model: gpt-4o, base_url: http://localhost}\n"
    (folder / "targets.yaml").write_text(TARGETS + entry, "utf-8")
    assert changes_of_judge(before, *parsed(folder)) == ()
    text = SUITE.replace("  - id: size\n", "  - id: size\n    execution: {target: other}\n")
    assert [it.part for it in changes_of_judge(before, *parsed(folder, text))] == ["target"]


def test_without_the_prompt_file_nothing_is_said_here(folder: Path) -> None:
    before = calibration(folder)
    (folder / "prompts" / "tone.md").unlink()
    assert changes_of_judge(before, *parsed(folder)) == ()


def test_an_answer_whose_item_was_reworded_does_not_count(folder: Path) -> None:
    before = calibration(folder)
    assert not sorted_answers(before, parsed(folder)[0]).reworded
    suite, _ = parsed(folder, SUITE.replace("Names the refund", "Says how the refund works"))
    found = sorted_answers(before, suite)
    assert [it.case for it in found.current] == ["size"]
    assert found.items == {("late", "refund")}


def test_answers_of_cases_that_went_still_count(folder: Path) -> None:
    before = calibration(folder)
    suite, _ = parsed(folder, SUITE.replace("id: size", "id: shoes"))
    assert len(sorted_answers(before, suite).current) == 2


def test_each_way_to_name_a_judge_is_found(folder: Path) -> None:
    text = """\
execution:
  target: bot
  evaluators:
    - {name: tone, type: llm_judge}
    - {name: length, type: contains, value: x}
evalcases:
  - {id: a, input: x, expected_outcome: y}
  - id: b
    input: x
    expected_outcome: y
    evaluators:
      - {name: tone, type: llm_judge, target: judge, rubrics: [One, Two]}
      - {name: all, type: composite, evaluators: [{name: nested, type: llm_judge}], aggregator: {type: weighted_average}}
  - {id: c, input: x, expected_outcome: y, rubrics: [One], evaluators: []}
  - {id: d, input: x, expected_outcome: y, evaluators: []}
"""
    suite, _ = parsed(folder, text)
    assert not [it for case in suite.cases for it in case.issues]
    found = {name: judges_named(suite, name) for name in ("tone", "nested", "rubric", "llm_judge")}
    assert {name: [it.items for it in of_name] for name, of_name in found.items()} == {
        "tone": [0, 2],
        "nested": [0],
        "rubric": [1],
        "llm_judge": [0],
    }
    assert judges_named(suite, "length") == []
    assert parts_of_judges(suite, "length", Folder(Workspace(folder), folder)) is None
