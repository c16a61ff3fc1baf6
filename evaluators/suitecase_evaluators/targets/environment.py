"""Replaces `${{ NAME }}` with values of the environment, and registers them with the redactor."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from pydantic import ValidationError

from suitecase_evaluators.schema.validation_words import in_words
from suitecase_evaluators.targets.config.target import TargetConfig
from suitecase_evaluators.targets.configured_secrets import remember_settings
from suitecase_evaluators.targets.redactor import Redactor
from suitecase_evaluators.targets.target import TargetError
from suitecase_evaluators.targets.variable_names import PLACEHOLDER

C = TypeVar("C", bound=TargetConfig)


def placeholders(config: TargetConfig) -> tuple[str, ...]:
    """Return the variables a configuration names, each once, in the order of its fields."""
    values = config.model_dump(exclude_unset=True)
    found = [name for _, text in _texts(values, "") for name in PLACEHOLDER.findall(text)]
    return tuple(dict.fromkeys(found))


def sent_with_settings(config: TargetConfig) -> tuple[str, ...]:
    """Return the variables whose values are sent with the settings of a target, each once."""
    return tuple(dict.fromkeys((*placeholders(config), *config.filled_in)))


def resolve(config: C, environ: Mapping[str, str], redactor: Redactor | None = None) -> C:
    """Return a configuration with every placeholder filled in.

    A variable that is set but empty counts as missing: an empty key only fails later.

    Args:
        redactor: is told what is secret of it (see `remember_settings`), also where this raises.

    Raises:
        TargetError: variables are missing, or hold something that does not fit their place.
    """
    if redactor is not None:
        remember_settings(redactor, config.written, environ)
    missing = [name for name in placeholders(config) if not environ.get(name)]
    if missing:
        variables = ", ".join(missing)
        raise TargetError(
            f"target `{config.name}`: the environment has no {variables}, which "
            f"{'its entry names' if len(missing) == 1 else 'are named in its entry'}; "
            f"set {'it' if len(missing) == 1 else 'them'} and run again",
            kind="configuration",
        )
    values = config.model_dump(exclude_unset=True)
    filled = _filled(values, lambda text: PLACEHOLDER.sub(lambda it: environ[it[1]], text))
    try:
        # Not strict: where a number is wanted, the environment has it as text.
        return type(config).model_validate(filled, strict=False)
    except ValidationError as error:
        raise TargetError(
            f"target `{config.name}`: invalid value in the environment: "
            + "; ".join(_misfit(values, it) for it in error.errors(include_input=False)),
            kind="configuration",
        ) from None  # the cause would show the value


def _misfit(values: Mapping[str, Any], error: Any) -> str:
    """Name the field of an error and the variables it is filled from, but not their values."""
    names = [str(it) for it in error["loc"] if not str(it).startswith("<")]
    place = values.get(names[0]) if names else None
    variables = [it for _, text in _texts(place, "") for it in PLACEHOLDER.findall(text)]
    origin = f" (from {', '.join(variables)})" if variables else ""
    return f"`{'.'.join(names) or 'the entry'}`{origin} {in_words(error['type'], error['msg'], error.get('ctx', {}))}"


def _texts(value: Any, field: str) -> Iterator[tuple[str, str]]:
    """Yield every text in a value with the name of its outermost field."""
    match value:
        case str():
            yield field, value
        case dict():
            for name, inner in value.items():
                yield from _texts(inner, field or str(name))
        case list() | tuple():
            for inner in value:
                yield from _texts(inner, field)


def _filled(value: Any, fill: Callable[[str], str]) -> Any:
    match value:
        case str():
            return fill(value)
        case dict():
            return {name: _filled(it, fill) for name, it in value.items()}
        case list() | tuple():
            return [_filled(it, fill) for it in value]
        case _:
            return value
