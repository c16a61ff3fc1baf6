"""`suitecase run --cluster` on schedulers and workers that are processes on this machine."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from support.running.site import Site, lines_of
from support.system.dask_cluster import DaskCluster

#: Fields that differ between two runs of the same suite.
VARYING = {"run_id", "timestamp", "latency_ms", "duration_ms", "trace_summary"}
AGENT = """
import sys
from wording import greeting
print(greeting(open("words.txt").read(), sys.stdin.read()))
"""
JUDGE = """
import json, pathlib, sys
given = json.load(sys.stdin)
passed = "hello" in json.dumps(given) and pathlib.Path("judge.py").exists()
print(json.dumps({"score": float(passed), "hits": [], "misses": [], "reasoning": "looked"}))
"""


@pytest.fixture
def project(site: Site) -> Site:
    """A workspace whose suite needs a target's program, a script, a prompt and a file of a case."""
    site.write("bots/agent.py", AGENT)
    site.write("bots/wording.py", "def greeting(words, asked):\n    return f'{words} {asked}'\n")
    site.write("bots/words.txt", "hello")
    site.write("evals/judge.py", JUDGE)
    site.write("evals/note.md", "a note")
    command = "cat | python3 agent.py --words=words.txt"
    target = {"name": "bot", "provider": "cli", "cwd": "bots", "command_template": command}
    site.write("targets.yaml", json.dumps({"targets": [target]}))
    site.suite(
        """
        - id: greets
          input: [{role: user, content: [{type: text, value: Hi}, {type: file, value: note.md}]}]
          expected_outcome: A greeting
          evaluators:
            - {name: has, type: contains, value: hello}
            - {name: looks, type: code_judge, script: [python3, judge.py]}
        - id: fails
          input: Hi
          expected_outcome: A farewell
          evaluators: [{name: has, type: contains, value: bye}]
        - id: echoes
          execution: {target: mock}
          input: Hi
          expected_outcome: An echo
          evaluators: [{name: has, type: contains, value: Hi}]
        """,
        "execution: {target: bot}",
        "evals/a.eval.yaml",
    )
    return site


def comparable(path: Path) -> dict[str, dict[str, Any]]:
    """Return the records of a results file without what differs between runs."""
    return {
        it["eval_id"]: {name: value for name, value in it.items() if name not in VARYING}
        for it in lines_of(path)
    }


@pytest.mark.process  # a run on a cluster needs a worker of its own
def test_records_are_those_of_a_run_here(project: Site, dask_cluster: DaskCluster) -> None:
    long = project.root / "bots/wording.py"
    long.write_text(long.read_text() + "#" * 300_000)
    here = project.run("evals/a.eval.yaml", "--output", "here.jsonl")
    options = ("--cluster", dask_cluster.address, "--output", "there.jsonl")
    there = project.run("evals/a.eval.yaml", *options)

    assert there.code == here.code == 1
    summary = "1 passed, 1 rehearsed, 1 failed"
    assert there.out.splitlines()[-3] == here.out.splitlines()[-3] == summary
    assert comparable(project.root / "there.jsonl") == comparable(project.root / "here.jsonl")
    workers = f"2 workers of the cluster {dask_cluster.address} on 1 machine"
    assert f"{workers}; 5 files (0.3 MB) are sent to each" in there.err
    assert "Traceback" not in there.err


@pytest.mark.process
def test_the_cache_of_this_machine_serves_the_cluster(
    project: Site, dask_cluster: DaskCluster
) -> None:
    options = ("evals/a.eval.yaml::fails", "--cache", "read", "--output")
    project.run(*options, "here.jsonl")
    project.run(*options, "there.jsonl", "--cluster", dask_cluster.address)

    (there,) = lines_of(project.root / "there.jsonl")
    assert there["candidate_answer"].startswith("hello")
    assert there["details"]["cached"] is True


def test_an_address_where_nobody_listens_ends_the_run(project: Site) -> None:
    ran = project.run("evals/a.eval.yaml", "--cluster", "127.0.0.1", "--no-results")

    assert ran.code == 3
    assert "an address has a port, as in `tcp://127.0.0.1:8786`" in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_what_cannot_be_sent_is_refused_by_name(project: Site) -> None:
    os.mkfifo(project.root / "pipe")
    ran = project.run("evals/a.eval.yaml", "--cluster", "tcp://h:1", "--cluster-file", "pipe")
    assert (ran.code, "pipe is neither a file nor a folder" in ran.err) == (2, True)


def test_options_that_contradict_a_cluster_are_refused(project: Site) -> None:
    assert project.run("evals/a.eval.yaml", "--cluster-file", "evals").code == 2
    both = project.run("evals/a.eval.yaml", "--cluster", "tcp://h:1", "--workers", "2")
    assert both.code == 2
    assert "--workers and --cluster exclude each other" in both.err
