"""The evaluators that suites can name here: built in, and of installed packages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pydantic.errors import PydanticInvalidForJsonSchema
from pydantic_core import PydanticUndefined

from suitecase.suite.fields import Field
from suitecase_evaluators import registry, third_party
from suitecase_evaluators.evaluator import Evaluator
from suitecase_evaluators.third_party import Provider, Unavailable

BUILT_IN = "built in"


@dataclass(frozen=True, slots=True)
class KnownEvaluator:
    """A type that suites can name, or that a package offers in vain.

    `unused` are packages that provide a type of the same name as a built-in one.
    """

    type: str
    found: Evaluator | Unavailable
    providers: tuple[Provider, ...] = ()
    unused: tuple[Provider, ...] = ()

    @property
    def origin(self) -> str:
        """Who provides it."""
        return " and ".join(str(it) for it in self.providers) or BUILT_IN

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
        """Return what it is as JSON values, with the JSON Schema of its entries."""
        evaluator = self.found if isinstance(self.found, Evaluator) else None
        package = self.providers[0] if len(self.providers) == 1 else None
        return {
            "type": self.type,
            "package": package and package.package,
            "version": package and package.version,
            "documentation": evaluator.documentation if evaluator else None,
            "problem": self.found.message if isinstance(self.found, Unavailable) else None,
            "not_used": [str(it) for it in self.unused],
            "schema": _schema(evaluator) if evaluator else None,
        }

    def _parts(self) -> Iterator[str]:
        if isinstance(self.found, Unavailable):
            yield self.found.message[:1].upper() + self.found.message[1:] + "."
            if self.found.trace:
                yield f"```text\n{self.found.trace.rstrip()}\n```"
            return
        yield self.found.documentation
        provider = next(iter(self.providers), None)
        if provider is not None:
            yield f"Provided by {provider}, as `{provider.entry_point.value}`."
        for it in self.unused:
            yield (
                f"{it} provides an evaluator of this name too, which is not used: a built-in one "
                "cannot be replaced. Its authors have to name it otherwise."
            )
        yield "## Keys"
        yield "\n".join(_keys(self.found))


def _schema(evaluator: Evaluator) -> dict[str, Any] | None:
    """Return the JSON Schema of an entry; None where a package's model has none."""
    try:
        return evaluator.config.model_json_schema()
    except PydanticInvalidForJsonSchema:
        return None


def _keys(evaluator: Evaluator) -> Iterator[str]:
    for own, info in evaluator.config.model_fields.items():
        field = Field(info.alias or own, info, evaluator.config)
        facts = [field.expected]
        if info.is_required():
            facts.append("required")
        elif info.default not in (None, PydanticUndefined):
            facts.append(f"default `{json.dumps(info.default, ensure_ascii=False, default=str)}`")
        yield f"- `{field.name}` ({', '.join(facts)}): {field.meaning}".removesuffix(": ")


def known_evaluators() -> list[KnownEvaluator]:
    """Return all, the built-in ones first; imports the packages that provide the others."""
    own = [
        KnownEvaluator(it.type, it, unused=third_party.providers().get(it.type, ()))
        for it in registry.EVALUATORS
    ]
    return own + [
        KnownEvaluator(name, found, providers)
        for name, providers in third_party.providers().items()
        if name not in registry.TYPES and (found := third_party.find(name)) is not None
    ]


def evaluator_named(name: str) -> KnownEvaluator | None:
    """Return the one of a type; imports no package but the one that provides it."""
    providers = third_party.providers().get(name, ())
    if name in registry.TYPES:
        built_in = next(it for it in registry.EVALUATORS if it.type == name)
        return KnownEvaluator(name, built_in, unused=providers)
    found = third_party.find(name)
    return KnownEvaluator(name, found, providers) if found is not None else None


def evaluator_names() -> list[str]:
    """Return the types that are built in or that packages provide; nothing is imported."""
    return list(dict.fromkeys([*registry.TYPES, *third_party.providers()]))


def listing() -> Iterator[str]:
    """Yield the lines of a table of all."""
    known = known_evaluators()
    widths = [max(len(it.type) for it in known), max(len(it.origin) for it in known)]
    for it in known:
        yield f"{it.type:<{widths[0]}}  {it.origin:<{widths[1]}}  {it.title}".rstrip()
    yield from registry.shadowed(registry.TYPES)
