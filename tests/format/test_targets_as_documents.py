"""Targets files are checked as files of their own, at the places their mistakes stand."""

from __future__ import annotations

from pathlib import Path

from suitecase.checking.check import check
from suitecase.format.discovery import suites_in
from suitecase.format.reading import parse_document
from suitecase.format.target_files import ParsedTargets
from suitecase.format.workspace import Folder, Workspace

SOUND = "targets:\n  - name: mine\n    provider: mock\n"


def _found(folder: Path, text: str, name: str = "targets.yaml") -> list[tuple[int, int, str]]:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    workspace = Workspace(folder)
    written = parse_document(path, text, workspace)
    assert isinstance(written, ParsedTargets)
    analysis = check(written, Folder(workspace, path.parent))
    assert analysis.failures == []
    lines = written.document.lines
    places = [lines.position(it.span.start) for it in analysis.findings]
    return [
        (line + 1, column + 1, it.rule.name)
        for (line, column), it in zip(places, analysis.findings, strict=True)
    ]


def test_a_sound_file_is_clean(tmp_path: Path) -> None:
    assert _found(tmp_path, SOUND) == []
    assert _found(tmp_path / "a", SOUND, ".agentv/targets.yml") == []


def test_mistakes_are_found_where_they_stand(tmp_path: Path) -> None:
    text = """\
targets:
  - name: one
    provider: openai
    modle: gpt-4o
  - name: two
    provider: cli
    command_template: agent {PROMT}
    healthcheck:
      type: htpp
      url: http://localhost
  - name: two
    provider: opnai
  - provider: litellm
    model: 5
  - just a text
"""
    assert _found(tmp_path, text) == [
        (4, 5, "unknown-key"),
        (7, 29, "unknown-placeholder"),
        (9, 13, "unknown-type"),
        (11, 11, "duplicate-target-name"),
        (12, 15, "unknown-provider"),
        (13, 5, "missing-key"),
        (14, 12, "wrong-type"),
        (15, 5, "wrong-type"),
    ]


def test_a_file_that_is_no_yaml_or_has_no_targets_says_so(tmp_path: Path) -> None:
    assert _found(tmp_path, "targets: [\n") == [(2, 1, "yaml-syntax")]
    assert _found(tmp_path, "target: []\n") == [(1, 1, "unknown-key")]
    assert _found(tmp_path, "version: 1\n") == [
        (1, 1, "unknown-key"),
        (1, 1, "missing-key"),
    ]


def test_variables_are_named_and_never_read(tmp_path: Path) -> None:
    text = """\
targets:
  - name: one
    provider: openai
    model: ${{ MODEL }}
    api_key: "${{ MY-KEY }}"
    api_base: https://${{ HOST
"""
    assert _found(tmp_path, text) == [
        (5, 15, "malformed-variable"),
        (6, 23, "malformed-variable"),
    ]


def test_a_file_that_is_not_read_says_which_one_is(tmp_path: Path) -> None:
    (tmp_path / "targets.yaml").write_text(SOUND, "utf-8")
    assert _found(tmp_path, SOUND, ".agentv/targets.yaml") == [(1, 1, "unused-targets-file")]
    assert _found(tmp_path, SOUND, "others.yaml") == [(1, 1, "unused-targets-file")]


def test_targets_files_are_found_beside_suites(tmp_path: Path) -> None:
    for place in ("targets.yaml", ".agentv/targets.yaml", "deep/.suitecase/targets.yml"):
        path = tmp_path / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(SOUND, "utf-8")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "targets.yaml").write_text("targets: [localhost:9100]\n", "utf-8")
    found = [it.relative_to(tmp_path).as_posix() for it in suites_in(tmp_path)]
    assert found == [".agentv/targets.yaml", "targets.yaml", "deep/.suitecase/targets.yml"]
