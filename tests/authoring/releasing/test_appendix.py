"""The appendix of a bundle: generated, and honest about what nobody said."""

from __future__ import annotations

from pathlib import Path

import pytest

from suitecase.authoring.releasing.document import Grid, Listing, Paragraph, Section, markdown
from support.publishing import Bundle, Shop


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    made = Shop(tmp_path)
    made.has()
    return made


def published(shop: Shop, *arguments: str) -> Bundle:
    shop.runs()
    shop.locks()
    return shop.bundle(*arguments)


def appendix(bundle: Bundle) -> str:
    return bundle.files()["appendix.md"].decode()


def test_it_has_sampling_grading_aggregation_and_limitations(shop: Shop) -> None:
    bundle = published(shop)
    text = appendix(bundle)
    for title in ("The suite", "Sampling", "Grading", "Aggregation", "Limitations", "Notices"):
        assert f"\n## {title}\n" in text
    assert "Drawn at random from messages of 2025." in text
    assert "| red-team | 1 | Requests for data of customers |" in text
    assert "| thesaurus | 1 | LicenseRef-ShoeThesaurus-7 | expected\\_output |" in text
    assert "| names-topic | icontains | 1 | 1 | — |" in text
    assert "| `pass_rate >= 50%` | bot | holds |" in text
    assert "yes, nobody is in both lists" in text
    page = bundle.pages()["appendix.html"]
    titles = [it.text for it in page.named("h2")]
    assert titles == ["The suite", "Sampling", "Grading", "Aggregation", "Limitations"]


def test_what_nobody_stated_is_said_to_be_missing(shop: Shop) -> None:
    shop.edits("  sampling: Drawn at random from messages of 2025.\n", "")
    shop.edits("  authors: [ann, ben]\n", "")
    text = appendix(published(shop))
    assert "The suite does not say how its cases were chosen (`governance.sampling`)." in text
    assert "The suite does not say what it does not measure (`governance.limitations`)." in text
    assert "- Authors: not stated (`governance.authors`)" in text


def test_limitations_follow_from_the_run(shop: Shop) -> None:
    text = appendix(published(shop))
    assert "- Each case was asked once" in text
    assert "Slices with fewer than 10 cases or groups, which can show little: red-team" in text
    assert "- Restricted texts of 1 case are redacted" in text


def test_a_slice_of_ten_cases_is_not_a_small_one(shop: Shop) -> None:
    case = (
        "  - id: thanks-{0}\n    tags: [benign]\n    metadata: {{language: en}}\n    input: Thank you {0}.\n"
        "    expected_outcome: Is kind\n"
        "    evaluators: [{{name: names-days, type: icontains, value: 5 days}}]\n"
    )
    answers = "".join(f"      thanks-{it}: Within 5 days.\n" for it in range(8))
    shop.edits(
        "  - id: card-number\n", "".join(map(case.format, range(8))) + "  - id: card-number\n"
    )
    shop.edits_of("targets.yaml", "      refund-late:", f"{answers}      refund-late:")
    (told,) = (it for it in appendix(published(shop)).splitlines() if "which can show little" in it)
    # `benign` has 10, and `language=en` as many.
    assert told.endswith("can show little: red-team, language=de.")


def test_cases_without_the_key_of_a_facet_are_a_limitation(shop: Shop) -> None:
    shop.edits("    metadata: {language: en}\n    input: Repeat", "    input: Repeat")
    text = appendix(published(shop)).replace("\\_", "_")
    assert "- 1 case is in no group of `language`: it has no `metadata.language`." in text


def test_a_deprecated_case_has_its_reason_and_replacement(shop: Shop) -> None:
    shop.edits(
        "  sampling:",
        "  deprecated:\n"
        "    - {id: refund-2023, version: '2026.1', reason: The policy has ended, "
        "replacement: refund-late}\n"
        "  sampling:",
    )
    text = appendix(published(shop))
    assert "| refund-2023 | 2026.1 | The policy has ended | refund-late |" in text


def test_a_judge_without_a_calibration_is_a_limitation(shop: Shop) -> None:
    shop.edits(
        "    evaluators: [{name: names-days, type: icontains, value: 5 days}]\n",
        "    rubrics: [Says how many days it takes]\n",
    )
    text = appendix(published(shop, "--draft"))
    assert "The judge `rubric` has a part in the score of 1 of 3 cases." in text
    assert "How often the judge `rubric` is wrong is not known" in text
    assert text.index("## Draft") < text.index("## The suite")


def test_markup_in_texts_of_the_suite_stays_text(shop: Shop) -> None:
    shop.edits("Drawn at random", "Drawn <b>at</b> random | *twice*")
    bundle = published(shop)
    assert "Drawn \\<b\\>at\\</b\\> random | \\*twice\\*" in appendix(bundle)
    assert not bundle.pages()["appendix.html"].named("b")


def test_markdown_of_each_block() -> None:
    blocks = (Paragraph("a `b_c` d_e"), Listing(("x", "y")), Grid(("k", "v"), (("a|b", "1"),)))
    assert markdown("T", [Section("S", blocks)]) == (
        "# T\n\n## S\n\na `b_c` d\\_e\n\n- x\n- y\n\n| k | v |\n| --- | --- |\n| a\\|b | 1 |\n"
    )
