"""The available evaluators: built-in ones, and those of installed packages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pydantic.errors import PydanticInvalidForJsonSchema

from suitecase.reference.evaluator_examples import EXAMPLES
from suitecase.reference.evaluators import example_parts, own_keys
from suitecase.reference.markdown import key_line
from suitecase.reference.models import keys_of
from suitecase.text.plural import capitalized
from suitecase_evaluators.grade import registry, third_party
from suitecase_evaluators.grade.evaluator import Evaluator
from suitecase_evaluators.grade.third_party import Provider, Unavailable

BUILT_IN = "built in"


@dataclass(frozen=True, slots=True)
class KnownEvaluator:
    """An evaluator type, possibly one that a package provides but that cannot be used.

    `unused` are packages that provide a type with the name of a built-in one.
    """

    type: str
    found: Evaluator | Unavailable
    providers: tuple[Provider, ...] = ()
    unused: tuple[Provider, ...] = ()

    @property
    def origin(self) -> str:
        """The package that provides it."""
        return " and ".join(str(provider) for provider in self.providers) or BUILT_IN

    @property
    def title(self) -> str:
        """The first line of its documentation, or why it cannot be used."""
        if isinstance(self.found, Unavailable):
            return f"cannot be used; `suitecase explain {self.type}` says why"
        return self.found.documentation.partition("\n")[0]

    def markdown(self) -> str:
        """Return its page."""
        return "\n\n".join(filter(None, [f"# {self.type}", *self._parts()])) + "\n"

    def json(self) -> dict[str, Any]:
        """Return its description as JSON values, with the JSON Schema of its entries."""
        evaluator = self.found if isinstance(self.found, Evaluator) else None
        package = self.providers[0] if len(self.providers) == 1 else None
        return {
            "type": self.type,
            "package": package and package.package,
            "version": package and package.version,
            "documentation": evaluator.documentation if evaluator else None,
            "problem": self.found.message if isinstance(self.found, Unavailable) else None,
            "not_used": [str(it) for it in self.unused],
            "example": EXAMPLES[self.type].case if self.origin == BUILT_IN else None,
            "schema": _schema(evaluator) if evaluator else None,
        }

    def _parts(self) -> Iterator[str]:
        if isinstance(self.found, Unavailable):
            yield capitalized(self.found.message) + "."
            if self.found.trace:
                yield f"```text\n{self.found.trace.rstrip()}\n```"
            return
        yield self.found.documentation
        if self.type in EXAMPLES and self.origin == BUILT_IN:
            yield from example_parts(EXAMPLES[self.type])
        provider = next(iter(self.providers), None)
        if provider is not None:
            yield f"Provided by {provider}, as `{provider.entry_point.value}`."
        for package in self.unused:
            yield (
                f"{package} provides an evaluator of this name too, which is not used: a built-in one "
                "cannot be replaced. Its authors have to name it otherwise."
            )
        yield "## Keys"
        yield "\n".join(_keys(self.found))


def _schema(evaluator: Evaluator) -> dict[str, Any] | None:
    """Return the JSON Schema of an entry; None if a package's model has none."""
    try:
        return evaluator.config.model_json_schema()
    except PydanticInvalidForJsonSchema:
        return None


def _keys(evaluator: Evaluator) -> Iterator[str]:
    """Yield its own keys, and then those of every evaluator."""
    own = [*own_keys(evaluator)]
    names = {it.name for it in own}
    shared = (key for key in keys_of(evaluator.config) if key.name not in names)
    yield from map(key_line, [*own, *shared])


def known_evaluators() -> list[KnownEvaluator]:
    """Return all evaluators, built-in ones first; imports the packages that provide the others."""
    own = [
        KnownEvaluator(
            evaluator.type, evaluator, unused=third_party.providers().get(evaluator.type, ())
        )
        for evaluator in registry.evaluators()
    ]
    return own + [
        KnownEvaluator(name, provided, providers)
        for name, providers in third_party.providers().items()
        if name not in registry.TYPES and (provided := third_party.find(name)) is not None
    ]


def evaluator_named(name: str) -> KnownEvaluator | None:
    """Return the evaluator of a type; imports only the package that provides it."""
    providers = third_party.providers().get(name, ())
    if name in registry.TYPES:
        return KnownEvaluator(name, registry.built_in(name), unused=providers)
    provided = third_party.find(name)
    return KnownEvaluator(name, provided, providers) if provided is not None else None


def evaluator_names() -> list[str]:
    """Return the names of all types without importing packages."""
    return list(dict.fromkeys([*registry.TYPES, *third_party.providers()]))


def listing() -> Iterator[str]:
    """Yield the lines of a table of all evaluators."""
    evaluators = known_evaluators()
    widths = [
        max(len(evaluator.type) for evaluator in evaluators),
        max(len(evaluator.origin) for evaluator in evaluators),
    ]
    for evaluator in evaluators:
        yield f"{evaluator.type:<{widths[0]}}  {evaluator.origin:<{widths[1]}}  {evaluator.title}".rstrip()
    yield from registry.shadowed(registry.TYPES)
