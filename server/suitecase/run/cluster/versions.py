"""Versions of what grades: those of each machine have to be those of the coordinator."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, version

from suitecase import __version__
from suitecase_evaluators.grade.registry import is_third_party
from suitecase_evaluators.grade.third_party import providers

#: What carries messages; releases of these two belong together.
CARRIERS = ("dask", "distributed")
#: Names of what is not a distribution.
OURS, PYTHON = "suitecase", "Python"


def grading_packages(types: Iterable[str]) -> tuple[str, ...]:
    """Return the distributions of others that grade by some types of evaluators."""
    return tuple(
        sorted(
            {it.package for name in types if is_third_party(name) for it in providers()[name]},
        )
    )


def own_versions(packages: Iterable[str]) -> dict[str, str | None]:
    """Return the versions in this process, of Python the minor one.

    Args:
        packages: other distributions; None stands for one that is not installed.
    """
    found: dict[str, str | None] = {OURS: __version__, PYTHON: minor(sys.version.split()[0])}
    for name in (*CARRIERS, *packages):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = None
    return found


def minor(python: str) -> str:
    """Return the first two numbers of a version of Python."""
    return ".".join(python.split(".")[:2])


def differences(own: Mapping[str, str | None], theirs: Mapping[str, str | None]) -> list[str]:
    """Return what differs on another machine, for users.

    Args:
        theirs: versions of the same names; those that it lacks are not compared.
    """
    return [
        f"it has {f'{name} {theirs[name]}' if theirs[name] else f'no {name}'}, and this machine "
        f"has {f'{name} {wanted}' if wanted else f'no {name}'}"
        for name, wanted in own.items()
        if name in theirs and theirs[name] != wanted
    ]
