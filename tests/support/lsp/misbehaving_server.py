"""A language server that misbehaves: it stands between an editor and the real one.

    python misbehaving_server.py '{"never": [METHOD, ...], "say": {OLD: NEW}}' COMMAND ...

COMMAND is the real server. What asks for a METHOD in `never` gets null for an answer and goes no
further, from either side; notifications of it are lost. Commands are named like
`workspace/executeCommand suitecase.runCase`. In what the server says each OLD text becomes NEW.

A test of an editor that passes with such a server does not look at what it claims to see.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO, Any

Message = dict[str, Any]


class Side:
    """One end of the conversation: an output that two threads write messages to."""

    def __init__(self, output: IO[bytes]) -> None:
        self._output = output
        self._alone = threading.Lock()

    def send(self, message: Message) -> None:
        body = json.dumps(message).encode()
        with self._alone:
            self._output.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
            self._output.flush()


def pump(source: IO[bytes], on: Side, back: Side, never: set[str], say: dict[str, str]) -> None:
    """Hand on what one end says to the other, until it says no more."""
    while (message := received(source)) is not None:
        if not suppressed(message, never):
            text = json.dumps(message, ensure_ascii=False)
            for old, new in say.items():
                text = text.replace(old, new)
            on.send(json.loads(text))
        elif "id" in message:
            back.send({"jsonrpc": "2.0", "id": message["id"], "result": None})


def suppressed(message: Message, never: set[str]) -> bool:
    method = message.get("method")
    command = (message.get("params") or {}).get("command") if method else None
    return method in never or f"{method} {command}" in never


def received(source: IO[bytes]) -> Message | None:
    length = 0
    while line := source.readline():
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
        elif not line.strip():
            message: Message = json.loads(source.read(length))
            return message
    return None


def misbehaving(
    folder: Path,
    server: list[str],
    *,
    never: list[str] | None = None,
    say: dict[str, str] | None = None,
) -> Path:
    """Write a program `suitecase` that misbehaves, and return its path.

    Args:
        folder: where it is written.
        server: the real program and what stands before `lsp`.
        never: the methods that are never answered.
        say: for words of the server, what it says in their place.
    """
    program = folder / "misbehaving-suitecase"
    wrong = json.dumps({"never": never or [], "say": say or {}})
    command = [sys.executable, __file__, wrong, *server]
    program.write_text(
        f"#!{sys.executable}\nimport os, sys\n"
        f"os.execv({sys.executable!r}, {command!r} + sys.argv[1:])\n"
    )
    program.chmod(0o755)
    return program


def main() -> None:
    wrong = json.loads(sys.argv[1])
    never = set(wrong["never"])
    with subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        into, out = server.stdin, server.stdout
        assert into is not None
        assert out is not None
        editor_side, server_side = Side(sys.stdout.buffer), Side(into)

        def from_editor() -> None:
            pump(sys.stdin.buffer, server_side, editor_side, never, {})
            into.close()

        threading.Thread(target=from_editor, daemon=True).start()
        pump(out, editor_side, server_side, never, wrong["say"])
    sys.exit(server.returncode)


if __name__ == "__main__":
    main()
