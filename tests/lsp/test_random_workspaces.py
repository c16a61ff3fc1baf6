"""Whatever was opened, edited, saved, deleted, closed, run and cleared: the client shows what one shows that has just started.

That is compared over all files: diagnostics, lenses and what a test view has. A short run with the same seeds each time; `make random-edits` makes others
for an hour (`SUITECASE_RANDOM_EDITS_SECONDS`). A failure names its seed; `SUITECASE_RANDOM_EDITS_SEED` begins with it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random

import pytest

from support.lsp.client import RawClient
from support.lsp.random_workspace import Author, Shown, Viewer, shows_the_same

Start = Callable[..., Awaitable[RawClient]]
SECONDS = float(os.environ.get("SUITECASE_RANDOM_EDITS_SECONDS", "0"))
#: What is shown is compared after so many actions, so often for a workspace.
ACTIONS, COMPARISONS = 10, 6 if SECONDS else 3


@pytest.mark.parametrize("pulls", [False, True], ids=["sent", "asked for"])
async def test_what_is_shown_depends_on_the_state_alone(tmp_path: Path, pulls: bool) -> None:
    default = time.time_ns() % 1_000_000_000 if SECONDS else 1
    seed = int(os.environ.get("SUITECASE_RANDOM_EDITS_SEED", default))
    end = time.monotonic() + SECONDS / 2
    while True:
        root = tmp_path / str(seed)
        root.mkdir()
        await _round(root, seed, pulls=pulls)
        seed += 1
        if time.monotonic() > end:
            break


async def _round(root: Path, seed: int, *, pulls: bool) -> None:
    async with RawClient.started() as client:
        viewer = Viewer(client, root, pulls=pulls)
        author = Author(viewer, Random(seed))
        await viewer.start(author.folders, author.settings)
        for _ in range(COMPARISONS):
            for _ in range(ACTIONS):
                await author.act()
            async with RawClient.started() as other:
                fresh = Viewer(other, root, pulls=pulls)
                await fresh.start(author.folders, author.settings)
                for name, text in viewer.opened.items():
                    fresh.open(name, text)
                found, expected = await shows_the_same(viewer, fresh)
                assert found == expected, _story(seed, author, found, expected)
                assert other.errors == b""
        assert client.errors == b""


def _story(seed: int, author: Author, found: Shown, expected: Shown) -> str:
    lines = [f"seed {seed}", *author.did]
    for uri in sorted(found.keys() | expected.keys()):
        for only, items, others in (("only here", found, expected), ("missing", expected, found)):
            lines += [
                f"{only}: {uri}: {item}"
                for item in items.get(uri, ())
                if item not in others.get(uri, ())
            ]
    return "\n".join(lines)
