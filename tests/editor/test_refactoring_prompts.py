"""Moving prompts of judges to files, and inlining prompt files."""

from __future__ import annotations

from pathlib import Path

import pytest

from suitecase.editor.refactoring import Refactoring, refactorings
from suitecase.format.rewriting.lines import apply
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.parsed import parse_suite
from suitecase.text.node import Span
from support.ide.marked_suite import marked
from support.ide.refactorings import found, shown, suite_of

IN_BLOCK = """\
evaluators:
  - name: Tone of voice
    type: llm_judge
    prompt: >-
      Is {{ candidate_answer }}
      friendly?
    weight: 2
"""


def _offered(text: str, root: Path, at: int, *, creates_files: bool = True) -> list[Refactoring]:
    folder = Folder(Workspace(root), root)
    written = parse_suite(text)
    return [
        it
        for it in refactorings(written, Span(at, at), folder, creates_files=creates_files)
        if it.kind != "refactor.rewrite"
    ]


@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
def test_to_a_file_and_back(tmp_path: Path, line_break: str) -> None:
    text = suite_of(IN_BLOCK).replace("\n", line_break)
    suite, at = tmp_path / "a.eval.yaml", text.index("prompt:")
    before = shown(text, suite)

    (extract,) = _offered(text, tmp_path, at)
    assert (extract.title, extract.kind) == (
        "Move the prompt to `prompts/tone-of-voice.md`",
        "refactor.extract",
    )
    assert extract.created is not None
    extract.created.path.parent.mkdir()
    extract.created.path.write_bytes(extract.created.text.encode())
    moved = apply(text, extract.edits)
    assert f"    prompt: prompts/tone-of-voice.md{line_break}      " in moved
    assert shown(moved, suite) == before
    assert found(moved, suite) == []

    (inline,) = _offered(moved, tmp_path, at)
    assert inline.kind == "refactor.inline"
    back = apply(moved, inline.edits)
    assert shown(back, suite) == before
    assert "prompt: Is {{ candidate_answer }} friendly?" in back


def test_lines_of_a_file_become_a_block(tmp_path: Path) -> None:
    (tmp_path / "p.md").write_text("Read:\n\n  {{ candidate_answer }}\n", encoding="utf-8")
    text = suite_of("evaluators:\n  - name: a\n    type: llm_judge\n    prompt: p.md  # ours\n")

    (inline,) = _offered(text.replace("  # ours", ""), tmp_path, text.index("p.md"))

    assert apply(text.replace("  # ours", ""), inline.edits).endswith(
        "        prompt: |\n          Read:\n\n            {{ candidate_answer }}\n"
    )
    # Behind a block of text the comment would be a part of it.
    assert _offered(text, tmp_path, text.index("p.md")) == []


def test_a_name_that_is_taken_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "tone-of-voice.md").write_text("other", encoding="utf-8")
    text = suite_of(IN_BLOCK)

    (extract,) = _offered(text, tmp_path, text.index("prompt:"))

    assert extract.created is not None
    assert extract.created.path == tmp_path / "prompts" / "tone-of-voice-2.md"


@pytest.mark.parametrize("prompt", ["prompts/missing.md|", "{script: [a|]}", "|", "'|"])
def test_a_prompt_that_is_no_text_is_not_moved(tmp_path: Path, prompt: str) -> None:
    case = suite_of(f"evaluators:\n  - name: a\n    type: llm_judge\n    prompt: {prompt}\n")
    written, at = marked(case)

    assert _offered(written.document.text, tmp_path, at) == []


def test_an_editor_that_makes_no_files_is_offered_none(tmp_path: Path) -> None:
    text = suite_of(IN_BLOCK)

    assert _offered(text, tmp_path, text.index("prompt:"), creates_files=False) == []
