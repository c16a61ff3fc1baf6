"""What noisy and large suites cost, each beside a peer or a floor of the same run: `make benchmark-scale`.

Editing stands beside a server that only keeps documents, a check beside check-jsonschema (where `make
benchmark-peers` has installed it) and libyaml, a run beside starting Python and the imports of pydantic
and asyncio, and judge calls beside the ideal, which is calls x delay / concurrency.
"""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from statistics import median

import noisy
from check import FLOOR as COMPOSE
from check import PEERS, ROOT
from measure import Figures, keep_bytecode, measure
from processes import peak_of, worker_of
from second_core import speedup_of_two
from typing_session import Press, TypingSession

from run import CONCURRENCY, DELAY, slow_model
from run import write as write_run_suites

SUITECASE = [sys.executable, "-m", "suitecase"]
SYNC_ONLY = [sys.executable, str(Path(__file__).parent / "peers" / "sync_only.py")]
CHECK_JSONSCHEMA = PEERS / "venv" / "bin" / "check-jsonschema"
#: What every run needs: Python, an event loop, models, and a process beside it.
RUN_FLOOR = (
    "import asyncio, subprocess, sys\n"
    "code = 'import asyncio, json, pydantic, yaml'\n"
    "subprocess.run([sys.executable, '-c', code], check=True)\n"
)
#: Someone who types fast presses a key this often, in seconds.
KEY = 0.12
#: An editor is shown so many findings of a file at most.
SHOWN = 1000
#: Commands on so many cases take a minute or more, and are not warmed up.
LARGE = 100_000
#: How long a run with too many records due is watched, in seconds.
WATCHED = 20.0


def measured(command: Sequence[str], folder: Path, runs: int, cases: int) -> Figures:
    """Measure a command of ours on so many cases.

    Raises:
        RuntimeError: it did not do its work, so that its figures would mean nothing.
    """
    found = measure(command, folder, runs, warm=cases < LARGE)
    if found.exit_code not in (0, 1):
        raise RuntimeError(f"{' '.join(command)} ended with exit code {found.exit_code}")
    return found


def row(what: str, cases: int, ours: str, beside: str, ratio: float | None) -> None:
    share = "" if ratio is None else f"{ratio:.2f}"
    print(f"| {what} | {cases:,} | {ours} | {beside} | {share} |", flush=True)


def keystrokes(folder: Path, cases: int, keys: int) -> None:
    """Type in the middle of a suite with a finding in each case."""
    text = (folder / f"noisy-{cases}.eval.yaml").read_text("utf-8")
    lines = text.split("\n")
    line = lines.index(f"  - id: case-{cases // 2}") + 2
    column = len(lines[line])
    sessions = {
        name: TypingSession(
            command, folder, text, tells_versions=True, name=f"noisy-{cases}.eval.yaml", findings=findings
        )
        for name, command, findings in (
            ("ours", [*SUITECASE, "lsp"], min(cases, SHOWN)), ("floor", SYNC_ONLY, 0)
        )
    }  # fmt: skip
    times: dict[str, list[float]] = {name: [] for name in sessions}
    for number in range(keys + 5):
        began = time.perf_counter()
        for name, session in sessions.items():
            times[name].append(session.press(Press(line, column + number, column + number, "x")))
        time.sleep(max(0.0, KEY - (time.perf_counter() - began)))
    middle = {name: median(it[5:]) * 1000 for name, it in times.items()}
    for session in sessions.values():
        session.end()
    ours, floor = sessions["ours"].times, sessions["floor"].times
    row(
        "key to diagnostics, a finding in each case", cases, f"{middle['ours']:.1f} ms",
        f"{middle['floor']:.1f} ms (only keeps documents)", middle["ours"] / middle["floor"],
    )  # fmt: skip
    row(
        "open to first diagnostics", cases, f"{ours.opened:.2f} s",
        f"{floor.opened:.2f} s (only keeps documents)", ours.opened / floor.opened,
    )  # fmt: skip
    row(
        "open to all diagnostics", cases, f"{ours.complete:.2f} s, {ours.peak:.0f} MB",
        f"{floor.opened:.2f} s, {floor.peak:.0f} MB (only keeps documents)", ours.complete / floor.opened,
    )  # fmt: skip


def checks(folder: Path, kind: str, cases: int, runs: int) -> None:
    """Check a suite whose cases hold a JSON Schema each.

    Args:
        kind: `noisy` for a finding in each case, `sound` for none.
    """
    what = "check, a finding in each case" if kind == "noisy" else "check, no findings"
    suite = folder / f"{kind}-{cases}.eval.yaml"
    ours = measured([*SUITECASE, "check", str(suite), "--format", "concise"], folder, runs, cases)
    floor = measure([sys.executable, "-c", COMPOSE, str(suite)], folder, runs)
    text = f"{ours.cpu:.2f} s, {ours.memory:.0f} MB"
    row(what, cases, text, f"{floor.cpu:.2f} s (libyaml alone)", ours.cpu / floor.cpu)
    # It takes a minute for 10,000 cases.
    if CHECK_JSONSCHEMA.exists() and cases <= 1_000:
        schema = str(ROOT / "schemas" / "suite.schema.json")
        command = [str(CHECK_JSONSCHEMA), "--schemafile", schema, str(suite)]
        peer = measure(command, folder, runs)
        beside = f"{peer.cpu:.2f} s, {peer.memory:.0f} MB (check-jsonschema)"
        row(what, cases, text, beside, ours.cpu / peer.cpu)


def check_of_data_set(folder: Path, cases: int, runs: int) -> None:
    path = folder / f"data-{cases}.jsonl"
    ours = measured([*SUITECASE, "check", str(path)], folder, runs, cases)
    loads = "import json, sys\nfor it in open(sys.argv[1], encoding='utf-8'): json.loads(it)"
    floor = measure([sys.executable, "-c", loads, str(path)], folder, runs)
    text = f"{ours.cpu:.2f} s, {ours.memory:.0f} MB"
    row("check of a data set", cases, text, f"{floor.cpu:.2f} s (json alone)", ours.cpu / floor.cpu)


def runs_of_mock(folder: Path, suite: Path, cases: int, runs: int, what: str) -> None:
    command = [*SUITECASE, "run", str(suite), "-q", "--output", str(folder / "out") + "/"]
    ours = measured(command, folder, runs, cases)
    floor = measure([sys.executable, "-c", RUN_FLOOR], folder, max(runs, 3))
    row(
        what, cases, f"{ours.cpu:.2f} s, {ours.memory:.0f} MB",
        f"{floor.cpu:.2f} s (two Pythons with pydantic)", ours.cpu / floor.cpu,
    )  # fmt: skip


def seconds_of_calls(results: Path) -> float:
    """Return the seconds from the first call of a judge to the last record of a run."""
    with results.open(encoding="utf-8") as lines:
        moments = [datetime.fromisoformat(json.loads(it)["timestamp"]) for it in lines]
    return (max(moments) - min(moments)).total_seconds() + DELAY


def judged(folder: Path, cases: int, runs: int) -> None:
    """Measure a slow judge with one worker process and with two, and the limit for two."""
    ideal = cases * DELAY / CONCURRENCY
    row("work of two processes", 1, f"{speedup_of_two():.2f} times", "that of one", None)
    for workers in ("1", "2"):
        command = [
            *SUITECASE, "run", str(folder / f"judged-{cases}.eval.yaml"), "-q", "--workers", workers,
            "--concurrency", str(CONCURRENCY), "--output", str(folder / "out") + "/",
        ]  # fmt: skip
        ours = measure(command, folder, runs, warm=False)
        text = f"{ours.wall:.1f} s, {ours.cpu:.1f} s CPU, {ours.memory:.0f} MB"
        what = f"judge calls of {DELAY * 1000:.0f} ms, {CONCURRENCY} at once, --workers {workers}"
        row(what, cases, text, f"{ideal:.1f} s (ideal)", ours.wall / ideal)
        # The suite is checked and planned as a whole before the first call.
        calling = seconds_of_calls(
            max((folder / "out").glob("judged-*.jsonl"), key=lambda it: it.name)
        )
        row("of which from the first call on", cases, f"{calling:.1f} s", "", calling / ideal)


def records_due(folder: Path, cases: int, repeats: int) -> None:
    """Watch a run of which millions of records are due; then kill its parent."""
    command = [
        *SUITECASE, "run", str(folder / f"data-{cases}.jsonl"), "-q", "--repeat", str(repeats),
        "--output", str(folder / "due") + "/",
    ]  # fmt: skip
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as parent:
        worker = worker_of(parent.pid)
        time.sleep(WATCHED)
        peak = peak_of(worker)
        parent.send_signal(signal.SIGKILL)
        killed = time.perf_counter()
        while Path(f"/proc/{worker}/stat").exists() and time.perf_counter() - killed < 60:
            time.sleep(0.05)
        left = time.perf_counter() - killed
    what = f"worker of {cases * repeats:,} records due, after {WATCHED:.0f} s"
    row(what, cases, f"{peak:.0f} MB", "", None)
    row("the worker's end after its parent was killed", cases, f"{left:.1f} s", "", None)


def records(folder: Path, cases: int, runs: int) -> None:
    """Look at the results of a run of a data set."""
    results = folder / f"results-{cases}.jsonl"
    if not results.exists():
        suite = str(folder / f"data-{cases}.jsonl")
        command = [*SUITECASE, "run", suite, "-q", "--output", str(results)]
        subprocess.run(command, check=False, cwd=folder, stdout=subprocess.DEVNULL)
    page = str(folder / "page.html")
    loads = "import json, sys\nfor it in open(sys.argv[1], encoding='utf-8'): json.loads(it)"
    floor = measure([sys.executable, "-c", loads, str(results)], folder, runs)
    commands: dict[str, list[str]] = {
        "report": ["report", str(results), "--output", page],
        "metrics": ["metrics", str(results)],
        "compare": ["compare", str(results), str(results)],
    }
    for name, arguments in commands.items():
        ours = measured([*SUITECASE, *arguments], folder, runs, cases)
        text = f"{ours.cpu:.2f} s, {ours.memory:.0f} MB"
        row(name, cases, text, f"{floor.cpu:.2f} s (json alone)", ours.cpu / floor.cpu)


@contextmanager
def suites(sizes: list[int]) -> Iterator[Path]:
    """Write the suites of some sizes; yields their folder."""
    with tempfile.TemporaryDirectory() as name:
        keep_bytecode(Path(name))
        # In a process of its own: Linux counts the memory of who starts a command as the command's.
        writer = [sys.executable, str(Path(noisy.__file__)), name, *map(str, sizes)]
        subprocess.run(writer, check=True, stdout=subprocess.DEVNULL)
        yield Path(name)


def table(runs: int, keys: int) -> None:
    """Print the table of noisy and large suites."""
    with suites([1_000, 10_000, 100_000]) as folder, slow_model() as address:
        for cases in (1_000, 10_000):
            for kind in ("noisy", "sound"):
                checks(folder, kind, cases, runs)
        judged_folder = folder / "judged"
        judged_folder.mkdir()
        write_run_suites(judged_folder, (1, 1_000, 10_000), address)
        for cases in (1, 1_000, 10_000):
            plain = judged_folder / f"plain-{cases}.eval.yaml"
            runs_of_mock(folder, plain, cases, runs, "run, canned answers")
        judged(judged_folder, 10_000, 1)
        records_due(folder, 100_000, 30)
        # Last, since this process holds the texts.
        for cases in (1_000, 10_000):
            keystrokes(folder, cases, keys)


def curve(runs: int, keys: int) -> None:
    """Print what each command costs from 10 to 100,000 cases."""
    sizes = [10, 100, 1_000, 10_000, 100_000]
    with suites(sizes) as folder:
        parts: list[Callable[[int], None]] = [
            lambda cases: check_of_data_set(folder, cases, runs if cases < 100_000 else 1),
            lambda cases: checks(folder, "noisy", cases, runs if cases < 10_000 else 1),
            lambda cases: runs_of_mock(
                folder, folder / f"data-{cases}.jsonl", cases, 1, "run of a data set"
            ),
            lambda cases: records(folder, cases, runs if cases < 100_000 else 1),
            lambda cases: keystrokes(folder, cases, keys if cases < 10_000 else 8),
        ]
        # A suite that is longer than 64 MB is not read; a data set is.
        of_data_sets = (parts[0], *parts[2:4])
        for part in parts:
            for cases in sizes if part in of_data_sets else sizes[:-1]:
                part(cases)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--curve", action="store_true", help="measure 10 to 100,000 cases instead")
    parser.add_argument("--runs", type=int, default=3, help="counted runs of each command")
    parser.add_argument("--keys", type=int, default=30, help="keys pressed in each suite")
    arguments = parser.parse_args()
    print(
        f"medians of {arguments.runs} runs; CPU seconds if nothing else is said; MB is the largest process\n"
    )
    print("| work | cases | suitecase | beside it | x |\n|---|---|---|---|---|")
    (curve if arguments.curve else table)(arguments.runs, arguments.keys)
    return 0


if __name__ == "__main__":
    sys.exit(main())
