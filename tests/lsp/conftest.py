"""Fixtures for talking to `suitecase lsp` as an editor does, message by message.

Tests are imported without their folders being packages, so this folder is made importable for
`raw_client`.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from raw_client import RawClient


@pytest.fixture
async def start() -> AsyncIterator[Callable[..., Awaitable[RawClient]]]:
    """Start a server, not initialized yet; it is ended with the test."""
    async with AsyncExitStack() as stack:

        async def started(*command: str) -> RawClient:
            return await stack.enter_async_context(RawClient.started(*command))

        yield started


@pytest.fixture
async def client(start: Callable[..., Awaitable[RawClient]], tmp_path: Path) -> RawClient:
    """A server that is initialized, with `tmp_path` as its workspace."""
    client = await start()
    await client.initialize({"workspace": {"codeLens": {"refreshSupport": True}}}, root=tmp_path)
    return client
