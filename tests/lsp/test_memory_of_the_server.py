"""The memory of the server depends on what is open, not on what happened: held by counting objects.

Each test does a thing about a hundred times; `make soak` does it 20,000 times (`SUITECASE_SOAK`).
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from suitecase.lsp.garbage import GROWTH, IDLE, MANY
from support.lsp import server_counting_objects
from support.lsp.client import RawClient
from support.lsp.long_sessions import PULLED, PUSHED, LongSession
from support.lsp.server_counting_objects import GROWN, OBJECTS, STEP

Start = Callable[..., Awaitable[RawClient]]
COUNTING = Path(server_counting_objects.__file__).read_text("utf-8")
EDITS = int(os.environ.get("SUITECASE_SOAK", "0"))
#: The first steps fill caches of a fixed size.
FIRST = max(30, EDITS // 20)
#: So often the client is silent for a moment.
PAUSES = 20
#: So many objects of a type, and entries of long collections, may come in all: caches of a fixed size fill slowly.
ALLOWED = 60
#: Rules for each kind of thing are looked up once for each combination, of which there are 2,048 at most.
BOUNDED = "suitecase.checking.rules.dispatch.Rules"

SESSIONS = (
    "typing_in_a_suite",
    "typing_in_targets",
    "typing_in_a_prompt",
    "typing_in_tests_of_a_suite",
    "typing_in_a_configuration",
    "typing_in_settings",
    "opening_files",
    "asking",
    "changing_settings",
    "changing_files",
)

#: Leaves cycles behind, a hundred thousand at a time, and prints how many objects there were at most.
BUSY = """
import gc, sys
from suitecase.lsp.garbage import GarbageCollection

collection = GarbageCollection(lambda: 0.0, lambda: 0)
collection.collect(1.0)
first = gc.get_freeze_count() + gc.get_count()[0]
most = 0
for _ in range(20):
    for _ in range(50_000):
        one, other = [], []
        one.append(other)
        other.append(one)
    collection.collect(float(sys.argv[1]))
    most = max(most, gc.get_freeze_count() + gc.get_count()[0] - first)
print(most)
"""


@pytest.mark.parametrize("name", SESSIONS)
async def test_nothing_is_kept_of_what_is_over(start: Start, tmp_path: Path, name: str) -> None:
    client = await start(script=COUNTING)
    await client.initialize(PUSHED, root=tmp_path)
    await _holds(client, tmp_path, name, EDITS or 80)


async def test_nothing_is_kept_of_earlier_checks_of_the_workspace(
    start: Start, tmp_path: Path
) -> None:
    client = await start(script=COUNTING)
    await client.initialize(PULLED, root=tmp_path)
    await _holds(client, tmp_path, "checking_the_workspace", EDITS // 100 or 70, first=10)


@pytest.mark.skipif(not EDITS, reason="takes a minute: make soak")
async def test_memory_is_bounded_while_the_client_is_never_silent(
    start: Start, tmp_path: Path
) -> None:
    client = await start(script=COUNTING)
    await client.initialize(PUSHED, root=tmp_path)
    step = await LongSession(client, tmp_path, FIRST).typing_in_a_suite()
    before = (await client.request(STEP, {"quietFor": IDLE}))["after"]
    most = 0
    for number in range(EDITS):
        await step(number)
        if number % PAUSES == 0:
            most = max(most, (await client.request(STEP, {"quietFor": 0.0}))["before"])
            client.received.clear()
            client.answers.clear()
    assert most < before + 2 * GROWTH + MANY
    assert client.errors == b""


@pytest.mark.parametrize("quiet_for", [0.0, IDLE])
def test_garbage_is_collected_whether_or_not_the_client_is_silent(
    tmp_path: Path, quiet_for: float
) -> None:
    """In a process of its own, since it freezes what there is."""
    script = tmp_path / "busy.py"
    script.write_text(BUSY, "utf-8")
    command = [sys.executable, str(script), str(quiet_for)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(done.stdout) <= 2 * GROWTH + 2 * MANY


async def _holds(
    client: RawClient, folder: Path, name: str, steps: int, first: int = FIRST
) -> None:
    """Do something many times, and find as many objects at the end as soon after the beginning."""
    step = await getattr(LongSession(client, folder, first), name)()
    peaks: list[int] = []
    for number in range(first):
        await step(number)
    before = Counter(await client.request(OBJECTS))
    for number in range(first, first + steps):
        await step(number)
        if number % PAUSES == 0:
            peaks.append((await client.request(STEP, {"quietFor": 2 * IDLE + 1}))["before"])
            client.received.clear()
            client.answers.clear()
    after = Counter(await client.request(OBJECTS))
    grown = {kind: after[kind] - before[kind] for kind in after if kind != BOUNDED}
    kept = {kind: more for kind, more in grown.items() if more > ALLOWED + steps // 100}
    assert kept == {}, "\n".join([str(kept), *await client.request(GROWN)])
    assert max(peaks) < peaks[0] + GROWTH + MANY
    assert client.errors == b""
