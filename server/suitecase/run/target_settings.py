"""The settings of a target that affect its answers, without secrets."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from suitecase_evaluators.targets.config.target import WITHOUT_EFFECT, TargetConfig
from suitecase_evaluators.targets.redactor import Redactor


def settings(config: TargetConfig, environ: Mapping[str, str]) -> str:
    """Return the settings that affect answers, as JSON without secrets.

    Args:
        config: with placeholders filled in as far as possible.
    """
    return _redacted(_values(config), environ)


def identity(config: TargetConfig, folder: Path, environ: Mapping[str, str]) -> str | None:
    """Return the identity of a target, without secrets; None if calls are free.

    Args:
        config: with placeholders filled in.
        folder: the folder of the targets file.
    """
    if config.asks is None:
        return None
    return _redacted({**_values(config), **config.identity(folder)}, environ)


def _values(config: TargetConfig) -> dict[str, object]:
    return {
        name: value
        for name, value in config.model_dump(mode="json", exclude_none=True).items()
        if name not in WITHOUT_EFFECT
    }


def _redacted(values: Mapping[str, object], environ: Mapping[str, str]) -> str:
    # The value of a variable like API_BASE is included; that of SOME_KEY is redacted.
    redactor = Redactor()
    redactor.remember_environment(environ)
    return redactor(json.dumps(values, sort_keys=True))
