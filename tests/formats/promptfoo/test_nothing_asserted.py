"""Tests of promptfoo that pass whatever the answer is."""

from __future__ import annotations

from pathlib import Path

import pytest

from suitecase.format.rule import Finding, Severity
from support.checked_suite import analyzed, found
from support.running.site import Site

HEAD = 'prompts: ["{{q}}"]\nproviders: [openai:gpt-4.1]\n'
RULES = ("test-without-assertions", "suite-without-assertions")


def lines(folder: Path, text: str) -> list[int]:
    return [line for line, _ in found(folder, text, *RULES)]


def errors_in(folder: Path, text: str, name: str) -> list[Finding]:
    """Return the tests without assertions that are found in a file that a configuration names."""
    analysis = analyzed(folder, text).external.get(folder / name)
    findings = analysis.findings if analysis is not None else ()
    return [it for it in findings if it.code == "PF220"]


def lines_of(errors: list[Finding], text: str) -> list[int]:
    return [text.count("\n", 0, it.span.start) + 1 for it in errors]


@pytest.mark.parametrize(
    "tests",
    [
        "defaultTest: {assert: [{type: is-json}]}\ntests: [{vars: {q: a}}]\n",
        "defaultTest: file://default.yaml\ntests: [{vars: {q: a}}]\n",
        "defaultTest: {assertScoringFunction: file://s.js}\ntests: [{vars: {q: a}}]\n",
        "tests: [{vars: {q: a}, assertScoringFunction: file://s.js}]\n",
        "tests: [{vars: {q: a}, assert: [{$ref: '#/checks/a'}]}]\nchecks: {a: {type: is-json}}\n",
        "tests: [{vars: {q: a}, assert: [{type: is-json, weight: '{{ env.W }}'}]}]\n",
        "tests: [{path: gen.py, config: {n: 1}}]\n",
        "tests: file://gen.py:make\n",
        "tests: file://with.csv\n",
        "tests: file://with.yaml\n",
        "redteam: {plugins: [pii]}\ntests: [{vars: {q: a}}]\n",
        "extensions: [file://hooks.py:hook]\ntests: [{vars: {q: a}}]\n",
    ],
)
def test_something_is_asserted_or_may_be(tests: str, tmp_path: Path) -> None:
    (tmp_path / "with.csv").write_text("q,__expected\na,b\n", "utf-8")
    (tmp_path / "with.yaml").write_text("- {vars: {q: a}, assert: [{type: is-json}]}\n", "utf-8")
    assert lines(tmp_path, HEAD + tests) == []


@pytest.mark.parametrize(
    ("tests", "at"),
    [
        ("tests:\n  - {vars: {q: a}}\n  - {vars: {q: b}, assert: []}\n", [3]),
        ("tests:\n  - {vars: {q: a}}\n  - {vars: {q: b}, assert: [{type: is-json}]}\n", [4]),
        (
            (
                "defaultTest: {assert: [{type: is-json}]}\ntests:\n"
                "  - {vars: {q: a}}\n  - {vars: {q: b}, options: {disableDefaultAsserts: true}}\n"
            ),
            [6],
        ),
        ("tests:\n  - {vars: {q: a}, assert: [{type: is-json, weight: 0}]}\n", [4]),
        (
            (
                "tests:\n  - vars: {q: a}\n    assert:\n"
                "      - {type: assert-set, assert: [{type: is-json, weight: 0}]}\n"
            ),
            [5],
        ),
        ("defaultTest: {assert: [{type: is-json, weight: 0}]}\ntests: [{vars: {q: a}}]\n", [4]),
        ("tests: file://without.csv\n", [3]),
        ("tests: [file://without.yaml, {vars: {q: a}}]\n", [3]),
        ("tests: [file://with.yaml, {vars: {q: a}}]\n", [3]),
    ],
)
def test_nothing_is_asserted(tests: str, at: list[int], tmp_path: Path) -> None:
    (tmp_path / "without.csv").write_text("q,answer\na,b\n", "utf-8")
    (tmp_path / "without.yaml").write_text("- {vars: {q: c}}\n- {vars: {q: d}}\n", "utf-8")
    (tmp_path / "with.yaml").write_text("- {vars: {q: c}, assert: [{type: is-json}]}\n", "utf-8")
    assert lines(tmp_path, HEAD + tests) == at


SAYS = '[{"type": "contains", "value": "say"}]'
LISTS = {
    "u.csv": ("q,__expected\na,contains:say\nd,\n", [3]),
    "two.csv": ("q,__expected1,__expected2\na,,contains:say\nb, ,\n", [3]),
    "none.csv": ("q\na\nb\n", []),
    "u.yaml": (f"- vars: {{q: a}}\n  assert: {SAYS}\n- vars: {{q: b}}\n- vars: {{q: c}}\n  assert: []\n", [3, 4]),
    "u.json": (f'[{{"vars": {{"q": "a"}}, "assert": {SAYS}}},\n{{"vars": {{"q": "b"}}}}]\n', [2]),
    "u.jsonl": (f'{{"vars": {{"q": "a"}}, "assert": {SAYS}}}\n{{"vars": {{"q": "b"}}}}\n{{"assert": []}}\n', [2, 3]),
    "zero.yaml": ("- vars: {q: a}\n  assert: [{type: is-json, weight: 0}]\n", [2]),
}  # fmt: skip


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("in_list", [False, True])
def test_tests_in_files_that_nothing_is_asserted_of_are_errors(
    name: str, in_list: bool, site: Site
) -> None:
    text, at = LISTS[name]
    reference = f"[file://{name}]" if in_list else f"file://{name}"
    head = 'prompts: ["say {{q}}"]\nproviders: [echo]\n'
    path = site.write("promptfooconfig.yaml", f"{head}tests: {reference}\n")
    site.write(name, text)
    configuration = path.read_text("utf-8")
    assert lines_of(errors_in(site.root, configuration, name), text) == at
    codes = [it.code for it in analyzed(site.root, configuration).findings]
    assert ("PF221" in codes) is not bool(at)
    ran = site.run("promptfooconfig.yaml")
    if at:
        assert ran.code == 2
        assert f"{name}:{at[0]}:" in ran.err


@pytest.mark.parametrize(
    ("more", "default", "at"),
    [
        ("defaultTest: {assert: [{type: contains, value: say}]}\n", None, []),
        ("defaultTest: file://default.yaml\n", "assert: [{type: contains, value: say}]\n", []),
        ("defaultTest: file://default.yaml\n", "options: {}\n", [3]),
        ("defaultTest: file://default.yaml\n", None, []),
    ],
)
def test_what_holds_for_every_test_holds_for_those_in_files(
    more: str, default: str | None, at: list[int], tmp_path: Path
) -> None:
    text = "q,__expected\na,contains:say\nd,\n"
    (tmp_path / "u.csv").write_text(text, "utf-8")
    if default is not None:
        (tmp_path / "default.yaml").write_text(default, "utf-8")
    errors = errors_in(tmp_path, f"{HEAD}{more}tests: file://u.csv\n", "u.csv")
    assert lines_of(errors, text) == at


def test_a_table_without_a_column_for_assertions_is_one_error(tmp_path: Path) -> None:
    (tmp_path / "u.csv").write_text("q,w\na,1\nb,2\n", "utf-8")
    tests = "tests: [file://u.csv, {vars: {q: c}, assert: [{type: is-json}]}]\n"
    (finding,) = errors_in(tmp_path, HEAD + tests, "u.csv")
    assert (finding.span.start, finding.span.end) == (0, 3)
    assert finding.message == (
        "nothing is asserted of the 2 tests of this table, so that they always pass"
    )


def test_no_more_than_some_tests_of_one_file_are_reported(tmp_path: Path) -> None:
    (tmp_path / "u.csv").write_text("q,__expected\na,x\n" + "b,\n" * 50, "utf-8")
    errors = errors_in(tmp_path, f"{HEAD}tests: file://u.csv\n", "u.csv")
    assert len(errors) == 20
    assert [error.message.partition("; ")[2] for error in errors[-2:]] == [
        "", "30 more tests of this file are like it"
    ]  # fmt: skip


def test_a_test_without_assertions_beside_others_is_an_error(tmp_path: Path) -> None:
    tests = "tests:\n  - {vars: {q: a}}\n  - {vars: {q: b}, assert: [{type: is-json}]}\n"
    findings = analyzed(tmp_path, HEAD + tests).findings
    assert [it.severity for it in findings] == [Severity.ERROR]


def test_assertions_among_variables_are_not_reported_as_unused_too(tmp_path: Path) -> None:
    text = f"{HEAD}tests:\n  - vars:\n      q: a\n      assert: [{{type: contains, value: a}}]\n"
    assert found(tmp_path, text, "assert-under-vars")
    assert found(tmp_path, text, "unused-variable") == []
