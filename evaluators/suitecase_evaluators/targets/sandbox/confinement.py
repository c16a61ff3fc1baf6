"""The sandbox of the programs of a run, and the confinement of one of them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Literal

from suitecase_evaluators.answers.sandbox_level import Level, WantedLevel, highest
from suitecase_evaluators.system.path_kinds import real_path
from suitecase_evaluators.targets.sandbox import bubblewrap
from suitecase_evaluators.targets.sandbox.hidden import homes
from suitecase_evaluators.targets.sandbox.limits import Limits

#: The endings of files that are run or say what is, and of those that list cases with code in them. A file without
#: an ending is a program.
_RUN = frozenset(
    (
        *("", ".yaml", ".yml", ".json", ".toml", ".py", ".pyw", ".rb", ".go", ".pl", ".lua"),
        *(".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"),
        *(".sh", ".bash", ".zsh", ".fish", ".ps1", ".bat", ".cmd"),
    )
)
_LISTS_CASES = frozenset((".csv", ".jsonl", ".xlsx"))
#: Each is a mount, which takes a millisecond or two of every start of a program.
_MOST_KEPT = 50
#: Whose programs they are, as the settings under `[sandbox]` name them.
Kind = Literal["scripts", "targets"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Confinement:
    """The confinement of one program.

    Attributes:
        wanted: how far, where this machine can.
        kind: whose program it is.
        readable: what an isolated program sees even where it lies in a folder that is hidden.
        workspace: the folder outside of which nothing in `own` may be written to.
        own: folders of the workspace that an isolated program may write to, as far as they are not
            protected. They are looked at again when it starts.
        writable: other folders it may write to: what the user allows, and what is made for it.
        kept: files, and folders, in these that it may not write to: what the run reads, and its results.
    """

    wanted: Level = Level.LIMITS
    kind: Kind = "scripts"
    limits: Limits = field(default_factory=Limits)
    readable: tuple[Path, ...] = ()
    workspace: Path = Path("/")
    own: tuple[Path, ...] = ()
    writable: tuple[Path, ...] = ()
    kept: set[Path] = field(default_factory=set, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sandbox:
    """The default sandbox of the programs of a run.

    Attributes:
        scripts: how far the scripts of evaluators are, at least.
        targets: how far the programs of targets are, at least.
        workspace: the root of the workspace, which isolated programs see, and outside of which
            they write to nothing, its links followed; None stands for the folder of each.
        readable: folders that the user lets isolated programs see beside it, links followed.
        writable: folders that the user lets isolated programs write to beside their own, links followed.
        kept: files and folders that no isolated program may write to: what the run reads and acts on, and
            its results. What is added here is kept from programs that start later.
    """

    limits: Limits = field(default_factory=Limits)
    scripts: Level = Level.ISOLATED
    targets: Level = Level.LIMITS
    workspace: Path | None = None
    readable: tuple[Path, ...] = ()
    writable: tuple[Path, ...] = ()
    kept: set[Path] = field(default_factory=set, compare=False)

    def keep(self, inputs: Iterable[Path]) -> None:
        """Keep programs that start from now on from writing to what a run reads and acts on.

        Suites, settings and scripts are kept, as far as there are not too many, not all files that cases name.
        """
        inputs = list(inputs)
        acted_on = (
            path
            for endings in (_RUN, _LISTS_CASES)
            for path in inputs
            if path.suffix.lower() in endings
        )
        self.kept.update(map(real_path, islice(acted_on, _MOST_KEPT)))

    def script(self, requested: WantedLevel | None, *, folder: Path, cwd: Path) -> Confinement:
        """Return the confinement of a script of an evaluator.

        Args:
            wanted: what the suite says of this one, which counts where it is more.
            folder: the suite's folder, which the script sees.
            cwd: the folder it runs in, which it may write to.
        """
        return self._held("scripts", highest(self.scripts, requested), folder, (cwd,), ())

    def target(
        self,
        requested: WantedLevel | None,
        *,
        folder: Path,
        own: tuple[Path, ...],
        scratch: tuple[Path, ...] = (),
    ) -> Confinement:
        """Return the confinement of the program of a target.

        Args:
            wanted: what the targets file says of this one, which counts where it is more.
            folder: the folder of the targets file, which the program sees.
            own: folders of the workspace that it may write to.
            scratch: folders that were made for it.
        """
        return self._held("targets", highest(self.targets, requested), folder, own, scratch)

    def _held(
        self,
        kind: Kind,
        requested: Level,
        folder: Path,
        own: tuple[Path, ...],
        scratch: tuple[Path, ...],
    ) -> Confinement:
        root = real_path(folder) if self.workspace is None else self.workspace
        return Confinement(
            wanted=requested,
            kind=kind,
            limits=self.limits,
            readable=(*readable_of(root, _place_of(folder, root)), *self.readable),
            workspace=root,
            own=own,
            writable=(*self.writable, *map(real_path, scratch)),
            kept=self.kept,
        )


def _place_of(folder: Path, root: Path) -> Path:
    """Return where the folder of a suite or of a targets file is.

    A program that ran before may have put a link in its place: of a folder in the workspace no link is
    followed, and neither file lies outside of it.
    """
    named, real = Path(os.path.normpath(folder)), real_path(folder)
    if named.is_relative_to(root):
        return named
    return real if real.is_relative_to(root) else root


def readable_of(root: Path, folder: Path) -> tuple[Path, ...]:
    """Return what a program sees of a workspace: all of it, unless that would be the user's home.

    Of a home folder it is what lies in it on the way to the suite; where the suite lies in the home
    folder itself, all that is not hidden.
    """
    home = next((it for it in homes() if it.is_relative_to(root)), None)
    if home is None:
        return (root,) if folder.is_relative_to(root) else (root, folder)
    inside = folder.relative_to(home).parts if folder.is_relative_to(home) else ()
    if inside:
        return (folder,) if inside[0].startswith(".") else (home / inside[0],)
    if folder != home:
        # The home folder in it is empty again.
        return (root,) if folder.is_relative_to(root) else (root, folder)
    return tuple(path for path in home.iterdir() if not path.name.startswith("."))


def reachable(requested: Level) -> Level:
    """Return the level that is possible on this machine for a requested level.

    The first time that needs bubblewrap it is tried out, which takes some 10 ms.
    """
    if sys.platform == "win32":
        return Level.NONE
    if requested.in_namespaces and bubblewrap.unavailable(bubblewrap.found()):
        return Level.LIMITS
    return requested
