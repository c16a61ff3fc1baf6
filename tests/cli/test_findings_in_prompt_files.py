"""Findings in a prompt file are reported, counted, suppressed and fixed there, once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.running.processes import report_of, suitecase, write

TONE = "# Tone 😀\r\nAsked: {{ qestion }}\r\nSaid: {{ candidate_answer }} ${question}\r\n"
FIXED = TONE.replace("qestion", "question").replace("${question}", "{{ question }}")
SUITE = """\
execution: {target: mock}
evalcases:
  - id: greet
    input: Hi
    expected_outcome: Says hello
    evaluators:
      - name: tone
        type: llm_judge
        prompt: prompts/tone.md
      - name: again
        type: llm_judge
        prompt: prompts/tone.md
"""
NAMED = "        prompt: prompts/tone.md\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    write(tmp_path, "suitecase.toml", "")
    write(tmp_path, "prompts/tone.md", TONE)
    write(tmp_path, "evals/a.eval.yaml", SUITE)
    write(tmp_path, "evals/b.eval.yaml", SUITE)
    return tmp_path


def places(tree: Path, *options: str) -> list[tuple[str, int, int, str, str]]:
    findings = report_of(".", *options, cwd=tree)["findings"]
    return [(it["file"], it["line"], it["column"], it["code"], it["severity"]) for it in findings]


def test_findings_stand_in_the_prompt_file_once_with_its_line_and_who_names_it(tree: Path) -> None:
    done = suitecase("check", ".", "--jobs", "2", cwd=tree)
    assert done.returncode == 1
    first, *source_lines = done.stdout.splitlines()[:6]
    assert first.startswith("prompts/tone.md:2:8: error[SC302] unknown prompt variable `{{ qestion")
    assert source_lines == [
        "   |",
        " 2 | Asked: {{ qestion }}",
        "   |        ^^^^^^^^^^^^^",
        "   = named here: evals/a.eval.yaml:9:17",
        "   = fix: Change to `{{ question }}`, if that is what you mean",
    ]
    assert done.stdout.count("SC302") == 1
    assert "Found 1 error and 1 info in 2 suites, 2 cases, 1 other file." in done.stdout


def test_each_format_says_so_of_the_prompt_file(tree: Path) -> None:
    expected = [
        ("prompts/tone.md", 2, 8, "SC302", "error"),
        ("prompts/tone.md", 3, 30, "SC620", "info"),
    ]
    assert places(tree) == expected
    log = json.loads(suitecase("check", ".", "--format", "sarif", cwd=tree).stdout)
    result = log["runs"][0]["results"][0]
    artifact = {"uri": "prompts/tone.md", "uriBaseId": "SRCROOT"}
    assert result["locations"][0]["physicalLocation"]["artifactLocation"] == artifact
    (change,) = result["fixes"][0]["artifactChanges"]
    assert change["artifactLocation"] == artifact
    (related,) = result["relatedLocations"]
    assert related["physicalLocation"]["artifactLocation"]["uri"] == "evals/a.eval.yaml"
    assert related["physicalLocation"]["region"]["startLine"] == 9


def test_fixes_are_made_in_the_prompt_file(tree: Path) -> None:
    diff = suitecase("check", ".", "--diff", "--unsafe-fixes", cwd=tree)
    assert diff.returncode == 1
    assert "--- prompts/tone.md" in diff.stdout
    assert "+Asked: {{ question }}" in diff.stdout
    assert (tree / "prompts/tone.md").read_bytes() == TONE.encode()
    safe = suitecase("check", ".", "--fix", cwd=tree)
    assert "Fixed 1 finding in 1 file." in safe.stdout
    done = suitecase("check", ".", "--fix", "--unsafe-fixes", "--jobs", "2", cwd=tree)
    assert (done.returncode, done.stderr) == (0, "")
    assert "All checks passed (2 suites, 2 cases, 1 other file)." in done.stdout
    assert (tree / "prompts/tone.md").read_bytes() == FIXED.encode()
    assert (tree / "evals/a.eval.yaml").read_text("utf-8") == SUITE


def test_what_a_suite_lacks_for_its_prompt_is_found_again_when_the_prompt_is_mended(
    tree: Path,
) -> None:
    write(tree, "prompts/tone.md", "Said: {{ candidate_anser }}\n")
    assert {it[3] for it in places(tree)} == {"SC302", "SC303"}
    done = suitecase("check", ".", "--fix", "--unsafe-fixes", cwd=tree)
    assert done.stdout.startswith("All checks passed")


def test_beside_standard_input_no_file_is_mended(tree: Path) -> None:
    done = suitecase(
        *("check", "-", "--stdin-filename", "evals/c.eval.yaml", "--fix", "--unsafe-fixes"),
        cwd=tree,
        stdin=SUITE,
    )
    assert (done.stdout, done.returncode) == (SUITE, 1)
    assert "prompts/tone.md:2:8: error[SC302]" in done.stderr
    assert (tree / "prompts/tone.md").read_bytes() == TONE.encode()


def test_a_baseline_knows_them_and_says_when_they_are_gone(tree: Path) -> None:
    suitecase("check", ".", "--write-baseline", "known.json", cwd=tree)
    baseline = json.loads((tree / "known.json").read_text("utf-8"))["findings"]
    assert [(it["file"], it["code"], it["count"]) for it in baseline] == [
        ("prompts/tone.md", "SC302", 1),
        ("prompts/tone.md", "SC620", 1),
    ]
    write(tree, "prompts/tone.md", "\n" + FIXED + "{{ mood }}\n")
    done = suitecase("check", ".", "--baseline", "known.json", cwd=tree)
    assert done.returncode == 1
    assert "prompts/tone.md:5:1: error[SC302] unknown prompt variable `{{ mood }}`" in done.stdout
    assert "info: prompts/tone.md: SC620 is in the baseline and no longer found" in done.stdout


def test_the_configuration_silences_them_by_the_path_of_the_prompt(tree: Path) -> None:
    write(
        tree,
        "suitecase.toml",
        '[severity]\nSC620 = "warning"\n[per-file-ignores]\n"prompts/*.md" = ["SC302"]\n',
    )
    assert places(tree) == [("prompts/tone.md", 3, 30, "SC620", "warning")]


def test_a_comment_silences_them_for_the_suite_it_stands_in(tree: Path) -> None:
    ignored = NAMED.replace("\n", "  # suitecase: ignore[SC302] theirs\n")
    write(tree, "evals/a.eval.yaml", SUITE.replace(NAMED, ignored))
    assert [it[3] for it in places(tree)] == ["SC302", "SC620"]
    write(tree, "evals/b.eval.yaml", SUITE.replace(NAMED, ignored))
    assert [it[3] for it in places(tree)] == ["SC620"]


def test_a_suite_with_an_error_in_its_prompt_is_not_run_and_not_shown(tree: Path) -> None:
    ran = suitecase("run", "evals/a.eval.yaml", cwd=tree)
    assert ran.returncode == 2
    assert "prompts/tone.md:2:8: error[SC302]" in ran.stdout + ran.stderr
    assert "has 1 error, so it was not run" in ran.stdout + ran.stderr
    result = suitecase("show", "evals/a.eval.yaml", cwd=tree)
    assert (result.returncode, result.stdout) == (1, "")
    assert "prompts/tone.md:2:8: error[SC302]" in result.stderr
