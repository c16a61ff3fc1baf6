"""Suites to lines of JSON and back: they are graded as before, whatever they were spelled like."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from suitecase.authoring.conversion import Conversion, Format, convert, recognized
from suitecase.authoring.migration import migrate
from suitecase.checking.check import check
from suitecase.checking.options import CheckOptions
from suitecase.format.rule import Severity
from suitecase.format.target_files import find_targets
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.portable import RefusedError
from suitecase.formats.suitecase.parsed import ParsedSuite, parse_dataset, parse_suite
from suitecase.formats.suitecase.resolve import resolve
from suitecase.formats.suitecase.show import shown_suite
from support.samples import sample

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT.parent / "shared" / "corpus"
OURS = sorted(
    [*(ROOT / "examples").rglob("*.eval.yaml"), *(ROOT / "tests/formats/legacy").rglob("*.yaml")]
)
THEIRS = sorted((CORPUS / "agentv").rglob("*.yaml")) if CORPUS.is_dir() else []
#: The newest of the versions of a suite, whose names begin with a date.
NEWEST = {(path.parent, path.name.split("__", 1)[-1]): path for path in THEIRS}
#: Most of theirs are in the collection once in each syntax; a fifth is tried, another one each time.
SUITES = [
    path
    for path in (*OURS, *sample(NEWEST.values(), 5))
    if parse_suite(path.read_text("utf-8")).cases
]
#: What is said of where something stands, which is elsewhere afterwards.
PLACES = ("line", "lines", "origin", "suite", "file", "defined")


def _converted(path: Path, text: str, sidecar: str | None, to: Format) -> Conversion:
    folder = Folder(Workspace(path.parent), path.parent)
    source = recognized(path, text, sidecar)
    assert source is not None
    return convert(source, to, None, (folder, folder))


def _errors(suite: ParsedSuite, path: Path) -> list[str]:
    folder = Folder(Workspace(path.parent), path.parent)
    analysis = check(suite, folder, path, options=CheckOptions(use_config=False))
    assert analysis.failures == []
    found = (*analysis.findings, *analysis.silenced)
    return sorted(it.code for it in found if it.severity is Severity.ERROR)


def _shown(suite: ParsedSuite, path: Path) -> Any:
    folder = Folder(Workspace(path.parent), path.parent)
    effective = resolve(suite, path, folder)
    targets = find_targets(folder.workspace, folder.path)
    return _without_places(shown_suite(effective, list(effective.cases), targets, folder.shown))


def _without_places(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_places(it) for key, it in value.items() if key not in PLACES}
    return [_without_places(it) for it in value] if isinstance(value, list) else value


@pytest.mark.parametrize("path", SUITES, ids=lambda it: it.name)
def test_a_suite_comes_back_as_it_was(path: Path) -> None:
    text = path.read_text("utf-8")
    migrated = migrate(text, path, Workspace(path.parent))
    assert migrated is not None
    try:
        lines = _converted(path, text, None, "jsonl")
    except RefusedError:
        # Only what a person has to decide keeps a suite from being converted.
        assert migrated.decisions, "nothing of it has to be decided"
        return
    dataset = path.with_name("dataset-of-it.jsonl")
    back = _converted(dataset, lines.text, lines.sidecar, "yaml")

    before, between = parse_suite(text), parse_dataset(lines.text, lines.sidecar)
    after = parse_suite(back.text)
    assert lines.cases == back.cases == len(before.cases)
    assert back.notes == ()
    assert after.head.legacy_syntax == ()
    assert not any(it.legacy_syntax for it in after.cases)
    errors = _errors(before, path)
    assert set(_errors(after, path)) <= set(errors)
    if not errors:
        shown = _shown(after, path)
        assert _shown(between, path) == shown
        todays = parse_suite(migrated.after)
        if not migrated.decisions and not _errors(todays, path):
            assert shown == _shown(todays, path)
