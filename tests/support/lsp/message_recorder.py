"""Records what an editor says to its language server, for tests that say it again.

    PYTHONPATH=tests python -m support.lsp.message_recorder RECORDING COMMAND ...

COMMAND is the server. RECORDING is written as JSON lines: the editor's messages as they came, and
for its answers to the server's requests `{"reply": METHOD, "result": ...}`, since their numbers mean
nothing another time. The folder the editor has open is called `/workspace` in it, whatever its name
is, and the home of who used the editor `/home/somebody`.

Make one by having the `suitecase` that the editor finds call this program.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from support.lsp.misbehaving_server import Message, Side, received

WORKSPACE = "/workspace"


class Recording:
    """What an editor says, line by line."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._asked: dict[Any, str] = {}
        self._names: list[tuple[str, str]] = []

    def asked(self, message: Message) -> None:
        """Take in what the server says: the editor's answers are about its requests."""
        if "method" in message and "id" in message:
            self._asked[message["id"]] = message["method"]

    def said(self, message: Message) -> None:
        """Write what the editor says."""
        if message.get("method") == "initialize":
            root = (
                message["params"].get("rootPath") or message["params"]["rootUri"][len("file://") :]
            )
            self._names = [(root.rstrip("/"), WORKSPACE), (os.environ["HOME"], "/home/somebody")]
            message["params"]["processId"] = None
            self._path.write_text("")  # the server may be started for its version alone
        if "method" not in message:
            message = {
                "reply": self._asked.pop(message["id"], "?"),
                "result": message.get("result"),
            }
        line = json.dumps(message, ensure_ascii=False)
        for name, other in self._names:
            line = line.replace(name, other)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")


def main() -> None:
    recording = Recording(Path(sys.argv[1]))
    with subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        into, out = server.stdin, server.stdout
        assert into is not None
        assert out is not None
        editor_side, server_side = Side(sys.stdout.buffer), Side(into)

        def from_editor() -> None:
            while (message := received(sys.stdin.buffer)) is not None:
                recording.said(json.loads(json.dumps(message)))
                server_side.send(message)
            into.close()

        threading.Thread(target=from_editor, daemon=True).start()
        while (message := received(out)) is not None:
            recording.asked(message)
            editor_side.send(message)
    sys.exit(server.returncode)


if __name__ == "__main__":
    main()
