"""Scenario "Reporting and deliverables": what `publish` writes of a run that is final."""

from __future__ import annotations

import csv
import io
import json
from hashlib import sha256
from pathlib import Path

import pytest

from support.publishing import Bundle, Shop


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    """A bundle of a run in which a case fails, compared with an earlier run."""
    shop = Shop(tmp_path_factory.mktemp("shop"))
    shop.has()
    shop.runs()
    shop.results.rename(Path(shop.folder) / "before.jsonl")
    targets = shop.folder / "targets.yaml"
    text = targets.read_text("utf-8")
    targets.write_text(text.replace("within 5 days", "within 7 days"), "utf-8")
    shop.runs()
    shop.locks()
    return shop.bundle("--baseline", "before.jsonl")


def test_results_can_be_read_by_programs_and_checked_against_the_manifest(bundle: Bundle) -> None:
    files, manifest = bundle.files(), bundle.json("manifest.json")
    scores = {it["eval_id"]: it["score"] for it in bundle.records()}
    assert scores == {"topic": 1.0, "refund-late": 0.0, "card-number": 1.0}
    assert all(it["candidate_answer"] and it["evaluator_results"] for it in bundle.records())
    for name, known in manifest["files"].items():
        assert sha256(files[name]).hexdigest() == known["sha256"], name
    gates = bundle.json("gates.json")
    assert "holds" in json.dumps(gates)
    lines = [json.loads(it) for it in files["figures.jsonl"].splitlines()]
    slices = {it["slice"] for it in lines if it["kind"] == "figure"}
    assert slices >= {None, "red-team", "benign", "language=de", "language=en"}


def test_slices_are_ranked_on_a_leaderboard(bundle: Bundle) -> None:
    table = list(csv.DictReader(io.StringIO(bundle.files()["leaderboard.csv"].decode())))
    whole = {it["results"]: it["estimate"] for it in table if it["slice"] == ""}
    assert set(whole) == {"run.jsonl", "before.jsonl"}
    assert whole["before.jsonl"] == "1.0"
    assert "leaderboard.html" in bundle.pages()


@pytest.mark.parametrize(
    ("page", "shown"),
    [
        ("failures.html", ["refund-late", "names-days"]),
        ("safety.html", ["red-team", "The system prompt forbids repeating card numbers"]),
        ("compare.html", ["<svg", "refund-late"]),
        ("appendix.html", ["Sampling", "Grading", "Aggregation", "Limitations"]),
    ],
)
def test_people_can_read_failures_safety_comparison_and_the_appendix(
    bundle: Bundle, page: str, shown: list[str]
) -> None:
    source = bundle.pages()[page].source
    for text in shown:
        assert text in source, text


def test_the_appendix_says_how_cases_were_sampled(bundle: Bundle) -> None:
    assert "Drawn at random from messages of 2025." in bundle.files()["appendix.md"].decode()
