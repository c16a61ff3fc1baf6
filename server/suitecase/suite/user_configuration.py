"""What a user asks of every run on this machine, whatever a workspace says.

`suitecase/suitecase.toml` in the folder for configurations has a table `[sandbox]` and nothing else:
what suites come to must not depend on who checks them.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, Field, ValidationError

from suitecase.suite.configuration import OWN_FILE
from suitecase.suite.settings import SandboxSettings
from suitecase.suite.workspace import Unreadable, read_text
from suitecase_evaluators.model import Model


class UserConfigurationError(Exception):
    """The user's own configuration, or a setting of the command line, cannot be what it is."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class UserConfiguration(Model):
    """The file of a user."""

    model_config = ConfigDict(populate_by_name=False)

    sandbox: SandboxSettings = Field(default_factory=SandboxSettings)


def user_file() -> Path | None:
    """Return where the user's own configuration lies, be it there or not."""
    if sys.platform == "win32":
        folder = os.environ.get("APPDATA", "")
    else:
        folder = os.environ.get("XDG_CONFIG_HOME", "")
    if folder and Path(folder).is_absolute():
        return Path(folder) / "suitecase" / OWN_FILE
    try:
        return Path.home() / ".config" / "suitecase" / OWN_FILE
    except RuntimeError:
        return None


def user_sandbox(overrides: dict[str, Any]) -> SandboxSettings:
    """Return how the user wants programs to be held; every path in it is absolute.

    Args:
        asked: settings of the command line, which go before those of the file.

    Raises:
        UserConfigurationError: the file cannot be read, or has settings that cannot be.
    """
    path = user_file()
    settings = {} if path is None else _settings_in(path)
    for name in ("readable", "writable"):
        overrides = {**overrides, name: [*settings.get(name, []), *overrides.get(name, [])]}
    return SandboxSettings.model_validate({**settings, **overrides})


def _settings_in(path: Path) -> dict[str, Any]:
    import tomllib

    if not path.is_file():
        return {}
    text = read_text(path)
    if isinstance(text, Unreadable):
        raise UserConfigurationError(f"{path} cannot be read: {text.reason}")
    try:
        read = UserConfiguration.model_validate(tomllib.loads(text)).sandbox
    except tomllib.TOMLDecodeError as error:
        raise UserConfigurationError(f"{path} is not valid TOML: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        setting = ".".join(map(str, first["loc"]))
        raise UserConfigurationError(
            f"{path}: invalid setting `{setting}` ({first['msg']}); the user configuration can only "
            "have settings under `[sandbox]`"
        ) from error
    settings = read.model_dump(by_alias=True, exclude_unset=True)
    for name in ("readable", "writable"):
        if name in settings:
            settings[name] = [absolute(it, path.parent) for it in settings[name]]
    return settings


def absolute(place: str, folder: Path) -> str:
    """Return a path that a user wrote, from a folder on, with `~` for the home folder."""
    return str((folder / Path(place).expanduser()).resolve())
