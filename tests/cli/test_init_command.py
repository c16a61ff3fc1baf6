"""`suitecase init`: what it writes is checked and runs, and nothing that exists is touched."""

from __future__ import annotations

import os
import pty
import select
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

from suitecase_evaluators.targets import local_servers
from support.running.commands import CommandSite
from support.running.processes import COMMAND_LINE, suitecase
from support.running.scripts import arguments_in
from support.servers.openai import OpenAiServer

DIALECTS = ("agent-skills", "agentv", "promptfoo")
KEY = "sk-0123456789abcdef0123456789abcdef"


@pytest.fixture
def site(tmp_path: Path) -> CommandSite:
    """An empty workspace."""
    return CommandSite(tmp_path)


def test_the_first_suite_is_sound_and_runs_without_a_key(tmp_path: Path) -> None:
    made = suitecase("init", "evals", "--yes", cwd=tmp_path)
    assert made.stdout == (
        "  wrote        evals/support.eval.yaml\n"
        "  wrote        evals/targets.yaml\n"
        "  wrote        evals/prompts/honesty.md\n"
        "\n"
        "Next:\n"
        "  suitecase check evals\n"
        "  suitecase run evals/support.eval.yaml\n"
    )
    checked, ran = (_next_command(tmp_path, line) for line in made.stdout.splitlines()[-2:])
    assert checked.stdout == "All checks passed (1 suite, 3 cases, 1 other file).\n"
    assert ran.returncode == 0
    assert "3 rehearsed" in ran.stdout
    # A run ignores its own results for git, so that there is nothing to add to `.gitignore`.
    (results,) = tmp_path.rglob("results")
    assert (results / ".gitignore").read_text("utf-8") == "*\n"


@pytest.mark.parametrize(
    ("target", "said"), [("mock", "3 rehearsed"), ("cli", "1 passed, 2 rehearsed")]
)
def test_what_no_model_answers_or_judges_is_rehearsed(
    site: CommandSite, target: str, said: str
) -> None:
    assert site.run("init", "--target", target).code == 0
    assert site.run("check", ".").out.startswith("All checks passed")
    ran = suitecase("run", "support.eval.yaml", "--no-results", cwd=site.root)
    assert (ran.returncode, said in ran.stdout) == (0, True)


def test_a_model_is_asked_once_its_key_is_set(
    site: CommandSite, openai_server: OpenAiServer
) -> None:
    made = site.run("init", "--target", "openai/gpt-4o-mini", "--ci", "github")
    assert "  export OPENAI_API_KEY=...\n" in made.out
    assert "OPENAI_API_KEY is not set yet, and openai/gpt-4o-mini needs it.\n" in made.out
    assert KEY not in "".join(it.read_text("utf-8") for it in site.root.rglob("*.y*ml"))
    assert "secrets.OPENAI_API_KEY" in site.read(".github/workflows/run-evals.yml")
    assert "secrets." not in site.read(".github/workflows/evals.yml")

    without = suitecase("run", "support.eval.yaml", cwd=site.root, env={"OPENAI_API_KEY": ""})
    assert without.returncode == 3
    assert "the environment has no OPENAI_API_KEY" in without.stderr

    openai_server.script("9:00")
    asked = {"OPENAI_API_KEY": KEY, "OPENAI_API_BASE": openai_server.url}
    ran = suitecase("run", "support.eval.yaml::opening-hours", cwd=site.root, env=asked)
    assert "PASS" in ran.stdout
    (request,) = openai_server.requests
    assert request.body["model"] == "gpt-4o-mini"
    assert "shoe shop" in str(request.body["messages"])


@pytest.mark.parametrize("target", ["mock", "cli", "anthropic/claude-sonnet-4-5"])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_suites_of_other_tools_have_no_findings(
    site: CommandSite, dialect: str, target: str
) -> None:
    made = site.run("init", "Some Skill", "--dialect", dialect, "--target", target)
    assert made.code == 0
    assert site.run("check", ".").out.startswith("All checks passed (1 suite")
    for line in made.out.partition("Next:\n")[2].splitlines():
        assert _next_command(site.root, line).returncode == 0


def test_the_examples_run(site: CommandSite) -> None:
    made = site.run("init", "tried", "--from", "examples")
    assert made.code == 0
    assert "error" not in site.run("check", "tried", "--fail-level", "warning").out
    ran = _next_command(site.root, made.out.splitlines()[-1])
    assert "1 rehearsed, 1 failed" in ran.stdout


def test_files_that_exist_are_left_as_they_are(site: CommandSite) -> None:
    site.write("support.eval.yaml", "mine\n")
    first = site.run("init")
    assert (first.code, first.out.splitlines()[0]) == (
        0,
        "  exists       support.eval.yaml, left as it is",
    )
    assert site.read("support.eval.yaml") == "mine\n"
    again = site.run("init")
    assert (again.code, again.out.splitlines()[-1]) == (
        1,
        "Nothing was written, since all files exist. `suitecase check` and `suitecase run` read them.",
    )


def test_a_suite_uses_the_targets_that_are_there(site: CommandSite) -> None:
    site.write("targets.yaml", "targets: [{name: mine, provider: mock, response: Hi}]\n")
    assert site.run("init", "evals").code == 0
    assert "target: mine #" in site.read("evals/support.eval.yaml")
    assert not (site.root / "evals/targets.yaml").exists()
    assert site.run("check", ".").code == 0
    refused = site.run("init", ".", "--target", "openai/gpt-4o-mini")
    assert refused.code == 2
    assert "add it there, or name a target that it has (mine)" in refused.err
    assert "name an empty folder" in site.run("init", "--from", "examples").err


def test_jobs_of_ci_are_in_the_repository_and_name_the_folder(site: CommandSite) -> None:
    assert site.run("init", "a/evals", "--ci", "github").code == 0
    job = yaml.safe_load(site.read(".github/workflows/evals.yml"))
    (step,) = (it for it in job["jobs"]["check"]["steps"] if it.get("name") == "Check")
    assert step["env"] == {"SUITES": "a/evals"}
    job = yaml.safe_load(site.read(".github/workflows/run-evals.yml"))
    (step,) = (it for it in job["jobs"]["run"]["steps"] if it.get("name") == "Run")
    assert step["env"] == {"SUITE": "a/evals/support.eval.yaml"}
    assert site.run("init", "b", "--ci", "gitlab", "--dialect", "promptfoo").code == 0
    jobs = yaml.safe_load(site.read(".gitlab-ci.yml"))
    assert list(jobs) == ["check-evals"]
    assert jobs["check-evals"]["script"][1:] == [
        "suitecase check --format gitlab --output code-quality.json -- b"
    ]


def test_a_dry_run_writes_nothing(site: CommandSite) -> None:
    shown = site.run("init", "evals", "--dry-run")
    assert (shown.code, site.names()) == (0, [])
    assert shown.out.splitlines()[0] == "  would write  evals/support.eval.yaml"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["file"], "file is a file; name a folder for the suite"),
        (["file/evals"], "file is a file; name a folder for the suite"),
        (["linked"], "linked/prompts is a link that leads out of linked"),
        (["blocked"], "blocked/prompts is a file, and a folder of that name is needed"),
        (["--target", "opnai/gpt-4o"], "litellm has no provider opnai; did you mean openai/gpt-4o?"),
        (["--target", "openai"], "openai needs a model behind it, such as openai/gpt-4o-mini."),
        (["--target", "mok"], "mok is not a target; did you mean mock?"),
        (["--target", "gpt-4o"], "gpt-4o is not a target; did you mean openai/gpt-4o?"),
        (["--target", "groq/x y"], "groq needs a model behind it"),
        (["--target", "groq/x", "--dialect", "agentv"], "AgentV has no provider groq"),
        (["--target", "watsonx/x", "--dialect", "promptfoo"], "promptfoo names the models of watsonx"),
        (["--from", "examples", "--dialect", "agentv"], "exclude each other"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_said(site: CommandSite, arguments: list[str], message: str) -> None:
    site.write("file", "")
    site.write("blocked/prompts", "")
    (site.root / "linked").mkdir()
    (site.root / "linked/prompts").symlink_to("/tmp")
    before = sorted(site.root.rglob("*"))
    refused = site.run("init", *arguments)
    assert (refused.code, message in refused.err) == (2, True), refused.err
    assert sorted(site.root.rglob("*")) == before


def test_a_folder_that_cannot_be_written_is_the_fault_of_the_environment(site: CommandSite) -> None:
    refused = site.run("init", "/proc/evals")
    assert refused.code == 3
    assert refused.err.startswith("/proc/evals/support.eval.yaml cannot be written: ")


def test_questions_are_asked_on_a_terminal(tmp_path: Path) -> None:
    (tmp_path / ".github").mkdir()
    (tmp_path / ".git").mkdir()
    shown = _on_terminal(
        tmp_path, [("Target [mock]", "opnai/x"), ("Target [mock]", "cli"), ("CI (", "")]
    )
    assert "litellm has no provider opnai; did you mean openai/x?" in shown
    assert "(github, gitlab, none) [github]" in shown
    assert "wrote        bot.py" in shown
    assert "wrote        .github/workflows/evals.yml" in shown


def _on_terminal(folder: Path, dialogue: list[tuple[str, str]]) -> str:
    """Run `suitecase init` on a terminal, and answer what it asks."""
    ours, theirs = pty.openpty()
    command = [*COMMAND_LINE, "init"]
    shown = ""
    with subprocess.Popen(
        command, cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs
    ) as process:
        os.close(theirs)
        for question, answer in [*dialogue, ("Next:", "")]:
            seen = len(shown)
            while question not in shown[seen:]:
                assert select.select([ours], [], [], 30)[0], shown
                shown += os.read(ours, 4096).decode()
            os.write(ours, f"{answer}\n".encode())
        assert process.wait(30) == 0
    os.close(ours)
    return shown


def _next_command(folder: Path, line: str) -> subprocess.CompletedProcess[str]:
    """Run a command as it is printed, in a shell."""
    arguments = arguments_in(line.strip(), folder, folder / ".tools", ["sh"])
    return suitecase(*arguments, cwd=folder)


def with_servers(places: Mapping[str, str], site: CommandSite) -> subprocess.CompletedProcess[str]:
    """Run `init --target local` where servers of models are usually at these addresses."""
    return suitecase(
        *("init", "--target", "local"),
        cwd=site.root,
        constants={f"{local_servers.__name__}.USUAL_PLACES": places},
    )


def test_a_server_that_runs_is_found_and_asked(
    site: CommandSite, openai_server: OpenAiServer
) -> None:
    places = {"one": "http://127.0.0.1:9/v1", "other": openai_server.url}
    made = with_servers(places, site)
    assert made.returncode == 0, made.stderr
    targets = yaml.safe_load((site.root / "targets.yaml").read_text())["targets"]
    assert {(target["api_base"], target["model"]) for target in targets} == {
        (openai_server.url, "a:model")
    }
    assert site.run("check", ".").out.startswith("All checks passed")


def test_without_a_server_it_says_in_three_lines_how_to_start_one(
    site: CommandSite,
) -> None:
    made = with_servers({"one": "http://127.0.0.1:9/v1"}, site)
    assert made.returncode == 3
    assert "No server of a model runs on this machine" in made.stderr
    assert [line.split()[0] for line in made.stderr.splitlines()[1:]] == [
        "ollama",
        "llama-server",
        "vllm",
    ]
    assert not (site.root / "targets.yaml").exists()


@pytest.mark.parametrize("name", ["support.eval.yaml", "targets.yaml", "prompts/honesty.md"])
@pytest.mark.parametrize(
    ("kind", "what"),
    [
        ("link", "a link that leads nowhere"),
        ("circle", "a link that leads nowhere"),
        ("pipe", "not a regular file"),
        ("folder", "a folder"),
    ],
)
def test_what_is_no_file_where_one_is_needed_is_named(
    site: CommandSite, name: str, kind: str, what: str
) -> None:
    place = site.root / name
    place.parent.mkdir(exist_ok=True)
    if kind == "pipe":
        os.mkfifo(place)
    elif kind == "folder":
        place.mkdir()
    else:
        place.symlink_to(place if kind == "circle" else "gone.yaml")
    for dry_run in ((), ("--dry-run",)):
        made = site.run("init", "--yes", *dry_run)
        assert made.code == 2
        assert f"{name} is {what}, and a file of that name is needed" in made.err
    written = [*site.root.rglob("*.yaml"), *site.root.rglob("*.md")]
    assert [path for path in written if path != place] == []


def test_links_to_files_are_left_as_they_are(site: CommandSite) -> None:
    site.write("elsewhere/mine.eval.yaml", "")
    (site.root / "support.eval.yaml").symlink_to("elsewhere/mine.eval.yaml")
    made = site.run("init", "--yes")
    assert "  exists       support.eval.yaml, left as it is\n" in made.out
