"""Scenario "Version freezing and deprecation policy", from a suite to its published manifest.

The manifest pins the version, the digests of items, graders and judges, and seeds; a removed case needs an
entry that says why, with a replacement.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from support.publishing import CASES, SUITE, Shop
from support.running.processes import suitecase

#: A case of the suite that is removed.
REMOVED = CASES[CASES.index("  - id: refund-late") : CASES.index("  - id: card-number")]
ENTRY = """\
  deprecated:
    - id: refund-late
      version: "2026.2"
      reason: The policy it asked about has ended
      replacement: refund-soon
"""


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    """A suite of version 2026.2 that is locked and was run."""
    shop = Shop(tmp_path)
    shop.has()
    shop.edits("{target: bot}", "{target: bot, repeats: 2, seed: 17}")
    shop.runs()
    shop.locks()
    return shop


def _checks(shop: Shop) -> tuple[int, str]:
    done = suitecase("check", SUITE, cwd=shop.folder)
    return done.returncode, done.stdout


def test_a_published_manifest_pins_version_items_graders_judges_and_seeds(shop: Shop) -> None:
    assert _checks(shop)[0] == 0
    pinned = shop.bundle().json("manifest.json")["lock"]

    assert pinned["version"] == "2026.2"
    assert pinned["execution"]["seed"] == 17
    assert pinned["execution"]["repeats"] == 2
    assert pinned["intervals"]["seed"] == 20260101
    assert set(pinned["graders"]) == {"names-topic", "names-days", "refuses"}
    assert set(pinned["cases"]) == {"topic", "refund-late", "card-number"}
    assert all({"question", "expected", "grading"} <= set(it) for it in pinned["cases"].values())


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("input: My parcel came", "input: The parcel came", "its question differs"),
        ("Says how the refund works", "Says when", "what it expects differs"),
        ("value: 5 days", "value: 6 days", "its grading differs"),
        ("seed: 17", "seed: 18", "`execution.seed`"),
        ("pass_rate >= 50%", "pass_rate >= 40%", "`gates`"),
    ],
)
def test_what_is_frozen_cannot_change_under_its_version(
    shop: Shop, before: str, after: str, found: str
) -> None:
    shop.edits(before, after)

    code, out = _checks(shop)
    assert (code, found in out) == (1, True), out
    assert suitecase("lock", SUITE, "--check", cwd=shop.folder).returncode == 1
    assert suitecase("lock", SUITE, cwd=shop.folder).returncode == 1, "the version is the same"
    assert shop.publishes()[0] == 1


def test_a_removed_case_needs_an_entry_with_its_replacement(shop: Shop) -> None:
    shop.edits('version: "2026.2"', 'version: "2026.3"')
    shop.edits(REMOVED, REMOVED.replace("refund-late", "refund-soon"))
    code, out = _checks(shop)
    assert code == 1
    assert "`refund-late`" in out
    assert "deprecated" in out

    shop.edits("governance:\n", f"governance:\n{ENTRY.replace('refund-soon', 'refund-son')}")
    code, out = _checks(shop)
    assert code == 1
    assert "refund-son" in out, "the replacement does not exist"

    shop.edits("replacement: refund-son", "replacement: refund-soon")
    assert _checks(shop)[0] == 0
    shop.results.unlink()
    shop.runs()
    shop.locks()
    manifest = shop.bundle(name="support-2026.3").json("manifest.json")
    assert manifest["lock"]["deprecated"] == ["refund-late"]
