"""Machines that are lost, join or cannot be used while cases are graded on a cluster."""

from __future__ import annotations

import json
import os
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.running.forked import ForkedCommand
from support.running.site import Site
from support.system.dask_cluster import DaskCluster, wait_for

#: Notes that it was asked, and where; those that are quick answer once they may.
AGENT = """
import os, pathlib, sys, time
asked = sys.stdin.read().strip()
here = pathlib.Path(os.environ["SIGNS"])
with open(here / "asked", "a") as file:
    file.write(f"{asked} {os.environ['WORKER']}\\n")
while "quick" in asked and not (here / "open").exists():
    time.sleep(0.02)
while "stuck" in asked and not (here / "unstuck").exists():
    time.sleep(0.02)
print(os.environ["WORKER"])
"""
#: Grades once it may.
JUDGE = """
import json, os, pathlib, sys, time
json.load(sys.stdin)
here = pathlib.Path(os.environ["SIGNS"])
with open(here / "judging", "a") as file:
    file.write(f"{os.environ['WORKER']}\\n")
while not (here / "go").exists():
    time.sleep(0.02)
print(json.dumps({"score": 1.0, "hits": [], "misses": [], "reasoning": "waited"}))
"""


@pytest.fixture
def signs(tmp_path: Path) -> Path:
    """Where programs and tests see what the other has done."""
    folder = tmp_path / "signs"
    folder.mkdir()
    for name in ("asked", "judging"):
        (folder / name).touch()
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Site:
    root = tmp_path / "project"
    root.mkdir()
    return Site(root)


def suite(project: Site, *, judged: int = 0, quick: int = 0, stuck: int = 0, places: int) -> None:
    """Write a suite whose first cases are judged when `go` is there."""
    project.write("agent.py", AGENT)
    project.write("judge.py", JUDGE)
    command = "cat | python3 agent.py"
    target = {"name": "bot", "provider": "cli", "workers": places, "command_template": command}
    project.write("targets.yaml", json.dumps({"targets": [target]}))
    script = "{name: waits, type: code_judge, script: [python3, judge.py]}"
    has = "{name: has, type: contains, value: worker}"
    cases = [
        *((f"judged-{number}", script) for number in range(judged)),
        *((f"quick-{number}", has) for number in range(quick)),
        *((f"stuck-{number}", has) for number in range(stuck)),
    ]
    project.suite(
        "\n".join(
            f"- {{id: {name}, input: {name}, expected_outcome: x, evaluators: [{evaluator}]}}"
            for name, evaluator in cases
        ),
        "execution: {target: bot}",
    )


def add(cluster: DaskCluster, signs: Path) -> int:
    """Add a worker whose programs know its name; return its process id."""
    env = {"SIGNS": str(signs), "WORKER": f"worker-{len(cluster.workers)}", "TMPDIR": str(signs)}
    return cluster.add(env=env)


@contextmanager
def running(project: Site, cluster: DaskCluster) -> Iterator[ForkedCommand]:
    """Start a run on a cluster, whose records are printed as they arrive."""
    command = (
        *("run", "a.eval.yaml", "--cluster", cluster.address),
        *("--format", "jsonl", "--sandbox", "scripts=limits", "--output", "r.jsonl"),
    )
    with ForkedCommand(*command, cwd=project.root) as process:
        try:
            yield process
        finally:
            process.kill()


def lines(file: Path) -> list[str]:
    return file.read_text().splitlines()


def record_of(process: ForkedCommand, worker: str) -> Iterator[str]:
    """Yield the cases whose records are printed, up to the first one of a worker."""
    assert process.stdout is not None
    for line in process.stdout:
        record = json.loads(line)
        yield record["eval_id"]
        if worker in record["candidate_answer"]:
            return
    raise AssertionError(f"{worker} graded nothing")


def test_what_a_killed_worker_had_answered_is_not_asked_again(
    project: Site, own_dask_cluster: DaskCluster, signs: Path
) -> None:
    suite(project, judged=4, quick=8, places=6)
    killed = add(own_dask_cluster, signs)
    add(own_dask_cluster, signs)
    with running(project, own_dask_cluster) as process:
        wait_for(lambda: len(lines(signs / "judging")) == 4)
        # Neither is given cases before the other is ready.
        assert {*lines(signs / "judging")} == {"worker-0", "worker-1"}
        (signs / "open").touch()
        # What arrives from a worker arrives in its order: its answers to the first cases, too.
        known = {f"judged-{number}" for number in range(4)} | {*record_of(process, "worker-0")}
        os.kill(killed, signal.SIGKILL)
        (signs / "go").touch()
        out, err = process.communicate(timeout=100)

    assert process.returncode == 0, err
    assert out.count('"verdict": "pass"') >= 4
    asked = Counter(line.split()[0] for line in lines(signs / "asked"))
    assert {name: asked[name] for name in known} == dict.fromkeys(known, 1)
    assert len(lines(project.root / "r.jsonl")) == 12


def test_a_worker_that_joins_is_used(
    project: Site, own_dask_cluster: DaskCluster, signs: Path
) -> None:
    suite(project, judged=2, quick=1, places=2)
    add(own_dask_cluster, signs)
    (signs / "open").touch()
    with running(project, own_dask_cluster) as process:
        wait_for(lambda: len(lines(signs / "judging")) == 2)
        killed = own_dask_cluster.workers[0].pid
        add(own_dask_cluster, signs)
        os.kill(killed, signal.SIGKILL)
        (signs / "go").touch()
        _, err = process.communicate(timeout=100)

    assert process.returncode == 0, err
    assert "worker-1" in lines(signs / "judging")


def test_without_any_worker_left_the_run_stops_and_can_be_resumed(
    project: Site, own_dask_cluster: DaskCluster, signs: Path
) -> None:
    suite(project, quick=1, stuck=1, places=1)
    add(own_dask_cluster, signs)
    (signs / "open").touch()
    with running(project, own_dask_cluster) as process:
        assert list(record_of(process, "worker-0")) == ["quick-0"]
        wait_for(lambda: any("stuck" in it for it in lines(signs / "asked")))
        own_dask_cluster.stop()
        _, err = process.communicate(timeout=100)

    assert process.returncode == 3, err
    assert f"the connection to the scheduler {own_dask_cluster.address} was lost" in err
    assert "not graded: 1 of 2" in err
    assert "Traceback" not in err
    assert [json.loads(it)["eval_id"] for it in lines(project.root / "r.jsonl")] == ["quick-0"]
    (signs / "unstuck").touch()
    here = {"SIGNS": str(signs), "WORKER": "worker-here"}
    assert project.run("a.eval.yaml", "--resume", "r.jsonl", env=here).code == 0
    assert Counter(it.split()[0] for it in lines(signs / "asked")) == {"quick-0": 1, "stuck-0": 2}


def test_ctrl_c_ends_what_runs_on_machines_and_leaves_nothing_there(
    project: Site, own_dask_cluster: DaskCluster, signs: Path
) -> None:
    suite(project, stuck=2, places=2)
    add(own_dask_cluster, signs)
    with running(project, own_dask_cluster) as process:
        wait_for(lambda: len(lines(signs / "asked")) == 2)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=100)

    assert process.returncode == 130, err
    assert "interrupted" in err
    wait_for(lambda: not any(signs.glob("suitecase-*/*")))
    assert own_dask_cluster.workers[0].poll() is None


@pytest.mark.process  # a run on a cluster needs a worker of its own
def test_a_variable_that_machines_lack_is_named_and_no_secret_travels(
    project: Site, own_dask_cluster: DaskCluster
) -> None:
    secret = "sk-4f9a8b7c6d5e4f3a2b1c0d9e"
    target = {
        "name": "bot",
        "provider": "cli",
        "command_template": "echo said $SUITECASE_TEST_KEY ${{ SUITECASE_TEST_KEY }}",
    }
    project.write("targets.yaml", json.dumps({"targets": [target]}))
    has = "evaluators: [{name: has, type: contains, value: said}]"
    project.suite(f"- {{id: a, input: Hi, expected_outcome: x, {has}}}", "execution: {target: bot}")
    own_dask_cluster.add()

    command, here = (
        ("a.eval.yaml", "--cluster", own_dask_cluster.address),
        {"SUITECASE_TEST_KEY": secret},
    )
    refused = project.run(*command, env=here)

    assert refused.code == 3
    assert "can grade this run" in refused.err
    assert "has no SUITECASE_TEST_KEY (needed by the target `bot`)" in refused.err

    other = "sk-0a1b2c3d4e5f6a7b8c9d0e1f"
    own_dask_cluster.add(env={"SUITECASE_TEST_KEY": other})
    ran = project.run(*command, env=here)

    assert ran.code == 0, ran.err
    assert "the worker `worker-0`" in ran.err
    written = [it for it in (project.root / ".suitecase").rglob("*") if it.is_file()]
    logs = own_dask_cluster.folder.glob("*.log")
    texts = [ran.out, ran.err, *(it.read_text() for it in (*written, *logs))]
    assert any("said [redacted]" in it for it in texts)
    assert not any(it in text for text in texts for it in (secret, other))
