"""The implementation of `suitecase labels`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from suitecase.authoring.labeling.answers import RunAnswers, run_answers
from suitecase.authoring.labeling.csv_sheet import LONGEST_CELL
from suitecase.authoring.labeling.disagreements import open_differences
from suitecase.authoring.labeling.items import sheet_items
from suitecase.authoring.labeling.sheet_files import SheetFormat, file_name
from suitecase.authoring.labeling.sheet_request import EvaluatorSheets, SheetRequest, make_sheets
from suitecase.authoring.labeling.sheets import Place
from suitecase.cli import EXIT_OK
from suitecase.cli.figures.run_tables import say_taken, suite_path_of
from suitecase.cli.first_steps import no_results
from suitecase.cli.output.terminal import echo
from suitecase.cli.shown_paths import shown_path
from suitecase.cli.suite_reading import has_errors, read_suite
from suitecase.cli.writing import require_inside, text_change, unwritten, write_texts
from suitecase.evidence.labels.items import items_of
from suitecase.evidence.labels.people import first_clauses, peoples_labels
from suitecase.figures.gates.names import suite_figures
from suitecase.format.figure_keys import Intervals
from suitecase.format.protocols import HumanLabels
from suitecase.format.workspace import Folder
from suitecase.format.workspace_secrets import WorkspaceSecrets
from suitecase.formats.suitecase.case_messages import input_messages
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.formats.suitecase.resolve import case_text, dataset_name
from suitecase.report.results_file import NotResultsError, Run, read_run
from suitecase.text.plural import counted
from suitecase_evaluators.answers.records.case_version import case_hash
from suitecase_evaluators.answers.records.record import ResultRecord
from suitecase_evaluators.system.path_kinds import is_link, is_there


@dataclass(frozen=True, slots=True)
class LabelSheets:
    """One invocation of the command."""

    run: Path
    suite: Path | None
    raters: tuple[str, ...]
    sample: int | None
    seed: int | None
    disagreements: bool
    form: SheetFormat
    output: Path | None

    def write(self) -> int:
        """Write the sheets; return the exit code."""
        _check_raters(self.raters)
        if self.suite is not None and self.output is None:
            require_inside(self.suite)
        try:
            results = read_run(self.run)
        except NotResultsError as error:
            raise no_results(error) from error
        say_taken(self.run, results)
        path = suite_path_of(results.path, {answer.suite for answer in results.answers}, self.suite)
        parsed, folder = read_suite(path)
        head = parsed.head.model
        if head is None:
            raise has_errors(path)
        if not head.human:
            raise click.UsageError(_no_human(path, parsed))
        secrets = WorkspaceSecrets(results.path)
        secrets.add_suites({answer.suite for answer in results.answers})
        records = _records_of(results, path, parsed, folder)
        answers = run_answers(records, _system_messages(parsed), secrets.redact)
        seed = self.seed if self.seed is not None else (head.intervals or Intervals()).seed
        sheets: list[EvaluatorSheets] = []
        lines: list[str] = []
        unread: list[str] = []
        for name, human in head.human.items():
            ratings = None
            if self.disagreements:
                people = peoples_labels(parsed, name, folder)
                ratings = open_differences(people) if people is not None else {}
                if people is not None and people.incomplete:
                    why = first_clauses(people.incomplete)
                    unread.append(f"{name}: differences may be missing: {why}")
            request = SheetRequest(
                raters=self._raters(name, human) if ratings != {} else self.raters,
                sample=self.sample,
                seed=seed,
                form=self.form,
            )
            items = sheet_items(parsed, name)
            sheets.append(make_sheets(request, name, answers.answers, items, ratings))
            lines += self._about(sheets[-1], seed, ratings, answers)
        notes = (*results.notes, *unread, *_left_out(answers), *_changed(answers, parsed))
        if not any(sheet.files for sheet in sheets):
            raise click.UsageError("\n".join(("nothing to label", *lines, *notes)))
        files = self._files(path, sheets)
        _write(files)
        for line in lines:
            echo(line)
        for line in notes:
            echo(line, err=True)
        echo(f"Written: {', '.join(shown_path(file) for file in files)}")
        echo(self._next_step(sheets))
        return EXIT_OK

    def _raters(self, evaluator: str, human: HumanLabels) -> tuple[str, ...]:
        """Return who gets a sheet; nobody where a file is for all raters of a project."""
        if self.raters or self.form != "csv":
            return self.raters
        if not self.disagreements:
            return tuple(f"rater-{number}" for number in range(1, human.raters + 1))
        if human.adjudicators:
            _check_raters(human.adjudicators)
            return tuple(human.adjudicators)
        raise click.UsageError(
            f"`human.{evaluator}` has no `adjudicators`; say with --rater who adjudicates"
        )

    def _about(
        self,
        made: EvaluatorSheets,
        seed: int,
        ratings: Mapping[Place, str] | None,
        answers: RunAnswers,
    ) -> Iterable[str]:
        name = made.evaluator
        if ratings == {}:
            yield f"{name}: nothing to adjudicate"
            return
        if ratings is not None:
            here = {(answer.case, answer.digest) for answer in answers.answers}
            others = sum(place[:2] not in here for place in ratings)
            if others:
                yield (
                    f"{name}: {counted(others, 'item')} to adjudicate belong to answers that are not "
                    "in this run"
                )
        if not made.items:
            yield f"{name}: no answer of the run is graded by this evaluator"
            return
        which = f"all {counted(made.of, 'answer')}"
        if made.drawn < made.of:
            which = f"{made.drawn:,} of {counted(made.of, 'answer')}, drawn at random (seed {seed})"
        what = "to adjudicate" if ratings is not None else "to label"
        yield f"{name}: {which}; {counted(made.items, 'item')} {what}"
        if made.shortened:
            have = "has" if made.shortened == 1 else "have"
            yield (
                f"{name}: {counted(made.shortened, 'item')} {have} a text that is too long for a cell; "
                f"it is cut after {LONGEST_CELL:,} characters"
            )

    def _files(self, suite: Path, sheets: Sequence[EvaluatorSheets]) -> dict[Path, str]:
        folder = self.output if self.output is not None else suite.parent / "labels"
        files: dict[Path, str] = {}
        taken: set[str] = set()
        for made in sheets:
            for name, text in made.files.items():
                if name.casefold() in taken:
                    raise click.UsageError(
                        f"two sheets would be called {name}; give the evaluators names that differ "
                        "in letters or digits"
                    )
                taken.add(name.casefold())
                files[folder / name] = text
        return files

    def _next_step(self, sheets: Sequence[EvaluatorSheets]) -> str:
        names = " and ".join(f"`human.{sheet.evaluator}.labels`" for sheet in sheets if sheet.files)
        match self.form:
            case "csv":
                return f"Fill in `value` in each row, then list the files under {names}."
            case "label-studio":
                return f"Import the tasks, label them, and list the JSON export under {names}."
            case "argilla":
                return f"Import the records, label them, and list the JSON export under {names}."


def _check_raters(raters: Sequence[str]) -> None:
    """Check that each rater gets a sheet.

    Raises:
        click.UsageError: a name is empty, or two have the same file.
    """
    files: dict[str, str] = {}
    for rater in raters:
        if not rater.strip():
            raise click.UsageError("--rater: the name is empty")
        name = file_name(rater).casefold()
        other = files.get(name)
        if other == rater:
            raise click.UsageError(f"`{rater}` is given twice; each rater gets one sheet")
        if other is not None:
            raise click.UsageError(
                f"the sheets of `{other}` and `{rater}` would be one file; give each rater a name that "
                "differs in letters or digits"
            )
        files[name] = rater


def _no_human(path: Path, suite: ParsedSuite) -> str:
    """Return what to write if a suite has no `human`."""
    graded = (
        evaluator
        for evaluator in suite_figures(suite).names.evaluators
        if items_of(suite, evaluator)
    )
    name = next(graded, None)
    if name is None:
        return (
            f"{shown_path(path)} has no rubrics and no judge, so there is nothing that people could "
            "label"
        )
    return (
        f"{shown_path(path)} does not say which evaluator people label for. Add, for `{name}`:\n\n"
        f"human:\n  {name}:\n    labels: [labels/{name}.rater-1.csv, labels/{name}.rater-2.csv]\n\n"
        "and run `suitecase labels` again."
    )


def _records_of(results: Run, path: Path, suite: ParsedSuite, folder: Folder) -> list[ResultRecord]:
    """Return the results of a suite, which may have been moved since."""
    head = suite.head.model
    dataset = (head.dataset if head is not None else None) or dataset_name(path)
    shown = folder.shown(path)
    for found in (
        [answer for answer in results.answers if answer.suite == shown],
        [answer for answer in results.answers if answer.dataset == dataset],
    ):
        if found:
            return found
    raise click.UsageError(f"{shown_path(results.path)} has no results of `{shown_path(path)}`")


def _system_messages(suite: ParsedSuite) -> dict[str, int]:
    """Return how many system messages the input of each case starts with."""
    found: dict[str, int] = {}
    for case in suite.cases:
        if case.id is not None:
            number = 0
            for message in input_messages(case.model) if case.model is not None else ():
                if message.role != "system":
                    break
                number += 1
            found.setdefault(case.id.text, number)
    return found


def _left_out(answers: RunAnswers) -> Iterable[str]:
    if answers.missing:
        yield f"Left out: {counted(answers.missing, 'result')} without an answer"
    if answers.unknown:
        yield (
            f"Left out: {counted(answers.unknown, 'result')} of cases that the suite does not have "
            "any more"
        )
    if answers.repeated:
        yield (
            f"{counted(answers.repeated, 'result')} with the same answer to the same case as another "
            "one: each answer is labeled once"
        )


def _changed(answers: RunAnswers, suite: ParsedSuite) -> Iterable[str]:
    hashes = {
        it.id.text: case_hash(case_text(suite, number, it.node))
        for number, it in enumerate(suite.cases)
        if it.id is not None and it.node is not None
    }
    changed = {
        answer.case
        for answer in answers.answers
        if answer.case_hash is not None and hashes.get(answer.case) != answer.case_hash
    }
    if changed:
        have = "has" if len(changed) == 1 else "have"
        yield (
            f"{counted(len(changed), 'case')} {have} changed since the run: the sheets show the "
            "question of the run and the items that the suite has now"
        )


def _write(files: Mapping[Path, str]) -> None:
    """Write all files, or none.

    Raises:
        click.UsageError: one is there already, or cannot be written.
    """
    there = [shown_path(file) for file in files if is_there(file) or is_link(file)]
    if there:
        them = "it" if len(there) == 1 else "them"
        raise click.UsageError(
            f"{', '.join(there)} already {'exists' if len(there) == 1 else 'exist'}, maybe with "
            f"labels. Nothing is written; move {them}, or name another folder with --output"
        )
    try:
        write_texts(
            [text_change(path, text, None, make_folders=True) for path, text in files.items()]
        )
    except OSError as error:
        name = error.filename or next(iter(files)).parent
        raise unwritten(Path(name), error) from error
