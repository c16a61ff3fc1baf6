"""A wrong gate prevents the run of a whole suite, which it is about, and not that of single cases."""

from __future__ import annotations

from pathlib import Path

import pytest

from suitecase.run.protocol import Finished, Refused
from support.running.runs import run_here
from support.running.site import Site

CASES = """\
- {id: one, input: Hi, expected_outcome: Hi}
- {id: two, input: Hi, expected_outcome: Hi}
"""
WRONG = {
    "SC801": "pass_rate => 0.5",
    "SC802": "pas_rate >= 0.5",
    "SC803": "pass_rate[critical] >= 0.5",
}


@pytest.mark.parametrize(("code", "gate"), WRONG.items())
async def test_a_whole_run_is_refused(tmp_path: Path, code: str, gate: str) -> None:
    site = Site(tmp_path)
    site.suite(CASES, f"execution: {{target: mock}}\ngates: ['{gate}']")

    refused = (await run_here(site.request())).events[-1]

    assert isinstance(refused, Refused)
    assert [it["code"] for it in refused.findings] == [code]


@pytest.mark.parametrize("gate", WRONG.values())
async def test_a_chosen_case_is_run(tmp_path: Path, gate: str) -> None:
    site = Site(tmp_path)
    site.suite(CASES, f"execution: {{target: mock}}\ngates: ['{gate}']")

    ran = await run_here(site.request(cases=("one",)))

    assert isinstance(ran.events[-1], Finished)
