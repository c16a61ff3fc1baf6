"""Fixtures for talking to `suitecase lsp` as an editor does, message by message."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from support.lsp.client import RawClient

Start = Callable[..., Awaitable[RawClient]]


@pytest.fixture
async def start() -> AsyncIterator[Start]:
    """Start a server, not initialized yet; it is ended with the test."""
    async with AsyncExitStack() as stack:

        async def started(
            *command: str, limits: Mapping[str, float] | None = None, script: str = ""
        ) -> RawClient:
            server = RawClient.started(*command, limits=limits, script=script)
            return await stack.enter_async_context(server)

        yield started


@pytest.fixture
async def client(start: Start, tmp_path: Path) -> RawClient:
    """A server that is initialized, with `tmp_path` as its workspace."""
    client = await start()
    await client.initialize({"workspace": {"codeLens": {"refreshSupport": True}}}, root=tmp_path)
    return client
