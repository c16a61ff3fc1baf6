"""Runs that are killed, starved and lied to at random, and resumed until they are done.

Meanwhile language servers have hostile clients, which start runs of another suite and leave.
Afterwards each case has one record; no case was asked again whose record was there; no process and
no temporary file is left. A few seconds of it run with all tests, ten minutes by `make chaos`; a
run that fails names its seed.
"""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from support.lsp.hostile_clients import Visit
from support.running.processes import COMMAND_LINE
from support.running.site import Site, lines_of
from support.servers.openai import (  # pyright: ignore[reportMissingImports] - see tests/conftest.py
    Answer,
    OpenAiServer,
)
from support.system.processes_left import MARK, needs_proc, processes, wait_until_gone

SECONDS = float(os.environ.get("SUITECASE_CHAOS_SECONDS", "4"))
#: The clock's only behind `make chaos`; `make test` tries the same each time.
_DEFAULT = time.time_ns() % 1_000_000 if "SUITECASE_CHAOS_SECONDS" in os.environ else 1
SEED = int(os.environ.get("SUITECASE_CHAOS_SEED", _DEFAULT))
CASES = 24
RESULTS = "results.jsonl"
OTHER_SUITE = "other.eval.yaml"


class Model:
    """A model that mostly answers, and that knows which cases have a record."""

    def __init__(self, server: OpenAiServer, results: Path, chance: random.Random) -> None:
        self._results, self._chance = results, chance
        self.answered: Counter[str] = Counter()
        self.asked_in_vain: list[str] = []
        self.calm = False
        server.default = self.behave

    def behave(self, body: Mapping[str, Any]) -> Answer:
        case = str(body["messages"][-1]["content"]).split()[-1]
        if case in graded(self._results):
            self.asked_in_vain.append(case)
        kind = 0 if self.calm else self._chance.randrange(14)
        match kind:
            case 1:
                return Answer(status=500)
            case 2:
                return Answer(status=429, headers={"retry-after": "0"})
            case 3:
                return Answer(cut_after=30)
            case 4:
                return Answer(body=b"\xff{ no JSON" * 50)
            case 5:
                return Answer(body=json.dumps({"choices": "none"}).encode())
            case 6:
                return Answer(status=301, headers={"location": "http://127.0.0.1:1/elsewhere"})
            case 7:
                return Answer(body=b"[" * 100_000)
            case 8:
                time.sleep(self._chance.random())
        self.answered[case] += 1
        return Answer(text=f"the answer to {case} \ud83d" if kind == 9 else f"answer {case}")


def graded(results: Path) -> set[str]:
    """Return the cases that have a whole record that counts."""
    found: set[str] = set()
    with suppress(FileNotFoundError):
        for line in results.read_bytes().splitlines(keepends=True):
            with suppress(ValueError):
                record = json.loads(line)
                if line.endswith(b"\n") and record["verdict"] != "error":
                    found.add(record["eval_id"])
    return found


class Chaos:
    """A suite, a model, and runs of the one by the other."""

    def __init__(self, site: Site, server: OpenAiServer, chance: random.Random) -> None:
        self.site, self.chance = site, chance
        self.results = site.root / RESULTS
        self.model = Model(server, self.results, chance)
        self.temporary = site.root / "tmp"
        self.temporary.mkdir()
        self.ended: Counter[str] = Counter()
        #: What servers did wrong.
        self.wrong: list[str] = []
        #: How the last run ended, and what it said.
        self.said = ""
        program = f"{sys.executable} -c \"import time; time.sleep(.05); print('answer')\""
        targets = [
            {"name": "model", "provider": "openai", "model": "m", "api_base": server.url},
            {"name": "program", "provider": "cli", "command_template": program},
        ]
        site.write("targets.yaml", json.dumps({"targets": targets}))
        site.suite(
            "".join(
                f"- {{id: case-{n}, expected_outcome: answers, input: Question of case-{n}, "
                f"execution: {{target: {'program' if n % 6 == 0 else 'model'}}}, "
                "evaluators: [{name: it, type: contains, value: answer}]}\n"
                for n in range(CASES)
            )
        )
        site.suite(
            "".join(
                f"- {{id: case-{n}, expected_outcome: answers, input: x, "
                "evaluators: [{name: it, type: contains, value: answer}]}\n"
                for n in range(CASES)
            ),
            head="execution: {target: program}",
            name=OTHER_SUITE,
        )

    def start(self, mark: str) -> subprocess.Popen[bytes]:
        """Start a run that goes on with what is there."""
        resumed = ("--resume", RESULTS) if self.results.exists() else ("--output", RESULTS)
        run = subprocess.Popen(
            [
                *COMMAND_LINE,
                "run",
                "a.eval.yaml",
                *resumed,
                "--concurrency",
                "3",
                "--timeout",
                "20",
            ],
            cwd=self.site.root,
            env={**os.environ, MARK: mark, "TMPDIR": str(self.temporary)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        if not self.model.calm and self.chance.random() < 0.15:
            # No file takes more than a few records from here on, as on a disk that is full.
            size = self.results.stat().st_size if self.results.exists() else 0
            resource.prlimit(run.pid, resource.RLIMIT_FSIZE, (size + 4_000, size + 4_000))
        return run

    def disturb(self, run: subprocess.Popen[bytes], mark: str) -> None:
        """Wait some time, and do something to the run or to a process of it; or to none."""
        if self.model.calm:
            return
        with suppress(subprocess.TimeoutExpired):
            run.wait(self.chance.uniform(0.2, 3))
        kind = self.chance.choice(["none", "starter", "worker", "any", "interrupt", "terminate"])
        with suppress(ProcessLookupError, IndexError):
            others = [it for it in processes(mark) if it != run.pid]
            match kind:
                case "starter":
                    run.kill()
                case "worker":
                    os.kill(others[0], self.chance.choice([signal.SIGKILL, signal.SIGTERM]))
                case "any":
                    os.kill(self.chance.choice(others), signal.SIGKILL)
                case "interrupt":
                    run.send_signal(signal.SIGINT)
                case "terminate":
                    run.terminate()
        self.ended[kind] += 1

    def visit(self, mark: str) -> threading.Thread:
        """Start a server and a hostile client of it."""
        environ = {MARK: mark, "TMPDIR": str(self.temporary)}
        visit = Visit.by(self.chance)

        def come() -> None:
            wrong = visit.pay(self.site.root / OTHER_SUITE, environ)
            if wrong is not None:
                self.wrong.append(wrong)

        visitor = threading.Thread(target=come)
        visitor.start()
        return visitor

    def once(self, number: int) -> int:
        """Run and disturb; returns how the run ended."""
        mark = f"{os.getpid()}-{number}"
        before = graded(self.results)
        visitors = [self.visit(f"{mark}-visit")] if self.chance.random() < 0.4 else []
        self.ended["visit"] += len(visitors)
        run = self.start(mark)
        self.disturb(run, mark)
        _, said = run.communicate(timeout=120)
        told = f"seed {SEED}, run {number} ended with {run.returncode}: {said.decode()[-2000:]}"
        self.said = f"{run.returncode}: {said.decode()[-2000:]}"
        assert b"Traceback" not in said, told
        assert run.returncode != 4, told
        assert before <= graded(self.results), f"records are lost; {told}"
        for it in visitors:
            it.join()
        assert self.wrong == [], told
        wait_until_gone(mark, f"{mark}-visit")
        if run.returncode in (0, 1):
            assert len(graded(self.results)) == CASES, f"a run cut short reports success; {told}"
        return run.returncode


@pytest.fixture
def chaos(site: Site, openai_server: OpenAiServer) -> Chaos:
    return Chaos(site, openai_server, random.Random(SEED))


@needs_proc
def test_what_is_killed_and_resumed_is_whole_in_the_end(chaos: Chaos) -> None:
    until = time.monotonic() + SECONDS
    number = 0
    while time.monotonic() < until:
        chaos.once(number)
        number += 1
        if len(graded(chaos.results)) == CASES:
            check_the_end(chaos, number)
            chaos.results.unlink()
    chaos.model.calm = True
    for _ in range(5):
        number += 1
        if chaos.once(number) in (0, 1):
            break
    check_the_end(chaos, number)
    sys.stdout.write(f"{number} runs; what befell them: {dict(chaos.ended)}\n")


def check_the_end(chaos: Chaos, number: int) -> None:
    """Check that nothing is missing, doubled, asked in vain or left behind."""
    if len(graded(chaos.results)) < CASES:
        left = CASES - len(graded(chaos.results))
        pytest.fail(f"seed {SEED}: {left} cases have no record; the last run said {chaos.said}")
    calm, chaos.model.calm = chaos.model.calm, True
    mark = f"{os.getpid()}-{number}-last"
    run = chaos.start(mark)
    _, said = run.communicate(timeout=120)
    chaos.model.calm = calm
    names = Counter(it["eval_id"] for it in lines_of(chaos.results) if it["verdict"] != "error")
    assert names == Counter(f"case-{n}" for n in range(CASES)), f"seed {SEED}: {said.decode()}"
    assert chaos.model.asked_in_vain == [], f"seed {SEED}"
    stray = [*chaos.temporary.iterdir(), *chaos.site.root.glob(f".{RESULTS}*")]
    assert stray == [], f"seed {SEED}"
