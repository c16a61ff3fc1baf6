"""The command that installs what is missing, by how this program was installed and from where.

It adds to what is there: nothing is uninstalled first, so that a program that works is still there
if the command fails.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit
from urllib.request import url2pathname

from suitecase_evaluators.system.path_kinds import is_file, is_there

#: The distribution with all that runs need, and the one whose extra `run` has it.
WHOLE, CORE = "suitecase", "suitecase-core"
#: The extra of `suitecase-core` that makes it as much as `suitecase`.
RUN = "run"
#: Where the project of `suitecase-core` is in the repository.
_CORE_FOLDER = "packaging/suitecase-core"
#: An environment that is made where Python's own must not be changed.
_NEW_ENVIRONMENT = "suitecase-environment"


def install_command(extra: str | None = None) -> str:
    """Return the command that adds what runs need to what is installed.

    Args:
        extra: an extra to install, too.
    """
    name = CORE if _is_installed(CORE) and not _is_installed(WHOLE) else WHOLE
    extras = {RUN} if name == CORE else set[str]()
    if extra is not None:
        extras.add(extra)
    prefix = Path(sys.prefix)
    receipt = prefix / "uv-receipt.toml"
    if is_file(receipt):
        # A commit that nobody asked for would be one that `uv tool upgrade` never leaves.
        wanted = _requirement(name, extras | _tool_extras(receipt, name), at_commit=False)
        return _joined(["uv", "tool", "install", *_tool_options(receipt, name), *wanted])
    requirement = _requirement(name, extras)
    if is_file(prefix / "pipx_metadata.json"):
        # `pipx install --force` removes the environment if it fails.
        return _joined(["pipx", "runpip", prefix.name, "install", *requirement])
    if sys.prefix == sys.base_prefix and _is_managed_by_the_system():
        return _beside_the_system(requirement)
    if find_spec("pip") is None and shutil.which("uv") is None and find_spec("ensurepip"):
        made = _joined([sys.executable, "-m", "ensurepip"])
        return f"{made} && {_joined([sys.executable, '-m', 'pip', 'install', *requirement])}"
    return _joined([*_pip(), *requirement])


def repair_command(version: str) -> str:
    """Return the command that makes both distributions of one environment the same version.

    Args:
        version: the version whose code was installed last.
    """
    name = next((name for name in (WHOLE, CORE) if _version(name) == version), WHOLE)
    wanted: list[str] = []
    for distribution in (CORE, WHOLE):
        beside = _requirement(distribution, (), of=name)
        wanted += [f"{distribution}=={version}"] if beside == [distribution] else beside
    return _joined([*_pip(), "--force-reinstall", "--no-deps", *wanted])


def _pip() -> list[str]:
    """Return the command that installs into the environment of this program."""
    if find_spec("pip") is None:
        return ["uv", "pip", "install", "--python", sys.executable]
    program = shutil.which("pip")
    if program is not None and Path(program).parent == Path(sys.executable).parent:
        return ["pip", "install"]
    return [sys.executable, "-m", "pip", "install"]


def _beside_the_system(requirement: Sequence[str]) -> str:
    """Return the command for a Python whose packages belong to the system."""
    for command in (["pipx", "install"], ["uv", "tool", "install"]):
        if shutil.which(command[0]) is not None:
            return _joined([*command, *requirement])
    python = Path(
        _NEW_ENVIRONMENT, *(("Scripts", "python") if os.name == "nt" else ("bin", "python"))
    )
    made = _joined([sys.executable, "-m", "venv", _NEW_ENVIRONMENT])
    return f"{made} && {_joined([str(python), '-m', 'pip', 'install', *requirement])}"


def _is_managed_by_the_system() -> bool:
    import sysconfig

    return is_file(Path(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED"))


def _tool(receipt: Path) -> list[Mapping[str, Any]]:
    """Return what a tool of uv was installed with: itself, and what `--with` named."""
    import tomllib

    try:
        listed = tomllib.loads(receipt.read_text("utf-8"))["tool"]["requirements"]
    except (OSError, ValueError, KeyError, TypeError):
        return []
    return [
        requirement
        for requirement in listed
        if isinstance(requirement, dict) and isinstance(requirement.get("name"), str)
    ]


def _tool_extras(receipt: Path, name: str) -> set[str]:
    return {
        extra
        for requirement in _tool(receipt)
        if requirement["name"] == name
        for extra in requirement.get("extras", ())
    }


def _tool_options(receipt: Path, name: str) -> list[str]:
    """Return the options that keep what was installed beside a tool, which uv would remove."""
    options: list[str] = []
    for it in _tool(receipt):
        if it["name"] != name and it.keys() <= {"name", "extras", "specifier"}:
            wanted = f"{_with_extras(it['name'], it.get('extras', ()))}{it.get('specifier', '')}"
            options += ["--with", wanted]
    return options


def _requirement(
    name: str, extras: Iterable[str], *, of: str | None = None, at_commit: bool = True
) -> list[str]:
    """Return how a distribution is named to pip, so that it comes from where this one came.

    Args:
        of: the distribution whose origin counts; by default that of the name itself.
        at_commit: name the commit that is installed, also if none was asked for.
    """
    of = of or name
    wanted = _with_extras(name, extras)
    origin = _origin(of)
    address = origin.get("url")
    if not isinstance(address, str):
        return [wanted]
    parts = urlsplit(address)
    folder = Path(url2pathname(parts.path)) if parts.scheme == "file" else None
    if folder is not None and not is_there(folder):
        return [wanted]
    if "vcs_info" in origin and (folder is None or _takes_local_repositories()):
        return [f"{wanted} @ {_in_version_control(name, of, origin, at_commit=at_commit)}"]
    if folder is not None and "vcs_info" in origin:
        folder = folder / (origin.get("subdirectory") or "")
    elif folder is None or "dir_info" not in origin:
        return [wanted] if name != of else [f"{wanted} @ {address}"]
    if name != of:
        folder = folder / _CORE_FOLDER if name == CORE else folder.parents[1]
    if not is_file(folder / "pyproject.toml"):
        return [wanted]
    if origin.get("dir_info", {}).get("editable"):
        return ["--editable", _with_extras(str(folder), extras)]
    return [f"{wanted} @ {folder.as_uri()}"]


def _in_version_control(name: str, of: str, origin: Mapping[str, Any], *, at_commit: bool) -> str:
    """Return the address of a distribution in a repository."""
    seen = origin["vcs_info"]
    subdirectory = origin.get("subdirectory")
    if name != of:
        subdirectory = _CORE_FOLDER if name == CORE else None
    parts = urlsplit(origin["url"])
    user, _, host = parts.netloc.rpartition("@")
    if ":" in user:  # a password, which no message should have
        parts = parts._replace(netloc=host)
    revision = seen.get("requested_revision") or (seen["commit_id"] if at_commit else "")
    return "".join(
        (
            f"{seen['vcs']}+{urlunsplit(parts)}",
            f"@{revision}" if revision else "",
            f"#subdirectory={subdirectory}" if subdirectory else "",
        )
    )


def _takes_local_repositories() -> bool:
    """Whether pip takes a name with the address of a repository on this machine; not before 24.1."""
    release = re.match(r"(\d+)\.(\d+)", _version("pip") or "")
    return release is None or (int(release[1]), int(release[2])) >= (24, 1)


def _with_extras(name: str, extras: Iterable[str]) -> str:
    listed = ",".join(sorted(extras))
    return f"{name}[{listed}]" if listed else name


def _origin(name: str) -> Mapping[str, Any]:
    """Return what the installer noted of where a distribution is from; empty for an index."""
    try:
        noted = json.loads(metadata.distribution(name).read_text("direct_url.json") or "{}")
    except (metadata.PackageNotFoundError, ValueError):
        return {}
    return noted if isinstance(noted, dict) else {}


def _is_installed(name: str) -> bool:
    return _version(name) is not None


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _joined(words: Sequence[str]) -> str:
    """Return words as they are typed into a shell."""
    return subprocess.list2cmdline(words) if os.name == "nt" else shlex.join(words)
