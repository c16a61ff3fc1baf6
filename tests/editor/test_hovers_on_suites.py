from __future__ import annotations

from datetime import timedelta

import pytest

from suitecase.editor.hover import Hover, hover_at
from suitecase.editor.results import DocumentResults
from support.ide.marked_suite import NOW, judged, marked, result, shown, suite


def hover(text: str) -> tuple[str, Hover | None]:
    written, offset = marked(text)
    found = hover_at(written, offset, DocumentResults(), NOW)
    return (shown(written, found.span) if found else ""), found


@pytest.mark.parametrize(
    ("text", "place", "says"),
    [
        ("descr|iption: x\nevalcases: []\n", "«description»: x", "What the suite is about."),
        ("execution:\n  |target: mock\n", "«target»: mock", "by its name in `targets.yaml`"),
        ("evalca|ses:\n  - id: a\n", "«evalcases»:", "The cases."),
        ("evalcases:\n  - i|d: a\n", "- «id»: a", "unique in the suite"),
        ("evalcases:\n  - id|: a\n", "- «id»: a", "unique in the suite"),
        ("evalcases:\n  - id: a\nexecution:\n  tar|get: m\n", "«target»: m", "`targets.yaml`"),
        ("cases:\n  - id: a\n    criteria|: x\n", "«criteria»: x", "**`expected_outcome`**"),
        (
            "evalcases:\n  - rubrics:\n      - score_ran|ges: {0: x}\n",
            "- «score_ranges»: {0: x}",
            "What each score from 0 to 10 means.",
        ),
        (
            "evalcases:\n  - evaluators:\n      - {name: a, type: cont|ains, value: x}\n",
            "- {name: a, type: «contains», value: x}",
            "**`contains`** · evaluator",
        ),
        (
            "evalcases:\n  - evaluators:\n      - name: a\n        type: rub|ric\n",
            "type: «rubric»",
            "**`llm_judge`** · evaluator",
        ),
        (
            "evalcases:\n  - evaluators:\n      - type: contains\n        neg|ate: true\n",
            "«negate»: true",
            "`true` or `false`",
        ),
        ("{evalcases: [{id: a}, {i|d: b}]}", "{evalcases: [{id: a}, {«id»: b}]}", "unique"),
        ("x-a: &a {}\nevalcases:\n  - id: a\n    metadata|: *a\n", "«metadata»: *a", "not used"),
        ("evaluation_mode: ll|m\n", "evaluation_mode: «llm»", "grades every case"),
    ],
)
def test_a_key_or_a_word_shows_what_it_means(text: str, place: str, says: str) -> None:
    at, found = hover(text)

    assert found is not None
    assert at == place
    assert says in found.markdown


@pytest.mark.parametrize(
    "text",
    [
        "evalcases:\n  - id: a\n    input: Hel|lo\n",
        "evalcases:\n  - id: a\n    # a com|ment\n    input: Hello\n",
        "evalcases:\n  - id: a\n    nonsen|se: 1\n",
        "evalcases:\n  - id: a\n    metadata:\n      my ow|n: 1\n",
        "evalcases: [\n|",
        "|",
    ],
)
def test_where_nothing_is_known_nothing_is_shown(text: str) -> None:
    assert hover(text)[1] is None


def test_a_key_that_has_to_be_there_says_so_and_a_default_is_named() -> None:
    _, required = hover("evalcases:\n  - expected_outcom|e: x\n")
    _, default = hover(
        "evalcases:\n  - evaluators:\n      - type: tool_trajectory\n        wei|ght: 1\n"
    )

    assert required is not None
    assert "required" in required.markdown
    assert default is not None
    assert "Default: `1.0`" in default.markdown


SUITE = """\
    evalcases:
      - input: Hi
        id: greet
        expected_outcome: Says hello
      - id: part
        input: Bye
        expected_outcome: Says goodbye
    """


@pytest.mark.parametrize("line", ["  - inp|ut: Hi", "  -| input: Hi", "    id: gre|et"])
def test_the_last_result_is_shown_on_the_first_line_of_a_case_and_on_its_id(line: str) -> None:
    written = suite(SUITE)
    text = written.document.text
    offset = text.index(line.replace("|", "")) + line.index("|")
    last = result(
        written,
        "greet",
        "fail",
        score=0.4,
        hits=["is short"],
        misses=["[warmth] Is *warm*"],
        reasoning="Cold.",
        evaluator_results=[judged(["[warmth] Is *warm*"])],
    )

    found = hover_at(written, offset, DocumentResults({"greet": last}), NOW + timedelta(minutes=5))

    assert found is not None
    assert "✗ fail 0.40" in found.markdown
    assert "5 min ago" in found.markdown
    assert "judged by `critic`" in found.markdown
    assert "- ✓ is short" in found.markdown
    assert found.markdown.count("- ✗ \\[warmth\\] Is \\*warm\\*") == 1
    assert "Cold." in found.markdown
    assert "Stale" not in found.markdown


def test_a_result_of_a_case_that_has_changed_is_called_stale() -> None:
    before = suite(SUITE)
    last = result(before, "greet", "pass", score=1.0)
    after = suite(SUITE.replace("Says hello", "Says hi"))
    other = suite(SUITE.replace("Says goodbye", "Says ciao") + "# a comment\n")
    offset = after.document.text.index("id: greet") + 5

    changed = hover_at(after, offset, DocumentResults({"greet": last}), NOW)
    unchanged = hover_at(other, offset, DocumentResults({"greet": last}), NOW)

    assert changed is not None
    assert "Stale" in changed.markdown
    assert unchanged is not None
    assert "Stale" not in unchanged.markdown


def test_other_lines_of_a_case_do_not_show_its_result() -> None:
    written = suite(SUITE)
    last = result(written, "greet", "pass", score=1.0)
    offset = written.document.text.index("expected_outcome") + 2

    found = hover_at(written, offset, DocumentResults({"greet": last}), NOW)

    assert found is not None
    assert "pass" not in found.markdown
