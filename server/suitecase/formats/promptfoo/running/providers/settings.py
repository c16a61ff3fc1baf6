"""The settings of a provider as its target needs them, with placeholders for the environment."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from suitecase.format.workspace import Folder, Unreadable
from suitecase.formats.promptfoo.rendering.errors import NeedsScriptError, TemplateError
from suitecase.formats.promptfoo.rendering.render import (
    named_environment,
    refuse_composed,
    render_text,
)
from suitecase.formats.promptfoo.running.refused import RefusedError
from suitecase.formats.promptfoo.running.yaml_values import parse_yaml
from suitecase.formats.promptfoo.suite.references.file_references import file_reference, located
from suitecase_evaluators.promptfoo.ecmascript import as_text
from suitecase_evaluators.system.path_kinds import FILE_SCHEME
from suitecase_evaluators.targets.variable_names import TEMPLATE_OF_VARIABLE

#: A template that is not one of our placeholders.
_TEMPLATE = re.compile(r"(?<!\$)\{\{|\{%")
_OF_ENVIRONMENT = re.compile(r"(?<!\$)\{\{-?\s*env\b[^{}]*\}\}")
#: Milliseconds that promptfoo waits for an answer.
_TIMEOUT_MS = 300_000
#: No more files are read for the settings of a provider: a file may name itself.
_MOST_FILES = 100


class SettingError(RefusedError):
    """A provider cannot be called because of one of its settings, at the path `keys`."""

    def __init__(self, message: str, *keys: str) -> None:
        super().__init__(message)
        self.keys = keys


@dataclass(frozen=True)
class RunSettings:
    """The settings of a configuration for all of its providers.

    Attributes:
        folder: the folder of the configuration.
        environ: the environment of the run.
        env: the variables under `env` of the configuration.
        workers: the maximum number of concurrent calls; None if it is not set.
        delay_ms: the time between two calls of a provider without its own `delay`.
        notes: collects differences from promptfoo, for users.
    """

    folder: Folder
    environ: Mapping[str, str]
    env: Mapping[str, str] = field(default_factory=dict)
    workers: int | None = None
    delay_ms: float | None = None
    notes: list[str] = field(default_factory=list)

    def note(self, text: str) -> None:
        """Note a difference, once."""
        if text not in self.notes:
            self.notes.append(text)


@dataclass(frozen=True)
class ProviderSettings:
    """A provider: its id, and its options.

    Attributes:
        id: the id, which selects what is called.
        name: the name of its target.
        options: the mapping with `config` and so on, as plain values.
        run: the settings of the configuration for all of its providers.
        filled_in: collects the variables of the environment whose values, not placeholders, are filled in.
        files_read: collects the references to files that are read.
    """

    id: str
    name: str
    options: Mapping[str, Any]
    run: RunSettings
    filled_in: dict[str, None] = field(default_factory=dict)
    files_read: list[str] = field(default_factory=list)

    @property
    def config(self) -> Mapping[str, Any]:
        """The settings under `config`."""
        found = self.options.get("config")
        return found if isinstance(found, Mapping) else {}

    @property
    def env(self) -> dict[str, str]:
        """The variables that the configuration and the provider set under `env`."""
        return {**self.run.env, **strings_in(self.options.get("env"))}

    @property
    def prefix(self) -> str:
        """The part of the id before its first colon."""
        return self.id.partition(":")[0]

    @property
    def rest(self) -> str:
        """The part of the id after its first colon."""
        return self.id.partition(":")[2]

    def variable(self, *names: str) -> str | None:
        """Return the first variable that is set: its value if the configuration sets it.

        A variable of the environment is returned as a placeholder, which keeps it out of records.
        """
        own = self.env
        for name in names:
            if own.get(name):
                return self.filled(own[name], "env", name)
            if self.run.environ.get(name):
                return f"${{{{ {name} }}}}"
        return None

    def number(self, *names: str) -> float | None:
        """Return the number in the first variable that has one."""
        for name in names:
            try:
                return float(self.env.get(name) or self.run.environ.get(name) or "")
            except ValueError:
                continue
        return None

    def filled(self, text: str, *keys: str, rows: bool = False) -> str:
        """Return a string with placeholders in place of `{{env.NAME}}`.

        Args:
            text: the string.
            keys: its path in the provider, for messages.
            rows: whether it may have templates that rows fill in.

        Raises:
            SettingError: it has another template.
        """
        own = self.env
        if rows and _TEMPLATE.search(TEMPLATE_OF_VARIABLE.sub("", text)):
            # Rows fill in the environment with the rest; the variables of the file are already known.
            made = TEMPLATE_OF_VARIABLE.sub(
                lambda match: own.get(match["name"] or match["key"], match[0]), text
            )
            self._refuse_composed(made, text, keys)
            return made

        def value(match: re.Match[str]) -> str:
            name = match["name"] or match["key"]
            if name not in own:
                return f"${{{{ {name} }}}}"
            # A variable may be set by another one of the same name.
            return own[name] if match[0] in own[name] else self.filled(own[name], "env", name)

        found = TEMPLATE_OF_VARIABLE.sub(value, text)
        self._refuse_composed(found, text, keys)
        if _OF_ENVIRONMENT.search(found):
            found = _OF_ENVIRONMENT.sub(lambda it: self._rendered(it[0], keys), found)
        if not rows and _TEMPLATE.search(found):
            raise SettingError(
                f"`suitecase run` fills in only variables of the environment in `{_last(keys)}`",
                *keys,
            )
        return found

    def _refuse_composed(self, made: str, text: str, keys: tuple[str, ...]) -> None:
        try:
            refuse_composed(made, (text, self.env))
        except TemplateError as error:
            raise SettingError(f"`{_last(keys)}`: {error}", *keys) from None

    def note_variables(self, template: str) -> None:
        """Note which variables of the environment a template is filled in with, but for the provider's own."""
        own = self.env
        for name in sorted(named_environment(template)):
            if name not in own:
                self.filled_in[name] = None

    def _rendered(self, template: str, keys: tuple[str, ...]) -> str:
        self.note_variables(template)
        try:
            return render_text(template, {}, {**self.run.environ, **self.env})
        except (TemplateError, NeedsScriptError) as error:
            raise SettingError(f"`{_last(keys)}`: {error}", *keys) from None

    def value(self, name: str, *, rows: bool = False) -> Any:
        """Return a setting of `config`, with placeholders for variables and files read.

        Raises:
            SettingError: it has a template that cannot be filled in, or a file cannot be read.
        """
        return self.filled_value(self.config.get(name), "config", name, rows=rows)

    def filled_value(self, value: Any, *keys: str, rows: bool = False, files: bool = True) -> Any:
        """Return any value with placeholders for variables, and files read."""
        match value:
            case str() if files and value.startswith(FILE_SCHEME):
                return self._read(value, keys)
            case str():
                return self.filled(value, *keys, rows=rows)
            case Mapping():
                return {
                    str(name): self.filled_value(it, *keys, rows=rows, files=files)
                    for name, it in value.items()
                }
            case list() | tuple():
                return [self.filled_value(it, *keys, rows=rows, files=files) for it in value]
        return value

    def _read(self, reference: str, keys: tuple[str, ...]) -> Any:
        found = file_reference(reference)
        if found is None or found.is_script:
            raise SettingError(
                f"`suitecase run` does not run code to get `{_last(keys)}`: `{reference}`", *keys
            )
        places = located(found, self.run.folder, globs=False)
        self.files_read.append(reference)
        if len(self.files_read) > _MOST_FILES:
            raise SettingError(
                f"`{_last(keys)}` names a file that names itself, or more than {_MOST_FILES} files",
                *keys,
            )
        text = self.run.folder.read(places.files[0]) if places.files else None
        if text is None:
            raise SettingError(f"the file `{reference}` was not found", *keys)
        if isinstance(text, Unreadable):
            raise SettingError(f"the file `{reference}` cannot be read: {text.reason}", *keys)
        if not found.ending.endswith(("json", "yaml", "yml")):
            return text.strip()
        try:
            return self.filled_value(parse_yaml(text), *keys)
        except ValueError as error:
            raise SettingError(f"the file `{reference}` cannot be read: {error}", *keys) from None

    def limits(self) -> dict[str, Any]:
        """Return the fields of a target that limit its calls: their number, rate and time.

        Raises:
            SettingError: one of them is not valid.
        """
        written = self.options.get("delay", self.run.delay_ms)
        delay = _number(written, "delay") if written else 0
        retries = self.config.get("maxRetries")
        return {
            # promptfoo makes one call after the other if it waits between them.
            "workers": 1 if delay else self.run.workers,
            "rate_limit": 60_000 / delay if delay else None,
            "timeout_seconds": (self.number("REQUEST_TIMEOUT_MS") or _TIMEOUT_MS) / 1000,
            "retry": None if retries is None else {"max_retries": retries},
        }


def strings_in(value: Any) -> dict[str, str]:
    """Return the entries of a mapping as JavaScript writes them; those without a value are left out."""
    entries = value.items() if isinstance(value, Mapping) else ()
    return {str(name): as_text(it) for name, it in entries if it is not None}


def _number(value: Any, name: str) -> float:
    try:
        return max(float(value), 0)
    except (TypeError, ValueError):
        raise SettingError(f"`{name}` is not a number", name) from None


def _last(keys: tuple[str, ...]) -> str:
    return keys[-1] if keys else "id"
