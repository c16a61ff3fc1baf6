"""Starts one program under limits, watches it, and ends all of it: a program of its own.

Run by its path, by a Python that is isolated from everything (`-I -S`), and inside the sandbox
where there is one; so it imports little, and nothing of ours. Its arguments are

    CONTROL PORT CPU MEMORY FILE_SIZE OPEN_FILES PROCESSES LOCALE FOLDERS PROGRAM [ARGUMENT...]

CONTROL is the file descriptor of a socket to whoever started it. When that one hangs up, by wish or
by its death, everything is ended. PORT is one of the loopback interface to listen on for it, LOCALE
is 1 where the environment had LC_CTYPE; the limits are in seconds, bytes and numbers. 0 is none.
FOLDERS are those of the program's own that lie in memory, with colons between them.

It tells `started PID`, then `failed ERRNO` where the program could not be started, else at the end
`ended STATUS EXCEEDED`, with the status as `waitpid` has it and `cpu`, `memory`, `processes` or `-`.
"""

from __future__ import annotations

import _socket  # `socket` takes 5 ms to import, of which nothing is needed here
import array
import os
import resource
import select
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice

if sys.platform == "win32":
    raise ImportError("programs have no launcher on Windows, which has no such limits")

#: Seconds between two looks at what the program uses.
LOOK_SECONDS = 0.1
#: Processes that are waited for between two looks, and that are killed after one.
REAPED_AT_ONCE = 50
ENDED_AT_ONCE = 1_000
#: Seconds for a program to end after it was stopped.
ENDING_SECONDS = 3.0
_SET_PARENT_DEATH_SIGNAL = 1
_SET_CHILD_SUBREAPER = 36
_SET_DUMPABLE = 4
#: Looks at the memory of files that have no name come so often, since they are slower.
_LOOKS_BETWEEN = 5


def main(arguments: list[str]) -> None:
    """Start the program, wait for it or for the end of the socket, and end what is left of it."""
    control = _socket.socket(fileno=int(arguments[0]))
    os.set_inheritable(control.fileno(), False)
    # Others lead to folders outside of the sandbox.
    for number in map(int, os.listdir("/dev/fd")):  # noqa: PTH208 - as `_socket`
        if number > 2 and number != control.fileno():
            with suppress(OSError):  # that of the list itself
                os.close(number)
    # The program is the same user's: it must not trace this process, nor take its socket.
    prctl(_SET_DUMPABLE, 0)
    port, cpu, memory, file_size, open_files, processes, locale = map(int, arguments[1:8])
    if not locale:
        # Python itself may have set it for a locale of C.
        os.environ.pop("LC_CTYPE", None)
    if port:
        listen(control, port)
    prctl(_SET_CHILD_SUBREAPER, 1)
    limits = [
        (resource.RLIMIT_CORE, 0),
        *(
            (which, most)
            for which, most in (
                (resource.RLIMIT_CPU, cpu),
                (resource.RLIMIT_DATA, memory),
                (resource.RLIMIT_FSIZE, file_size),
                (resource.RLIMIT_NOFILE, open_files),
            )
            if most
        ),
    ]
    wake, woken = os.pipe()
    os.set_blocking(woken, False)
    signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    program, failure = start(arguments[9:], limits, control)
    if program is None:
        control.sendall(f"failed {failure}\n".encode())
        return
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(nothing, number)
    folders = [part for part in arguments[8].split(os.pathsep) if part]
    status, exceeded = watch(program, control, wake, Most(cpu, memory, processes, folders))
    end_all(program)
    if status is not None:
        with suppress(OSError):
            control.sendall(f"ended {status} {exceeded}\n".encode())


def prctl(option: int, value: int) -> None:
    """Set an attribute of this process that only Linux has."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def listen(control: _socket.socket, port: int) -> None:
    """Listen in this network and pass the socket to the parent, which answers from outside."""
    listener = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
    listener.bind(("127.0.0.1", port))
    listener.listen(64)
    handed = array.array("i", [listener.fileno()])
    control.sendmsg([b"listening\n"], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, handed)])
    listener.close()


def start(
    argv: list[str], limits: list[tuple[int, int]], control: _socket.socket
) -> tuple[int | None, int]:
    """Start the program in a session of its own; return its process id, or why there is none.

    Its id is told before it runs: it may end this process at once.
    """
    here = os.getpid()
    status_pipe, tell = os.pipe()
    wait, go = os.pipe()
    program = os.fork()
    if not program:
        failure = 0
        try:
            os.setsid()
            # All programs of one that ended early go too: this process may be killed itself.
            prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
            if os.getppid() != here:
                os._exit(1)
            # What Python sets for itself would stay across the start of another program.
            for name in (signal.SIGPIPE, signal.SIGXFSZ):
                signal.signal(name, signal.SIG_DFL)
            for which, most in limits:
                _, highest = resource.getrlimit(which)
                if highest != resource.RLIM_INFINITY:
                    most = min(most, highest)
                # One second more lets a program that heeds the first signal say why it ends.
                hard = most + 1 if which == resource.RLIMIT_CPU else most
                if highest != resource.RLIM_INFINITY:
                    hard = min(hard, highest)
                with suppress(ValueError, OSError):  # macOS does not take every one
                    resource.setrlimit(which, (most, hard))
            os.read(wait, 1)
            os.execvp(argv[0], argv)  # noqa: S606 - that is what this is for
        except OSError as error:
            failure = error.errno or 0
        finally:
            os.write(tell, str(failure).encode())
            os._exit(127)
    os.close(tell)
    with suppress(OSError):
        control.sendall(f"started {program}\n".encode())
    os.write(go, b"\n")
    os.close(wait)
    os.close(go)
    failure_told = os.read(status_pipe, 32)
    os.close(status_pipe)
    if failure_told:
        os.waitpid(program, 0)
        return None, int(failure_told)
    return program, 0


class Most:
    """What a program may use with all its descendants; 0 is no limit."""

    def __init__(self, cpu: int, memory: int, processes: int, folders: list[str]) -> None:
        self.cpu = cpu
        self.memory = memory
        self.processes = processes
        self.folders = folders
        self._looks = 0
        self._unnamed = 0

    def exceeded(self) -> str | None:
        """Return what is used more than it may; None where nothing is."""
        # Listed once and no further than it may have: a program may start processes faster than
        # they are listed.
        most = self.processes + 1 if self.processes else None
        family = list(islice(descendants(), most))
        if self.processes and len(family) > self.processes:
            return "processes"
        if self.cpu and processor_seconds(family) > self.cpu:
            return "cpu"
        if self.memory:
            if self._looks % _LOOKS_BETWEEN == 0:
                self._unnamed = unnamed_files(family)
            self._looks += 1
            total = sum(map(used, self.folders)) + self._unnamed + segments()
            # What processes share counts for each of them here, and only once below.
            if resident(family) + total > self.memory and exact(family, total) > self.memory:
                return "memory"
        return None


def watch(program: int, control: _socket.socket, wake: int, most: Most) -> tuple[int | None, str]:
    """Wait for the program's end, for the socket's, or for too much.

    Returns:
        the program's status as `waitpid` has it, None where it was not waited for; and what it
        exceeded.
    """
    waiting = select.poll()
    for descriptor in (control.fileno(), wake):
        waiting.register(descriptor, select.POLLIN)
    more = False
    while True:
        ready = [descriptor for descriptor, _ in waiting.poll(0 if more else LOOK_SECONDS * 1000)]
        if wake in ready:
            os.read(wake, 512)
        status, more = reap(program)
        if status is not None:
            spent = resource.getrusage(resource.RUSAGE_CHILDREN)
            over = most.cpu and spent.ru_utime + spent.ru_stime >= most.cpu
            killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
            return status, "cpu" if over and killed else "-"
        if control.fileno() in ready:
            return None, "-"
        exceeded = most.exceeded()
        if exceeded is not None:
            return signal.SIGKILL, exceeded


def reap(program: int) -> tuple[int | None, bool]:
    """Wait for processes that have ended, for a limited number of them.

    Without the limit, a program that starts processes faster than they are waited for would keep
    the launcher from ever counting them.

    Returns:
        the program's status if it is among them, and whether there may be more.
    """
    found = None
    with suppress(ChildProcessError):
        for _ in range(REAPED_AT_ONCE):
            ended, status = os.waitpid(-1, os.WNOHANG)
            if not ended:
                return found, False
            if ended == program:
                found = status
        return found, True
    return found, False


def end_all(program: int) -> None:
    """End the program's group, then whatever else descends from this process."""
    until = time.monotonic() + ENDING_SECONDS
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(program, signal.SIGKILL)
    while time.monotonic() < until:
        while reap(program)[1] and time.monotonic() < until:
            pass
        left = list(islice(descendants(), ENDED_AT_ONCE))
        if not left:
            return
        for one in left:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(one, signal.SIGKILL)
        time.sleep(0.002)


def descendants() -> Iterator[int]:
    """Yield the processes below this one; none where the system does not tell (macOS)."""
    parents = [os.getpid()]
    while parents:
        parent = parents.pop()
        with suppress(OSError):  # it has ended meanwhile
            for thread in os.listdir(f"/proc/{parent}/task"):  # noqa: PTH208 - as `_socket`
                for child in children(f"/proc/{parent}/task/{thread}/children"):
                    parents.append(child)
                    yield child


def children(path: str) -> Iterator[int]:
    """Yield the processes in a list of the system, which is read no further than they are asked for.

    The system takes long to list thousands, and nothing can be started or ended meanwhile.
    """
    rest = b""
    with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - as `_socket`
        while part := file.read(4096):
            *numbers, rest = (rest + part).split(b" ")
            yield from map(int, numbers)
    if rest.strip():
        yield int(rest)


def read(path: str) -> bytes:
    """Return the content of a file of the system."""
    with open(path, "rb") as file:  # noqa: PTH123 - as `_socket`
        return file.read()


def processor_seconds(family: list[int]) -> float:
    """Return the processor time of processes and of those that have ended, in seconds."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    ticks = 0
    for one in family:
        with suppress(OSError, ValueError, IndexError):
            # proc_pid_stat(5): after the name in parentheses, utime to cstime are 11 to 14.
            fields = read(f"/proc/{one}/stat").rpartition(b")")[2].split()
            ticks += sum(int(field) for field in fields[11:15])
    return spent.ru_utime + spent.ru_stime + ticks / os.sysconf("SC_CLK_TCK")


def resident(family: list[int]) -> int:
    """Return the bytes that processes have in memory, what they share counted for each."""
    pages = 0
    for one in family:
        with suppress(OSError, ValueError, IndexError):
            pages += int(read(f"/proc/{one}/statm").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def exact(family: list[int], size: int) -> int:
    """Return the bytes of memory that processes take.

    Args:
        family: the processes.
        size: of these, what lies in files and segments, which they may have mapped or not.
    """
    own = shared = 0
    for one in family:
        with suppress(OSError, ValueError):
            for line in read(f"/proc/{one}/smaps_rollup").splitlines()[1:]:
                name, _, rest = line.partition(b":")
                if name in (b"Pss_Anon", b"SwapPss"):
                    own += int(rest.split()[0]) * 1024
                elif name == b"Pss_Shmem":
                    shared += int(rest.split()[0]) * 1024
    return own + max(shared, size)


def used(folder: str) -> int:
    """Return the bytes that are written to a folder in memory."""
    try:
        status = os.statvfs(folder)
    except OSError:
        return 0
    return (status.f_blocks - status.f_bfree) * status.f_frsize


def segments() -> int:
    """Return the bytes of the segments of shared memory of a namespace of its own."""
    total = 0
    if os.getpid() == 1:
        with suppress(OSError, ValueError, IndexError):
            for line in read("/proc/sysvipc/shm").splitlines()[1:]:
                total += int(line.split()[14])
    return total


def unnamed_files(family: list[int]) -> int:
    """Return the bytes of the files without a name (`memfd_create`) that processes have open."""
    sizes: dict[int, int] = {}
    for one in family:
        with suppress(OSError):
            for number in os.listdir(f"/proc/{one}/fd"):  # noqa: PTH208 - as `_socket`
                path = f"/proc/{one}/fd/{number}"
                with suppress(OSError):
                    if os.readlink(path).startswith("/memfd:"):  # noqa: PTH115 - as `_socket`
                        status = os.stat(path)  # noqa: PTH116 - as `_socket`
                        sizes[status.st_ino] = status.st_blocks * 512
    return sum(sizes.values())


if __name__ == "__main__":
    main(sys.argv[1:])
