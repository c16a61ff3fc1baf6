"""What is installed: `suitecase-core` alone, which checks and edits, or `suitecase`, which runs, too.

Commands say that something is missing before they import what they need.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

import suitecase

#: Modules that runs need, as far as commands need them. litellm is only for targets whose models are called through it.
RUNS = ("aiohttp", "numpy")
FIGURES = ("numpy",)
PAGES = ("jinja2", "markupsafe", "numpy")
#: Modules of the extra `cluster`, for `suitecase run --cluster`.
CLUSTER = ("dask", "distributed")
#: All modules that `suitecase`, and the extra `run` of `suitecase-core`, bring and this code imports.
EXTRA_RUN = ("aiohttp", "httpx", "jinja2", "litellm", "markupsafe", "numpy", "rich")


class NotInstalledError(Exception):
    """Packages are missing that only `suitecase` depends on; the message says what installs them."""


def require(purpose: str, modules: Iterable[str], *, extra: str | None = None) -> None:
    """Do nothing if some modules are installed; none is imported.

    Args:
        purpose: what needs them, as in "`suitecase run`".
        extra: the extra of `suitecase` that has them; None if it depends on them.

    Raises:
        NotInstalledError: a module is missing.
    """
    missing = [module for module in modules if not is_installed(module)]
    if missing:
        raise NotInstalledError(missing_message(purpose, missing, extra=extra))


def missing_message(purpose: str, modules: Iterable[str], *, extra: str | None = None) -> str:
    """Return a sentence about missing modules, with the command that installs them."""
    from suitecase_evaluators.targets.install_command import install_command

    return (
        f"{purpose} needs packages that are not installed ({', '.join(modules)}); install them "
        f"with `{install_command(extra)}`"
    )


def mixed_versions() -> str | None:
    """Return what to do where `suitecase` and `suitecase-core` of other versions are one folder.

    Their files have the same names, so that the code is that of neither.
    """
    folder = Path(suitecase.__file__).parents[1]
    found = {
        name: version
        for path in folder.glob("suitecase*.dist-info")
        for name, _, version in [path.name.removesuffix(".dist-info").partition("-")]
        if name in ("suitecase", "suitecase_core")
    }
    if len(set(found.values())) < 2:
        return None
    from suitecase_evaluators.targets.install_command import repair_command

    return (
        f"suitecase {found['suitecase']} and suitecase-core {found['suitecase_core']} are installed "
        "in one environment, and their files have the same names, so that the code is a mixture; "
        f"make them the same version with `{repair_command(suitecase.__version__)}`"
    )


def is_installed(module: str) -> bool:
    """Whether a module is installed; it is not imported."""
    from importlib.util import find_spec

    try:
        return find_spec(module) is not None
    except ValueError:  # in `sys.modules` as None, or without a specification
        return sys.modules.get(module) is not None
