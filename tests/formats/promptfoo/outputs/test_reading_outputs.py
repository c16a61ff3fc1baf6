"""`suitecase report`, `compare` and `metrics` read what `promptfoo eval -o` has written."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from suitecase.formats.promptfoo.running.outputs import reading
from suitecase.report.results_file import NotResultsError, Run, read_run
from suitecase.run.record_redaction import without_secrets_here
from support.running.processes import suitecase
from support.running.site import Site

OUTPUTS = Path(__file__).parent


def read(name: str) -> Run:
    return read_run(OUTPUTS / name)


def fields(run: Run) -> dict[tuple[str, str, int], dict[str, Any]]:
    return {(it.eval_id, it.target, it.repeat): dict(it.fields) for it in run.answers}


def changed(site: Site, name: str, change: Callable[[Any], None]) -> Path:
    """Write a changed copy of an output."""
    output = json.loads((OUTPUTS / name).read_text())
    change(output)
    return site.write("out.json", json.dumps(output))


def test_rows_are_compared_with_those_of_a_run_of_the_same_configuration(site: Site) -> None:
    shutil.copy(OUTPUTS / "rows.yaml", site.root / "rows.yaml")
    site.run("rows.yaml", "--output", "ours.jsonl")
    output = str(OUTPUTS / "rows.json")
    ran = suitecase("compare", output, "ours.jsonl", "--format", "json", cwd=site.root)
    compared = json.loads(ran.stdout)
    assert compared["counts"]["unchanged"] == 12
    assert sum(compared["counts"].values()) == 12
    assert all(it["case_text_changed"] is False for it in compared["cases"])


def test_a_row_has_the_verdict_and_the_score_of_promptfoo() -> None:
    found = {key: (it["verdict"], it["score"]) for key, it in fields(read("rows.json")).items()}
    assert found["greets Ann (lang: French) [echo, prompt 1]", "echo", 1] == ("pass", 1)
    assert found["greets Ann (lang: German) [second, short]", "second", 1] == ("fail", 0.25)
    # By its threshold, though an assertion fails: there is no borderline.
    assert found["name: Bob, lang: Dutch [echo, prompt 1]", "echo", 1] == ("pass", 0.625)
    assert len(found) == 12


def test_a_row_has_what_promptfoo_says_of_it() -> None:
    record = fields(read("rows.json"))["name: Bob, lang: Dutch [echo, short]", "echo", 1]
    assert record["row"] == {
        "dialect": "promptfoo",
        "test": "name: Bob, lang: Dutch",
        "case": "name: Bob, lang: Dutch",
        "prompt": "short",
        "variables": {"mood": "good", "name": "Bob", "lang": "Dutch"},
    }
    assert record["metadata"] == {"kind": "threshold"}
    assert record["input"] == [{"role": "user", "content": "Hi Bob"}]
    assert (record["candidate_answer"], record["answered_by"]) == ("Hi Bob", "echo")
    assert record["trace_summary"]["cost_usd"] == 0
    results = {it["name"]: (it["type"], it["verdict"]) for it in record["evaluator_results"]}
    assert results == {
        "icontains": ("promptfoo:icontains", "pass"),
        "starts-with": ("promptfoo:starts-with", "fail"),
        "not-contains": ("promptfoo:contains", "pass"),
        "either": ("promptfoo:assert-set", "pass"),
    }
    assert record["misses"] == ['Expected output to start with "Say"']
    assert "icontains: Bob" in record["hits"]
    either = record["evaluator_results"][-1]
    assert [it["verdict"] for it in either["details"]["members"]] == ["pass", "fail"]


def test_weights_count() -> None:
    record = fields(read("rows.json"))["greets Ann (lang: French) [echo, short]", "echo", 1]
    weights = {it["name"]: it["weight"] for it in record["evaluator_results"]}
    assert weights == {"icontains": 1, "politeness": 3}


@pytest.mark.parametrize(
    "provider",
    [
        "https://api.example.com/?api_key=pz41kd9eYtr60vxc",
        {"id": "https://ann:pz41kd9eYtr60vxc@api.example.com"},
        {"https://api.example.com/?key=pz41kd9eYtr60vxc": {"label": "api"}},
        {"id": "http", "config": {"url": "https://x/?q={{prompt}}&token=pz41kd9eYtr60vxc"}},
        {"id": "http", "config": {"request": "GET / HTTP/1.1\nX-Api-Key: pz41kd9eYtr60vxc\n"}},
        {"id": "http", "config": {"body": '{"secret": "pz41kd9eYtr60vxc", "q": "{{prompt}}"}'}},
        {"id": "http", "config": {"auth": {"type": "api_key", "value": "pz41kd9eYtr60vxc"}}},
    ],
)
def test_keys_in_the_settings_of_a_provider_are_left_out(site: Site, provider: Any) -> None:
    def say(output: Any) -> None:
        output["config"]["providers"] = [provider]
        row = output["results"]["results"][0]
        row["response"]["output"] = "It is pz41kd9eYtr60vxc."
        if isinstance(provider, str):
            row["provider"] = {"id": provider, "label": ""}

    read = read_run(changed(site, "rows.json", say)).answers
    assert "It is [redacted]." in {it.candidate_answer for it in read}
    assert not any(b"pz41kd9eYtr60vxc" in it.line() for it in read)


@pytest.mark.parametrize("name", ["repeats.json", "repeats.jsonl"])
def test_errors_repeats_and_named_scores(name: str) -> None:
    found = fields(read(name))
    verdicts = {key: it["verdict"] for key, it in found.items()}
    assert verdicts == {
        (f"name: {who} [{target}]", target, repeat): "pass" if target == "echo" else "error"
        for who in ("Ann", "Bob")
        for target in ("echo", "exec:false")
        for repeat in (1, 2)
    }
    broken = found["name: Ann [exec:false]", "exec:false", 2]
    assert broken["error"].startswith("Error: Command failed: false Hi Ann")
    assert "    at " not in broken["error"]
    assert (broken["score"], broken["candidate_answer"]) == (None, None)
    named = found["name: Bob [echo]", "echo", 1]
    assert named["details"]["named_scores"] == {"warmth": 0.5}
    (script,) = named["evaluator_results"]
    assert (script["score"], script["details"]["given_score"]) == (1, 2)


def test_a_report_and_figures_are_made_of_it(site: Site) -> None:
    shutil.copy(OUTPUTS / "rows.json", site.root / "out.json")
    assert suitecase("report", "out.json", cwd=site.root).returncode == 0
    assert "greets Ann (lang: French)" in (site.root / "out.html").read_text()
    ran = suitecase("metrics", "out.json", "--format", "json", cwd=site.root)
    assert '"politeness"' in ran.stdout


def test_nothing_of_it_is_left_in_the_temporary_folder(tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    output = str(OUTPUTS / "rows.json")
    for command in (["metrics", output], ["metrics", output, "--level", "nothing"]):
        suitecase(*command, env={"TMPDIR": str(temporary)})
        assert list(temporary.rglob("*.jsonl")) == []


def test_the_results_of_an_export_are_read_too(site: Site) -> None:
    def export(output: Any) -> None:
        results, config = output.pop("results"), output.pop("config")
        output.clear()
        output |= {"version": 4, "createdAt": "2026-01-01", "results": results, "config": config}

    assert len(read_run(changed(site, "rows.json", export)).answers) == 12


def test_a_test_from_a_file_has_the_name_that_its_variables_give(site: Site) -> None:
    def without_tests(output: Any) -> None:
        output["config"]["tests"] = "file://tests.csv"

    names = {it.eval_id for it in read_run(changed(site, "rows.json", without_tests)).answers}
    assert "greets Ann [echo, prompt 1]" in names
    assert "name: Bob, lang: Dutch [echo, prompt 1]" in names


def test_rows_with_other_variables_are_no_repeats_of_a_test_from_a_file(site: Site) -> None:
    def without_tests(output: Any) -> None:
        output["config"]["tests"] = "file://tests.csv"
        output["runtimeOptions"]["repeat"] = 2

    answers = read_run(changed(site, "rows.json", without_tests)).answers
    assert {record.repeat for record in answers} == {1}
    assert len({record.eval_id for record in answers}) == 12


def test_secrets_are_left_out(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "kq83jf0aLwz71mnb")

    def say(output: Any) -> None:
        row = output["results"]["results"][0]
        row["response"]["output"] = "It is kq83jf0aLwz71mnb, and pz41kd9eYtr60vxc."
        output["config"]["providers"] = [
            {"id": "openai:x", "config": {"apiKey": "pz41kd9eYtr60vxc"}}
        ]

    answers = {it.candidate_answer for it in read_run(changed(site, "rows.json", say)).answers}
    assert "It is [redacted], and [redacted]." in answers


def test_secrets_are_left_out_of_names_which_stay_apart(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    secrets = ("kq83jf0aLwz71mnb", "pz41kd9eYtr60vxc")
    monkeypatch.setenv("SOME_API_KEY", secrets[0])
    monkeypatch.setenv("OTHER_API_KEY", secrets[1])

    def say(output: Any) -> None:
        rows = output["results"]["results"]
        for number, row in enumerate(rows):
            row["provider"] = {"label": f"at {secrets[number % 2]}", "id": "echo"}
            row["testCase"]["description"] = f"test {number // 2} {secrets[number % 2]}"
            results = row["gradingResult"]["componentResults"]
            for result, secret in zip(results, secrets, strict=False):
                result["assertion"] = {"type": "contains", "metric": f"m {secret}"}

    answers = read_run(changed(site, "rows.json", say), without_secrets_here(site.root)).answers
    assert not any(secret in it.line().decode() for it in answers for secret in secrets)
    assert len({(it.eval_id, it.repeat) for it in answers}) == len(answers)
    assert all(
        len({result.name for result in it.evaluator_results}) == len(it.evaluator_results)
        for it in answers
    )


@pytest.mark.parametrize("name", ["repeats.json", "repeats.jsonl"])
def test_a_key_that_promptfoo_gave_a_program_is_left_out(name: str) -> None:
    assert "kd83hf7ahw6dk29s" in (OUTPUTS / name).read_text()
    assert not any("kd83hf7ahw6dk29s" in it.line().decode() for it in read(name).answers)


def test_answers_that_are_not_texts_are_json(site: Site) -> None:
    def answer(output: Any) -> None:
        output["results"]["results"][0]["response"]["output"] = {"München": [1]}

    answers = {it.candidate_answer for it in read_run(changed(site, "rows.json", answer)).answers}
    assert '{"München": [1]}' in answers


BROKEN: dict[str, tuple[Callable[[str], str], str, str]] = {
    "cut off": (lambda text: text[:9000], "line ", "it ends too early"),
    "no rows": (lambda _: '{"results": {"results": []}}', "no results", "has no rows"),
    "another object": (
        lambda _: '{"a": 1}',
        "not a results file",
        "expected what `promptfoo eval -o out.json`",
    ),
    "a list of rows": (
        lambda _: '{"results": [1]}',
        "not a results file",
        "with rows under `results.results`",
    ),
    "an older version": (
        lambda _: '{"results": {"version": 1, "results": [{"success": true}]}}',
        "not a results file",
        "version 3 or later of its format",
    ),
    "not JSON": (lambda _: "{a: 1}", "not the JSON", "line 1, column 2"),
    "more behind it": (lambda text: f"{text} {{}}", "not the JSON", "Extra data"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_what_cannot_be_read_is_refused_with_the_reason(site: Site, what: str) -> None:
    change, kind, why = BROKEN[what]
    path = site.write("out.json", change((OUTPUTS / "rows.json").read_text()))
    with pytest.raises(NotResultsError) as error:
        read_run(path)
    assert all(it in error.value.message for it in (str(path), kind, why)), error.value.message


def test_what_is_too_large_for_the_memory_is_refused_with_a_way_out(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = changed(site, "rows.json", lambda _: None)
    monkeypatch.setattr(reading, "LARGEST", 1024**2 // 64)
    with pytest.raises(NotResultsError, match=r"-o out\.jsonl` writes lines"):
        read_run(copy)
    assert len(read("repeats.jsonl").answers) == 8


def test_a_broken_line_is_named(site: Site) -> None:
    text = (OUTPUTS / "repeats.jsonl").read_text()
    path = site.root / "out.jsonl"
    path.write_text(text[: len(text) - 500])
    with pytest.raises(NotResultsError, match="line 8 is not a row"):
        read_run(path)


def test_results_of_ours_may_have_any_name(site: Site) -> None:
    shutil.copy(OUTPUTS / "rows.yaml", site.root / "rows.yaml")
    site.run("rows.yaml", "--output", "ours.jsonl")
    renamed = (site.root / "ours.jsonl").rename(site.root / "ours.json")
    assert len(read_run(renamed).answers) == 12
