"""A server that tests fork says and leaves what one that is started says and leaves."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from support.lsp.client import COMMAND, RawClient
from support.lsp.forked_server import ForkedServer
from support.running.forked import can_fork
from support.running.processes import MISSPELLED


async def test_forked_as_started(tmp_path: Path) -> None:
    forked, started = [await _session(tmp_path, command) for command in ((), COMMAND)]

    assert forked == started


async def _session(folder: Path, command: tuple[str, ...]) -> dict[str, Any]:
    uri = (folder / "a.eval.yaml").as_uri()
    async with RawClient.started(*command) as client:
        assert isinstance(client.process, ForkedServer) == (not command and can_fork(os.environ))
        offered = await client.initialize(root=folder)
        client.open(uri, MISSPELLED)
        found = await client.diagnostics(uri)
        farewell = await client.request("shutdown")
        client.notify("exit")
        code = await client.ended()
    return {
        "offered": offered,
        "found": found,
        "farewell": farewell,
        "ended": (code, client.process.returncode, client.garbage, client.errors),
    }
