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


def test_criteria_of_a_rubric_are_its_value_now(tmp_path: Path) -> None:
    text = f"{TOP}tests:\n{TEST.replace('Greets back', '{type: llm-rubric, criteria: Greets}')}"
    codes = [it.code for it in analyzed(tmp_path, text, NAME).findings]
    assert codes == ["PF601"]
    assert "{type: llm-rubric, value: Greets}" in fixed(tmp_path, text, "removed-key", NAME)


@pytest.mark.parametrize(
    ("assertion", "message"),
    [
        ("{type: contains, value: 9}", "must be text; got a whole number"),
        ("{type: equals, value: {a: 1}}", "must be text; got a mapping"),
        ("{type: icontains-any, value: hello}", "must be a list; got text"),
        ("{type: icontains-any, value: [hello, 9]}", None),
        ("{type: contains-any, value: '{{ input }}'}", None),
        ("{type: contains, value: hello, weight: 0}", "the score of this assertion does not count"),
        ("{type: contains, value: hello, weight: 0, required: true}", None),
        ("{type: contains, value: hello, weight: -0.5}", "`weight` must be 0 or more; got -0.5"),
    ],
)
def test_values_that_agentv_leaves_an_assertion_out_for(
    assertion: str, message: str | None, tmp_path: Path
) -> None:
    """promptfoo takes numbers, and texts in place of lists; there, a weight of 0 is a pass, here it is left out."""
    text = f"{TOP}tests:\n{TEST.replace('Greets back', assertion)}"
    messages = [it.message for it in analyzed(tmp_path, text, NAME).findings]
    assert len(messages) == (message is not None), messages
    assert message is None or message in messages[0]


GRADED = "  - {id: a, vars: {input: hi}, assert: [{type: contains, value: alpha}]}\n"


@pytest.mark.parametrize(
    ("head", "test", "codes"),
    [
        ("", "{id: b, vars: {input: ho}}", ["PF220"]),
        ("", "{id: b, vars: {input: ho}, assert: []}", ["PF220"]),
        ("", "{id: b, vars: {input: ho}, assert: }", ["PF220"]),
        ("", "{id: b, vars: {input: ho}, criteria: Greets, assert: []}", ["PF220"]),
        ("", "{id: b, vars: {input: ho}, criteria: ' '}", ["PF220"]),
        ("", "{id: b, vars: {input: ho}, criteria: Greets}", []),
        ("", "{id: b, vars: {input: ho}, assert: [Greets]}", []),
        ("", "{id: b, mode: conversation, turns: [{input: ho, assert: [Greets]}]}", []),
        ("", "{id: b, mode: conversation, turns: [{input: ho}]}", ["PF220"]),
        ("", "{include: others.yaml}", []),
        ("assert: [Is short]\n", "{id: b, vars: {input: ho}}", []),
        ("assert: [Is short]\n", "{id: b, vars: {input: ho}, execution: {skip_defaults: true}}", ["PF220"]),
    ],
)  # fmt: skip
def test_a_test_that_nothing_grades_is_an_error(
    head: str, test: str, codes: list[str], tmp_path: Path
) -> None:
    text = f"{TOP}{head}tests:\n{GRADED}  - {test}\n"
    found = [it for it in analyzed(tmp_path, text, NAME).findings if it.code in ("PF220", "PF221")]
    assert [it.code for it in found] == codes
    assert all(it.message.startswith("nothing is asserted of this test") for it in found)
    assert not any("always passes" in it.message for it in found)


def test_a_suite_that_nothing_grades_is_a_warning(tmp_path: Path) -> None:
    text = f"{TOP}tests:\n  - {{id: a, vars: {{input: hi}}}}\n"
    (finding,) = analyzed(tmp_path, text, NAME).findings
    assert (finding.code, finding.message) == (
        "PF221",
        "nothing is asserted of any test, so that no answer is graded",
    )


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


def test_variables_of_prompts_are_found_under_vars(tmp_path: Path) -> None:
    text = (
        'prompts: ["{{ input }} of {{ vars.city }} {{ lost }}"]\nproviders: [openai:gpt-4.1]\n'
        "default_test: {}\ntests:\n  - id: a\n"
        "    vars: {input: Hi, city: Rome, tone: warm, mood: good, expected_output: x}\n"
        '    assert: ["Is {{ tone }}", "Has {{ vars.mood }}"]\n'
    )
    without = found(tmp_path, text, "variable-without-value", name=NAME)
    assert [(line, message.split("`")[1]) for line, message in without] == [(1, "lost")]


@pytest.mark.parametrize(
    ("prompt", "is_found"),
    [
        ("file://no.md", True),
        ("{id: a, file: ./no.md}", True),
        ("{id: a, path: no.md}", True),
        ("file://up.md", False),
        ("{id: no.md, raw: Hi}", False),
        ("file://{{ env.NAME }}.md", False),
        ("file://prompts/*.md", False),
    ],
)
def test_files_of_prompts(prompt: str, is_found: bool, tmp_path: Path) -> None:
    (tmp_path / "up.md").write_text("Hi", "utf-8")
    text = f"prompts: [{prompt}]\ndefault_test: {{}}\ntests:\n{TEST}"
    assert bool(_lines(tmp_path, text, "missing-file-of-prompt")) is is_found


@pytest.mark.parametrize(
    ("assertion", "is_found"),
    [
        ("{type: execution-metrics}", True),
        ("{type: not-llm-rubric}", True),
        ("{type: token-usage, max_input: 3}", False),
        ("{type: llm-rubric, prompt: 'file://x.md'}", False),
        ("{type: own}", False),
        ("{type: script, command: []}", True),
        ("{type: assert-set, assert: []}", True),
        ("{type: token-usage, max_total: }", True),
        ("{type: token-usage, max_total: , max_input: 0}", False),
        ('{type: llm-rubric, value: ""}', True),
        ('{type: llm-rubric, value: "", prompt: "Is {{ output }} kind?"}', False),
        ("{type: llm-rubric, value: []}", True),
        ('{type: not-llm-rubric, value: [Is kind, " "]}', True),
        ('{type: llm-rubric, value: {outcome: ""}}', True),
        ('{type: llm-rubric, value: [{outcome: "", score_ranges: {0: Bad, 5: Good}}]}', False),
        ('{type: rubrics, criteria: [{id: a, outcome: " "}]}', True),
        ("{type: rubrics, value: []}", True),
        ("{type: rubrics, value: [{id: r, outcome: x, weight: 2}]}", True),
        ("{type: rubrics, criteria: [{id: r, outcome: x, weight: 2}]}", False),
        ('""', True),
        ('Is kind, " "', True),
        ('{type: assert-set, assert: ["", Is kind]}', True),
    ],
)
def test_what_assertions_need(assertion: str, is_found: bool, tmp_path: Path) -> None:
    text = f"{TOP}tests:\n{TEST.replace('Greets back', assertion)}"
    assert bool(_lines(tmp_path, text, "incomplete-assertion")) is is_found


def test_empty_rubrics_are_found_in_every_list_of_assertions(tmp_path: Path) -> None:
    text = (
        'prompts: ["{{ input }}"]\nproviders: [llm]\nassert: [""]\n'
        'default_test: {assert: [""]}\n'
        f"tests:\n{TEST}    mode: conversation\n    turns:\n"
        '      - input: Hi\n        assert: [Is kind, ""]\n'
    )
    assert _lines(tmp_path, text, "incomplete-assertion") == [3, 4, 12]


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        ("default_test: {}", "threshold: 0\ndefault_test: {}", [3]),
        ("default_test: {}", "default_test: {threshold: 0}", [3]),
        ("id: a", "id: a\n    threshold: 0.0", [6]),
        ("id: a", "id: a\n    run: {threshold: 0}", [6]),
        ("id: a", "id: a\n    execution: {threshold: 0}", [6]),
        ("id: a", "id: a\n    threshold: 0.1", []),
        ("id: a", "id: a\n    threshold: 80", []),
    ],
)
def test_thresholds_of_0_that_every_answer_reaches(
    old: str, new: str, lines: list[int], tmp_path: Path
) -> None:
    text = f"{TOP}tests:\n{TEST}".replace(old, new)
    assert _lines(tmp_path, text, "test-threshold-out-of-range") == lines


def test_sets_in_sets_are_looked_at(tmp_path: Path) -> None:
    inner = '{type: assert-set, assert: [{type: contains, value: ""}, {type: contians}, " "]}'
    text = f"{TOP}tests:\n{TEST.replace('Greets back', f'{{type: assert-set, assert: [{inner}]}}')}"
    codes = sorted(finding.code for finding in analyzed(tmp_path, text, NAME).findings)
    assert codes == ["PF204", "PF604", "PF610"]


def test_values_and_thresholds_are_checked_by_the_types_of_agentv(tmp_path: Path) -> None:
    written = "{type: contains, value: [a]}, {type: latency, value: 3}, {type: script, command: a, threshold: 3}"
    text = f"{TOP}tests:\n{TEST.replace('Greets back', written)}"
    codes = {it.code for it in analyzed(tmp_path, text, NAME).findings}
    assert codes == {"PF205", "PF207"}


def test_what_only_agentv_has_in_an_assertion_is_taken(tmp_path: Path) -> None:
    written = (
        "{type: regex, value: '^hello', flags: i, required: true, min_score: 0.5, negate: false}, "
        "{include: tone}, {type: script, command: [bun, x.ts], require_metrics: false}, "
        "{type: llm-rubric, value: [{id: a, outcome: Greets, weight: 2}, Is warm], metric: tone}, "
        "{type: own/type, anything: 1}"
    )
    text = f"{TOP}tests:\n{TEST.replace('Greets back', written)}"
    (tmp_path / ".agentv" / "templates").mkdir(parents=True)
    (tmp_path / ".agentv" / "templates" / "tone.yaml").write_text("- Is polite\n")
    assert [it.message for it in analyzed(tmp_path, text, NAME).findings] == []


def test_a_file_of_tests_that_is_not_there_is_told_of_agentv(tmp_path: Path) -> None:
    (tmp_path / "cases").mkdir()
    messages = found(
        tmp_path,
        f"{TOP}tests:\n  - file://no.yaml\n{TEST}",
        "missing-tests-file",
        name=NAME,
    )
    assert messages == [(5, "file `no.yaml` not found in this folder")]
    folder = f"{TOP}tests: ./cases\n"
    assert found(tmp_path, folder, "missing-tests-file", name=NAME) == []


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


@pytest.mark.parametrize(
    ("assertion", "lines"),
    [
        ("{type: is-json, value: {type: object}}", [7]),
        ('{type: not-is-json, value: \'{"type": "object"}\'}', [7]),
        ("{type: assert-set, assert: [{type: is-json, value: {type: object}}]}", [7]),
        ("{type: is-json}", []),
        ("{type: contains, value: a}", []),
    ],
)
def test_schemas_that_agentv_does_not_read(
    assertion: str, lines: list[int], tmp_path: Path
) -> None:
    text = f"{TOP}tests:\n{TEST.replace('Greets back', assertion)}"
    assert _lines(tmp_path, text, "ignored-schema") == lines
