"""Scenario "Version freezing and deprecation policy" of the specification.

A released suite pins its version, hashes of its items, of grader code, the judge with its version, and
random seeds; whatever is removed is documented, with guidance on what replaces it.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from support.running.commands import CommandSite

SUITE = """\
version: "2026.1"
execution: {target: mock, seed: 17, repeats: 3}
intervals: {seed: 5}
judges:
  rubric: {model: openai/gpt-4.1-2025-04-14}
evalcases:
  - id: late
    input: My parcel is late.
    expected_outcome: Says sorry
    rubrics: [Says sorry]
    evaluators: [{name: polite, type: code_judge, script: [python3, polite.py]}]
  - id: lost
    input: My parcel is lost.
    expected_outcome: Says sorry
"""
SCRIPT = "print('{\"score\": 1}')\n"


@pytest.fixture
def site(tmp_path: Path) -> CommandSite:
    """A workspace with a locked suite."""
    site = CommandSite(tmp_path)
    site.write("support.eval.yaml", SUITE)
    site.write("polite.py", SCRIPT)
    assert site.run("lock", "support.eval.yaml").code == 0
    return site


def test_the_lock_pins_what_the_release_consists_of(site: CommandSite) -> None:
    lock = json.loads(site.read("support.eval.lock"))
    assert lock["version"] == "2026.1"
    assert set(lock["cases"]) == {"late", "lost"}
    assert all({"question", "expected", "grading"} <= set(it) for it in lock["cases"].values())
    assert lock["files"] == {"polite.py": f"sha256:{hashlib.sha256(SCRIPT.encode()).hexdigest()}"}
    assert "polite" in lock["graders"]
    assert lock["judges"]["rubric"]["model"] == "openai/gpt-4.1-2025-04-14"
    assert lock["judges"]["rubric"]["hash"].startswith("sha256:")
    assert lock["execution"] == {"repeats": 3, "seed": 17}
    assert lock["intervals"]["seed"] == 5


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("My parcel is late.", "Where is my parcel?"),
        ("seed: 17", "seed: 18"),
        ("repeats: 3", "repeats: 2"),
        ("seed: 5", "seed: 6"),
        ("gpt-4.1-2025-04-14", "gpt-5-2025-08-07"),
        ("[Says sorry]", "[Says hello]"),
    ],
)
def test_each_of_them_is_held(site: CommandSite, old: str, new: str) -> None:
    site.write("support.eval.yaml", SUITE.replace(old, new))
    ran = site.run("lock", "support.eval.yaml", "--check")
    assert ran.code == 1
    assert "1 difference from version 2026.1" in ran.out


def test_grader_code_is_held(site: CommandSite) -> None:
    site.write("polite.py", SCRIPT.replace("1", "0"))
    assert "`polite.py`" in site.run("lock", "support.eval.yaml", "--check").out


def test_a_removal_is_documented_with_what_replaces_it(site: CommandSite) -> None:
    without = SUITE[: SUITE.index("  - id: lost")].replace("2026.1", "2026.2")
    site.write("support.eval.yaml", without)
    assert site.run("lock", "support.eval.yaml").code == 1
    entry = "governance: {deprecated: [{id: lost, version: '2026.1', reason: As late, replacement: %s}]}\n"
    site.write("support.eval.yaml", without + entry % "lat")
    refused = site.run("lock", "support.eval.yaml")
    assert (refused.code, "did you mean `late`" in refused.err) == (1, True)
    site.write("support.eval.yaml", without + entry % "late")
    assert site.run("lock", "support.eval.yaml").code == 0
