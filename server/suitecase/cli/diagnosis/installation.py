"""What is installed, and on what system."""

from __future__ import annotations

import os
import platform
import re
import sys
from collections.abc import Iterator
from importlib import metadata

from suitecase import __version__
from suitecase_evaluators.grade import third_party
from suitecase_evaluators.targets.sandbox import bubblewrap

#: A requirement starts with the name of its distribution.
_NAME = re.compile(r"[\w.-]+")
#: Variables that change how Python or Suitecase behaves. Others are not looked at.
_VARIABLES = re.compile(
    r"(?:SUITECASE|PYTHON|OTEL|LITELLM)_\w+|PYTHON\w*|\w+_API_KEY|(?:HTTPS?|NO|ALL)_PROXY"
    r"|NO_COLOR|FORCE_COLOR|TERM|LANG|LC_ALL|CI|GITHUB_ACTIONS|GITLAB_CI|TF_BUILD",
    re.IGNORECASE,
)


def system() -> dict[str, str]:
    """Return what Suitecase runs on."""
    in_environment = sys.prefix != sys.base_prefix
    return {
        "suitecase": __version__,
        "python": f"{platform.python_version()} ({platform.python_implementation()}"
        f"{', in a virtual environment' if in_environment else ''})",
        "system": platform.platform(),
        "encoding": f"{sys.getfilesystemencoding()} (files), {sys.stdout.encoding} (output)",
        "processors": str(os.cpu_count() or "unknown"),
        "bubblewrap": "on the PATH" if bubblewrap.found() else "not on the PATH",
    }


def packages() -> dict[str, str]:
    """Return the version of each distribution that Suitecase requires, by name."""
    return {name: _version(name) for name in sorted(set(_required()), key=str.lower)}


def evaluator_packages() -> dict[str, str]:
    """Return the evaluators that other packages provide, with what provides each. Imports none of them."""
    return {
        name: " and ".join(map(str, packages)) for name, packages in third_party.providers().items()
    }


def variables() -> list[str]:
    """Return the names of environment variables that matter and are set. Values are never shown."""
    return sorted(it for it in os.environ if _VARIABLES.fullmatch(it))


def _required() -> Iterator[str]:
    for distribution in _DISTRIBUTIONS:
        try:
            requirements = metadata.requires(distribution) or ()
        except metadata.PackageNotFoundError:
            continue
        yield distribution
        for requirement in requirements:
            name = _NAME.match(requirement)
            if name is not None and 'extra == "dev"' not in requirement.replace("'", '"'):
                yield name[0]


_DISTRIBUTIONS = ("suitecase", "suitecase-core")


def _version(distribution: str) -> str:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return "not installed"
