"""Fixes where suites are written in another way than in the examples of rules: in brackets, as JSON,
with comments, with anchors, in composites."""

from __future__ import annotations

from pathlib import Path

import pytest

from suitecase.checking.analysis import Analysis
from suitecase.checking.check import check
from suitecase.checking.fixing import fix_text
from suitecase.format.reading import parse_document
from suitecase.format.rule import Finding
from suitecase.format.workspace import Folder, Workspace

CASE = "evalcases:\n  - id: greet\n    input: Hi\n    expected_outcome: Says hello\n"


def analyzed(text: str, folder: Path, kind: str = "yaml") -> Analysis:
    workspace = Workspace(folder)
    return check(
        parse_document(folder / f"suite.{kind}", text, workspace), Folder(workspace, folder)
    )


def found(text: str, code: str, folder: Path, kind: str = "yaml") -> list[Finding]:
    return [it for it in analyzed(text, folder, kind).findings if it.code == code]


def fixed(text: str, code: str, folder: Path, kind: str = "yaml") -> str | None:
    """Return the text with the first fix of a rule made; None where it has none."""
    fix = found(text, code, folder, kind)[0].fix
    made = fix.apply(text) if fix is not None else None
    if made is not None:
        before, after = (len(analyzed(it, folder, kind).findings) for it in (text, made))
        assert after < before, "a fix makes its finding vanish and adds no other"
    return made


def case(lines: str) -> str:
    return CASE + "".join(f"    {it}\n" for it in lines.splitlines())


@pytest.mark.parametrize(
    ("code", "before", "after"),
    [
        (
            "SC306",
            "evaluators: [{type: contains, value: Hi}, {type: contains, value: hello}]",
            "evaluators: [{name: contains, type: contains, value: Hi}, {type: contains, value: hello}]",
        ),
        (
            "SC306",
            "evaluators:\n  - value: Hi  # kept\n    name: words\n    type: contains\n  - script: [a]",
            (
                "evaluators:\n  - value: Hi  # kept\n    name: words\n    type: contains\n"
                "  - name: code_judge\n    type: code_judge\n    script: [a]"
            ),
        ),
        (
            "SC209",
            'rubrics: [{id: "a", expected_outcome: x}, {id: "a", expected_outcome: y}]',
            'rubrics: [{id: "a", expected_outcome: x}, {id: "a-2", expected_outcome: y}]',
        ),
        (
            "SC215",
            "rubrics: [Is warm, Is short, Is warm]",
            "rubrics: [Is warm, Is short]",
        ),
        (
            "SC303",
            (
                "evaluators:\n  - name: tone\n    type: llm_judge\n    prompt: |\n      Is it warm?\n\n"
                "      Say so.\n    weight: 2\n  - {name: a, type: contains, value: b}"
            ),
            (
                "evaluators:\n  - name: tone\n    type: llm_judge\n    prompt: |\n      Is it warm?\n\n"
                "      Say so.\n      {{ candidate_answer }}\n    weight: 2\n"
                "  - {name: a, type: contains, value: b}"
            ),
        ),
        (
            "SC303",
            'evaluators: [{name: tone, type: llm_judge, prompt: "Is it warm?"}]',
            'evaluators: [{name: tone, type: llm_judge, prompt: "Is it warm? {{ candidate_answer }}"}]',
        ),
        (
            "SC203",
            "rubrics:\n  - {id: w, score_ranges: [{score_range: [2, 10], expected_outcome: x}]}",
            "rubrics:\n  - {id: w, score_ranges: [{score_range: [0, 10], expected_outcome: x}]}",
        ),
        (
            "SC106",
            "evaluators: [{name: a, type: code_judge, script: [b], deep: {x: 1}, wide: 2}]",
            "evaluators: [{name: a, type: code_judge, script: [b], config: {deep: {x: 1}}, wide: 2}]",
        ),
        (
            "SC106",
            "evaluators: [{name: a, type: code_judge, script: [b], wide: 2, config: {y: 1}}]",
            "evaluators: [{name: a, type: code_judge, script: [b], config: {y: 1, wide: 2}}]",
        ),
        (
            "SC106",
            (
                "evaluators:\n  - name: a\n    type: code_judge\n    script: [b]\n"
                "    # of lines\n    wide: 2  # at most\n    config:\n      y: 1"
            ),
            (
                "evaluators:\n  - name: a\n    type: code_judge\n    script: [b]\n"
                "    config:\n      y: 1\n      # of lines\n      wide: 2  # at most"
            ),
        ),
    ],
)
def test_a_fix_fits_the_way_a_case_is_written(
    code: str, before: str, after: str, tmp_path: Path
) -> None:
    text, wanted = case(before).replace("    \n", "\n"), case(after).replace("    \n", "\n")

    assert fixed(text, code, tmp_path) == wanted
    crlf = fix_text(text.replace("\n", "\r\n"), lambda it: analyzed(it, tmp_path), unsafe=True).text
    assert "\n" not in crlf.replace("\r\n", "")


def test_evaluators_without_names_get_different_ones(tmp_path: Path) -> None:
    text = case("evaluators:\n  - {type: contains, value: Hi}\n  - {type: contains, value: hello}")
    text += "execution: {target: mock}\n"

    fixed = fix_text(text, lambda it: analyzed(it, tmp_path))

    assert "{name: contains, type" in fixed.text
    assert "{name: contains-2, type" in fixed.text
    assert fixed.analysis.findings == []


def test_a_line_of_a_data_set_stays_json(tmp_path: Path) -> None:
    line = (
        '{"id": "a", "input": "Hi", "expected_outcome": "Hello", "rubrics": [], '
        '"evaluators": [{"type": "contains", "value": "Hi"}]}\n'
    )

    fixed = fix_text(line, lambda it: analyzed(it, tmp_path, "jsonl"))

    assert fixed.text == (
        '{"id": "a", "input": "Hi", "expected_outcome": "Hello", '
        '"evaluators": [{"name": "contains", "type": "contains", "value": "Hi"}]}\n'
    )


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        # What is said in a comment is not taken away with what it is about.
        ("SC114", "input_messages:\n  - {role: user, content: Hi}"),
        # Something else stands for what would be taken away.
        ("SC217", "rubrics: &none []\nevaluators:\n  - {name: a, type: llm_judge, rubrics: *none}"),
        # The weights say which of the two is meant.
        (
            "SC308",
            (
                "evaluators:\n  - name: both\n    type: composite\n    evaluators:\n"
                "      - {name: a, type: contains, value: b}\n      - {name: a, type: contains, value: c}\n"
                "    aggregator: {type: weighted_average, weights: {a: 2}}"
            ),
        ),
        # The ranges overlap, which is another mistake.
        (
            "SC203",
            (
                "rubrics:\n  - id: w\n    score_ranges:\n      - {score_range: [0, 5], expected_outcome: x}\n"
                "      - {score_range: [4, 9], expected_outcome: y}"
            ),
        ),
        # Several evaluators have such keys.
        ("SC306", "evaluators: [{name: a, value: b}]"),
        # It is there already, with another value.
        (
            "SC106",
            "evaluators: [{name: a, type: code_judge, script: [b], wide: 2, config: {wide: 1}}]",
        ),
        # Two answers to one question: one is to be chosen.
        ("SC002", "input: Good morning"),
    ],
)
def test_there_is_no_fix_that_would_lose_or_guess(code: str, lines: str, tmp_path: Path) -> None:
    text = case(lines)
    if code == "SC114":
        text = text.replace("    input: Hi\n", "    input:\n      # as asked in March\n      Hi\n")

    assert [it.fix for it in found(text, code, tmp_path)][:1] == [None]


def test_what_scripts_are_handed_moves_in_one_go_and_as_json(tmp_path: Path) -> None:
    line = (
        '{"id": "a", "input": "Hi", "expected_outcome": "Hello", "evaluators": '
        '[{"name": "b", "type": "code_judge", "script": ["python", "b.py"], "x": "one", "y": [2]}]}\n'
    )
    (tmp_path / "b.py").write_text("")
    (tmp_path / "suite.yaml").write_text("execution: {target: mock}\n")

    fixed = fix_text(line, lambda it: analyzed(it, tmp_path, "jsonl"))

    assert '"config": {"x": "one", "y": [2]}}]}' in fixed.text
    assert fixed.analysis.findings == []


def test_commas_too_many_are_taken_out_of_json(tmp_path: Path) -> None:
    lines = '{"id": "a", "input": ["x,]", {"role": "user", "content": "Hi",},], "expected_outcome": "b",}\n'
    schema = 'evaluation_schema: >\n  {"type": "object",\n   "required": ["a,]", "b",],\n  }'

    line = fix_text(lines, lambda it: analyzed(it, tmp_path, "jsonl")).text
    text = fix_text(case(schema), lambda it: analyzed(it, tmp_path)).text

    assert (
        line
        == '{"id": "a", "input": ["x,]", {"role": "user", "content": "Hi"}], "expected_outcome": "b"}\n'
    )
    assert text == case(
        'evaluation_schema: >\n  {"type": "object",\n   "required": ["a,]", "b"]\n  }'
    )


def test_a_case_without_an_id_is_named_after_its_question(tmp_path: Path) -> None:
    text = (
        "evalcases:\n"
        "  - input: Say hello to Ann, and to nobody else\n    expected_outcome: Says hello\n"
        "  - expected_outcome: Adds\n    input_messages:\n      - {role: user, content: 12}\n"
        "  - {input: 日本語, expected_outcome: Says hello}\n"
    )

    fixed = fix_text(text, lambda it: analyzed(it, tmp_path), unsafe=True)

    for line in ("  - id: say-hello-to-ann-and\n    input: Say", "  - {id: case, input: 日"):
        assert line in fixed.text


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("SC211", "rubrics:\n  - {id: a, expected_outcome: x, required_min_score: 7}"),
        ("SC212", "rubrics:\n  - {id: a, score_ranges: {0: x, 6: y}, required_min_score: 0}"),
        (
            "SC213",
            "rubrics:\n  - {id: a, score_ranges: {0: x, 6: y}, required_min_score: 7, required: false}",
        ),
        (
            "SC115",
            (
                "evaluators: [{name: a, type: contains, value: b}]\n"
                "execution: {evaluators: [{name: c, type: contains, value: d}]}"
            ),
        ),
        ("SC215", "rubrics: [Is warm, Is warm]"),
    ],
)
def test_no_gate_and_no_evaluator_is_taken_away_unasked(
    code: str, lines: str, tmp_path: Path
) -> None:
    text = case(lines)
    fix = found(text, code, tmp_path)[0].fix

    assert fix is not None
    assert not fix.safe
    assert fix_text(text, lambda it: analyzed(it, tmp_path)).text == text
