"""What is secret where results are shown: of the environment, and of the files that configure targets.

A run removes its own secrets, but results that were made elsewhere may have those of here. Whatever
shows results gets its redactor from here.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from suitecase.format.target_places import PLACES, PROVIDER_PLACES, first_of
from suitecase.format.workspace import Unreadable, Workspace, find_root
from suitecase.text.lines import Lines
from suitecase.text.working_directory import absolute_path, working_directory
from suitecase_evaluators.system.path_kinds import is_file, is_folder
from suitecase_evaluators.targets.secrets import concealed_line

if TYPE_CHECKING:
    from suitecase.text.document import Document

    # Its patterns take long to compile, and most files that are checked have no secrets.
    from suitecase_evaluators.targets.redactor import Redactor

#: Keys of a configuration of another tool with texts, and with tests, which may have providers of their own.
_TEXTS = frozenset({"prompts", "vars", "description", "metadata"})
_TESTS = frozenset({"tests", "scenarios"})
#: The lists of entries, each of which is a target.
_LISTS = ("targets", "providers")
#: Files of other tools that may be both, a suite and the configuration of its targets.
_CONFIGURATIONS = (".yaml", ".yml", ".json")
#: What a file has that configures targets; our own suites, which may be long, do not have it.
_CONFIGURES = re.compile(
    r"""^(?:targets|providers|env)[ \t]*:|"(?:targets|providers|env)"[ \t]*:""", re.MULTILINE
)
#: So many lines above one tell whether a key is written on it.
_LINES_ABOVE = 10


class WorkspaceSecrets:
    """The secrets where some results lie, and those of the suites that they are of.

    Attributes:
        redact: removes them from texts. It knows those of the environment and of the targets files of
            the workspaces, and those of suites once `add_suite` was called.
    """

    def __init__(self, *places: Path) -> None:
        """
        Args:
            places: the results files, or folders with some. The working directory counts, too.
        """
        from suitecase_evaluators.targets.redactor import Redactor

        self.redact = Redactor()
        self.redact.remember_environment(os.environ)
        here = working_directory()
        self._workspaces: dict[Path, Workspace] = {}
        self._read: set[Path] = set()
        self._suites: set[str] = set()
        for place in (*places, here):
            # Of a folder, the workspace is that of a file in it.
            folder = absolute_path(place) if is_folder(place) else absolute_path(place).parent
            root = find_root(folder / "any", here)
            self._workspaces.setdefault(root, Workspace(root))
            self._add_files_above(self._workspaces[root], folder)

    def add_suites(self, suites: Iterable[str]) -> None:
        """Add what the targets of suites have for secrets; `add_suite` for each."""
        for suite in suites:
            self.add_suite(suite)

    def add_suite(self, suite: str) -> None:
        """Add what the targets of a suite have for secrets.

        Args:
            suite: its path as records have it.
        """
        if suite in self._suites:
            return
        self._suites.add(suite)
        for workspace in self._workspaces.values():
            path = Path(os.path.normpath(workspace.root / suite))
            # One that is not here any more has no secrets, and may be any name that a record has.
            if "\0" in suite or not is_folder(path.parent) or not workspace.holds(path):
                continue
            self._add_files_above(workspace, path.parent)
            if path.suffix in _CONFIGURATIONS and is_file(path):
                self._add_file(workspace, path)

    def _add_files_above(self, workspace: Workspace, folder: Path) -> None:
        for places in (PLACES, PROVIDER_PLACES):
            path = first_of(places, workspace, folder)
            if path is not None:
                self._add_file(workspace, path)

    def _add_file(self, workspace: Workspace, path: Path) -> None:
        if path in self._read:
            return
        self._read.add(path)
        text = workspace.read(path)
        if isinstance(text, Unreadable) or _CONFIGURES.search(text) is None:
            return
        _remember_file(self.redact, text, os.environ)


def remember_configuration(
    redact: Redactor, configuration: Mapping[str, Any], environ: Mapping[str, str]
) -> None:
    """Keep out of all texts what is secret of a targets file, or of a configuration of another tool.

    Variables that it sets itself count like those of `environ`.
    """
    from suitecase_evaluators.targets.configured_secrets import remember_settings

    known = {**environ, **_variables_in(configuration)}
    for settings in _settings_of(configuration):
        remember_settings(redact, settings, {**known, **_variables_in(settings)})


def _variables_in(settings: Mapping[str, Any]) -> dict[str, str]:
    own = settings.get("env")
    pairs = own.items() if isinstance(own, Mapping) else ()
    return {name: value for name, value in pairs if isinstance(value, str)}


def written_secrets(text: str | Lines, head: str | None = None) -> Redactor | None:
    """Return what removes the secrets that stand in a file; None if it configures no targets.

    Args:
        text: the file.
        head: what it has beside its cases, which may be many; None where that is not known.
    """
    searched = str(text) if head is None else head
    return None if _CONFIGURES.search(searched) is None else secrets_in(str(text))


@lru_cache(maxsize=4)
def secrets_in(text: str) -> Redactor:
    """Return what removes the secrets that stand in a file that configures targets."""
    from suitecase_evaluators.targets.redactor import Redactor

    redact = Redactor()
    _remember_file(redact, text, {})
    return redact


def _remember_file(redact: Redactor, text: str, environ: Mapping[str, str]) -> None:
    """Keep out of all texts what is secret of a file, also as it is written there."""
    from suitecase.format.comments import scalars_in

    document = _parsed(text)
    remember_configuration(redact, _configuration_of(document), environ)
    contents = [document.head.content, *document.cases.contents]
    scalars = [
        (scalar, content.text) for content in contents for scalar in scalars_in(content.node)
    ]
    for scalar, _ in scalars:
        if "://" in scalar.text:
            redact.remember_environment({"": scalar.text})
    for scalar, source in scalars:
        written = source[scalar.start : scalar.end]
        if scalar.text not in written and redact.spans(scalar.text):
            # With escapes, or over several lines, which are shown one by one.
            for line in written.splitlines():
                redact.remember(line.strip().strip("\"'"))


def line_without_secrets(lines: Lines, number: int, secrets: Redactor | None) -> str:
    """Return a line of a file, counted from 0, with asterisks for each character of the keys in it.

    Args:
        secrets: what `written_secrets` returns for the file.
    """
    above = map(lines.text, range(number - 1, max(-1, number - 1 - _LINES_ABOVE), -1))
    text = _concealed_line(lines.text(number), tuple(above))
    return text if secrets is None else secrets.masked(text)


@lru_cache(maxsize=4)
def _concealed_line(line: str, above: tuple[str, ...]) -> str:
    # Thousands of findings may lie on a long line.
    return concealed_line(line, above)


def _parsed(text: str) -> Document:
    # Parsing takes long to import, and most folders with results have no such file.
    from suitecase.format.case_list_keys import CASE_LIST_KEYS
    from suitecase.text.parsing import parse

    return parse(text, CASE_LIST_KEYS)


def _configuration_of(document: Document) -> dict[str, Any]:
    """Return what is in a file but for tests without providers; of one with errors, what still parses."""
    from suitecase.text.node import plain

    node = document.head.content.node
    whole = plain(node) if node is not None else None
    tests = [
        plain(content.node)
        for content in document.cases.contents
        if content.node is not None and "provider" in content.text
    ]
    return {**(whole if isinstance(whole, dict) else {}), "tests": tests}


def _settings_of(configuration: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield each target of a configuration, and its other settings."""
    rest = {name: value for name, value in configuration.items() if name not in _TEXTS | _TESTS}
    for name in _LISTS:
        listed = rest.pop(name, None)
        if isinstance(listed, Mapping):
            listed = list(listed.values())
        for entry in listed if isinstance(listed, list) else [listed]:
            if isinstance(entry, Mapping):
                yield entry
            elif isinstance(entry, str):
                yield {"id": entry}
    yield rest
    yield from _providers_in([configuration.get(name) for name in _TESTS])


def _providers_in(tests: Any) -> Iterator[Mapping[str, Any]]:
    pending = [tests]
    while pending:
        found = pending.pop()
        if isinstance(found, list):
            pending += found
        elif isinstance(found, Mapping):
            pending += (value for name, value in found.items() if name not in _TEXTS)
            if isinstance(provider := found.get("provider"), Mapping):
                yield provider
