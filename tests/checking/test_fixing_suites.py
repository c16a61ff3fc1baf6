"""Making fixes, held against examples of rules and suites of others: against some of them, and by `make sweep` all."""

from __future__ import annotations

from pathlib import Path

import pytest

from suitecase.checking.analysis import Analysis
from suitecase.checking.check import check
from suitecase.checking.fixing import Analyze, fix_text
from suitecase.checking.rules import all_rules
from suitecase.derived import ROOT
from suitecase.format.rule import MARK, Severity
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.parsed import parse_suite
from support.samples import sample

BAD = sample(
    (rule.name, example.text.replace(f"  {MARK}", "").replace(MARK, ""))
    for rule in all_rules()
    for example in rule.examples
    if example.kind == "bad" and not example.file
)
CORPUS = ROOT.parent / "shared" / "corpus"
OTHERS = sample(sorted(CORPUS.rglob("*.yaml")), 20) if CORPUS.is_dir() else []


def analyzing(folder: Path) -> Analyze:
    def analyzed(text: str) -> Analysis:
        return check(parse_suite(text), Folder(Workspace(folder), folder))

    return analyzed


def errors(analysis: Analysis) -> int:
    return sum(it.severity is Severity.ERROR for it in analysis.findings)


def hold(text: str, folder: Path) -> None:
    analyzed = analyzing(folder)
    before = analyzed(text)
    for unsafe in (False, True):
        fixed = fix_text(text, analyzed, unsafe=unsafe)
        assert errors(fixed.analysis) <= errors(before)
        assert fixed.count == 0 or fixed.text != text
        if fixed.count:
            again = fix_text(fixed.text, analyzed, unsafe=unsafe)
            assert (again.text, again.count) == (fixed.text, 0), "fixes made twice change nothing"
        if unsafe and "\r" not in text:  # the safe fixes are among them
            crlf = fix_text(text.replace("\n", "\r\n"), analyzed, unsafe=unsafe)
            assert crlf.text == fixed.text.replace("\n", "\r\n")


@pytest.mark.parametrize(("name", "text"), BAD, ids=[name for name, _ in BAD])
def test_examples_are_mended(name: str, text: str, tmp_path: Path) -> None:
    hold(text, tmp_path)


@pytest.mark.skipif(not OTHERS, reason="the suites of others are not here")
def test_suites_of_others_are_mended(tmp_path: Path) -> None:
    for path in OTHERS:
        text = path.read_bytes().decode("utf-8", "replace")
        if len(text) < 40_000:
            hold(text, tmp_path)
