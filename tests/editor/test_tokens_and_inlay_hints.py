"""Semantic tokens and inlay hints."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from suitecase.editor.inlay_hints import HintKinds, hints
from suitecase.editor.results import CaseResult
from suitecase.editor.semantic_tokens import prompt_tokens, tokens
from suitecase.format.target_files import ParsedTargets, parse_targets
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.text.node import Span
from suitecase_evaluators.schema.field_role import FieldRole
from support.ide.marked_suite import result, suite
from support.suites.editor_texts import EVERYTHING, TARGETS


def coloured(written: ParsedSuite | ParsedTargets) -> list[str]:
    text = written.document.text
    return [
        f"{it.type} {text[it.span.start : it.span.end]}"
        + (f" ({it.modifier})" if it.modifier else "")
        for it in tokens(written)
    ]


def test_names_variables_and_json_are_coloured_and_plain_yaml_is_not() -> None:
    assert coloured(suite(EVERYTHING)) == [
        "class small",
        "function warm",
        "function short",
        "enumMember kind (declaration)",
        "enumMember warmth (declaration)",
        "parameter {{ candidate_answer }}",
        "parameter {{ input }} (deprecated)",
        "operator {",
        'property "type"',
        "operator :",
        'string "object"',
        "operator ,",
        'property "maxProperties"',
        "operator :",
        "number 3",
        "operator }",
    ]


def test_json_is_coloured_in_every_kind_of_text() -> None:
    found = coloured(
        suite(
            dedent("""\
            evaluation_mode: schema
            evalcases:
              - id: a
                evaluation_schema: "{\\"a\\": [true, -1.5e3]}"
              - id: b
                evaluation_schema: '{"it''s": null}'
              - id: c
                evaluation_schema: {type: object}
              - id: d
                evaluation_schema: '{"half'
            """)
        )
    )

    assert 'property \\"a\\"' in found
    assert "keyword true" in found
    assert "number -1.5e3" in found
    assert "property \"it''s\"" in found
    assert "keyword null" in found
    assert found[-1] == "operator {"


def test_placeholders_of_the_environment_and_of_commands_are_coloured() -> None:
    assert coloured(parse_targets(Path("targets.yaml"), TARGETS)) == [
        "class small (declaration)",
        "macro ${{ SMALL_KEY }}",
        "class large",
        "class large (declaration)",
        "macro ${{ HOST }}",
        "class agent (declaration)",
        "parameter {PROMPT}",
    ]


def test_a_misspelt_variable_of_a_prompt_file_looks_like_text() -> None:
    text = "{{ question }} {{ qestion }} {{ EVALUATOR_RESULTS_JSON }}"

    assert [text[it.span.start : it.span.end] for it in prompt_tokens(text)] == ["{{ question }}"]
    assert len(prompt_tokens(text, FieldRole.AGGREGATION_PROMPT)) == 2


def hinted(
    text: str,
    kinds: HintKinds | None = None,
    last: dict[str, CaseResult] | None = None,
    targets: str = TARGETS,
) -> str:
    """Return a suite with its hints inserted."""
    written = suite(text)
    shown = written.document.text
    known = parse_targets(Path("targets.yaml"), targets)
    found = hints(written, Span(0, len(shown)), kinds or HintKinds(), last or {}, known)
    for it in reversed(found):
        shown = f"{shown[: it.offset]} «{it.label}»{shown[it.offset :]}"
    return shown


def test_hints_say_what_is_not_written() -> None:
    shown = hinted(EVERYTHING)

    assert [it.strip() for it in shown.splitlines() if "«" in it] == [
        "- *tone «66.7% of the score»",
        "- name: mix «33.3% of the score»",
        "aggregator: {type: weighted_average, weights: {warm: 2 «66.7% of the score», short: 1 «33.3% of the score»}}",
        (
            "- {name: warm, type: llm_judge «judged by large», "
            "rubrics: [Is warm «required», {id: kind «required», expected_outcome: Is kind}]}"
        ),
        "- id: greet «answered by small»",
        "rubrics: «judged by large»",
        "- Is short «required» «25% of the score»",
        "weight: 3 «75% of the score»",
        "- id: part «answered by small»",
        "type: llm_judge «judged by large»",
        "- id: left «answered by small»",
    ]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (
            "expected_outcome: Says hello # twice",
            "expected_outcome: Says hello «judged by mock» # twice",
        ),
        ("expected_outcome: |\n      Says\n      hello", "expected_outcome: | «judged by mock»"),
    ],
)
def test_a_hint_does_not_stand_between_a_key_and_its_text(text: str, shown: str) -> None:
    assert shown in hinted(f"evalcases:\n  - id: a\n    {text}\n").splitlines()[2]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        # Nobody is asked to judge where evaluators need none, and who is named needs no hint.
        ("- id: a\n    execution: {target: small}\n    evaluators: [{name: b, type: is_json}]", ""),
        ("- id: a\n    evaluators: [{name: b, type: llm_judge, target: large}]", ""),
        # Without any evaluator a judge grades by the expected outcome.
        ("- id: a\n    execution: {target: small}\n    expected_outcome: Hi", "«judged by large»"),
        ("- id: a\n    execution: {target: agent}\n    expected_outcome: Hi", "«judged by agent»"),
        ("- id: a\n    expected_outcome: Hi", "«judged by mock»"),
        # Equal weights are what anyone would think.
        ("- id: a\n    evaluators: [{name: b, type: is_json}, {name: c, type: is_json}]", ""),
        # Rubrics are an evaluator beside the others.
        (
            "- id: a\n    rubrics: []\n    evaluators: [{name: b, type: is_json, weight: 3}]",
            "",
        ),
        (
            "- id: a\n    rubrics: [x]\n    evaluators: [{name: b, type: is_json, weight: 3}]",
            "«judged by mock»«required»«75% of the score»",
        ),
        (
            "- id: a\n    rubrics: [{id: x, required: true, score_ranges: {0: y}}]",
            "«judged by mock»«at least 10»",
        ),
        ("- id: a\n    rubrics: [{expected_outcome: x, required: false}]", "«judged by mock»"),
        (
            "- id: a\n    rubrics: [{expected_outcome: x, weight: no}, y]",
            "«judged by mock»«required»«required»",
        ),
    ],
)
def test_hints_of_a_case(text: str, shown: str) -> None:
    found = hinted(f"evalcases:\n  {text}\n")

    assert "".join(f"«{it.partition('»')[0]}»" for it in found.split("«")[1:]) == shown


def test_kinds_of_hints_are_switched_off_one_by_one() -> None:
    for kind, gone in [
        ("defaults", "«required»"),
        ("weights", "% of the score»"),
        ("judges", "«judged by"),
        ("targets", "«answered by"),
    ]:
        assert gone in hinted(EVERYTHING)
        assert gone not in hinted(EVERYTHING, HintKinds(**{kind: False}))


def test_a_verdict_stands_at_the_id_and_says_when_it_is_stale() -> None:
    before = suite(EVERYTHING)
    last = {
        "greet": result(before, "greet", "pass", score=0.92),
        "part": result(before, "part", "fail", score=0.4),
    }
    changed = EVERYTHING.replace("Says goodbye", "Says ciao")

    shown = hinted(changed, last=last)

    assert "id: greet «✓ pass 0.92 (mock answer)» «answered by small»" in shown
    assert "id: part «✗ fail 0.40 (mock answer, stale)» «answered by small»" in shown
    assert "pass" not in hinted(changed, HintKinds(verdicts=False), last)


def test_gates_and_metrics_are_coloured_in_every_kind_of_text_also_half_written() -> None:
    found = coloured(
        suite(
            dedent("""\
            gates:
              - lower(pass_rate[critical]) >= 90%
              - "gap(`my eval`.tone by language) <= 10%"
              - {gate: latency_ms <= 4000, level: warning}
              - pass_ra
              - median(score) >= 1
            slices:
              critical: {tags: critical}
            metrics:
              quality: 0.6 * rubric - 0.4 * pass@3
            evalcases:
              - {id: a, input: Hi, expected_outcome: Says hello}
            """)
        )
    )

    assert found == [
        "function lower",
        "variable pass_rate",
        "type critical",
        "operator >=",
        "number 90%",
        "function gap",
        "variable `my eval`.tone",
        "keyword by",
        "type language",
        "operator <=",
        "number 10%",
        "variable latency_ms",
        "operator <=",
        "number 4000",
        "variable pass_ra",
        "variable score",
        "operator >=",
        "number 1",
        "type critical (declaration)",
        "variable quality (declaration)",
        "number 0.6",
        "operator *",
        "variable rubric",
        "operator -",
        "number 0.4",
        "operator *",
        "variable pass@3",
    ]
