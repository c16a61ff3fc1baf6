"""Runs sandbox their programs as configured, and record the level."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys

import pytest

from suitecase.run.client import Worker
from suitecase.run.protocol import Failed
from suitecase.run.worker_failure import WorkerFailure
from suitecase_evaluators.targets.config import TargetsFile
from support.running.site import Ran, Site, events_of
from support.system.sandboxed_programs import (
    FAMILY,
    Lifeline,
    failing_bubblewrap,
    gone,
    isolated_only,
)

SCRIPTED = """
    - id: one
      expected_outcome: x
      input: hello
      execution:
        target: {target}
        evaluators:
          - {{name: script, type: code_judge, script: [{python}, judge.py]}}
"""
ECHO = """
    targets:
      - {{name: echo, provider: cli, command_template: "echo {{PROMPT}}", judge_target: mock{more}}}
      - {{name: mock, provider: mock}}
"""


def scripted(site: Site, target: str = "mock", more: str = "") -> None:
    """Write a suite with a script, and a target that is a program."""
    site.write("judge.py", "print('{\"score\": 1}')")
    site.write("targets.yaml", ECHO.format(more=more))
    site.suite(SCRIPTED.format(python=sys.executable, target=target))


def unable(site: Site) -> dict[str, str]:
    """Return an environment in which bubblewrap does not work."""
    fake = failing_bubblewrap(site.root / "bin")
    return {"PATH": f"{fake.parent}{os.pathsep}{os.environ['PATH']}"}


def levels(ran: Ran) -> tuple[object, object, object]:
    """Return the level of the run, of the target and of the script."""
    document = json.loads(ran.out)
    (record,) = document["results"]
    (script,) = record["evaluator_results"]
    return document["summary"]["sandbox"], record["sandbox"], script["sandbox"]


@isolated_only
def test_the_level_is_recorded_of_target_script_and_run(site: Site) -> None:
    scripted(site, "echo")
    ran = site.run("a.eval.yaml", "--format", "json", "--no-results")
    assert ran.code == 0, ran.out + ran.err
    assert levels(ran) == ("limits", "limits", "isolated")
    site.write("suitecase.toml", '[sandbox]\nscripts = "networked"\ntargets = "isolated"\n')
    allowed = ("--sandbox", "scripts=networked")
    ran = site.run("a.eval.yaml", "--format", "json", "--no-results", *allowed)
    assert levels(ran) == ("networked", "isolated", "networked")


def test_where_bubblewrap_does_not_work_the_limits_are_recorded(site: Site) -> None:
    scripted(site)
    ran = site.run("a.eval.yaml", "--format", "json", "--no-results", env=unable(site))
    assert (ran.code, levels(ran)) == (0, ("limits", None, "limits"))


def test_people_see_how_far_programs_were_held(site: Site) -> None:
    scripted(site)
    ran = site.run("a.eval.yaml", "--no-results", env=unable(site))
    assert "Programs  limits alone" in ran.out


def test_a_required_sandbox_that_is_not_reached_lets_nothing_run(site: Site) -> None:
    scripted(site, "echo")
    site.write("judge.py", "open('ran', 'w')")
    ran = site.run("--require-sandbox", "a.eval.yaml", env=unable(site))
    assert ran.code == 2
    assert "the sandbox level `isolated` is required, but:" in ran.err
    assert "target `echo` would run with `limits`" in ran.err
    assert "evaluator `script` would run with `limits`" in ran.err
    assert "No permissions to create new namespace" in ran.err
    assert not (site.root / "ran").exists()
    assert not (site.root / ".suitecase").exists()


def test_without_bubblewrap_it_is_said_how_to_install_it(site: Site) -> None:
    scripted(site)
    (nothing := site.root / "bin").mkdir()
    ran = site.run("--require-sandbox=networked", "a.eval.yaml", env={"PATH": str(nothing)})
    assert ran.code == 2
    assert "there is no `bwrap` on the PATH" in ran.err
    assert "apt install bubblewrap" in ran.err


def test_a_level_that_is_reached_lets_it_run(site: Site) -> None:
    scripted(site, "echo")
    ran = site.run("--require-sandbox", "limits", "a.eval.yaml", "--no-results", env=unable(site))
    assert (ran.code, ran.err) == (0, "")


def test_a_suite_that_starts_no_program_needs_no_sandbox(site: Site) -> None:
    site.suite("- {id: one, expected_outcome: x, input: x}")
    ran = site.run("--require-sandbox", "a.eval.yaml", "--dry-run", env=unable(site))
    assert (ran.code, ran.err) == (0, "")


@isolated_only
def test_what_holds_a_program_too_little_is_told_with_the_remedy(site: Site) -> None:
    scripted(site, "echo")
    ran = site.run("a.eval.yaml", "--require-sandbox", "--no-results")
    assert ran.code == 2
    assert "evaluator `script`" not in ran.err
    assert "set `sandbox: isolated` in their entries" in ran.err
    scripted(site, "echo", ", sandbox: isolated")
    ran = site.run("a.eval.yaml", "--require-sandbox", "--no-results", "--format", "json")
    assert (ran.code, levels(ran)) == (0, ("isolated", "isolated", "isolated"))


async def test_the_configuration_requires_it_of_an_editors_run_too(
    site: Site, worker: Worker
) -> None:
    scripted(site, "echo")
    site.write("suitecase.toml", '[sandbox]\nrequire = "isolated"\n')
    text = (site.root / "a.eval.yaml").read_text()
    (event,) = await events_of(worker, site.request(text=text))
    assert isinstance(event, Failed)
    assert event.kind == "usage"
    assert "the sandbox level `isolated` is required" in event.message


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            '[sandbox]\nrequired = "isolated"\n',
            "suitecase.toml:2: invalid setting `sandbox.required`",
        ),
        ("[sandbox\n", "suitecase.toml:1: expected"),
    ],
)
def test_a_configuration_that_cannot_be_read_is_not_taken_for_none(
    site: Site, text: str, said: str
) -> None:
    scripted(site)
    site.write("suitecase.toml", text)
    ran = site.run("a.eval.yaml", "--no-results")
    assert ran.code == 2
    assert said in ran.err
    assert "Nothing was run" in ran.err


def test_limits_of_the_configuration_end_a_target_and_say_so(site: Site) -> None:
    scripted(site, "echo")
    site.write("burn.py", "while True: pass")
    burn = f"{sys.executable} burn.py"
    site.write(
        "targets.yaml",
        f"targets: [{{name: echo, provider: cli, command_template: {json.dumps(burn)}}}]",
    )
    site.write("suitecase.toml", "[sandbox]\ncpu-seconds = 1\n")
    ran = site.run("a.eval.yaml", "--no-results", "--format", "jsonl")
    record = ran.records["one"]
    assert (ran.code, record["verdict"], record["sandbox"]) == (3, "error", "limits")
    assert "target `echo`: the program used more than 1 s of processor time" in record["error"]


@pytest.mark.process
@pytest.mark.parametrize("level", ["limits", pytest.param("isolated", marks=isolated_only)])
async def test_nothing_of_a_program_outlives_a_worker_that_is_killed(
    site: Site, worker: Worker, level: str
) -> None:
    lifeline = Lifeline(site.root)
    command = lifeline.held_by(FAMILY)
    site.write(
        "targets.yaml",
        f"targets: [{{name: family, provider: cli, command_template: {json.dumps(command)}, "
        f"sandbox: {level}}}]",
    )
    site.suite("- {id: one, expected_outcome: x, input: x}", head="execution: {target: family}")
    running = asyncio.create_task(events_of(worker, site.request()))
    async with lifeline.begun() as stream:
        assert worker.pid is not None
        os.kill(worker.pid, signal.SIGKILL)
        await gone(stream)
        with pytest.raises(WorkerFailure, match="SIGKILL"):
            await running


def test_levels_are_checked_as_other_words_are() -> None:
    entry = {"name": "a", "provider": "cli", "command_template": "true", "sandbox": "none"}
    with pytest.raises(ValueError, match="'limits', 'networked' or 'isolated'"):
        TargetsFile.model_validate({"targets": [entry]})
