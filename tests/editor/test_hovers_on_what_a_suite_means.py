"""Hovers on targets, prompts, weights, score ranges, aliases and comments."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from suitecase.editor.hover import (
    Hover,
    HoverContext,
    RenderedPrompt,
    hover_at,
    hover_in_prompt,
    hover_in_targets,
)
from suitecase.editor.markdown import fenced, plain_text
from suitecase.editor.results import DocumentResults
from suitecase.format.target_files import parse_targets
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.parsed import parse_dataset, parse_suite
from support.ide.marked_suite import NOW, marked, result
from support.suites.editor_texts import EVERYTHING, TARGETS, write_surroundings


@pytest.fixture
def around(tmp_path: Path) -> HoverContext:
    write_surroundings(tmp_path)
    folder = Folder(Workspace(tmp_path), tmp_path)
    return HoverContext(
        tmp_path / "a.eval.yaml", folder, lambda _suite, _folder: RenderedPrompt("Bye?", ())
    )


def at(text: str, place: str, around: HoverContext | None) -> str:
    """Return the hover at the `|` in a part of a text; empty if there is none."""
    offset = text.index(place.replace("|", "")) + place.index("|")
    found = hover_at(parse_suite(text), offset, DocumentResults(), NOW, around)
    return found.markdown if found else ""


def test_a_target_is_shown_as_it_is_defined_without_its_secrets(
    around: HoverContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SMALL_KEY", "the-value-of-the-key")

    said = at(EVERYTHING, "target: sm|all", around)

    assert "**`small`** · `openai` · `targets.yaml`, line 3" in said
    assert "model: gpt-4o-mini\napi_key: ${{ SMALL_KEY }}" in said
    assert "judged by `large`" in said
    assert "From the environment: `SMALL_KEY`." in said
    assert os.environ["SMALL_KEY"] not in said


@pytest.mark.parametrize(
    ("setting", "hidden"),
    [
        ("api_key: sk-live-1", "sk-live-1"),
        ("api_base: https://me:pass1@host", "pass1"),
        ("api_base: https://host/v1?api_key=abc", "abc"),
        ("params: {extra_headers: {Authorization: Basic xyz1}}", "xyz1"),
        ("params: {headers: [{x: hush1}]}", "hush1"),
        ("params: {password: 123456789}", "123456789"),
        ("params: {user: 0a1b2c3d4e5f6a7b8c9d0e1f}", "0a1b2c3d4e5f"),
        ("params: {user: value-from-the-environment}", "value-from-the-environment"),
        ("command_template: curl -H X-Token:hush2 {PROMPT}", "hush2"),
        ("api_key: prefix-${{ KEY }}", "prefix"),
        ("endpoint: ${{ HOST }}/v1?sig=hush3", "hush3"),
        ("command_template: agent --api-key hush4 {PROMPT}", "hush4"),
    ],
)
def test_what_may_be_a_secret_is_not_shown(
    setting: str, hidden: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_SECRET", "value-from-the-environment")
    text = f"targets:\n  - name: small\n    provider: openai\n    {setting}\n"
    targets = parse_targets(Path("targets.yaml"), text)

    found = hover_in_targets(targets, text.index("small"), "targets.yaml", {})

    assert found is not None
    assert "provider: openai" in found.markdown
    assert hidden not in found.markdown


@pytest.mark.parametrize(
    "setting",
    [
        "api_base: https://host:8080/v1",
        "response: The keyboard is a token of thanks.",
        "command_template: python agent.py --file {FILES}",
        "max_output_tokens: 400",
    ],
)
def test_what_is_no_secret_is_shown(setting: str) -> None:
    text = f"targets:\n  - name: small\n    provider: openai\n    {setting}\n"

    found = hover_in_targets(
        parse_targets(Path("targets.yaml"), text), text.index("small"), "targets.yaml", {}
    )

    assert found is not None
    assert setting in found.markdown


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        ({"DESK_KEY": "sk-do-not-show"}, "`DESK_KEY` is **set**"),
        ({"DESK_KEY": ""}, "`DESK_KEY` is **empty**"),
        ({"OTHER": "x"}, "`DESK_KEY` is **not set**"),
    ],
)
def test_of_a_variable_it_is_told_whether_it_is_set(environ: dict[str, str], said: str) -> None:
    text = "targets:\n  - name: 😀\n    provider: openai\n    api_key: Bearer ${{ DESK_KEY }}\n"
    targets = parse_targets(Path("targets.yaml"), text)

    found = hover_in_targets(targets, text.index("DESK"), "targets.yaml", environ)
    beside = hover_in_targets(targets, text.index("Bearer"), "targets.yaml", environ)

    assert found is not None
    assert text[found.span.start : found.span.end] == "${{ DESK_KEY }}"
    assert said in found.markdown
    assert "sk-do-not-show" not in found.markdown
    assert beside is None or "DESK_KEY` is" not in beside.markdown


def test_a_judge_of_a_target_is_shown_where_it_is_named() -> None:
    targets = parse_targets(Path("targets.yaml"), TARGETS)

    found = hover_in_targets(targets, TARGETS.index("judge_target: large") + 15, "targets.yaml", {})
    key = hover_in_targets(targets, TARGETS.index("api_key"), "targets.yaml", {})

    assert found is not None
    assert "**`large`** · `azure`" in found.markdown
    assert "deployment: gpt-4o" in found.markdown
    assert "sk-do-not-show" not in found.markdown
    assert key is not None
    assert "**`api_key`** · text" in key.markdown


def test_the_prompt_of_a_judge_is_shown_as_it_will_be_sent(around: HoverContext) -> None:
    offset = EVERYTHING.index("prompt: |") + 2
    found = hover_at(parse_suite(EVERYTHING), offset, DocumentResults(), NOW, around)

    assert found is not None
    assert "**What `large` is asked to judge by**" in found.markdown
    assert "Is (the answer of small) fine\nfor Bye?? {{ qestion }}" in found.markdown


def test_rubrics_of_a_case_show_the_prompt_that_nobody_wrote(around: HoverContext) -> None:
    said = at(EVERYTHING, "ru|brics:\n      - Is short", around)

    assert "Becomes an `llm_judge`" in said
    assert "Bye?" in said
    assert "[warmth] (weight 3, score 0 to 10, REQUIRED: at least 6)" in said


def test_a_prompt_for_all_cases_is_not_filled_in(around: HoverContext) -> None:
    said = at(EVERYTHING, "name: warm, type: llm_|judge", around)

    assert "It is filled in for each case." in said
    assert "{{ candidate_answer }}" in said
    assert "[kind] (weight 1, REQUIRED)\nIs kind" in said


def test_long_texts_in_a_prompt_are_cut_with_notice(around: HoverContext) -> None:
    long = HoverContext(
        around.path, around.folder, lambda _suite, _folder: RenderedPrompt("Bye " * 5_000, ())
    )
    gone = HoverContext(around.path, around.folder, lambda _suite, _folder: "the file `a` is gone")

    said = at(EVERYTHING, "ru|brics:\n      - Is short", long)

    assert "… (19,600 more characters)" in said
    assert len(said) < 3_000
    assert "It cannot be filled in: the file `a` is gone." in at(
        EVERYTHING, "ru|brics:\n      - Is short", gone
    )


def test_a_variable_shows_its_meaning_and_its_value_in_the_case(around: HoverContext) -> None:
    said = at(EVERYTHING, "{{ in|put }}? ", around)

    assert "**`{{ question }}`**" in said
    assert "its name in another format" in said
    assert "```text\nBye?\n```" in said
    assert not at(EVERYTHING, "{{ qest|ion }}", around).startswith("**`{{")
    found = hover_in_prompt("Is {{ candidate_answer }} fine?", 6)
    assert found is not None
    assert "The answer that is judged." in found.markdown


@pytest.mark.parametrize(
    ("place", "says"),
    [
        ("weig|ht: 3", "**75 %** of the score: 3 of 1 + 3 = 4."),
        ("weight: |3", "**75 %** of the score"),
        ("weights: {wa|rm: 2", "**66.7 %** of the score: 2 of 2 + 1 = 3."),
    ],
)
def test_a_weight_shows_its_share(place: str, says: str) -> None:
    assert says in at(EVERYTHING, place, None)


def test_a_weight_beside_rubrics_counts_these_too() -> None:
    text = "evalcases:\n  - id: a\n    rubrics: [x]\n    evaluators: [{name: b, weight: 3}]\n"

    said = at(text, "wei|ght", None)

    assert "**75 %** of the score: 3 of 3 + 1 = 4, of which 1 belong" in said


GAPS = """\
evalcases:
  - id: a
    rubrics:
      - id: warmth
        required_min_score: 3
        score_ranges:
          - {score_range: [0, 2], expected_outcome: Cold}
          - {score_range: [2, 4], expected_outcome: Cool}
          - {score_range: [7, 10], expected_outcome: Warm}
"""
PICTURE = """\
        0  1  2  3  4  5  6  7  8  9 10
0-2     ■  ■  ■  ·  ·  ·  ·  ·  ·  ·  ·  Cold
2-4     ·  ·  ■  ■  ■  ·  ·  ·  ·  ·  ·  Cool
7-10    ·  ·  ·  ·  ·  ·  ·  ■  ■  ■  ■  Warm
gap     ·  ·  ·  ·  ·  ?  ?  ·  ·  ·  ·  no range covers these
twice   ·  ·  !  ·  ·  ·  ·  ·  ·  ·  ·  more than one range covers these
gate    ✗  ✗  ✗  ·  ·  ·  ·  ·  ·  ·  ·  below 3 fails the case
hit     ·  ·  ·  ·  ·  ·  ·  ✓  ✓  ✓  ✓  from 7
"""


@pytest.mark.parametrize("place", ["score_ran|ges", "required_min|_score", "id: warm|th", "|Cool"])
def test_score_ranges_are_drawn(place: str) -> None:
    assert PICTURE in at(GAPS, place, None)


def test_score_ranges_of_the_map_form_are_drawn_in_the_head_too() -> None:
    said = at(EVERYTHING, "score_ranges: {0: C|old", None)

    assert "3-5     ·  ·  ·  ■  ■  ■  ·  ·  ·  ·  ·  Cool" in said
    assert "gap" not in said


def test_an_alias_shows_what_it_stands_for_and_an_anchor_how_often() -> None:
    said = at(EVERYTHING, "- *to|ne", None)

    assert "**`*tone`** stands for `&tone` in line 4" in said
    assert "{name: tone, type: llm_judge, prompt: tone.md, weight: 2}" in said
    assert "stands for it once" in at(EVERYTHING, "- &to|ne", None)
    block = "x-a: &a\n  one: 1\n  two: 2\nb: *a\nevalcases: []\n"
    assert "x-a: &a\n  one: 1\n  two: 2\n```" in at(block, "b: *|a", None)
    assert not at("evalcases:\n  - id: a\n    input: 5 *ab\n", "*a|b", None)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("SC302", "**`SC302` unknown-prompt-variable** · error"),
        ("unknown-prompt-variable", "An unknown `{{ name }}` would be sent"),
        ("SC3", "[prompt-file-missing](https://"),
    ],
)
def test_a_code_in_a_comment_shows_its_rule(name: str, says: str) -> None:
    text = EVERYTHING.replace("SC302", name)

    assert says in at(text, f"ignore[{name[:3]}|", None)
    assert not at(EVERYTHING.replace("SC302", "SC999"), "SC9|99", None)


def test_a_code_in_a_data_set_shows_its_rule() -> None:
    text = '{"id": "a", "input": "Hi", "expected_outcome": "x", "x-suitecase": "ignore[SC302]"}\n'

    found = hover_at(parse_dataset(text, None), text.index("SC302"), DocumentResults(), NOW)

    assert found is not None
    assert "unknown-prompt-variable" in found.markdown


def test_a_key_shows_an_example_and_links_to_its_rules() -> None:
    said = at(GAPS, "required_min|_score", None)

    assert "```yaml\nrequired_min_score: 7\n```" in said
    assert (
        "[zero-min-score](https://github.com/suitecase/suitecase/blob/main/docs/rules/zero-min-score.md)"
        in said
    )


def test_a_result_shows_what_it_cost() -> None:
    written, offset = marked("evalcases:\n  - id: gr|eet\n")
    last = result(
        written, "greet", "pass", trace_summary={"cost_usd": 0.002}, judge_cost_usd=0.0011
    )

    found = hover_at(written, offset, DocumentResults({"greet": last}), NOW)

    assert found is not None
    assert "$0.0031" in found.markdown


def test_markdown_as_text_keeps_what_it_says() -> None:
    markdown = (
        "**`a`** · text\n\n---\n\nSee [the rule](https://x.dev/a_b) of \\*all\\*.\n\n"
        + fenced("x: `**y**`\n```", "yaml")
        + "\n\n**end**"
    )

    assert plain_text(markdown) == (
        "a · text\n\nSee the rule (https://x.dev/a_b) of *all*.\n\nx: `**y**`\n```\n\nend"
    )


def test_the_hover_of_a_text_without_a_folder_says_what_can_be_said() -> None:
    said = at(EVERYTHING, "tar|get: small", None)
    found: Hover | None = hover_at(parse_suite(""), 0, DocumentResults(), NOW)

    assert "**`target`** · text" in said
    assert found is None
