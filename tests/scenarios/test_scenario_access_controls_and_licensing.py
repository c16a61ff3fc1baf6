"""Scenario "Access controls and licensing", from the sources of a suite to what leaves the workspace.

Licenses are known and kept to, restricted texts are redacted, notices are shown, and those who build the
model do not write its test.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.publishing import CANARY, RESTRICTED, SUITE, Shop
from support.running.processes import suitecase

NOTICE = "Contains terms of the Shoe Thesaurus 7."


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    """A suite with a source that restricts expected outputs."""
    shop = Shop(tmp_path)
    shop.has()
    return shop


def _found(shop: Shop) -> dict[str, str]:
    """Return the messages of `check` about governance, by code."""
    done = suitecase("check", SUITE, "--format", "json", cwd=shop.folder)
    listed = json.loads(done.stdout)["findings"]
    return {it["code"]: it["message"] for it in listed if it["code"].startswith("SC91")}


def test_licenses_are_known_before_anything_is_published(shop: Shop) -> None:
    shop.runs()
    shop.locks()
    assert _found(shop) == {}
    shop.edits("LicenseRef-ShoeThesaurus-7", "CC-BY4")
    assert "did you mean `CC-BY-4.0`" in _found(shop)["SC912"]
    shop.edits("      license: CC-BY4\n", "")
    assert "`thesaurus` has no `license`" in _found(shop)["SC911"]

    assert "license" in [kind for kind, *_ in shop.forbidden()]
    assert shop.publishes()[0] == 1
    assert not (shop.folder / "support-2026.2").exists()


def test_restricted_texts_stay_and_notices_go_along(shop: Shop) -> None:
    shop.runs()
    shop.locks()
    bundle = shop.bundle()

    for name, content in bundle.files().items():
        assert RESTRICTED not in content.decode(), name
    answer = bundle.record("topic")["candidate_answer"]
    assert answer == "It is simple. [restricted: thesaurus]. Right?"
    assert NOTICE in bundle.files()["NOTICE"].decode()
    for name, page in bundle.pages().items():
        assert NOTICE in page.source, name
        assert CANARY in page.source, name


def test_texts_that_are_restricted_stand_in_no_description(shop: Shop) -> None:
    shop.edits("  - id: topic\n", f"  - id: topic\n    description: Expects '{RESTRICTED}'\n")

    assert "`thesaurus` restricts is in `description`" in _found(shop)["SC913"]


def test_who_builds_the_model_does_not_write_its_test(shop: Shop) -> None:
    shop.runs()
    shop.locks()
    shop.edits("authors: [ann, ben]", "authors: [ann, dora]")
    assert "`dora` builds what this suite tests" in _found(shop)["SC914"]
    shop.edits("metadata: {language: de,", "metadata: {generated_by: bot, language: de,")
    assert "`bot` wrote this case and answers it" in _found(shop)["SC917"]
    shop.edits("dataset: support\n", f"dataset: support\nprompt: 'Say: {RESTRICTED}.'\n")
    assert "the expected output of `topic` is in the suite's `prompt`" in _found(shop)["SC916"]

    assert shop.publishes()[0] == 1


def test_the_model_team_gets_answers_and_not_what_they_are_graded_by(shop: Shop) -> None:
    shop.runs()
    shop.locks()
    bundle = shop.bundle("--audience", "model-team")

    record = bundle.record("refund-late")
    assert record["candidate_answer"] == "You get it back within 5 days."
    assert record["verdict"] == "pass"
    assert "Says how the refund works" not in json.dumps(record)
