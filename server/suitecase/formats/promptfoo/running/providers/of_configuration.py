"""The settings of a configuration for all of its providers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from suitecase.formats.promptfoo.running.providers.settings import RunSettings, strings_in
from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration
from suitecase.text.node import plain


def run_settings(linked: LinkedConfiguration, environ: Mapping[str, str]) -> RunSettings:
    """Return the settings of a configuration for all of its providers.

    Args:
        linked: the configuration.
        environ: the environment of the run.
    """
    evaluated, options = _plain(linked, "evaluateOptions"), _plain(linked, "commandLineOptions")
    most = linked.reading.key("maxConcurrency")
    workers = options.get(most, evaluated.get(most))
    delay = options.get("delay", evaluated.get("delay"))
    return RunSettings(
        folder=linked.folder,
        environ=environ,
        env=strings_in(_plain(linked, "env")),
        workers=workers if _is_count(workers) else None,
        delay_ms=delay if isinstance(delay, int | float) and delay > 0 else None,
    )


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _plain(linked: LinkedConfiguration, key: str) -> dict[str, Any]:
    node = linked.head.get(key)
    found = plain(node) if node is not None else None
    return found if isinstance(found, dict) else {}
