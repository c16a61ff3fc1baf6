"""Evaluators of other packages: found by metadata, imported when a suite names their type.

A package publishes an evaluator as an entry point of the group `suitecase.evaluators`, whose name
is the type in suites and whose object is an `Evaluator`. What is installed is looked through once
in a process, and only for a type that is not built in; that reads metadata and imports nothing.

What such a package does wrong is said as a problem of that package: it is neither the suite's
fault nor a bug of ours.
"""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler, ValidationError
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from suitecase_evaluators.grade.evaluator import (
    Description,
    EntryProblem,
    Evaluator,
    EvaluatorConfig,
    JudgeCalls,
    Prompt,
    Reading,
    Window,
)
from suitecase_evaluators.targets.sandbox.command import Command

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

#: The group of entry points under which packages publish evaluators.
GROUP = "suitecase.evaluators"
#: The type of the validation error where an evaluator of a package cannot be used.
UNAVAILABLE = "evaluator_unavailable"
#: The maximum length of an exception of a package in a message.
_TOLD = 300


@dataclass(frozen=True, slots=True)
class Provider:
    """A package that says it provides an evaluator type."""

    type: str
    package: str
    version: str
    entry_point: EntryPoint

    def __str__(self) -> str:
        return f"{self.package} {self.version}"


@dataclass(frozen=True, slots=True)
class Unavailable:
    """Why a type that a package provides cannot be used, for people.

    `trace` is Python's account of what the package raised, for its author; empty where it did not.
    """

    message: str
    trace: str = ""


@cache
def providers() -> Mapping[str, tuple[Provider, ...]]:
    """Return the providers of each type, from the metadata of installed packages."""
    from importlib.metadata import distributions

    found: dict[str, dict[str, Provider]] = {}
    for distribution in distributions():
        # Most packages have no entry points, and one whose metadata is broken is not ours to fix.
        if GROUP not in (distribution.read_text("entry_points.txt") or ""):
            continue
        metadata = distribution.metadata
        (package, *_) = metadata.get_all("Name") or ["a package without a name"]
        (version, *_) = metadata.get_all("Version") or ["of no version"]
        for entry_point in distribution.entry_points.select(group=GROUP):
            of_type = found.setdefault(entry_point.name, {})
            # As with imports, the first of two copies on the path is the one that counts.
            of_type.setdefault(
                package.lower().replace("_", "-"),
                Provider(entry_point.name, package, version, entry_point),
            )
    return {
        name: tuple(provider for _, provider in sorted(of_type.items()))
        for name, of_type in sorted(found.items())
    }


def provides(type_name: object) -> bool:
    """Whether an installed package says that it provides this type."""
    return isinstance(type_name, str) and type_name in providers()


def find(type_name: str) -> Evaluator | Unavailable | None:
    """Return the evaluator a package provides for a type, imported the first time it is asked for.

    Returns:
        the evaluator; or why it cannot be used; or None where no package provides this type.
    """
    return _loaded(type_name) if type_name in providers() else None


@cache
def _loaded(type_name: str) -> Evaluator | Unavailable:
    provider, *others = providers()[type_name]
    if others:
        names = " and by ".join(str(other) for other in (provider, *others))
        return Unavailable(
            f"the evaluator type `{type_name}` is provided by {names}; uninstall all but one"
        )
    try:
        # What a package prints while it is imported must not get into the findings.
        with redirect_stdout(sys.stderr):
            loaded = provider.entry_point.load()
            problem = _no_evaluator(loaded, provider)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - another's module may raise anything
        import traceback

        return Unavailable(_cannot_be_loaded(provider, told(error)), traceback.format_exc())
    if problem is not None:
        return Unavailable(_cannot_be_loaded(provider, problem))
    evaluator: Evaluator = loaded
    return evaluator


def _cannot_be_loaded(provider: Provider, reason: str) -> str:
    return (
        f"the evaluator type `{provider.type}` is provided by {provider}, which cannot be loaded: "
        f"{reason}"
    )


def _no_evaluator(loaded: object, provider: Provider) -> str | None:
    """Return why the object of an entry point is not an evaluator of its type; None if it is one."""
    what = f"`{provider.entry_point.value}`"
    if not isinstance(loaded, Evaluator):
        return f"{what} is not an evaluator: decorate an async function with `@evaluator(...)`"
    config = loaded.config
    if not (isinstance(config, type) and issubclass(config, EvaluatorConfig)):
        return f"the configuration of {what} is not a subclass of `EvaluatorConfig`"
    annotation = config.model_fields["type"].annotation
    if get_origin(annotation) is not Literal or get_args(annotation) != (provider.type,):
        return (
            f"`{config.__name__}` must have `type: Literal[{json.dumps(provider.type)}]`, which is "
            "the name of its entry point"
        )
    if not inspect.iscoroutinefunction(loaded.evaluate):
        return f"the function of {what} must be `async def`"
    # Reads all annotations, so that what cannot be understood in them is found here.
    config.model_rebuild()
    return None


def told(error: BaseException) -> str:
    """Return what a package raised, and where, for people."""
    import traceback

    message = " ".join(str(error).split())
    message = message if len(message) <= _TOLD else f"{message[: _TOLD - 1]}…"
    text = f"{type(error).__name__}: {message}" if message else type(error).__name__
    own = [it for it in traceback.extract_tb(error.__traceback__) if not _is_ours(it.filename)]
    if not own or isinstance(error, ImportError):
        return text
    return f"{text} ({'/'.join(Path(own[-1].filename).parts[-2:])}, line {own[-1].lineno})"


def _is_ours(filename: str) -> bool:
    return filename.startswith("<frozen") or Path(__file__).parents[1] in Path(filename).parents


def validated(value: Any) -> EvaluatorConfig:
    """Read an entry of a suite by the configuration of the package that provides its type.

    Raises:
        ValidationError: the entry does not meet it.
        PydanticCustomError: of the type `UNAVAILABLE`: the package cannot be used.
    """
    if isinstance(value, EvaluatorConfig):
        return value
    found = find(value["type"])
    if not isinstance(found, Evaluator):
        message = found.message if found else f"no package provides `{value['type']}`"
        raise _unavailable(message)
    try:
        with redirect_stdout(sys.stderr):
            config = found.config.model_validate(value)
            _try_out(found.description, config)
            return config
    except ValidationError:
        raise
    except Exception as error:
        provider = providers()[value["type"]][0]
        raise _unavailable(
            f"{provider}, which provides the evaluator type `{provider.type}`, failed to read "
            f"this entry: {told(error)}"
        ) from error


def _try_out(description: Description[Any], config: EvaluatorConfig) -> None:
    """Let a package describe an entry, so that its errors are reported here, not in later callers.

    Raises:
        TypeError: it describes it by something else than it should.
    """
    parts: tuple[tuple[str, Iterable[object], type], ...] = (
        ("judge_calls", description.judge_calls(config), JudgeCalls),
        ("members", description.members(config), EvaluatorConfig),
        ("commands", description.commands(config), Command),
        ("prompt", filter(None, [description.prompt(config)]), Prompt),
        ("no_effect", filter(None, [_asked(description.no_effect, config)]), EntryProblem),
        ("unfit", filter(None, [_asked(description.unfit, config, ())]), EntryProblem),
        ("windows", _asked(description.windows, config, ()) or (), Window),
        ("label_of", filter(None, [_asked(description.label_of, config, "")]), str),
        ("lacks_expected", filter(None, [_asked(description.lacks_expected, config, ())]), str),
        ("labels", _asked(description.labels, config) or (), str),
        ("as_graded", [description.as_graded(config, Reading(str, lambda it: it))], type(config)),
    )
    for name, found, expected_type in parts:
        for it in found:
            if not isinstance(it, expected_type):
                raise TypeError(
                    f"`{name}` gives a `{type(it).__name__}`, not a `{expected_type.__name__}`"
                )


def _asked(function: Callable[..., Any] | None, *args: object) -> Any:
    return None if function is None else function(*args)


def _unavailable(message: str) -> PydanticCustomError:
    return PydanticCustomError(UNAVAILABLE, "{message}", {"message": message})


@dataclass(frozen=True, slots=True)
class ThirdPartyEntry:
    """Says in the union of all entries how one of a package is read and described.

    Attributes:
        reserved: the types that are built in.
    """

    reserved: tuple[str, ...]

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        # Without a serializer of its own, so that an entry is written out by its own model.
        return core_schema.no_info_plain_validator_function(validated)

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        base = EvaluatorConfig.model_json_schema()
        return {
            "title": "ThirdPartyEntry",
            "description": "An evaluator of a type that an installed package provides, with the "
            "keys that package knows.",
            "type": "object",
            "properties": {
                **base["properties"],
                "type": {
                    "type": "string",
                    "not": {"enum": list(self.reserved)},
                    "description": "The name under which the package provides the evaluator.",
                },
            },
            "required": ["name", "type"],
        }
