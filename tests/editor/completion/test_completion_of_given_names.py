"""Completion of existing names: anchors, environment variables, cases, rubrics."""

from __future__ import annotations

from pathlib import Path

import pytest

from suitecase.editor.completion import CompletionContext
from suitecase.format.workspace import Folder, Workspace
from support.ide.completions import Offer, in_folder

CASE = "  - id: a\n    input: x\n    expected_outcome: y\n"
ANCHORS = "x-list: &list [warm]\nx-one: &one\n  note: hello\n"
RESPONSE = "targets:\n  - name: m\n    provider: mock\n    response:"


@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("line", "label", "accepted"),
    [
        ("    rubrics: *▮", "list", "    rubrics: *list"),
        ("    rubrics: *li▮xx", "list", "    rubrics: *list"),
        ("    tags: [🎉, *▮]", "list", "    tags: [🎉, *list]"),
        ("    <<: *▮", "one", "    <<: *one"),
        ("    <▮", "<<: *one", "    <<: *one"),
        ("    <<: ▮", "<<: *one", "    <<: *one"),
        ("    <<: [*one, *▮]", "one", "    <<: [*one, *one]"),
    ],
)
def test_anchors_behind_a_star(line: str, label: str, accepted: str, line_break: str) -> None:
    text = f"\ufeff{ANCHORS}evalcases:\n{CASE}{line}\n".replace("\n", line_break)
    offer = Offer(text)

    assert offer.accepted(label) == text.replace(line, accepted)
    # The nearest first; what is to be merged has to be a mapping.
    assert offer.labels == ([label] if "<" in line else ["one", "list"])


@pytest.mark.parametrize(
    "text",
    [
        f"{ANCHORS}evalcases:\n{CASE}    note: '*▮'\n",
        f"{ANCHORS}evalcases:\n{CASE}    note: a *▮\n",
        f"{ANCHORS}evalcases:\n{CASE}    note: |\n      *▮\n",
        f"{ANCHORS}evalcases:\n{CASE}    # - *▮\n",
        f"evalcases:\n{CASE}    rubrics: *▮\nx-list: &list [warm]\n",
        f"evalcases:\n{CASE}    metadata: &own\n      a: *▮\n",
    ],
    ids=[
        "in quotes",
        "within a text",
        "in a block",
        "in a comment",
        "given below",
        "within itself",
    ],
)
def test_where_a_star_is_no_alias(text: str) -> None:
    assert Offer(text).labels == []


def test_a_star_offers_aliases_alone() -> None:
    text = f"{ANCHORS}evalcases:\n{CASE}    tags: [▮]\n"

    assert Offer(text.replace("▮", "*▮"), CompletionContext(trigger="*")).labels == ["one", "list"]
    assert Offer(text.replace("[▮]", "a*▮"), CompletionContext(trigger="*")).labels == []
    line = '{"id": "a", "tags": ["x", "*▮"]}\n{"id": "b", "tags": ["*y"]}\n'
    assert Offer(line, name="a.jsonl").labels == ["*y"]
    assert Offer(line, CompletionContext(trigger="*"), name="a.jsonl").labels == []


def test_variables_of_the_environment_are_those_that_files_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "evals").mkdir()
    (tmp_path / ".env.example").write_text("# For the desk\nexport DESK_KEY=\n#DESK_URL=http://x\n")
    (tmp_path / ".env").write_text("HIDDEN_KEY=secret\n")
    (tmp_path / "targets.yaml").write_text("targets: [{name: x, model: '${{ OTHER }}'}]\n")
    monkeypatch.setenv("MINE_ALONE", "secret")
    around = in_folder(tmp_path / "evals", tmp_path)
    target = "targets:\n  - name: m\n    provider: openai\n    model: ${{ MODEL }}\n    api_key: "

    offer = Offer(f"{target}${{{{▮\n", around, name="targets.yaml")

    assert offer.labels == ["MODEL", "DESK_KEY", "DESK_URL", "OTHER", "OPENAI_API_KEY"]
    assert [it.detail for it in offer.completion.items][:2] == [
        "named in this file",
        "named in `.env.example`",
    ]
    assert "secret" not in repr(offer.completion)
    assert offer.accepted("DESK_KEY") == f"{target}${{{{ DESK_KEY }}}}\n"
    again = Offer(f"{target}x ${{{{ DES▮X }}}} y\n", around, name="targets.yaml")
    assert "DESX" not in again.labels
    assert again.accepted("DESK_KEY") == f"{target}x ${{{{ DESK_KEY }}}} y\n"
    assert Offer(f"{target}{{{{ ▮\n", around, name="targets.yaml").labels == []


@pytest.mark.parametrize(
    ("target", "labels"),
    [
        (
            "{name: m, provider: litellm, model: anthropic/x, api_key: '${{ ▮'}",
            ["ANTHROPIC_API_KEY"],
        ),
        ("{name: m, api_key: '${{ ▮', provider: azure}", ["AZURE_API_KEY"]),
        ("{name: m, provider: openai, model: '${{ ▮'}", []),
    ],
)
def test_the_key_of_a_model_has_a_usual_name(target: str, labels: list[str]) -> None:
    assert Offer(f"targets:\n  - {target}\n", name="targets.yaml").labels == labels


@pytest.mark.parametrize("begun", [" ▮", " OPEN▮", " $▮", "▮", ' "▮"'])
def test_a_key_is_given_by_a_variable_at_once(begun: str) -> None:
    target = "targets:\n  - name: m\n    provider: openai\n    api_key:"

    offer = Offer(f"{target}{begun}\n    model: x\n", name="targets.yaml")

    assert offer.labels[0] == "${{ OPENAI_API_KEY }}"
    quote = '"' if '"' in begun else ""
    value = f"{quote}${{{{ OPENAI_API_KEY }}}}{quote}"
    assert offer.accepted("${{ OPENAI_API_KEY }}") == f"{target} {value}\n    model: x\n"
    assert Offer(f"{target} sk-▮\n", name="targets.yaml").labels == []


@pytest.mark.parametrize(
    ("begun", "accepted"),
    [
        ("\n      ▮\n", "\n      'b: c': \n"),
        ("\n      greet: Hi\n      ▮: Yes\n", "\n      greet: Hi\n      'b: c': Yes\n"),
        (" {▮}\n", " {'b: c': }\n"),
    ],
)
def test_the_cases_that_a_target_has_no_answer_for(begun: str, accepted: str) -> None:
    around = CompletionContext(case_ids=lambda: ["greet", "b: c", "b: c"])
    offer = Offer(RESPONSE + begun, around, name="targets.yaml")

    assert offer.labels == (["b: c"] if "greet" in begun else ["greet", "b: c"])
    assert offer.accepted("b: c") == RESPONSE + accepted


def test_the_id_of_a_rubric_tells_what_it_is_about(tmp_path: Path) -> None:
    other = f"{CASE}    rubrics:\n      - {{id: warm, expected_outcome: Is warm}}\n"
    rubrics = "    rubrics:\n      - {id: is-warm-and-short, expected_outcome: x}\n      - id: ▮\n"
    text = f"evalcases:\n{other}{CASE.replace('a', 'b', 1)}{rubrics}"
    offer = Offer(text + "        expected_outcome: Is warm, and short!\n")
    folder = Folder(Workspace(tmp_path), tmp_path)

    assert offer.labels == ["is-warm-and", "warm"]
    taken = Offer(text.replace("-short", "") + "        expected_outcome: Is warm, and short!\n")
    assert taken.labels == ["is-warm-and-2", "warm"]
    assert Offer(text, CompletionContext(folder)).labels == ["warm"]
