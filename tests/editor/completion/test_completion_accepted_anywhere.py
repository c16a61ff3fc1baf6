"""Accepting any completion, in any text, at any offset: the text still parses.

A half-typed text may be broken already; accepting breaks no part of it that was not.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from suitecase.derived import ROOT
from suitecase.editor.completion import CompletionContext
from suitecase.format.target_files import ParsedTargets
from suitecase.format.workspace import Workspace
from suitecase.formats.suitecase.parsed import ParsedSuite, parse_dataset
from support.ide.completions import accepted, complete, in_folder
from support.parsed_files import parse_own
from support.samples import EVERY, dice
from support.suites.random_edits import BLOCK_TEXTS, PLAIN

WORKSPACE = ROOT / "tests" / "support" / "suites" / "sound_workspace"
ANCHORS = """\
x-shared: &shared
    note: "🎉"
    tags: &tags [quick]
evalcases:
-   id: greet
    <<: *shared
    input: Hi
    expected_outcome: Says hello
    rubrics: [{id: "a", expected_outcome: 'b'}, "c"]
    evaluators:
    -   name: kind
        type: composite
        evaluators: [{name: x, type: is_json}, {name: y, type: llm_judge}]
        aggregator: {type: weighted_average, weights: {x: 2}}
-   {id: leave, input: *tags, expected_outcome: Bye}
"""
DATASET = (
    '{"id": "a", "input": "Hi", "expected_outcome": "b", "rubrics": ["c", {"id": "d", '
    '"score_ranges": {"0": "e", "6": "f"}}], "tags": ["g"]}\n{"id": "h", "input": []}\n'
)
TEXTS = {
    "plain.eval.yaml": PLAIN,
    "blocks.eval.yaml": BLOCK_TEXTS,
    "anchors.eval.yaml": ANCHORS,
    "cases.jsonl": DATASET,
    **{
        it.name: it.read_text("utf-8")
        for it in (WORKSPACE / "everything.eval.yaml", WORKSPACE / "targets.yaml")
    },
}
#: Of longer texts about as many offsets are tried, other ones each time.
OFFSETS = 100 if EVERY else 15


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize(("line_break", "half_typed"), [("\n", False), ("\r\n", True)])
def test_what_was_accepted_parses(name: str, line_break: str, *, half_typed: bool) -> None:
    text = TEXTS[name].replace("\n", line_break)
    around = CompletionContext(
        in_folder(WORKSPACE, ROOT).folder, case_ids=lambda: ["greet", "b: c"]
    )
    whole = _read(name, text)
    count = sound = 0
    step = 1 + len(text) // OFFSETS
    for offset in range(dice().randrange(step), len(text) + 1, step):
        if text[offset - 1 : offset + 1] == "\r\n":
            continue  # no editor has a place there
        typed, suite = text, whole
        if half_typed:
            end = text.find(line_break, offset) % (len(text) + 1)
            typed = text[:offset] + text[end:]
            suite = _read(name, typed, whole)
        broken = _broken(suite)
        completion = complete(suite, offset, around)
        for it in completion.items:
            count += 1
            sound += not broken
            after = accepted(typed, completion, it)
            assert "\t" not in after
            assert line_break == "\n" or "\n" not in after.replace("\r\n", ""), it
            read = _read(name, after, suite)
            assert _broken(read) <= broken, (_shown(typed, offset), it)
    assert count > 10
    assert sound > 10 or half_typed


def _read(
    name: str, text: str, reuse: ParsedSuite | ParsedTargets | None = None
) -> ParsedSuite | ParsedTargets:
    known = reuse if isinstance(reuse, ParsedSuite) else None
    if name.endswith(".jsonl"):
        return parse_dataset(text, None, reuse=known)
    return parse_own(Path(WORKSPACE, name), text, Workspace(ROOT), reuse=known)


def _broken(written: ParsedSuite | ParsedTargets) -> int:
    """Return how many parts do not parse."""
    if isinstance(written, ParsedTargets):
        return written.content.broken or bool(written.content.unknown_aliases)
    pieces = (it.content for it in written.document.pieces)
    return sum(it.broken or bool(it.unknown_aliases) for it in pieces)


def _shown(text: str, offset: int) -> str:
    return f"{text[max(0, offset - 60) : offset]}▮{text[offset : offset + 40]}"
