"""Too few open files, threads, processes or memory: a problem of the environment, and what to do about it."""

from __future__ import annotations

import errno
import re
import signal
import sys
from collections.abc import Iterator

from suitecase_evaluators.targets.sandbox.limits import MEGABYTE

#: So many open files a worker needs beside those of its calls: libraries, results, cache, other processes.
FILES_BESIDE_CALLS = 32
#: More open files than this are not asked for, though the system may allow them.
_MOST_FILES = 4096
#: In bytes. A worker without any work took between 390 and 430 million.
_LEAST_MEMORY = 384 * MEGABYTE
#: The signals of a crash.
_CRASHES = (signal.SIGSEGV, signal.SIGABRT)
#: What the system, Python and libraries say, the most specific first.
_SAID = (
    (re.compile(r"Too many open files", re.IGNORECASE), "files"),
    (
        re.compile(
            r"can't start new thread|pthread_create|thread-constructor failed|"
            r"BlockingIOError: \[Errno \d+\] Resource temporarily unavailable|"
            r"fork: (?:retry: )?Resource temporarily unavailable",
            re.IGNORECASE,
        ),
        "threads",
    ),
    (
        re.compile(
            r"\bMemoryError\b|cannot allocate memory|memory allocation of \d+ bytes failed|"
            r"std::bad_alloc|failed to map segment|"
            r"out of memory|unable to allocate",
            re.IGNORECASE,
        ),
        "memory",
    ),
)


def why_too_few(error: BaseException) -> str | None:
    """Return what a process has too little of, and what to do; None for any other error.

    Looks also at the errors in a group, and at what an error was caused by.
    """
    return next(filter(None, map(_of_one, _chain(error))), None)


def why_too_few_by(text: str) -> str | None:
    """Return the same by what a process has written before it ended."""
    tail = text[-4_000:]
    kind = next((kind for pattern, kind in _SAID if pattern.search(tail)), None)
    return None if kind is None else _advice(kind)


def why_crashed(code: int | None) -> str | None:
    """Return the same by how a process ended: libraries in C may crash where memory is limited and used up.

    Args:
        code: its exit code, negative for a signal; None if it is unknown.
    """
    crashed = code is not None and -code in _CRASHES
    return _advice("memory") if crashed and _memory_is_limited() else None


def memory_to_start() -> str | None:
    """Return why a worker cannot start with the memory that is allowed; None if it may.

    With less, some thread of it ends before it can say so, and what waits for it would wait for ever.
    """
    limit = _memory_limit()
    if limit is None or limit >= _LEAST_MEMORY:
        return None
    return (
        f"{limit // MEGABYTE:,} MB of memory are too little: allow {_LEAST_MEMORY // MEGABYTE:,} MB or more "
        "with `ulimit -v`"
    )


def _memory_is_limited() -> bool:
    return _memory_limit() is not None


def _memory_limit() -> int | None:
    """Return the limit of this process's address space in bytes; None if there is none."""
    if sys.platform == "win32":
        return None
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if soft == resource.RLIM_INFINITY else soft


def open_files_for(calls: int) -> str | None:
    """Return why so many calls at once cannot be made; None if there are enough open files."""
    limit = _open_files()
    if limit is None or not calls or calls + FILES_BESIDE_CALLS <= limit:
        return None
    fewer = limit - FILES_BESIDE_CALLS
    or_fewer = f", or make fewer calls at once: --concurrency {fewer}" if fewer > 0 else ""
    return (
        f"{limit:,} open files are too few for {calls:,} calls at once: allow more with "
        f"`ulimit -n {calls + 2 * FILES_BESIDE_CALLS}`{or_fewer}"
    )


def allow_more_files() -> None:
    """Raise this process's own limit of open files as far as the system allows, within reason."""
    if sys.platform == "win32":
        return
    import resource
    from contextlib import suppress

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, _MOST_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _open_files() -> int | None:
    """Return the limit of open files; None if there is none."""
    if sys.platform == "win32":
        return None
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return None if soft == resource.RLIM_INFINITY else soft


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield an error with all that it has inside or was caused by, each once."""
    pending, seen = [error], set[int]()
    while pending:
        current = pending.pop(0)
        if id(current) in seen:
            continue
        seen.add(id(current))
        yield current
        if isinstance(current, BaseExceptionGroup):
            pending += current.exceptions
        pending += [
            cause for cause in (current.__cause__, current.__context__) if cause is not None
        ]


def _of_one(error: BaseException) -> str | None:
    # Where an allocation fails, Python itself may lose the error that says so.
    if isinstance(error, MemoryError) or (isinstance(error, SystemError) and _memory_is_limited()):
        return _advice("memory")
    if isinstance(error, OSError):
        if error.errno in (errno.EMFILE, errno.ENFILE):
            return _advice("files")
        if error.errno == errno.ENOMEM:
            return _advice("memory")
        if error.errno == errno.EAGAIN and _starts_a_process(error):
            return _advice("threads")
    # Libraries may put it into words of their own, as pydantic does: "SchemaError: ... MemoryError:".
    if isinstance(error, RuntimeError | ImportError) or _memory_is_limited():
        return why_too_few_by(f"{type(error).__name__}: {error}")
    return None


def _starts_a_process(error: OSError) -> bool:
    """Whether an error comes from starting a process, rather than from a stream that is not ready."""
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_name in ("_execute_child", "fork", "_posix_spawn"):
            return True
        trace = trace.tb_next
    return False


def _advice(kind: str) -> str:
    fewer = "lower --concurrency and --workers"
    if kind == "files":
        limit = _open_files()
        known = "" if limit is None else f" ({limit:,} are allowed)"
        return f"too few open files{known}: allow more with `ulimit -n 4096`, or {fewer}"
    if kind == "threads":
        return (
            "the system starts no further thread or process: allow more with `ulimit -u`, and more memory "
            f"with `ulimit -v`, or {fewer}"
        )
    return f"too little memory: allow more with `ulimit -v`, free some, or {fewer}"
