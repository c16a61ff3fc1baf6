"""This end of the socket to a launcher: its reports, and the request to end everything."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from suitecase_evaluators.targets.sandbox.limits import MEGABYTE, Limits

LAUNCHER = Path(__file__).with_name("launcher.py")
#: More than the size of any report of a launcher.
_LINE_BYTES = 4096


class Loopback(Protocol):
    """A server on the loopback interface that a program without network may still use."""

    @property
    def port(self) -> int:
        """The port that was passed to the program."""
        ...

    def serve(self, listener: socket.socket) -> None:
        """Answer connections to a socket in the program's own network."""
        ...


class Control:
    """The socket to one launcher, and to what it holds.

    Attributes:
        failure: the number of the error for which the program could not be started.
        program: the program's process id, as its launcher sees it.
        status: how the program ended, as `waitpid` has it; None where it did not, or nobody knows.
        exceeded: what the launcher ended it for: `cpu`, `memory`, `processes`, or None.
    """

    def __init__(self, loopback: Loopback | None) -> None:
        self.failure: int | None = None
        self.program: int | None = None
        self.status: int | None = None
        self.exceeded: str | None = None
        self._loopback = loopback
        self._ours, self._theirs = socket.socketpair()
        self._ours.setblocking(False)
        self._told = b""
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._ours, self._read)

    @property
    def descriptor(self) -> int:
        """The launcher's end, to be handed on to it."""
        return self._theirs.fileno()

    def handed_on(self) -> None:
        """Let go of the launcher's end: it has it, or was never started."""
        self._theirs.close()

    def hang_up(self) -> None:
        """Make the launcher end everything, after reading its reports. Safe to call twice."""
        if self._ours.fileno() >= 0:
            self._read()
            self._loop.remove_reader(self._ours)
            self._ours.close()

    def _read(self) -> None:
        if sys.platform == "win32":
            return  # no program is started with a launcher there
        while True:
            try:
                data, handed, _, _ = socket.recv_fds(self._ours, _LINE_BYTES, 1)
            except (BlockingIOError, ConnectionError):
                break
            for descriptor in handed:
                listener = socket.socket(fileno=descriptor)
                if self._loopback is None:
                    listener.close()
                else:
                    self._loopback.serve(listener)
            if not data:
                self._loop.remove_reader(self._ours)
                break
            self._told += data
        *lines, self._told = self._told.split(b"\n")
        for line in lines:
            self._take(line.decode(errors="replace").split())

    def _take(self, words: list[str]) -> None:
        with suppress(ValueError):
            match words:
                case ["failed", number]:
                    self.failure = int(number)
                case ["started", number]:
                    self.program = int(number)
                case ["ended", status, exceeded]:
                    self.status = int(status)
                    self.exceeded = None if exceeded == "-" else exceeded
                case _:
                    pass


def launched(
    command: list[str],
    *,
    control: Control,
    limits: Limits,
    port: int,
    has_locale: bool,
    in_memory: Sequence[str],
) -> list[str]:
    """Return the command line of the launcher that starts a command.

    Args:
        port: the port of the loopback interface to listen on in the program's network; 0 is none.
        has_locale: whether the program's environment has LC_CTYPE.
        in_memory: the folders of the program's own that lie in memory.
    """
    numbers = (
        control.descriptor,
        port,
        limits.cpu_seconds,
        limits.memory_mb * MEGABYTE,
        limits.file_size_mb * MEGABYTE,
        limits.open_files,
        limits.processes,
        int(has_locale),
    )
    # Neither the environment nor the working directory decides what this Python imports.
    places = os.pathsep.join(in_memory)
    return [sys.executable, "-I", "-S", str(LAUNCHER), *map(str, numbers), places, *command]
