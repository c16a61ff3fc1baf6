"""`SUITE::CASE::CASE`: a suite and some of its cases, as one argument."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from suitecase.cli.findings import shown_path


@dataclass(frozen=True, slots=True)
class SuiteArgument:
    """A suite's absolute path, and the ids of the cases that are meant; none means all."""

    path: Path
    cases: tuple[str, ...]

    @classmethod
    def parse(cls, argument: str) -> SuiteArgument:
        """Read an argument; a file whose own name holds `::` is taken as it is."""
        if Path(argument).exists():
            name, cases = argument, ()
        else:
            name, *rest = argument.split("::")
            cases = tuple(it for it in rest if it)
        absolute = Path.cwd() / name
        return cls(absolute.parent.resolve() / absolute.name, cases)

    @property
    def shown(self) -> str:
        return shown_path(self.path)
