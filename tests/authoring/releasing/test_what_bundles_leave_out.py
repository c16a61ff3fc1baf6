"""What never leaves the workspace in a bundle: restricted texts, secrets, and paths."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

import pytest

from suitecase.authoring.releasing.fragments import LENGTH, plain_form
from support.packed_pages import unpacked
from support.publishing import CANARY, RESTRICTED, Bundle, Shop
from support.running.processes import suitecase

SECRET = "sk-live-Zk39fjQ0aPxv71Lw"


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    made = Shop(tmp_path)
    made.is_ready()
    return made


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    """The bundle of a run as it is."""
    made = Shop(tmp_path_factory.mktemp("published"))
    made.is_ready()
    return made.bundle()


def fragments_in(bundle: Bundle, text: str) -> dict[str, str]:
    """Return the files that have a fragment of a text, whatever its white space, and the fragment."""
    plain = plain_form(text)
    found: dict[str, str] = {}
    for name, content in bundle.files().items():
        whole = plain_form(html.unescape(content.decode()))
        for start in range(len(plain) - LENGTH + 1):
            if plain[start : start + LENGTH] in whole:
                found[name] = plain[start : start + LENGTH]
                break
    return found


def with_restricted_text_everywhere(shop: Shop) -> None:
    """Let an answer, a reason, a prompt and another case's question have the restricted text."""
    (graded,) = next(it for it in shop.records() if it["eval_id"] == "refund-late")[
        "evaluator_results"
    ]
    half = RESTRICTED[: len(RESTRICTED) // 2]
    shop.rewrites(
        "refund-late",
        reasoning=f"The answer quotes \u201c{RESTRICTED.upper()}\u201d",
        hits=[f"says {half}"],
        input=[{"role": "user", "content": f"Is it so that {RESTRICTED}?"}],
        evaluator_results=[
            {
                **graded,
                "details": {"replies": ['{"reason": "' + RESTRICTED.replace(" ", "\\n") + '"}']},
                "evaluator_provider_request": {"user_prompt": f"Compare with: {RESTRICTED}"},
            }
        ],
    )


def test_restricted_texts_are_redacted_wherever_they_occur(shop: Shop) -> None:
    with_restricted_text_everywhere(shop)
    bundle = shop.bundle("--draft")
    assert fragments_in(bundle, RESTRICTED) == {}
    topic = bundle.record("topic")
    assert topic["expected_output"] == [{"role": "assistant", "content": "[restricted: thesaurus]"}]
    assert topic["candidate_answer"] == "It is simple. [restricted: thesaurus]. Right?"
    other = bundle.record("refund-late")
    assert other["input"][0]["content"] == "Is it so that [restricted: thesaurus]?"
    assert other["hits"] == ["says [restricted: thesaurus]"]
    assert "restricted" in other["evaluator_results"][0]["details"]["replies"][0]
    assert bundle.json("manifest.json")["redacted"]["cases"] == 1


def test_restricted_texts_are_in_no_packed_record_of_a_large_run(shop: Shop) -> None:
    records = shop.records()
    late = next(it for it in records if it["eval_id"] == "refund-late")
    answer = {"candidate_answer": f"It says: {RESTRICTED}."}
    shop.packs_from(100)
    more = [
        late | {"eval_id": f"more-{number}"} | (answer if number % 20 == 19 else {})
        for number in range(120)
    ]
    shop.keeps([*records, *more])
    bundle = shop.bundle("--draft")
    assert fragments_in(bundle, RESTRICTED) == {}
    page = bundle.pages()["index.html"]
    names = [it.attributes.get("id") or "" for it in page.named("script")]
    blocks = [unpacked(page, it) for it in names if re.match(r"r0-\d", it)]
    assert RESTRICTED[:LENGTH].encode() not in b"\n".join(blocks)
    published = [json.loads(line) for block in blocks for line in block.split(b"\n")]
    assert {record.pop("shown_as")["status"] for record in published} == {"pass"}
    assert [record | {"canary": CANARY} for record in published] == bundle.records()
    assert published[-1]["candidate_answer"] == "It says: [restricted: thesaurus]."
    assert bundle.json("manifest.json")["redacted"]["texts"] == {"thesaurus": 8}


def test_a_bundle_for_internal_use_redacts_nothing_of_sources(shop: Shop) -> None:
    bundle = shop.bundle("--audience", "internal")
    assert bundle.record("topic")["expected_output"][0]["content"] == RESTRICTED
    assert "index.html" in fragments_in(bundle, RESTRICTED)


def test_secrets_and_paths_are_in_no_bundle(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_API_KEY", SECRET)
    root = shop.folder
    shop.rewrites(
        "refund-late",
        error=f"{root}/graders/tone.py: /home/ann/venv/lib/python3/site.py failed with {SECRET}",
        candidate_answer=f"The key is {SECRET}, and I read {root}/targets.yaml",
    )
    for audience in ("internal", "public", "model-team"):
        bundle = shop.bundle("--draft", "--audience", audience, "--output", audience, name=audience)
        for name, content in bundle.files().items():
            text = content.decode()
            assert SECRET not in text, (audience, name)
            assert str(root) not in text, (audience, name)
            assert "/home/ann" not in text, (audience, name)
        answer = bundle.record("refund-late")["candidate_answer"]
        assert answer == "The key is [redacted], and I read ./targets.yaml"


def test_model_teams_do_not_get_what_answers_are_graded_by(shop: Shop) -> None:
    marks = {
        "expected": "Says how the refund works",
        "reasoning": "The answer names the days as it should",
        "prompt": "Does the answer say how long it takes",
    }
    (graded,) = next(it for it in shop.records() if it["eval_id"] == "refund-late")[
        "evaluator_results"
    ]
    shop.rewrites(
        "refund-late",
        reasoning=marks["reasoning"],
        evaluator_results=[
            {**graded, "evaluator_provider_request": {"user_prompt": marks["prompt"]}}
        ],
    )
    whole = shop.bundle("--output", "public", name="public")
    team = shop.bundle("--audience", "model-team", "--output", "team", name="team")
    for text in marks.values():
        assert any(text in it.decode() for it in whole.files().values()), text
        assert not [name for name, it in team.files().items() if text in it.decode()], text
    record = team.record("refund-late")
    assert record["verdict"] == "pass"
    assert record["candidate_answer"] == "You get it back within 5 days."
    assert record["input"][0]["content"].startswith("My parcel came two weeks late.")
    assert (record["hits"], record["details"]) == ([], {})
    assert [it["settings"] for it in team.json("manifest.json")["graders"]] == [None, None, None]


def test_an_id_with_a_restricted_text_is_replaced(tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    shop.has()
    shop.edits("id: topic", "id: exchange-of-ill-fitting-shoes")
    shop.edits("      restricted: [expected_output]", "      restricted: [expected_output, input]")
    shop.edits("Die Schuhe sind zu klein.", "exchange-of-ill-fitting-shoes?")
    shop.runs()
    bundle = shop.bundle("--draft")
    assert fragments_in(bundle, "exchange-of-ill-fitting-shoes") == {}
    assert len({it["eval_id"] for it in bundle.records()}) == 3


def test_texts_of_earlier_versions_and_of_removed_cases_are_redacted(shop: Shop) -> None:
    earlier = "An earlier wording of what the thesaurus says about shoes"
    removed = "What the thesaurus says about a case that was removed since"
    records = shop.records()
    topic = next(it for it in records if it["eval_id"] == "topic")
    shop.keeps(
        [
            *(it for it in records if it["eval_id"] != "topic"),
            {
                **topic,
                "expected_output": [{"role": "assistant", "content": earlier}],
                "candidate_answer": f"I know that: {earlier}",
            },
            {
                **topic,
                "eval_id": "gone",
                "expected_output": [{"role": "assistant", "content": removed}],
                "reasoning": f"It should say {removed}",
            },
        ]
    )
    bundle = shop.bundle("--draft")
    assert fragments_in(bundle, earlier) == {}
    assert fragments_in(bundle, removed) == {}


def test_groups_by_restricted_metadata_have_numbers_for_names(tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    shop.has(gates="gates: ['violation_rate[red-team] <= 50%']\n")
    shop.edits("slices:\n", "intervals: {groups: metadata.customer}\nslices:\n")
    shop.edits("restricted: [expected_output]", "restricted: [metadata]")
    shop.edits("{language: de, source: thesaurus}", "{customer: c-1047, source: thesaurus}")
    shop.runs()
    bundle = shop.bundle("--draft")
    topic = bundle.record("topic")
    assert topic["metadata"] == {"customer": "[restricted: thesaurus]", "source": "thesaurus"}
    assert topic["group"] == "group 1"
    assert not [name for name, it in bundle.files().items() if b"c-1047" in it]


def test_not_even_a_draft_is_written_if_nobody_knows_what_to_redact(shop: Shop) -> None:
    shop.edits("source: thesaurus}", "source: thesuarus}")
    code, out, err = shop.publishes("--draft")
    assert (code, out) == (2, "")
    assert "no case is of the source `thesaurus`, so what it restricts cannot be redacted" in err
    assert not (shop.folder / "support-2026.2").exists()
    assert shop.publishes("--draft", "--audience", "internal")[0] == 0


def test_model_teams_get_only_the_metadata_that_slices_use(shop: Shop) -> None:
    shop.rewrites("refund-late", metadata={"language": "en", "answer_key": "5 days exactly"})
    bundle = shop.bundle("--draft", "--audience", "model-team")
    assert bundle.record("refund-late")["metadata"] == {"language": "en"}


def test_drafts_are_marked_on_each_page_with_the_reasons(shop: Shop) -> None:
    shop.edits("5 days", "6 days")
    bundle = shop.bundle("--draft")
    for name, page in bundle.pages().items():
        assert page.title.startswith("Draft: "), name
        marked = page.text("div", **{"class": "draft"})
        assert "This bundle may not be published" in marked, name
        assert "lock: this is not the case refund-late of version 2026.2" in marked, name
    assert bundle.files()["NOTICE"].decode().splitlines()[3].startswith("DRAFT")
    assert bundle.json("manifest.json")["draft"] is True
    assert bundle.json("gates.json")["draft"] is True


def test_each_page_ends_with_the_notices_and_the_canary(published: Bundle) -> None:
    for name, page in published.pages().items():
        (footer,) = page.named("footer")
        for text in (
            "Shoe shop support suite 2026, CC BY 4.0.",
            "Contains terms of the Shoe Thesaurus 7.",
            CANARY,
        ):
            assert text in footer.text, (name, text)
        assert not page.named("div", **{"class": "draft"}), name
    assert all(record["canary"] == CANARY for record in published.records())


def test_pages_link_to_each_other_and_load_nothing(published: Bundle) -> None:
    names = set(published.files())
    for name, page in published.pages().items():
        for link in page.named("a"):
            target = (link.attributes["href"] or "").partition("#")[0]
            assert not target or target in names, (name, target)
        assert not re.search(r"""(?:src|href)=["']?(?:https?:)?//""", page.source), name


def test_published_results_can_be_reported_on(shop: Shop) -> None:
    bundle = shop.bundle()
    done = suitecase("metrics", "results.jsonl", cwd=bundle.folder)
    assert done.returncode == 0, done.stderr
    assert "pass_rate" in done.stdout
