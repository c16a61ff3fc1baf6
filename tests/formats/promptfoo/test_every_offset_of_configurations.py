"""Whatever the text and the cursor, an editor gets a valid response in suites of the promptfoo family.

At some offsets, other ones each time; `SUITECASE_EVERY_OFFSET` asks at every one: `make sweep`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from suitecase.derived import ROOT
from suitecase.editor.completion import CompletionContext, rendered
from suitecase.editor.dialect_features import features_of
from suitecase.editor.inlay_hints import HintKinds
from suitecase.format.dialect import DialectFile
from suitecase.format.reading import parse_document
from suitecase.format.workspace import Folder, Workspace
from suitecase.text.compose import compose
from suitecase.text.node import Span
from support.samples import EVERY, dice

STEP = 1 if EVERY else 17
STEP_OF_PEOPLE = 7 if EVERY else 1_997
CORPUS = ROOT.parent / "shared" / "corpus"

CONFIGURATION = """\
# yaml-language-server: $schema=https://promptfoo.dev/config-schema.json
description: "Capitals # of {{env.PLACE}}"
env: {PLACE: here}
prompts:
  - "What is the capital of {{ country | trim }}? {% if tone %}Be {{tone}}.{% endif %}"
  - {label: short, raw: '{{country}}?'}
  - file://prompts/*.txt
  - |
    [{"role": "user", "content": "{{ a.b }}"}]
providers:
  - openai:chat:gpt-4.1
  - openai:gpt-4.1: {config: {temperature: 0}}
  - id: file://ask.py:ask
    label: ours
    prompts: [short]
defaultTest:
  vars: &common
    tone: polite
  options: {provider: openai:gpt-4.1, rubricPrompt: "Grade {{output}} by {{ rubric }}"}
  assert:
    - type: assert-set
      threshold: 0.5
      assert:
        - {type: not-contains, value: sorry, weight: 2}
        - type: similar
          value: >-
            The capital of
            {{country}}
tests:
  - description: France  # suitecase: ignore[PF401]
    vars:
      <<: *common
      country: [France, "Fran\\u0063e"]
      doc: file://docs/a.md
    assert:
      - type: javascript
        value: |
          output.length < 10 &&
            context.vars.country
      - {type: latency, threshold: 100}
    providers: [ours]
  - file://more.csv
  - vars: *common
"""
BROKEN = """\
prompts: [
  - {{country
tests:
  - vars: {country: {{x}}
    assert:
      - type contains
        value: "
  -
"""
LIST = "- vars: {a: 1}\n  assert:\n    - {type: equals, value: '{{a}}'}\n- vars:\n"
AGENTV = """\
name: a
prompts: ["{{ question }}"]
providers: [openai:gpt-4.1]
default_test:
  assert:
    - Answers politely
tests:
  - vars: {question: x}
    assert:
      - {type: llm-rubric, value: [a, b]}
"""
JSON = '{"prompts": ["{{a}}"], "providers": ["echo"], "tests": [{"vars": {"a": ["x", "y"]}}]}'
OWN = {
    "example/promptfooconfig.yaml": (ROOT / "examples/promptfoo/promptfooconfig.yaml").read_text(),
    "promptfooconfig.yaml": CONFIGURATION,
    "broken/promptfooconfig.yaml": BROKEN,
    "crlf/promptfooconfig.yaml": CONFIGURATION.replace("\n", "\r\n"),
    "empty/promptfooconfig.yaml": "",
    "cases.yaml": LIST,
    "a.eval.yaml": AGENTV,
    "json/promptfooconfig.json": JSON,
}


class Asked:
    """A text as it stands in an editor, and everything an editor asks in it."""

    def __init__(self, path: Path, text: str) -> None:
        self.text = text
        workspace = Workspace(path.parent, {path: text})
        file = parse_document(path, text, workspace)
        self.file = file if isinstance(file, DialectFile) else None
        self._folder = Folder(workspace, path.parent, text)
        self._around = CompletionContext(self._folder, path=path)

    def hover(self, offset: int) -> bool:
        assert self.file is not None
        found = features_of(self.file.dialect).hover(self.file, offset, self._folder, {})
        if found is not None:
            assert found.span.start <= offset <= found.span.end <= len(self.text)
            assert found.markdown.strip()
            assert found.markdown.count("```") % 2 == 0
        return found is not None

    def complete(self, offset: int, *, accept: bool = False) -> int:
        """Ask what may be written; text that can be read can be read with any of it."""
        assert self.file is not None
        found = features_of(self.file.dialect).complete(self.file, offset, self._around)
        for number, it in enumerate(found.items):
            start, end = it.span or found.span
            assert start <= offset <= end <= len(self.text), it
            assert not {"\n", "\r"} & set(self.text[start:end]), it
            if accept and number % 40 == offset % 40:
                new = rendered(it.template, newline="\n")
                text = self.text[:start] + new + self.text[end:]
                assert not compose(text).broken, (it.label, self.text[offset - 30 : offset], new)
        return len(found.items)

    def hints(self) -> int:
        assert self.file is not None
        whole = Span(0, len(self.text))
        found = features_of(self.file.dialect).hints(self.file, whole, self._folder, HintKinds())
        assert all(0 <= it.offset <= len(self.text) and it.label.strip() for it in found)
        assert [it.offset for it in found] == sorted(it.offset for it in found)
        return len(found)


@pytest.mark.parametrize("name", OWN)
def test_every_offset_of_our_texts(tmp_path: Path, name: str) -> None:
    asked = Asked(tmp_path / name, OWN[name])
    assert asked.file is not None
    is_sound = "broken" not in name
    said = offered = 0
    step = min(STEP, 1 + len(asked.text) // 20)
    for offset in range(dice().randrange(step), len(asked.text) + 1, step):
        said += asked.hover(offset)
        offered += asked.complete(offset, accept=is_sound)
    assert offered
    if is_sound and asked.text:
        assert said
        assert asked.hints() or name.startswith("cases")


@pytest.mark.parametrize("name", OWN)
def test_all_that_is_asked_while_a_text_is_typed(tmp_path: Path, name: str) -> None:
    for end in range(dice().randrange(STEP), len(OWN[name]) + 1, STEP * 2):
        asked = Asked(tmp_path / name, OWN[name][:end])
        if asked.file is not None:
            asked.hover(end)
            asked.complete(end)
            asked.hints()


def people_wrote() -> Sequence[Path]:
    folders = (CORPUS / "promptfoo", CORPUS / "agentv-v5")
    return sorted(it for folder in folders for it in folder.rglob("*.y*ml") if it.is_file())


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the collection of suites is not here")
@pytest.mark.parametrize("part", range(4))
def test_all_that_is_asked_in_suites_that_people_wrote(part: int) -> None:
    said = offered = 0
    for number, path in enumerate(people_wrote()[part::4]):
        asked = Asked(path, path.read_text("utf-8"))
        if asked.file is None:
            continue
        for offset in range(number * 7 % STEP_OF_PEOPLE, len(asked.text) + 1, STEP_OF_PEOPLE):
            said += asked.hover(offset)
            offered += asked.complete(offset)
        asked.hints()
    assert said > 5
    assert offered > 100
