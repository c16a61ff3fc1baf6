"""`--sandbox SETTING=VALUE`: how the user wants programs to be held in one run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from pydantic import ValidationError

from suitecase.suite.settings import SandboxSettings
from suitecase.suite.user_configuration import absolute

#: Settings by the names they have in a configuration.
_SETTINGS = {field.alias or name: name for name, field in SandboxSettings.model_fields.items()}
#: Settings that are lists: each time adds to them.
_FOLDERS = ("readable", "writable")


def sandbox_settings(
    context: click.Context, parameter: click.Parameter, given: Sequence[str]
) -> dict[str, Any]:
    """Return the settings that were given, as `[sandbox]` of a configuration has them.

    Raises:
        click.BadParameter: there is no such setting, or it cannot have that value.
    """
    settings: dict[str, Any] = {}
    for it in given:
        name, equals, value = it.partition("=")
        if name not in _SETTINGS or not equals or not value:
            known = ", ".join(_SETTINGS)
            raise click.BadParameter(f"`{it}` is not SETTING=VALUE with one of {known}")
        if name in _FOLDERS:
            place = absolute(value, Path.cwd())
            if not Path(place).is_dir():
                raise click.BadParameter(f"there is no folder `{value}`")
            settings.setdefault(name, []).append(place)
        else:
            settings[name] = int(value) if value.isdecimal() else value
        try:
            SandboxSettings.model_validate(settings)
        except ValidationError as error:
            said = error.errors()[0]["msg"]
            said = said[:1].lower() + said[1:]
            raise click.BadParameter(f"`{name}` cannot be `{value}`: {said}") from error
    return settings
