"""A link in a workspace that leads out of it: nothing behind it is read, printed or written."""

from __future__ import annotations

import json
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from support.lsp.client import RawClient
from support.running.processes import LEGACY, SOUND, found, suitecase, write

Start = Callable[[], Awaitable[RawClient]]
SECRET = "pw-4Qz81kLm"
#: A file of somebody's home, which is no suite.
NETRC = f"machine api.example.com login me password {SECRET}\n"
#: A suite with a finding at a line with a secret, and with something to fix and to migrate.
PRIVATE = LEGACY + f"    inpt: {SECRET}\n"
WHY = "a symbolic link leads out of the workspace, so it is not read"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder that is nobody's business."""
    write(tmp_path, "home/netrc", NETRC)
    write(tmp_path, "home/private.eval.yaml", PRIVATE)
    write(tmp_path, "home/targets.yaml", f"targets: [{{name: {SECRET}, provider: mock}}]\n")
    write(tmp_path, "home/sidecar.yaml", f"dataset: {SECRET}\n")
    write(tmp_path, "home/prompt.md", f"{{{{ candidate_answer }}}} {{{{ qestion }}}} {SECRET}\n")
    return tmp_path / "home"


@pytest.fixture
def workspace(tmp_path: Path, home: Path) -> Path:
    """A workspace beside it, with a sound suite."""
    write(tmp_path, "workspace/sound.eval.yaml", SOUND)
    (tmp_path / "workspace" / ".git").mkdir()
    return tmp_path / "workspace"


@pytest.fixture(autouse=True)
def _untouched(home: Path) -> object:
    """Whatever a test does: no file behind a link is another one afterwards, and none is added."""
    before = _contents(home)
    yield
    assert _contents(home) == before


def _contents(folder: Path) -> dict[Path, bytes]:
    return {it: it.read_bytes() for it in sorted(folder.rglob("*")) if it.is_file()}


@pytest.mark.parametrize(
    "command",
    [
        ["check"],
        ["check", "--fix", "--unsafe-fixes"],
        ["check", "--diff"],
        ["check", "-j", "2"],
        ["check", "--format", "json"],
        ["migrate"],
        ["migrate", "--diff"],
    ],
    ids=" ".join,
)
def test_a_linked_suite_is_named_and_not_read(
    workspace: Path, home: Path, command: list[str]
) -> None:
    (workspace / "linked.eval.yaml").symlink_to(home / "private.eval.yaml")
    (workspace / "netrc.eval.yml").symlink_to(os.path.relpath(home / "netrc", workspace))
    done = suitecase(command[0], ".", *command[1:], cwd=workspace)
    assert SECRET not in done.stdout + done.stderr
    assert done.returncode == 2
    verb = "migrated" if command[0] == "migrate" else "checked"
    for name in ("linked.eval.yaml", "netrc.eval.yml"):
        assert f"{name}: cannot be {verb}: {WHY}\n" in done.stderr


def test_a_linked_file_that_may_be_a_suite_is_named_and_changes_no_exit_code(
    workspace: Path, home: Path
) -> None:
    write(home, "compose.yaml", PRIVATE)
    write(home, "data.jsonl", json.dumps({"id": "a", "input": SECRET, "expected_outcome": "x"}))
    before = _contents(home)
    (workspace / "compose.yaml").symlink_to(home / "compose.yaml")
    (workspace / "data.jsonl").symlink_to(home / "data.jsonl")
    (workspace / "gone.yaml").symlink_to(home / "gone.yaml")
    for command in ("check", "migrate"):
        done = suitecase(command, ".", cwd=workspace)
        assert done.returncode == 0
        assert done.stderr == (
            "2 links lead out of the workspace and are not read: compose.yaml, data.jsonl\n"
        )
    assert _contents(home) == before
    for it in ("compose.yaml", "data.jsonl"):
        (home / it).unlink()


@pytest.mark.parametrize("name", ["suitecase.toml", "pyproject.toml"])
def test_a_linked_configuration_is_an_error_that_says_nothing_of_it(
    workspace: Path, home: Path, name: str
) -> None:
    if name == "pyproject.toml":
        write(home, name, f'[tool.suitecase]\nselect = ["{SECRET}"]\n')
    target = home / (name if name == "pyproject.toml" else "netrc")
    (workspace / name).symlink_to(target)
    done = suitecase("check", ".", "--fix", cwd=workspace)
    assert SECRET not in done.stdout + done.stderr
    assert done.returncode == 1
    assert f"{name}:1:1: error[SC701] the configuration cannot be read: {WHY}" in done.stdout
    if name == "pyproject.toml":
        target.unlink()


def test_a_linked_project_file_of_others_is_none_of_ours(workspace: Path, home: Path) -> None:
    (workspace / "pyproject.toml").symlink_to(home / "netrc")
    done = suitecase("check", ".", cwd=workspace)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("link", ["targets.yaml", ".suitecase", ".agentv"])
def test_targets_behind_a_link_are_an_error(workspace: Path, home: Path, link: str) -> None:
    named = SOUND.replace("mock", SECRET[:2])
    write(workspace, "sound.eval.yaml", named)
    (workspace / link).symlink_to(home / link if link.endswith(".yaml") else home)
    checked = suitecase("check", ".", cwd=workspace)
    ran = suitecase("run", "sound.eval.yaml", "--no-results", cwd=workspace)
    shown = suitecase("show", "sound.eval.yaml", cwd=workspace)
    for done in (checked, ran, shown):
        assert SECRET not in done.stdout + done.stderr
        assert done.returncode != 0
    assert checked.returncode == 2
    assert f"targets.yaml: cannot be checked: {WHY}" in checked.stderr
    assert WHY in checked.stdout
    assert WHY in ran.stderr


def test_a_linked_sidecar_keeps_its_data_set_from_being_run(workspace: Path, home: Path) -> None:
    write(
        workspace,
        "cases.jsonl",
        json.dumps({"id": "a", "input": "Hi", "expected_outcome": "x"}) + "\n",
    )
    (workspace / "cases.yaml").symlink_to(home / "sidecar.yaml")
    checked = suitecase("check", ".", cwd=workspace)
    assert (checked.returncode, checked.stderr) == (2, f"cases.yaml: cannot be checked: {WHY}\n")
    commands = (
        ("run", "cases.jsonl", "--no-results"),
        ("show", "cases.jsonl"),
        ("convert", "cases.jsonl", "--to", "yaml"),
        ("generate", "rubrics", "cases.jsonl"),
    )
    for command in commands:
        done = suitecase(*command, cwd=workspace)
        assert SECRET not in done.stdout + done.stderr
        assert (done.returncode, WHY in done.stderr) == (2, True), done


PROMPTED = SOUND + "    evaluators: [{name: tone, type: llm_judge, prompt: tone.md}]\n"


def test_a_linked_prompt_is_an_error_also_where_a_folder_above_has_one_of_that_name(
    workspace: Path, home: Path
) -> None:
    write(workspace, "tone.md", "{{ candidate_answer }}")
    write(workspace, "suites/a.eval.yaml", PROMPTED)
    (workspace / "suites" / "tone.md").symlink_to(home / "prompt.md")
    done = suitecase("check", "suites", "--fix", cwd=workspace)
    assert SECRET not in done.stdout + done.stderr
    assert done.returncode == 1
    assert f"error[SC301] `tone.md` cannot be used as a prompt: {WHY}" in done.stdout


def test_linked_references_are_not_shown_to_a_judge(workspace: Path, home: Path) -> None:
    (workspace / "policy.md").symlink_to(home / "prompt.md")
    entry = "    evaluators: [{name: tone, type: llm_judge, references: [policy.md]}]\n"
    under = "judges: {llm_judge: {references: [policy.md]}}\n"
    for text in (SOUND + entry, under + SOUND):
        write(workspace, "suites/a.eval.yaml", text)
        for command in ("check", "show", "run"):
            done = suitecase(command, "suites/a.eval.yaml", cwd=workspace)
            said = done.stdout + done.stderr
            assert SECRET not in said
            assert f"`policy.md` cannot be used as reference material: {WHY}" in said


def test_results_are_not_written_through_a_link(workspace: Path, home: Path) -> None:
    (workspace / ".suitecase").mkdir()
    (workspace / ".suitecase" / "results").symlink_to(home)
    for more in ((), ("--failed",), ("--resume",)):
        refused = suitecase("run", "sound.eval.yaml", *more, cwd=workspace)
        assert refused.returncode == 2
        assert ".suitecase/results leads out of the workspace through a link" in refused.stderr
    kept = suitecase("run", "sound.eval.yaml", "--output", "kept.jsonl", cwd=workspace)
    assert kept.returncode == 1  # the embedded judge counts words
    assert len((workspace / "kept.jsonl").read_text("utf-8").splitlines()) == 1


def test_runs_behind_a_link_are_not_said_to_be_missing(workspace: Path, home: Path) -> None:
    (workspace / ".suitecase").symlink_to(home)
    done = suitecase("list", cwd=workspace)
    assert "No runs yet" not in done.stdout
    assert (done.returncode, done.stderr) == (
        2,
        ".suitecase/results: a symbolic link leads out of the workspace, so it is not read\n",
    )


def test_answers_are_not_cached_through_a_link(workspace: Path, home: Path) -> None:
    (workspace / ".suitecase").mkdir()
    (workspace / ".suitecase" / "cache.sqlite3").symlink_to(home / "cache.sqlite3")
    ran = suitecase("run", "sound.eval.yaml", "--cache", "read", "--no-results", cwd=workspace)
    assert "it is a link out of the workspace" in ran.stderr


def test_a_conversion_is_not_written_through_a_link_that_nobody_named(
    workspace: Path, home: Path
) -> None:
    (workspace / "sound.jsonl").symlink_to(home / "netrc")
    done = suitecase("convert", "sound.eval.yaml", "--to", "jsonl", "--force", cwd=workspace)
    assert done.returncode == 2
    assert "a link leads out of the workspace, so nothing is written through it" in done.stderr


async def test_the_language_server_reads_and_edits_nothing_behind_a_link(
    start: Start, workspace: Path, home: Path
) -> None:
    (workspace / "linked.eval.yaml").symlink_to(home / "private.eval.yaml")
    (workspace / "suitecase.toml").symlink_to(home / "netrc")
    (workspace / "tone.md").symlink_to(home / "prompt.md")
    write(workspace, "targets.yaml", "targets: [{name: small, provider: mock}]\n")
    named = PROMPTED.replace("mock", "small")
    write(home, "uses.eval.yaml", named)
    (workspace / "uses.eval.yaml").symlink_to(home / "uses.eval.yaml")
    client = await start()
    await client.initialize(root=workspace, diagnostics={"scope": "workspace"})
    uri = (workspace / "sound.eval.yaml").as_uri()
    client.open(uri, named)
    told = [
        await client.message("window/logMessage", lambda it, name=name: name in it["message"])  # type: ignore[misc]
        for name in ("linked.eval.yaml", "uses.eval.yaml")
    ]
    assert all(WHY in it["message"] for it in told)
    assert [it["code"] for it in await client.diagnostics(uri, met=bool)] == ["SC301"]
    here = {"textDocument": {"uri": uri}}
    at = {**here, "position": {"line": 0, "character": 22}}
    renamed = await client.request("textDocument/rename", {**at, "newName": "large"})
    assert set(renamed["changes"]) == {uri, (workspace / "targets.yaml").as_uri()}
    prompt = {"line": 5, "character": named.splitlines()[5].index("tone.md") + 1}
    assert await client.request("textDocument/documentLink", here) == []
    hover = await client.request("textDocument/hover", {**here, "position": prompt})
    assert SECRET not in json.dumps(hover)
    assert SECRET not in json.dumps(client.received)
    assert SECRET.encode() not in client.errors
    (home / "uses.eval.yaml").unlink()


@pytest.mark.parametrize("link", [".suitecase/editor", ".suitecase/editor/reports"])
async def test_results_of_the_editor_are_not_written_through_a_link(
    start: Start, workspace: Path, home: Path, link: str
) -> None:
    (workspace / link).parent.mkdir(parents=True)
    (workspace / link).symlink_to(home)
    client = await start()
    await client.initialize(root=workspace)
    uri = (workspace / "sound.eval.yaml").as_uri()
    client.open(uri, SOUND)
    await client.diagnostics(uri)
    run = await client.run("runTests", {"tests": [{"uri": uri}]})
    assert run["results"][0]["problem"] is None
    report = await client.run("openReport", uri)
    assert report is None or not Path(str(report)).is_relative_to(workspace)


# What a person names is read, wherever it leads, and written only where it is.


def test_a_link_that_is_named_is_checked_but_not_written_through(
    workspace: Path, home: Path
) -> None:
    write(home, "older.eval.yaml", LEGACY)
    (workspace / "linked.eval.yaml").symlink_to(home / "older.eval.yaml")
    assert found("linked.eval.yaml", cwd=workspace) == [("linked.eval.yaml", 5, "SC602", "warning")]
    # Also where the folder around it is named, too.
    assert len(found("linked.eval.yaml", ".", cwd=workspace)) == 1
    assert len(found(".", "linked.eval.yaml", cwd=workspace)) == 1
    for command in (("check", "--fix"), ("migrate",)):
        done = suitecase(*command, "linked.eval.yaml", cwd=workspace)
        assert done.returncode == 2
        assert done.stderr.startswith("linked.eval.yaml: ")
        assert done.stderr.endswith(
            ": a link leads out of the workspace, so nothing is written through it; name the place that "
            "it leads to\n"
        )
        assert "Nothing to fix" not in done.stdout
    assert (home / "older.eval.yaml").read_text("utf-8") == LEGACY
    assert suitecase("show", "linked.eval.yaml", cwd=workspace).returncode == 0
    ran = suitecase("run", "linked.eval.yaml", cwd=workspace)
    assert ran.returncode == 1  # the embedded judge counts words
    (home / "older.eval.yaml").unlink()


def test_a_workspace_that_is_opened_through_a_link_is_read(workspace: Path, tmp_path: Path) -> None:
    write(workspace, "suitecase.toml", 'ignore = ["SC602"]\n')
    write(workspace, "kept/older.eval.yaml", LEGACY)
    (workspace / "inside.eval.yaml").symlink_to(workspace / "kept" / "older.eval.yaml")
    (tmp_path / "link").symlink_to(workspace)
    for place, cwd in (("link", tmp_path), (".", tmp_path / "link"), ("link/kept", tmp_path)):
        done = suitecase("check", place, cwd=cwd)
        assert (done.returncode, done.stderr) == (0, "")
    named = suitecase("check", "link/inside.eval.yaml", cwd=tmp_path)
    assert (named.returncode, named.stderr) == (0, "")


async def test_a_workspace_that_an_editor_opens_through_a_link_is_read(
    start: Start, workspace: Path, tmp_path: Path
) -> None:
    write(workspace, "older.eval.yaml", LEGACY)
    (workspace / "inside.eval.yaml").symlink_to(workspace / "older.eval.yaml")
    (tmp_path / "link").symlink_to(workspace)
    client = await start()
    await client.initialize(root=tmp_path / "link", diagnostics={"scope": "workspace"})
    client.open((tmp_path / "link" / "sound.eval.yaml").as_uri(), SOUND)
    for name in ("older.eval.yaml", "inside.eval.yaml"):
        uri = (tmp_path / "link" / name).as_uri()
        assert [it["code"] for it in await client.diagnostics(uri, met=bool)] == ["SC602"]


def test_what_is_no_regular_file_is_not_waited_for(workspace: Path) -> None:
    for name in ("pipe.yaml", "pipe.jsonl", "pipe.eval.yaml", "targets.yaml", "suitecase.toml"):
        os.mkfifo(workspace / name)
    done = suitecase("check", ".", cwd=workspace)
    assert done.returncode == 2
    assert "pipe.eval.yaml: cannot be checked: it is not a regular file" in done.stderr
