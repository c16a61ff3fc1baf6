"""A calibration goes out of date in the editor, as soon as what it depends on is edited."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from suitecase.evidence.calibration_file import CalibratedAnswer, Calibration
from suitecase.evidence.calibration_writing import calibration_text
from suitecase.evidence.labels.items import items_of
from suitecase.evidence.named_judges import parts_of_judges
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.parsed import parse_suite
from support.lsp.client import RawClient

SUITE = """\
execution: {target: mock}
judges:
  rubric:
    prompt: tone.md
    calibration: rubric.calibration.json
evalcases:
  - id: refund-late
    input: My parcel is late.
    expected_outcome: Says sorry
    rubrics:
      - {id: tone, expected_outcome: Is kind}
"""
PROMPT = "Grade {{ candidate_answer }} by {{ rubrics }}"


@pytest.fixture
def suite(tmp_path: Path) -> str:
    """A suite with a calibrated judge."""
    (tmp_path / "support.eval.yaml").write_text(SUITE)
    (tmp_path / "tone.md").write_text(PROMPT)
    parsed = parse_suite(SUITE)
    parts = parts_of_judges(parsed, "rubric", Folder(Workspace(tmp_path), tmp_path))
    assert parts is not None
    wording = items_of(parsed, "rubric")["refund-late"]["tone"].wording
    answers = tuple(
        CalibratedAnswer(
            case="refund-late",
            answer=f"{number:016}",
            people={"tone": number > 9},
            judge={"tone": number > 9},
            people_pass=number > 9,
            judge_pass=number > 9,
            wording={"tone": wording},
        )
        for number in range(20)
    )
    calibration = Calibration(
        judge="rubric", at="2026-02-03T10:12:00Z", judge_hash="", judge_parts=parts, answers=answers
    )
    (tmp_path / "rubric.calibration.json").write_text(calibration_text(calibration))
    return (tmp_path / "support.eval.yaml").as_uri()


def outdated(found: list[Any]) -> list[str]:
    return [it["message"] for it in found if it["code"] == "SC854"]


async def test_an_edited_prompt_outdates_the_calibration_and_undoing_that_does_not(
    client: RawClient, suite: str, tmp_path: Path
) -> None:
    client.open(suite, SUITE)
    assert await client.diagnostics(suite, 1) == []
    prompt = (tmp_path / "tone.md").as_uri()
    client.open(prompt, PROMPT, language="markdown")
    client.change(prompt, 2, {"text": f"{PROMPT} Be strict."})
    found = await client.diagnostics(suite, met=lambda it: bool(outdated(it)))
    (message,) = outdated(found)
    assert message == (
        "`rubric` has changed since it was calibrated (2026-02-03): its prompt is another one now; run "
        "`suitecase calibrate` again"
    )
    client.change(prompt, 3, {"text": PROMPT})
    assert await client.diagnostics(suite, met=lambda it: not it) == []


async def test_a_reworded_item_and_another_model_outdate_it(client: RawClient, suite: str) -> None:
    client.open(suite, SUITE)
    assert await client.diagnostics(suite, 1) == []
    client.change(suite, 2, {"text": SUITE.replace("Is kind", "Is warm")})
    found = await client.diagnostics(suite, 2, lambda it: bool(outdated(it)))
    assert outdated(found)[0].startswith(
        "20 of 20 answers of the calibration are of an earlier wording of `tone`"
    )
    changed = SUITE.replace("prompt: tone.md", "prompt: tone.md\n    model: gpt-5-2026-01-01")
    client.change(suite, 3, {"text": changed})
    found = await client.diagnostics(suite, 3, lambda it: "model" in str(outdated(it)))
    assert "`model` was not set and is `gpt-5-2026-01-01` now" in outdated(found)[0]


async def test_a_merge_with_conflicts_is_shown_in_the_calibration(
    client: RawClient, suite: str, tmp_path: Path
) -> None:
    client.open(suite, SUITE)
    assert await client.diagnostics(suite, 1) == []
    path = tmp_path / "rubric.calibration.json"
    text = path.read_text().replace('"answers": [', '"answers": [\n<<<<<<< HEAD')
    client.open(path.as_uri(), text, language="json")
    (found,) = await client.diagnostics(path.as_uri(), met=bool)
    assert (found["code"], found["severity"]) == ("SC862", 2)
