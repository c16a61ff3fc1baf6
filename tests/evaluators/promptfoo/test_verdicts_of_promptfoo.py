"""Our verdicts and scores are those that `verdicts/` has recorded of promptfoo."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from suitecase.formats.promptfoo.running.yaml_values import parse_yaml
from suitecase_evaluators.answers.score import Score, Verdict
from suitecase_evaluators.answers.trace import Trace
from suitecase_evaluators.grade.registry import grade
from suitecase_evaluators.promptfoo.assertion import AssertionConfig
from suitecase_evaluators.promptfoo.reading import assertion_config
from support.running.evaluators import Judges, answer

GROUPS = json.loads((Path(__file__).parent / "verdicts/verdicts.json").read_text())["groups"]


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: json.dumps(group["assertions"][0]))
async def test_an_assertion_grades_as_in_promptfoo(group: dict[str, Any]) -> None:
    for assertion, verdicts in zip(group["assertions"], group["verdicts"], strict=True):
        config = assertion_config(assertion, name="assertion", read_yaml=parse_yaml)
        assert isinstance(config, AssertionConfig), (assertion, config)
        found = [(given, await _verdict(config, given)) for given in group["answers"]]
        expected = list(zip(group["answers"], verdicts, strict=True))
        assert (assertion, found) == (assertion, expected)


@pytest.mark.parametrize(
    ("name", "met", "unmet"),
    [
        ("time", ["12:00:00Z", "12:00:00+23:59"], ["12:00:00", "12:00:00+24:00"]),
        ("iso-time", ["12:00:00Z", "12:00:00"], ["12:00", "12:00:00+00:60"]),
        ("date-time", ["2026-01-31T12:00:00Z"], ["2026-01-31T12:00:00", "2026-01-31"]),
        ("iso-date-time", ["2026-01-31T12:00:00", "2026-01-31 12:00:00Z"], ["2026-02-30T12:00:00"]),
        ("byte", ["aGVsbG8=", "YQ==", "YQ==\n#"], ["aGVsbG8", "a b="]),
    ],
)
async def test_formats_are_those_of_ajv(name: str, met: list[str], unmet: list[str]) -> None:
    """Promptfoo checks formats by `ajv-formats` 3, in which only those of ISO may lack the offset."""
    config = assertion_config({"type": "is-json", "value": {"format": name}}, name="assertion")
    assert isinstance(config, AssertionConfig), config
    found = [await _verdict(config, json.dumps(text)) for text in (*met, *unmet)]
    assert found == [1] * len(met) + [0] * len(unmet)


@pytest.mark.parametrize(
    ("text", "passes"),
    [
        ("{a: b\n # c\n}", True),
        ("{a: b\n\n c # d\n}", True),
        ("{a: b\n # c\n d}", False),
        ("{a: b # c\n d}", False),
    ],
)
async def test_no_text_goes_on_behind_a_comment(text: str, passes: bool) -> None:
    """So it is in js-yaml 4, by which promptfoo searches answers for objects."""
    config = assertion_config({"type": "contains-json"}, name="assertion")
    assert isinstance(config, AssertionConfig), config
    assert await _verdict(config, text) == passes


async def _verdict(config: AssertionConfig, given: Any) -> Any:
    """Return the verdict on an answer as `verdicts/write.py` writes promptfoo's."""
    reply = given if isinstance(given, dict) else {"output": given}
    subject = answer(
        reply["output"],
        finish_reason=reply.get("finishReason"),
        trace=Trace(cost_usd=reply.get("cost"), duration_ms=1.0),
    )
    score: Score = await grade(config, subject, Judges())
    if score.verdict is Verdict.ERROR:
        assert score.error
        return None
    assert score.hits or score.misses or config.type == "promptfoo:assert-set"
    passes = score.verdict is Verdict.PASS
    return int(passes) if score.score == passes else [passes, pytest.approx(score.score, abs=1e-9)]
