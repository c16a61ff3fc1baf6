"""The limits of a program, and how exceeding them is detected."""

from __future__ import annotations

import re
import signal
from dataclasses import dataclass

MEGABYTE = 1024 * 1024

#: What programs say whose memory, or whose file, may not grow any more. Few die of it by a signal:
#: Python, node and others make an error of their own of it.
_OUT_OF_MEMORY = re.compile(
    r"MemoryError|cannot allocate memory|out of memory|std::bad_alloc|OutOfMemoryError"
    r"|allocation failed|ENOMEM|memory exhausted",
    re.IGNORECASE,
)
#: The limits of a heap that node and Java set themselves.
_OWN_LIMIT = re.compile(r"Reached heap limit|Ineffective mark-compacts|Java heap space")
_FILE_TOO_LARGE = re.compile(r"File too large|File size limit exceeded|EFBIG")
_TOO_MANY_FILES = re.compile(r"Too many open files|EMFILE")
#: What a shell ends with where its command was ended by a signal: this and the signal's number.
_BY_SIGNAL = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The most that a program may use; 0 lifts a limit.

    Memory is what is used, not the address space: node and Java reserve far more addresses than
    they ever use, and do not start where those are limited. A process may write to no more of its
    own (`RLIMIT_DATA`); the sum, with what is shared, is looked at ten times a second.

    Attributes:
        cpu_seconds: processor time of all its processes together, in seconds.
        memory_mb: memory of all its processes together, in units of 1,048,576 bytes, with what they
            share and what they write to folders of their own in memory.
        file_size_mb: size of each file it writes, in the same units.
        open_files: files each of its processes may have open at once.
        processes: processes it may have at once, itself included.
    """

    cpu_seconds: int = 3600
    memory_mb: int = 8192
    file_size_mb: int = 4096
    open_files: int = 4096
    processes: int = 512

    def exceeded(self, exit_code: int, stderr: str, noticed: str | None) -> str | None:
        """Return a message on the limit that ended a program; None if none did.

        Args:
            exit_code: as `subprocess` has it, negative for a signal.
            stderr: the end of what the program wrote there.
            noticed: what its launcher saw it exceed: `cpu`, `memory` or `processes`.
        """
        if noticed == "processes":
            return f"had more than {self.processes:,} processes at once, {_more('processes')}"
        if noticed == "memory":
            return f"used more than {self.memory_mb:,} MB of memory, {_more('memory-mb')}"
        if exit_code == 0:
            return None
        if noticed == "cpu" or _ended_by(exit_code, "SIGXCPU"):
            return (
                f"used more than {self.cpu_seconds:,} s of processor time, {_more('cpu-seconds')}"
            )
        if self.file_size_mb and (
            _ended_by(exit_code, "SIGXFSZ") or _FILE_TOO_LARGE.search(stderr)
        ):
            return f"wrote a file of more than {self.file_size_mb:,} MB, {_more('file-size-mb')}"
        if self.open_files and _TOO_MANY_FILES.search(stderr):
            return f"had more than {self.open_files:,} files open, {_more('open-files')}"
        if self.memory_mb and not _OWN_LIMIT.search(stderr) and _OUT_OF_MEMORY.search(stderr):
            return f"ran out of memory: it may have {self.memory_mb:,} MB, {_more('memory-mb')}"
        return None


def _more(setting: str) -> str:
    return f"the limit that `{setting}` under `[sandbox]` sets"


def _ended_by(exit_code: int, name: str) -> bool:
    number = getattr(signal, name, None)
    return number is not None and exit_code in (-number, _BY_SIGNAL + number)


#: What holds where nothing is configured.
DEFAULT_LIMITS = Limits()
