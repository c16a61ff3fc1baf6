"""The files that other editors are given: they start this server, for its files, with what it knows."""

from __future__ import annotations

import json
import re
import tomllib
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest

from suitecase import __version__
from suitecase.format.other_file import NAMED
from suitecase.format.target_places import PLACES
from suitecase.formats.names import NAMED as NAMED_BY_DIALECTS
from suitecase.lsp import command_names
from suitecase.lsp.settings import SECTION, Settings

EDITORS = Path(__file__).parents[2] / "editors"
COMMAND = ["suitecase", "lsp"]
COMMANDS = {it for name, it in vars(command_names).items() if name.isupper()}


def read(path: str) -> Any:
    return json.loads((EDITORS / path).read_text())


def known(options: dict[str, Any]) -> bool:
    """Whether the server knows all options by these names, and takes their values."""
    names = {it.alias for it in Settings.model_fields.values()}
    return set(options) <= names and Settings.model_validate(options) is not None


def test_kate_starts_the_server_for_yaml() -> None:
    ((name, server),) = read("kate/settings.json")["servers"].items()

    assert server["command"] == COMMAND
    assert re.fullmatch(server["highlightingModeRegex"], "YAML")
    assert name == "yaml"  # in the place of Kate's own, which would be started first
    assert known(server["initializationOptions"])


def test_sublime_text_starts_the_server_for_yaml() -> None:
    client = read("sublime/LSP.sublime-settings")["clients"]["suitecase"]

    assert client["enabled"] is True
    assert client["command"] == COMMAND
    assert client["selector"] == "source.yaml"
    assert known(client["initializationOptions"])


@pytest.mark.parametrize(
    "entry", read("sublime/Suitecase.sublime-commands"), ids=lambda it: str(it["caption"])
)
def test_commands_of_sublime_text_are_commands_of_the_server(entry: dict[str, Any]) -> None:
    assert entry["command"] == "lsp_execute"
    assert entry["args"]["session_name"] in read("sublime/LSP.sublime-settings")["clients"]
    assert entry["args"]["command_name"] in COMMANDS
    assert entry["args"]["command_args"][0] == "$file_uri"


def test_the_template_for_jetbrains_starts_the_server_for_its_files() -> None:
    template = read("jetbrains/suitecase/template.json")
    patterns = [it for one in template["fileTypeMappings"] for it in one["fileType"]["patterns"]]

    assert template["programArgs"]["default"].split() == COMMAND
    assert {f"*{it}" for it in NAMED} <= set(patterns)
    for name in (*PLACES, *NAMED_BY_DIALECTS, "cases.jsonl"):
        assert any(fnmatch(Path(name).name, it) for it in patterns), name
    assert known(read("jetbrains/suitecase/initializationOptions.json"))
    assert known(read("jetbrains/suitecase/settings.json")[SECTION])


def test_the_extension_of_zed_starts_the_server_for_its_files() -> None:
    extension = tomllib.loads((EDITORS / "zed/extension.toml").read_text())
    crate = tomllib.loads((EDITORS / "zed/Cargo.toml").read_text())
    settings = read("zed/settings.json")
    (name,) = extension["language_servers"]
    source = (EDITORS / "zed" / crate["lib"]["path"]).read_text()

    assert extension["version"] == crate["package"]["version"] == __version__
    assert f'NAME: &str = "{name}"' in source
    assert f'vec!["{COMMAND[1]}".into()]' in source
    assert extension["language_servers"][name]["languages"] == list(settings["languages"])
    assert settings["file_types"]["YAML"] == [f"*{it}" for it in NAMED]
    assert settings["languages"]["YAML"]["language_servers"][0] == name == COMMAND[0]
    assert known(settings["lsp"][name]["initialization_options"])


def test_the_languages_of_helix_have_suites_of_other_tools() -> None:
    languages = tomllib.loads((EDITORS / "helix/languages.toml").read_text())["language"]
    by_id = {it["language-id"]: [one["glob"] for one in it["file-types"]] for it in languages}

    for name in NAMED_BY_DIALECTS:
        globs = by_id["json" if name.endswith("json") else "yaml"]
        assert any(fnmatch(name, it) for it in globs), name
    for it in languages:
        assert it["language-servers"] == [COMMAND[0]]
        assert (EDITORS / "helix/runtime/queries" / it["name"] / "highlights.scm").is_file()
    everything = [glob for globs in by_id.values() for glob in globs]
    assert not any(fnmatch(name, it) for name in ("package.json", "ci.yaml") for it in everything)


@pytest.mark.parametrize("page", sorted(it.parent.name for it in EDITORS.glob("*/README.md")))
def test_the_index_leads_to_the_page_of_each_editor(page: str) -> None:
    index = Path(__file__).parents[2] / "docs" / "editors" / "README.md"

    assert f"../../editors/{page}/README.md" in index.read_text()
