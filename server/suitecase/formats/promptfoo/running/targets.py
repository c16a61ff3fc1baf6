"""The target of each kind of provider, programs and scripts among them."""

from __future__ import annotations

import re
from collections.abc import Mapping as Table
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from suitecase.formats.promptfoo.rendering.variables import render_environment
from suitecase.formats.promptfoo.running.providers.http import http_target
from suitecase.formats.promptfoo.running.providers.models import model_target
from suitecase.formats.promptfoo.running.providers.refused import why_refused
from suitecase.formats.promptfoo.running.providers.settings import (
    ProviderSettings,
    RunSettings,
    SettingError,
    strings_in,
)
from suitecase.formats.promptfoo.running.providers.validation import validated
from suitecase.formats.promptfoo.running.refused import RefusedError, refusing
from suitecase.formats.promptfoo.suite.providers.prefixes import PREFIXES, ProviderKind
from suitecase.formats.promptfoo.suite.providers.providers import ProviderEntry
from suitecase.formats.promptfoo.templates.template import is_template
from suitecase.text.node import Mapping, Node, Scalar, Span, plain
from suitecase_evaluators.system.path_kinds import FILE_SCHEME
from suitecase_evaluators.targets.config.canned import EchoConfig
from suitecase_evaluators.targets.config.exec import ExecConfig
from suitecase_evaluators.targets.config.script import ScriptConfig
from suitecase_evaluators.targets.config.target import TargetConfig
from suitecase_evaluators.targets.scripting.script_files import (
    ScriptFile,
    language_of,
    script_file,
)


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a provider cannot be called.

    Attributes:
        message: the reason, for users.
        span: the place; None for that of the provider.
        path: the file that `span` is in; None for the configuration.
        part: the key and the value at the place: an error that the check finds there is the same mistake.
    """

    message: str
    span: Span | None = None
    path: Path | None = None
    part: Span | None = None


def target_of(provider: ProviderEntry, name: str, run: RunSettings) -> TargetConfig | Refused:
    """Return the target that calls a provider.

    Args:
        provider: the provider.
        name: the name of the target.
        run: the settings of the configuration for all providers.
    """
    if provider.id is None or provider.id_node is None:
        return Refused("this is not a provider")
    options = plain(provider.options) if isinstance(provider.options, Mapping) else {}
    try:
        return target_of_settings(ProviderSettings(provider.id_node.text, name, options, run))
    except SettingError as error:
        found = _place(provider.options, error.keys)
        if found is None:
            is_text = provider.options is None and provider.path is None
            return Refused(error.message, part=provider.id_node.span if is_text else None)
        key, value = found
        part = Span(key.span.start, value.span.end)
        return Refused(error.message, key.span, provider.path, part)
    except RefusedError as error:
        return Refused(error.message)


def target_of_value(value: Any, name: str, run: RunSettings) -> TargetConfig | Refused:
    """Return the target of a provider that is given as a plain value, such as `provider` of a test.

    Args:
        value: an id, or a mapping with `id` and `config`, or one whose only key is the id.
        name: the name of the target.
        run: the settings of the configuration for all providers.
    """
    options: Table[str, Any] = {}
    if isinstance(value, dict) and "id" not in value and len(value) == 1:
        ((value, inner),) = value.items()
        options = inner if isinstance(inner, dict) else {}
    elif isinstance(value, dict):
        value, options = value.get("id"), value
    if not isinstance(value, str) or not value:
        return Refused("this is not a provider")
    if options.get("transform"):
        return Refused("`suitecase run` runs `transform` only for entries of `providers`")
    try:
        return target_of_settings(ProviderSettings(value, name, options, run))
    except RefusedError as error:
        return Refused(error.message)


def target_of_settings(provider: ProviderSettings) -> TargetConfig:
    """Return the target of a provider.

    Raises:
        RefusedError: it cannot be called.
    """
    if is_template(provider.id):
        provider = _named(provider)
    target = _target(provider)
    target.filled_in.update(provider.filled_in)
    return target


def _target(provider: ProviderSettings) -> TargetConfig:
    if provider.options.get("inputs"):
        raise SettingError("`inputs` of a provider is not supported by `suitecase run`", "inputs")
    if provider.id == "echo":
        return EchoConfig(name=provider.name, provider="echo")
    reason = why_refused(provider.id)
    if reason is not None:
        raise RefusedError(reason)
    prefix = PREFIXES.get(provider.prefix)
    if prefix is not None and prefix.kind is ProviderKind.MODEL:
        return model_target(provider)
    if provider.prefix in ("http", "https"):
        return http_target(provider)
    if provider.prefix == "exec":
        return exec_target(provider)
    script = script_target(provider)
    if script is not None:
        return script
    raise RefusedError(f"`suitecase run` does not know how to call `{provider.id}`")


def _named(provider: ProviderSettings) -> ProviderSettings:
    """Return a provider with the environment filled in in its id.

    Raises:
        RefusedError: the id has other templates.
    """
    environment = {**provider.run.environ, **provider.env}
    provider.note_variables(provider.id)
    named = refusing(lambda: render_environment(provider.id, environment))
    if not isinstance(named, str) or is_template(named):
        raise RefusedError(
            "`suitecase run` fills in only variables of the environment in the id of a provider"
        )
    return replace(provider, id=named)


def _place(options: Node | None, keys: tuple[str, ...]) -> tuple[Scalar, Node] | None:
    """Return the last of some nested keys that is there, and its value."""
    found: tuple[Scalar, Node] | None = None
    node = options
    for key in keys:
        entry = node.entries.get(key) if isinstance(node, Mapping) else None
        if entry is None:
            return found
        found, node = (entry[0], entry[1]), entry[1]
    return found


_WORD = re.compile(r"""[^\s"']+|"([^"]*)"|'([^']*)'""")


def exec_target(provider: ProviderSettings) -> ExecConfig:
    """Return the target of a command line, which is split at blanks outside quotes.

    Raises:
        RefusedError: no program is named.
    """
    line = provider.filled(provider.rest, "id")
    arguments = [word[1] or word[2] or word[0] for word in _WORD.finditer(line)]
    if not arguments:
        raise RefusedError(f"`{provider.id}` names no program")
    written: dict[str, Any] = {
        "id": provider.options.get("id"),
        "config": dict(provider.config),
        "env": provider.env,
    }
    options = {
        key: provider.filled_value(value, key, rows=True, files=False)
        for key, value in written.items()
        if value or key == "config"
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
        key: provider.filled_value(value, key, rows=True, files=is_python and key == "config")
        for key, value in written.items()
        if value or key == "config"
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
                name: provider.filled(value, "env", name) for name, value in environment.items()
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
