"""The programs that run scripts: where they are, and what keeps them from running one."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

from suitecase_evaluators.program import ProgramError
from suitecase_evaluators.scripting.call import Place

#: What a bridge is given of the environment: what programs need to start and to find their parts.
#: All else, which may be secret, has to be named in the suite.
BASICS: Final = frozenset((
    "COMSPEC", "HOME", "LANG", "LANGUAGE", "LOCALAPPDATA", "APPDATA", "NODE_PATH", "PATH", "PATHEXT",
    "PYTHONPATH", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR", "TZ", "USERPROFILE",
    "VIRTUAL_ENV", "WINDIR",
))  # fmt: skip
_LOCALE: Final = "LC_"
#: What names the Python of scripts, as in promptfoo.
PYTHON_VARIABLE: Final = "PROMPTFOO_PYTHON"
_PROGRAMS: Final = Path(__file__).parent
_TYPESCRIPT: Final = re.compile(r"\.[cm]?ts\Z", re.IGNORECASE)
#: Of node: the first that can leave types out if it is told to, and those that do so by themselves.
_STRIPS: Final = (22, 6)
_STRIPS_UNTOLD: Final = ((22, 18), (23, 6))
#: The first that the package `tsx` can be imported by.
_TAKES_TSX: Final = (20, 6)
_NAME: Final = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
#: Seconds for a program to tell its version.
_VERSION_SECONDS: Final = 10.0


def command_of(place: Place, environ: Mapping[str, str]) -> list[str]:
    """Return the command line of the process that calls functions of a script.

    Args:
        place: the process.
        environ: the environment of this process.

    Raises:
        ProgramError: there is no program for it here.
    """
    script = [] if place.script is None else [str(place.script)]
    if place.language == "python":
        return [_python(place.executable, environ), str(_PROGRAMS / "python_bridge.py"), *script]
    node = _node(environ)
    return [node, *_options(place, node), str(_PROGRAMS / "node_bridge.mjs"), *script]


def environment_of(place: Place, environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of the process: the basics, and what the suite sets."""
    basics = {
        name: value
        for name, value in environ.items()
        if name.upper() in BASICS or name.upper().startswith(_LOCALE)
    }
    return {**basics, **place.environment}


def withheld_in(message: str, place: Place, environ: Mapping[str, str]) -> str:
    """Return a hint on variables that a message names, and that a script is not given."""
    names = set(_NAME.findall(message)) & environ.keys()
    withheld = sorted(names - environment_of(place, environ).keys())
    if not withheld:
        return ""
    named = ", ".join(f"`{it}`" for it in withheld)
    return f"; {named} is set, but scripts have only the variables that stand under `env`"


def why_unavailable(place: Place, environ: Mapping[str, str]) -> str | None:
    """Return why a script cannot be run here, for people; None where nothing is known against it."""
    try:
        command_of(place, environ)
    except ProgramError as error:
        return error.message
    if place.script is not None and not place.script.is_file():
        return f"there is no script {place.shown}"
    return None


def _python(named: str | None, environ: Mapping[str, str]) -> str:
    named = named or environ.get(PYTHON_VARIABLE) or None
    if named is not None:
        found = shutil.which(named, path=environ.get("PATH"))
        if found is None:
            raise ProgramError(
                f"there is no program `{named}`, which `{PYTHON_VARIABLE}` or `pythonExecutable` "
                "names to run scripts in Python"
            )
        return found
    for name in ("python3", "python"):
        found = shutil.which(name, path=environ.get("PATH"))
        if found is not None:
            return found
    return sys.executable


def _node(environ: Mapping[str, str]) -> str:
    found = shutil.which("node", path=environ.get("PATH"))
    if found is None:
        raise ProgramError(
            "scripts in JavaScript are run by `node`, and there is none on the PATH; install Node.js "
            "20 or later"
        )
    return found


def _options(place: Place, node: str) -> list[str]:
    """Return the options of node for a script.

    Raises:
        ProgramError: it is TypeScript, and this node cannot run that.
    """
    if place.script is None or _TYPESCRIPT.search(place.script.name) is None:
        return []
    version = _version(node)
    # It takes more of TypeScript than node does: paths without an ending, enumerations.
    if version >= _TAKES_TSX and _has_tsx(place.folder):
        return ["--import", "tsx"]
    if version < _STRIPS:
        shown = ".".join(map(str, version)) or "unknown"
        raise ProgramError(
            f"{place.shown} is TypeScript, which `node` runs from version 22.6 on, or with the package "
            f"`tsx` in `node_modules` (`npm install tsx`); this one is {shown}"
        )
    untold = any(version >= it and (it[0] > 22 or version[0] == 22) for it in _STRIPS_UNTOLD)
    return [] if untold else ["--experimental-strip-types", "--disable-warning=ExperimentalWarning"]


def _has_tsx(folder: Path) -> bool:
    """Whether node finds the package `tsx` from a folder."""
    places = (folder.resolve(), *folder.resolve().parents)
    return any((it / "node_modules/tsx/package.json").is_file() for it in places)


@lru_cache(maxsize=8)
def _version(node: str) -> tuple[int, ...]:
    """Return the version of a node; nothing if it does not tell."""
    try:
        told = subprocess.run(  # noqa: S603 - the node that is going to run the script
            [node, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_VERSION_SECONDS,
            check=False,
            encoding="utf-8",
            errors="replace",
            env={name: value for name, value in os.environ.items() if name.upper() in BASICS},
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ()
    found = re.match(r"v(\d+)\.(\d+)", told)
    return tuple(map(int, found.groups())) if found else ()
