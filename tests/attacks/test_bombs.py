"""No small file costs minutes: four times its length takes about four times as long, whatever it is.

Processor time is compared, not the time that passes. The ordinary tests have some of the files and check a
fifth of these, another one each time; `make bombs` has all of them, and dry runs, runs and the server for each.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from suitecase.run import client as run_client
from support.lsp.fixtures import Start
from support.running.in_process import WorkerHere
from support.running.processes import suitecase, write
from support.running.processor_time import processor_time, processor_time_of
from support.samples import sample
from support.suites.bombs import BOMBS, SUITE, Files

ALL = bool(os.environ.get("SUITECASE_BOMBS"))
#: In seconds of processor time, for what is measured so roughly; and how much more four times may take.
ROUGHLY, TIMES = 0.6, 6

CHOSEN = [name for name, it in BOMBS.items() if ALL or it.quick]
RUN_SUITES = ("a.eval.yaml", "promptfooconfig.yaml", "a.jsonl", "s/evals/evals.json")

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")


def _folder(place: Path, files: Files) -> Path:
    (place / ".git").mkdir(parents=True)
    for name, text in files.items():
        write(place, name, text)
    return place


@pytest.fixture(scope="module")
def least(tmp_path_factory: pytest.TempPathFactory) -> float:
    """What checking a small suite takes, once everything is imported."""
    folder = tmp_path_factory.mktemp("least") / "suite"
    small = BOMBS["tests that are the same"].make(1)
    _folder(folder, {"a.eval.yaml": SUITE, **small})
    # Here, so that the processes that are forked from this one have it.
    suitecase("check", ".", cwd=folder)
    for name in ("a.eval.yaml", *small):
        suitecase("run", name, "--no-results", cwd=folder)
    return min(processor_time(["check", "a.eval.yaml"], folder) for _ in range(2))


def _is_proportional(one: float, four: float, least: float) -> bool:
    return four - least < TIMES * max(one - least, 0.0) + ROUGHLY


@pytest.mark.parametrize("name", CHOSEN if ALL else sample(CHOSEN, 5))
def test_checking_takes_time_in_proportion(tmp_path: Path, least: float, name: str) -> None:
    bomb = BOMBS[name]
    one, four = (
        processor_time(["check", "."], _folder(tmp_path / str(n), bomb.make(bomb.size * n)))
        for n in (1, 4)
    )
    assert _is_proportional(one, four, least), f"{one:.2f} s, then {four:.2f} s"


def test_showing_takes_time_in_proportion(tmp_path: Path, least: float) -> None:
    tests = '{"vars": {"x": "a"}}\n'
    head = "prompts: ['{{x}}']\nproviders: [echo]\ntests: file://t.jsonl\n"
    folders = {
        number: _folder(
            tmp_path / str(number), {"promptfooconfig.yaml": head, "t.jsonl": tests * number}
        )
        for number in (1, 1_000, 4_000)
    }
    first, one, four = (
        processor_time(["show", "promptfooconfig.yaml"], folder) for folder in folders.values()
    )
    assert _is_proportional(one, four, max(first, least)), f"{one:.2f} s, then {four:.2f} s"


@pytest.mark.parametrize("command", ["show", "run"])
def test_tags_take_time_in_proportion(tmp_path: Path, least: float, command: str) -> None:
    bomb = BOMBS["unknown tags"]
    options = ["--dry-run"] if command == "run" else []
    one, four = (
        processor_time(
            [command, "a.eval.yaml", *options],
            _folder(tmp_path / str(n), bomb.make(bomb.size * n)),
        )
        for n in (1, 4)
    )
    assert _is_proportional(one, four, least), f"{one:.2f} s, then {four:.2f} s"


OPTIONS = (["--dry-run"], ["--no-results"], ["--no-results", "--keep-going"])
#: Limits of the product that are reached in seconds, with lower ones that are reached in a moment.
LOWER = {
    "suitecase.figures.quantities.MOST_FIGURES": 100,
    "suitecase.formats.promptfoo.suite.effective.rows.MOST_ROWS": 10_000,
    "suitecase.formats.promptfoo.running.suite.MOST_ROWS": 10_000,
}
#: A run of metrics with errors has to be asked for; the other options make no difference to what takes long.
RUNS = (
    [(name, options) for options in OPTIONS for name in CHOSEN]
    if ALL
    else sample(
        [
            ("values of a variable", OPTIONS[0]),
            ("values of a variable", OPTIONS[1]),
            ("loops in a template", OPTIONS[0]),
            ("lists of variables", OPTIONS[1]),
            ("metrics that double", OPTIONS[2]),
        ],
        2,
    )
)


@pytest.mark.usefixtures("least")
@pytest.mark.parametrize(
    ("name", "options"),
    RUNS,
    ids=lambda given: given if isinstance(given, str) else " ".join(given),
)
def test_runs_take_time_in_proportion(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, options: list[str]
) -> None:
    monkeypatch.setattr(run_client._Process, "start", WorkerHere.start)
    for limit, lower in () if ALL else LOWER.items():
        monkeypatch.setattr(limit, lower)
    bomb = BOMBS[name]
    taken: list[float] = []
    for n in (1, 4):
        files = bomb.make(bomb.size * n)
        folder = _folder(tmp_path / str(n), files)
        suite = next((it for it in RUN_SUITES if it in files), ".")
        taken.append(processor_time(["run", suite, *options], folder, most=120))
    one, four = taken
    assert _is_proportional(one, four, 0.0), f"{one:.2f} s, then {four:.2f} s"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="its time is read there")
@pytest.mark.parametrize(
    "name", CHOSEN if ALL else ["metrics that double", "columns", "a pattern of a configuration"]
)
async def test_the_server_takes_time_in_proportion(start: Start, tmp_path: Path, name: str) -> None:
    bomb = BOMBS[name]
    client = await start()
    await client.initialize(root=tmp_path)
    taken: list[float] = []
    for n in (1, 4):
        folder = _folder(tmp_path / str(n), bomb.make(bomb.size * n))
        before = processor_time_of(client.process.pid)
        for file in sorted(
            it for it in bomb.make(bomb.size * n) if not it.endswith((".txt", ".md", ".csv"))
        ):
            uri = (folder / file).as_uri()
            client.open(uri, bomb.make(bomb.size * n)[file])
            await client.diagnostics(uri)
            client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        taken.append(processor_time_of(client.process.pid) - before)
    one, four = taken
    assert _is_proportional(one, four, 0.0), f"{one:.2f} s, then {four:.2f} s"
