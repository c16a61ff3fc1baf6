"""The processor time that `suitecase` takes, with the processes that it starts."""

from __future__ import annotations

import os
import resource
import sys
from pathlib import Path


class TooLongError(Exception):
    """It took longer than it may."""


def processor_time_of(pid: int) -> float:
    """Return the seconds that a process has computed so far, as Linux tells them."""
    fields = _stat(pid)
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def processor_time_of_children() -> float:
    """Return the seconds that children of this process have computed which have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def processor_time_of_children_of(pid: int) -> float:
    """Return the seconds that children of a process have computed which have ended, as Linux tells them."""
    fields = _stat(pid)
    return (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")


def parent_of(pid: int) -> int:
    """Return the id of the process that started or forked another."""
    return int(_stat(pid)[1])


def _stat(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def processor_time(arguments: list[str], folder: Path, most: float = 60.0) -> float:
    """Return the seconds of processor time that a command takes, in a fork of this process.

    Args:
        arguments: those of the command line.
        folder: the folder in which it is called.
        most: the seconds after which it is ended.

    Raises:
        TooLongError: it was ended.
    """
    from suitecase.cli import main

    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (int(most), int(most)))
        nothing = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(nothing, descriptor)
        os.chdir(folder)
        sys.argv = ["suitecase", *arguments]
        code = 1
        try:
            main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0
        finally:
            os._exit(code)
    _, status, used = os.wait4(child, 0)
    if os.WIFSIGNALED(status):
        raise TooLongError(f"{arguments} was ended by signal {os.WTERMSIG(status)}")
    if os.waitstatus_to_exitcode(status) == 4:
        raise AssertionError(f"{arguments} in {folder} ended with a bug of Suitecase")
    return used.ru_utime + used.ru_stime
