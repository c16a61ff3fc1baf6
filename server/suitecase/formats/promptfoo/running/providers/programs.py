"""Providers that are programs: `exec:` with a command line."""

from __future__ import annotations

import re
from typing import Any

from suitecase.formats.promptfoo.running.providers.settings import ProviderSettings
from suitecase.formats.promptfoo.running.providers.validation import validated
from suitecase.formats.promptfoo.running.refused import RefusedError
from suitecase_evaluators.targets.config.exec import ExecConfig

_WORD = re.compile(r"""[^\s"']+|"([^"]*)"|'([^']*)'""")


def exec_target(provider: ProviderSettings) -> ExecConfig:
    """Return the target of a command line, which is split at blanks outside quotes.

    Raises:
        RefusedError: no program is named.
    """
    line = provider.filled(provider.rest, "id")
    arguments = [it[1] or it[2] or it[0] for it in _WORD.finditer(line)]
    if not arguments:
        raise RefusedError(f"`{provider.id}` names no program")
    written: dict[str, Any] = {
        "id": provider.options.get("id"),
        "config": dict(provider.config),
        "env": provider.env,
    }
    options = {
        key: provider.filled_value(it, key, rows=True, files=False)
        for key, it in written.items()
        if it or key == "config"
    }
    limits = provider.limits()
    del limits["retry"]
    return validated(
        ExecConfig,
        {
            "name": provider.name,
            "provider": "exec",
            "arguments": tuple(arguments),
            "options": options,
            **limits,
        },
    )
