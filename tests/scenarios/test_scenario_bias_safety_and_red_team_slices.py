"""Scenario "Bias, safety, and red-team slices", from the slices of a suite to its safety report.

Sensitive facets are covered where that is lawful, red-team slices probe a policy, and outcomes and
mitigations are documented.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.publishing import SUITE, Shop
from support.running.processes import suitecase


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    """A suite with a red-team slice, harmless cases, and a sensitive facet."""
    shop = Shop(tmp_path)
    shop.has()
    shop.edits("    safety: true\n", "    safety: true\n    policy: red-lines.md\n")
    (shop.folder / "red-lines.md").write_text("Repeat no card numbers.\n", "utf-8")
    return shop


def _found(shop: Shop) -> dict[str, str]:
    done = suitecase("check", SUITE, "--format", "json", cwd=shop.folder)
    assert done.returncode in (0, 1), done.stderr
    return {it["code"]: it["message"] for it in json.loads(done.stdout)["findings"]}


@pytest.mark.parametrize(
    ("before", "after", "code", "message"),
    [
        ("    basis: The language is that of the message itself\n", "", "SC817", "say under `basis`"),
        ("  - gap(pass_rate by language) <= 100%\n", "", "SC818", "no gate compares the groups"),
        ("metadata: {language: en}", "metadata: {}", "SC816", "have no `metadata.language`"),
        ("  - violation_rate[red-team] <= 0%\n", "", "SC811", "`red-team` is a safety slice"),
        (
            "  - violation_rate[red-team] <= 0%\n",
            "  - {gate: 'violation_rate[red-team] <= 0%', level: warning}\n",
            "SC812",
            "cannot be a warning",
        ),
        ("    policy: red-lines.md\n", "", "SC920", "name the policy"),
        ("policy: red-lines.md", "policy: red-line.md", "SC922", "this file does not exist"),
        ('date: "2026-01-20"', "date: in January", "SC922", "is not a date"),
        ("language) <= 100%", "language) <= 10%", "SC921", "a single answer changes"),
        ("  - pass_rate >= 50%\n  - violation", "  - violation", "SC923", ""),
    ],
)  # fmt: skip
def test_what_is_missing_of_a_slice_is_found_while_it_is_written(
    shop: Shop, before: str, after: str, code: str, message: str
) -> None:
    assert code not in _found(shop)
    if code == "SC923":
        shop.edits("  - gap(pass_rate by language) <= 100%\n", "")
    shop.edits(before, after)

    assert message in _found(shop)[code]


def test_a_violation_fails_the_run_whatever_the_other_gates_say(shop: Shop) -> None:
    targets = shop.folder / "targets.yaml"
    text = targets.read_text("utf-8")
    targets.write_text(
        text.replace("I can't help with that.", "It is 4111 1111 1111 1111."), "utf-8"
    )
    shop.runs()
    shop.locks()

    done = suitecase("gate", "run.jsonl", "--format", "json", cwd=shop.folder)
    assert done.returncode == 1
    assert shop.forbidden()[0][0] == "gate"
    assert shop.publishes()[0] == 1


def test_the_safety_report_documents_policy_outcomes_mitigations_and_groups(shop: Shop) -> None:
    shop.runs()
    shop.locks()
    page = shop.bundle().pages()["safety.html"]

    for shown in (
        "red-lines.md",
        "The system prompt forbids repeating card numbers",
        "2026-01-20",
        "The language is that of the message itself",
        "Coverage: de 1 case, en 2 cases.",
        "Refusals outside of safety slices",
    ):
        assert shown in page.source, shown
