"""Where AgentV sends a path to the judge as its prompt, the check says so; where it reads it, not."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.running.processes import found, suitecase, write

SUITE = """\
execution: {{target: mock}}
tests:
  - id: greet
    input: Hi
    assertions:
      - name: tone
        type: llm-grader
        prompt: {prompt}
"""
INSIDE = """\
execution: {target: mock}
tests:
  - id: greet
    input: Hi
    assertions:
      - name: all
        type: composite
        aggregator: {type: weighted_average}
        assertions:
          - {name: tone, type: llm-grader, prompt: tone.md}
"""


def _codes(folder: Path) -> set[str]:
    return {code for file, _, code, _ in found("a.eval.yaml", cwd=folder) if file == "a.eval.yaml"}


@pytest.mark.parametrize(
    ("prompt", "is_sent"), [("tone.md", True), ("./tone.md", True), ("file://tone.md", False)]
)
def test_a_path_is_a_prompt_for_agentv_unless_it_says_file(
    prompt: str, is_sent: bool, tmp_path: Path
) -> None:
    write(tmp_path, "tone.md", "Is it warm? {{ output }}")
    write(tmp_path, "a.eval.yaml", SUITE.format(prompt=prompt))
    codes = _codes(tmp_path)
    assert ("SC623" in codes) is is_sent
    assert not codes & {"SC301", "SC621"}


def test_members_of_a_composite_have_prompts_too(tmp_path: Path) -> None:
    write(tmp_path, "tone.md", "Is it warm? {{ output }}")
    write(tmp_path, "a.eval.yaml", INSIDE)
    assert "SC623" in _codes(tmp_path)


def test_a_migrated_suite_names_the_file_alone(tmp_path: Path) -> None:
    write(tmp_path, "tone.md", "Is it warm? {{ candidate_answer }}")
    suite = write(tmp_path, "a.eval.yaml", SUITE.format(prompt="file://tone.md"))
    assert suitecase("migrate", "a.eval.yaml", cwd=tmp_path).returncode == 0
    assert "prompt: tone.md" in suite.read_text("utf-8")
    assert found("a.eval.yaml", cwd=tmp_path) == []
