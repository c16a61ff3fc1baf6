"""The outline, the folds, and expanding a selection."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from suitecase.editor.folding import FoldKind, folds
from suitecase.editor.selection import selections
from suitecase.editor.symbols import Symbol, symbols
from suitecase.format.target_files import ParsedTargets, parse_targets
from suitecase.formats.suitecase.parsed import ParsedSuite, parse_dataset
from support.ide.marked_suite import marked, suite
from support.suites.editor_texts import EVERYTHING, TARGETS


def outline(written: ParsedSuite | ParsedTargets) -> str:
    """Return an outline as lines: the kind, name and detail of each symbol."""
    lines: list[str] = []

    def add(symbol: Symbol, depth: int) -> None:
        detail = f" | {symbol.detail}" if symbol.detail else ""
        lines.append(f"{'  ' * depth}{symbol.kind} {symbol.name}{detail}")
        for it in symbol.children:
            add(it, depth + 1)

    for it in symbols(written):
        add(it, 0)
    return "\n".join(lines)


def test_an_outline_shows_cases_and_what_stands_in_them() -> None:
    assert outline(suite(EVERYTHING)) == dedent("""\
        suite Greets 😀
          evaluator tone | llm_judge, weight 2
          evaluator mix | composite
            evaluator warm | llm_judge
              rubric rubric-1 | Is warm
              rubric kind | Is kind
            evaluator short | regex
          case greet | Says hello
            message user | Hi 😀
            rubric rubric-1 | Is short
            rubric warmth | 0 to 10
          case part | Says goodbye
            message system | Be kind
            message user | Bye
            message expected assistant | Goodbye
            evaluator own | llm_judge
            evaluator form | json_schema
          case left | Says nothing
            message user | {{ question }}""")


def test_an_outline_of_targets_and_of_a_data_set() -> None:
    assert outline(parse_targets(Path("targets.yaml"), TARGETS)) == dedent("""\
        suite targets
          target small | openai gpt-4o-mini
          target large | azure gpt-4o
          target agent | cli""")
    line = '{"id": "a", "input": "Hi", "expected_outcome": "Says hello"}\n'
    assert outline(parse_dataset(line, None)) == dedent("""\
        suite dataset | 1 case
          case a | Says hello
            message user | Hi""")


def test_a_case_that_does_not_parse_keeps_its_name_and_the_others_all_they_have() -> None:
    shown = outline(suite(EVERYTHING.replace("input: Hi 😀", 'input: "Hi 😀')))

    assert "case greet" in shown
    assert "    message system | Be kind" in shown
    unnamed = outline(suite("evalcases:\n  - input: Hi\n  - just text\n"))
    assert [it.strip() for it in unnamed.splitlines()[1:]] == [
        "case case 1",
        "message user | Hi",
        "case case 2",
    ]


def folded(text: str) -> list[str]:
    """Return the first and last line of each fold, and its kind unless it is code."""
    lines = text.splitlines()
    return [
        f"{lines[it.first].strip()} .. {lines[it.last].strip()}"
        + ("" if it.kind is FoldKind.CODE else f" ({it.kind})")
        for it in folds(suite(text).document)
    ]


def test_what_folds() -> None:
    text = dedent("""\
        # Greetings
        # at the desk.
        execution:
          evaluators:
            - name: tone
              type: llm_judge
        evalcases:
          # region the first
          - id: a
            input: |
              Hi
              there
            metadata: {a: 1,
              b: 2}
          # endregion
          - {id: b, input: Hi}
        """)

    assert folded(text) == [
        "# Greetings .. # at the desk. (comment)",
        "execution: .. type: llm_judge",
        "evaluators: .. type: llm_judge",
        "- name: tone .. type: llm_judge",
        "evalcases: .. - {id: b, input: Hi}",
        "# region the first .. # endregion (region)",
        "- id: a .. b: 2}",
        "input: | .. there",
        "metadata: {a: 1, .. b: 2}",
    ]


def test_a_hash_in_a_text_is_no_comment_to_fold() -> None:
    assert folded("evalcases:\n  - id: a\n    input: |\n      # Title\n      # Subtitle\n") == [
        "evalcases: .. # Subtitle",
        "- id: a .. # Subtitle",
        "input: | .. # Subtitle",
    ]


def test_a_case_that_does_not_parse_folds_as_a_whole() -> None:
    found = folded('evalcases:\n  - id: a\n    input: "Hi\n    note: x\n  - id: b\n    input: Hi\n')

    assert "- id: a .. note: x" in found
    assert "- id: b .. input: Hi" in found


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        (
            "execution:\n  target: mock\nevalcases:\n  - id: a\n    input: Hello th|ere\n",
            [
                "there",
                "Hello there",
                "input: Hello there",
                "id: a\n    input: Hello there",
                "- id: a\n    input: Hello there",
                "evalcases:\n  - id: a\n    input: Hello there",
                "execution:\n  target: mock\nevalcases:\n  - id: a\n    input: Hello there\n",
            ],
        ),
        (
            "evalcases:\n  - id: a\n    rubrics:\n      - Is sh|ort\n      - 'It''s warm'\n",
            [
                "short",
                "Is short",
                "- Is short",
                "- Is short\n      - 'It''s warm'",
                "rubrics:\n      - Is short\n      - 'It''s warm'",
            ],
        ),
        (
            "evalcases:\n  - id: a\n    input: |\n      Ask {{ quest|ion }} now\n      or not\n",
            [
                "question",
                "{{ question }}",
                "Ask {{ question }} now",
                "Ask {{ question }} now\n      or not",
                "|\n      Ask {{ question }} now\n      or not",
                "input: |\n      Ask {{ question }} now\n      or not",
            ],
        ),
        ("evalcases:\n  - id: 'a |b'\n", ["b", "a b", "'a b'", "id: 'a b'", "- id: 'a b'"]),
        ("# one\n# tw|o\nevalcases:\n  - id: a\n", ["two", "# two", "# one\n# two"]),
        (
            'evalcases:\n  - id: a\n    input: [Hi, "th|ere\n',
            ["there", '- id: a\n    input: [Hi, "there'],
        ),
    ],
)
def test_a_selection_grows_step_by_step(text: str, steps: list[str]) -> None:
    if text.count("|") > 1:
        at = text.rindex("|")
        written, offset = suite(text[:at] + text[at + 1 :]), at
    else:
        written, offset = marked(text)
    whole = written.document.text

    found = [whole[it.start : it.end] for it in selections(written.document, offset)]

    at_step = iter(found)
    assert all(step in at_step for step in steps), found
