"""Validates the configuration of a target, and reports a problem at the key of the provider."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeVar

from pydantic import ValidationError

from suitecase.formats.promptfoo.running.providers.settings import SettingError
from suitecase_evaluators.schema.validation_words import in_words
from suitecase_evaluators.targets.config.target import TargetConfig

C = TypeVar("C", bound=TargetConfig)

#: The keys of a provider, by the fields of a target that are named otherwise.
_KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "max_output_tokens": ("config", "max_tokens"),
    "api_base": ("config", "apiBaseUrl"),
    "api_key": ("config", "apiKey"),
    "price": ("config", "cost"),
    "retry": ("config", "maxRetries"),
    "name": ("label",),
    "rate_limit": ("delay",),
}


def validated(kind: type[C], values: Mapping[str, Any]) -> C:
    """Return the configuration of a target; fields without a value have their default.

    Raises:
        SettingError: a value is not valid.
    """
    try:
        return kind.model_validate({name: it for name, it in values.items() if it is not None})
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        field = str(first["loc"][0])
        keys = _KEYS.get(field, ("config", field))
        words = in_words(first["type"], first["msg"], first.get("ctx", {}))
        raise SettingError(f"`{_shown(keys, first['loc'])}` {words}", *keys) from None


def _shown(keys: tuple[str, ...], location: tuple[int | str, ...]) -> str:
    """Return the place of a value: the key of the provider, or the path below a key of the same name."""
    if keys[-1] != location[0]:
        return keys[-1]
    return ".".join(str(it) for it in location if not str(it).startswith("<"))
