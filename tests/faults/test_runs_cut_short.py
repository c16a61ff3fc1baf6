"""A run that ends early never reports success, in no format, and names what was not graded."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from xml.etree import ElementTree

import pytest

from suitecase.cli.output.formatter import RUN_FORMATS
from suitecase.cli.running.invocation import Invocation
from suitecase.cli.running.run_output import RunOutput
from suitecase.cli.suite_argument import SuiteArgument
from suitecase.run import client
from support.evaluators.packages import install, module
from support.running.forked import ForkedCommand
from support.running.site import Site
from support.system.processes_left import worker_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and named pipes")

GRADING = "evaluators: [{name: has, type: contains, value: x}]"
CASES = "".join(
    f"- {{id: {it}, expected_outcome: x, input: x, {GRADING}}}\n" for it in ("one", "slow", "last")
)


@contextmanager
def under_way(site: Site, *arguments: str) -> Iterator[ForkedCommand]:
    """Start a run of which one case of three is graded, and the next one is asked."""
    pipe = site.root / "asked"
    os.mkfifo(pipe)
    command = f"cat; if [ {{EVAL_ID}} = slow ]; then echo up > {pipe}; exec sleep 600; fi"
    target = {"name": "agent", "provider": "cli", "command_template": command, "workers": 1}
    site.write("targets.yaml", json.dumps({"targets": [target]}))
    site.suite(CASES, head="execution: {target: agent}")
    with ForkedCommand("run", "a.eval.yaml", *arguments, cwd=site.root) as process:
        try:
            assert pipe.read_text() == "up\n"
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize("form", RUN_FORMATS)
def test_of_a_worker_that_is_ended(site: Site, form: str) -> None:
    with under_way(site, "--format", form) as process:
        os.kill(worker_of(process.pid), signal.SIGTERM)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 3
    told = "a.eval.yaml: the worker process was ended (SIGTERM); not graded: 2 of 3"
    assert told in err
    match form:
        case "text":
            assert "Not run: 2 of 3 cases. To run them:\n    suitecase run a.eval.yaml " in out
            assert "1 passed, 2 not run" in out
        case "json":
            summary = json.loads(out)["summary"]
            assert summary["not_run"] == ["a.eval.yaml::slow", "a.eval.yaml::last"]
            assert [it["message"] for it in json.loads(out)["problems"]] == [told]
        case "jsonl":
            assert [json.loads(it)["eval_id"] for it in out.splitlines()] == ["one"]
            assert "not run: a.eval.yaml::slow\nnot run: a.eval.yaml::last\n" in err
        case "junit":
            root = ElementTree.fromstring(out)
            assert root.get("errors") == "1"
            skipped = [
                it.get("name") for it in root.iter("testcase") if it.find("skipped") is not None
            ]
            assert skipped == ["slow", "last"]
        case "markdown":
            assert out.startswith("## ❌ suitecase run: 1 of 1 passed, 2 not run")
            assert "- a.eval.yaml::slow" in out.replace("&#58;", ":")
        case "github":
            assert f"::error title=suitecase run::{told}" in out
            assert "not run: a.eval.yaml::slow, a.eval.yaml::last" in out
            assert "1 passed, 2 not run" in out


@pytest.mark.parametrize(
    ("of_worker", "number", "code", "told"),
    [
        (True, signal.SIGKILL, 3, "the worker process was killed (SIGKILL)"),
        (True, signal.SIGSEGV, 4, "the worker process was killed (SIGSEGV)"),
        (False, signal.SIGTERM, 143, "ended by SIGTERM"),
        (False, signal.SIGINT, 130, "interrupted"),
    ],
)
def test_of_a_process_that_is_ended(
    site: Site, of_worker: bool, number: signal.Signals, code: int, told: str
) -> None:
    with under_way(site) as process:
        os.kill(worker_of(process.pid) if of_worker else process.pid, number)
        out, err = process.communicate(timeout=60)
    assert process.returncode == code
    assert told in err
    assert "Traceback" not in err
    assert "Not run: 2 of 3 cases. To run them:\n    suitecase run a.eval.yaml " in out
    assert "1 passed, 2 not run" in out


def test_of_a_worker_that_leaves_with_success(site: Site, tmp_path: Path) -> None:
    package = install(
        tmp_path / "packages",
        "acme",
        {"acme": "acme:acme"},
        {"acme": module("", "os._exit(0)", top="import os")},
    )
    site.suite(
        "- {id: one, expected_outcome: x, input: x, evaluators: [{name: it, type: acme}]}",
        head="execution: {target: mock}",
    )
    ran = site.run("a.eval.yaml", env={"PYTHONPATH": str(package)})
    assert ran.code == 4
    assert "ended with exit code 0 before the run finished" in ran.err
    assert "Not run: 1 of 1 case. To run them:\n    suitecase run a.eval.yaml " in ran.out


def test_a_program_that_an_evaluator_leaves_behind_does_not_hold_up_the_run(
    site: Site, tmp_path: Path
) -> None:
    left = "subprocess.Popen(['sleep', '60'], start_new_session=True)"
    grading = f"open({str(tmp_path / 'left')!r}, 'w').write(str({left}.pid))"
    package = install(
        tmp_path / "packages",
        "acme",
        {"acme": "acme:acme"},
        {"acme": module("", grading, top="import subprocess")},
    )
    site.suite(
        "- {id: one, expected_outcome: x, input: x, evaluators: [{name: it, type: acme}]}",
        head="execution: {target: mock}",
    )
    ran = site.run("a.eval.yaml", "--format", "jsonl", env={"PYTHONPATH": str(package)})
    # Fails with `ProcessLookupError` if the program ended before the run did.
    os.kill(int((tmp_path / "left").read_text()), signal.SIGKILL)
    assert list(ran.records) == ["one"], ran.err


@pytest.mark.parametrize(
    ("events", "told"),
    [
        (['"event": "finished", "summary": {}'], "the run ended before it began"),
        (
            [
                '"event": "started", "cases": ["one", "two"], "repeats": 3',
                '"event": "finished", "summary": {}',
            ],
            "the run ended early; not graded: 6 of 6",
        ),
    ],
)
def test_of_a_worker_that_says_too_little(
    site: Site,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    events: list[str],
    told: str,
) -> None:
    program = (
        f"for it in {events}: print('{{\"id\": 1, ' + it + '}}', flush=True)\ninput()\ninput()"
    )
    monkeypatch.setattr(client, "COMMAND", (sys.executable, "-c", program))
    invocation = Invocation(RunOutput("text"))
    argument = SuiteArgument.parse(str(site.root / "a.eval.yaml"))
    asyncio.run(invocation.run([(argument, site.request())]))
    assert invocation.end() == 3
    shown = capfd.readouterr()
    assert told in shown.err
    assert "Not run:" in shown.out
