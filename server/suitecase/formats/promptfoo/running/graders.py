"""The graders: the targets of assertions that a model grades, found before a run."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, Final

from suitecase.formats.promptfoo.rendering.variables import render_environment
from suitecase.formats.promptfoo.running.provider_targets import GRADER, ProviderTargets
from suitecase.formats.promptfoo.running.refused import RefusedError, refusing
from suitecase.formats.promptfoo.suite.effective.tests import EffectiveTest
from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration
from suitecase.formats.promptfoo.suite.providers.placed import GRADED_KINDS
from suitecase.formats.promptfoo.suite.test_cases.default_test import default_node
from suitecase.text.node import Mapping as Tree
from suitecase.text.node import Scalar, plain
from suitecase_evaluators.promptfoo.assertion_types import assertion_type
from suitecase_evaluators.promptfoo.column import assertion_of_text
from suitecase_evaluators.targets.config.target import TargetConfig

#: The maximum number of graders in notes; each test may have its own.
_MOST_NOTES = 10


@dataclass(frozen=True, slots=True)
class _Named:
    """A grader as the configuration names it, and the place of that."""

    provider: Any
    source: str


class Graders:
    """The graders of a configuration's assertions."""

    def __init__(
        self, linked: LinkedConfiguration, targets: ProviderTargets, environ: Mapping[str, str]
    ) -> None:
        """
        Args:
            linked: the configuration.
            targets: its targets, to which graders are added.
            environ: the environment.
        """
        self._targets = targets
        self._environ = environ
        node = default_node(linked)
        found = plain(node) if node is not None else None
        self._default: dict[str, Any] = found if isinstance(found, dict) else {}
        options = linked.head.get("commandLineOptions")
        option = options.get("grader") if isinstance(options, Tree) else None
        #: The provider that replaces the one of `defaultTest.options`.
        self._option = {"id": option.text} if isinstance(option, Scalar) and option.text else None
        #: By provider, as JSON: its target, or why it cannot be called.
        self._known: dict[str, TargetConfig | RefusedError] = {}
        #: By grader: the types of assertions.
        self._grades: dict[str, dict[str, None]] = {}

    def target(self, test: EffectiveTest, assertion: Mapping[str, Any]) -> TargetConfig:
        """Return the target that grades an assertion.

        Raises:
            RefusedError: there is none, or it cannot be called.
        """
        found = self._named(test, assertion)
        key = json.dumps(found.provider, sort_keys=True, default=str)
        if key not in self._known:
            try:
                self._known[key] = self._targets.grader(found.provider)
            except RefusedError as error:
                self._known[key] = error
        known = self._known[key]
        if isinstance(known, RefusedError):
            raise RefusedError(
                f"the model that grades `{assertion.get('type')}` cannot be called: {known.message}"
            )
        grader = known.name.removeprefix(GRADER)
        types = self._grades.setdefault(f"`{grader}`{found.source}", {})
        types[str(assertion.get("type"))] = None
        return known

    def find_all(self, tests: Iterable[EffectiveTest]) -> None:
        """Find the graders of tests, which are named before a run."""
        for test in tests:
            for it in _graded_in(test.assertions):
                try:
                    self.target(test, it)
                except RefusedError:
                    continue  # the test is refused for this reason

    def notes(self) -> Iterator[str]:
        """Yield the graders, for users."""
        for grader, types in islice(self._grades.items(), _MOST_NOTES):
            *others, last = (f"`{kind}`" for kind in types)
            graded = f"{', '.join(others)} and {last} are" if others else f"{last} is"
            yield f"{graded} graded by {grader}"
        further = len(self._grades) - _MOST_NOTES
        if further > 0:
            yield (
                f"there are {further} further graders"
                if further > 1
                else "there is 1 further grader"
            )

    def _named(self, test: EffectiveTest, assertion: Mapping[str, Any]) -> _Named:
        """Return the grader of an assertion, in promptfoo's order of preference.

        Raises:
            RefusedError: there is none.
        """
        default = self._default.get("options")
        inherited = default.get("provider") if isinstance(default, dict) else None
        own = test.options.get("provider")
        is_inherited = inherited is not None and own == inherited
        own_place = "defaultTest.options.provider" if is_inherited else "options.provider"
        written = (
            (assertion.get("provider"), "`provider` of the assertion"),
            (None if is_inherited and self._option else own, f"`{own_place}`"),
            (self._option, "`commandLineOptions.grader`"),
            (self._default.get("provider"), "`defaultTest.provider`"),
        )
        for provider, where in written:
            if provider:
                written_for_text = _for_text(provider)
                fill = partial(render_environment, written_for_text, self._environ)
                filled = refusing(fill)
                return _Named(filled, f" ({where})")
        if (instead := self._targets.instead) is not None:
            return _Named(instead.name, ", which answers, too")
        picked = environment_grader(self._environ)
        if picked is None:
            raise RefusedError(
                f"nothing says which model grades `{assertion.get('type')}`: set "
                f"`defaultTest.options.provider`, or one of the keys by which promptfoo picks one: "
                f"{DECIDING}"
            )
        return _Named(
            picked.provider, f", which promptfoo picks because `{picked.variable}` is set"
        )


def is_graded(assertion: Mapping[str, Any]) -> bool:
    """Whether a model grades an assertion."""
    written = assertion.get("type")
    found = assertion_type(written) if isinstance(written, str) else None
    return found is not None and found[0].graded_by == "model" and found[0].not_run is None


def _graded_in(listed: Iterable[Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the assertions of a list that a model grades, those in sets too."""
    for item in listed:
        assertion = assertion_of_text(item) if isinstance(item, str) else item
        if not isinstance(assertion, dict):
            continue
        members = assertion.get("assert")
        if isinstance(members, list):
            yield from _graded_in(members)
        elif is_graded(assertion):
            yield assertion


def _for_text(provider: Any) -> Any:
    """Return the grader of text, if there is one for each of several kinds."""
    if not isinstance(provider, dict) or provider.get("id"):
        return provider
    if provider.get("text"):
        return provider["text"]
    if provider.keys() <= set(GRADED_KINDS):
        raise RefusedError("the `provider` that grades has no model for `text`")
    return provider


_OPENAI: Final = "openai:chat:gpt-5.5-2026-04-23"
#: In order of preference: variables, one of which has to be set, and the model.
_AFTER_AZURE: Final = (
    (("ANTHROPIC_API_KEY",), "anthropic:messages:claude-sonnet-4-6"),
    (("GEMINI_API_KEY", "GOOGLE_API_KEY", "PALM_API_KEY"), "google:gemini-2.5-pro"),
    (("MISTRAL_API_KEY",), "mistral:mistral-large-latest"),
    (("XAI_API_KEY",), "xai:grok-4.3"),
)
_AZURE_KEYS: Final = ("AZURE_OPENAI_API_KEY", "AZURE_API_KEY")
_AZURE_CLIENT: Final = ("AZURE_CLIENT_ID", "AZURE_CLIENT_SECRET", "AZURE_TENANT_ID")
_AZURE_DEPLOYMENT: Final = "AZURE_OPENAI_DEPLOYMENT_NAME"
_GITHUB: Final = {
    "id": "openai:chat:openai/gpt-5",
    "config": {"apiBaseUrl": "https://models.github.ai/inference", "apiKeyEnvar": "GITHUB_TOKEN"},
}
#: Variables that decide, for messages.
DECIDING: Final = "`OPENAI_API_KEY`, `ANTHROPIC_API_KEY`, `GEMINI_API_KEY`, ..."


@dataclass(frozen=True, slots=True)
class EnvironmentGrader:
    """The model that promptfoo picks, as a provider of a configuration, and the variable that decides."""

    provider: str | dict[str, Any]
    variable: str


def environment_grader(environ: Mapping[str, str]) -> EnvironmentGrader | None:
    """Return the model that promptfoo picks in an environment; None without a key of any service."""
    if environ.get("OPENAI_API_KEY"):
        return EnvironmentGrader(_OPENAI, "OPENAI_API_KEY")
    azure = _azure(environ)
    if azure is not None:
        return azure
    for names, provider in _AFTER_AZURE:
        if (name := _set(environ, names)) is not None:
            return EnvironmentGrader(provider, name)
    if environ.get("GITHUB_TOKEN"):
        return EnvironmentGrader(_GITHUB, "GITHUB_TOKEN")
    return None


def _azure(environ: Mapping[str, str]) -> EnvironmentGrader | None:
    name = _set(environ, _AZURE_KEYS)
    if name is None and all(environ.get(variable) for variable in _AZURE_CLIENT):
        name = _AZURE_CLIENT[0]
    deployment = environ.get(_AZURE_DEPLOYMENT)
    # promptfoo wants both, and asks the second.
    if name is None or not deployment or not environ.get("AZURE_DEPLOYMENT_NAME"):
        return None
    return EnvironmentGrader(f"azure:chat:{deployment}", name)


def _set(environ: Mapping[str, str], names: tuple[str, ...]) -> str | None:
    return next((variable for variable in names if environ.get(variable)), None)
