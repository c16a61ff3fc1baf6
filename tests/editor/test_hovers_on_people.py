"""A hover on a name under `human` says how far people agree and what is open."""

from __future__ import annotations

from pathlib import Path

from suitecase.editor.hover import HoverContext, RenderedPrompt, hover_at
from suitecase.editor.results import DocumentResults
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.parsed import parse_sidecar, parse_suite
from support.ide.marked_suite import NOW

CASE = """\
  - id: late
    input: My parcel is late.
    expected_outcome: Says sorry
    rubrics:
      - {id: apology, expected_outcome: Says sorry}
      - {id: tone, score_ranges: {0: Blames the customer, 5: Is warm}}
"""
SUITE = f"human:\n  rubric:\n    labels: [labels.csv]\nevalcases:\n{CASE}"
A, B = "3f9a1c22d1b0a7e4", "90c2e1aa4b7f3d10"
LABELS = f"""\
case,answer,item,wording,rater,value
late,{A},apology,,ann,true
late,{A},apology,,<b>ben,true
late,{B},apology,,ann,false
late,{B},apology,,<b>ben,false
late,{A},tone,,ann,8
late,{A},tone,,<b>ben,6
late,{B},tone,,ann,
late,{B},tone,00000000,ann,3
"""


def hover(root: Path, text: str = SUITE, labels: str = LABELS) -> str:
    (root / "labels.csv").write_text(labels)
    path = root / "support.eval.yaml"
    around = HoverContext(
        path, Folder(Workspace(root), root), lambda *_: RenderedPrompt("", ()), is_file=True
    )
    offset = text.index("rubric:") + 2
    found = hover_at(parse_suite(text), offset, DocumentResults(), NOW, around)
    return found.markdown if found else ""


def test_agreement_and_what_is_open_are_shown(tmp_path: Path) -> None:
    said = hover(tmp_path)
    assert said.startswith("**`rubric`** · 2 answers labeled by \\<b\\>ben, ann")
    assert "| met or not | 1.00 nominal | 1.00 | 100% |" in said
    assert "| scores | 0.00 ordinal | " in said
    assert "- to adjudicate: 1 answer" in said
    assert "- not labeled yet: 1 row" in said
    assert "- of an earlier wording, which does not count: 1 label" in said
    assert "`suitecase agreement support.eval.yaml`" in said


def test_labels_of_one_rater_have_no_agreement(tmp_path: Path) -> None:
    said = hover(tmp_path, labels=LABELS.replace("<b>ben", "ann"))
    assert "Agreement takes two raters of an answer." in said
    assert "suitecase agreement" not in said


def test_an_empty_sheet_has_no_answers(tmp_path: Path) -> None:
    assert hover(tmp_path, labels=LABELS.splitlines()[0]).startswith("**`rubric`** · 0 answers")


def test_the_sidecar_of_a_data_set_has_the_labels_of_its_cases(tmp_path: Path) -> None:
    (tmp_path / "labels.csv").write_text(LABELS)
    case = (
        '{"id": "late", "input": "x", "expected_outcome": "y", '
        '"rubrics": [{"id": "apology", "expected_outcome": "Says sorry"}]}'
    )
    (tmp_path / "cases.jsonl").write_text(case + "\n")
    text = "human:\n  rubric:\n    labels: [labels.csv]\n"
    path = tmp_path / "cases.yaml"
    path.write_text(text)
    folder = Folder(Workspace(tmp_path), tmp_path)
    around = HoverContext(path, folder, lambda *_: RenderedPrompt("", ()), is_file=True)
    found = hover_at(parse_sidecar(text), text.index("rubric"), DocumentResults(), NOW, around)
    assert found is not None
    assert "| met or not | 1.00 nominal | 1.00 | 100% |" in found.markdown
