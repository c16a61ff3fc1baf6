"""Runs a program: input on stdin, captured output, and no processes left when it ends."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from suitecase_evaluators.answers.sandbox_level import Level
from suitecase_evaluators.system.own_environment import for_programs
from suitecase_evaluators.system.path_kinds import is_folder
from suitecase_evaluators.targets.sandbox.confinement import Confinement, Kind, reachable
from suitecase_evaluators.targets.sandbox.hidden import homes

if TYPE_CHECKING:
    # asyncio takes a tenth of the time of a check, which starts no program.
    from suitecase_evaluators.targets.sandbox.control import Loopback
    from suitecase_evaluators.targets.sandbox.running import ProgramStart, RunningProgram

#: Of stderr this many characters at the end are searched for why a program ended.
_SEARCHED = 20_000
#: Messages of programs that miss something because they are isolated.
_NO_WRITING = re.compile(r"Read-only file system|EROFS")
_NO_SPACE = re.compile(r"No space left on device|ENOSPC")
_NOT_THERE = re.compile(r"No such file or directory|ENOENT|Cannot find module|not found")
_NO_NETWORK = re.compile(
    r"Network is unreachable|ENETUNREACH|EAI_AGAIN|[Nn]ame resolution"
    r"|[Cc]ould not resolve host|getaddrinfo|Connection refused|ECONNREFUSED"
)
#: Additional environment variables of programs that are started in this context.
CONTEXT_VARIABLES: ContextVar[Mapping[str, str] | None] = ContextVar(
    "suitecase_context_variables", default=None
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramResult:
    """The result of a program. Bytes that are not UTF-8 are replaced."""

    stdout: str
    stderr: str
    #: None if the program was stopped; negative for a signal, as in the operating system.
    exit_code: int | None
    timed_out: bool = False
    #: More than `OUTPUT_LIMIT` bytes came out, and the rest was thrown away.
    truncated: bool = False
    #: Its sandbox level, and whose program it is.
    level: Level = Level.NONE
    kind: Kind = "scripts"
    #: What it did that it may not, such as using more than a limit, as in "the program ...".
    exceeded: str | None = None

    @property
    def hint(self) -> str:
        """A hint on isolation as the likely cause of a failure; empty if there is no sign of it."""
        return isolation_hint(self.stderr, self.level, self.kind) if self.exit_code else ""

    def stderr_tail(self, limit: int = 2_000) -> str:
        """Return the end of stderr, which is where programs say why they stopped.

        It begins with a whole word, where there is one: half a secret would not be recognised.
        """
        text = self.stderr.strip()
        if len(text) <= limit:
            return text
        tail = text[-limit:]
        cut = re.search(r"\s", text[-limit - 1 :])
        return f"... {tail if cut is None else text[cut.end() - limit - 1 :]}"


def isolation_hint(text: str, level: Level, kind: Kind) -> str:
    """Return a hint on isolation if it explains a failure; empty if it does not.

    Args:
        text: the output or the error message of a program.
        level: its sandbox level.
        kind: whose program it is.
    """
    if not level.in_namespaces:
        return ""
    if level is Level.ISOLATED and _NO_NETWORK.search(text):
        return f"; it ran isolated, without network; {_allowed(kind, 'networked')}"
    if _NO_WRITING.search(text):
        return (
            f"; it ran {level.value} and could write only to its own folder, except for files "
            "that configure tools or that the run reads; `--sandbox writable=FOLDER` lets it write to another folder"
        )
    if _NO_SPACE.search(text):
        return (
            f"; it ran {level.value}, where `/tmp` and the home folder are private and "
            "take no more than `memory-mb` under `[sandbox]`"
        )
    if any(f"{home}/" in text for home in homes()) and _NOT_THERE.search(text):
        return (
            f"; it ran {level.value} and can read nothing in the home folder except the "
            "workspace; `--sandbox readable=FOLDER` lets it read another folder"
        )
    return ""


class ProgramError(Exception):
    """A program could not be started: a problem of the environment.

    `message` is for people and says what to do.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


async def run_program(
    argv: Sequence[str] | str,
    *,
    stdin: str,
    cwd: Path,
    timeout_seconds: float,
    environ: Mapping[str, str] | None = None,
    confinement: Confinement | None = None,
    loopback: Loopback | None = None,
) -> ProgramResult:
    """Run a program to its end, or for `timeout_seconds`.

    A list is started as it stands, a string through `sh -c`. All of it is ended, its children and
    theirs too, on a timeout, when the caller is cancelled, when the program ended with children of
    its own still running, and when this process is gone, in whatever way it went.

    Args:
        environ: the program's environment; None hands on this process's own.
        confinement: how it is held; None is by limits alone, those that hold by default.
        loopback: what the program may ask where it has no network.

    Raises:
        ProgramError: the program could not be started.
    """
    import asyncio

    start = await prepared_start(
        argv, cwd=cwd, environ=environ, confinement=confinement, loopback=loopback
    )
    running = await start_program(start)
    timed_out = False
    try:
        pipe = running.transport.get_pipe_transport(0)
        if isinstance(pipe, asyncio.WriteTransport):
            pipe.write(stdin.encode("utf-8", errors="replace"))
            pipe.write_eof()
        done, _ = await asyncio.wait({running.capture.exited}, timeout=timeout_seconds)
        timed_out = not done
    finally:
        # Also if the program ended by itself: a child it left would keep the pipes open.
        await running.end()
    return program_result(start, running, timed_out=timed_out)


async def prepared_start(
    argv: Sequence[str] | str,
    *,
    cwd: Path,
    environ: Mapping[str, str] | None = None,
    confinement: Confinement | None = None,
    loopback: Loopback | None = None,
) -> ProgramStart:
    """Return the start of a program; the arguments are those of `run_program`.

    Raises:
        ProgramError: there is nothing to start.
    """
    import asyncio

    from suitecase_evaluators.targets.sandbox.running import ProgramStart

    command = ["sh", "-c", argv] if isinstance(argv, str) else list(argv)
    if not command or not command[-1 if isinstance(argv, str) else 0].strip():
        raise ProgramError("no program is named; write its name and its arguments")
    sandbox = confinement or Confinement()
    return ProgramStart(
        command=command,
        cwd=cwd,
        environ={
            **for_programs(os.environ if environ is None else environ),
            **(CONTEXT_VARIABLES.get() or {}),
        },
        confinement=sandbox,
        level=await asyncio.to_thread(reachable, sandbox.wanted)
        if sandbox.wanted.in_namespaces
        else reachable(sandbox.wanted),
        loopback=loopback,
    )


async def start_program(start: ProgramStart) -> RunningProgram:
    """Start a program.

    Raises:
        ProgramError: it could not be started.
    """
    try:
        return await start.begin()
    except (OSError, ValueError) as error:
        raise ProgramError(_why_not_started(start.command[0], start.cwd, error)) from error


def program_result(
    start: ProgramStart, running: RunningProgram, *, timed_out: bool = False
) -> ProgramResult:
    """Return the result of a program that has ended.

    Raises:
        ProgramError: its launcher reported that it could not be started.
    """
    capture, sandbox = running.capture, start.confinement
    code = None if timed_out else _exit_code(running, start)
    stderr = capture.text(2)
    noticed = None if running.control is None else running.control.exceeded
    return ProgramResult(
        stdout=capture.text(1),
        stderr=stderr,
        exit_code=code,
        timed_out=timed_out,
        truncated=capture.truncated,
        level=start.level,
        kind=sandbox.kind,
        exceeded=_with_timeout(changed_configuration(running), timed_out=timed_out)
        or (
            None
            if code is None or running.control is None
            else sandbox.limits.exceeded(code, stderr[-_SEARCHED:], noticed)
        ),
    )


def why_no_shell(environ: Mapping[str, str]) -> str | None:
    """Return why command lines cannot be run here and what to do; None where there is a shell.

    Args:
        environ: the environment of the programs.
    """
    if shutil.which("sh", path=environ.get("PATH")) is not None:
        return None
    return "command lines are run by `sh`, and there is none on the PATH" + (
        "; it comes with Git for Windows, in `Git\\bin`" if sys.platform == "win32" else ""
    )


def changed_configuration(running: RunningProgram) -> str | None:
    """Return what a program did to files that configure others; None if it did nothing to them."""
    from suitecase_evaluators.targets.sandbox.changed_configuration import described

    return described(running.changes())


def _with_timeout(changed: str | None, *, timed_out: bool) -> str | None:
    if changed is None or not timed_out:
        return changed
    return f"{changed}; it also ran longer than its time limit, and was stopped"


def _allowed(kind: Kind, level: str) -> str:
    """Return how to lower the sandbox level of a program."""
    own = f"`sandbox: {level}` in its entry, or " if kind == "targets" else ""
    return f"{own}`--sandbox {kind}={level}` allows that"


def _exit_code(running: RunningProgram, start: ProgramStart) -> int | None:
    """Return the exit code of a program.

    Raises:
        ProgramError: its launcher reported that it could not be started.
    """
    control, own = running.control, running.transport.get_returncode()
    if control is None:
        return own
    if control.failure is not None:
        error = OSError(control.failure, os.strerror(control.failure))
        raise ProgramError(_why_not_started(start.command[0], start.cwd, error))
    if control.status is not None:
        return os.waitstatus_to_exitcode(control.status)
    first_line = running.capture.text(2).strip()
    if start.level.in_namespaces and first_line.startswith("bwrap:"):
        raise ProgramError(
            f"cannot isolate `{start.command[0]}`: {first_line}; "
            f"{_allowed(start.confinement.kind, 'limits')}"
        )
    return own  # the launcher was killed, and the program with it


def _why_not_started(program: str, cwd: Path, error: OSError | ValueError) -> str:
    if not is_folder(cwd):
        return f"cannot start `{program}`: its working directory {cwd} is not a folder"
    match error:
        case FileNotFoundError():
            if program == "sh" and (reason := why_no_shell(os.environ)):
                return f"cannot start a program: {reason}"
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
