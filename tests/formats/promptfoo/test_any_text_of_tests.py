"""No text of a file of tests, and no configuration, makes reading or checking them raise."""

from __future__ import annotations

from pathlib import Path
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from suitecase.checking.check import check
from suitecase.format.dialect import DialectFile
from suitecase.format.reading import parse_document
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.promptfoo.suite.effective.rows import expand
from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration
from suitecase.formats.promptfoo.suite.test_cases.csv_assertions import meant_assertion
from suitecase.formats.promptfoo.suite.test_cases.csv_tests import read_table
from support.suites.random_edits import edited

CONFIGURATION = """\
prompts: ["Say {{a}} and {{b}}", file://p.txt]
providers: [openai:gpt-4.1, {id: echo, label: e, prompts: [x]}]
defaultTest: {vars: {c: [x, y]}, assert: [{type: contains, value: file://v.txt}]}
tests:
  - vars: {a: [1, 2], b: file://*.txt}
    assert: [{type: python, value: "file://c.py:f"}]
  - t.csv
  - file://l.jsonl
  - {path: t.csv}
  - vars: v.yaml
"""
FILES = {
    "t.csv": 'a,__expected,b\n"x, y",contains: 1,2\n3,4\n\n"open',
    "l.jsonl": '{"vars": {"a": 1}}\n{"vars": "v.yaml"}\n[1]\n',
    "v.yaml": "a: 1\n",
    "c.py": "def g(): ...\n",
}


@given(st.text(alphabet='ab,"\n\r;\t _:xcontains', max_size=60))
def test_any_text_is_a_table(text: str) -> None:
    table = read_table(text)
    for row in table.rows:
        assert 0 <= row.span.start <= row.span.end <= len(text)
        table.values(row)
    meant_assertion(text)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(("promptfooconfig.yaml", *FILES)))
def test_edits_never_break_the_check(seed: int, name: str) -> None:
    texts = {"promptfooconfig.yaml": CONFIGURATION, **FILES}
    random = Random(seed)
    for _ in range(3):
        texts[name] = edited(random, texts[name])
    root = Path("/nowhere")
    workspace = Workspace(root, {root / file: text for file, text in texts.items()})
    path, text = root / "promptfooconfig.yaml", texts["promptfooconfig.yaml"]
    folder = Folder(workspace, root, text)
    file = parse_document(path, text, workspace)
    assert check(file, folder, path).failures == []
    if isinstance(file, DialectFile):
        linked = file.linked(folder)
        if isinstance(linked, LinkedConfiguration):
            expand(linked, path)
