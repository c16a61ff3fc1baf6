"""From gates to what they name and back, and renaming it everywhere or not at all."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from suitecase.editor.navigation.file_edits import CannotRenameError
from suitecase.editor.navigation.references import references
from suitecase.figures.gates.names import suite_figures
from suitecase.formats.suitecase.parsed import parse_dataset, parse_suite
from support.ide.marked_workspace import MarkedWorkspace

SUITE = """\
slices:
  critical: {tags: [vip, rich]}
  language: {by: metadata.language}
  one: {id: first}
metrics:
  quality: 0.6 * tone + 0.4 * score
gates:
  - lower(pass_rate[critical]) >= 50%  # why
  - "tone.warm[vip] >= 10%"
  - gap(tone by language) <= 90%
  - quality >= 0.1
  - tone.pass_rate[language=de] >= 10%
  - {gate: 'both.short >= 10%', level: warning}
evalcases:
  - id: first
    input: Hi
    expected_outcome: Says hello
    tags: [vip]
    metadata: {language: de}
    evaluators:
      - {name: tone, type: llm_judge, rubrics: [{id: warm, expected_outcome: Is warm}]}
      - name: both
        type: composite
        evaluators: [{name: short, type: icontains, value: hi}]
        aggregator: {type: weighted_average, weights: {short: 2}}
  - id: second
    input: Bye
    expected_outcome: Says bye
    tags: [vip, slow]
    metadata: {language: en}
    evaluators:
      - {name: tone, type: llm_judge, rubrics: [{id: warm, expected_outcome: Is warm}]}
      - {name: other, type: icontains, value: bye}
"""


def opened(
    folder: Path, before: str, text: str = SUITE, at: str = "a.eval.yaml"
) -> MarkedWorkspace:
    """Return a workspace with the cursor at the `|` in a part of a suite."""
    assert before.replace("|", "") in text
    return MarkedWorkspace(folder, {at: text.replace(before.replace("|", ""), before, 1)}, at=at)


@pytest.mark.parametrize(
    ("place", "definitions"),
    [
        ("[cri|tical])", ["«critical»: {tags: [vip, rich]}"]),
        ("tone by lang|uage", ["«language»: {by: metadata.language}"]),
        ("[lang|uage=de]", ["«language»: {by: metadata.language}"]),
        ("qual|ity >=", ["quality"]),
        ("[v|ip] >=", ["tags: [«vip»]", "tags: [«vip», slow]"]),
        ("to|ne.warm[", ["name: «tone»", "name: «tone»"]),
        ("tone.wa|rm[", ["id: «warm»", "id: «warm»"]),
        ("both.sho|rt >=", ["name: «short»"]),
        ("{id: fir|st}", ["- id: «first»"]),
        ("name: to|ne, type", ["name: «tone»"]),
        ("pass_r|ate[", []),
    ],
)
def test_definitions(tmp_path: Path, place: str, definitions: list[str]) -> None:
    found = opened(tmp_path, place).definition()

    assert len(found) == len(definitions)
    for shown, expected in zip(found, definitions, strict=True):
        assert expected.strip("«»") in shown.replace("«quality»", "quality")


def test_references_of_an_evaluator_are_in_gates_too(tmp_path: Path) -> None:
    found = opened(tmp_path, "name: to|ne, type").references()

    assert [it.partition(": ")[2] for it in found[:4]] == [
        "quality: 0.6 * «tone» + 0.4 * score",
        '- "«tone».warm[vip] >= 10%"',
        "- gap(«tone» by language) <= 90%",
        "- «tone».pass_rate[language=de] >= 10%",
    ]
    assert len(found) == 6


JUDGED = SUITE.replace(
    "gates:\n",
    "human: {tone: {labels: [labels.csv]}}\n"
    "gates:\n  - human.tone.alpha >= 0.6\n  - human.tone.warm.kappa >= 0.6\n",
)


def test_references_of_an_evaluator_are_in_gates_on_people_and_judges_too(tmp_path: Path) -> None:
    found = opened(tmp_path, "name: to|ne, type", JUDGED).references()

    shown = [it.partition(": ")[2] for it in found]
    assert "- human.«tone».alpha >= 0.6" in shown
    assert "- human.«tone».warm.kappa >= 0.6" in shown
    items = opened(tmp_path, "tone.wa|rm[", JUDGED).references()
    assert "- human.tone.«warm».kappa >= 0.6" in [it.partition(": ")[2] for it in items]


def test_highlights_of_a_tag_are_in_gates_and_slices_too(tmp_path: Path) -> None:
    assert opened(tmp_path, "tags: [v|ip, slow]").highlights() == [
        "a.eval.yaml: critical: {tags: [«vip», rich]}",
        'a.eval.yaml: - "tone.warm[«vip»] >= 10%"',
        "a.eval.yaml: tags: [«vip»]",
        "a.eval.yaml: tags: [«vip», slow]",
    ]


@pytest.mark.parametrize("new", ["polite", "my judge", "a.b", 'it\'s: "x"'])
@pytest.mark.parametrize(
    ("place", "other"),
    [
        ("to|ne.warm[", "name: to|ne, type"),
        ("tone.wa|rm[", "id: wa|rm"),
        ("[cri|tical])", "cri|tical: {"),
        ("by lang|uage)", "lang|uage: {"),
        ("[v|ip] >=", "tags: [v|ip, slow]"),
        ("qual|ity >=", "qual|ity: 0.6"),
        ("both.sho|rt >=", "name: sho|rt,"),
        ("name: bo|th", "bo|th.short"),
    ],
)
def test_a_new_name_is_written_everywhere_and_back_again(
    tmp_path: Path, place: str, other: str, new: str
) -> None:
    workspace = opened(tmp_path / "one", place)
    old = SUITE[SUITE.index(place.replace("|", "")) + place.index("|") :]
    before = workspace.bytes()
    workspace.rename(new)
    after = workspace.bytes()["a.eval.yaml"].decode()

    figures = suite_figures(parse_suite(after))
    assert all(figures.meaning(it) is not None for gate in figures.gates for it in gate.figures())
    assert all(
        it.slice is None or figures.cases_of(figures.choose(it.slice.text))
        for gate in figures.gates
        for it in gate.figures()
    )
    assert "  # why" in after
    assert len(figures.gates) == 6
    # From the other end it is the same.
    from_other = opened(tmp_path / "two", other)
    from_other.rename(new)
    assert from_other.bytes() == workspace.bytes() != before
    assert old


def test_names_are_put_in_backquotes_where_gates_need_them(tmp_path: Path) -> None:
    workspace = opened(tmp_path, "name: to|ne, type")
    workspace.rename("my judge")
    text = workspace.bytes()["a.eval.yaml"].decode()

    assert "quality: 0.6 * `my judge` + 0.4 * score" in text
    assert '- "`my judge`.warm[vip] >= 10%"' in text
    assert "- gap(`my judge` by language) <= 90%" in text
    assert "- '`my judge`.pass_rate[language=de] >= 10%'" in text


@pytest.mark.parametrize(
    ("place", "new", "reason"),
    [
        ("to|ne.warm[", "score", "would mean something else if `tone` were named `score`"),
        ("to|ne.warm[", "quality", "would mean something else"),
        ("tone.wa|rm[", "pass_rate", "would mean something else"),
        ("[v|ip] >=", "slow", "a tag named `slow` is already there"),
        ("[cri|tical])", "one", "a slice named `one` is already there"),
        ("[cri|tical])", "a]b", "cannot name `a\\]b`; choose another name"),
        ("qual|ity >=", "a`b", "cannot name `a`b`"),
        ("name: oth|er", "tone", "already there|would mean something else"),
        ("pass_r|ate[", "x", "nothing here can be renamed"),
    ],
)
def test_a_name_with_which_a_gate_would_mean_something_else_is_refused(
    tmp_path: Path, place: str, new: str, reason: str
) -> None:
    workspace = opened(tmp_path, place)
    before = workspace.bytes()

    with pytest.raises(CannotRenameError, match=reason):
        workspace.rename(new)
    assert workspace.bytes() == before


def test_without_gates_an_evaluator_of_one_case_is_renamed_alone(tmp_path: Path) -> None:
    text = SUITE[SUITE.index("evalcases") :]
    workspace = opened(tmp_path, "name: to|ne, type", text)
    workspace.rename("polite")

    assert workspace.bytes()["a.eval.yaml"].decode().count("polite") == 1


def test_a_data_set_and_its_sidecar_are_one_suite(tmp_path: Path) -> None:
    case = (
        '{"id": "%s", "input": "Hi", "expected_outcome": "x", "tags": ["vip"], '
        '"evaluators": [{"name": "tone", "type": "icontains", "value": "hi"}]}\n'
    )
    files = {
        "talk.jsonl": case % "a" + case % "b",
        "talk.yaml": "gates:\n  - to|ne[vip] >= 90%\n",
    }
    workspace = MarkedWorkspace(tmp_path, files, at="talk.yaml")
    assert len(workspace.definition()) == 2

    assert workspace.rename("my judge") == ["talk.jsonl", "talk.yaml"]

    texts = {name: it.decode() for name, it in workspace.bytes().items()}
    assert texts["talk.yaml"] == "gates:\n  - '`my judge`[vip] >= 90%'\n"
    assert texts["talk.jsonl"].count('"name": "my judge"') == 2
    figures = suite_figures(parse_dataset(texts["talk.jsonl"], texts["talk.yaml"]))
    assert [figures.meaning(it) for it in figures.gates[0].figures()] != [None]


def test_a_tag_of_thousands_of_cases_is_found_at_once(tmp_path: Path) -> None:
    case = (
        "  - {id: c%d, input: Hi, expected_outcome: x, tags: [vip], "
        "evaluators: [{name: tone, type: icontains, value: hi}]}\n"
    )
    cases = "".join(case % it for it in range(2_000))
    text = f"gates:\n  - to|ne[vip] >= 90%\nevalcases:\n{cases}"
    workspace = MarkedWorkspace(tmp_path, {"a.eval.yaml": text}, at="a.eval.yaml")

    start = time.process_time()
    found = references(
        workspace.surroundings, workspace.summary, workspace.offset, with_definition=True
    )
    assert len(found) == 2_001
    assert time.process_time() - start < 2
