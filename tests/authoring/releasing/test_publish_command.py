"""`suitecase publish`: what it writes, what forbids it, and what it says."""

from __future__ import annotations

import json
import os
from hashlib import sha256
from pathlib import Path

import pytest

from support.publishing import GATES, SUITE, Shop


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path)


def line_of(shop: Shop, text: str) -> int:
    lines = (shop.folder / SUITE).read_text("utf-8").splitlines()
    return next(number for number, it in enumerate(lines, 1) if text in it)


def test_a_run_that_meets_all_conditions_is_published(shop: Shop) -> None:
    shop.is_ready()
    code, out, err = shop.publishes()
    assert code == 0
    assert err == ""
    assert out.startswith("Published: support-2026.2/ (support 2026.2, ")
    manifest = json.loads((shop.folder / "support-2026.2" / "manifest.json").read_text("utf-8"))
    assert (manifest["draft"], manifest["reasons"], manifest["version"]) == (False, [], "2026.2")
    assert set(manifest["lock"]["cases"]) == {"topic", "refund-late", "card-number"}


def test_a_rehearsal_is_not_published_and_says_what_to_do(shop: Shop) -> None:
    shop.has()
    shop.runs(rehearsed=True)
    shop.locks()
    ((kind, text, file, _),) = shop.forbidden()
    assert (kind, file) == ("rehearsal", "run.jsonl")
    assert text.startswith("the run is a rehearsal, in 3 of 3 answers: no model was called")
    assert "run it with a target that calls a model" in text
    code, out, _ = shop.publishes()
    assert code == 1
    assert out.startswith("Not published, for 1 reason:\n  rehearsal")
    assert not (shop.folder / "support-2026.2").exists()


def test_one_rehearsed_answer_is_not_published(shop: Shop) -> None:
    shop.is_ready()
    shop.rewrites("refund-late", answered_by="canned")
    ((kind, text, _, _),) = shop.forbidden()
    assert (kind, text.partition(":")[0]) == (
        "rehearsal",
        "a part of the run is a rehearsal, in 1 of 3 answers",
    )


def test_the_manifest_has_the_digest_of_each_file(shop: Shop) -> None:
    shop.is_ready()
    bundle = shop.bundle()
    files = bundle.files()
    listed = bundle.json("manifest.json")["files"]
    assert set(listed) == set(files) - {"manifest.json"}
    for name, known in listed.items():
        assert known == {
            "sha256": sha256(files[name]).hexdigest(),
            "bytes": len(files[name]),
        }, name


def test_a_gate_that_fails_forbids_publication_at_its_line(shop: Shop) -> None:
    shop.has(gates=GATES + "  - score >= 0.99\n")
    shop.edits("value: 5 days", "value: 7 days")
    shop.runs()
    shop.locks()
    ((kind, text, file, line),) = shop.forbidden()
    assert (kind, file, line) == ("gate", SUITE, line_of(shop, "score >="))
    assert text.startswith("`score >= 0.99` fails: 0.667 [")
    code, out, _ = shop.publishes()
    assert code == 1
    assert out.startswith("Not published, for 1 reason:\n  gate       `score >= 0.99` fails: 0.667")
    assert f"{SUITE}:{line}\n" in out
    assert not (shop.folder / "support-2026.2").exists()


def test_a_gate_that_warns_forbids_nothing(shop: Shop) -> None:
    shop.has(gates=GATES + "  - {gate: score >= 0.99, level: warning}\n")
    shop.edits("value: 5 days", "value: 7 days")
    shop.runs()
    shop.locks()
    assert shop.forbidden() == []


def test_only_undecided_gates_end_with_3(shop: Shop) -> None:
    shop.is_ready()
    shop.rewrites("card-number", score=None, verdict="error", error="timed out")
    code, out, _ = shop.publishes()
    assert code == 3
    assert "`violation_rate[red-team] <= 0%` is undecided" in out
    assert "(undecided)" in out


def test_a_missing_lock_forbids_publication(shop: Shop) -> None:
    shop.has()
    shop.runs()
    ((kind, text, file, line),) = shop.forbidden()
    assert (kind, file, line) == ("lock", SUITE, line_of(shop, "version:"))
    assert text == "there is no lock file `support.eval.lock`; `suitecase lock` writes it"


def test_a_lock_that_cannot_be_read_forbids_publication(shop: Shop) -> None:
    shop.is_ready()
    lock = shop.folder / "support.eval.lock"
    lock.write_text(lock.read_text("utf-8").replace("2026.2", "2026.3", 1), "utf-8")
    ((kind, text, file, _),) = shop.forbidden()
    assert (kind, file) == ("lock", "support.eval.lock")
    assert "`support.eval.lock` cannot be used" in text


def test_a_case_that_differs_from_the_lock_and_from_the_run_is_named_at_its_line(
    shop: Shop,
) -> None:
    shop.is_ready()
    shop.edits("value: 5 days", "value: 6 days")
    found = shop.forbidden()
    assert [it[0] for it in found] == ["lock"]
    assert found[0][2:] == (SUITE, line_of(shop, "id: refund-late"))
    assert "`refund-late`" in found[0][1]
    shop.edits('version: "2026.2"', 'version: "2026.3"')
    shop.locks()
    ((kind, text, file, line),) = shop.forbidden()
    assert (kind, file, line) == ("run", SUITE, line_of(shop, "id: refund-late"))
    assert text == "the run is not of 2026.3: the case `refund-late` differs (its grading)"


def test_a_part_of_the_suite_is_not_published(shop: Shop) -> None:
    shop.is_ready()
    shop.keeps([it for it in shop.records() if it["eval_id"] != "refund-late"])
    found = {(kind, file, line) for kind, _, file, line in shop.forbidden()}
    assert ("run", SUITE, line_of(shop, "id: refund-late")) in found


def test_fewer_repeats_than_the_suite_asks_are_not_published(shop: Shop) -> None:
    shop.has()
    shop.runs()
    shop.edits("{target: bot}", "{target: bot, repeats: 3}")
    shop.locks()
    texts = [text for kind, text, *_ in shop.forbidden() if kind == "run"]
    assert texts == ["the run asked each case 1 time, and the suite asks it 3 times"]


def test_a_source_without_a_license_forbids_publication(shop: Shop) -> None:
    shop.is_ready()
    shop.edits("      license: LicenseRef-ShoeThesaurus-7\n", "")
    found = [it for it in shop.forbidden() if it[0] == "license"]
    line = line_of(shop, "thesaurus:")
    assert found == [("license", "the source `thesaurus` of 1 case has no license", SUITE, line)]


def test_a_case_of_an_undeclared_source_forbids_publication_where_sources_are_declared(
    shop: Shop,
) -> None:
    shop.is_ready()
    shop.edits("language: de, source: thesaurus}", "language: de, source: atlas}")
    texts = [text for kind, text, *_ in shop.forbidden() if kind == "license"]
    assert "1 case is of the source `atlas`, which has no license: it is not under" in texts[0]


def test_a_suite_without_sources_may_use_the_key_for_anything(shop: Shop) -> None:
    shop.is_ready()
    text = (shop.folder / SUITE).read_text("utf-8")
    start = text.index("  sources:\n")
    declared = text[start : text.index("\n", text.index("restricted:", start)) + 1]
    shop.edits(declared, "")
    assert "license" not in {kind for kind, *_ in shop.forbidden()}


def test_errors_of_the_suite_forbid_publication(shop: Shop) -> None:
    shop.is_ready()
    shop.edits("input: My parcel", "inputs: My parcel")
    kinds = {(kind, line) for kind, _, _, line in shop.forbidden()}
    assert ("suite", line_of(shop, "inputs: My parcel")) in kinds


def test_neither_comments_nor_a_configuration_silence_what_forbids_publication(
    shop: Shop,
) -> None:
    shop.is_ready()
    shop.edits("model_team: [dora]", "model_team: [ann]  # suitecase: ignore[SC914]")
    (shop.folder / "suitecase.toml").write_text('ignore = ["SC914"]\n', "utf-8")
    found = [(text[:5], line) for kind, text, _, line in shop.forbidden() if kind == "suite"]
    assert found == [("SC914", line_of(shop, "authors:"))]


def test_a_judge_that_decides_cases_has_to_be_calibrated(shop: Shop) -> None:
    shop.has()
    shop.edits(
        "    evaluators: [{name: names-days, type: icontains, value: 5 days}]\n",
        "    rubrics: [Says how many days it takes]\n",
    )
    shop.runs()
    shop.locks()
    ((kind, text, file, line),) = [it for it in shop.forbidden() if it[0] == "judge"]
    assert (kind, file, line) == ("judge", SUITE, line_of(shop, "id: refund-late"))
    assert text.startswith("`rubric` decides 1 of 3 cases and was not compared with people: ")


def test_a_judge_that_is_only_reported_needs_no_calibration(shop: Shop) -> None:
    shop.has()
    shop.edits("value: 5 days}]", "value: 5 days}, {name: tone, type: llm_judge, weight: 0}]")
    shop.runs()
    shop.locks()
    assert [it for it in shop.forbidden() if it[0] == "judge"] == []


def test_a_number_of_another_tool_that_json_lacks_is_null(shop: Shop) -> None:
    shop.is_ready()
    shop.keeps([{**record, "metadata": {"x": float("nan")}} for record in shop.records()])
    code, out, err = shop.publishes("--draft")
    assert code == 0, out + err
    (written,) = shop.folder.rglob("support-2026.2*/results.jsonl")
    records = [json.loads(line) for line in written.read_text("utf-8").splitlines()]
    assert {json.dumps(record["metadata"]) for record in records} == {'{"x": null}'}


def test_nothing_is_overwritten(shop: Shop) -> None:
    shop.is_ready()
    shop.bundle()
    code, _, err = shop.publishes()
    assert code == 2
    assert "support-2026.2: exists already, and a bundle is never overwritten" in err


def test_a_bundle_that_cannot_be_written_leaves_nothing_behind(shop: Shop) -> None:
    shop.is_ready()
    (shop.folder / "taken").write_text("a file", "utf-8")
    before = sorted(it.name for it in shop.folder.iterdir())
    code, out, err = shop.publishes("--output", "taken/bundle")
    assert (code, out) == (2, "")
    assert "taken/bundle: cannot be written: " in err
    assert sorted(it.name for it in shop.folder.iterdir()) == before


def test_the_bundle_of_a_run_is_always_the_same(shop: Shop) -> None:
    shop.is_ready()
    first = shop.bundle("--output", "one", name="one").files()
    second = shop.bundle("--output", "two", name="two").files()
    assert first == second
    assert "results.jsonl" in first


def test_a_run_of_no_results_ends_with_2(shop: Shop) -> None:
    shop.has()
    code, _, err = shop.publishes()
    assert code == 2
    assert "run.jsonl" in err


@pytest.mark.parametrize("how", ["link", "absolute", "upwards"])
def test_a_suite_outside_of_the_workspace_is_not_published(
    shop: Shop, tmp_path_factory: pytest.TempPathFactory, how: str
) -> None:
    shop.is_ready()
    (shop.folder / ".suitecase").mkdir(exist_ok=True)
    (shop.folder / "suitecase.toml").touch()
    outside = tmp_path_factory.mktemp("outside") / SUITE
    (shop.folder / SUITE).rename(outside)
    outside.write_text(outside.read_text("utf-8").replace("support desk", "OUTSIDE"), "utf-8")
    if how == "link":
        (shop.folder / SUITE).symlink_to(outside)
    else:
        path = outside if how == "absolute" else Path(os.path.relpath(outside, shop.folder))
        results = shop.folder / "run.jsonl"
        written = json.dumps({"suite_path": SUITE})[1:-1]
        named = json.dumps({"suite_path": path.as_posix()})[1:-1]
        assert written in results.read_text("utf-8")
        results.write_text(results.read_text("utf-8").replace(written, named), "utf-8")
    code, out, err = shop.publishes("--draft")
    assert code == 2, out
    assert "was not found; say where it is with --suite" in err
