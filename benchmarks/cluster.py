"""What a cluster of workers on this machine costs and saves: `make benchmark-cluster`.

Two kinds of targets that compute, where machines matter: programs of a second of processor time, and programs that wait a second,
as those do whose work is elsewhere. The third kind, mock answers, is where a cluster does not pay. Each
worker is held to one processor, so that two are as good as two machines of one processor each.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from measure import keep_bytecode

DASK = (sys.executable, "-m", "dask")
COMPUTES = """
import sys, time
while time.process_time() < float(sys.argv[1]):
    pass
print("done")
"""
WAITS = """
import sys, time
time.sleep(float(sys.argv[1]))
print("done")
"""
TICKS = os.sysconf("SC_CLK_TCK")


def write_suite(folder: Path, name: str, cases: int, target: str) -> None:
    """Write a suite of equal cases for a target."""
    with (folder / f"{name}.eval.yaml").open("w") as file:
        file.write(f"execution: {{target: {target}}}\nevalcases:\n")
        for number in range(cases):
            file.write(
                f"  - {{id: case-{number}, input: done, expected_outcome: Done, "
                "evaluators: [{name: says, type: contains, value: done}]}\n"
            )


def write_workspace(folder: Path, cases: int, mocks: int, seconds: float) -> None:
    """Write the suites, the programs and the targets file."""
    (folder / ".git").mkdir()
    (folder / "computes.py").write_text(COMPUTES)
    (folder / "waits.py").write_text(WAITS)
    python = shutil.which("python3") or "python3"
    targets = [
        {"name": it, "provider": "cli", "command_template": f"{python} {it}.py {seconds}"}
        for it in ("computes", "waits")
    ]
    (folder / "targets.yaml").write_text(json.dumps({"targets": targets}))
    for name in ("computes", "waits"):
        write_suite(folder, name, cases, name)
    write_suite(folder, "mocks", mocks, "mock")


@contextmanager
def cluster(folder: Path, workers: int) -> Iterator[tuple[str, list[int]]]:
    """Start a scheduler and workers; yields the address and the process ids."""
    file = folder / f"scheduler-{workers}.json"
    started: list[subprocess.Popen[bytes]] = []

    def start(*words: str, processor: int | None = None) -> None:
        pinned = () if processor is None else ("taskset", "-c", str(processor))
        quiet = subprocess.DEVNULL
        started.append(subprocess.Popen([*pinned, *DASK, *words], stdout=quiet, stderr=quiet))

    try:
        start(
            *("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"),
            *("--scheduler-file", str(file)),
        )
        address = ""
        while not address:
            time.sleep(0.1)
            with suppress(OSError, ValueError):
                address = json.loads(file.read_text())["address"]
        for number in range(workers):
            start(
                *("worker", address, "--no-nanny", "--no-dashboard", "--nthreads", "1"),
                *("--local-directory", str(folder)),
                processor=number % (os.cpu_count() or 1),
            )
        time.sleep(8)
        yield address, [it.pid for it in started]
    finally:
        for process in started:
            process.terminate()
        for process in started:
            process.wait()


def processor_seconds(pids: list[int]) -> float:
    """Return what processes and their ended children have taken."""
    total = 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        total += sum(map(int, fields[11:15]))
    return total / TICKS


def run(folder: Path, suite: str, *options: str, pids: list[int]) -> tuple[float, float]:
    """Run a suite; return seconds of wall time, and of processor time in all processes."""
    before, start = processor_seconds(pids), time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "suitecase", "run", f"{suite}.eval.yaml", "--no-results", *options],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    errors = process.stderr.read() if process.stderr is not None else b""
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(errors.decode())
    time.sleep(3)  # for graders to end, whose time counts from then on
    return wall, usage.ru_utime + usage.ru_stime + processor_seconds(pids) - before


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--mocks", type=int, default=1_000)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--only", nargs="*", default=["computes", "waits", "mocks"])
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        keep_bytecode(folder)
        write_workspace(folder, given.cases, given.mocks, given.seconds)
        places = {"computes": 1, "waits": 8, "mocks": 4}
        print(f"{'suite':10} {'graded by':24} {'wall s':>8} {'processor s':>12}")
        run(folder, "mocks", "--limit", "1", pids=[])

        def row(suite: str, by: str, *options: str, pids: list[int], workers: int = 1) -> None:
            concurrency = str(places[suite] * workers)
            wall, cpu = run(folder, suite, "--concurrency", concurrency, *options, pids=pids)
            print(f"{suite:10} {by:24} {wall:8.1f} {cpu:12.1f}", flush=True)

        for suite in given.only:
            row(suite, "this machine", pids=[])
        for workers in (1, 2):
            with cluster(folder, workers) as (address, pids):
                run(folder, "mocks", "--limit", "1", "--cluster", address, pids=pids)
                for suite in given.only:
                    by = f"{workers} worker{'s' if workers > 1 else ''}"
                    row(suite, by, "--cluster", address, pids=pids, workers=workers)


if __name__ == "__main__":
    main()
