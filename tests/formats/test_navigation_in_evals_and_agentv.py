"""Names in the evals of a skill and in suites of AgentV from version 5 on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from suitecase.editor.navigation.file_edits import CannotRenameError
from suitecase.editor.navigation.links import links, targets
from suitecase.editor.navigation.workspace_symbols import workspace_symbols
from suitecase.schema.key_roles import Kind
from support.ide.marked_workspace import MarkedWorkspace

SUITE = """\
    prompts: [file://prompts/answer.md]
    providers:
      - {id: openai:gpt-4.1, label: large}
    default_test:
      vars: {tone: kind}
      assert: ["Is {{ tone }}"]
    tests:
      - vars: {input: Hi}
        providers: [large]
        assert:
          - Greets {{ input }}
          - {type: contains, value: "{{input}}", metric: echo}
    """


def test_variables_of_agentv_are_those_of_prompts_and_of_texts_that_assert(tmp_path: Path) -> None:
    files = {
        "greet.eval.yaml": SUITE.replace("vars: {input", "vars: {in|put"),
        "prompts/answer.md": "Answer {{ input }}, {{ tone }}.\n",
    }
    workspace = MarkedWorkspace(tmp_path, files, at="greet.eval.yaml")
    assert len(workspace.references()) == 4
    assert workspace.rename("question") == ["greet.eval.yaml", "prompts/answer.md"]
    text = (tmp_path / "greet.eval.yaml").read_text("utf-8")
    assert "- Greets {{ question }}\n" in text
    assert '"{{question}}"' in text
    with pytest.raises(CannotRenameError, match="already there"):
        workspace.rename("tone")


def test_the_default_test_of_agentv_gives_variables_too(tmp_path: Path) -> None:
    files = {
        "greet.eval.yaml": SUITE,
        "prompts/answer.md": "Answer {{ input }}, {{ to|ne }}.\n",
    }
    workspace = MarkedWorkspace(tmp_path, files, at="prompts/answer.md")
    assert workspace.definition() == ["greet.eval.yaml: vars: {«tone»: kind}"]


def test_files_of_evals_are_links_and_named_evals_are_found(tmp_path: Path) -> None:
    evals = {
        "skill_name": "pdf",
        "evals": [
            {
                "id": 1,
                "name": "merging",
                "prompt": "Merge",
                "files": ["evals/files/a.pdf", "evals/files/gone.pdf"],
                "assertions": ["One is left"],
            }
        ],
    }
    files = {
        "pdf/evals/evals.json": json.dumps(evals, indent=2),
        "pdf/evals/files/a.pdf": "x",
        "pdf/SKILL.md": "---\nname: pdf\n---\n",
    }
    workspace = MarkedWorkspace(tmp_path, files, at="pdf/SKILL.md")
    view = workspace.surroundings
    (summary,) = view.all()
    found = [*links(summary, targets(view, summary))]
    assert [it.path for it in found] == [
        tmp_path / "pdf/SKILL.md",
        tmp_path / "pdf/evals/files/a.pdf",
    ]
    text = view.text_of(summary) or ""
    assert text[found[1].span.start : found[1].span.end] == '"evals/files/a.pdf"'
    assert [(it.name, it.kind) for it in workspace_symbols(view, "mer")] == [("merging", Kind.TEST)]


def test_metrics_of_all_tests_and_of_turns_are_the_same(tmp_path: Path) -> None:
    suite = """\
        requires: {agentv: ">=5"}
        prompts: ["{{ input }}"]
        assert: [{type: contains, value: Hi, metric: po|lite}]
        tests:
          - vars: {input: Hi}
            turns:
              - {input: Bye, assert: [{type: contains, value: Bye, metric: polite}]}
        """
    workspace = MarkedWorkspace(tmp_path, {"greet.eval.yaml": suite}, at="greet.eval.yaml")
    assert len(workspace.references()) == 2


def test_a_prompt_under_its_own_key_uses_variables(tmp_path: Path) -> None:
    suite = """\
        requires: {agentv: ">=5"}
        prompts: [{label: short, prompt: "Answer {{ in|put }}"}]
        tests:
          - vars: {input: Hi}
            assert: [Greets]
        """
    workspace = MarkedWorkspace(tmp_path, {"greet.eval.yaml": suite}, at="greet.eval.yaml")
    assert workspace.definition() == ["greet.eval.yaml: - vars: {«input»: Hi}"]
