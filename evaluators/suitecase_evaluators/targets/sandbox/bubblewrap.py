"""Isolation by bubblewrap (`bwrap`): whether it works here, and how a program is started in it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from pathlib import Path

from suitecase_evaluators.system.path_kinds import real_path
from suitecase_evaluators.targets.sandbox.hidden import hidden_folders, shown_places, sockets
from suitecase_evaluators.targets.sandbox.system_calls import opened_filter

#: Seconds in which `bwrap` has to start something that does nothing.
PROBE_SECONDS = 10.0
#: What every isolated program has: namespaces of its own, no capabilities, and the whole file
#: system to read. The launcher is the first process in it: no signal of the program reaches it.
_ALWAYS = (
    *("--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"),
    *("--as-pid-1", "--die-with-parent", "--cap-drop", "ALL"),
    *("--ro-bind", "/", "/", "--dev", "/dev"),
)
_SHARED_MEMORY = "/dev/shm"  # noqa: S108 - of the sandbox
#: What describes the keys of all sessions of the user.
_KEYS = ("/proc/keys", "/proc/key-users")
INSTALL = (
    "install bubblewrap (Debian and Ubuntu: `apt install bubblewrap`, Fedora: `dnf install "
    "bubblewrap`, Arch: `pacman -S bubblewrap`; there is none for macOS and Windows)"
)
_FORBIDDEN = (
    "containers need the right to make user namespaces (`--security-opt seccomp=unconfined` for "
    "Docker), and Ubuntu from 24.04 on an AppArmor profile for `bwrap`"
)


@cache
def unavailable(program: str | None) -> str | None:
    """Return why programs cannot be isolated here and what to do; None where they can.

    Tried once for each program in the life of this process.

    Args:
        program: the path of `bwrap`, None where there is none.
    """
    if program is None:
        return f"there is no `bwrap` on the PATH; {INSTALL}"
    hidden = {str(hidden_folder): ("--tmpfs",) for hidden_folder in hidden_folders({})}
    try:
        with system_call_filter() as descriptors:
            options = (*_filtered(descriptors), "--unshare-net", *_mounted(hidden), *_processes())
            tried = _run([program, *_ALWAYS, *options, "--", "true"], descriptors)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"`{program}` does not work here: {error}"
    if tried.returncode:
        reason = (tried.stderr.strip().splitlines() or [f"exit code {tried.returncode}"])[-1]
        return f"`{program}` does not work here ({reason}); {_FORBIDDEN}"
    return None


@cache
def _takes_sizes(program: str) -> bool:
    """Whether this `bwrap` can limit what is written to memory; from 0.7 on it can."""
    try:
        return "--size" in _run([program, "--help"]).stdout
    except (OSError, subprocess.TimeoutExpired):
        return False


@contextmanager
def system_call_filter() -> Iterator[tuple[int, ...]]:
    """Open what `bwrap` reads the filter of system calls from; nothing if there is none for here."""
    descriptor = opened_filter()
    try:
        yield () if descriptor is None else (descriptor,)
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _processes() -> tuple[str, ...]:
    """Return the options for the processes of the sandbox.

    Read-only, since root owns the settings of the machine's kernel in it (`/proc/sys`, `/proc/sysrq-trigger`, ...),
    also without capabilities.
    """
    hidden = (("--ro-bind", os.devnull, place) for place in _KEYS if os.path.lexists(place))
    return ("--proc", "/proc", *chain.from_iterable(hidden), "--remount-ro", "/proc")


def _filtered(descriptors: Sequence[int]) -> tuple[str, ...]:
    return tuple(it for number in descriptors for it in ("--seccomp", str(number)))


def _run(command: list[str], descriptors: Sequence[int] = ()) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - the user's own bubblewrap
        command,
        pass_fds=descriptors,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=PROBE_SECONDS,
        check=False,
        encoding="utf-8",
        errors="replace",
    )


def found() -> str | None:
    """Return the path of `bwrap`; None where there is none."""
    return shutil.which("bwrap") if sys.platform == "linux" else None


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What an isolated program sees of the file system, and what of it it may write to.

    Attributes:
        network: whether it has the network.
        readable: what is seen even where it lies in a folder that is hidden, such as `/tmp`.
        writable: by each folder that may be written to, where it is taken from.
        protected: what of these folders may not be written to.
        memory: bytes that it may write to each folder that lies in memory; 0 for any number.
    """

    environ: Mapping[str, str]
    network: bool = False
    readable: tuple[Path, ...] = ()
    writable: Mapping[Path, str] = field(default_factory=dict)
    protected: tuple[Path, ...] = ()
    memory: int = 0

    @property
    def in_memory(self) -> list[str]:
        """The folders that are empty and private, and lie in memory."""
        hidden = hidden_folders(self.environ)
        own = (it for it in hidden if it not in self.readable and it not in self.writable)
        return [_SHARED_MEMORY, *map(str, own)]

    def _is_in_writable(self, place: Path, hidden: Sequence[Path]) -> bool:
        """Whether of all folders that are mounted, the nearest above a place may be written to."""
        above = [mount for mount in (*hidden, *self.writable) if place.is_relative_to(mount)]
        return bool(above) and max(above, key=lambda mount: len(mount.parts)) in self.writable

    def wrapped(
        self,
        launcher: Sequence[str],
        command: Sequence[str],
        *,
        program: str,
        cwd: Path,
        filters: Sequence[int],
    ) -> list[str]:
        """Return the command line that starts a launcher in isolation.

        Args:
            launcher: its own command line, that of what it starts included.
            command: what it starts.
            program: the path of `bwrap`.
            filters: what `system_call_filter` opened.
        """
        hidden = hidden_folders(self.environ)
        # A folder had no links in its path when the run began: a program has put one there. What lies in a
        # folder that may be written to is seen with it, and may be written to as well.
        alone = (
            place
            for place in self.readable
            if real_path(place) == place and not self._is_in_writable(place, hidden)
        )
        readable = (*alone, *self.writable)
        places = shown_places(hidden, self.environ, command, readable, network=self.network)
        sized = self.memory > 0 and _takes_sizes(program)
        size = ("--size", str(self.memory)) if sized else ()
        # Sorted by path, so that the content of a folder follows it.
        mounts: dict[str, tuple[str, ...]] = {str(it): (*size, "--tmpfs") for it in hidden}
        mounts |= {str(place): ("--ro-bind-try", str(place)) for place in places}
        mounts |= {str(it): ("--ro-bind-try", str(it)) for it in self.protected}
        mounts |= {str(it): ("--bind", source) for it, source in self.writable.items()}
        return [
            program,
            *_ALWAYS,
            *_filtered(filters),
            *(() if self.network else ("--unshare-net",)),
            # What else is written to `/dev` would lie in memory without any limit.
            *(*size, "--tmpfs", _SHARED_MEMORY, "--remount-ro", "/dev"),
            *_processes(),
            *_mounted(mounts),
            *_mounted(
                {
                    str(place): ("--tmpfs",) if is_folder else ("--ro-bind-try", "/dev/null")
                    for place, is_folder in sockets(hidden, readable).items()
                }
            ),
            *("--chdir", str(cwd)),
            "--",
            *launcher,
        ]


def _mounted(mounts: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield the options that put something into each of some places."""
    for place in sorted(mounts, key=lambda mount: Path(mount).parts):
        yield from (*mounts[place], place)
