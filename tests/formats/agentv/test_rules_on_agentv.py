"""What AgentV from version 5 on refuses or ignores is found, and what it takes is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.checked_suite import analyzed, fixed, found

TOP = 'prompts: ["{{ input }}"]\nproviders: [llm]\ndefault_test: {}\n'
TEST = "  - id: a\n    vars: {input: Hi}\n    assert: [Greets back]\n"
NAME = "a.eval.yaml"
CORPUS = Path(__file__).resolve().parents[4] / "shared" / "corpus" / "agentv-v5"
SUITES = sorted(CORPUS.rglob("*.yaml")) if CORPUS.is_dir() else []
#: Whose authors left something of an earlier version.
WORKSPACE = "agent-plugin-review.eval.yaml"


def _lines(folder: Path, text: str, rule: str) -> list[int]:
    return [line for line, _ in found(folder, text, rule, name=NAME)]


@pytest.mark.parametrize(
    ("written", "instead"),
    [
        ("target: llm\n", "`providers`"),
        ("execution: {workers: 2}\n", "`evaluate_options`"),
        ("budget_usd: 1\n", "`evaluate_options.budget_usd`"),
        ("experiment: x\n", "`tags.experiment`"),
    ],
)
def test_keys_of_earlier_versions_at_the_top(written: str, instead: str, tmp_path: Path) -> None:
    text = f"{TOP}{written}tests:\n{TEST}"
    (line, message) = found(tmp_path, text, "removed-key", name=NAME)[0]
    assert line == 4
    assert instead in message
    codes = {it.code for it in analyzed(tmp_path, text, NAME).findings}
    assert codes == {"PF601"}, "one mistake is one finding"


def test_assertions_of_earlier_versions_are_renamed(tmp_path: Path) -> None:
    text = f"{TOP}tests:\n{TEST.replace('assert:', 'assertions:')}"
    assert fixed(tmp_path, text, "removed-key", NAME) == f"{TOP}tests:\n{TEST}"


@pytest.mark.parametrize("kind", ["llm-grader", "code_grader", "not-skill-trigger", "composite"])
def test_types_of_earlier_versions(kind: str, tmp_path: Path) -> None:
    text = f"{TOP}tests:\n{TEST.replace('Greets back', f'{{type: {kind}}}')}"
    assert _lines(tmp_path, text, "removed-assertion-type") == [7]
    assert _lines(tmp_path, text, "undefined-assertion-type") == []


@pytest.mark.parametrize(
    ("kind", "is_found"),
    [
        ("icontians", True),
        ("perplexity", True),
        ("polite", True),
        ("ends-with", False),
        ("own", False),
    ],
)
def test_types_that_nothing_defines(kind: str, is_found: bool, tmp_path: Path) -> None:
    own = tmp_path / ".agentv" / "assertions" / "own.ts"
    own.parent.mkdir(parents=True)
    own.write_text("export default {}\n", "utf-8")
    text = f"{TOP}tests:\n{TEST.replace('Greets back', f'{{type: {kind}, value: x}}')}"
    assert bool(_lines(tmp_path, text, "undefined-assertion-type")) is is_found


def test_assertions_of_turns_and_of_the_suite_are_looked_at(tmp_path: Path) -> None:
    text = (
        f"{TOP}assert: [{{type: llm-grader}}]\ntests:\n{TEST}"
        "    mode: conversation\n    turns:\n"
        "      - input: Hi\n        assert: [{type: code-grader}]\n"
    )
    assert _lines(tmp_path, text, "removed-assertion-type") == [4, 12]


@pytest.mark.parametrize(
    ("more", "is_found"),
    [
        ("    turns: [{input: Hi}]\n", True),
        ("    window_size: 2\n", True),
        ("    mode: conversation\n", True),
        ("    mode: conversation\n    turns: []\n", True),
        ("    mode: conversation\n    turns: [{input: Hi}]\n    aggregation: min\n", False),
    ],
)
def test_a_conversation_has_turns_and_says_so(more: str, is_found: bool, tmp_path: Path) -> None:
    found_at = _lines(tmp_path, f"{TOP}tests:\n{TEST}{more}", "turns-without-mode")
    assert bool(found_at) is is_found


def test_tests_that_wait_for_each_other(tmp_path: Path) -> None:
    def waiting(name: str, on: str) -> str:
        return f"{TEST.replace('id: a', f'id: {name}')}    depends_on: [{on}]\n"

    text = f"{TOP}tests:\n{waiting('a', 'b')}{waiting('b', 'c')}{waiting('c', 'a, d, c')}"
    assert _lines(tmp_path, text, "circular-dependency") == [8]
    assert _lines(tmp_path, text, "unknown-dependency") == [16, 16]
    later = f"{TOP}tests:\n{waiting('a', 'b')}{TEST.replace('id: a', 'id: b')}"
    assert _lines(tmp_path, later, "unknown-dependency") == []
    elsewhere = f"{TOP}tests:\n  - file://more.yaml\n{waiting('a', 'b')}"
    assert _lines(tmp_path, elsewhere, "unknown-dependency") == []


def test_ids_are_unique(tmp_path: Path) -> None:
    assert _lines(tmp_path, f"{TOP}tests:\n{TEST}{TEST}", "duplicate-test-id") == [8]


@pytest.mark.skipif(not SUITES, reason="the collection of suites is not here")
@pytest.mark.parametrize("path", SUITES, ids=lambda it: it.relative_to(CORPUS).as_posix())
def test_suites_that_people_wrote_have_no_errors(path: Path) -> None:
    text = path.read_text("utf-8")
    if "\ntests:" not in text:
        return
    findings = analyzed(path.parent, text, path.name).findings
    assert [(it.code, it.message) for it in findings if it.severity.value == "error"] == []
    codes = {it.code for it in findings if it.code.startswith("PF6")}
    assert codes == ({"PF602"} if path.name == WORKSPACE else set())
