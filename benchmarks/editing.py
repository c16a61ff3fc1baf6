"""How long an editor waits for the language server while someone types: `make benchmark-editing`.

Beside it a server that only keeps documents (`peers/sync_only.py`): nothing in Python that keeps
texts as its library does can be quicker. And yaml-language-server with our JSON Schema, where `make
benchmark-peers` has installed it.

Each key is one change; its time is from sending it to the diagnostics of that version. The servers
are asked in turn, key by key, so that whatever else the machine does slows all of them down alike.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path
from statistics import median

from typing_session import ADDING, BREAKING, IN_A_CASE, Press, Script, Times, TypingSession, started

HERE = Path(__file__).parent
YAML_SERVER = HERE / ".peers/node_modules/yaml-language-server/bin/yaml-language-server"
OURS, FLOOR, YAML = "suitecase lsp", "only keeps documents", "yaml-language-server"
#: Of so many cases yaml-language-server takes longer than anyone waits for,
TOO_LARGE = 10_000
#: and of so many it gets fewer keys.
SLOW, FEW = 1_000, 6
#: Someone who types fast presses a key this often, in seconds.
KEY = 0.12
STARTS = 7
#: So many cases have suites that are open beside others.
BESIDE = 10
#: While a suite of so many cases is run, typing is measured too.
RUN = 1_000
RUNNING = f"{IN_A_CASE}, while all are run"
WIDTHS = (6, 40, 22, 22, 7, 24, 7)


def commands() -> dict[str, list[str]]:
    """Return how each server is started that is there."""
    result = {
        OURS: [sys.executable, "-m", "suitecase", "lsp"],
        FLOOR: [sys.executable, str(HERE / "peers" / "sync_only.py")],
    }
    node = shutil.which("node")
    if node and YAML_SERVER.exists():
        result[YAML] = [node, str(YAML_SERVER), "--stdio"]
    return result


def measure_starts(servers: dict[str, list[str]]) -> dict[str, list[float]]:
    """Start each server some times, in turn; returns how long it took, in seconds."""
    durations: dict[str, list[float]] = {name: [] for name in servers}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(STARTS):
            for name, command in servers.items():
                editor, seconds = started(command, Path(folder))
                durations[name].append(seconds)
                editor.end()
    return durations


def measure(
    servers: dict[str, list[str]], cases: int, keys: int, others: int = 0
) -> dict[str, Times]:
    """Type in the middle of a suite, in each server in turn; returns how long it took.

    Args:
        servers: how each is started.
        cases: of the suite.
        keys: how many are pressed within a case.
        others: how many suites as large as this one are open beside it.
    """
    script = Script.of(cases, keys)
    with tempfile.TemporaryDirectory() as folder:
        sessions = {
            name: TypingSession(
                *(command, Path(folder), script.text),
                tells_versions=name != YAML,
                others=[script.text] * others,
            )
            for name, command in servers.items()
            if name != YAML or cases < TOO_LARGE
        }
        for _ in _in_turn(sessions, script.warm_up):
            pass
        for what, presses in script.presses.items():
            before = {name: session.editor.processor_time() for name, session in sessions.items()}
            for name, durations in _in_turn(sessions, presses, few=cases >= SLOW):
                sessions[name].times.keys.setdefault(what, []).append(durations)
            if what == IN_A_CASE:
                for name, session in sessions.items():
                    used = session.editor.processor_time() - before[name]
                    session.times.processor = used / len(session.times.keys[what])
        for name, session in sessions.items():
            if name != FLOOR:
                _ask(session, script, FEW if name == YAML and cases >= SLOW else max(keys // 2, 4))
        if cases == RUN:
            _type_while_running(sessions[OURS], script)
        for session in sessions.values():
            session.end()
    return {name: session.times for name, session in sessions.items()}


def _in_turn(
    sessions: dict[str, TypingSession], presses: Sequence[Press], *, few: bool = False
) -> Iterator[tuple[str, float]]:
    """Press keys as fast as a person does; yields which server took how long."""
    names = list(sessions)
    for number, press in enumerate(presses):
        began = time.perf_counter()
        # Whoever is first finds the processor asleep.
        first = number % len(names)
        for name in names[first:] + names[:first]:
            session = sessions[name]
            if not (few and name == YAML and number >= FEW):
                yield name, session.press(press)
        time.sleep(max(0.0, KEY - (time.perf_counter() - began)))


def _ask(session: TypingSession, script: Script, times: int) -> None:
    """Ask for hovers and completion, each after a change."""
    line = script.middle + 1
    for n in range(times):
        session.press(Press(line, 4, 4 + n % 2, "" if n % 2 else "x"))
        session.times.hover.append(session.ask("hover", line, 8))
        session.times.completion.append(session.ask("completion", line, 4))
    if times % 2:
        session.press(Press(line, 4, 5, ""))


def _type_while_running(session: TypingSession, script: Script) -> None:
    """Type while the worker runs all cases."""
    last = script.presses[IN_A_CASE][-1]
    execute = {"command": "suitecase.runSuite", "arguments": [session.uri]}
    run = session.editor.begin("workspace/executeCommand", execute)
    durations = session.times.keys.setdefault(RUNNING, [])
    for column in count(last.end + 1):
        if session.editor.is_answered(run):
            return
        durations.append(session.press(Press(last.line, column, column, "x")))
        time.sleep(KEY / 3)


Cell = tuple[str, float | None]


def spread(values: Sequence[float] | None) -> Cell:
    """Return median, 95th percentile and maximum in milliseconds, and the median in seconds."""
    if not values:
        return "", None
    ordered = sorted(values)
    at_95 = ordered[round(0.95 * (len(ordered) - 1))]
    figures = (median(ordered), at_95, ordered[-1])
    return " / ".join(f"{it * 1000:.1f}" for it in figures), figures[0]


def single(value: float | None) -> Cell:
    """Return a time in milliseconds, and as it is."""
    return ("", None) if not value else (f"{value * 1000:.1f}", value)


def middle(values: Sequence[float]) -> Cell:
    """Return the median in milliseconds, and in seconds."""
    return single(median(values) if values else None)


ROWS: dict[str, Callable[[Times], Cell]] = {
    "first diagnostics": lambda it: single(it.opened),
    IN_A_CASE: lambda it: spread(it.keys.get(IN_A_CASE)),
    ADDING: lambda it: spread(it.keys.get(ADDING)),
    BREAKING: lambda it: spread(it.keys.get(BREAKING)),
    RUNNING: lambda it: spread(it.keys.get(RUNNING)),
    "processor time of a key": lambda it: single(it.processor),
    "hover, median": lambda it: middle(it.hover),
    "completion, median": lambda it: middle(it.completion),
    "memory, MB, end / peak": lambda it: (f"{it.memory:.0f} / {it.peak:.0f}", it.memory),
}


def line(cells: Sequence[str]) -> str:
    """Return a line of the table, whose first two columns are words."""
    padded = [
        cell.ljust(width) if number < 2 else cell.rjust(width)
        for number, (cell, width) in enumerate(zip(cells, WIDTHS, strict=True))
    ]
    return f"| {' | '.join(padded)} |"


def row(cases: str, what: str, cells: dict[str, Cell]) -> str:
    """Return a line of the table: ours, and beside each peer how many times as much ours is."""
    ours = cells[OURS][1]
    parts = [cases, what, cells[OURS][0]]
    for peer in (FLOOR, YAML):
        text, value = cells.get(peer, ("", None))
        ratio = f"{ours / value:.2f}x" if ours and value else ""
        parts += [text, ratio]
    return line(parts)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keys", type=int, default=60, help="keys pressed in a case")
    parser.add_argument("--cases", type=int, nargs="*", default=[10, 100, 1_000, 10_000])
    parser.add_argument(
        "--open", type=int, nargs="*", default=[100, 400, 1_000], help="suites open beside the one"
    )
    arguments = parser.parse_args()
    servers = commands()
    if YAML not in servers:
        print("yaml-language-server is left out: `make benchmark-peers` installs it.\n")
    print("Milliseconds: median / 95th percentile / maximum, else a median or what it took once.\n")
    print(line(["cases", "", OURS, FLOOR, "ratio", YAML, "ratio"]))
    print(line(["-" * it for it in WIDTHS[:2]] + ["-" * (it - 1) + ":" for it in WIDTHS[2:]]))
    starts = measure_starts(servers)
    cells = {name: spread(it) for name, it in starts.items()}
    print(row("", "start to initialized", cells), flush=True)
    for cases in arguments.cases:
        times = measure(servers, cases, arguments.keys)
        for what, cell_of in ROWS.items():
            cells = {name: cell_of(it) for name, it in times.items()}
            if cells[OURS][0]:
                print(row(f"{cases:,}", what, cells), flush=True)
    few = {name: command for name, command in servers.items() if name != YAML}
    for others in arguments.open:
        times = measure(few, BESIDE, arguments.keys, others)
        for what in (IN_A_CASE, "processor time of a key"):
            cells = {name: ROWS[what](it) for name, it in times.items()}
            print(row(f"{BESIDE}", f"{what}, {others:,} more open", cells), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
