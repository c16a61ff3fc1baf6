"""The configuration of a workspace: `suitecase.toml`, or a table in `pyproject.toml`."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from suitecase.format.workspace import (
    LEADS_OUT,
    Unreadable,
    Workspace,
    configures_suitecase,
    read_text,
)
from suitecase.schema.validation import ValidationIssue
from suitecase.text.cache import Cache
from suitecase.text.node import Mapping, Node, Scalar, Sequence
from suitecase_evaluators.system.path_kinds import is_file

if TYPE_CHECKING:  # most workspaces have no configuration, and the imports are slow
    from suitecase.format.settings import Configuration
    from suitecase.text.toml_text import TomlError

OWN_FILE = "suitecase.toml"
PROJECT_FILE = "pyproject.toml"
TABLE = ("tool", "suitecase")


@dataclass(frozen=True, slots=True, eq=False)
class ParsedConfiguration:
    """A configuration with its places.

    `model` has the valid settings. Problems of the others are the `error` of the text or in
    `issues`; `unreadable` says why the text could not be read.
    """

    path: Path
    text: str
    node: Mapping
    model: Configuration
    issues: tuple[ValidationIssue, ...] = ()
    error: TomlError | None = None
    unreadable: str | None = None

    @property
    def sound(self) -> bool:
        """Whether the file is a valid configuration; the rules that it names may still be unknown."""
        return not self.issues and self.error is None and self.unreadable is None

    def relative(self, path: Path) -> str:
        """Return a path relative to this file's folder with slashes, as patterns match it."""
        return Path(os.path.relpath(path, self.path.parent)).as_posix()

    def excludes(self, path: Path, *, folder: bool = False) -> bool:
        return self._matches(path, self.model.exclude, folder=folder)

    def includes(self, path: Path) -> bool | None:
        """Whether a file is a suite by the patterns; None if there are none."""
        include = self.model.include
        return None if include is None else self._matches(path, include)

    def _matches(self, path: Path, patterns: Iterable[str], *, folder: bool = False) -> bool:
        from suitecase.text.path_pattern import matches

        relative = self.relative(path) + ("/" if folder else "")
        return any(matches(relative, pattern) for pattern in patterns)

    def rule_names(self) -> list[Scalar]:
        """Return every place that names a rule."""
        lists = [self.node.get("select"), self.node.get("ignore")]
        per_file = self.node.get("per-file-ignores")
        if isinstance(per_file, Mapping):
            lists += [entry.value for _, entry in per_file]
        named = [item for it in lists if isinstance(it, Sequence) for item in it.items]
        severity = self.node.get("severity")
        if isinstance(severity, Mapping):
            named += [entry.key for _, entry in severity]
        return [it for it in named if isinstance(it, Scalar) and isinstance(it.value, str)]


#: The configuration for each folder.
_CONFIGURATION: Cache[dict[Path, ParsedConfiguration | None]] = Cache()


def find_configuration(workspace: Workspace, folder: Path) -> ParsedConfiguration | None:
    """Return the configuration for a folder: the nearest one, up to the root."""
    by_folder = _CONFIGURATION.of(workspace, dict)
    if folder not in by_folder:
        by_folder[folder] = _find(workspace, folder)
    return by_folder[folder]


def _find(workspace: Workspace, folder: Path) -> ParsedConfiguration | None:
    if folder == workspace.root or not folder.is_relative_to(workspace.root):
        return _in_folder(folder, folder)
    return _in_folder(folder, workspace.root) or find_configuration(workspace, folder.parent)


def _in_folder(folder: Path, root: Path) -> ParsedConfiguration | None:
    for name in (OWN_FILE, PROJECT_FILE):
        path = folder / name
        if not is_file(path):
            continue
        text = read_text(path, within=root)
        if isinstance(text, Unreadable):
            if name == OWN_FILE or (text.reason == LEADS_OUT and configures_suitecase(folder)):
                return _empty(path, "", unreadable=text.reason)
        elif name == OWN_FILE or "suitecase" in text:
            found = read_configuration(path, text)
            if found is not None:
                return found
    return None


@lru_cache(maxsize=16)
def read_configuration(path: Path, text: str) -> ParsedConfiguration | None:
    """Read a configuration; None if a `pyproject.toml` has no table of ours."""
    from suitecase.format.settings import Configuration
    from suitecase.schema.validation import validate
    from suitecase.text.toml_text import TomlError, read_toml

    root = read_toml(text)
    own = path.name != PROJECT_FILE
    if isinstance(root, TomlError):
        is_ours = own or "[tool.suitecase" in text
        return _empty(path, text, error=root) if is_ours else None
    node: Node | None = root
    if not own:
        for name in TABLE:
            node = node.get(name) if isinstance(node, Mapping) else None
    if node is None:
        return None
    if not isinstance(node, Mapping):
        return _empty(path, text, error=TomlError(node.span, "`tool.suitecase` must be a table"))
    model, issues = validate(node, Configuration)
    if model is None:
        wrong = {issue.path[0] for issue in issues if issue.path}
        sound = {name: it for name, it in node if name not in wrong}
        model, _ = validate(Mapping(node.start, node.end, sound, flow=False), Configuration)
    return ParsedConfiguration(path, text, node, model or Configuration(), tuple(issues))


def _empty(
    path: Path, text: str, *, error: TomlError | None = None, unreadable: str | None = None
) -> ParsedConfiguration:
    from suitecase.format.settings import Configuration

    nothing = Mapping(0, 0, {}, flow=False)
    return ParsedConfiguration(
        path, text, nothing, Configuration(), error=error, unreadable=unreadable
    )
