"""Whatever the text and the cursor, an editor gets a valid response."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from suitecase.editor.folding import folds
from suitecase.editor.hover import (
    HoverContext,
    RenderedPrompt,
    hover_at,
    hover_in_prompt,
    hover_in_targets,
)
from suitecase.editor.inlay_hints import HintKinds, hints
from suitecase.editor.results import DocumentResults
from suitecase.editor.selection import selections
from suitecase.editor.semantic_tokens import prompt_tokens, tokens
from suitecase.editor.symbols import Symbol, symbols
from suitecase.format.target_files import find_targets, parse_targets
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.parsed import parse_dataset, parse_suite
from suitecase.text.node import Span
from support.ide.marked_suite import NOW, result
from support.suites.editor_texts import TARGETS, texts, write_surroundings

#: `make sweep` asks at each offset.
STEP = 1 if os.environ.get("SUITECASE_EVERY_OFFSET") else 17
TEXTS = list(texts(seed=7, edits=6))


@pytest.fixture
def around(tmp_path: Path) -> HoverContext:
    write_surroundings(tmp_path)
    folder = Folder(Workspace(tmp_path), tmp_path)
    return HoverContext(
        tmp_path / "a.eval.yaml", folder, lambda _suite, _folder: RenderedPrompt("Hi", ())
    )


def every(symbol: Symbol) -> Iterator[Symbol]:
    yield symbol
    for it in symbol.children:
        assert symbol.span.start <= it.span.start <= it.span.end <= symbol.span.end
        yield from every(it)


def test_symbols_lie_within_one_another_and_have_names() -> None:
    seen = 0
    for text in TEXTS:
        for top in symbols(parse_suite(text)):
            for it in every(top):
                seen += 1
                assert it.name.strip()
                assert it.span.start <= it.selection.start <= it.selection.end <= it.span.end
                assert it.span.end <= len(text)
    assert seen > 400


def test_folds_hide_lines_that_are_there() -> None:
    seen = 0
    for text in TEXTS:
        document = parse_suite(text).document
        found = folds(document)
        seen += len(found)
        assert len({it.first for it in found}) == len(found)
        assert all(0 <= it.first < it.last < len(document.lines) for it in found)
    assert seen > 400


def test_a_selection_grows_at_every_offset_up_to_the_whole_text() -> None:
    for text in TEXTS:
        document = parse_suite(text).document
        for offset in range(0, len(text) + 1, STEP):
            found = selections(document, offset)
            assert found[-1] == Span(0, len(text))
            assert all(it.start <= offset <= it.end for it in found)
            for inner, outer in pairwise(found):
                assert outer.start <= inner.start <= inner.end <= outer.end
                assert outer != inner


def test_tokens_stand_on_one_line_each_in_order_and_apart() -> None:
    seen = 0
    for text in TEXTS:
        suite = parse_suite(text)
        found = tokens(suite)
        seen += len(found)
        for it in found:
            written = text[it.span.start : it.span.end]
            assert written.strip()
            assert not {"\n", "\r"} & set(written)
        assert all(one.span.end <= other.span.start for one, other in pairwise(found))
        half = Span(len(text) // 3, len(text) // 2)
        some = tokens(suite, half)
        assert some == [
            it for it in found if it.span.end >= half.start and half.end >= it.span.start
        ]
    assert seen > 100


def test_hints_stand_in_the_stretch_that_was_asked_about(around: HoverContext) -> None:
    targets = find_targets(around.folder.workspace, around.folder.path)
    seen = 0
    for text in TEXTS:
        suite = parse_suite(text)
        last = {
            it.id.text: result(suite, it.id.text, "pass", score=1.0)
            for it in suite.cases
            if it.id is not None
        }
        found = hints(suite, Span(0, len(text)), HintKinds(), last, targets)
        seen += len(found)
        assert all(0 <= it.offset <= len(text) and it.label and it.tooltip for it in found)
        assert all(one.offset <= other.offset for one, other in pairwise(found))
        half = Span(len(text) // 3, len(text) // 2)
        some = hints(suite, half, HintKinds(), last, targets)
        assert some == [it for it in found if half.start <= it.offset <= half.end]
    assert seen > 150


def test_a_hover_is_about_where_the_cursor_is(around: HoverContext) -> None:
    said = 0
    for text in TEXTS:
        suite = parse_suite(text)
        for offset in range(0, len(text) + 1, STEP):
            found = hover_at(suite, offset, DocumentResults(), NOW, around)
            if found is not None:
                said += 1
                assert found.span.start <= offset <= found.span.end <= len(text)
                assert found.markdown.count("```") % 2 == 0
    assert said > 100


def test_targets_files_are_read_at_every_offset_too() -> None:
    for length in range(0, len(TARGETS), 3):
        for text in (TARGETS[:length], TARGETS.replace("\n", "\r\n")[:length]):
            written = parse_targets(Path("targets.yaml"), text)
            for offset in range(max(0, length - 9), len(text) + 1):
                hover_in_targets(written, offset, "targets.yaml", {})
                selections(written.document, offset)
            for top in symbols(written):
                assert list(every(top))
            tokens(written)
            folds(written.document)


def test_data_sets_and_prompt_files_are_read_at_every_offset_too() -> None:
    line = '{"id": "a", "input": "Hi", "expected_outcome": "x", "rubrics": [{"id": "b"}]}\n'
    for text in (line * 2, line + line[:40], "\ufeff" + line, "{", "\n\n"):
        suite = parse_dataset(text, "description: Greets\nexecution: {target: small}\n")
        for offset in range(len(text) + 1):
            assert selections(suite.document, offset)[-1] == Span(0, len(text))
            hover_at(suite, offset, DocumentResults(), NOW)
        assert all(it.name.strip() for top in symbols(suite) for it in every(top))
        assert not folds(suite.document)
        tokens(suite)
        hints(suite, Span(0, len(text)), HintKinds(), {}, None)
    prompt = "Is {{ candidate_answer }} fine? {{ nothing }} {{ question"
    assert len(prompt_tokens(prompt)) == 1
    told = [offset for offset in range(len(prompt) + 1) if hover_in_prompt(prompt, offset)]
    assert told == list(range(3, 26))
