"""The jobs that `init --ci` writes: what changes start has no key, and no name of a folder is executed."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from support.running.processes import suitecase
from support.running.scripts import arguments_in

CHECK, RUN = ".github/workflows/evals.yml", ".github/workflows/run-evals.yml"
#: Folders that a shell, YAML, or a service would make something else of.
HOSTILE = [
    "my evals",
    "x $(touch ran) `touch ran`",
    "a'; touch ran; '",
    'b"; touch ran; "',
    "-rf",
    "--format",
    "a: b # c",
    "{x}, [y]",
    "&a *b !c |",
    "$HOME ${PATH}",
    "*",
    "~",
    "évals-評価-😀",
    "a\\b",
    "!!python/object:os.system",
    "null",
    "on",
    "$[[ inputs.x ]] %{x} {{ y }}",
]
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="names that Windows does not allow")


def made(root: Path, folder: str, *arguments: str) -> dict[str, dict[Any, Any]]:
    """Return the jobs that are written, by their files."""
    (root / ".git").mkdir(exist_ok=True)
    done = suitecase("init", *arguments, "--yes", "--", folder, cwd=root)
    assert done.returncode == 0, done.stderr
    names = [CHECK, RUN, ".gitlab-ci.yml"]
    return {it: yaml.safe_load((root / it).read_text()) for it in names if (root / it).exists()}


@pytest.mark.parametrize("folder", HOSTILE)
def test_steps_on_github_check_the_folder_and_execute_nothing_else(
    tmp_path: Path, folder: str
) -> None:
    root = tmp_path / "repository"
    root.mkdir()
    jobs = made(root, folder, "--ci", "github")
    tools = tmp_path / "bin"
    before = {path.name for path in root.iterdir()}
    for name, expected in ((CHECK, "All checks passed"), (RUN, "3 of 3 rehearsed")):
        (job,) = jobs[name]["jobs"].values()
        scripts = [step for step in job["steps"] if "run" in step]
        assert not any("${{" in step["run"] for step in scripts), (
            "values go through the environment"
        )
        given = [
            arguments_in(
                step["run"], root, tools, **step.get("env", {}), GITHUB_STEP_SUMMARY="summary"
            )
            for step in scripts
        ]
        (arguments,) = filter(None, given)
        done = suitecase(*arguments, cwd=root)
        assert (done.returncode, expected in done.stdout) == (0, True), (done.stdout, done.stderr)
    assert {it.name for it in root.iterdir()} - before == {"summary", ".suitecase"}


@pytest.mark.parametrize("folder", HOSTILE)
def test_commands_that_are_printed_name_the_folder_and_execute_nothing_else(
    tmp_path: Path, folder: str
) -> None:
    root = tmp_path / "repository"
    (root / ".git").mkdir(parents=True)
    done = suitecase("init", "--yes", "--", folder, cwd=root)
    tools = tmp_path / "bin"
    before = {path.name for path in root.iterdir()}
    commands = done.stdout.partition("Next:\n")[2].splitlines()
    assert len(commands) == 2
    for command in commands:
        ran = suitecase(*arguments_in(command, root, tools), cwd=root)
        assert ran.returncode == 0, (command, ran.stdout, ran.stderr)
    assert {it.name for it in root.iterdir()} - before == {".suitecase"}


@pytest.mark.parametrize("folder", HOSTILE)
def test_scripts_on_gitlab_name_the_folder_and_execute_nothing_else(
    tmp_path: Path, folder: str
) -> None:
    root = tmp_path / "repository"
    root.mkdir()
    jobs = made(root, folder, "--ci", "gitlab")[".gitlab-ci.yml"]
    tools = tmp_path / "bin"
    before = {path.name for path in root.iterdir()}
    check, run = (arguments_in("\n".join(job["script"]), root, tools) for job in jobs.values())
    assert (check[0], check[-2:]) == ("check", ["--", folder])
    assert (run[0], run[-2:]) == ("run", ["--", f"{folder}/support.eval.yaml"])
    assert {path.name for path in root.iterdir()} == before


@pytest.mark.process  # `run --report` leaves its temporary file to the end of the process
def test_scripts_on_gitlab_write_their_reports(tmp_path: Path) -> None:
    root = tmp_path / "repository"
    root.mkdir()
    jobs = made(root, "my evals", "--ci", "gitlab")[".gitlab-ci.yml"]
    before = {path.name for path in root.iterdir()}
    for job in jobs.values():
        arguments = arguments_in("\n".join(job["script"]), root, tmp_path / "bin")
        done = suitecase(*arguments, cwd=root)
        assert done.returncode == 0, (job, done.stdout, done.stderr)
        for report in job["artifacts"]["reports"].values():
            assert (root / report).is_file()
    made_since = {it.name for it in root.iterdir()} - before
    assert made_since == {"code-quality.json", "evals.xml", ".suitecase"}


@pytest.mark.parametrize("ci", ["github", "gitlab"])
@pytest.mark.parametrize(
    ("folder", "why"),
    [
        ("x ${{ github.event.pull_request.title }}", "${{ }}"),
        ("two\nlines", "cannot be shown"),
        ("esc\x1b[2J", "cannot be shown"),
        ("right\u202eleft", "cannot be shown"),
    ],
)
def test_names_that_cannot_be_written_are_refused(
    tmp_path: Path, ci: str, folder: str, why: str
) -> None:
    (tmp_path / ".git").mkdir()
    done = suitecase("init", folder, "--ci", ci, "--yes", cwd=tmp_path)
    assert (done.returncode, why in done.stderr) == (2, True), done.stderr
    assert "rename it, or use --ci none" in done.stderr
    assert "\x1b" not in done.stderr
    assert [it.name for it in tmp_path.iterdir()] == [".git"]


@pytest.mark.parametrize("target", ["mock", "cli", "openai/gpt-4o-mini", "vertex_ai/gemini-pro"])
def test_changes_start_only_what_checks(tmp_path: Path, target: str) -> None:
    jobs = made(tmp_path, "evals", "--ci", "github", "--target", target)
    started = jobs[CHECK][True]  # `on` is a truth value of YAML 1.1
    assert set(started) == {"pull_request", "push"}
    assert set(jobs[RUN][True]) == {"schedule", "workflow_dispatch"}
    assert "secrets" not in (tmp_path / CHECK).read_text()
    assert "suitecase run" not in (tmp_path / CHECK).read_text()
    for file in jobs.values():
        assert file["permissions"] == {"contents": "read"}
        (job,) = file["jobs"].values()
        assert job["timeout-minutes"] <= 60
        used = [it for it in job["steps"] if "uses" in it]
        assert used[0]["with"] == {"persist-credentials": False}
        assert all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", it["uses"]) for it in used)
    run = (tmp_path / RUN).read_text()
    assert "--require-sandbox" in run
    assert ("--budget-usd 5 --require" in run) == (target != "cli")


def test_merge_requests_start_only_what_checks(tmp_path: Path) -> None:
    jobs = made(tmp_path, "evals", "--ci", "gitlab", "--target", "openai/gpt-4o-mini")
    check, run = jobs[".gitlab-ci.yml"].values()
    assert not any("suitecase run" in it for it in check["script"])
    assert [it["if"] for it in run["rules"]] == [
        '$CI_PIPELINE_SOURCE == "schedule"',
        '$CI_PIPELINE_SOURCE == "web"',
    ]
    assert "--budget-usd 5 --require-sandbox limits" in run["script"][-1]
    assert (check["timeout"], run["timeout"]) == ("10 minutes", "1 hour")


@pytest.mark.parametrize("dialect", ["promptfoo", "agentv", "agent-skills"])
def test_suites_of_other_tools_in_such_folders_are_sound(tmp_path: Path, dialect: str) -> None:
    (tmp_path / ".git").mkdir()
    for folder in HOSTILE:
        done = suitecase("init", "--yes", "--dialect", dialect, "--", folder, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    checked = suitecase("check", ".", "--fail-level", "warning", cwd=tmp_path)
    assert checked.returncode == 0, checked.stdout
