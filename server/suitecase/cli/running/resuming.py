"""Which results file each of several runs resumes, and the command that resumes what was left."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import click

from suitecase.cli.running.suite_run import SuiteRun
from suitecase.cli.shown_paths import shown_path
from suitecase.cli.suite_argument import SuiteArgument
from suitecase.format.workspace import Folder, Workspace
from suitecase_evaluators.answers.records.reading import read_records

#: An option as it was given: its longest name, and its value; None for a flag.
Given = tuple[str, str | None]
#: What a resumed run has in another form, or does not repeat.
_NOT_REPEATED = ("--resume", "--failed", "--budget-usd")


def given_options(command: click.Command, context: click.Context, args: list[str]) -> list[Given]:
    """Return the options of a command line as they were given, each time."""
    values, _, order = command.make_parser(context).parse_args(args=list(args))
    given: list[Given] = []
    for option in dict.fromkeys(it for it in order if isinstance(it, click.Option)):
        value = values.get(option.name or "")
        flag = max(option.opts, key=len)
        if option.is_flag:
            given.append((flag, None))
        else:
            given += [(flag, str(it)) for it in (value if isinstance(value, list) else [value])]
    return given


def file_of(
    suite: SuiteArgument, root: Path, files: Sequence[Path], *, several: bool
) -> Path | None:
    """Return the results file that a run resumes; None where it starts from the beginning.

    Args:
        suite: the suite, and one of several targets.
        root: the root of its workspace.
        files: the files to resume.
        several: whether there are several runs, not all of which may have begun.
    """
    if not several and len(files) == 1:
        return files[0]
    shown = Folder(Workspace(root), suite.path.parent).shown(suite.path)
    of_other_targets: Path | None = None
    for file in files:
        with suppress(OSError):
            targets = {record.target for record in read_records(file) if record.suite_path == shown}
            if (suite.target is None and targets) or suite.target in targets:
                return file
            if targets:
                of_other_targets = of_other_targets or file
    # The run ended before this target's turn.
    return of_other_targets


@dataclass(frozen=True, slots=True)
class ResumeCommand:
    """Makes the command that runs what an invocation left.

    Attributes:
        given: the options of the invocation.
        budget_usd: its budget.
    """

    given: Sequence[Given]
    budget_usd: float | None = None

    def of(self, runs: Sequence[SuiteRun], *, used_up: bool) -> list[str] | None:
        """Return the command as its arguments; None where it could not go on with these results.

        Args:
            runs: all runs of the invocation.
            used_up: whether the budget is used up, so that twice as much is proposed.
        """
        names = {name for name, _ in self.given}
        if names & {"--no-results", "--replay", "--dry-run", "--watch"}:
            return None
        left = {run.argument.path for run in runs if run.is_left}
        if not left:
            return None
        resumed = [run for run in runs if run.argument.path in left]
        named: dict[str, None] = {}
        for run in resumed:
            cases = run.cases if "--failed" in names else run.argument.cases
            named["::".join((run.argument.shown, *cases))] = None
        command = ["suitecase", "run", *named]
        alone = len(resumed) == 1
        files = {
            shown_path(Path(run.results_path)): None
            for run in resumed
            if run.results_path is not None and (run.records or alone)
        }
        dropped = (*_NOT_REPEATED, "--output") if alone and files else _NOT_REPEATED
        for name, value in self.given:
            if name not in dropped:
                command += [name] if value is None else [name, value]
        if self.budget_usd is not None:
            elsewhere = sum(run.usd for run in runs if run not in resumed)
            budget = self.budget_usd * 2 if used_up else self.budget_usd - elsewhere
            command += ["--budget-usd", f"{max(budget, 0):.6g}"]
        for file in files:
            command += ["--resume", file]
        return command
