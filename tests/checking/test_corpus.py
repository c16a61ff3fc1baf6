"""Suites as people write them: read and checked without a bug, in every way alike; nothing sound is an error.

Those of this repository are tried everywhere; a collection of suites that people wrote, of every era, lies
beside some copies of the repository and is not part of it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from suitecase.checking.check import check
from suitecase.derived import ROOT
from suitecase.format.rule import Severity
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.parsed import parse_suite
from support.samples import sample

CORPUS = ROOT.parent / "shared" / "corpus"
#: Sound ones, with everything the format has, and what a first suite has.
OURS = [
    it
    for folder in (ROOT / "examples", ROOT / "tests" / "support" / "suites" / "sound_workspace")
    for it in sorted(folder.rglob("*.eval.yaml"))
]
#: Of the collection a sixth, unless `make sweep` wants all: those of one folder are much alike.
SUITES = OURS + (sample(sorted(CORPUS.rglob("*.yaml")), 6) if CORPUS.is_dir() else [])


def each(suites: list[Path]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("path", suites, ids=_name)


def _name(path: Path) -> str:
    return path.relative_to(CORPUS if CORPUS in path.parents else ROOT).as_posix()


def _found(text: str, path: Path, *, segmented: bool = True) -> list[Any]:
    suite = parse_suite(text, segmented=segmented)
    analysis = check(suite, Folder(Workspace(path.parent), path.parent))
    assert analysis.failures == []
    found = []
    for it in analysis.findings:
        assert 0 <= it.span.start <= it.span.end <= len(text), it
        line, column = suite.document.lines.position(it.span.start)
        found.append((line + 1, column + 1, it.code, it.message))
    return found


@each(SUITES)
def test_a_suite_is_checked_alike_in_every_way(path: Path) -> None:
    text = path.read_bytes().decode("utf-8").replace("\r\n", "\n")
    found = _found(text, path)
    assert _found(text, path, segmented=False) == found
    assert _found(text.replace("\n", "\r\n"), path) == found
    assert _found("\ufeff" + text, path) == [
        (line, column + (line == 1), *rest) for line, column, *rest in found
    ]


#: What is reported about files that whoever follows an example writes: sheets of labels.
WRITTEN_LATER = {"SC881"}


@each([it for it in OURS if it.parent.name != "mistakes"])
def test_nothing_in_a_sound_suite_is_an_error_or_a_warning(path: Path) -> None:
    suite = parse_suite(path.read_text("utf-8"))
    analysis = check(suite, Folder(Workspace(path.parent), path.parent))
    wrong = [it for it in analysis.findings if it.severity is not Severity.INFO]
    assert [it.message for it in wrong if it.code not in WRITTEN_LATER] == []


TREE = CORPUS / "agentv" / "tree-2026-02-01" / "examples"
#: What is wrong in the suites of one day, as (line, code): targets that no file defines, and keys
#: of expected tool calls that never had a meaning.
WRONG = {
    "features/tool-trajectory-advanced/evals/trace-file-demo.yaml": [
        (16, "SC501"),
        (125, "SC101"),
        (128, "SC101"),
        (155, "SC101"),
        (160, "SC101"),
    ],
    "features/tool-trajectory-simple/evals/dataset.yaml": [(29, "SC501")],
}
TREE_SUITES = [
    it for it in sorted(TREE.rglob("evals/*.yaml")) if parse_suite(it.read_text("utf-8")).cases
]


@each(TREE_SUITES)
def test_suites_of_a_repository_have_the_errors_they_have(path: Path) -> None:
    suite = parse_suite(path.read_text("utf-8"))
    analysis = check(suite, Folder(Workspace(TREE), path.parent))
    errors = [
        (suite.document.lines.position(it.span.start)[0] + 1, it.code)
        for it in analysis.findings
        if it.severity is Severity.ERROR
    ]
    assert errors == WRONG.get(path.relative_to(TREE).as_posix(), [])
