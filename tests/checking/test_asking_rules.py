"""Rules are asked only where they may find something: what that leaves out finds nothing.

Held against every example of every rule, and against suites that people wrote where they are here.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from suitecase.checking.rules import all_rules
from suitecase.checking.rules.dispatch import rules_about, rules_for
from suitecase.format.dialect import DialectFile
from suitecase.format.other_file import OtherFile
from suitecase.format.reading import parse_document
from suitecase.format.rule import LISTED, Finding, Rule
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.text.node import Mapping
from suitecase.text.tree_changes import without

TESTS = Path(__file__).parents[1]
MARK = re.compile(r"[ \t]*# <- finding(?:@\d+)?")
CORPUS = TESTS.parents[1] / "shared" / "corpus"
EXAMPLES = TESTS.parent / "examples"


Subject = tuple[Any, Folder]


@pytest.fixture(scope="module")
def subjects(tmp_path_factory: pytest.TempPathFactory) -> list[Subject]:
    """Every document, part and element, each with the folder its rules look in."""
    found: list[Subject] = []
    folder = written = tmp_path_factory.mktemp("rules")
    for rule in all_rules():
        for number, example in enumerate(rule.examples):
            if example.file is None:
                folder = written / f"{rule.name}-{number}"
            suite = "suite.json" if example.text.startswith("{") else "suite.yaml"
            path = folder / (example.file or suite)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(MARK.sub("", example.text), "utf-8")
    # Of the suites that people wrote a third, unless `make sweep` wants all: those of one folder are much alike.
    of_people = 1 if os.environ.get("SUITECASE_EVERY_OFFSET") else 3
    for folder, step in ((written, 1), (EXAMPLES, 1), (CORPUS, of_people)):
        for path in sorted((*folder.rglob("*.yaml"), *folder.rglob("suite.json")))[::step]:
            found += _subjects(path)
    return found


def _subjects(path: Path) -> Iterator[Subject]:
    workspace = Workspace(path.parent)
    read = parse_document(path, path.read_text("utf-8"), workspace)
    yield read.document, Folder(workspace, path.parent)
    if isinstance(read, OtherFile):
        yield read, Folder(workspace, path.parent)
        return
    parts: list[Any] = [read]
    if isinstance(read, ParsedSuite):
        yield read, Folder(workspace, path.parent)
        parts = [read.head, *read.cases]
    elif isinstance(read, DialectFile):
        linked = read.linked(Folder(workspace, path.parent))
        if linked is not None:
            yield linked, Folder(workspace, path.parent)
        parts = [read.head, *read.case_index.values(lambda it: it)]
    for part in parts:
        folder = Folder(workspace, path.parent, part.source)
        if not part.content.broken:
            for it in (part, *part.elements()):
                yield it, folder


def _about(subject: Any) -> tuple[Rule, ...]:
    kind: type = type(subject)
    return rules_about(kind)


def _found(rule: Rule, subject: Any, folder: Folder) -> list[Finding]:
    return list(rule.check(subject, folder) if rule.reads_files else rule.check(subject))


def _changed(subject: Any, **changes: Any) -> Any:
    """Return a subject with changes, and with nothing remembered of what it was."""
    forgotten = {it.name: None for it in fields(subject) if it.name.startswith("_")}
    if any(it.name == "content" for it in fields(subject)):
        forgotten["content"] = replace(subject.content, derived={})
    return replace(subject, **{**forgotten, **changes})


def test_a_rule_that_is_not_asked_would_find_nothing(subjects: list[Subject]) -> None:
    left_out = 0
    for subject, folder in subjects:
        asked = {it.code for rules in rules_for(subject) for it in rules}
        for rule in _about(subject):
            if rule.code not in asked:
                left_out += 1
                assert _found(rule, subject, folder) == [], (rule.name, subject)
    assert left_out > 10_000


NARROW = [it for it in all_rules() if it.keys or it.only_of]


@pytest.mark.parametrize("rule", NARROW, ids=lambda it: it.name)
def test_a_rule_finds_nothing_without_what_it_says_it_is_about(
    rule: Rule, subjects: list[Subject]
) -> None:
    tried = 0
    for subject, folder in subjects:
        if rule not in _about(subject) or not _found(rule, subject, folder):
            continue
        tried += 1
        if rule.only_of and hasattr(subject, rule.only_of):
            lacking = _changed(subject, **{rule.only_of: ()})
            assert _found(rule, lacking, folder) == [], subject
        # What is no mapping has no keys: there a rule is always asked.
        if rule.keys and isinstance(subject.node, Mapping):
            names = [it.removesuffix(LISTED) for it in rule.keys]
            lacking = _changed(subject, node=without(subject.node, *names))
            assert _found(rule, lacking, folder) == [], subject
    assert tried, "no example of the rule is found by it"
