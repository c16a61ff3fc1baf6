"""A language server that misbehaves: it stands between an editor and the real one.

    python misbehaving_server.py '{"never": [METHOD, ...], "say": {OLD: NEW}, "late": {METHOD: SECONDS}}' COMMAND ...

COMMAND is the real server. What asks for a METHOD in `never` gets null for an answer and goes no
further, from either side; notifications of it are lost. Commands are named like
`workspace/executeCommand suitecase.runCase`. In what the server says each OLD text becomes NEW. What
asks for a METHOD in `late` gets its answer so many seconds later than others.

A test of an editor that passes with such a server does not look at what it claims to see.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable
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


def pump(
    source: IO[bytes],
    on: Side,
    back: Side,
    never: set[str],
    say: dict[str, str],
    late: dict[Any, float],
    note: Callable[[Message], None] = lambda _: None,
) -> None:
    """Hand on what one end says to the other, until it says no more.

    Args:
        late: by the id of a request, after how many seconds its answer is handed on.
        note: is called with each message before it is handed on.
    """
    while (message := received(source)) is not None:
        note(message)
        if "method" not in message and (seconds := late.pop(message.get("id"), 0)):
            threading.Timer(seconds, on.send, [message]).start()
        elif not suppressed(message, never):
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
    late: dict[str, float] | None = None,
) -> Path:
    """Write a program `suitecase` that misbehaves, and return its path.

    Args:
        folder: where it is written.
        server: the real program and what stands before `lsp`.
        never: the methods that are never answered.
        say: for words of the server, what it says in their place.
        late: for methods, by how many seconds their answers are delayed.
    """
    program = folder / "misbehaving-suitecase"
    wrong = json.dumps({"never": never or [], "say": say or {}, "late": late or {}})
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

        late: dict[Any, float] = {}

        def note(message: Message) -> None:
            seconds = wrong["late"].get(message.get("method"))
            if seconds is not None and "id" in message:
                late[message["id"]] = seconds

        def from_editor() -> None:
            pump(sys.stdin.buffer, server_side, editor_side, never, {}, {}, note)
            into.close()

        threading.Thread(target=from_editor, daemon=True).start()
        pump(out, editor_side, server_side, never, wrong["say"], late)
    sys.exit(server.returncode)


if __name__ == "__main__":
    main()
