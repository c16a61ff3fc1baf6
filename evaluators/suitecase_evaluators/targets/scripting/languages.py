"""The programs that run scripts: where they are, and why one cannot run here."""

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

from suitecase_evaluators.system.path_kinds import is_file, real_path
from suitecase_evaluators.targets.program import ProgramError
from suitecase_evaluators.targets.scripting.call import Place

#: The variables of the environment that a bridge receives: those that programs need to start and to
#: find their parts. All others may be secret, so the suite has to name them.
BASICS: Final = frozenset((
    "COMSPEC", "HOME", "LANG", "LANGUAGE", "LOCALAPPDATA", "APPDATA", "NODE_PATH", "PATH", "PATHEXT",
    "PYTHONPATH", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR", "TZ", "USERPROFILE",
    "VIRTUAL_ENV", "WINDIR",
))  # fmt: skip
_LOCALE: Final = "LC_"
#: The variable that names the Python of scripts, as in promptfoo.
PYTHON_VARIABLE: Final = "PROMPTFOO_PYTHON"
_PROGRAMS: Final = Path(__file__).parent
_TYPESCRIPT: Final = re.compile(r"\.[cm]?ts\Z", re.IGNORECASE)
#: The first version of node that strips types with an option, and the first ones that need none.
_STRIPS_TYPES: Final = (22, 6)
_STRIPS_TYPES_BY_DEFAULT: Final = ((22, 18), (23, 6))
#: The first version of node that can import the package `tsx`.
_IMPORTS_TSX: Final = (20, 6)
_VARIABLE_NAME: Final = re.compile(r"(?<![A-Z0-9])[A-Z][A-Z0-9]*+(?:_[A-Z0-9]++)++")
#: Seconds for a program to print its version.
_VERSION_SECONDS: Final = 10.0


def command_of(place: Place, environ: Mapping[str, str]) -> list[str]:
    """Return the command line of the process that calls functions of a script.

    Args:
        place: the process.
        environ: the environment of this process.

    Raises:
        ProgramError: no installed program can run it.
    """
    script = [] if place.script is None else [str(place.script)]
    if place.language == "python":
        return [_python(place.executable, environ), str(_PROGRAMS / "python_bridge.py"), *script]
    node = _node(environ)
    return [node, *_options(place, node), str(_PROGRAMS / "node_bridge.mjs"), *script]


def environment_of(place: Place, environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of the process: the basics, and the variables that the suite sets."""
    basics = {
        name: value
        for name, value in environ.items()
        if name.upper() in BASICS or name.upper().startswith(_LOCALE)
    }
    return {**basics, **place.environment}


def withheld_variables_hint(message: str, place: Place, environ: Mapping[str, str]) -> str:
    """Return a hint on variables that a message names and that a script does not receive."""
    names = set(_VARIABLE_NAME.findall(message)) & environ.keys()
    withheld = sorted(names - environment_of(place, environ).keys())
    if not withheld:
        return ""
    named = ", ".join(f"`{it}`" for it in withheld)
    return f"; {named} is set, but scripts have only the variables that stand under `env`"


def why_unavailable(place: Place, environ: Mapping[str, str]) -> str | None:
    """Return why a script cannot be run here, for people; None if no reason is known."""
    try:
        command_of(place, environ)
    except ProgramError as error:
        return error.message
    if place.script is not None and not is_file(place.script):
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
    # It supports more of TypeScript than node does: paths without an extension, enumerations.
    if version >= _IMPORTS_TSX and _has_tsx(place.folder):
        return ["--import", "tsx"]
    if version < _STRIPS_TYPES:
        shown = ".".join(map(str, version)) or "unknown"
        raise ProgramError(
            f"{place.shown} is TypeScript, which `node` runs from version 22.6 on, or with the package "
            f"`tsx` in `node_modules` (`npm install tsx`); this one is {shown}"
        )
    needs_no_option = any(
        version >= it and (it[0] > 22 or version[0] == 22) for it in _STRIPS_TYPES_BY_DEFAULT
    )
    return (
        []
        if needs_no_option
        else ["--experimental-strip-types", "--disable-warning=ExperimentalWarning"]
    )


def _has_tsx(folder: Path) -> bool:
    """Whether node finds the package `tsx` from a folder."""
    places = (real_path(folder), *real_path(folder).parents)
    return any(is_file(place / "node_modules/tsx/package.json") for place in places)


@lru_cache(maxsize=8)
def _version(node: str) -> tuple[int, ...]:
    """Return the version of a node; empty if it is unknown."""
    try:
        output = subprocess.run(  # noqa: S603 - the node that is going to run the script
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
    found = re.match(r"v(\d+)\.(\d+)", output)
    return tuple(map(int, found.groups())) if found else ()
