"""How long an editor waits for the language server while someone types: `make benchmark-editing`.

Beside it a server that only keeps documents (`peers/sync_only.py`), which nothing in Python on the
same library can be quicker than if it keeps texts the same way, and yaml-language-server with our
JSON Schema, where `make benchmark-peers` has installed it.

Each keystroke is one change; its time is from sending it to the diagnostics of that version.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from editor import Editor
from suites import CASE, suite

ROOT = Path(__file__).parents[1]
HERE = Path(__file__).parent
YAML_SERVER = HERE / ".peers/node_modules/yaml-language-server/bin/yaml-language-server"
SCHEMA = (ROOT / "schemas" / "suite.schema.json").as_uri()
OURS, FLOOR, YAML = "suitecase lsp", "only keeps documents", "yaml-language-server"
#: What yaml-language-server takes longer than anyone waits for.
TOO_LARGE = {YAML: 10_000}
#: Someone who types fast presses a key this often, in seconds.
KEY = 0.12
CLIENT: dict[str, Any] = {
    "textDocument": {
        "publishDiagnostics": {"relatedInformation": True, "versionSupport": True},
        "completion": {"completionItem": {"snippetSupport": True}},
        "hover": {"contentFormat": ["markdown"]},
    },
    "workspace": {"configuration": True},
}


@dataclass(slots=True)
class Times:
    """What was measured of one server with one suite: seconds, but for memory, in MB."""

    start: float = 0.0
    opened: float = 0.0
    keys: dict[str, list[float]] = field(default_factory=dict)
    processor: float = 0.0
    completion: list[float] = field(default_factory=list)
    hover: list[float] = field(default_factory=list)
    memory: float = 0.0
    peak: float = 0.0


def commands() -> dict[str, list[str]]:
    found = {
        OURS: [sys.executable, "-m", "suitecase.cli", "lsp"],
        FLOOR: [sys.executable, str(HERE / "peers" / "sync_only.py")],
    }
    if YAML_SERVER.exists():
        found[YAML] = ["node", str(YAML_SERVER), "--stdio"]
    return found


class Session:
    """A suite open in a server, and a person who types."""

    def __init__(self, name: str, command: Sequence[str], folder: Path, text: str) -> None:
        self.times = Times()
        self.uri = (folder / "typed.eval.yaml").as_uri()
        self._text = text
        self._version = 1
        yaml = {"validate": True, "schemas": {SCHEMA: "*.yaml"}, "schemaStore": {"enable": False}}
        started = time.perf_counter()
        self.editor = Editor(command, {"yaml": yaml})
        params = {"processId": None, "rootUri": folder.as_uri(), "capabilities": CLIENT}
        self.editor.request("initialize", params)
        self.times.start = time.perf_counter() - started
        self.editor.notify("initialized", {})
        self.editor.notify("workspace/didChangeConfiguration", {"settings": {"yaml": yaml}})
        item = {"uri": self.uri, "languageId": "yaml", "version": 1, "text": text}
        sent = self.editor.notify("textDocument/didOpen", {"textDocument": item})
        self.times.opened = self.editor.wait_for_diagnostics(self.uri, 1)[0] - sent
        self._versions = name != YAML  # which does not say what version it speaks of

    def change(self, line: int, start: int, end: int, new: str) -> float:
        """Make a change in one line and wait for the diagnostics; returns how long that took."""
        self._version += 1
        place = {
            "start": {"line": line, "character": start},
            "end": {"line": line, "character": end},
        }
        sent = self.editor.notify(
            "textDocument/didChange",
            {
                "textDocument": {"uri": self.uri, "version": self._version},
                "contentChanges": [{"range": place, "text": new}],
            },
        )
        version = self._version if self._versions else None
        return self.editor.wait_for_diagnostics(self.uri, version)[0] - sent

    def type(self, what: str, changes: Iterator[tuple[int, int, int, str]]) -> None:
        """Press a key after the other, as fast as a person does."""
        times = self.times.keys.setdefault(what, [])
        for change in changes:
            times.append(self.change(*change))
            time.sleep(max(0.0, KEY - times[-1]))

    def ask(self, method: str, line: int, character: int) -> float:
        place = {"line": line, "character": character}
        return self.editor.request(
            f"textDocument/{method}", {"textDocument": {"uri": self.uri}, "position": place}
        )[0]


def measure(name: str, command: Sequence[str], cases: int, keys: int, folder: Path) -> Times:
    """Type in the middle of a suite, and return how long it took."""
    text = suite(cases)
    lines = text.split("\n")
    middle = lines.index(f"  - id: case-{cases // 2}")
    inside = next(n for n in range(middle, len(lines)) if "Topic" in lines[n])
    behind = next(n for n in range(middle, len(lines)) if not lines[n]) + 1
    session = Session(name, command, folder, text)
    times, column = session.times, len(lines[inside])
    session.type("warm-up", ((inside, column, column, "x") for _ in range(5)))
    column += 5
    processor = session.editor.processor_time()
    session.type("in a case", ((inside, column + n, column + n, "x") for n in range(keys)))
    times.processor = (session.editor.processor_time() - processor) / keys
    new = CASE.format(n=cases).count("\n")
    session.type(
        "adding a case",
        ((behind, 0, 0, CASE.format(n=cases + n)) for n in range(max(keys // 4, 2))),
    )
    id_line = behind + 1
    end = len(f"  - id: case-{cases + max(keys // 4, 2) - 1}")
    assert new > 1
    session.type(
        "breaking and mending",
        (
            (id_line, end, end + (n % 2), "" if n % 2 else '"' if n % 4 else "[")
            if n % 2 == 0
            else (id_line, end, end + 1, "")
            for n in range(max(keys // 2, 4))
        ),
    )
    if name != FLOOR:
        for n in range(max(keys // 2, 4)):
            session.change(inside, 0, 0, " ") if n % 2 else session.change(inside, 0, 0, "")
            times.hover.append(session.ask("hover", middle + 1, 8))
            times.completion.append(session.ask("completion", middle + 1, 4))
    times.memory, times.peak = session.editor.memory(), session.editor.memory(peak=True)
    session.editor.end()
    return times


def ms(values: Sequence[float]) -> str:
    """Return median, 95th percentile and maximum, in milliseconds."""
    if not values:
        return "-"
    ordered = sorted(values)
    at_95 = ordered[min(len(ordered) - 1, round(0.95 * (len(ordered) - 1)))]
    return " / ".join(f"{it * 1000:.1f}" for it in (median(ordered), at_95, ordered[-1]))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keys", type=int, default=40, help="keystrokes in a case")
    parser.add_argument("--cases", type=int, nargs="*", default=[10, 100, 1_000, 10_000])
    parser.add_argument("--only", help="a server: its name, or part of it")
    arguments = parser.parse_args()
    print(
        "milliseconds: median / 95th percentile / maximum; memory in MB: at the end / at its peak\n"
    )
    print("| server | cases | start | first diagnostics | in a case | its CPU | adding a case | breaking and mending | hover | completion | MB |")  # fmt: skip
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for cases in arguments.cases:
        for name, command in commands().items():
            if arguments.only and arguments.only not in name:
                continue
            if cases >= TOO_LARGE.get(name, sys.maxsize):
                continue
            slow = name == YAML and cases >= 1_000
            with tempfile.TemporaryDirectory() as folder:
                keys = 6 if slow else arguments.keys
                times = measure(name, command, cases, keys, Path(folder))
            found: list[str] = [
                name,
                f"{cases:,}",
                f"{times.start * 1000:.0f}",
                f"{times.opened * 1000:.0f}",
                ms(times.keys["in a case"]),
                f"{times.processor * 1000:.1f}",
                ms(times.keys["adding a case"]),
                ms(times.keys["breaking and mending"]),
                ms(times.hover),
                ms(times.completion),
                f"{times.memory:.0f} / {times.peak:.0f}",
            ]
            print(f"| {' | '.join(found)} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
