"""The user's configuration of every run on this machine, in every workspace.

`suitecase/suitecase.toml` in the user's configuration folder has only a table `[sandbox]`, since
the results of suites must not depend on who runs them.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, Field, ValidationError

from suitecase.format.configuration import OWN_FILE
from suitecase.format.sandbox_warnings import loosened
from suitecase.format.settings import SandboxSettings
from suitecase.format.workspace import Unreadable, read_text
from suitecase.text.compose import TOO_DEEP_MESSAGE
from suitecase_evaluators.schema.model import Model
from suitecase_evaluators.system.path_kinds import is_file, may_be_file, real_path, registered_home


class UserConfigurationError(Exception):
    """The user configuration, or an option, is invalid."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class UserConfiguration(Model):
    """The content of the user configuration."""

    model_config = ConfigDict(populate_by_name=False)

    sandbox: SandboxSettings = Field(default_factory=SandboxSettings)


def user_file() -> Path | None:
    """Return the path of the user configuration, whether it exists or not."""
    if sys.platform == "win32":
        folder = os.environ.get("APPDATA", "")
    else:
        folder = os.environ.get("XDG_CONFIG_HOME", "")
    if folder and Path(folder).is_absolute():
        return Path(folder) / "suitecase" / OWN_FILE
    home = _home()
    return None if home is None else home / ".config" / "suitecase" / OWN_FILE


def _home() -> Path | None:
    """Return the home folder of the user; one that is relative is that of the user database."""
    with suppress(RuntimeError):
        if Path.home().is_absolute():
            return Path.home()
    home = Path(registered_home())
    return home if home.is_absolute() else None


def user_sandbox(overrides: dict[str, Any], root: Path) -> tuple[SandboxSettings, SandboxSettings]:
    """Return the sandbox settings of the user, with absolute paths.

    Args:
        overrides: settings of the command line, which take precedence over the file.
        root: the root of the workspace. What starts a run may say that it is a home, and a file within it is as
            much the workspace's as the user's: it can only tighten the sandbox.

    Returns:
        the settings; and those of such a file, which would loosen it and do not count.

    Raises:
        UserConfigurationError: the file cannot be read, or has invalid settings.
    """
    path = user_file()
    settings = {} if path is None else _settings_in(path)
    left_out: dict[str, Any] = {}
    if path is not None and real_path(path).is_relative_to(real_path(root)):
        theirs = SandboxSettings.model_validate(settings)
        for name in loosened(theirs, SandboxSettings()):
            key = SandboxSettings.model_fields[name].alias or name
            left_out[key] = settings.pop(key)
    for name in ("readable", "writable"):
        overrides = {**overrides, name: [*settings.get(name, []), *overrides.get(name, [])]}
    own = SandboxSettings.model_validate({**settings, **overrides})
    return own, SandboxSettings.model_validate(left_out)


def _settings_in(path: Path) -> dict[str, Any]:
    if not may_be_file(path):
        return {}
    import tomllib

    text = read_text(path)
    if isinstance(text, Unreadable):
        # Programs of containers may have the home folder of another user.
        hint = "" if is_file(path) else "; set XDG_CONFIG_HOME to a folder that you may read"
        raise UserConfigurationError(f"{path} cannot be read: {text.reason}{hint}")
    try:
        read = UserConfiguration.model_validate(tomllib.loads(text)).sandbox
    except tomllib.TOMLDecodeError as error:
        raise UserConfigurationError(f"{path} is not valid TOML: {error}") from error
    except RecursionError:
        raise UserConfigurationError(f"{path}: {TOO_DEEP_MESSAGE}") from None
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
    """Return the absolute path of a path relative to a folder, with `~` for the home folder."""
    return str(real_path(folder / Path(place).expanduser()))
