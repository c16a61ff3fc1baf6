"""What is installed: `suitecase-core` alone, which checks and edits, or `suitecase`, which runs, too.

Commands say that something is missing before they import what they need.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from suitecase.shell_words import shell_word

#: Modules of the extra `run` that commands need. litellm is only for targets whose models are called through it.
RUNS = ("aiohttp", "numpy")
FIGURES = ("numpy",)
PAGES = ("jinja2", "markupsafe", "numpy")
#: Modules of the extra `cluster`, for `suitecase run --cluster`.
CLUSTER = ("dask", "distributed")
#: All modules that the extra `run` brings and this code imports.
EXTRA_RUN = ("aiohttp", "httpx", "jinja2", "litellm", "markupsafe", "numpy", "rich")
#: What records how an environment was made, the command that makes one for all of Suitecase, and the
#: one that makes it anew with an extra.
_MADE_BY = {
    "uv-receipt.toml": (
        "uv tool uninstall suitecase-core && uv tool install suitecase",
        "uv tool install --force",
    ),
    "pipx_metadata.json": (
        "pipx uninstall suitecase-core && pipx install suitecase",
        "pipx install --force",
    ),
}


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
    missing = [it for it in modules if not is_installed(it)]
    if missing:
        raise NotInstalledError(missing_message(purpose, missing, extra=extra))


def missing_message(purpose: str, modules: Iterable[str], *, extra: str | None = None) -> str:
    """Return a sentence about missing modules, with the command that installs them."""
    return (
        f"{purpose} needs packages that are not installed ({', '.join(modules)}); install them "
        f"with `{install_command(extra)}`"
    )


def install_command(extra: str | None = None) -> str:
    """Return the command that installs all of Suitecase where this Python has `suitecase-core`.

    Args:
        extra: an extra of `suitecase` to install with it.
    """
    import shutil
    from importlib.util import find_spec

    prefix = Path(sys.prefix)
    package = "suitecase" if extra is None else shell_word(f"suitecase[{extra}]")
    for record, (command, with_extra) in _MADE_BY.items():
        if (prefix / record).is_file():
            return command if extra is None else f"{with_extra} {package}"
    if find_spec("pip") is None:
        return f"uv pip install --python {shell_word(sys.executable)} {package}"
    program = shutil.which("pip")
    if program is not None and Path(program).parent == Path(sys.executable).parent:
        return f"pip install {package}"
    return f"{shell_word(sys.executable)} -m pip install {package}"


def is_installed(module: str) -> bool:
    """Whether a module is installed; it is not imported."""
    from importlib.util import find_spec

    try:
        return find_spec(module) is not None
    except ValueError:  # in `sys.modules` as None, or without a specification
        return sys.modules.get(module) is not None
