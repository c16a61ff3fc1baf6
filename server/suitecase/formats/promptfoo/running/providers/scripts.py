"""Providers that are scripts: `python:answers.py`, `file://answers.py:call`, `file://answers.mjs`."""

from __future__ import annotations

from typing import Any

from suitecase.formats.promptfoo.running.providers.settings import ProviderSettings, strings_in
from suitecase.formats.promptfoo.running.providers.validation import validated
from suitecase_evaluators.targets.config.script import ScriptConfig
from suitecase_evaluators.targets.scripting.script_files import (
    FILE_SCHEME,
    ScriptFile,
    language_of,
    script_file,
)

_PYTHON = "python:"


def script_target(provider: ProviderSettings) -> ScriptConfig | None:
    """Return the target of a provider that is a script; None for any other.

    Raises:
        SettingError: a setting has a template that cannot be filled in.
    """
    found = _script(provider.filled(provider.id, "id"))
    if found is None:
        return None
    is_python = found.language == "python"
    written: dict[str, Any] = {
        "id": provider.options.get("id") or provider.id,
        "label": provider.options.get("label"),
        "config": dict(provider.config),
    }
    options = {
        key: provider.filled_value(it, key, rows=True, files=is_python and key == "config")
        for key, it in written.items()
        if it or key == "config"
    }
    environment = {**provider.env, **strings_in(provider.config.get("env"))}
    limits = provider.limits()
    del limits["retry"]
    timeout = provider.config.get("timeout")
    if is_python and isinstance(timeout, int | float) and timeout > 0:
        limits["timeout_seconds"] = timeout / 1000
    executable = provider.config.get("pythonExecutable") if is_python else None
    return validated(
        ScriptConfig,
        {
            "name": provider.name,
            "provider": "script",
            "language": found.language,
            "script": found.path,
            "function": found.function,
            "executable": executable if isinstance(executable, str) else None,
            "options": options,
            "environment": {
                name: provider.filled(it, "env", name) for name, it in environment.items()
            },
            **limits,
        },
    )


def _script(name: str) -> ScriptFile | None:
    if name.startswith(_PYTHON):
        path, _, function = name.removeprefix(_PYTHON).removeprefix(FILE_SCHEME).partition(":")
        return ScriptFile(path, function or None, "python") if path else None
    found = script_file(name if name.startswith(FILE_SCHEME) else f"{FILE_SCHEME}{name}")
    # promptfoo calls named functions only in Python.
    if found is None or (found.language == "javascript" and found.function is not None):
        return None
    return found if name.startswith(FILE_SCHEME) or language_of(name) == "javascript" else None
