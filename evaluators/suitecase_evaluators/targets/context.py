"""The context that a target is created with, in addition to its entry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from suitecase_evaluators.targets.rate_limit import RateLimits, own_rate_limit
from suitecase_evaluators.targets.redactor import Redactor
from suitecase_evaluators.targets.sandbox.confinement import Sandbox

if TYPE_CHECKING:
    from suitecase_evaluators.targets.scripting.bridges import Bridges


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetContext:
    """The context that a target is created with, in addition to its entry.

    Attributes:
        folder: the folder of the targets file; its relative paths start there.
        environ: the environment of programs.
        redactor: collects the secrets.
        sandbox: how programs are held; None is as where nothing is configured.
        bridges: the processes that call functions of scripts; None outside of runs.
        rate_limits: makes the limits of calls per minute.
    """

    folder: Path
    environ: Mapping[str, str]
    redactor: Redactor
    sandbox: Sandbox | None = None
    bridges: Bridges | None = None
    rate_limits: RateLimits = own_rate_limit
