"""Hovers inside gates and metrics, and on what they name."""

from __future__ import annotations

from pathlib import Path

import pytest

from suitecase.editor.hover import HoverContext, RenderedPrompt, hover_at
from suitecase.editor.results import DocumentResults
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.parsed import parse_sidecar, parse_suite
from support.ide.marked_suite import NOW, result

_CASES = "".join(
    f"""\
  - id: case-{number}
    input: Hi
    expected_outcome: Says hello
    tags: [vip]
    metadata: {{language: {"de" if number % 4 else "en"}}}
    evaluators:
      - {{name: my judge, type: llm_judge, rubrics: [{{id: tone, expected_outcome: Is warm}}]}}
      - {{name: short, type: icontains, value: hi}}
"""
    for number in range(20)
)
TEXT = f"""\
slices:
  critical: {{tags: vip, description: What must never fail}}
  language: {{by: metadata.language}}
metrics:
  quality: 0.6 * short + 0.4 * score
gates:
  - lower(pass_rate[critical]) >= 90%
  - "gap(`my judge`.tone by language) <= 10%"
  - quality >= 0.8
  - latency_ms <= 4000
  - short[language=en] >= 85%
  - half[
evalcases:
{_CASES}"""


def at(place: str, results: DocumentResults | None = None, text: str = TEXT) -> str:
    """Return the hover at the `|` in a part of a text; empty if there is none."""
    offset = text.index(place.replace("|", "")) + place.index("|")
    found = hover_at(parse_suite(text), offset, results or DocumentResults(), NOW, None)
    return found.markdown if found else ""


def test_a_figure_says_what_it_is_and_what_its_cases_can_show() -> None:
    said = at("pass|_rate[critical]")

    assert said.startswith("**`pass_rate`** · built-in figure · a share from 0 to 1")
    assert "The share of answers with the verdict `pass`." in said
    assert "Measured on 20 cases in `critical`." in said
    assert "With 20 cases the lower bound is at most 0.832" in said
    assert "it takes at least 36 cases, all with the value 1. There are 20." in said


def test_a_figure_of_an_evaluator_says_where_that_is() -> None:
    assert "Evaluator `my judge` (`llm_judge`), item `tone`, line 20." in at("`my |judge`.tone by")
    said = at("sho|rt[language=en]")
    assert "Evaluator `short` (`icontains`), line 21." in said
    assert "Measured on 5 cases in `language=en`." in said


def test_the_span_of_a_hover_is_the_name_alone() -> None:
    suite = parse_suite(TEXT)
    found = hover_at(suite, TEXT.index("`my judge`.tone by"), DocumentResults(), NOW, None)

    assert found is not None
    assert TEXT[slice(*found.span)] == "`my judge`.tone"


def test_a_slice_lists_its_cases_and_how_they_did() -> None:
    suite = parse_suite(TEXT)
    results = DocumentResults(
        {
            "case-0": result(suite, "case-0", "pass", score=1.0),
            "case-1": result(suite, "case-1", "fail", score=0.0),
        }
    )
    for place in ("pass_rate[crit|ical]", "crit|ical: {tags"):
        said = at(place, results)
        assert said.startswith("**`critical`** · slice · 20 cases\n\nWhat must never fail")
        assert "Cases with a tag among `vip`." in said
        assert "`case-0`, `case-1`" in said
        assert "Last results: ✓ 1 pass, ✗ 1 fail" in said


def test_a_tag_a_facet_and_a_value_of_one_say_how_many_cases_they_have() -> None:
    assert at("tags: v|ip").startswith("**`vip`** · tag · 20 cases")
    assert at("tags: [v|ip").startswith("**`vip`** · tag · 20 cases")
    assert "- `language=de`: 15 cases\n- `language=en`: 5 cases" in at("by lang|uage)")
    assert "slice of the facet `language` · 5 cases" in at("language|=en]")


def test_functions_thresholds_and_metrics() -> None:
    assert "lower bound of the figure's confidence interval" in at("lo|wer(")
    assert "greatest value among the slices of a facet minus the least" in at("ga|p(")
    assert "As a share: 0.9." in at("|90%")
    assert at("40|00").startswith("**`4000`** · threshold, milliseconds")
    assert "Gates on it: `quality >= 0.8`" in at("qual|ity: ")
    assert "`0.6 * short + 0.4 * score`" in at("qual|ity >=")
    assert at("sho|rt + 0.4").startswith("**`short`** · figure of an evaluator")


def test_the_id_of_a_case_says_which_slices_it_is_in() -> None:
    assert at("id: case|-4").endswith("Slices: `critical`, `language=en`")
    assert "Slices" not in at("id: case|-4", text=TEXT[TEXT.index("evalcases") :])


@pytest.mark.parametrize("place", ["hal|f[", " |>= 90%", "metrics|:"])
def test_where_no_name_is_known_nothing_is_said_of_figures(place: str) -> None:
    said = at(place)
    assert "figure of" not in said
    assert "threshold" not in said


def test_a_suite_without_gates_says_nothing_of_slices() -> None:
    assert at("tags: [v|ip", text=TEXT[TEXT.index("evalcases") :]) == ""


def test_a_sidecar_knows_the_cases_of_its_data_set(tmp_path: Path) -> None:
    case = '{{"id": "{0}", "input": "Hi", "expected_outcome": "Says hello", "tags": ["vip"]}}\n'
    (tmp_path / "talk.jsonl").write_text("".join(case.format(it) for it in "abc"))
    text = "gates:\n  - pass_rate[vip] >= 90%\n"
    path = tmp_path / "talk.yaml"
    path.write_text(text)
    folder = Folder(Workspace(tmp_path), tmp_path)
    around = HoverContext(path, folder, lambda _suite, _folder: RenderedPrompt("", ()))

    found = hover_at(parse_sidecar(text), text.index("vip"), DocumentResults(), NOW, around)

    assert found is not None
    assert "**`vip`** · tag · 3 cases\n\n`a`, `b`, `c`" in found.markdown


def test_figures_of_people_and_judges_say_what_they_are() -> None:
    text = f"""\
judges: {{my judge: {{calibration: judge.json}}}}
human: {{my judge: {{labels: [labels.csv]}}}}
gates:
  - "human.`my judge`.alpha >= 0.667"
  - "human.`my judge`.tone.agreement >= 90%"
  - "lower(judges.`my judge`.specificity) >= 70%"
  - "corrected(`my judge`.pass_rate) >= 80%"
evalcases:
{_CASES}"""
    alpha = at("alp|ha >=", text=text)
    assert alpha.startswith("**`human.my judge.alpha`** · figure of people's labels")
    assert "a coefficient from -1 to 1" in alpha
    assert "cases" not in alpha
    assert "pairs of people's labels that are equal" in at("tone.ag|reement", text=text)
    assert "**`judges.my judge.specificity`** · figure of a judge" in at("spec|ific", text=text)
    assert "corrected for its errors" in at("corr|ected(", text=text)
    assert "a coefficient from -1 to 1" in at("0.6|67", text=text)
    assert "it takes at least" not in at("7|0%", text=text)
