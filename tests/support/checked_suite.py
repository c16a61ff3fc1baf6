"""Checking the text of a suite of another tool."""

from __future__ import annotations

from pathlib import Path

from suitecase.checking.analysis import Analysis
from suitecase.checking.check import check
from suitecase.format.reading import parse_document
from suitecase.format.workspace import Folder, Workspace
from suitecase.text.lines import Lines


def analyzed(folder: Path, text: str, name: str = "promptfooconfig.yaml") -> Analysis:
    """Check a text as a file of a folder."""
    path = folder / name
    workspace = Workspace(folder)
    analysis = check(parse_document(path, text, workspace), Folder(workspace, folder), path)
    assert analysis.failures == []
    return analysis


def found(
    folder: Path, text: str, *rules: str, name: str = "promptfooconfig.yaml"
) -> list[tuple[int, str]]:
    """Return the lines, from 1, and messages of what rules find, by the names of the rules."""
    lines = Lines(text)
    return [
        (lines.position(it.span.start)[0] + 1, it.message)
        for it in analyzed(folder, text, name).findings
        if it.rule.name in rules
    ]


def fixed(folder: Path, text: str, rule: str, name: str = "promptfooconfig.yaml") -> str:
    """Return the text with the first fix of a rule made, until it offers none."""
    for _ in range(20):
        findings = analyzed(folder, text, name).findings
        fix = next((it.fix for it in findings if it.rule.name == rule and it.fix), None)
        if fix is None:
            break
        text = fix.apply(text)
    return text
