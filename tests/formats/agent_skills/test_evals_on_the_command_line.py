"""`suitecase check` on the evals of skills, as people and pipelines call it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.running.processes import found, suitecase, write

EVALS = """\
{
  "skill_name": "greeting",
  "evals": [
    {"id": 1, "prompt": "Hi", "expected_output": "A greeting", "assertions": ["It greets"]},
    {"id": 2, "prompt": "Bye", "expected_ouput": "A farewell", "assertions": ["It parts"]}
  ]
}
"""
MISSPELT = (5, "AS010", "warning")
PLACES = (
    ".claude/skills/three/evals/evals.json",
    "evals/evals.json",
    "skills/one/evals/evals.json",
    "plugins/all/skills/two/evals/evals.json",
)


def test_evals_are_found_in_folders_at_any_depth(tmp_path: Path) -> None:
    for place in PLACES:
        write(tmp_path, place, EVALS)
    for other in ("evals/data.json", "package.json", ".hidden/evals/evals.json", "evals.json"):
        write(tmp_path, other, EVALS)
    write(tmp_path, "node_modules/x/evals/evals.json", EVALS)
    assert found(".", cwd=tmp_path) == [(it, *MISSPELT) for it in sorted(PLACES)]
    assert found("skills", cwd=tmp_path) == [(PLACES[2], *MISSPELT)]


def test_a_file_of_another_name_is_checked_where_it_is_named(tmp_path: Path) -> None:
    write(tmp_path, "data/cases.json", EVALS)
    assert found("data/cases.json", cwd=tmp_path) == [("data/cases.json", *MISSPELT)]


def test_warnings_alone_do_not_fail_and_what_json_refuses_does(tmp_path: Path) -> None:
    path = write(tmp_path, PLACES[1], EVALS)
    assert suitecase("check", ".", cwd=tmp_path).returncode == 0
    assert suitecase("check", ".", "--fail-level", "warning", cwd=tmp_path).returncode == 1
    write(tmp_path, PLACES[0], EVALS.replace('["It greets"]}', '["It greets"],}'))
    assert found(".", cwd=tmp_path)[0] == (PLACES[0], 4, "SC751", "error")
    assert suitecase("check", ".", cwd=tmp_path).returncode == 1
    fixed = suitecase("check", ".", "--fix", cwd=tmp_path)
    assert fixed.returncode == 0
    assert path.read_text("utf-8") == EVALS


def test_fixes_change_nothing_else_of_the_file(tmp_path: Path) -> None:
    text = EVALS.replace("\n", "\r\n").replace("Bye", "B\\u00ffe \U0001f600")
    path = write(tmp_path, PLACES[0], text)
    suitecase("check", ".", "--fix", "--unsafe-fixes", cwd=tmp_path)
    assert path.read_bytes() == text.replace("expected_ouput", "expected_output").encode()


@pytest.mark.parametrize(
    "configuration",
    [
        '[per-file-ignores]\n"skills/**" = ["AS010"]\n',
        'ignore = ["misspelt-eval-key"]\n',
        'exclude = ["skills/"]\n',
    ],
)
def test_findings_are_silenced_in_the_configuration(tmp_path: Path, configuration: str) -> None:
    write(tmp_path, PLACES[2], EVALS)
    write(tmp_path, "a/evals/evals.json", EVALS.replace("ouput", "output"))
    assert len(found(".", cwd=tmp_path)) == 1
    write(tmp_path, "suitecase.toml", configuration)
    done = suitecase("check", ".", cwd=tmp_path)
    assert "AS010" not in done.stdout
    assert done.returncode == 0


def test_a_baseline_keeps_what_is_known_while_the_file_changes(tmp_path: Path) -> None:
    path = write(tmp_path, PLACES[1], EVALS)
    write(tmp_path, "suitecase.toml", 'baseline = "known.json"\n')
    suitecase("check", ".", "--write-baseline", "known.json", cwd=tmp_path)
    assert found(".", cwd=tmp_path) == []
    more = EVALS.replace(
        '    {"id": 1,', '    {"id": 0, "promt": "Hm", "assertions": ["It asks"]},\n    {"id": 1,'
    )
    path.write_text(more, "utf-8")
    assert [code for _, _, code, _ in found(".", cwd=tmp_path)] == ["AS008"]


def test_sarif_and_other_formats_have_the_places(tmp_path: Path) -> None:
    write(tmp_path, PLACES[1], EVALS)
    sarif = json.loads(suitecase("check", ".", "--format", "sarif", cwd=tmp_path).stdout)
    (result,) = sarif["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == PLACES[1]
    assert place["region"]["startLine"] == 5
    assert "::warning" in suitecase("check", ".", "--format", "github", cwd=tmp_path).stdout


def test_every_rule_is_explained(tmp_path: Path) -> None:
    done = suitecase("explain", "AS010", cwd=tmp_path)
    assert done.returncode == 0
    assert "expected_ouput" in done.stdout


def test_no_start_of_a_file_ends_in_a_traceback(tmp_path: Path) -> None:
    for length in range(0, len(EVALS), 37):
        write(tmp_path, f"s{length}/evals/evals.json", EVALS[:length])
    done = suitecase("check", ".", cwd=tmp_path)
    assert done.returncode == 1
    assert "Traceback" not in done.stdout + done.stderr
