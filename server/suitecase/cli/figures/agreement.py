"""What `suitecase agreement` measures: the people of a suite, and the gates about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import click

from suitecase.authoring.labeling.agreement import Agreement, agreement_of
from suitecase.cli import EXIT_OK
from suitecase.cli.first_steps import no_results
from suitecase.cli.shown_paths import shown_path
from suitecase.cli.suite_reading import has_errors, read_suite
from suitecase.evidence.labels.digests import answer_digest
from suitecase.evidence.labels.items import Item
from suitecase.evidence.labels.label import Label
from suitecase.evidence.labels.people import AnswerKey, peoples_labels
from suitecase.figures.asked import Asked, asked_of
from suitecase.figures.deciding import decide_from_files
from suitecase.figures.decision import Decision, exit_code_of
from suitecase.figures.file_names import file_figure
from suitecase.figures.gates.grammar import Gate
from suitecase.figures.gates.meaning import OF_PEOPLE
from suitecase.figures.gates.parsing import parse_gate
from suitecase.format.dataset_files import DATASET, sidecar_of
from suitecase.format.figure_keys import Intervals
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.report.results_file import NotResultsError, RecordLines, find_results
from suitecase.run.record_redaction import without_secrets_here


@dataclass(frozen=True, slots=True)
class MeasuredAgreement:
    """How far the people of a suite agree.

    Attributes:
        path: the suite.
        parsed: what is in it.
        agreements: by name under `human`.
        decisions: what is decided about gates on them.
        results: the results file that answers are looked up in, if there is one.
        absent: by name, the labeled answers that it does not have.
    """

    path: Path
    parsed: ParsedSuite
    agreements: tuple[Agreement, ...]
    decisions: tuple[Decision, ...]
    results: Path | None = None
    absent: Mapping[str, tuple[AnswerKey, ...]] | None = None

    @property
    def exit_code(self) -> int:
        """The exit code: that of the gates, or 0 if there are none."""
        return exit_code_of(self.decisions) if self.decisions else EXIT_OK

    def place_of(self, label: Label, item: Item) -> tuple[Path, int]:
        """Return the file and the line of the item that a label is of."""
        if item.in_head:
            sidecar = sidecar_of(self.path) if self.path.name.endswith(DATASET) else None
            return sidecar or self.path, self.parsed.head_line(item.span)
        number = self.parsed.case_named(label.case) or 0
        return self.path, self.parsed.line(number, item.span)


def measured_agreement(path: Path, results: Path | None) -> MeasuredAgreement:
    """Measure how far the people of a suite agree.

    Args:
        path: the suite.
        results: a results file or a folder of some, whose answers should be the labeled ones.

    Raises:
        click.UsageError: the suite or the results cannot be read, or nothing can be measured.
    """
    parsed, folder = read_suite(path)
    head, shown = parsed.head.model, shown_path(path)
    if head is None:
        raise has_errors(path)
    if not head.human:
        raise click.UsageError(f"{shown} has no `human`, so it names no labels")
    intervals = head.intervals or Intervals()
    labels = [it for name in head.human if (it := peoples_labels(parsed, name, folder)) is not None]
    agreements = tuple(agreement_of(label, intervals) for label in labels)
    asked = asked_of(parsed, path, folder)
    if not any(agreement.kinds for agreement in agreements):
        raise click.UsageError(_why_nothing(shown, asked))
    decisions = tuple(it for it in decide_from_files(asked) if _is_about_people(it, asked))
    if results is None:
        return MeasuredAgreement(path, parsed, agreements, decisions)
    file, answers = _answers_in(results)
    absent = {
        agreement.name: tuple(
            key
            for key in dict.fromkeys(key[:2] for key in agreement.people.by_item)
            if key not in answers
        )
        for agreement in agreements
    }
    return MeasuredAgreement(path, parsed, agreements, decisions, file, absent)


def _why_nothing(shown: str, asked: Asked) -> str:
    reasons = [
        f"`{name}`: {it.problem or 'no answer was labeled by two raters'}"
        for name, it in asked.people.items()
    ]
    return f"{shown}: there is nothing to measure. {'; '.join(reasons)}"


def _is_about_people(decision: Decision, asked: Asked) -> bool:
    gate = parse_gate(decision.gate)
    meaning = file_figure(gate.expression, asked.names) if isinstance(gate, Gate) else None
    return meaning is not None and meaning.kind in OF_PEOPLE.values()


def _answers_in(place: Path) -> tuple[Path, set[AnswerKey]]:
    """Return a results file, and its answers."""
    try:
        lines = RecordLines(find_results(place), without_secrets_here(place))
        answers = {
            (record.eval_id, answer_digest(record.candidate_answer))
            for _, record in lines
            if record.candidate_answer is not None
        }
    except NotResultsError as error:
        raise no_results(error) from error
    return lines.path, answers
