"""What is known of a test of promptfoo from its text: the files it names and the rows it makes."""

from __future__ import annotations

from suitecase.formats.promptfoo.suite.test_cases.facts import TestFacts as Facts
from suitecase.text.compose import compose
from suitecase.text.node import Mapping


def _facts(text: str) -> Facts:
    node = compose(text).root
    assert isinstance(node, Mapping)
    return Facts(node)


def test_files_are_found_in_every_place() -> None:
    facts = _facts("""\
vars:
  doc: file://doc.txt
  docs: [file://a.txt, file://b.txt]
  note: see file://nowhere
assert:
  - {type: javascript, value: file://check.js:one}
  - type: assert-set
    assert:
      - {type: is-json, value: file://schema.json}
  - {type: contains-any, value: [file://words.txt, plain]}
  - {type: llm-rubric, value: Polite, rubricPrompt: file://rubric.txt}
  - {type: equals, value: x, transform: file://t.js}
options: {transform: file://all.js, rubricPrompt: file://judge.txt}
assertScoringFunction: file://score.py:score
""")
    assert [(it.place.value, it.about, it.reference.path) for it in facts.files] == [
        ("variable", "doc", "doc.txt"),
        ("listed", "docs", "a.txt"),
        ("listed", "docs", "b.txt"),
        ("assertion", "value", "check.js"),
        ("assertion", "value", "schema.json"),
        ("assertion", "value", "words.txt"),
        ("rubric", "rubricPrompt", "rubric.txt"),
        ("transform", "transform", "t.js"),
        ("transform", "transform", "all.js"),
        ("rubric", "rubricPrompt", "judge.txt"),
        ("scoring", "assertScoringFunction", "score.py"),
    ]


def test_variables_in_a_file_are_a_path_as_it_is() -> None:
    (named,) = _facts("vars: file://all.yaml\n").files
    assert (named.place.value, named.reference.path) == ("variables", "file://all.yaml")


def test_only_lists_of_texts_make_rows() -> None:
    text = "vars:\n  a: [x, y]\n  b: [1, 2]\n  c: [{d: 1}]\n  e: []\n  f: ['1', 2, 3]\n"
    assert [(it.key.text, it.items) for it in _facts(text).lists] == [("a", 2), ("f", 3)]
    assert _facts(text + "options: {disableVarExpansion: true}\n").lists == ()


def test_tests_are_alike_whatever_they_are_called() -> None:
    one = _facts("description: one\nvars: {a: 1, b: 2}\n")
    assert one.content == _facts("vars: {b: 2, a: 1}\nmetadata: {x: 1}\n").content
    assert one.content != _facts("vars: {b: 2, a: 3}\n").content
    assert one.description is not None
