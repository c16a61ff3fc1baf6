"""What of this machine an isolated program sees: folders that are hidden, and what of them is shown."""

from __future__ import annotations

import os
import stat
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from suitecase_evaluators.system.path_kinds import is_file, is_folder, real_path, registered_home

#: Empty in a sandbox, and private to one program. `/run` holds sockets of services that would do
#: things for it.
_PRIVATE = ("/tmp", "/var/tmp", "/run")  # noqa: S108 - of the sandbox
#: Of `/run`, where a whole system may live there (NixOS), and where names are looked up.
_SHOWN = ("/run/current-system", "/run/opengl-driver", "/run/wrappers")
#: Homes of system users are folders of the system.
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/etc", "/dev", "/proc", "/sys")
#: Where tools that people install for themselves lie in a home folder. None of them keeps secrets
#: or sockets in it.
_TOOLS = (
    *(".local/bin", ".local/lib", ".local/pipx", ".local/share/pipx", ".local/share/uv"),
    *(".local/share/mise", ".local/share/fnm", ".local/share/pnpm", ".local/share/claude"),
    *(".pyenv", ".asdf", ".nvm", ".fnm", ".volta", ".rbenv", ".rustup", ".sdkman", ".nodenv"),
    *(".cargo/bin", ".bun/bin", ".deno/bin", ".npm-global", ".conda", "miniconda3", "anaconda3"),
    *("miniforge3", ".nix-profile", ".juliaup", "go/bin"),
)
#: So many sockets of a folder are hidden one by one.
_MOST_SOCKETS = 50


@cache
def homes() -> tuple[Path, ...]:
    """Return the home folders of the user: that of the environment, and that of the system."""
    named = [os.environ.get("HOME", ""), registered_home()]
    found = [
        real_path(Path(name)) for name in named if name.startswith("/") and is_folder(Path(name))
    ]
    system = [Path(it) for it in ("/", *_SYSTEM)]
    return tuple(
        dict.fromkeys(
            home
            for home in found
            if home != system[0] and not any(home.is_relative_to(place) for place in system[1:])
        )
    )


def hidden_folders(environ: Mapping[str, str]) -> list[Path]:
    """Return the folders that are empty in a sandbox."""
    named = [*map(Path, _PRIVATE), *homes()]
    temporary = environ.get("TMPDIR", "")
    if temporary.startswith("/") and Path(temporary) != Path("/"):
        named.append(Path(temporary))
    return sorted({real_path(folder) for folder in named if is_folder(folder)})


def shown_places(
    hidden: Sequence[Path],
    environ: Mapping[str, str],
    command: Sequence[str],
    readable: Iterable[Path],
    *,
    network: bool,
) -> set[Path]:
    """Return the visible paths in hidden folders; `readable` has no links in it."""
    paths = [
        Path(part) for part in environ.get("PATH", "").split(os.pathsep) if part.startswith("/")
    ]
    own = (Path(sys.prefix), Path(sys.base_prefix), Path(__file__).parent)
    names = (real_path(Path("/etc/resolv.conf")),) if network else ()
    tools = (home / tool for home in homes() for tool in _TOOLS)
    readable = tuple(readable)
    named = (*paths, *own, *names, *tools, *_environment_of(command))
    # A link is seen by its own name and by that of what it leads to.
    both = {place for path in named for place in (path, real_path(path))} | set(readable)
    inside = {it for it in both if any(it.is_relative_to(place) for place in hidden)}
    return {*map(Path, _SHOWN), *(inside - (set(hidden) - set(readable)))}


def _environment_of(command: Sequence[str]) -> tuple[Path, ...]:
    """Return the folders of a program that is named by its path, with its virtual environment."""
    program = Path(command[0])
    if not program.is_absolute():
        return ()
    real = real_path(program)
    if not is_file(program.parent.parent / "pyvenv.cfg"):
        return (program, real)
    # A suite may have made the file, and the link: what it leads to has to be a Python.
    installed = real.parent.parent
    libraries = installed.glob("lib/python3*/os.py") if real.name.startswith("python") else ()
    return (program.parent.parent, installed if any(map(is_file, libraries)) else real)


def sockets(hidden: Sequence[Path], seen: Sequence[Path]) -> dict[Path, bool]:
    """Return the sockets of this machine's services that lie in no folder that is hidden; True for a folder.

    A read-only file system keeps nobody from connecting to a socket in it. Where there are too many in a
    folder to hide each, the folder is hidden.

    Args:
        seen: folders whose sockets a program may reach.
    """
    found = {
        place
        for folder in {real_path(bound.parent) for bound in _bound()}
        if not any(folder.is_relative_to(place) for place in (*hidden, *seen))
        for place in _sockets_in(folder)
    }
    places: dict[Path, bool] = {}
    for folder, inside in Counter(place.parent for place in found).items():
        if inside > _MOST_SOCKETS and not any(place.is_relative_to(folder) for place in seen):
            places[folder] = True
        else:
            places |= {place: False for place in found if place.parent == folder}
    return places


def _bound() -> Iterator[Path]:
    """Yield the paths that sockets of this machine were bound by, as far as this user may know them."""
    tables = {Path(): Path("/proc/net/unix")}
    processes = [entry for entry in os.listdir("/proc") if entry.isdecimal()]  # noqa: PTH208
    for process in processes:
        with suppress(OSError):
            # Each network namespace has a table of its own, and a socket is reached from all of them.
            tables.setdefault(
                Path("/proc", process, "ns/net").readlink(), Path("/proc", process, "net/unix")
            )
    relative: dict[str, str] = {}
    for table in tables.values():
        with suppress(OSError):
            for line in table.read_text(errors="replace").splitlines()[1:]:
                fields = line.split(maxsplit=7)
                if len(fields) < 8 or fields[7].startswith("@"):
                    continue
                if fields[7].startswith("/"):
                    yield Path(fields[7])
                else:
                    relative[f"socket:[{fields[6]}]"] = fields[7]
    for process in processes if relative else ():
        with suppress(OSError):
            for descriptor in Path("/proc", process, "fd").iterdir():
                if (name := relative.get(str(descriptor.readlink()))) is not None:
                    yield Path("/proc", process, "cwd").readlink() / name


def _sockets_in(folder: Path) -> Iterator[Path]:
    """Yield the sockets in a folder: one may have been renamed there, or have a second name."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with suppress(OSError):
                if stat.S_ISSOCK(entry.stat(follow_symlinks=False).st_mode):
                    yield folder / entry.name
