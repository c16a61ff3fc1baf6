"""Which format a suite was of is said by its newest mark; a foreign suite is of none."""

from __future__ import annotations

from pathlib import Path

import pytest

from suitecase.authoring.migration import migrate
from suitecase.format.workspace import Workspace

OWN = "{name: c, type: code_judge, script: [true], threshold: 1, tests: 2}"
CASE = "id: a, input: Hi"


@pytest.mark.parametrize(
    ("text", "era"),
    [
        (
            "testcases:\n  - {id: a, outcome: x, messages: [{role: user, content: Hi}]}\n",
            "2025-11-15 (`outcome`, `testcases`, `messages`)",
        ),
        (
            f"evalcases:\n  - {{{CASE}, expected_outcome: x, rubrics: [{{description: y}}]}}\n",
            "2025-12-16 (`description`)",
        ),
        (f"cases:\n  - {{{CASE}, criteria: x}}\n", "2026-02-19 (`cases`, `criteria`)"),
        (f"tests:\n  - {{{CASE}, criteria: x}}\n", "2026-02-20 (`tests`, `criteria`)"),
        (
            f"tests:\n  - {{{CASE}, criteria: x, assert: [y]}}\n",
            "2026-02-21 (`assert`, `tests`, `criteria`)",
        ),
        (
            f"tests:\n  - {{{CASE}, criteria: x, assert: [{{type: is-json}}]}}\n",
            "2026-03-07 (`is-json`, `assert`, `tests`)",
        ),
        (
            f"tests:\n  - {{{CASE}, assertions: [{{type: llm-grader}}]}}\n",
            "2026-03-16 (`llm-grader`, `assertions`, `tests`)",
        ),
        # What an author calls their own settings says nothing of the format.
        (
            f"evalcases:\n  - {{{CASE}, expected_outcome: x, evaluators: [{OWN}]}}\n",
            None,
        ),
        (f"evalcases:\n  - {{{CASE}, expected_outcome: x}}\n", None),
    ],
)
def test_the_newest_mark_says_of_which_format_a_suite_is(
    text: str, era: str | None, tmp_path: Path
) -> None:
    made = migrate(text, tmp_path / "a.eval.yaml", Workspace(tmp_path))
    assert made is not None
    assert (made.era and str(made.era)) == (era and f"AgentV's format of {era}")


@pytest.mark.parametrize(
    "text",
    [
        "prompts: [Hi]\nproviders: [echo]\ntests:\n  - vars: {a: b}\n",
        # A case that looks like ours does not make it half a suite of ours.
        f"prompts: [Hi]\ntests:\n  - {{{CASE}, criteria: x}}\n",
    ],
)
def test_a_suite_of_another_tool_is_not_migrated(text: str, tmp_path: Path) -> None:
    assert migrate(text, tmp_path / "a.eval.yaml", Workspace(tmp_path)) is None


def test_a_targets_file_tells_its_format_too(tmp_path: Path) -> None:
    text = "targets:\n  - {name: a, provider: mock, grader_target: a}\n"
    made = migrate(text, tmp_path / "targets.yaml", Workspace(tmp_path))
    assert made is not None
    assert str(made.era) == "AgentV's format of 2026-03-16 (`grader_target`)"
