"""Isolation by bubblewrap (`bwrap`): whether it works here, and how a program is started in it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

#: Seconds in which `bwrap` has to start something that does nothing.
PROBE_SECONDS = 10.0
#: What every isolated program has: namespaces of its own, no capabilities, and the whole file
#: system to read. `/run` holds sockets of services that would do things for it.
_ALWAYS = (
    *("--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"),
    *("--die-with-parent", "--cap-drop", "ALL"),
    *("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"),
)
_HIDDEN = ("/tmp", "/run")  # noqa: S108 - of the sandbox, private to one program
#: Of `/run`, where a whole system may live there (NixOS), and where names are looked up.
_SHOWN = ("/run/current-system", "/run/opengl-driver", "/run/wrappers")
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
    command = [program, *_ALWAYS, "--unshare-net", *_flat("--tmpfs", _HIDDEN), "--", "true"]
    try:
        tried = subprocess.run(  # noqa: S603 - the user's own bubblewrap
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PROBE_SECONDS,
            check=False,
            encoding="utf-8",
            errors="replace",
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"`{program}` does not work here: {error}"
    if tried.returncode:
        said = (tried.stderr.strip().splitlines() or [f"exit code {tried.returncode}"])[-1]
        return f"`{program}` does not work here ({said}); {_FORBIDDEN}"
    return None


def found() -> str | None:
    """Return the path of `bwrap`; None where there is none."""
    return shutil.which("bwrap") if sys.platform == "linux" else None


def wrapped(
    command: Sequence[str],
    *,
    program: str,
    cwd: Path,
    environ: Mapping[str, str],
    network: bool,
    readable: Iterable[Path],
    writable: Iterable[Path],
) -> list[str]:
    """Return the command line that starts a command in isolation.

    Args:
        program: the path of `bwrap`.
        readable: what is to be seen even where it lies in a folder that is hidden, such as `/tmp`.
        writable: the folders that may be written to; the root of all is not taken.
    """
    hidden = [*_HIDDEN, *_temporary(environ)]
    paths = [Path(it) for it in environ.get("PATH", "").split(os.pathsep) if it.startswith("/")]
    own = (Path(sys.prefix), Path(sys.base_prefix), Path(__file__).parent)
    names = (Path("/etc/resolv.conf").resolve(),) if network else ()
    shown = [
        str(it)
        for it in (*paths, *own, *names, *readable)
        if any(it.is_relative_to(place) for place in hidden)
    ]
    written = [str(it) for it in writable if it != Path("/")]
    return [
        program,
        *_ALWAYS,
        *(() if network else ("--unshare-net",)),
        *_flat("--tmpfs", hidden),
        *_twice("--ro-bind-try", sorted({*_SHOWN, *shown})),
        *_twice("--bind-try", sorted(set(written))),
        *("--chdir", str(cwd)),
        "--",
        *command,
    ]


def _temporary(environ: Mapping[str, str]) -> list[str]:
    """Return the folder for temporary files that the environment names, to be private too."""
    place = environ.get("TMPDIR", "")
    if not place.startswith("/") or not Path(place).is_dir():
        return []
    real = Path(place).resolve()
    holds_home = Path.home().resolve().is_relative_to(real)
    covered = any(real.is_relative_to(it) for it in _HIDDEN)
    return [] if holds_home or covered else [str(real)]


def _flat(option: str, values: Iterable[str]) -> list[str]:
    return [word for value in values for word in (option, value)]


def _twice(option: str, places: Iterable[str]) -> list[str]:
    return [word for place in places for word in (option, place, place)]
