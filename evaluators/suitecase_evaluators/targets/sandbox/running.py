"""Programs while they run: how one is started, what it writes, and how all of it is ended."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from suitecase_evaluators.answers.sandbox_level import Level
from suitecase_evaluators.targets.sandbox import bubblewrap
from suitecase_evaluators.targets.sandbox.changed_configuration import notice
from suitecase_evaluators.targets.sandbox.confinement import Confinement
from suitecase_evaluators.targets.sandbox.control import Control, Loopback, launched
from suitecase_evaluators.targets.sandbox.folders import Folders
from suitecase_evaluators.targets.sandbox.limits import MEGABYTE
from suitecase_evaluators.targets.sandbox.protected import Change, FolderState
from suitecase_evaluators.targets.sandbox.strays import LAUNCHERS

#: Of stdout and of stderr this many bytes are kept; what follows is read and thrown away.
OUTPUT_LIMIT = 10_000_000
#: Seconds for a program that is ended to go, and for its pipes to close after it went.
PARTING_SECONDS = 5.0


class Capture(asyncio.SubprocessProtocol):
    """Captures the output of a program, and signals when it ended and when its pipes closed."""

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self.output = {1: bytearray(), 2: bytearray()}
        self.truncated = False
        self.exited: asyncio.Future[None] = loop.create_future()
        self.drained: asyncio.Future[None] = loop.create_future()
        self._open = {1, 2}

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        captured = self.output[fd]
        room = OUTPUT_LIMIT - len(captured)
        captured += data[:room]
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


@dataclass(slots=True)
class RunningProgram:
    """A program that was started, and what ends it."""

    transport: asyncio.SubprocessTransport
    capture: Capture
    control: Control | None
    level: Level
    #: What no mount protects in the folders it may write to, as it was before.
    before: tuple[FolderState, ...]
    #: What it changed, once it has ended.
    _changes: list[Change] | None = None

    def changes(self) -> list[Change]:
        """Return the protected places that the program created, or moved away."""
        if self._changes is not None:
            return self._changes
        return [change for state in self.before for change in state.changes()]

    async def end(self) -> None:
        """End the program with all it started, and wait for its last words.

        A wait that is cancelled is begun again once: a loop that closes cancels a second time those
        that end their programs since they were cancelled.
        """
        try:
            await self._end()
        except asyncio.CancelledError:
            await self._end()
            raise
        finally:
            self._changes = self.changes()
            notice(self._changes)

    async def _end(self) -> None:
        """End it; safe to call twice."""
        if self.control is None:
            self._kill()
        elif not self.capture.exited.done():
            self.control.hang_up()
        await asyncio.wait({self.capture.exited}, timeout=PARTING_SECONDS)
        if self.control is not None:
            self.control.hang_up()
            # A launcher that was stopped, or killed: by the system, or by the program itself.
            _kill_group(self.transport.get_pid())
            if self.level is Level.LIMITS and self.transport.get_returncode() != 0:
                _kill_group(self.control.program)
            await asyncio.wait({self.capture.exited}, timeout=PARTING_SECONDS)
            LAUNCHERS.running.discard(self.transport.get_pid())
            if self.level is Level.LIMITS and self.transport.get_returncode() != 0:
                await LAUNCHERS.end_strays()
        await asyncio.wait({self.capture.drained}, timeout=PARTING_SECONDS)
        self.transport.close()

    def _kill(self) -> None:
        if sys.platform != "win32":
            _kill_group(self.transport.get_pid())
        elif self.transport.get_returncode() is None:
            self.transport.kill()


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramStart:
    """The command to start, its working directory, and its confinement."""

    command: list[str]
    cwd: Path
    environ: Mapping[str, str]
    confinement: Confinement
    #: The possible level, which may be lower than requested.
    level: Level
    loopback: Loopback | None = None
    #: Creates the object that receives its output.
    capture: Callable[[], Capture] = Capture

    async def begin(self) -> RunningProgram:
        """Start it.

        Raises:
            OSError, ValueError: it could not be started.
        """
        loop = asyncio.get_running_loop()
        bwrap = bubblewrap.found() if self.level.in_namespaces else None
        folders = Folders.none() if bwrap is None else await asyncio.to_thread(self._folders)
        control = None if self.level is Level.NONE else Control(self.loopback)
        try:
            with nullcontext(()) if bwrap is None else bubblewrap.system_call_filter() as filters:
                held = () if control is None else self._held(control, bwrap, folders, filters)
                own = () if control is None else (control.descriptor,)
                starting = loop.subprocess_exec(
                    self.capture,
                    *(held or self.command),
                    cwd=self.cwd,
                    env=dict(self.environ),
                    start_new_session=True,
                    pass_fds=(*own, *folders.descriptors, *filters),
                )
                context = (control, self.level, folders.before)
                with LAUNCHERS.being_started():
                    running = await _started(asyncio.ensure_future(starting), *context)
                    LAUNCHERS.running.add(running.transport.get_pid())
            return running
        except BaseException:
            if control is not None:
                control.hang_up()
            raise
        finally:
            folders.close()
            if control is not None:
                control.handed_on()

    def _folders(self) -> Folders:
        confinement = self.confinement
        return Folders.opened(
            confinement.own, confinement.writable, confinement.workspace, confinement.kept
        )

    def _held(
        self, control: Control, bwrap: str | None, folders: Folders, filters: Sequence[int]
    ) -> list[str]:
        confinement, networked = self.confinement, self.level is not Level.ISOLATED
        view = bubblewrap.View(
            environ=self.environ,
            network=networked,
            readable=confinement.readable,
            writable=folders.writable,
            protected=folders.protected,
            memory=confinement.limits.memory_mb * MEGABYTE,
        )
        launcher = launched(
            self.command,
            control=control,
            limits=confinement.limits,
            port=0 if networked or self.loopback is None else self.loopback.port,
            has_locale="LC_CTYPE" in self.environ,
            in_memory=() if bwrap is None else view.in_memory,
        )
        if bwrap is None:
            return launcher
        return view.wrapped(launcher, self.command, program=bwrap, cwd=self.cwd, filters=filters)


async def _started(
    starting: asyncio.Future[tuple[asyncio.SubprocessTransport, Capture]],
    control: Control | None,
    level: Level,
    before: tuple[FolderState, ...],
) -> RunningProgram:
    """Wait for a program to be started, and end it where the wait is cancelled.

    A start that is itself cancelled half-way kills the program alone, not its children, and then
    waits for ever for pipes that were never connected.
    """
    try:
        return RunningProgram(*await asyncio.shield(starting), control, level, before)
    except asyncio.CancelledError:
        running = RunningProgram(*await starting, control, level, before)
        if control is not None:
            control.handed_on()
        await running.end()
        raise


def _kill_group(leader: int | None) -> None:
    if leader is None or sys.platform == "win32":
        return
    try:
        os.killpg(leader, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return  # nothing is left of the group; macOS answers so for one of zombies
