"""Editors, checks, tables, runs and conversions all use the description of an assertion type in its one file."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from suitecase.derived import ROOT
from suitecase.format.rule import Severity
from suitecase_evaluators.promptfoo import graders
from suitecase_evaluators.promptfoo.assertion_type import NEGATION, AssertionType
from suitecase_evaluators.promptfoo.assertion_types import ASSERTION_TYPES
from suitecase_evaluators.promptfoo.column import assertion_of_text
from suitecase_evaluators.promptfoo.known_graders import described_types, grader_of
from support.checked_suite import analyzed
from support.ide.marked_dialect import MarkedFile
from support.running.processes import suitecase
from support.running.site import Site

HEAD = 'prompts: ["Say {{q}}"]\nproviders: [echo]\ntests:\n'
#: A value of each kind; none is the name of a file or a template.
VALUES = {
    "text": "'some text'",
    "number": "3",
    "switch": "true",
    "list": "[a]",
    "mapping": "{a: b}",
}
TYPES = pytest.mark.parametrize("kind", ASSERTION_TYPES.values(), ids=ASSERTION_TYPES)
FOLDER = Path(next(iter(graders.__path__)))
#: Types with a syntax of their own: a set has members, and a text in a list is a rubric.
WITH_SYNTAX = {"assert-set", "llm-rubric"}


def of_test(*assertions: str) -> str:
    listed = "".join(f"      - {assertion}\n" for assertion in assertions)
    return f"  - vars: {{q: a}}\n    assert:\n{listed}"


def messages(folder: Path, assertion: str, rule: str) -> list[str]:
    """Return what a rule reports of an assertion."""
    findings = analyzed(folder, HEAD + of_test(assertion), name="promptfooconfig.yaml").findings
    return [finding.message for finding in findings if finding.rule.code == rule]


def test_the_types_that_are_read_are_those_of_the_files() -> None:
    described = list(described_types())
    assert len({kind.name for kind in described}) == len(described), "a type has two files"
    assert {kind.name: kind for kind in described} == ASSERTION_TYPES, "run `make derived`"


def test_a_type_is_named_in_its_file_alone() -> None:
    distinct = {name for name in ASSERTION_TYPES if set("-:") & set(name)} - WITH_SYNTAX
    assert len(distinct) > 40
    places = [ROOT / "server/suitecase/formats/promptfoo", FOLDER.parent]
    named = {
        (name, path.stem)
        for path in sorted(path for place in places for path in place.rglob("*.py"))
        for name in _texts(path)
        if name in distinct
    }
    assert named == {(name, ASSERTION_TYPES[name].module) for name in distinct}


def _texts(path: Path) -> Iterator[str]:
    """Yield the texts in the code of a module that may be the name of a type."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value.removeprefix("promptfoo:").removeprefix(NEGATION)


@TYPES
def test_its_hover_has_its_meaning_and_an_example(kind: AssertionType, tmp_path: Path) -> None:
    text = HEAD + of_test(f'type: "▮{kind.name}"')
    said = MarkedFile(tmp_path, text).hover()
    assert said.startswith(f"**`{kind.name}`**")
    assert kind.description in said
    assert "- type: " in said
    assert ("`value`: not used" in said) is (kind.values == ())
    assert (f"`{NEGATION}{kind.name}` inverts" in said) is kind.negatable


@TYPES
def test_it_is_offered_with_the_keys_that_it_needs(kind: AssertionType, tmp_path: Path) -> None:
    marked = MarkedFile(tmp_path, HEAD + of_test("▮"))
    accepted = marked.accepted(kind.name)
    assert f"type: {kind.name}\n" in accepted
    assert ("value:" in accepted) is kind.value_required
    assert ("value: [" in accepted) is (kind.finds is not None)
    assert (f"{NEGATION}{kind.name}" in marked.labels()) is kind.negatable
    assert kind.description in marked.item(kind.name).documentation


def test_frequent_types_are_offered_first(tmp_path: Path) -> None:
    labels = MarkedFile(tmp_path, HEAD + of_test("type: ▮")).labels()
    assert labels[:4] == ["contains", "icontains", "llm-rubric", "javascript"]
    assert labels[len(ASSERTION_TYPES)].startswith(NEGATION)


@TYPES
def test_its_value_is_checked(kind: AssertionType, tmp_path: Path) -> None:
    missing = messages(tmp_path, f"type: '{kind.name}'", "PF204")
    assert bool(missing) is (kind.value_required and not kind.criteria_elsewhere)
    if not kind.values:
        return
    keys = "".join(f", {key}: 1" for key in kind.needed_keys[:1])
    for named, value in VALUES.items():
        if named == "mapping":
            value = f"{{a: b{keys}}}"
        if named == "text" and "numeral" in kind.values:
            value = "'3'"
        if named == "number" and kind.threshold is not None:
            continue  # taken for the threshold
        found = messages(tmp_path, f"{{type: '{kind.name}', value: {value}}}", "PF205")
        assert bool(found) is not kind.takes(named), (named, found)
    if kind.needed_keys:
        found = messages(tmp_path, f"{{type: '{kind.name}', value: {{a: b}}}}", "PF205")
        assert all(f"`{key}`" in found[0] for key in kind.needed_keys)


@TYPES
def test_a_negation_that_has_no_effect_is_found(kind: AssertionType, tmp_path: Path) -> None:
    found = messages(tmp_path, f"{{type: '{NEGATION}{kind.name}', value: a}}", "PF202")
    assert bool(found) is not kind.negatable
    if found:
        what = "has no assertion" if kind.special else "ignores the `not-`"
        assert f"promptfoo {what}" in found[0]


@TYPES
def test_a_cell_of_a_table_names_it(kind: AssertionType) -> None:
    cell = f"{kind.name}: a, b"
    if kind.special:
        assert assertion_of_text(cell) == {"type": "equals", "value": cell}
        return
    read = assertion_of_text(cell)
    assert read["type"] == kind.name
    if kind.finds is not None:
        assert read["value"] == ["a", "b"]
    else:
        assert read["value"].strip() == "a, b"
    assert read.get("threshold") == kind.threshold_in_tables
    if not kind.cell_starts:
        assert assertion_of_text(f"{NEGATION}{cell}")["type"] == f"{NEGATION}{kind.name}"


@TYPES
def test_its_other_names_are_known(kind: AssertionType, tmp_path: Path) -> None:
    also = [(other, kind.name) for other in kind.also_called]
    also += [(other, f"{NEGATION}{kind.name}") for other in kind.negated_also_called]
    for other, name in also:
        (message,) = messages(tmp_path, f"{{type: '{other}', value: a}}", "PF201")
        assert message.endswith(f"did you mean `{name}`?")
    newer = messages(tmp_path, f"{{type: '{kind.name}', value: a}}", "PF203")
    assert bool(newer) is (kind.newer_name is not None)


def test_a_run_names_the_types_that_are_not_graded_and_why(site: Site) -> None:
    refused = [kind for kind in ASSERTION_TYPES.values() if kind.not_run is not None]
    assert 0 < len(refused) < len(ASSERTION_TYPES)
    for graded in ASSERTION_TYPES.keys() - {kind.name for kind in refused}:
        assert grader_of(graded) is not None
    site.write("promptfooconfig.yaml", HEAD + of_test(*(kind.example for kind in refused)))
    ran = site.run("promptfooconfig.yaml")
    assert ran.code == 2
    for kind in refused:
        assert f"`{kind.name}` is not supported: {kind.not_run}" in ran.err


def test_a_type_is_converted_or_the_conversion_says_why_not(site: Site) -> None:
    single = (kind for kind in ASSERTION_TYPES.values() if kind.graded_by != "set")
    for kind in (kind for kind in single if kind.not_run is None):
        options = "defaultTest: {options: {provider: echo}}\n"
        site.write("promptfooconfig.yaml", options + HEAD + of_test(kind.example))
        ended = suitecase(
            "convert",
            "promptfooconfig.yaml",
            "--to",
            "yaml",
            "--output",
            "made.yaml",
            cwd=site.root,
        )
        grader = grader_of(kind.name)
        assert grader is not None
        if grader.convert is None:
            assert "has no evaluator with the same verdicts" in ended.stderr, kind.name
            continue
        assert ended.returncode == 0, (kind.name, ended.stderr)
        (case,) = yaml.safe_load((site.root / "made.yaml").read_text())["evalcases"]
        assert case["evaluators"][0]["type"], kind.name
        (site.root / "made.yaml").unlink()


def test_no_example_has_a_grave_finding(tmp_path: Path) -> None:
    text = HEAD + "".join(of_test(kind.example) for kind in ASSERTION_TYPES.values())
    findings = analyzed(tmp_path, text).findings
    assert not [it.message for it in findings if it.severity is Severity.ERROR]
