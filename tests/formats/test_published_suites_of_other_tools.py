"""Suites of other tools that people have published: each is found, read without a failure, and fixed in place.

The fixes of a third of them are tried, of other ones each time; by `make sweep`, those of all.
"""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from suitecase.checking.analysis import Analysis
from suitecase.checking.check import check_text
from suitecase.checking.json_fixes import json_fix
from suitecase.format.discovery import suites_in
from suitecase.format.rule import Finding
from suitecase.format.workspace import Workspace
from suitecase.text.lines import Lines
from support.samples import sample

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "corpus"
KINDS = ("promptfoo", "agent-skills", "agentv-v5")
WORKSPACES = [
    folder
    for kind in KINDS
    if (CORPUS / kind).is_dir()
    for folder in sorted((CORPUS / kind).iterdir())
    if folder.is_dir()
]
#: Listed, and not in the collection.
ABSENT = {"redteam.yaml"}

pytestmark = pytest.mark.skipif(not WORKSPACES, reason="the collection of suites is not here")


def _analyzed(path: Path, text: str, root: Path) -> Analysis:
    analysis = check_text(path, text, Workspace(root, {path: text}))
    assert analysis.failures == []
    return analysis


def test_every_configuration_and_list_of_tests_is_found() -> None:
    index = CORPUS / "promptfoo" / "INDEX.tsv"
    listed = [
        CORPUS / "promptfoo" / row["folder"] / row["file"]
        for row in csv.DictReader(index.read_text("utf-8").splitlines(), delimiter="\t")
    ]
    roots = {CORPUS / "promptfoo" / path.relative_to(index.parent).parts[0] for path in listed}
    found = {path for root in roots for path in suites_in(root)}
    assert [
        path for path in listed if path not in found if path.name not in ABSENT or path.is_file()
    ] == []


@pytest.mark.parametrize("root", sample(WORKSPACES), ids=lambda it: it.name)
def test_each_fix_changes_what_it_says_and_nothing_else(root: Path) -> None:
    for path in suites_in(root):
        text = path.read_bytes().decode("utf-8", errors="replace")
        analysis = _analyzed(path, text, root)
        for finding in analysis.findings:
            if finding.fix is not None:
                same = [other for other in analysis.findings if other.code == finding.code]
                _try(finding, len(same), path, text, root)


def _try(finding: Finding, before: int, path: Path, text: str, root: Path) -> None:
    fix = finding.fix
    assert fix is not None
    if path.suffix == ".json":
        assert json_fix(fix, Lines(text)) is not None
    fixed = fix.apply(text)
    assert fixed != text
    # What stands between the edits is what stood there, byte for byte.
    at = 0
    for edit in sorted(fix.edits, key=lambda it: it.span):
        kept = text[at : edit.span.start]
        assert kept in fixed
        at = edit.span.end
    assert fixed.endswith(text[at:])
    assert len(fixed) == len(text) + sum(
        len(it.text) - (it.span.end - it.span.start) for it in fix.edits
    )
    after = _analyzed(path, fixed, root)
    same = [it for it in after.findings if it.code == finding.code]
    assert len(same) < before, (path, finding.message)
