"""Calibrations that are interrupted, that meet secrets, and those of data sets."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from support.judging import CALIBRATION, SUITE, CalibrationSite, SimulatedJudge
from support.running.forked import ForkedCommand
from support.servers.openai import (  # pyright: ignore[reportMissingImports] - see tests/conftest.py
    Answer,
    OpenAiServer,
)

GOOD = {1: True, 2: True, 3: False}
KEY = "sk-suitecase-very-secret-0123456789"


@pytest.fixture
def site(tmp_path: Path, openai_server: OpenAiServer) -> CalibrationSite:
    """Three labeled answers."""
    site = CalibrationSite(tmp_path, openai_server, GOOD)
    site.labels(GOOD)
    openai_server.default = SimulatedJudge(GOOD)
    return site


@pytest.mark.skipif(sys.platform == "win32", reason="has no such signals")
@pytest.mark.parametrize(
    ("ending", "code", "said"),
    [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "ended by SIGTERM")],
)
def test_an_interrupted_calibration_writes_nothing_and_says_what_it_cost(
    site: CalibrationSite, ending: signal.Signals, code: int, said: str
) -> None:
    judge, asked = SimulatedJudge(GOOD), threading.Event()

    def behave(body: Mapping[str, Any]) -> Answer | str:
        if "Answer 3 of" in str(body):
            asked.set()
            return Answer(stall=True)
        return judge(body)

    site.server.default = behave
    site.targets(price={"input_per_million": 1e5, "output_per_million": 0})
    process = ForkedCommand("calibrate", SUITE, "--no-probes", "--concurrency=1", cwd=site.root)
    # With one question at a time, the replies to the others have come by then.
    assert asked.wait(60)
    process.send_signal(ending)
    _, err = process.communicate(timeout=30)
    assert process.returncode == code, err
    assert said in err
    assert "no calibration was written; 2 questions cost $2.2; with --cache read" in err
    assert not (site.root / CALIBRATION).exists()


def test_no_secret_reaches_the_output_or_the_file(
    site: CalibrationSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUITECASE_TEST_KEY", KEY)
    site.targets(api_key="${{ SUITECASE_TEST_KEY }}")
    site.server.default = Answer(status=401, error=f"Incorrect API key provided: {KEY}")
    ran = site.calibrate("--no-probes")
    assert ran.code == 3
    assert "Incorrect API key" in ran.err
    assert KEY not in ran.err + ran.out
    site.server.default = SimulatedJudge(GOOD)
    assert site.calibrate("--no-probes").code == 0
    assert KEY not in site.read(CALIBRATION)


def test_the_judge_of_a_data_set_is_calibrated(site: CalibrationSite) -> None:
    cases = [
        {
            "id": f"case-{it}",
            "input": "Where is my refund?",
            "expected_outcome": "Is good",
            "rubrics": [{"id": "good", "expected_outcome": "Is good"}],
        }
        for it in GOOD
    ]
    site.write("d.jsonl", "".join(f"{json.dumps(it)}\n" for it in cases))
    site.write("d.yaml", site.read(SUITE).partition("evalcases:")[0])
    (site.root / SUITE).unlink()
    site.results(suite="d.jsonl")
    ran = site.run("calibrate", "d.jsonl", "--no-probes")
    assert ran.code == 0, ran.err
    assert len(site.calibration.answers) == len(GOOD)


def test_a_read_only_place_is_found_before_anything_is_asked(site: CalibrationSite) -> None:
    if os.geteuid() == 0:
        site.suite()
        site.write(SUITE, site.read(SUITE).replace(CALIBRATION, f"{SUITE}/x.json"))
    else:
        (site.root / "labels").chmod(0o500)
    ran = site.calibrate()
    (site.root / "labels").chmod(0o700)
    assert ran.code == 2
    assert "cannot be written" in ran.err
    assert site.server.requests == []


def test_what_a_provider_says_does_not_steer_the_terminal(
    site: CalibrationSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = SimulatedJudge(GOOD)

    def behave(body: Mapping[str, Any]) -> Answer:
        message = {"role": "assistant", "content": judge(body)}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        reply = {"id": "1", "object": "chat.completion", "created": 1, "choices": [choice]}
        return Answer(body=json.dumps(reply | {"model": f"gpt\x1b]0;owned\x07 {KEY}"}).encode())

    site.server.default = behave
    monkeypatch.setenv("SUITECASE_TEST_KEY", KEY)
    ran = site.calibrate("--no-probes")
    assert ran.code == 0, ran.err
    assert "\x1b" not in ran.out + ran.err
    assert KEY not in ran.out + site.read(CALIBRATION)
