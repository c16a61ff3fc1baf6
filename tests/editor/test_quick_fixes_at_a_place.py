from __future__ import annotations

from pathlib import Path

import pytest

from suitecase.checking.check import check
from suitecase.editor.quick_fixes import QuickFix, quick_fixes
from suitecase.format.rule import Fix
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.parsed import parse_suite
from suitecase.text.node import Span
from support.ide.marked_suite import marked

SUITE = """\
evalcases:
  - id: greet
    input: Hi
    out|come: Says hello
    rubrics:
      - id: warmth
        description: Is warm
"""


def fixes_at(text: str, root: Path) -> tuple[str, list[QuickFix]]:
    written, offset = marked(text)
    folder = Folder(Workspace(root), root)
    plain = written.document.text
    return plain, list(quick_fixes(plain, check(written, folder), Span(offset, offset)))


def test_only_what_the_cursor_touches_is_offered(tmp_path: Path) -> None:
    text, (fix,) = fixes_at(SUITE, tmp_path)

    assert fix.title == "Rename to `expected_outcome`"
    assert fix.preferred
    assert Fix(fix.title, fix.edits).apply(text) == text.replace("outcome:", "expected_outcome:")


def test_where_nothing_is_wrong_nothing_is_offered(tmp_path: Path) -> None:
    text = SUITE.replace("|", "").replace("input: Hi", "input: H|i")

    assert fixes_at(text, tmp_path)[1] == []


@pytest.mark.parametrize("line_break", ["\r\n", "\r"])
def test_fixes_keep_the_line_breaks_of_the_document(tmp_path: Path, line_break: str) -> None:
    text = (
        "target: mock\nexecution:\n  evaluators: []\ncases:\n  - id: a\n    input: x\n"
        "    outcome: y\n    evaluators:\n      - name: n\n        type: rubric\n"
        "        rubrics: [Is warm]\n"
    ).replace("\n", line_break)
    written = parse_suite(text)
    everything = Span(0, len(text))
    folder = Folder(Workspace(tmp_path), tmp_path)

    found = list(quick_fixes(text, check(written, folder), everything))

    assert [fix.title for fix in found] == [
        *(["Move under `execution`"] if "\n" in line_break else []),  # as whole lines
        "Rename to `evalcases`",
        "Rename to `expected_outcome`",
        "Quote it to make it text",
        "Quote it to make it text",
        "Change to `llm_judge`",
    ]
    for fix in found:
        fixed = Fix(fix.title, fix.edits).apply(text)
        assert "\n" not in fixed.replace(line_break, "")
