"""Cases are of the sources that a suite declares, and their restricted texts are known."""

from __future__ import annotations

from pathlib import Path

from suitecase.evidence.sources import cases_of_source, restricted_texts, sources_of_cases
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.parsed import ParsedSuite, parse_dataset, parse_suite

SOURCES = """\
governance:
  sources:
    thesaurus: {slice: words, license: MIT, restricted: [input, expected_output, rubrics]}
    letters: {license: MIT, restricted: [metadata]}
    forums: {slice: language=de, license: MIT}
    all-languages: {slice: language, license: MIT}
    nowhere: {slice: missing, license: MIT}
slices:
  words: {tags: word}
  language: {by: metadata.language, tags: word}
evalcases:
  - id: word
    tags: [word]
    metadata: {language: de}
    input:
      - role: system
        content: Name the topic of the message.
      - role: user
        content:
          - {type: file, value: letter.txt}
          - {type: text, value: "What is this about, please?"}
    expected_outcome: Names the topic
    expected_output: {topic: exchange of shoes, count: 3, more: [a swap]}
    rubrics:
      - Names one topic only
      - id: tone
        expected_outcome: Is polite
        score_ranges: {0: Is rude to the customer, 5: Is warm}
  - id: letter
    tags: [word]
    metadata: {source: letters, page: "12", author: A. Customer}
    input: Hello
    expected_outcome: Says hello
  - id: both
    metadata: {source: [letters, forums]}
    input: Hello
    expected_outcome: Says hello
  - id: own
    input: Hello
    expected_outcome: Says hello
"""


def _folder(tmp_path: Path) -> Folder:
    (tmp_path / "letter.txt").write_text("My shoes are too small.\n", "utf-8")
    return Folder(Workspace(tmp_path), tmp_path)


def _ids(suite: ParsedSuite, name: str) -> list[str]:
    return [suite.case_ids[it] for it in cases_of_source(suite, name)]


def test_the_cases_of_a_source_are_those_of_its_slice_or_those_that_name_it() -> None:
    suite = parse_suite(SOURCES)

    assert _ids(suite, "thesaurus") == ["word", "letter"]
    assert _ids(suite, "letters") == ["letter", "both"]
    assert _ids(suite, "forums") == ["word"]
    assert _ids(suite, "all-languages") == ["word", "letter"]
    assert _ids(suite, "nowhere") == _ids(suite, "undeclared") == []
    assert sources_of_cases(suite) == {
        0: ("thesaurus", "forums", "all-languages"),
        1: ("thesaurus", "letters", "all-languages"),
        2: ("letters",),
    }


def test_restricted_texts_are_those_of_the_named_parts_with_the_files_that_they_send(
    tmp_path: Path,
) -> None:
    suite = parse_suite(SOURCES)

    found = restricted_texts(suite, _folder(tmp_path))

    of_word = [(it.key, it.text) for it in found if it.case == 0]
    assert of_word == [
        ("input", "Name the topic of the message."),
        ("input", "letter.txt"),
        ("input", "My shoes are too small.\n"),
        ("input", "What is this about, please?"),
        ("expected_output", "exchange of shoes"),
        ("expected_output", "a swap"),
        ("rubrics", "Names one topic only"),
        ("rubrics", "Is polite"),
        ("rubrics", "Is rude to the customer"),
        ("rubrics", "Is warm"),
    ]
    of_letters = [(it.case, it.text) for it in found if it.source == "letters"]
    assert of_letters == [(1, "12"), (1, "A. Customer")]
    word = suite.cases[0]
    places = {it.text: word.source[it.span.start : it.span.end] for it in found if it.case == 0}
    assert places["exchange of shoes"] == "exchange of shoes"
    assert places["My shoes are too small.\n"] == "letter.txt"


def test_a_data_set_takes_the_sources_of_its_sidecar(tmp_path: Path) -> None:
    cases = (
        '{"id": "a", "input": "Hello", "expected_outcome": "Greets", "metadata": {"source": "s"}}'
    )
    sidecar = "governance: {sources: {s: {license: MIT, restricted: [input]}}}"
    suite = parse_dataset(cases, sidecar)

    assert [it.text for it in restricted_texts(suite, _folder(tmp_path))] == ["Hello"]


def test_other_errors_in_the_head_do_not_lift_restrictions(tmp_path: Path) -> None:
    suite = parse_suite(SOURCES.replace("governance:", "execution: 3\ngovernance:", 1))

    assert suite.head.model is None
    assert len(restricted_texts(suite, _folder(tmp_path))) == 13
