"""One mistake planted anywhere is found once, in its place; a change that means nothing is not.

The suites in `support/suites/sound_workspace` have everything the format has, and nothing wrong. A sixth of the
mistakes is planted, another one each time; `make sweep` plants all.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from suitecase.checking.check import check
from suitecase.format.reading import parse_document
from suitecase.format.rule import Finding, Severity
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.model import SuiteFile
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase_evaluators.targets.config import TargetsFile
from support.samples import sample
from support.suites.planted_mistakes import Plant, plants, unchanged

SOUND = Path(__file__).parents[1] / "support" / "suites" / "sound_workspace"
SUITES = sorted(SOUND.glob("*.eval.yaml"))
FILES = [*SUITES, SOUND / "targets.yaml"]
WORKSPACE = Workspace(SOUND)


@cache
def _sound(path: Path) -> ParsedSuite | None:
    file = parse_document(path, path.read_text("utf-8"), WORKSPACE)
    return file if isinstance(file, ParsedSuite) else None


def found_in(path: Path, text: str) -> list[Finding]:
    file = parse_document(path, text, WORKSPACE, reuse=_sound(path))
    analysis = check(file, Folder(WORKSPACE, SOUND), path)
    assert analysis.failures == []
    return [it for it in analysis.findings if it.severity is not Severity.INFO]


def _wrong_about(plant: Plant, found: list[Finding]) -> str | None:
    """Say what is wrong with what is found of a planted mistake; None where nothing is."""
    shown = "; ".join(f"{it.rule.name}: {it.message}" for it in found)
    if not found:
        return f"{plant.id}: not found"
    if not any(plant.start <= it.span.start <= plant.end for it in found):
        return f"{plant.id}: found elsewhere: {shown}"
    return f"{plant.id}: found twice: {shown}" if len(found) > 1 else None


@pytest.mark.parametrize("path", FILES, ids=lambda it: it.name)
def test_a_planted_mistake_is_found_once_in_its_place(path: Path) -> None:
    text = path.read_text("utf-8")
    assert found_in(path, text) == []
    model = TargetsFile if path.name == "targets.yaml" else SuiteFile
    # One of a kind under each key is enough: the same model reads all of them.
    planted = {(plant.kind, plant.where): plant for plant in plants(text, model)}
    assert len(planted) > 50
    wrong = [
        said
        for plant in sample(planted.values(), 6)
        if (said := _wrong_about(plant, found_in(path, plant.text)))
    ]
    assert wrong == []


@pytest.mark.parametrize("path", FILES, ids=lambda it: it.name)
def test_a_change_that_means_nothing_is_not_found(path: Path) -> None:
    text = path.read_text("utf-8")
    for name, other in unchanged(text):
        found = Counter(it.message for it in found_in(path, other))
        assert not found, name
