"""Makes targets of their configuration."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from suitecase_evaluators.targets.config.target import TargetConfig
from suitecase_evaluators.targets.context import TargetContext
from suitecase_evaluators.targets.environment import resolve
from suitecase_evaluators.targets.rate_limit import RateLimits, own_rate_limit
from suitecase_evaluators.targets.redactor import Redactor
from suitecase_evaluators.targets.sandbox.confinement import Sandbox
from suitecase_evaluators.targets.target import Target, TargetError

if TYPE_CHECKING:
    from suitecase_evaluators.targets.scripting.bridges import Bridges


def make_target(
    config: TargetConfig,
    *,
    folder: Path,
    environ: Mapping[str, str],
    redactor: Redactor | None = None,
    sandbox: Sandbox | None = None,
    bridges: Bridges | None = None,
    rate_limits: RateLimits = own_rate_limit,
) -> Target:
    """Return the target of an entry of a targets file, without calling it.

    Args:
        folder: the folder of the targets file; its relative paths start there.
        environ: what placeholders are filled in from, and the environment of programs.
        redactor: collects the secrets, to remove them from what targets return.
        sandbox: how programs are held; None is as where nothing is configured.
        bridges: the processes that call functions of scripts.
        rate_limits: makes the limits of calls per minute.

    Raises:
        TargetError: the environment lacks something, or the provider cannot be asked.
    """
    if config.asked_by is None:
        raise TargetError(
            f"target `{config.name}`: Suitecase does not start the agent `{config.provider}` "
            "itself. Run it through a target of `provider: cli`, with a `command_template` that "
            "starts the agent with {PROMPT} and prints its answer, or writes it to {OUTPUT_FILE}.",
            kind="configuration",
        )
    redactor = redactor or Redactor()
    redactor.remember_environment(environ)
    resolved = resolve(config, environ, redactor)
    context = TargetContext(
        folder=folder,
        environ=environ,
        redactor=redactor,
        sandbox=sandbox,
        bridges=bridges,
        rate_limits=rate_limits,
    )
    target: Target = importlib.import_module(config.asked_by).make(resolved, context)
    return target
