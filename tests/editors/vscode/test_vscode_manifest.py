"""What the VS Code extension says of itself is true of the server it is packaged with."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from suitecase import __version__
from suitecase.format.discovery import TELLING_NAMES
from suitecase.formats.names import NAMED as NAMED_BY_DIALECTS
from suitecase.lsp import command_names
from suitecase.lsp.settings import Settings

FOLDER = Path(__file__).parents[3] / "editors" / "vscode"
MANIFEST = json.loads((FOLDER / "package.json").read_text())
#: What the extension does itself.
OWN_COMMANDS = {
    f"suitecase.{it}"
    for it in ("restartServer", "showOutput", "installServer", "fixAll", "newSuite", "runFiles")
}
OWN_SETTINGS = {"suitecase.server.path", "suitecase.trace.server", "suitecase.gutter"}


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


def test_menus_keys_and_the_walkthrough_name_commands_that_are_there() -> None:
    contributes = MANIFEST["contributes"]
    offered = {it["command"] for it in contributes["commands"]}
    entries = [it for menu in contributes["menus"].values() for it in menu]
    used = {it["command"] for it in [*entries, *contributes["keybindings"]] if "command" in it}
    steps = contributes["walkthroughs"][0]["steps"]
    linked = {it for step in steps for it in re.findall(r"\(command:([\w.]+)\)", json.dumps(step))}

    assert used <= offered
    assert {it for it in linked if it.startswith("suitecase.")} <= offered


def test_every_file_that_is_named_is_there_and_packaged() -> None:
    text = json.dumps(MANIFEST["contributes"])
    named = set(
        re.findall(r'"(?:\./)?((?:media|syntaxes|schemas)/[^"]+|[\w-]+\.(?:png|json))"', text)
    )
    packaged = MANIFEST["files"]

    assert len(named) > 10
    for it in named:
        assert any(it == file or it.startswith(f"{file}/") for file in packaged), it
        # The schemas are copied from the repository's when the extension is built.
        home = FOLDER if not it.startswith("schemas/") else FOLDER.parents[1]
        assert (home / it).is_file(), it


def test_the_page_of_the_extension_tells_of_every_setting() -> None:
    page = (FOLDER / "README.md").read_text()
    for setting in MANIFEST["contributes"]["configuration"]["properties"]:
        group = re.sub(r"(inlayHints)\..+", r"\1.*", setting)
        assert f"`{group}`" in page, setting


def test_the_lock_file_names_no_registry() -> None:
    assert '"resolved"' not in (FOLDER / "package-lock.json").read_text()


def test_the_extension_is_activated_by_every_name_that_shows_a_workspace_with_suites() -> None:
    events = MANIFEST["activationEvents"]
    globs = [one for it in events for one in alternatives(it.removeprefix("workspaceContains:**/"))]

    # Data sets with a sidecar have no other name in common.
    for name in (*TELLING_NAMES, "*.jsonl"):
        example = name.replace("*", "some.name")
        assert any(fnmatch(example, it) for it in globs), name
    assert not any(fnmatch(name, it) for name in ("package.json", "ci.yaml") for it in globs)


def test_the_server_is_offered_where_names_show_suites() -> None:
    source = (FOLDER / "src" / "has_suites.ts").read_text()
    ((glob,),) = (
        re.findall(r"\{(.*)\}", "".join(re.findall(r'"(.*?)"', source.split("TELLING =")[1]))),
    )
    telling = glob.split(",")
    # These are names of other files as well.
    vague = {"dataset.yaml", "dataset.yml", "targets.yaml", "targets.yml"}

    for name in set(TELLING_NAMES) - vague:
        example = name.replace("*", "some.name")
        assert any(fnmatch(example, it) for it in telling), name
    assert not any(fnmatch(name, it) for name in vague for it in telling)


def test_steps_of_the_walkthrough_are_completed_by_what_the_extension_tells() -> None:
    steps = MANIFEST["contributes"]["walkthroughs"][0]["steps"]
    source = (FOLDER / "src" / "walkthrough.ts").read_text()
    (listed,) = re.findall(r"STEPS = \[(.*?)\]", source)
    awaited = {
        event.removeprefix("onContext:suitecase.did.")
        for step in steps
        for event in step["completionEvents"]
        if event.startswith("onContext:")
    }

    assert awaited == set(re.findall(r'"(\w+)"', listed))
    assert all(step["completionEvents"] for step in steps)


def test_suites_of_other_tools_keep_their_languages() -> None:
    for language in MANIFEST["contributes"]["languages"]:
        for name in NAMED_BY_DIALECTS:
            assert not any(fnmatch(name, it) for it in language.get("filenamePatterns", []))


def alternatives(glob: str) -> Iterator[str]:
    """Return the globs that one with alternatives in braces stands for."""
    before, brace, rest = glob.partition("{")
    if not brace:
        yield glob
        return
    inside, _, after = rest.partition("}")
    for it in inside.split(","):
        yield from alternatives(before + it + after)


def names(model: type[BaseModel]) -> Iterator[str]:
    for name, field in model.model_fields.items():
        inner: Any = field.annotation
        said = field.alias or name
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            yield from (f"{said}.{it}" for it in names(inner))
        else:
            yield said


def test_words_of_the_text_are_not_suggested_in_suites() -> None:
    """Most of a suite is prose, in which Enter ends a line and takes no word of another line."""
    defaults = MANIFEST["contributes"]["configurationDefaults"]["[suitecase]"]
    assert defaults["editor.wordBasedSuggestions"] == "off"
    assert defaults["editor.quickSuggestions"]["comments"] is False
