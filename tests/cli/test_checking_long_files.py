"""Long suites and data sets are checked case by case: with the same findings, each case parsed once, in little memory."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
import yaml

from suitecase.checking import passing
from suitecase.checking.check import check
from suitecase.checking.passing import read_for_check
from suitecase.checking.rules import all_rules
from suitecase.format.case_list_keys import CASE_LIST_KEYS
from suitecase.format.reading import parse_document
from suitecase.format.rule import MARK, Finding
from suitecase.format.workspace import Folder, Unreadable, Workspace, read_dataset
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.text import jsonl
from suitecase.text.passing import PassingContents
from suitecase.text.segment import split
from support.samples import sample

#: A sixth of them, another one each time; `make sweep` has all.
EXAMPLES = sample(
    (
        (rule.name, example.text.replace(f"  {MARK}", "").replace(MARK, ""))
        for rule in all_rules()
        for example in rule.examples
        if not example.file and "evalcases:\n" in example.text
    ),
    6,
)


def found(path: Path, text: str, *, at_once: bool) -> list[Finding]:
    """Return what is found in a text, with its fixes."""
    workspace = Workspace(path.parent)
    read = parse_document if at_once else read_for_check
    parsed = read(path, text, workspace)
    assert isinstance(parsed, ParsedSuite)
    if not at_once and parsed.document.segmented:
        assert isinstance(parsed.document.cases.contents, PassingContents)
    analysis = check(parsed, Folder(workspace, path.parent), path)
    return [*analysis.findings, *analysis.silenced]


@pytest.mark.parametrize(("name", "text"), EXAMPLES, ids=[name for name, _ in EXAMPLES])
def test_examples_of_rules(
    name: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passing, "_FIRST", 1)
    monkeypatch.setattr(passing, "_LONG", 1)
    parts = split(text, CASE_LIST_KEYS)
    if parts is None or not parts.proven:
        pytest.skip("its cases are not parsed one by one")
    cases = text[parts.items[0] : parts.end]
    text = text[: parts.items[0]] + cases.rstrip("\n") + "\n" + cases + text[parts.end :]
    suite = tmp_path / "suite.eval.yaml"
    assert found(suite, text, at_once=False) == found(suite, text, at_once=True)
    try:
        head = yaml.safe_load(text)
        lines = [json.dumps(it) for it in head.pop("evalcases")]
    except (yaml.YAMLError, TypeError, ValueError):
        return  # not everything in YAML can be JSON
    (tmp_path / "set.yaml").write_text(json.dumps(head, default=str))
    dataset, text = tmp_path / "set.jsonl", "\n".join([*lines, "", *lines])
    if len(lines) < 2:
        text += f"\n{text}"
    assert found(dataset, text, at_once=False) == found(dataset, text, at_once=True)


def write_dataset(path: Path, cases: int, more: str = "") -> None:
    """Write a data set in which each hundredth case has a finding."""
    with path.open("w", encoding="utf-8") as file:
        for number in range(cases):
            case: dict[str, Any] = {
                "id": f"case-{number}",
                "input": f"When does parcel {number} arrive?{more}",
                "expected_outcome": "Within three working days",
                "evaluators": [{"name": "days", "type": "contains", "value": f"{number}"}],
            }
            if number % 100 == 0:
                case["metadta"] = {}
            file.write(json.dumps(case) + "\n")


def checked(path: Path) -> list[Finding]:
    """Return what is found in a file, read as the command line does."""
    workspace = Workspace(path.parent)
    text = read_dataset(path)
    assert not isinstance(text, Unreadable)
    parsed = read_for_check(path, text, workspace)
    return list(check(parsed, Folder(workspace, path.parent), path).findings)


def test_each_case_is_parsed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []
    parse = jsonl.json_content

    def counted(line: str, *options: Any) -> Any:
        parsed.append(line)
        return parse(line, *options)

    monkeypatch.setattr(jsonl, "json_content", counted)
    write_dataset(tmp_path / "set.jsonl", 1000)
    assert len(checked(tmp_path / "set.jsonl")) == 11
    assert len(parsed) <= 1000


def test_memory_does_not_grow_with_cases(tmp_path: Path) -> None:
    def peak(cases: int) -> int:
        path = tmp_path / f"set-{cases}.jsonl"
        write_dataset(path, cases)
        tracemalloc.start()
        try:
            checked(path)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(200)  # what is imported stays
    small, large = peak(300), peak(700)
    # All trees and models of a case take some 10 KB.
    assert large - small < 400 * 1500


def test_data_sets_may_be_longer_than_other_files(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    write_dataset(path, 135, more=" " * 500_000)
    assert path.stat().st_size > 64 * 1024 * 1024
    assert [it.code for it in checked(path)] == ["SC510", "SC101", "SC101"]


def test_bytes_that_are_not_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    path.write_bytes(b'{"id": "a"}\n' * 100_000 + "é".encode()[:1] + b"\n")
    assert read_dataset(path) == Unreadable(
        "it is not text in UTF-8 (byte 1,200,001 cannot be read)"
    )
