"""The options `--sandbox` and `--require-sandbox` of commands that start programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from suitecase.cli.options import SingleValueCommand, with_value
from suitecase.text.working_directory import working_directory
from suitecase_evaluators.answers.sandbox_level import Level
from suitecase_evaluators.system.path_kinds import DENIED, is_folder, may_be_folder

_Command = TypeVar("_Command", bound=Callable[..., Any])

#: The values of `--require-sandbox`.
_LEVELS = tuple(it.value for it in Level if it is not Level.NONE)
#: Settings that are lists: each time adds to them.
_FOLDERS = ("readable", "writable")


def sandbox_settings(
    context: click.Context, parameter: click.Parameter, values: Sequence[str]
) -> dict[str, Any]:
    """Return the settings as in `[sandbox]` of a configuration.

    Raises:
        click.BadParameter: there is no such setting, or the value is invalid.
    """
    if not values:
        return {}
    from pydantic import ValidationError

    from suitecase.format.settings import SandboxSettings
    from suitecase.format.user_configuration import absolute

    names = {field.alias or name: name for name, field in SandboxSettings.model_fields.items()}
    settings: dict[str, Any] = {}
    for text in values:
        name, equals, value = text.partition("=")
        if name not in names or not equals or not value:
            raise click.BadParameter(
                f"`{text}` is not SETTING=VALUE with one of {', '.join(names)}"
            )
        if name in _FOLDERS:
            place = absolute(value, working_directory())
            if not is_folder(Path(place)):
                is_denied = may_be_folder(Path(place))
                why = f"`{value}`: {DENIED}" if is_denied else f"there is no folder `{value}`"
                raise click.BadParameter(why)
            settings.setdefault(name, []).append(place)
        else:
            settings[name] = int(value) if value.removeprefix("-").isdecimal() else value
        try:
            SandboxSettings.model_validate(settings)
        except ValidationError as error:
            message = error.errors()[0]["msg"]
            message = message[:1].lower() + message[1:]
            raise click.BadParameter(f"`{name}` cannot be `{value}`: {message}") from error
    return settings


class SandboxCommand(SingleValueCommand):
    """Takes what follows `--require-sandbox` for its value only where it is a level."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, with_level(args))


def with_level(args: Sequence[str]) -> list[str]:
    """Return the arguments of a command with a level after each `--require-sandbox`."""
    isolated = Level.ISOLATED.value
    return with_value(args, "--require-sandbox", isolated, is_value=_LEVELS.__contains__)


def sandbox_options(command: _Command) -> _Command:
    """Add the options to a command of the class `SandboxCommand`."""
    require = click.option(
        "--require-sandbox",
        metavar="[LEVEL]",
        type=click.Choice(_LEVELS),
        help="Refuse to run if a program's level would be lower than LEVEL: limits, networked "
        "(isolated, but with the network) or isolated (the default).",
    )
    settings = click.option(
        "--sandbox",
        metavar="SETTING=VALUE",
        multiple=True,
        callback=sandbox_settings,
        help="Set a setting of [sandbox], whatever the workspace asks for, such as "
        "`scripts=networked`, `memory-mb=16000` or `writable=FOLDER`. Can be repeated.",
    )
    return require(settings(command))
