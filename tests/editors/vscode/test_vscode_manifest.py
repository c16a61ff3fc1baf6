"""What the VS Code extension says of itself is true of the server it is packaged with."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from suitecase import __version__
from suitecase.lsp import command_names
from suitecase.lsp.settings import Settings

FOLDER = Path(__file__).parents[3] / "editors" / "vscode"
MANIFEST = json.loads((FOLDER / "package.json").read_text())
#: What the extension does itself.
OWN_COMMANDS = {"suitecase.restartServer", "suitecase.showOutput", "suitecase.installServer"}
OWN_SETTINGS = {"suitecase.server.path", "suitecase.trace.server"}


def test_extension_and_server_have_one_version() -> None:
    locked = json.loads((FOLDER / "package-lock.json").read_text())

    assert MANIFEST["version"] == locked["version"] == __version__


def test_every_command_in_the_palette_is_there() -> None:
    offered = {it["command"] for it in MANIFEST["contributes"]["commands"]}
    known = {it for name, it in vars(command_names).items() if name.isupper()}

    assert offered >= OWN_COMMANDS
    assert offered - OWN_COMMANDS <= known


def test_every_setting_is_one_that_the_server_reads() -> None:
    offered = set(MANIFEST["contributes"]["configuration"]["properties"])
    known = {f"suitecase.{it}" for it in names(Settings)}

    assert offered - OWN_SETTINGS <= known


def test_the_lock_file_names_no_registry() -> None:
    assert '"resolved"' not in (FOLDER / "package-lock.json").read_text()


def names(model: type[BaseModel]) -> Iterator[str]:
    for name, field in model.model_fields.items():
        inner: Any = field.annotation
        said = field.alias or name
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            yield from (f"{said}.{it}" for it in names(inner))
        else:
            yield said
