"""`SUITE::CASE::CASE`: a suite and some of its cases, as one argument."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from suitecase.cli.shown_paths import shown_path
from suitecase.cli.writing import require_inside, require_led_inside
from suitecase.format.dataset_files import with_cases
from suitecase.text.shell_words import shell_word
from suitecase.text.working_directory import working_directory
from suitecase_evaluators.system.path_kinds import is_there, real_path


@dataclass(frozen=True, slots=True)
class SuiteArgument:
    """A suite's absolute path, and the ids of the selected cases; empty for all.

    Of a suite that names a data set, it is the path of that. `found` says that the suite was found in
    a folder rather than named, and `target` is the one that it is run with, if there are several.
    """

    path: Path
    cases: tuple[str, ...]
    found: bool = False
    target: str | None = None

    @classmethod
    def parse(cls, argument: str, *, writes: bool = False) -> SuiteArgument:
        """Parse an argument; the name of an existing file may contain `::`.

        Args:
            writes: the command writes the suite, or beside it.

        Raises:
            click.UsageError: a name beside `::` is empty, or it writes, and a link leads the suite out of
                its workspace.
        """
        name, *cases = [argument] if is_there(Path(argument)) else argument.split("::")
        if not name:
            raise click.UsageError(
                f"`{argument}` names no suite: in front of `::` stands its file, as in SUITE::CASE"
            )
        if not all(cases):
            raise click.UsageError(
                f"`{argument}` has no name of a case behind `::`; {shell_word(name)} alone is all its cases"
            )
        if writes:
            require_inside(Path(name))
        absolute = working_directory() / name
        found = real_path(absolute.parent) / absolute.name
        if writes:
            require_led_inside(absolute, found)
        path = with_cases(found)
        return cls(path, tuple(cases))

    @property
    def shown(self) -> str:
        return shown_path(self.path)

    @property
    def label(self) -> str:
        """What tells it from other runs of one command: the suite, and one of several targets."""
        return self.shown if self.target is None else f"{self.shown} [{self.target}]"
