"""The targets of a configuration: one for each provider, and for each test with its own provider."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from suitecase.format.runnable import NotRunnable
from suitecase.format.target_files import targets_of_suite
from suitecase.formats.promptfoo.running.providers.settings import RunSettings
from suitecase.formats.promptfoo.running.refused import RefusedError
from suitecase.formats.promptfoo.running.targets import Refused, target_of, target_of_value
from suitecase.formats.promptfoo.suite.effective.rows import Expansion
from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration
from suitecase.formats.promptfoo.suite.providers.providers import ProviderEntry, identify
from suitecase.text.node import Span, plain
from suitecase.text.taken_names import TakenNames
from suitecase_evaluators.targets.config.http import HttpConfig
from suitecase_evaluators.targets.config.target import TargetConfig
from suitecase_evaluators.targets.redactor import without_own_secrets

#: The prefix of the names of targets that only grade.
GRADER: Final = "grader: "


class ProviderTargets:
    """The targets of a configuration.

    Attributes:
        parsed: the targets by name; those of tests are added while the tests are read.
        by_number: the target of each provider, by its number.
        problems: why providers cannot be called.
    """

    def __init__(
        self,
        linked: LinkedConfiguration,
        expansion: Expansion,
        path: Path,
        run: RunSettings,
        instead: TargetConfig | None = None,
    ) -> None:
        """
        Args:
            instead: what answers in place of all providers, and grades where no grader is named.
        """
        self.instead = instead
        self._run = run
        self._folder = linked.folder
        self._providers = expansion.providers
        self._taken = TakenNames()
        self._configs: dict[str, TargetConfig] = {}
        self._additional_configs: dict[str, TargetConfig] = {}
        #: The settings of providers as they are written, which say what is secret.
        self._settings: list[Any] = []
        spans: dict[str, Span] = {}
        self.by_number: dict[int, TargetConfig] = {}
        self.problems: list[NotRunnable] = []
        for provider in expansion.providers:
            if instead is not None:
                self.by_number[provider.number] = self._configs[instead.name] = instead
                continue
            self._settings.append(provider.id or "")
            if provider.options is not None:
                self._settings.append(plain(provider.options))
            name = self._taken.take(target_name(provider))
            span = linked.head_span(provider.span)
            target = self._target(provider, name)
            if isinstance(target, Refused):
                self.problems.append(_problem(target, linked, path, span, name))
                continue
            self.by_number[provider.number] = self._configs[name] = target
            spans[name] = span
        self.parsed = targets_of_suite(
            path, self._configs, spans, settings={"env": run.env, "providers": self._settings}
        )

    def _target(self, provider: ProviderEntry, name: str) -> TargetConfig | Refused:
        """Return the target of a provider, or why it cannot be called."""
        return target_of(provider, name, self._run)

    def of_value(self, provider: Any) -> TargetConfig:
        """Return the target of a provider that is not an entry of `providers`, such as that of a test.

        Args:
            provider: the id of a provider of the configuration, or a provider.

        Raises:
            RefusedError: it cannot be called.
        """
        if self.instead is not None:
            return self.instead
        configured = self._answering(provider)
        if configured is not None and configured.number in self.by_number:
            return self.by_number[configured.number]
        return self._additional(provider, _name_of(provider) or "provider of a test")

    def grader(self, provider: Any) -> TargetConfig:
        """Return the target of a model that grades.

        Args:
            provider: the id or the label of a provider of the configuration, or a provider.

        Raises:
            RefusedError: it cannot be called.
        """
        if self.instead is not None and provider == self.instead.name:
            return self.instead
        configured = self._configured(provider)
        if configured is None:
            target = self._additional(provider, f"{GRADER}{_name_of(provider) or 'unknown'}")
        elif configured.number in self.by_number:
            target = self.by_number[configured.number]
        else:
            raise RefusedError(f"the provider `{provider}` cannot be called")
        if isinstance(target, HttpConfig):
            raise RefusedError("`suitecase run` calls HTTP APIs for answers, not for grades")
        return target

    def _answering(self, name: Any) -> ProviderEntry | None:
        """Return the provider of the configuration that a test's own provider means.

        promptfoo takes an id there. A label that is none is an error of the check, so its test is not run.
        """
        found = self._configured(name)
        is_id = isinstance(name, str) and identify(name, self._folder).problem is None
        return None if found is not None and found.id != name and is_id else found

    def _configured(self, name: Any) -> ProviderEntry | None:
        """Return the provider with an id (the last one if there are several) or with a label."""
        if not isinstance(name, str):
            return None
        by_id = [provider for provider in self._providers if provider.id == name]
        by_label = (provider for provider in self._providers if provider.name == name)
        return by_id[-1] if by_id else next(by_label, None)

    def _additional(self, provider: Any, name: str) -> TargetConfig:
        """Return the target of a provider that is not listed; equal providers share one."""
        key = json.dumps([name, provider], sort_keys=True, default=str)
        if key not in self._additional_configs:
            if isinstance(provider, dict):
                # By an id, or with one.
                self._settings += [provider, *provider.values()]
            name = self._taken.take(name)
            target = target_of_value(provider, name, self._run)
            if isinstance(target, Refused):
                raise RefusedError(target.message)
            self._additional_configs[key] = self._configs[name] = target
        return self._additional_configs[key]


def target_name(provider: ProviderEntry) -> str:
    """Return what the target of a provider is called: its label or id, or else its number."""
    names = (it for it in (provider.name, provider.id) if it and it.strip())
    return without_own_secrets(next(names, f"provider {provider.number}"))


def _problem(
    refused: Refused, linked: LinkedConfiguration, path: Path, span: Span, name: str
) -> NotRunnable:
    """Return why a provider cannot be called, at its place or at that of the key responsible."""
    part = refused.part
    if refused.path is not None and refused.span is not None:
        return NotRunnable(refused.message, refused.path, refused.span, name, part=part)
    place = span if refused.span is None else linked.head_span(refused.span)
    part = None if part is None else linked.head_span(part)
    return NotRunnable(refused.message, path, place, name, part=part)


def _name_of(provider: Any) -> str | None:
    if isinstance(provider, dict):
        found = provider.get("label") or provider.get("id") or next(iter(provider), None)
        provider = str(found) if found else None
    if isinstance(provider, str) and provider.strip():
        return without_own_secrets(provider)
    return None
