"""The quick fix that silences a finding, held against a third of the examples of rules, another one each time; `make sweep` tries all."""

from __future__ import annotations

from pathlib import Path

import pytest

from suitecase.checking.analysis import Analysis
from suitecase.checking.check import check
from suitecase.checking.rules import all_rules
from suitecase.checking.suppression_edits import suppress_edit
from suitecase.format.rule import MARK, Fix
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.parsed import ParsedSuite, parse_dataset, parse_suite
from support.samples import sample

BAD = [
    (rule.name, example.text.replace(f"  {MARK}", "").replace(MARK, ""))
    for rule in all_rules()
    for example in rule.examples
    if example.kind == "bad" and not example.file
    if not rule.name.endswith("suppression") and not example.text.startswith("{")
]


def analyzed(text: str, folder: Path) -> tuple[ParsedSuite, Analysis]:
    suite = parse_suite(text)
    return suite, check(suite, Folder(Workspace(folder), folder))


#: Where a comment goes depends on the text, not on the rule: each fourth one has line breaks of Windows, too.
WRITTEN = sample([*BAD, *((f"{name}-CRLF", text.replace("\n", "\r\n")) for name, text in BAD[::4])])


@pytest.mark.parametrize(("name", "text"), WRITTEN, ids=[name for name, _ in WRITTEN])
def test_each_finding_can_be_silenced_but_errors_that_cannot_be_graded(
    name: str, text: str, tmp_path: Path
) -> None:
    suite, before = analyzed(text, tmp_path)
    for finding in before.findings:
        if finding.rule.cannot_be_silenced:
            assert suppress_edit(suite.document, finding) is None
            continue
        edit = suppress_edit(suite.document, finding)
        assert edit, finding
        silenced = Fix("", (edit,)).apply(text)
        assert silenced.count("\r") == silenced.count("\n") * ("\r" in text)
        _, after = analyzed(silenced, tmp_path)
        left = [(it.code, it.message) for it in after.findings]
        codes = {it.code for it in before.findings} | {"SC711"}
        assert left.count((finding.code, finding.message)) < [
            (it.code, it.message) for it in before.findings
        ].count((finding.code, finding.message)), silenced
        assert {code for code, _ in left} <= codes - {"SC711"}, silenced


def test_a_second_finding_of_a_line_is_added_to_its_comment(tmp_path: Path) -> None:
    text = (
        "evalcases:\n  - {id: a, input: Hi, outcome: x, rubrics: []}  # both\n"
        "execution: {target: mock}\n"
    )
    for _ in range(2):
        suite, analysis = analyzed(text, tmp_path)
        edit = suppress_edit(suite.document, analysis.findings[0])
        assert edit
        text = Fix("", (edit,)).apply(text)
    assert text.splitlines()[1].endswith("}  # both  # suitecase: ignore[SC602, SC217]")
    assert analyzed(text, tmp_path)[1].findings == []


def test_a_finding_in_a_data_set_is_silenced_by_a_key_of_its_case(tmp_path: Path) -> None:
    text = (
        '{"id": "a", "input": "Hi", "outcome": "x"}\n'
        '{"id": "b", "input": "Hi", "outcome": "x", "rubrics": []}\n'
        '{"id": "c", "input": "Hi",}\n'
    )

    def found(text: str) -> tuple[ParsedSuite, Analysis]:
        suite = parse_dataset(text, "execution: {target: mock}\n")
        return suite, check(suite, Folder(Workspace(tmp_path), tmp_path))

    for _ in range(3):
        suite, analysis = found(text)
        edit = suppress_edit(suite.document, analysis.findings[0])
        assert edit
        text = Fix("", (edit,)).apply(text)
    assert text.splitlines() == [
        '{"id": "a", "input": "Hi", "outcome": "x", "x-suitecase": "ignore[SC602]"}',
        (
            '{"id": "b", "input": "Hi", "outcome": "x", "rubrics": [], '
            '"x-suitecase": "ignore[SC602, SC217]"}'
        ),
        '{"id": "c", "input": "Hi",}',
    ]
    suite, analysis = found(text)
    assert [it.rule.name for it in analysis.findings] == ["json-syntax"]
    assert suppress_edit(suite.document, analysis.findings[0]) is None
