"""Data sets: cases line by line as JSON, checked and shown as those of a suite are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from suitecase.checking.analysis import Analysis
from suitecase.checking.check import check
from suitecase.format.discovery import suites_in
from suitecase.format.reading import parse_document
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.parsed import ParsedSuite, parse_dataset
from suitecase.formats.suitecase.resolve import resolve
from support.running.processes import suitecase

GREET = {"id": "greet", "input": "Hi", "expected_outcome": "Says hello"}
SIDECAR = "dataset: greetings\nexecution:\n  target: mock\n"


def _lines(*cases: Any) -> str:
    return "".join(json.dumps(it) + "\n" for it in cases)


def _analyzed(folder: Path, text: str, sidecar: str | None = None) -> tuple[ParsedSuite, Analysis]:
    if sidecar is not None:
        (folder / "data.yaml").write_text(sidecar, "utf-8")
    workspace = Workspace(folder)
    suite = parse_document(folder / "data.jsonl", text, workspace)
    assert isinstance(suite, ParsedSuite)
    analysis = check(suite, Folder(workspace, folder))
    assert analysis.failures == []
    return suite, analysis


def _found(folder: Path, text: str, sidecar: str | None = None) -> list[tuple[int, int, str]]:
    suite, analysis = _analyzed(folder, text, sidecar)
    places = [suite.document.lines.position(it.span.start) for it in analysis.findings]
    return [
        (line + 1, column + 1, it.rule.name)
        for (line, column), it in zip(places, analysis.findings, strict=True)
    ]


def test_a_sound_data_set_is_clean(tmp_path: Path) -> None:
    assert _found(tmp_path, _lines(GREET, {**GREET, "id": "part"}), SIDECAR) == []


def test_what_is_wrong_is_found_at_line_and_column(tmp_path: Path) -> None:
    text = (
        '{"id": "a", "input": "Hi", "expected_outcome": "x"}\n'
        "\n"
        '{"id": "b", "input": "Hi" "expected_outcome": "x"}\n'
        '{"id": 7, "input": "Hi", "expected_outcome": "x", "rubics": ["y"]}\n'
        '["no case"]\n'
        '{"id": "a", "id": "a", "input": "Hi", "expected_outcome": "x"}\n'
    )
    assert _found(tmp_path, text, SIDECAR) == [
        (3, 27, "json-syntax"),
        (4, 8, "wrong-type"),
        (4, 51, "unknown-key"),
        (5, 1, "wrong-type"),
        (6, 13, "duplicate-key"),
        (6, 19, "duplicate-case-id"),
    ]


def test_a_fix_leaves_json(tmp_path: Path) -> None:
    text = _lines({**GREET, "rubics": ["Is warm"]}, {**GREET, "id": 7, "outcome": "x"})
    _, analysis = _analyzed(tmp_path, text)
    fixes = [it.fix for it in analysis.findings if it.fix]
    assert fixes
    for fix in fixes:
        for line in fix.apply(text).splitlines():
            json.loads(line)
    assert '"rubrics": ["Is warm"]' in fixes[0].apply(text)


def test_texts_are_read_as_json_reads_them() -> None:
    said = 'line\nquote " slash / emoji 😀 and \u2028'
    for ascii_only in (True, False):
        line = json.dumps({**GREET, "input": said}, ensure_ascii=ascii_only)
        (case,) = parse_dataset(line, None).cases
        assert case.model is not None
        assert case.model.input == said


def test_a_mistake_of_the_sidecar_is_one_of_the_sidecar(tmp_path: Path) -> None:
    sidecar = "dataset: greetings\nexecutoin:\n  target: mock\n"
    (tmp_path / "data.jsonl").write_text(_lines(GREET), "utf-8")
    assert _found(tmp_path, _lines(GREET), sidecar) == [(1, 1, "invalid-sidecar")]
    workspace = Workspace(tmp_path)
    written = parse_document(tmp_path / "data.yaml", sidecar, workspace)
    (found,) = check(written, Folder(workspace, tmp_path)).findings
    assert found.rule.name == "unknown-key"
    assert sidecar[found.span.start : found.span.end] == "executoin"


def test_an_effective_data_set_has_what_the_sidecar_says(tmp_path: Path) -> None:
    sidecar = "# about\n" + SIDECAR + "  evaluators:\n    - {name: hi, type: contains, value: hi}\n"
    text = "\n" + _lines(GREET)
    suite, analysis = _analyzed(tmp_path, text, sidecar)
    assert analysis.findings == []
    workspace = Workspace(tmp_path)
    effective = resolve(suite, tmp_path / "data.jsonl", Folder(workspace, tmp_path))
    (case,) = effective.cases
    assert effective.dataset == "greetings"
    assert (case.id, case.line, case.target, case.target_line) == ("greet", 2, "mock", 4)
    assert [(it.config.name, it.line) for it in case.evaluators] == [("hi", 6)]
    assert json.loads(case.text) == GREET


def test_a_place_of_the_sidecar_is_not_told_as_one_of_the_data_set(tmp_path: Path) -> None:
    """What a case lacks is said at the case; where the sidecar asks for it, in words."""
    sidecar = SIDECAR + "  evaluators: [{name: a, type: is_json}]\nevaluation_mode: schema\n"
    text = _lines({**GREET, "evaluation_schema": {}}, {**GREET, "id": "b", "evaluators": []})
    _, analysis = _analyzed(tmp_path, text, sidecar)
    assert [(it.code, it.related) for it in analysis.findings if it.code in ("SC405", "SC311")] == [
        (it.code, ()) for it in analysis.findings if it.code in ("SC405", "SC311")
    ]
    said = [it.message for it in analysis.findings if it.code == "SC405"]
    assert len(said) == 2
    assert all("line 5 of its sidecar" in it for it in said)


def test_unchanged_lines_are_taken_over() -> None:
    first = parse_dataset(_lines(GREET, {**GREET, "id": "part"}), None)
    second = parse_dataset(_lines({**GREET, "id": "new"}, GREET), None, reuse=first)
    assert second.cases[1] is first.cases[0]


def test_data_sets_are_found_in_folders(tmp_path: Path) -> None:
    (tmp_path / "data.jsonl").write_text(_lines(GREET), "utf-8")
    (tmp_path / "data.yaml").write_text(SIDECAR, "utf-8")
    (tmp_path / "lone.jsonl").write_text(_lines(GREET), "utf-8")
    (tmp_path / "broken.jsonl").write_text("{\n", "utf-8")
    (tmp_path / "broken.yml").write_text(SIDECAR, "utf-8")
    (tmp_path / "results.jsonl").write_text(_lines({"eval_id": "greet", "score": 1}), "utf-8")
    (tmp_path / "results.yaml").write_text("name: something else\n", "utf-8")
    names = [it.name for it in suites_in(tmp_path)]
    assert names == ["broken.jsonl", "broken.yml", "data.jsonl", "data.yaml", "lone.jsonl"]


def test_a_data_set_is_checked_and_shown(tmp_path: Path) -> None:
    (tmp_path / "data.jsonl").write_text(_lines(GREET), "utf-8")
    (tmp_path / "data.yaml").write_text(SIDECAR, "utf-8")

    checked = suitecase("check", ".", cwd=tmp_path)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert "1 suite, 1 case, 1 other file" in checked.stdout
    shown = suitecase("show", "data.jsonl", "--format", "json", cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert '"greet"' in shown.stdout
    assert "it is not a suite" in suitecase("show", "data.yaml", cwd=tmp_path).stderr
