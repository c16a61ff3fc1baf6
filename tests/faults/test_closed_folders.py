"""A folder that may not be entered, such as one of another user, is a message where it counts, and no bug."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from support.lsp.fixtures import Start
from support.running.process_choice import in_process
from support.running.processes import COMMAND_LINE, suitecase
from support.running.site import Site
from support.samples import sample
from support.system.closed_folders import closed

SUITE = """\
evalcases:
  - id: a
    input: Say hi
    expected_outcome: Says hi
    evaluators: [{name: c, type: contains, value: hi}]
"""
TARGETS = "targets: [{name: default, provider: mock, response: hi}]\n"
RECORD = '{"eval_id": "a", "candidate_answer": "hi", "score": 1.0}\n'
#: A folder may be listed and not entered.
LISTED = 0o444

IN_THE_WORKSPACE = [
    (".suitecase", 0),
    (".suitecase/results", 0),
    (".suitecase/results", LISTED),
    (".agentv", LISTED),
    ("sub", LISTED),
]

#: What looks at the workspace around, whatever it is about.
COMMANDS = """
check
check --fix
check --write-baseline b.json
list
diagnose
run --dry-run
run x.eval.yaml
run . --output runs/
lock x.eval.yaml
show x.eval.yaml
agreement x.eval.yaml
calibrate x.eval.yaml
migrate .
metrics
report
compare
gate
labels
cache info
convert x.eval.yaml --to jsonl
publish --draft --output bundle
init
"""
#: What names a path in a closed folder, and what is printed.
NAMED = {
    "check sub/x.eval.yaml": "sub/x.eval.yaml: cannot be checked: permission denied",
    "check sub": "sub: cannot be checked: permission denied",
    "check --baseline sub/b.json": "the baseline sub/b.json cannot be read: permission denied",
    "run sub/x.eval.yaml": "sub/x.eval.yaml: cannot be run: permission denied",
    "run sub": "sub cannot be searched: permission denied",
    "run x.eval.yaml --output sub/new.jsonl": "sub/new.jsonl cannot be written: Permission denied",
    "run x.eval.yaml --output sub/": "cannot be written: Permission denied",
    "run x.eval.yaml --report sub/page.html": "sub/page.html: cannot be written: permission denied",
    "run x.eval.yaml --sandbox writable=sub/in": "`sub/in`: permission denied",
    "run x.eval.yaml --replay sub/r.jsonl": "sub/r.jsonl cannot be read: Permission denied",
    "run x.eval.yaml --resume sub/r.jsonl": "--resume sub/r.jsonl cannot be read: permission denied",
    "migrate sub/x.eval.yaml": "sub/x.eval.yaml: cannot be migrated: permission denied",
    "migrate sub": "sub: cannot be migrated: permission denied",
    "lock sub/x.eval.yaml": "sub/x.eval.yaml cannot be locked: permission denied",
    "show sub/x.eval.yaml": "sub/x.eval.yaml: cannot be shown: permission denied",
    "list sub": "sub: cannot be read: permission denied",
    "report sub/r.jsonl": "sub/r.jsonl: cannot be read: Permission denied",
    "report r.jsonl --output sub/page.html": "sub/page.html: cannot be written: permission denied",
    "compare r.jsonl sub/r.jsonl": "sub/r.jsonl: cannot be read: Permission denied",
    "gate sub/r.jsonl": "sub/r.jsonl: cannot be read: Permission denied",
    "labels sub/r.jsonl": "sub/r.jsonl: cannot be read: Permission denied",
    "calibrate sub/x.eval.yaml": "sub/x.eval.yaml: cannot be read: permission denied",
    "init sub/new": "sub/new/support.eval.yaml cannot be written: permission denied",
    "convert sub/x.eval.yaml --to jsonl": "sub/x.eval.yaml cannot be converted: permission denied",
    "convert x.eval.yaml --output sub/y.jsonl": "sub/y.jsonl: cannot be written: permission denied",
}


def executed(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process, which may not even ask whether it could pass over modes."""
    command = [*COMMAND_LINE, *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


@pytest.fixture
def workspace(site: Site) -> Site:
    """A workspace with a suite and results in its root, and in `sub`."""
    for folder in ("", "sub/"):
        site.write(f"{folder}x.eval.yaml", SUITE)
        site.write(f"{folder}targets.yaml", TARGETS)
        site.write(f"{folder}r.jsonl", RECORD)
    site.write(".suitecase/results/r.jsonl", RECORD)
    for folder in (".agentv", ".git/info"):
        (site.root / folder).mkdir()
    return site


@pytest.mark.parametrize(("folder", "mode"), IN_THE_WORKSPACE)
def test_one_in_the_workspace_is_no_bug(workspace: Site, folder: str, mode: int) -> None:
    commands = [command for command in COMMANDS.split("\n") if command]
    if not in_process():  # each once over all folders, since none of them can be forked
        commands = commands[IN_THE_WORKSPACE.index((folder, mode)) :: len(IN_THE_WORKSPACE)]
    with closed(workspace.root / folder, mode):
        done = {it: suitecase(*it.split(), cwd=workspace.root) for it in commands}
    assert {command: it.stderr for command, it in done.items() if it.returncode == 4} == {}


@pytest.mark.parametrize("mode", [0, LISTED])
def test_a_path_in_one_is_said_to_be_denied(workspace: Site, mode: int) -> None:
    # As processes, which cannot be forked, each is executed with one of the modes.
    commands = [*NAMED] if in_process() else [*NAMED][mode == LISTED :: 2]
    with closed(workspace.root / "sub", mode):
        done = {it: suitecase(*it.split(), cwd=workspace.root) for it in commands}
    said = {command: it.stderr for command, it in done.items()}
    assert {command: it for command, it in said.items() if NAMED[command] not in it} == {}
    assert {it.returncode for it in done.values()} <= {2, 3}


def test_one_is_reported_once_and_the_other_suites_are_checked(workspace: Site) -> None:
    with closed(workspace.root / "sub", LISTED):
        done = suitecase("check", "--ignore", "SC508", cwd=workspace.root)
    assert "All checks passed (1 suite, 1 case)" in done.stdout
    assert (done.returncode, done.stderr) == (2, "sub: cannot be checked: permission denied\n")


def test_a_targets_file_that_nobody_may_look_at_is_not_missing(site: Site) -> None:
    site.write("x.eval.yaml", f"execution: {{target: one}}\n{SUITE}")
    (site.root / ".suitecase").mkdir()
    with closed(site.root / ".suitecase"):
        said = site.check()
    assert "SC503" in said
    assert "`.suitecase/targets.yaml`, which should define `one`, cannot be read" in said


def test_a_prompt_that_nobody_may_look_at_is_not_missing(site: Site) -> None:
    judge = "{name: j, type: llm_judge, prompt: prompts/p.md}"
    site.write("x.eval.yaml", SUITE.replace("evaluators: [", f"evaluators: [{judge}, "))
    site.write("prompts/p.md", "{{ candidate_answer }}")
    with closed(site.root / "prompts"):
        said = site.check("x.eval.yaml")
    assert "SC301] `prompts/p.md` cannot be used as a prompt: permission denied" in said


@pytest.mark.parametrize("mode", [0, LISTED])
def test_runs_that_cannot_be_listed_are_not_said_to_be_missing(site: Site, mode: int) -> None:
    site.write(".suitecase/results/r.jsonl", RECORD)
    with closed(site.root / ".suitecase/results", mode):
        done = suitecase("list", cwd=site.root)
        report = suitecase("report", cwd=site.root)
    assert "No runs yet" not in done.stdout
    assert ".suitecase/results: cannot be read: permission denied" in done.stderr
    assert (done.returncode, report.returncode) == (2, 2)
    assert ".suitecase/results: cannot be read: Permission denied" in report.stderr


@pytest.mark.parametrize("mode", [0, LISTED])
@pytest.mark.parametrize("option", ["--failed", "--resume"])
def test_no_case_is_paid_for_again_since_results_cannot_be_read(
    site: Site, option: str, mode: int
) -> None:
    site.write("x.eval.yaml", SUITE)
    site.write("targets.yaml", TARGETS)
    site.write(".suitecase/results/r.jsonl", RECORD)
    folder = site.root / ".suitecase/results"
    with closed(folder, mode):
        done = suitecase("run", "x.eval.yaml", option, cwd=site.root)
    assert done.returncode == 2
    assert f"{folder}" in done.stderr
    assert "cannot be read: permission denied" in done.stderr
    assert "run it without" not in done.stderr


def test_a_file_below_one_is_not_said_to_be_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = tmp_path / "closed" / "inner"
    inner.mkdir(parents=True)
    (inner / "x.eval.yaml").write_text(SUITE)
    monkeypatch.chdir(inner)
    with closed(tmp_path / "closed"):
        done = executed("check", "x.eval.yaml")
    said = "x.eval.yaml: cannot be checked: permission denied\n"
    assert (done.returncode, done.stderr) == (2, said)


async def test_requests_of_editors_are_answered(workspace: Site, start: Start) -> None:
    uri = (workspace.root / "x.eval.yaml").as_uri()
    place = {"textDocument": {"uri": uri}, "position": {"line": 1, "character": 9}}
    with closed(workspace.root / ".suitecase"), closed(workspace.root / "sub", LISTED):
        client = await start(*COMMAND_LINE, "lsp")
        await client.initialize({}, root=workspace.root)
        client.open(uri, SUITE)
        found = await client.request("workspace/symbol", {"query": "a"})
        references = {"context": {"includeDeclaration": True}}
        named = await client.request("textDocument/references", {**place, **references})
    assert [it["name"] for it in found] == ["a", "default"]
    assert named is not None


@pytest.mark.parametrize("variable", ["HOME", "XDG_CONFIG_HOME"])
def test_a_user_configuration_that_nobody_may_look_at_is_not_missing(
    site: Site, variable: str
) -> None:
    site.write("x.eval.yaml", SUITE)
    home = site.root / "home"
    home.mkdir()
    with closed(home):
        ran = site.run("x.eval.yaml", env={"XDG_CONFIG_HOME": "", variable: str(home)})
    assert ran.code == 2
    assert "suitecase.toml cannot be read: permission denied; set XDG_CONFIG_HOME to" in ran.err
    assert "Nothing was run, since the sandbox of its programs is unknown." in ran.err


@pytest.mark.parametrize(
    "command",
    [
        "list sub/in",
        "view sub/in",
        "diagnose sub/in",
        "cache info sub/in",
        "run x.eval.yaml --baseline sub/r.jsonl",
    ],
)
def test_an_option_in_one_is_not_said_to_be_missing(workspace: Site, command: str) -> None:
    with closed(workspace.root / "sub"):
        done = suitecase(*command.split(), cwd=workspace.root)
    assert (done.returncode, "does not exist" in done.stderr) == (2, False)
    assert f"{command.split()[-1]}: permission denied" in done.stderr


@pytest.mark.parametrize("command", sample(["compare", "report", "metrics"]))
def test_a_folder_with_results_that_cannot_be_listed_is_named(
    workspace: Site, command: str
) -> None:
    folder = workspace.root / "sub"
    with closed(folder, 0o333):
        done = executed(command, "sub", cwd=workspace.root)
    said = f"Error: {folder}: cannot be read: Permission denied\n"
    assert (done.returncode, done.stderr) == (2, said)
