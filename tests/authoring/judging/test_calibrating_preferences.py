"""Judges that compare two answers: people say which one is better, and `order` swaps the two."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from support.judging import SUITE, CalibrationSite, answer_text
from support.servers.openai import (  # pyright: ignore[reportMissingImports] - see tests/conftest.py
    OpenAiServer,
)

BETTER = {1: True, 2: True, 3: False}


def test_a_judge_that_prefers_the_first_place_is_found(
    tmp_path: Path, openai_server: OpenAiServer
) -> None:
    site = CalibrationSite(tmp_path, openai_server, BETTER)
    cases = "".join(
        f"  - {{id: case-{it}, input: Where is my refund?, expected_outcome: Is kind, "
        "expected_output: It is on its way.}\n"
        for it in BETTER
    )
    site.write(
        SUITE,
        "execution:\n  target: bot\n  evaluators:\n"
        "    - {name: kinder, type: preference, against: reference}\n"
        "judges:\n  kinder: {calibration: labels/kinder.json, probes: [order, empty]}\n"
        "human:\n  kinder: {labels: [labels/rubric.csv]}\n"
        f"evalcases:\n{cases}",
    )
    site.labels(BETTER)
    labels = site.read("labels/rubric.csv").replace(",good,", ",verdict,")
    site.write("labels/rubric.csv", labels)

    def behave(body: Mapping[str, Any]) -> str:
        prompt = str(body["messages"])
        if answer_text(1)[:20] in prompt:
            better = "first"  # whatever stands there
        else:
            ours_first = prompt.find("of the desk") < prompt.find("It is on its way.")
            wins = answer_text(2)[:20] in prompt
            better = "first" if wins is ours_first else "second"
        return json.dumps({"reasoning": "", "better": better})

    openai_server.default = behave
    ran = site.calibrate()
    assert ran.code == 0, ran.err
    found = json.loads(site.read("labels/kinder.json"))["answers"]
    said = {it["case"]: (it["people_pass"], it["judge_pass"], it["flips"]) for it in found}
    assert said == {
        "case-1": (True, False, ["order"]),  # it wins and loses: a tie
        "case-2": (True, True, []),
        "case-3": (False, False, []),
    }
    assert "order 1 of 3" in ran.out
    # Both orders of each answer, and of each empty one; `order` asks nothing more.
    assert len(openai_server.requests) == 2 * 6
