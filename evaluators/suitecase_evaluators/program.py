"""Runs a program: its input on stdin, its output captured, nothing of it left behind."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

#: Of stdout and of stderr this many bytes are kept; what follows is read and thrown away.
OUTPUT_LIMIT = 10_000_000
#: Seconds for a killed program to go, and for its pipes to close after it went.
PARTING_SECONDS = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramResult:
    """What a program left. Bytes that are not UTF-8 are replaced."""

    stdout: str
    stderr: str
    #: None where the program was stopped; negative for a signal, as the operating system tells it.
    exit_code: int | None
    timed_out: bool = False
    #: More than `OUTPUT_LIMIT` bytes came out, and the rest was thrown away.
    truncated: bool = False

    def stderr_tail(self, limit: int = 2_000) -> str:
        """Return the end of stderr, which is where programs say why they stopped."""
        text = self.stderr.strip()
        return text if len(text) <= limit else f"... {text[-limit:]}"


class ProgramError(Exception):
    """A program could not be started: a problem of the environment.

    `message` is for people and says what to do.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class _Capture(asyncio.SubprocessProtocol):
    """Keeps what a program writes, and tells when it went and when its pipes closed."""

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self.output = {1: bytearray(), 2: bytearray()}
        self.truncated = False
        self.exited: asyncio.Future[None] = loop.create_future()
        self.drained: asyncio.Future[None] = loop.create_future()
        self._open = {1, 2}

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        kept = self.output[fd]
        room = OUTPUT_LIMIT - len(kept)
        kept += data[:room]
        self.truncated = self.truncated or len(data) > room

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        self._open.discard(fd)
        if not self._open and not self.drained.done():
            self.drained.set_result(None)

    def process_exited(self) -> None:
        if not self.exited.done():
            self.exited.set_result(None)

    def text(self, fd: int) -> str:
        return self.output[fd].decode("utf-8", errors="replace")


async def run_program(
    argv: Sequence[str] | str,
    *,
    stdin: str,
    cwd: Path,
    timeout_seconds: float,
    environ: Mapping[str, str] | None = None,
) -> ProgramResult:
    """Run a program to its end, or for `timeout_seconds`.

    A list is started as it stands, a string through `sh -c`. The program has a process group of
    its own, which is killed as a whole on a timeout, when the caller is cancelled, and when the
    program ended with children of its own still running.

    Args:
        environ: the program's environment; None hands on this process's own.

    Raises:
        ProgramError: the program could not be started.
    """
    command = ["sh", "-c", argv] if isinstance(argv, str) else list(argv)
    if not command or not command[-1 if isinstance(argv, str) else 0].strip():
        raise ProgramError("no program is named; write its name and its arguments")
    loop = asyncio.get_running_loop()
    try:
        starting = loop.subprocess_exec(
            _Capture,
            *command,
            cwd=cwd,
            env=None if environ is None else dict(environ),
            start_new_session=True,
        )
        transport, capture = await _started(asyncio.ensure_future(starting))
    except (OSError, ValueError) as error:
        raise ProgramError(_why_not_started(command[0], cwd, error)) from error
    timed_out = False
    try:
        pipe = transport.get_pipe_transport(0)
        if isinstance(pipe, asyncio.WriteTransport):
            pipe.write(stdin.encode("utf-8", errors="replace"))
            pipe.write_eof()
        done, _ = await asyncio.wait({capture.exited}, timeout=timeout_seconds)
        timed_out = not done
    finally:
        # Also where the program ended by itself: a child it left would keep the pipes open.
        _kill_group(transport)
        await asyncio.wait({capture.exited}, timeout=PARTING_SECONDS)
        await asyncio.wait({capture.drained}, timeout=PARTING_SECONDS)
        transport.close()
    return ProgramResult(
        stdout=capture.text(1),
        stderr=capture.text(2),
        exit_code=None if timed_out else transport.get_returncode(),
        timed_out=timed_out,
        truncated=capture.truncated,
    )


async def _started(
    starting: asyncio.Future[tuple[asyncio.SubprocessTransport, _Capture]],
) -> tuple[asyncio.SubprocessTransport, _Capture]:
    """Wait for a program to be started, and end it where the wait is cancelled.

    A start that is itself cancelled half-way kills the program alone, not its children, and then
    waits for ever for pipes that were never connected.
    """
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        transport, capture = await starting
        _kill_group(transport)
        await asyncio.wait({capture.exited}, timeout=PARTING_SECONDS)
        transport.close()
        raise


def _kill_group(transport: asyncio.SubprocessTransport) -> None:
    if sys.platform == "win32":
        if transport.get_returncode() is None:
            transport.kill()
        return
    try:
        os.killpg(transport.get_pid(), signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return  # nothing is left of the group; macOS answers so for one of zombies


def _why_not_started(program: str, cwd: Path, error: OSError | ValueError) -> str:
    if not cwd.is_dir():
        return f"cannot start `{program}`: its working directory {cwd} is not a folder"
    match error:
        case FileNotFoundError():
            return (
                f"cannot start `{program}`: there is no such program on the PATH or in {cwd}, "
                "or the interpreter its first line names is missing"
            )
        case PermissionError():
            return f"cannot start `{program}`: the file is not executable (chmod +x makes it so)"
        case OSError():
            return f"cannot start `{program}`: {error.strerror or error}"
        case _:
            return f"cannot start `{program}`: {error}"
