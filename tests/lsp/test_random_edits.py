"""After any number of edits, the server behaves like one just started on the same texts.

Makes the same edits each time; `make random-edits` makes others for an hour (`SUITECASE_RANDOM_EDITS_SECONDS`)
and looks how much memory is used. A failure names its seed; `SUITECASE_RANDOM_EDITS_SEED` begins with it.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from random import Random

import pytest

from suitecase.lsp.garbage import EVERY, IDLE
from support.lsp.client import Message, RawClient
from support.lsp.random_editing import (
    PULLED,
    PUSHED,
    EditedText,
    answers,
    asked_for,
    becomes,
    checked,
    folder,
    forget_messages,
    memory,
    questions,
    sent,
)

Start = Callable[..., Awaitable[RawClient]]
SECONDS = float(os.environ.get("SUITECASE_RANDOM_EDITS_SECONDS", "0"))
#: After so many edits of each kind it is looked whether all is as it should be, and everything
#: is closed.
EDITS = 60
#: After so many checks it is looked how much memory is used.
MEASURED = 10
#: Garbage is collected while nobody says anything, after this time in seconds; nothing tells of it.
UNTIL_COLLECTED = EVERY + IDLE + 0.1
#: So much more memory than after the first time, in MB, is no leak: the allocator keeps some.
ALLOWED = 25.0


@pytest.mark.parametrize("declared", [PUSHED, PULLED], ids=["sent", "asked for"])
async def test_the_server_is_as_one_that_was_just_started(
    start: Start, tmp_path: Path, declared: Message, capsys: pytest.CaptureFixture[str]
) -> None:
    default = time.time_ns() % 1_000_000_000 if SECONDS else 1
    seed = int(os.environ.get("SUITECASE_RANDOM_EDITS_SEED", default))
    edited, fresh = await start(), await start()
    for client in (edited, fresh):
        await client.initialize(declared, root=tmp_path)
    end = time.monotonic() + SECONDS / 2
    changes, rounds, is_over = 0, 0, False
    first: float | None = None
    while not is_over:
        changes += await _round(edited, fresh, tmp_path, seed + rounds, pulls=declared is PULLED)
        rounds += 1
        is_over = time.monotonic() > end
        if SECONDS and (rounds % MEASURED == 0 or is_over):
            limit = first + ALLOWED if first is not None else float("inf")
            used = await _memory_below(edited, limit)
            assert used <= limit, f"seed {seed + rounds}: {first:.0f} → {used:.0f} MB"
            first = used if first is None else first
            with capsys.disabled():
                said = f"{changes:,} changes, {rounds} checks, {first:.0f} → {used:.0f} MB"
                sys.stdout.write(f"\n{said}")
    assert edited.errors == fresh.errors == b""


async def _round(edited: RawClient, fresh: RawClient, root: Path, seed: int, *, pulls: bool) -> int:
    """Edit for a while, compare with a fresh open, and close everything.

    Returns:
        how many changes were made.
    """
    random = Random(seed)
    texts = [EditedText(edited, path, text, random) for path, text in folder(root)]
    changes, meanwhile = 0, []
    for _ in range(EDITS):
        it = random.choice(texts)
        changes += it.edit()
        if random.random() < 0.3:
            meanwhile += [edited.begin(*one) for one in questions([it], random)[-3:]]
        if random.random() < 0.1 and meanwhile:
            edited.notify("$/cancelRequest", {"id": meanwhile[-1]})
    await edited.until(lambda: all(it in edited.answers for it in meanwhile))
    failed = [it for it in meanwhile if edited.answers[it].get("error", {}).get("code") == -32603]
    assert failed == [], f"seed {seed}: {edited.answers[failed[0]]}"

    for it in texts:
        it.forget_what_it_was()
    copies = [EditedText(fresh, root / Path(it.uri).name, it.text, random) for it in texts]
    if pulls:
        found, expected = await asked_for(edited, texts), await asked_for(fresh, copies)
    else:
        await becomes(
            lambda: (
                checked(edited, texts) and checked(fresh, copies) and sent(edited) == sent(fresh)
            ),
        )
        found, expected = sent(edited), sent(fresh)
    assert found == expected, f"seed {seed}"
    # What is a prompt is known once the suites that name it are checked.
    asked = questions(copies, random)
    pairs = zip(asked, await answers(edited, asked), await answers(fresh, asked), strict=True)
    others = [it for it in pairs if it[1] != it[2]]
    assert others == [], f"seed {seed}"
    for document in (*texts, *copies):
        document.close()
    for client in (edited, fresh):
        assert await becomes(partial(_nothing_is_sent, client)), f"seed {seed}"
        forget_messages(client)
    return changes


def _nothing_is_sent(client: RawClient) -> bool:
    return sent(client) == {}


async def _memory_below(client: RawClient, limit: float) -> float:
    """Return the memory of a server in MB, after garbage collection."""
    await asyncio.sleep(UNTIL_COLLECTED)
    await becomes(lambda: memory(client) <= limit)
    return memory(client)
