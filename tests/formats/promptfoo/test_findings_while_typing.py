"""Findings that are kept from one keystroke to the next are those of a check from nothing.

One of six series of keystrokes is typed, another one each time; by `make sweep`, all of them.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from suitecase.checking.check import check, check_text
from suitecase.format.dialect import DialectFile
from suitecase.format.reading import parse_document
from suitecase.format.rule import Finding
from suitecase.format.workspace import Folder, Workspace
from suitecase.text.lines import Lines, cut
from support.samples import sample

TEXT = """\
description: Answers
prompts:
  - file://prompt.txt
  - "In short: {{question}} ({tone}, {{nothing}})"
providers: [openai:gpt-4.1-mini, echo]
defaultTest:
  vars: {tone: friendly}
tests:
  - description: One
    vars: {question: Why is the sky blue?, tone: short}
    assert:
      - {type: contains, value: "{{question}} and {{absent}}"}
      - {type: javascript, value: output.includes(context.vars.tone)}
  - description: Two
    vars:
      question: Who wrote it?
      unused: nobody
      audience: [young, old]
    assert:
      - type: llm-rubric
        value: Names the author
      - {type: equals, value: file://missing.txt}
  - description: One
    vars: {question: file://gone.txt}
    assert: [{type: contains, value: x, weight: 0}]
  - vars: {question: Why is the sky blue?, tone: short}
    assert:
      - {type: contains, value: "{{question}} and {{absent}}"}
      - {type: javascript, value: output.includes(context.vars.tone)}
env: {}
"""
#: The same tool's family, whose tests name others and have texts as rubrics.
AGENTV = """\
name: answers
prompts:
  - file://prompt.txt
  - "In short: {{question}} ({{nothing}})"
providers: [small]
default_test:
  vars: {tone: friendly, audience: all}
tests:
  - id: one
    vars: {question: Why is the sky blue?}
    depends_on: [two, none]
    assert:
      - Names {{absent}}
      - {type: contains, value: blue}
  - id: two
    vars: {question: Who wrote it?, tone: short}
    assert:
      - {type: script, value: "print('x')", command: [python, missing.py]}
  - id: two
    vars: {question: Why is the sky blue?}
    assert: [Says why, {type: equals, value: file://missing.txt}]
tags: [a]
"""
SUITES = {"promptfooconfig.yaml": TEXT, "answers.eval.yaml": AGENTV}
PROMPT = "Answer {{question}} in a {{tone}} tone, for {{audience}}.\n"
TYPED = [*"abcé{}:-[]\"' #\n", "{{question}}", "{{x}}", "file://", "tone", "  ", "value: ", "- "]


@pytest.mark.parametrize("seed", sample(range(6), 6))
@pytest.mark.parametrize("name", SUITES)
def test_findings_while_typing_are_those_of_a_new_check(
    tmp_path: Path, name: str, seed: int
) -> None:
    whole = SUITES[name]
    (tmp_path / "prompt.txt").write_text(PROMPT, "utf-8")
    path, choice = tmp_path / name, random.Random(seed)
    workspace = Workspace(tmp_path)
    folder = Folder(workspace, tmp_path)
    read = parse_document(path, whole, workspace)
    assert isinstance(read, DialectFile)
    file = read.dialect.parse(path, read.dialect.document(Lines(whole, cut(whole))))
    for _ in range(60):
        text = str(file.document.lines)
        start = choice.randrange(len(text))
        end = start + choice.choice([0, 0, 0, 1, 1, 4])
        lines = file.document.lines.replaced(start, end, choice.choice(TYPED))
        if choice.random() < 0.4 or lines.size > 2 * len(whole):
            lines = Lines(whole, cut(whole))  # and on from the start, where more can be broken
        file = file.dialect.read(path, file.dialect.document(lines, reuse=file))
        kept = check(file, folder, path)
        again = check_text(path, str(lines), Workspace(tmp_path))
        assert [_said(it) for it in kept.everything] == [_said(it) for it in again.everything]


def _said(finding: Finding) -> tuple[object, ...]:
    related = [(it.message, it.span, it.path) for it in finding.related]
    return finding.code, finding.span, finding.message, finding.fix, related, finding.external
