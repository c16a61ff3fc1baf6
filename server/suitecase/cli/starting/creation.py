"""Where the files of a first suite go, and writing them without touching any that exists."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from suitecase.cli.output.terminal import echo
from suitecase.cli.shown_paths import shown_path
from suitecase.cli.writing import boundary, why_not_written
from suitecase.format.starting.starter_file import StarterFile
from suitecase.format.target_files import find_targets
from suitecase.format.workspace import Workspace, find_root, leads_out
from suitecase.text.working_directory import working_directory
from suitecase.text.writing.files import Change, write_file
from suitecase_evaluators.system.path_kinds import is_file, is_folder, is_link, is_there


class NotCreatableError(Exception):
    """A file cannot be created; the text says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Creation:
    """Where files are created.

    Attributes:
        folder: the folder of the suite, with links followed; it may not exist yet.
        repository: the root of its git repository, or the folder itself.
        targets_file: the targets file that suites in the folder use already, if any.
        targets: the names of the targets in it.
    """

    folder: Path
    repository: Path
    targets_file: Path | None = None
    targets: tuple[str, ...] = ()

    @classmethod
    def at(cls, folder: Path) -> Creation:
        """Look at a folder, which need not exist.

        Raises:
            NotCreatableError: it is something else than a folder, or below a file.
        """
        real = Path(os.path.realpath(working_directory() / folder))
        above = next(parent for parent in (real, *real.parents) if os.path.lexists(parent))
        if not is_folder(above):
            what = "a file" if is_file(above) else "not a folder"
            raise NotCreatableError(f"{shown_path(above)} is {what}; name a folder for the suite")
        git = next((parent for parent in (real, *real.parents) if is_there(parent / ".git")), None)
        found = find_targets(Workspace(find_root(real / "x", working_directory())), real)
        return cls(
            real,
            git or real,
            None if found is None else found.path,
            () if found is None else tuple(found.configs),
        )

    @property
    def in_repository(self) -> str:
        """The folder relative to the root of the repository, with `/`."""
        return self.folder.relative_to(self.repository).as_posix()

    @property
    def has_targets(self) -> bool:
        """Whether the targets file is in the folder itself."""
        return self.targets_file is not None and self.targets_file.parent == self.folder


@dataclass(frozen=True, slots=True)
class PlannedFile:
    """A file to create, at an absolute path in the folder `base`; one that `exists` is left as it is."""

    path: Path
    text: str
    exists: bool
    base: Path


def planned(creation: Creation, files: Sequence[StarterFile]) -> list[PlannedFile]:
    """Return where the files go.

    Raises:
        NotCreatableError: a link leads out of the folder, or something else than a folder or a file is where
            one has to be.
    """
    result = []
    for file in files:
        base = creation.repository if file.in_repository else creation.folder
        path = base / file.path
        inside = [it for it in path.parents if it != base and it.is_relative_to(base)]
        for parent in reversed(inside):
            if leads_out(parent, base):
                raise NotCreatableError(
                    f"{shown_path(parent)} is a link that leads out of {shown_path(base)}, so nothing "
                    "is written there; remove the link, or choose another folder"
                )
            if os.path.lexists(parent) and not is_folder(parent):
                raise NotCreatableError(
                    f"{shown_path(parent)} is a file, and a folder of that name is needed; rename it, "
                    "or choose another folder"
                )
        if (what := _no_file_at(path)) is not None:
            raise NotCreatableError(
                f"{shown_path(path)} is {what}, and a file of that name is needed; remove it, or choose "
                "another folder"
            )
        result.append(PlannedFile(path, file.text, os.path.lexists(path), base))
    return result


def _no_file_at(path: Path) -> str | None:
    """Return a description of what is at a path if it is not a file; None for a file or an empty place."""
    if not os.path.lexists(path) or is_file(path):
        return None
    if is_link(path) and not is_there(path):
        return "a link that leads nowhere"
    return "a folder" if is_folder(path) else "not a regular file"


def create(files: Sequence[PlannedFile], *, dry_run: bool) -> None:
    """Write the files that do not exist, and print what happens with each.

    Raises:
        NotCreatableError: one cannot be written. Those before it are there.
    """
    for file in files:
        shown = shown_path(file.path)
        if file.exists:
            echo(f"  exists       {shown}, left as it is")
        elif dry_run:
            echo(f"  would write  {shown}")
        else:
            try:
                _write(file)
            except OSError as error:
                raise NotCreatableError(
                    f"{shown} cannot be written: {why_not_written(error)}"
                ) from None
            echo(f"  wrote        {shown}")


def _write(file: PlannedFile) -> None:
    # A file that was made in the meantime is not overwritten, and no link is followed: neither one below the
    # folder, nor one that has taken its place.
    within = boundary(file.path)
    write_file(
        Change(
            path=file.path,
            content=file.text.encode("utf-8"),
            before=None,
            within=within if file.base.is_relative_to(within) else file.base,
            make_folders=True,
        )
    )
