"""Every refactoring preserves the meaning of the suite and causes no findings.

A sixth of what is offered is made, another one each time, and in texts with one of the two line breaks; by
`make sweep`, all of it.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from suitecase.editor.refactoring import refactorings
from suitecase.format.rewriting.lines import apply
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.parsed import parse_suite
from suitecase.text.node import Span
from support.ide.refactorings import everywhere, found, made, shown
from support.samples import EVERY, sample

WORKSPACE = Path(__file__).resolve().parents[1] / "support" / "suites" / "sound_workspace"
CORPUS = Path(__file__).resolve().parents[3] / "shared" / "corpus" / "agentv"
SOUND = sorted(WORKSPACE.glob("*.eval.yaml"))
#: What is offered is offered at a whole word, so each fourth offset finds all of it; `make sweep` asks at each.
STEP = 1 if EVERY else 4
#: Of the collection a sample, since each suite costs a fifth of a second; `make sweep` has a larger one.
COLLECTED = sample(sorted(CORPUS.rglob("*.yaml"))[::8], 8) if CORPUS.is_dir() else []


def _check(text: str, path: Path) -> int:
    written = parse_suite(text)
    before, known = shown(text, path), found(text, path)
    count = 0
    offered = everywhere(written, Folder(Workspace(path.parent), path.parent), STEP)
    for action in sample(offered, 6):
        count += 1
        after = apply(text, action.edits)
        assert not set(found(after, path)) - set(known), action.title
        if action.title.startswith("Duplicate"):
            cases = shown(after, path)
            assert cases is None or [one for one in cases if one in (before or [])] == before
        elif action.title.startswith("Split"):
            _check_split(before, shown(after, path))
        elif not action.title.startswith(("Add", "Widen")):
            assert shown(after, path) == before, action.title
        if "\r\n" in text:
            assert "\n" not in after.replace("\r\n", ""), action.title
    return count


def _check_split(before: list[Any] | None, after: list[Any] | None) -> None:
    """Check that a case was split into cases with the same inputs, and nothing else changed."""
    if before is None or after is None:
        assert before is after  # unsound before and after
        return
    gone = [it for it in before if it not in after]
    new = [it for it in after if it not in before]
    assert len(gone) == 1
    assert len(new) == len(after) - len(before) + 1 >= 2
    for it in new:
        assert it["expected_outcome"] == gone[0]["expected_outcome"]
        asked = it["input_messages"]
        assert asked == gone[0]["input_messages"][: len(asked)]


@pytest.mark.parametrize("path", SOUND, ids=lambda path: path.name)
@pytest.mark.parametrize("line_break", sample(["\n", "\r\n"], 2))
def test_in_the_sound_suites(path: Path, line_break: str) -> None:
    assert _check(path.read_text("utf-8").replace("\n", line_break), path)


@pytest.mark.skipif(not COLLECTED, reason="the collection of suites is not here")
def test_in_suites_that_people_wrote() -> None:
    count = sum(_check(it.read_bytes().decode(), it) for it in COLLECTED)

    # Of a few, there may be one in which nothing is offered.
    assert count >= len(COLLECTED) or not EVERY


def test_no_text_however_broken_is_too_much() -> None:
    text = (WORKSPACE / "everything.eval.yaml").read_text("utf-8")
    dice = random.Random(7)
    for _ in range(60):
        at = dice.randrange(len(text))
        end = at + dice.randrange(30)
        broken = text[:at] + dice.choice(["", "[", "{", "'", ": ", "- ", "\t", "\u2028", "&a "])
        broken += text[end:]
        written = parse_suite(broken)
        for place in (at, dice.randrange(len(broken)), len(broken)):
            list(refactorings(written, Span(place, place)))


def test_score_ranges_and_back_mean_the_same() -> None:
    text = (WORKSPACE / "everything.eval.yaml").read_text("utf-8")
    path = WORKSPACE / "everything.eval.yaml"
    folder = Folder(Workspace(WORKSPACE), WORKSPACE)
    there = [
        action
        for action in everywhere(parse_suite(text), folder, STEP)
        if "score ranges as" in action.title
    ]
    assert there
    for action in there:
        changed = apply(text, action.edits)
        written, at = parse_suite(changed), action.edits[0].span.start
        (back,) = (
            new
            for title, new in made(written, Span(at, at + 20)).items()
            if "score ranges as" in title and title != action.title
        )
        assert shown(back, path) == shown(text, path)
