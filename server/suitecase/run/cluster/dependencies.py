"""The files of the workspace that grading depends on, which a run on a cluster sends.

Those that effective hashes cover, and besides them what programs are likely to open: every file and
folder that a command line names, and the modules that a Python script imports from its own folder.
What a program opens otherwise has to be named with `--cluster-file`.
"""

from __future__ import annotations

import ast
import os
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from suitecase.format.workspace import Workspace
from suitecase.run.cluster.errors import ClusterError
from suitecase_evaluators.system.path_kinds import is_file, is_folder

#: The number of files in messages.
_NAMED = 5


@dataclass(slots=True)
class Dependencies:
    """The files and folders of a workspace that a run needs on another machine.

    Folders are those that programs start in; of others, the files count.
    """

    workspace: Workspace
    files: set[Path] = field(default_factory=set)
    folders: set[Path] = field(default_factory=set)
    outside: set[Path] = field(default_factory=set)
    #: Files of the workspace that command lines name by a path that holds on this machine alone.
    absolute: set[Path] = field(default_factory=set)

    def add(self, paths: Iterable[Path]) -> None:
        """Add files, and all files of folders; what lies outside is noted for `require_inside`."""
        for path in paths:
            if not self.workspace.holds(path):
                self.outside.add(path)
            elif is_folder(path):
                self.folders.add(path)
                self.add(_files_below(path))
            elif is_file(path) and path not in self.files:
                self.files.add(path)
                if path.suffix == ".py":
                    self.add(_imported(path, self.workspace.root))

    def add_command(self, line: str | Sequence[str], folder: Path) -> None:
        """Add what a command line names in the workspace, and the folder that it starts in.

        An absolute path outside the workspace is taken for one that each machine has, such as that
        of a program of the system.

        Args:
            line: the command line, or a program and its arguments.
            folder: the folder that it starts in.
        """
        if self.workspace.holds(folder):
            self.folders.add(folder)
        for word in _words(line):
            path = Path(os.path.normpath(folder / word))
            if Path(word).is_absolute() and self.workspace.holds(path):
                self.absolute.add(path)
            # A program's own folder, and those above it, are rather where it works.
            if folder.is_relative_to(path):
                continue
            if self.workspace.holds(path) or (not Path(word).is_absolute() and is_file(path)):
                self.add([path])

    def require_sendable(self) -> None:
        """Make sure that machines can be sent everything.

        Raises:
            ClusterError: something is outside the workspace, or named by an absolute path.
        """
        root = self.workspace.root
        if self.outside:
            raise ClusterError(
                f"only files in the workspace ({root}) are sent to a cluster, and this run depends on "
                f"others: {_listed(self.outside)}. Move or copy them into the workspace; nothing was sent"
            )
        if self.absolute:
            raise ClusterError(
                f"command lines name files of the workspace by absolute paths, which other machines do "
                f"not have: {_listed(self.absolute)}. Name them relative to the folder that the program "
                "starts in; nothing was sent"
            )


def _listed(paths: Iterable[Path]) -> str:
    ordered = sorted(paths)
    more = f" and {len(ordered) - _NAMED:,} more" if len(ordered) > _NAMED else ""
    return ", ".join(f"`{it}`" for it in ordered[:_NAMED]) + more


def _words(line: str | Sequence[str]) -> Iterator[str]:
    words = line
    if isinstance(line, str):
        try:
            words = shlex.split(line)
        except ValueError:
            words = line.split()  # a quote is not closed
    for word in words:
        for reading in (word, word.rpartition("=")[2]):
            if reading and "\0" not in reading:
                yield reading


def _files_below(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        # Neither version control nor caches are what a program reads.
        folders[:] = [it for it in folders if it not in _LEFT_OUT]
        for name in names:
            yield Path(place, name)


_LEFT_OUT = frozenset({".git", "__pycache__", ".suitecase", ".venv", "node_modules"})


def _imported(script: Path, root: Path) -> Iterator[Path]:
    """Yield the modules of the workspace that a Python script imports, as far as its text says."""
    try:
        tree = ast.parse(script.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                for name in names:
                    yield from _module(script.parent, name.name.split("."), root)
            case ast.ImportFrom(module=module, names=names, level=level):
                folder = script.parent if level < 2 else script.parents[level - 1]
                parts = (module or "").split(".") if module else []
                for name in names:
                    yield from _module(folder, [*parts, name.name], root)


def _module(folder: Path, parts: Sequence[str], root: Path) -> Iterator[Path]:
    """Yield the file of a module and those of the packages that it is in."""
    for number in range(len(parts)):
        place = folder.joinpath(*parts[: number + 1])
        if not place.is_relative_to(root):
            return
        for path in (place.with_name(f"{place.name}.py"), place / "__init__.py"):
            if is_file(path):
                yield path
