"""The extension from inside VS Code's extension host, as other extensions and the Testing view see it.

The tests are in `exthost/`, in JavaScript; started by `make test-editors`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from support.editors import other_suites
from support.editors.vscode import SERVER, needs_vscode
from support.editors.vscode_extension_host import outcomes_in_extension_host
from support.lsp.misbehaving_server import misbehaving
from support.suites.slow import GREET_CASES, slow_suite

PROGRAMS = Path(__file__).parent / "exthost"
#: `greet` misses a rubric and one with ranges; `part` misses nothing.
#: No model answers, so that nothing passes.
SUITE = "execution: {target: mock}\n" + GREET_CASES.replace(
    "  - id: part\n",
    "      - id: graded\n"
    "        score_ranges:\n"
    "          - {expected_outcome: describes stripes, score_range: [0, 5]}\n"
    "          - {expected_outcome: describes all their stripes, score_range: [6, 10]}\n"
    "  - id: part\n",
)
LEGACY = """\
evalcases:
  - id: bye
    input: Bye
    outcome: Says bye
    rubrics:
      - id: bye
        score_ranges:
          - {expected_outcome: says nothing, score_range: [0, 5]}
          - {expected_outcome: says bye, score_range: [5, 10]}
execution: {target: mock}
"""
PLAIN = "evalcases:\n  - {id: plain, input: Hello, expected_outcome: Hello}\n"
#: An evaluator of the second case has a type that does not exist.
UNSOUND = """\
execution: {target: mock}
evalcases:
  - id: sound
    input: Hello
    expected_outcome: Hello
    evaluators: [{name: word, type: contains, value: Hello}]
  - id: wrong
    input: Hello
    expected_outcome: Hello
    evaluators: [{name: word, type: containz, value: Hello}]
"""

pytestmark = needs_vscode


def test_in_a_trusted_workspace(tmp_path: Path) -> None:
    workspace = written(tmp_path)
    outcomes = outcomes_in_extension_host(
        PROGRAMS / "trusted.js", workspace, tmp_path / "vscode", beside=[PROGRAMS / "python"]
    )
    all_well(outcomes, "trusted.js")


def test_in_a_workspace_that_is_not_trusted(tmp_path: Path) -> None:
    workspace = written(tmp_path)
    settings = workspace / ".vscode" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"suitecase.server.path": "${workspaceFolder}/ends.sh"}')
    outcomes = outcomes_in_extension_host(
        PROGRAMS / "restricted.js", workspace, tmp_path / "vscode", trusted=False
    )
    all_well(outcomes, "restricted.js")


def test_a_server_that_misbehaves_is_noticed(tmp_path: Path) -> None:
    never = ["suitecase/testState", "textDocument/codeAction", "suitecase/report"]
    server = misbehaving(tmp_path, [str(SERVER)], never=never)
    outcomes = outcomes_in_extension_host(
        PROGRAMS / "trusted.js", written(tmp_path), tmp_path / "vscode", server=server, patience=1
    )

    assert outcomes["all commands are there"] == "ok"
    for name in (
        "a run has misses as messages at their rubrics and score ranges",
        "what failed is run again alone",
        "the lens of a case runs it",
        "a run is cancelled",
        "the report is a page beside the suite",
        "a finding has a hover, a link and a quick fix, and is gone when that is made",
        "older spellings are migrated by one command",
    ):
        assert outcomes[name] != "ok", name


def all_well(outcomes: Mapping[str, str], program: str) -> None:
    wrong = {name: why for name, why in outcomes.items() if why != "ok"}
    if wrong:
        pytest.fail("\n\n".join(f"{name}: {why}" for name, why in wrong.items()), pytrace=False)
    written_there = (PROGRAMS / program).read_text()
    assert all(f'"{name}"' in written_there for name in outcomes)
    assert len(outcomes) == written_there.count(": async () => {\n")


def written(folder: Path) -> Path:
    workspace = folder / "workspace"
    (workspace / "nested/deeper").mkdir(parents=True)
    (workspace / "greet.eval.yaml").write_text(SUITE)
    (workspace / "legacy.eval.yaml").write_text(LEGACY)
    (workspace / "nested/deeper/plain.yaml").write_text(PLAIN)
    (workspace / "nested/unsound.eval.yaml").write_text(UNSOUND)
    slow_suite(workspace)
    other_suites.write(workspace / "others")
    ends = workspace / "ends.sh"
    ends.write_text("#!/bin/sh\necho out of paper >&2\nexit 3\n")
    ends.chmod(0o755)
    return workspace
