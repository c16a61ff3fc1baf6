"""Programs in the sandbox: what machines can, and processes that tell when they are gone."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from suitecase_evaluators.targets.sandbox import bubblewrap

_MISSING = bubblewrap.unavailable(bubblewrap.found())

#: For what can be shown only where programs can be isolated.
isolated_only = pytest.mark.skipif(_MISSING is not None, reason=str(_MISSING))

#: A shell's command that leaves processes in its group, in sessions of their own, and orphans.
FAMILY = "setsid sleep 600 & (setsid sh -c 'sleep 600 & sleep 600' &); sleep 600"


def failing_bubblewrap(folder: Path) -> Path:
    """Return the path of a `bwrap` that says what one says where namespaces are forbidden."""
    program = folder / "bwrap"
    folder.mkdir(exist_ok=True)
    program.write_text(
        f"#!/bin/sh\necho x >> {folder}/tried\n"
        'echo "bwrap: No permissions to create new namespace" >&2\nexit 1\n'
    )
    program.chmod(0o755)
    return program


class Lifeline:
    """A pipe in a folder that every process of a program holds open."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "alive"
        os.mkfifo(self.path)

    def held_by(self, command: str) -> str:
        """Return a shell's command that says it has begun, and of which each process holds it."""
        return f"exec 3>{self.path}; echo begun >&3; {command}"

    @asynccontextmanager
    async def begun(self) -> AsyncIterator[asyncio.StreamReader]:
        """Wait for the command to begin; what is yielded ends when all its processes have."""
        file = await asyncio.to_thread(self.path.open, "rb", buffering=0)
        stream = asyncio.StreamReader()
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(stream), file
        )
        try:
            assert await stream.readline() == b"begun\n"
            yield stream
        finally:
            transport.close()


async def gone(stream: asyncio.StreamReader, within: float = 10) -> None:
    """Wait until no process holds the pipe any more, for so many seconds at most."""
    async with asyncio.timeout(within):
        assert await stream.read() == b""
