"""Which variables of the environment leave the machine in a run, and who gets them.

Each entry has the `target`, its `provider`, the host of its `address` (None if the provider has its
own), the names of `variables`, and whether it gets the `whole_environment`: a program that the suite
or a targets file starts with the network can send any of it. No entry has a value of a variable.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import urlsplit

from suitecase.run.plan import Plan
from suitecase.run.target_pool import TargetPool
from suitecase_evaluators.answers.sandbox_level import Level, highest
from suitecase_evaluators.targets.config.llm import LlmConfig
from suitecase_evaluators.targets.config.script import ScriptConfig
from suitecase_evaluators.targets.config.target import TargetConfig
from suitecase_evaluators.targets.environment import sent_with_settings
from suitecase_evaluators.targets.model_call import KEY_VARIABLES
from suitecase_evaluators.targets.sandbox.confinement import Sandbox, reachable
from suitecase_evaluators.targets.variable_names import PLACEHOLDER

#: Fields with the address of a target.
_ADDRESSES = ("url", "api_base", "endpoint", "resource")


def sent_variables(planned: Plan, asked: Iterable[str], pool: TargetPool) -> list[dict[str, Any]]:
    """Return what leaves the machine, by target.

    Args:
        planned: the run.
        asked: the names of the targets and judges that are asked.
        pool: the targets of the run.
    """
    found: list[dict[str, Any]] = []
    for name in dict.fromkeys(asked):
        config = pool.config(name)
        if config.asks is None or not _has_network(config, pool.sandbox):
            continue
        is_whole = config.command is not None and not isinstance(config, ScriptConfig)
        names = dict.fromkeys((*_of_settings(config), *planned.sent_variables))
        if names or is_whole:
            found.append(
                {
                    "target": config.name,
                    "provider": config.provider,
                    "address": _host(config),
                    "variables": list(names),
                    "whole_environment": is_whole,
                }
            )
    return found


def _has_network(config: TargetConfig, sandbox: Sandbox) -> bool:
    command = config.command
    if command is None:
        return True
    return reachable(highest(sandbox.targets, command.sandbox)) is not Level.ISOLATED


def _of_settings(config: TargetConfig) -> Iterator[str]:
    """Yield the variables that a target's settings name, and the one its key is looked up in."""
    yield from sent_with_settings(config)
    if isinstance(config, LlmConfig) and config.api_key is None:
        model = config.asked_model or ""
        usual = KEY_VARIABLES.get(config.provider) or KEY_VARIABLES.get(model.partition("/")[0], ())
        yield from [it for it in usual if os.environ.get(it)][:1]


def _host(config: TargetConfig) -> str | None:
    """Return the host of a target's address, or the variable that has it; the rest may hold a key."""
    for name in _ADDRESSES:
        address = getattr(config, name, None)
        if not isinstance(address, str):
            continue
        if (variable := PLACEHOLDER.match(address)) is not None:
            return variable[0]
        try:
            return urlsplit(address if "://" in address else f"//{address}").hostname or None
        except ValueError:
            return None
    return None
