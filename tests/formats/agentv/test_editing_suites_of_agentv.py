"""What an editor offers in suites of AgentV: promptfoo's features, in AgentV's words."""

from __future__ import annotations

from pathlib import Path

from support.ide.marked_dialect import MarkedFile

SUITE = """\
prompts: ["{{ question }}"]
providers: [live]
default_test:
  vars: {tone: polite}
  assert:
    - Answers politely
tests:
  - vars: {question: x}
    assert:
      - {type: llm-rubric, value: [a, b]}
"""
FILES = {".agentv/providers.yaml": "providers:\n  - {id: codex-cli, label: live}\n"}


def marked(folder: Path, text: str) -> MarkedFile:
    return MarkedFile(folder, text, FILES, name="a.eval.yaml")


def test_keys_are_spelled_as_agentv_spells_them(tmp_path: Path) -> None:
    labels = marked(tmp_path, SUITE + "▮").labels()
    assert "evaluate_options" in labels
    assert not {"evaluateOptions", "defaultTest", "default_test"} & set(labels)
    text = "evaluate_options: {}\nprompts: [x]\nproviders: [live]\n▮\n"
    assert marked(tmp_path, text).accepted("default_test").endswith("\ndefault_test:\n  \n")
    said = marked(tmp_path, SUITE.replace("default_test", "▮default_test")).hover()
    assert said.startswith("**`default_test`**")


def test_keys_of_a_test_are_those_of_agentv_in_brackets_too(tmp_path: Path) -> None:
    head, _, _ = SUITE.partition("tests:")
    for tests in ("[{vars: {question: x}, ▮}]", "\n  - vars: {question: x}\n    ▮"):
        labels = marked(tmp_path, f"{head}tests: {tests}\n").labels()
        assert {"criteria", "provider_output"} <= set(labels)
        assert "providerOutput" not in labels


def test_types_of_assertions_are_those_of_agentv(tmp_path: Path) -> None:
    labels = marked(tmp_path, SUITE + "      - ▮").labels()
    assert "agent-rubric" in labels
    assert "g-eval" not in labels
    said = marked(tmp_path, SUITE.replace("llm-rubric", "▮llm-rubric")).hover()
    assert "or a list of rubrics with weights" in said


def test_no_type_is_offered_within_a_text(tmp_path: Path) -> None:
    assert marked(tmp_path, SUITE.replace("Answers politely", "Ans▮wers politely")).labels() == []
    assert "contains" in marked(tmp_path, SUITE.replace("Answers politely", "con▮")).labels()


def test_providers_are_those_that_suites_share(tmp_path: Path) -> None:
    file = marked(tmp_path, SUITE.replace("[live]", "[▮]"))
    assert file.labels() == ["live"]
    assert file.item("live").detail == "codex-cli in .agentv/providers.yaml"
    said = marked(tmp_path, SUITE.replace("live", "▮live")).hover()
    assert said == "**`live`** · provider\n\n`codex-cli` of `.agentv/providers.yaml`"
    assert not marked(tmp_path, SUITE.replace("live", "oth▮er")).hover()


def test_what_a_test_inherits_is_in_a_text_too(tmp_path: Path) -> None:
    said = marked(
        tmp_path, SUITE.replace("    assert:\n      - {", "    ▮assert:\n      - {")
    ).hover()
    assert "**From `default_test`**, before the test's own:\n\n- `Answers politely`" in said
    assert marked(tmp_path, SUITE).hints() == ["tests: «1 row»", "assert: «+ 1 from default_test»"]


def test_a_text_that_may_be_a_number_is_called_text(tmp_path: Path) -> None:
    said = marked(tmp_path, SUITE.replace("  - vars: {q", "  - ▮id: a\n    vars: {q")).hover()
    assert said.startswith("**`id`** · text\n")
