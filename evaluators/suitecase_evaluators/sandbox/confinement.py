"""How the programs of a run are held, and how one of them is."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path

from suitecase_evaluators.sandbox import bubblewrap
from suitecase_evaluators.sandbox.level import Level, WantedLevel
from suitecase_evaluators.sandbox.limits import Limits


@dataclass(frozen=True, slots=True, kw_only=True)
class Confinement:
    """How one program is held.

    Attributes:
        wanted: how far, where this machine can.
        readable: what an isolated program sees even where it lies in `/tmp`.
        writable: the folders an isolated program may write to.
    """

    wanted: Level = Level.LIMITS
    limits: Limits = field(default_factory=Limits)
    readable: tuple[Path, ...] = ()
    writable: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sandbox:
    """How the programs of a run are held, where they want nothing else.

    Attributes:
        scripts: how far the scripts of evaluators are.
        targets: how far the programs of targets are.
        readable: what isolated programs see even where it lies in `/tmp`: the workspace.
        writable: folders that isolated programs may write to beside their own.
    """

    limits: Limits = field(default_factory=Limits)
    scripts: Level = Level.ISOLATED
    targets: Level = Level.LIMITS
    readable: tuple[Path, ...] = ()
    writable: tuple[Path, ...] = ()

    def script(self, wanted: WantedLevel | None, *, folder: Path, cwd: Path) -> Confinement:
        """Return how a script of an evaluator is held.

        Args:
            wanted: what the suite says of this one.
            folder: the suite's folder, which the script sees.
            cwd: the folder it runs in, which it may write to.
        """
        return self._held(self.scripts if wanted is None else Level(wanted), folder, (cwd,))

    def target(
        self, wanted: WantedLevel | None, *, folder: Path, writable: tuple[Path, ...]
    ) -> Confinement:
        """Return how the program of a target is held.

        Args:
            wanted: what the targets file says of this one.
            folder: the folder of the targets file, which the program sees.
            writable: the folders it may write to.
        """
        return self._held(self.targets if wanted is None else Level(wanted), folder, writable)

    def _held(self, wanted: Level, folder: Path, writable: tuple[Path, ...]) -> Confinement:
        return Confinement(
            wanted=wanted,
            limits=self.limits,
            readable=(*self.readable, folder.resolve()),
            writable=(*self.writable, *writable),
        )


def reachable(wanted: Level) -> Level:
    """Return how far a program can be held on this machine that is to be held so far.

    The first time that needs bubblewrap it is tried out, which takes some 10 ms.
    """
    if sys.platform == "win32":
        return Level.NONE
    if wanted.in_namespaces and bubblewrap.unavailable(bubblewrap.found()):
        return Level.LIMITS
    return wanted
