"""Which figures, slices and tags a suite has, and which evaluators grade its cases."""

from __future__ import annotations

from textwrap import dedent, indent

from suitecase.figures.gates.grammar import Gate, figures_in
from suitecase.figures.gates.meaning import FigureKind, meaning_of
from suitecase.figures.gates.names import SuiteFigures, figure_names, suite_figures
from suitecase.figures.gates.parsing import parse_gate
from suitecase.formats.suitecase.parsed import parse_dataset, parse_suite


def _case(name: str, more: str = "") -> str:
    return f"  - id: {name}\n    input: Hi\n    expected_outcome: Greets\n" + indent(
        dedent(more), "    "
    )


def _figures(head: str, *cases: str) -> SuiteFigures:
    return suite_figures(parse_suite(dedent(head) + "evalcases:\n" + "".join(cases)))


def _kind(figures: SuiteFigures, text: str) -> FigureKind | None:
    gate = parse_gate(f"{text} >= 0")
    assert isinstance(gate, Gate)
    meaning = meaning_of(next(figures_in(gate)), figures.names)
    return meaning.kind if meaning is not None else None


def test_a_case_without_evaluators_is_graded_by_those_of_the_suite() -> None:
    figures = _figures(
        """\
        execution:
          evaluators:
            - {name: polite, type: icontains, value: please}
        """,
        _case("bare"),
        _case("own", "evaluators:\n  - {name: short, type: regex, value: ^.$}\n"),
        _case("judged", "rubrics: [Greets, {id: tone, expected_outcome: Is warm}]\n"),
    )

    assert [list(figures.evaluators_of(it) or ()) for it in range(3)] == [
        ["polite"],
        ["short"],
        ["rubric", "polite"],
    ]
    assert figures.names.evaluators["rubric"].parts == {"rubric-1", "tone"}


def test_a_case_without_any_evaluator_is_graded_by_a_judge() -> None:
    figures = _figures("", _case("bare"))

    assert list(figures.names.evaluators) == ["llm_judge"]


def test_evaluation_modes_have_evaluators_of_their_own() -> None:
    criteria = _figures("evaluation_mode: llm\nevaluation_criteria: Friendly\n", _case("bare"))
    schema = _figures(
        "evaluation_mode: schema\n",
        _case("bare"),
        _case("checked", "evaluation_schema: {type: object}\n"),
    )

    assert list(criteria.names.evaluators) == ["evaluation_criteria"]
    assert [list(schema.evaluators_of(it) or ()) for it in range(2)] == [[], ["evaluation_schema"]]


def test_suite_evaluators_grade_in_addition_where_the_format_says_so() -> None:
    figures = suite_figures(
        parse_suite(
            dedent("""\
            assertions:
              - {name: polite, type: icontains, value: please}
            tests:
              - id: own
                input: Hi
                expected_outcome: Greets
                assertions:
                  - {name: polite, type: icontains, value: thanks}
              - id: apart
                input: Hi
                expected_outcome: Greets
                execution: {skip_defaults: true}
                assertions:
                  - {name: short, type: regex, value: ^.$}
            """)
        )
    )

    assert list(figures.evaluators_of(0) or ()) == ["polite", "polite-2"]
    assert list(figures.evaluators_of(1) or ()) == ["short"]


def test_members_of_a_composite_are_parts_of_it() -> None:
    figures = _figures(
        "",
        _case(
            "mixed",
            """\
            evaluators:
              - name: manners
                type: composite
                evaluators:
                  - {name: hello, type: icontains, value: hello}
                  - {name: tone, type: llm_judge}
                aggregator: {type: weighted_average}
            """,
        ),
    )

    assert _kind(figures, "manners") is FigureKind.EVALUATOR_SCORE
    assert _kind(figures, "manners.pass_rate") is FigureKind.EVALUATOR_PASS_RATE
    assert _kind(figures, "manners.tone") is FigureKind.EVALUATOR_PART
    assert _kind(figures, "manners.speed") is None


def test_a_name_counts_where_other_keys_of_its_case_or_of_the_head_are_wrong() -> None:
    figures = _figures(
        "descripton: wrong\nslices: {a: {tags: x}, b: {tagz: x}}\n",
        _case(
            "own",
            "metadata: 7\ntags: [x, 3]\nevaluators: [{name: polite, type: icontains, value: a}]\n",
        ),
    )

    assert list(figures.names.evaluators) == ["polite"]
    assert figures.tags == {"x": 1}
    assert list(figures.slices) == ["a"]
    assert figures.declared == {"a", "b"}


def test_nobody_knows_what_grades_a_case_that_cannot_be_read() -> None:
    figures = _figures("", _case("whole"), "  - id: [broken\n    input: Hi\n")

    assert figures.evaluators_of(1) is None
    assert not figures.all_known


def test_slices_and_facets_have_cases() -> None:
    figures = _figures(
        """\
        slices:
          refunds: {id: refund-*}
          language: {by: metadata.language}
        """,
        _case("refund-late", "tags: [slow]\nmetadata: {language: de}\n"),
        _case("refund-soon", "tags: [slow, critical]\nmetadata: {language: en}\n"),
        _case("greeting"),
    )

    assert figures.tags == {"slow": 2, "critical": 1}
    assert figures.cases_of(figures.choose("refunds")) == (0, 1)
    assert figures.cases_of(figures.choose("critical")) == (1,)
    assert figures.cases_of(figures.choose("language=de")) == (0,)
    assert figures.cases_of(None) == (0, 1, 2)
    assert figures.choose("language") is None
    assert figures.values_of("language") == {"de": [0], "en": [1], None: [2]}


def test_a_data_set_has_the_figures_of_its_sidecar() -> None:
    suite = parse_dataset(
        '{"id": "a", "input": "Hi", "expected_outcome": "Greets", "tags": ["x"]}\n',
        "metrics: {quality: 0.5 * score + 0.5 * pass_rate}\n",
    )

    assert figure_names(suite).metrics == {"quality"}
    assert suite_figures(suite).tags == {"x": 1}


def test_an_edit_that_changes_no_profile_changes_no_figures() -> None:
    text = "gates: [pass_rate >= 1]\nevalcases:\n" + _case("a") + _case("b", "metadata: {n: 1}\n")
    first = parse_suite(text)
    edited = parse_suite(text.replace("input: Hi", "input: Hello"), reuse=first)
    retagged = parse_suite(text.replace("n: 1", "n: true"), reuse=first)

    assert suite_figures(edited) is suite_figures(first)
    assert suite_figures(retagged) is not suite_figures(first)


def test_a_slice_whose_declaration_has_errors_is_not_the_tag_of_its_name() -> None:
    figures = suite_figures(
        parse_suite(
            "slices:\n  vip: {tags: vip, safety: maybe}\nevalcases:\n"
            "  - {id: a, input: Hi, expected_outcome: x, tags: [vip]}\n"
        )
    )

    assert figures.choose("vip") is None
