"""What a machine of a cluster says of itself before it is given cases; runs on that machine."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterable
from typing import Any, TypedDict

from suitecase.run.cluster.exposure import OpenPorts, open_ports


class Facts(TypedDict):
    """What the coordinator wants to know of a machine; of variables only whether they are set."""

    host: str
    cores: int
    #: The versions of packages, as `versions.own_versions` has them.
    versions: dict[str, str | None]
    #: The variables that are missing or empty.
    missing: list[str]
    #: The sandbox level that programs get, by the level that they would have.
    levels: dict[str, str]
    #: What the worker listens on, and its nanny, other than for its own machine.
    open_ports: OpenPorts


def facts(
    packages: Iterable[str],
    variables: Iterable[str],
    levels: Iterable[str],
    dask_worker: Any = None,
) -> Facts:
    """Return what this machine is.

    Args:
        packages: the distributions that grade.
        variables: the variables of the environment that targets need.
        levels: the sandbox levels of the run's programs.
        dask_worker: the worker, which Dask passes by the name of the parameter.
    """
    from suitecase.run.cluster.versions import own_versions
    from suitecase_evaluators.answers.sandbox_level import Level
    from suitecase_evaluators.targets.sandbox.confinement import reachable

    return Facts(
        host=socket.gethostname(),
        cores=_cores(),
        versions=own_versions(packages),
        missing=[variable for variable in variables if not os.environ.get(variable)],
        levels={level: reachable(Level(level)).value for level in levels},
        open_ports=open_ports(dask_worker),
    )


def _cores() -> int:
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
