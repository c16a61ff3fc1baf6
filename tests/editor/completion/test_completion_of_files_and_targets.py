"""Completions from the files around a suite: paths, targets, settings, placeholders of commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from suitecase.editor.completion import CompletionContext
from support.ide.completions import Offer, in_folder

JUDGE = "execution:\n  evaluators:\n    - name: x\n      type: llm_judge\n      "
SCRIPT = "execution:\n  evaluators:\n    - name: x\n      type: code_judge\n      "
PART = "evalcases:\n  - input:\n      - role: user\n        content:\n          - type: {}\n            value: {}\n"
TARGETS = """\
targets:
  - {name: bot, provider: mock}
  - {name: "front: desk", provider: openai, model: x, judge_target: bot}
"""


@pytest.fixture
def around(tmp_path: Path) -> CompletionContext:
    """A suite's folder `evals` in a workspace."""
    for name in (
        "outside.md",
        "root/prompts/judge.md",
        "root/prompts/deep/tone.md",
        "root/data/one two.txt",
        "root/data/#odd.txt",
        "root/evals/.hidden/x.md",
        "root/evals/node_modules/x.md",
        "root/evals/check.py",
        "root/evals/local.md",
        "root/evals/scripts/grade.py",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (tmp_path / "root" / "evals" / "targets.yaml").write_text(TARGETS)
    return in_folder(tmp_path / "root" / "evals", tmp_path / "root")


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        (
            f"{JUDGE}prompt: ▮\n",
            ["local.md", "check.py", "targets.yaml", "data/", "evals/", "prompts/", "scripts/"],
        ),
        (f"{JUDGE}prompt: prompts/▮\n", ["judge.md", "deep/"]),
        (f"{JUDGE}prompt: '../prompts/deep/▮'\n", ["tone.md"]),
        (f"{JUDGE}prompt: prompts/ju▮dge.md\n", ["judge.md", "deep/"]),
        (f"{JUDGE}prompt: .▮\n", ["check.py", "local.md", "targets.yaml"]),
        (f"{JUDGE}prompt: ../../▮\n", []),
        (f"{JUDGE}prompt: Is it in prompts/▮\n", []),
        (f"{SCRIPT}script: [python, ▮]\n", ["check.py", "local.md", "targets.yaml", "scripts/"]),
        (f"{SCRIPT}script: python scripts/g▮\n", ["grade.py"]),
        (f"{SCRIPT}cwd: scripts\n      script: [python, ▮]\n", ["grade.py"]),
        (f"{SCRIPT}cwd: ▮\n", ["data/", "evals/", "prompts/", "scripts/"]),
        (PART.format("file", "data/▮"), ["one two.txt"]),
        (PART.format("text", "data/▮"), []),
        ("prompt:\n  file: /prompts/▮\n", ["judge.md", "deep/"]),
    ],
)
def test_paths_lead_to_files_of_the_workspace(
    around: CompletionContext, text: str, labels: list[str]
) -> None:
    found = Offer(text, around).labels

    if ".▮" in text:
        assert ".hidden/" in found
    else:
        assert found == labels


def test_a_path_goes_on_behind_its_last_slash(around: CompletionContext) -> None:
    offer = Offer(f"{JUDGE}prompt: prompts/ju▮dge.txt # why\n", around)

    assert offer.accepted("judge.md") == f"{JUDGE}prompt: prompts/judge.md # why\n"
    assert offer.accepted("deep/") == f"{JUDGE}prompt: prompts/deep/ # why\n"
    assert Offer(f"{SCRIPT}script: python scripts/g▮ --all\n", around).accepted("grade.py") == (
        f"{SCRIPT}script: python scripts/grade.py --all\n"
    )


def test_a_slash_offers_paths_alone(around: CompletionContext) -> None:
    slash = CompletionContext(around.folder, trigger="/")

    assert Offer(f"{JUDGE}prompt: prompts/▮\n", slash).labels == ["judge.md", "deep/"]
    assert Offer("execution:\n  target: a/▮\n", slash).labels == []


def test_a_folder_without_end_is_cut_off_and_says_so(tmp_path: Path) -> None:
    for number in range(305):
        (tmp_path / f"{number:03}.md").touch()
    offer = Offer(f"{JUDGE}prompt: ▮\n", in_folder(tmp_path, tmp_path))

    assert len(offer.labels) == 300
    assert not offer.completion.is_complete
    assert Offer("▮").completion.is_complete


def test_targets_come_from_the_file_that_holds_for_the_suite(around: CompletionContext) -> None:
    for text in ("execution: {target: ▮}\n", f"{JUDGE}target: ▮\n", "execution:\n  target: ▮\n"):
        offer = Offer(text, around)

        assert offer.labels == ["bot", "front: desk", "mock"]
        assert [it.detail for it in offer.completion.items][:2] == ["mock", "openai"]
        assert "target: 'front: desk'" in offer.accepted("front: desk")
    quoted = Offer('execution:\n  target: "fr▮"\n', around)
    assert quoted.accepted("front: desk") == 'execution:\n  target: "front: desk"\n'
    assert Offer("execution:\n  target: ▮\n").labels == ["mock"]


@pytest.mark.parametrize(
    ("text", "first", "never"),
    [
        ("▮\n", ["targets"], ["evalcases"]),
        ("targets:\n  - ▮\n", ["mock", "replay", "cli"], ["codex"]),
        ("targets:\n  - name: a\n    ▮\n", ["provider"], ["name", "model"]),
        ("targets:\n  - name: a\n    provider: openai\n    ▮\n", ["model"], ["command_template"]),
        ("targets:\n  - name: a\n    provider: ▮\n", ["mock", "replay"], []),
        (
            "targets:\n  - name: a\n    provider: cli\n    healthcheck:\n      type: ▮\n",
            ["command", "http"],
            [],
        ),
        ("targets:\n  - {name: a}\n  - {name: b, judge_target: ▮}\n", ["a"], ["b"]),
        ("targets:\n  - provider: cli\n    verbose: ▮\n", ["true", "false"], []),
        ("targets:\n  - provider: cli\n    command_template: ask {▮\n", ["PROMPT"], []),
        ("targets:\n  - provider: cli\n    files_format: --file {▮}\n", ["path", "basename"], []),
    ],
)
def test_targets_files_have_keys_and_words(text: str, first: list[str], never: list[str]) -> None:
    labels = Offer(text, name="targets.yaml").labels

    assert labels[: len(first)] == first
    assert not set(never) & set(labels)


def test_accepting_in_a_targets_file() -> None:
    provider = Offer("targets:\n  - name: a\n    provider: ▮\n", name="targets.yaml")
    command = Offer(
        "targets:\n  - provider: cli\n    command_template: ask {P▮\n", name="targets.yaml"
    )

    health = Offer("targets:\n  - provider: cli\n    heal▮\n", name="targets.yaml")

    assert health.accepted("healthcheck").endswith("    healthcheck:\n      type: command\n")
    assert health.snippet("healthcheck").endswith("type: ${1|command,http|}")
    assert provider.accepted("cli") == (
        "targets:\n  - name: a\n    provider: cli\n    command_template: \n"
    )
    assert command.accepted("PROMPT").endswith("command_template: ask {PROMPT}\n")


@pytest.mark.parametrize(
    ("name", "text", "label", "after"),
    [
        ("suitecase.toml", "▮", "fail-level", 'fail-level = "error"'),
        ("suitecase.toml", "sel▮\n", "select", 'select = [""]\n'),
        ("suitecase.toml", "sel▮ = []\n", "select", "select = []\n"),
        ("suitecase.toml", "select = [▮]", "SC101", 'select = ["SC101"]'),
        ("suitecase.toml", 'select = [\n  "SC1▮",\n]', "SC101", 'select = [\n  "SC101",\n]'),
        ("suitecase.toml", 'fail-level = "▮"', "never", 'fail-level = "never"'),
        ("suitecase.toml", "fail-level = ▮", "never", 'fail-level = "never"'),
        ("suitecase.toml", "[▮", "sandbox", "[sandbox]"),
        ("suitecase.toml", "[san▮]", "sandbox", "[sandbox]"),
        ("suitecase.toml", "[sandbox]\nscripts = ▮", "limits", '[sandbox]\nscripts = "limits"'),
        ("suitecase.toml", "[severity]\nSC2▮", "SC214", '[severity]\nSC214 = "error"'),
        ("suitecase.toml", '[severity]\nSC214 = "▮"', "info", '[severity]\nSC214 = "info"'),
        (
            "suitecase.toml",
            '[per-file-ignores]\n"a" = ["▮',
            "SC214",
            '[per-file-ignores]\n"a" = ["SC214"',
        ),
        ("pyproject.toml", "[tool.suit▮", "tool.suitecase", "[tool.suitecase]"),
        ("pyproject.toml", "[tool.suitecase]\n▮", "ignore", '[tool.suitecase]\nignore = [""]'),
        (
            "pyproject.toml",
            "[tool.suitecase.sandbox]\nproc▮",
            "processes",
            "[tool.suitecase.sandbox]\nprocesses = 512",
        ),
    ],
)
def test_configurations_have_settings_and_rules(
    name: str, text: str, label: str, after: str
) -> None:
    offer = Offer(text, name=name)

    if after.endswith('["SC214"'):
        after += '"' * offer.accepted(label).endswith('""')
    assert offer.accepted(label) == after


def test_settings_that_are_there_and_tables_of_others_are_left_alone() -> None:
    labels = Offer(
        'select = ["SC1"]\n▮\n[sandbox]\nrequire = "none"\n', name="suitecase.toml"
    ).labels

    assert "ignore" in labels
    assert not {"select", "sandbox", "require"} & set(labels)
    assert Offer("[tool.ruff]\n▮", name="pyproject.toml").labels == []
    assert Offer("[project]\nname = ▮", name="pyproject.toml").labels == []
