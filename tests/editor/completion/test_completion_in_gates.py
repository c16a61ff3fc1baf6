"""Completion inside gates, metrics, slices and intervals."""

from __future__ import annotations

from pathlib import Path

import pytest

from suitecase.editor.completion import CompletionContext, complete_in_suite
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.parsed import parse_sidecar
from support.ide.completions import Offer

_CASES = "".join(
    f"""\
  - id: case-{number}
    input: Hi
    expected_outcome: Says hello
    tags: [vip, {"slow" if number < 5 else "fast"}]
    metadata: {{language: {"de" if number % 2 else "en"}, customer: c-{number % 5}}}
    evaluators:
      - {{name: my judge, type: llm_judge, rubrics: [{{id: tone, expected_outcome: Is warm}}]}}
      - {{name: short, type: icontains, value: hi}}
"""
    for number in range(20)
)
REST = f"""
slices:
  critical: {{tags: vip}}
  attacks: {{tags: slow, safety: true}}
  language: {{by: metadata.language}}
metrics:
  quality: 0.6 * short + 0.4 * score
evalcases:
{_CASES}"""


def offer(gate: str, trigger: str = "") -> Offer:
    return Offer(f"gates:\n  - {gate}{REST}", CompletionContext(trigger=trigger))


def test_figures_are_those_of_the_suite_and_built_in() -> None:
    found = offer("lower(▮").labels

    assert found[:5] == ["pass_rate", "score", "quality", "`my judge`", "short"]
    assert {"`my judge`.tone", "short.pass_rate", "latency_ms", "change"} <= {*found}
    assert "lower" not in found  # no bound of a bound
    assert "pass@1" not in found  # each case is asked once


def test_a_figure_that_is_half_typed_is_replaced_as_a_whole() -> None:
    assert "- pass_rate[vip] >= 90%" in offer("pas▮s[vip] >= 90%").accepted("pass_rate")
    assert "- lower(`my judge`.tone) >= 1" in offer("lower(`my▮) >= 1").accepted("`my judge`.tone")


def test_a_gate_that_starts_with_a_backquote_is_put_in_quotes() -> None:
    assert '- "`my judge`"\n' in offer("m▮").accepted("`my judge`")
    assert '- "`my judge` >= 80%"\n' in offer("▮").accepted("`my judge` >= 80%")


@pytest.mark.parametrize(
    "text",
    [
        "gates:\n  first: pass_r▮",
        "metrics:\n  - pass_r▮",
        "gates:\n  - gate: score >= 1\n    level:\n      first: pass_r▮",
    ],
)
def test_figures_are_not_offered_where_the_format_has_no_place_for_a_gate(text: str) -> None:
    assert Offer(f"{text}\nevalcases: []\n", CompletionContext()).labels == []


@pytest.mark.parametrize(
    ("gate", "accepted"),
    [
        ("pass_rate[▮", "- pass_rate[critical]\n"),
        ("pass_rate[cr▮it] >= 90%", "- pass_rate[critical] >= 90%\n"),
        ('"pass_rate[▮] >= 90%"', '- "pass_rate[critical] >= 90%"\n'),
        ("{gate: 'pass_rate[▮'}", "- {gate: 'pass_rate[critical]'}\n"),
    ],
)
def test_slices_stand_in_brackets_with_the_number_of_their_cases(gate: str, accepted: str) -> None:
    found = offer(gate)

    assert {it.label: it.detail for it in found.completion.items} == {
        "critical": "slice, 20 cases",
        "attacks": "slice, 5 cases",
        "language=de": "facet, 10 cases",
        "language=en": "facet, 10 cases",
        "vip": "tag, 20 cases",
        "slow": "tag, 5 cases",
        "fast": "tag, 15 cases",
    }
    assert accepted in found.accepted("critical")


def test_only_facets_stand_after_by() -> None:
    assert offer("gap(pass_rate ▮").labels == ["by"]
    assert offer("gap(pass_rate by ▮").labels == ["language"]


def test_comparisons_stand_after_a_figure_and_operators_in_a_metric() -> None:
    assert offer("pass_rate[vip] ▮").labels == [">=", "<=", ">", "<", "+", "-"]
    assert offer("lower(score ▮").labels == ["+", "-"]
    assert offer("0.5 ▮").labels == ["*"]
    metric = Offer(
        f"gates: [score >= 1]\nmetrics:\n  all: 0.5 * score ▮\n{REST}".replace(
            "\nmetrics:\n  q", "\nx:\n  q"
        )
    )
    assert metric.labels == ["+", "-"]


@pytest.mark.parametrize(
    ("gate", "best"),
    [
        ("pass_rate >= ▮", "98%"),
        ("lower(pass_rate) >= ▮", "80%"),
        ("lower(pass_rate[attacks]) >= ▮", None),
        ("upper(violation_rate[critical]) <= ▮", "20%"),
        ("violation_rate[attacks] <= ▮", "0%"),
        ("latency_ms <= ▮", None),
    ],
)
def test_thresholds_of_bounds_are_those_that_the_cases_can_reach(
    gate: str, best: str | None
) -> None:
    assert next(iter(offer(gate).labels), None) == best


def test_groups_count_as_one_case_each_for_what_is_in_reach() -> None:
    text = f"intervals: {{groups: metadata.customer}}\ngates:\n  - lower(pass_rate) >= ▮{REST}"

    assert Offer(text).labels == []  # of 5 groups the bound is at most 0.478


def test_whole_gates_are_offered_in_an_empty_item_but_not_twice() -> None:
    found = offer("▮")

    assert found.labels[:4] == [
        "pass_rate >= 90%",
        "lower(pass_rate) >= 80%",
        "lower(pass_rate[critical]) >= 80%",
        "pass_rate[critical] >= 90%",
    ]
    assert "violation_rate[attacks] <= 0%" in found.labels
    assert "gap(pass_rate by language) <= 10%" in found.labels
    assert "gate" in found.labels  # the form with a level
    assert found.snippet("pass_rate >= 90%") == "pass_rate >= ${1:90%}"
    assert "pass_rate >= 90%" not in offer("pass_rate >= 70%\n  - ▮").labels


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("slices:\n  x: {by: metadata.▮}", ["metadata.language", "metadata.customer"]),
        (
            "intervals:\n  groups: ▮",
            ["conversation_id", "none", "metadata.language", "metadata.customer"],
        ),
        ("slices:\n  x:\n    tags: [vip, ▮]", ["fast", "slow"]),
        ("slices:\n  x:\n    metadata:\n      ▮", ["language", "customer"]),
        ("slices:\n  x:\n    metadata: {language: ▮}", ["en", "de"]),
    ],
)
def test_slices_select_by_what_cases_have(text: str, labels: list[str]) -> None:
    assert Offer(f"{text}\nevalcases:\n{_CASES}").labels == labels


def test_slices_select_by_ids() -> None:
    assert "case-7" in Offer(f"slices:\n  x:\n    id: ▮\nevalcases:\n{_CASES}").labels


@pytest.mark.parametrize("trigger", ["(", ".", " "])
def test_characters_of_gates_offer_nothing_elsewhere(trigger: str) -> None:
    assert offer("lower(▮", "(").labels[0] == "pass_rate"
    assert "short.pass_rate" in offer("short.▮", ".").labels
    assert offer("score >= ▮", " ").labels[0] == "98%"

    around = CompletionContext(trigger=trigger)
    assert Offer(f"gates: [score >= 1]\ndescription: So{trigger}▮{REST}", around).labels == []
    case = f"evalcases:\n  - id: a\n    input: x\n    tags: [a{trigger}▮]\n"
    assert Offer(f"gates: [score >= 1]\n{case}", around).labels == []


def test_a_sidecar_has_the_slices_of_its_data_set(tmp_path: Path) -> None:
    case = '{"id": "a", "input": "Hi", "expected_outcome": "x", "tags": ["vip"]}\n'
    (tmp_path / "talk.jsonl").write_text(case)
    text = "gates:\n  - pass_rate[\n"
    around = CompletionContext(Folder(Workspace(tmp_path), tmp_path), path=tmp_path / "talk.yaml")

    found = complete_in_suite(parse_sidecar(text), text.index("[") + 1, around)

    assert [(it.label, it.detail) for it in found.items] == [("vip", "tag, 1 case")]


JUDGES = """
judges: {my judge: {calibration: judge.json}}
human: {my judge: {labels: [labels.csv]}}"""


def offer_with_judges(gate: str) -> Offer:
    return Offer(f"gates:\n  - {gate}{JUDGES}{REST}", CompletionContext())


def test_figures_of_people_and_judges_are_offered_where_they_can_stand() -> None:
    found = offer_with_judges("lower(▮").labels

    assert {"human.`my judge`.alpha", "judges.`my judge`.specificity", "corrected"} <= {*found}
    for gate in ("change(▮", "pass_rate + ▮", "gap(▮ by language)"):
        assert not [it for it in offer_with_judges(gate).labels if it.startswith("human.")]
    assert "corrected" not in offer("lower(▮").labels  # no judge has a calibration


def test_only_rates_of_judges_are_corrected() -> None:
    assert offer_with_judges("corrected(▮").labels == ["`my judge`.pass_rate"]
    accepted = offer_with_judges("corr▮").accepted("corrected")
    assert "- corrected(`my judge`.pass_rate)" in accepted


def test_thresholds_of_alpha_are_coefficients() -> None:
    assert offer_with_judges("human.`my judge`.alpha >= ▮").labels == ["0.8", "0.667", "0.6", "0.4"]
    assert "90%" in offer_with_judges("lower(judges.`my judge`.sensitivity) >= ▮").labels
    assert "90%" in offer_with_judges("lower(corrected(`my judge`.pass_rate)) >= ▮").labels


def test_whole_gates_on_people_and_judges_are_offered() -> None:
    found = offer_with_judges("▮").labels

    assert "human.`my judge`.alpha >= 0.667" in found
    assert "lower(judges.`my judge`.kappa) >= 0.6" in found
    assert "corrected(`my judge`.pass_rate) >= 80%" in found
    assert not [it for it in offer("▮").labels if "human" in it or "judges" in it]
