"""A long suite that is open has packed trees, and is checked and edited as a short one is."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from suitecase.checking.check import check
from suitecase.checking.options import CheckOptions
from suitecase.format.rule import Finding
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.parsed import ParsedSuite, parse_suite
from suitecase.lsp.documents import OpenDocument
from suitecase.text import case_index
from suitecase.text.case_index import known_of
from suitecase.text.node import Mapping

OPTIONS = CheckOptions(places_later=True)
CASES = 150
HEAD = "execution: {target: mock}\nevaluators:\n  - {type: contains, value: hello}\nevalcases:\n"
CASE = """\
  - id: case-{n}
    input: {filling}
    {outcome}: Says hello
    rubrics: [Names it, {{id: second, expected_outcome: "Is kind"}}]
    evaluators:
      - {{type: llm_judge, name: tone, prompt: missing-{n}.md}}
      - {{type: json_schema, schema: {{type: object, required: [a], properties: {{b: {{type: nothing}}}}}}}}
"""


def suite(ids: int = CASES - 1) -> str:
    return HEAD + "".join(
        CASE.format(
            # Two of three cases have an unknown key, and the last one has the id of the first.
            n=n % ids,
            filling="Hi " * 1500,
            outcome="expected_outcomes" if n % 3 else "expected_outcome",
        )
        for n in range(CASES)
    )


def opened(folder: Path, text: str) -> OpenDocument:
    """Return a document whose beginning has been checked, as when an editor opens it."""
    uri = (folder / "long.eval.yaml").as_uri()
    document = OpenDocument(types.TextDocumentItem(uri, "yaml", 1, text), "utf-16")
    beginning = document.beginning()
    assert beginning is not None
    found(beginning.parsed_alone, folder)
    return document


def found(parsed: ParsedSuite, folder: Path) -> list[Finding]:
    analysis = check(
        parsed, Folder(Workspace(folder), folder), folder / "long.eval.yaml", options=OPTIONS
    )
    assert not analysis.failures
    return list(analysis.findings)


def packed(parsed: ParsedSuite) -> int:
    contents = parsed.document.cases.contents
    return sum(isinstance(it.node, Mapping) and hasattr(it.node, "packed") for it in contents)


def test_the_findings_are_those_of_trees_that_are_not_packed(tmp_path: Path) -> None:
    text = suite()
    document = opened(tmp_path, text)

    parsed = document.parsed_alone

    assert packed(parsed) == CASES
    findings = found(parsed, tmp_path)
    assert findings == found(parse_suite(text), tmp_path)
    assert {it.code for it in findings} >= {"SC101", "SC111"}


def test_edited_cases_are_read_among_packed_ones(tmp_path: Path) -> None:
    document = opened(tmp_path, suite())
    found(document.parsed_alone, tmp_path)
    line = document.text.split("\n").index("  - id: case-70")

    for number, new in enumerate(("x", "", CASE.format(n=9000, filling="Hi", outcome="no"))):
        place = types.Position(line, 0 if new.startswith(" ") else 14)
        end = types.Position(line, place.character + (number == 1))
        document.change(types.TextDocumentContentChangePartial(types.Range(place, end), new))
        parsed = document.parsed_alone

        assert packed(parsed) >= CASES - 2
        assert found(parsed, tmp_path) == found(parse_suite(document.text), tmp_path)


def test_the_check_asks_nothing_of_all_cases_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = opened(tmp_path, suite(CASES))
    parsed = document.parsed_alone
    looked: list[int] = []
    look = case_index.CaseIndex._look

    def counted(index: case_index.CaseIndex[object], *arguments: object) -> case_index.Known:
        looked.append(len(index._parts))
        return look(index, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(case_index.CaseIndex, "_look", counted)
    found(parsed, tmp_path)

    assert looked == []


def test_a_look_that_fails_is_left_to_whoever_asks() -> None:
    def fails(part: int) -> bool:
        raise ValueError(part)

    known = known_of([[1, 2], [3]], {(None, fails): True, (None, bool): True})

    assert list(known) == [(None, bool)]
    assert known[None, bool].numbers == [0, 1, 2]


def test_what_looks_at_more_than_cases_is_not_asked_beforehand(tmp_path: Path) -> None:
    parsed = parse_suite(suite())
    found(parsed, tmp_path)

    lasting = parsed.case_index.lasting

    assert lasting
    assert lasting.keys() < parsed.case_index.asked.keys()
