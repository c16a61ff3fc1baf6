"""Whatever a suite names, no file outside its workspace is opened and no folder there is listed.

The server is shown one in six of the paths that lead out, other ones each time; by `make sweep`, all of them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.lsp.client import RawClient
from support.running.processes import suitecase, write
from support.samples import EVERY, sample
from support.suites import led_out
from support.system.paths_opened import Recording

#: Suites and other files of a workspace, in which PATH is what leads out.
FILES = {
    "promptfooconfig.yaml": """\
prompts: [PATH, {id: PATH, label: a}, {raw: PATH}, "file://PATH", 'PATH:make']
providers: [echo, "file://PATH", {id: "file://PATH"}, {id: openai:gpt-4.1, config: {tools: "file://PATH"}}]
defaultTest: {assert: [{type: javascript, value: "file://PATH"}], options: {rubricPrompt: "file://PATH"}}
tests:
  - PATH
  - file://PATH
  - {path: PATH}
  - vars: PATH
  - vars: {a: "file://PATH", b: ["file://PATH"]}
    assert:
      - {type: contains, value: "file://PATH"}
      - {type: is-json, value: "file://PATH"}
      - {type: llm-rubric, value: x, rubricPrompt: "file://PATH"}
      - {type: python, value: "file://PATH:check", transform: "file://PATH"}
extensions: ["file://PATH:hook"]
""",
    "listed/promptfooconfig.yaml": "prompts: PATH\nproviders: PATH\ntests: PATH\ndefaultTest: file://PATH\n",
    "scenarios/promptfooconfig.yaml": "prompts: [a]\nproviders: [echo]\nscenarios: [PATH, 'file://PATH']\n",
    "evals/evals.json": '{"skill_name": "a", "evals": [{"id": 1, "prompt": "x", "expected_output": "y", '
    '"files": ["PATH", {"path": "PATH"}]}]}\n',
    "own.eval.yaml": """\
execution: {target: PATH, targets: PATH}
synonyms: PATH
prompt: PATH
governance: {sources: {a: {path: PATH, files: [PATH]}}}
evalcases:
  - id: a
    input: [{role: user, content: [{type: file, value: PATH}, {type: text, value: PATH}]}]
    expected_outcome: x
    evaluators:
      - {name: j, type: llm_judge, prompt: PATH}
      - {name: c, type: code_judge, script: PATH, cwd: PATH}
      - {name: d, type: code_judge, script: [python, PATH]}
""",
    "agentv.eval.yaml": """\
name: a
workspace: {template: PATH, hooks: {before_all: {script: PATH}}}
tests:
  - {id: a, input: "file://PATH", criteria: x, assertions: [{type: llm-grader, prompt: "file://PATH"}]}
  - {include: PATH}
""",
    "included.eval.yaml": "name: a\ntests: PATH\n",
    "lines.yaml": "evalcases: PATH\nexecution: {target: mock}\n",
    "targets.yaml": "targets: [{name: mock, provider: mock, response: PATH}, {name: c, provider: cli, "
    'command_template: "cat PATH {PROMPT}", cwd: PATH}, {name: r, provider: replay, results: PATH}]\n',
    "suitecase.toml": 'exclude = ["PATH"]\ninclude = ["PATH"]\nbaseline = "PATH"\n'
    '[per-file-ignores]\n"PATH" = ["SC101"]\n',
}
COMMANDS = (
    ["check", "."],
    ["check", ".", "--fix", "--unsafe-fixes"],
    ["migrate", ".", "--diff"],
    ["show", "promptfooconfig.yaml"],
    ["show", "own.eval.yaml"],
    ["run", "--dry-run", "promptfooconfig.yaml"],
    ["run", "--dry-run", "own.eval.yaml"],
    ["run", "--dry-run", "agentv.eval.yaml"],
    ["convert", "promptfooconfig.yaml"],
)


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """A folder that is nobody's business, and a workspace beside it with links to it."""
    return led_out.prepare(tmp_path)


def _written(root: Path, path: str) -> list[Path]:
    """Write all files with a path in them."""
    return [write(root, name, text.replace("PATH", path)) for name, text in FILES.items()]


def _hostile(outside: Path) -> Iterator[str]:
    for path in led_out.hostile_paths(outside):
        bare = path.removeprefix("file://")
        yield bare.replace("../../outside", "../outside")


def _run(command: list[str], root: Path, recording: Recording) -> None:
    done = suitecase(*command, cwd=root, env=recording.environment)
    assert done.returncode in (0, 1, 2, 3), done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_commands_open_nothing_outside(
    folders: tuple[Path, Path], tmp_path: Path, command: list[str]
) -> None:
    outside, root = folders
    recording = Recording(tmp_path / "recording", root)
    some = [*_hostile(outside)]
    if command != ["check", "."]:
        some = some[COMMANDS.index(command) :: len(COMMANDS)]
    for path in some:
        _written(root, path)
        _run(command, root, recording)
    assert recording.paths == []


def test_what_is_opened_outside_is_recorded(folders: tuple[Path, Path], tmp_path: Path) -> None:
    outside, root = folders
    recording = Recording(tmp_path / "recording", root)
    text = f"import os; open({str(outside / 'secret.txt')!r}); os.listdir({str(outside)!r})"
    env = {**os.environ, **recording.environment}
    subprocess.run([sys.executable, "-c", text], env=env, check=True)
    assert recording.paths == [f"open {outside / 'secret.txt'}", f"os.listdir {outside}"]


def test_no_value_of_any_format_leads_out(tmp_path: Path) -> None:
    tests = Path(led_out.__file__).parents[2]
    done = subprocess.run(
        [sys.executable, led_out.__file__, tmp_path / "suites"],
        env={**os.environ, "PYTHONPATH": str(tests)},
        capture_output=True,
        timeout=240,
        check=True,
    )
    report = json.loads(done.stdout)
    assert report["outside"] == []
    assert report["checked"] > (1_000 if EVERY else 300)


async def test_the_server_opens_nothing_outside(
    folders: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside, root = folders
    recording = Recording(tmp_path / "recording", root)
    for name, value in recording.environment.items():
        monkeypatch.setenv(name, value)
    _written(root, "x")
    async with RawClient.started(sys.executable, "-P", "-m", "suitecase", "lsp") as client:
        await client.initialize(root=root, diagnostics={"scope": "workspace"})
        for number, path in enumerate(sample(_hostile(outside), 6)):
            for file in _written(root, path):
                text = FILES[file.relative_to(root).as_posix()].replace("PATH", path)
                await _ask_everything(client, file, text, (0.5, 0.9, 1.0)[number % 3])
    assert recording.paths == []


async def _ask_everything(client: RawClient, file: Path, text: str, share: float) -> None:
    """Open a file, and ask in each of its lines where that share of it is before."""
    uri = file.as_uri()
    client.open(uri, text)
    await client.diagnostics(uri)
    for line, content in enumerate(text.splitlines()):
        character = max(0, int(len(content) * share) - 2)
        here = {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}
        for method in ("hover", "completion", "definition"):
            await client.request(f"textDocument/{method}", here)
    await client.request("textDocument/documentLink", {"textDocument": {"uri": uri}})
    client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
