"""What a bundle is made of: the run with nothing in it that the audience may not read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from suitecase.authoring.releasing.audience import Audience
from suitecase.authoring.releasing.condition import Condition, Kind
from suitecase.authoring.releasing.names import names_of
from suitecase.authoring.releasing.notice import notices_of
from suitecase.authoring.releasing.paths import PathRedactor
from suitecase.authoring.releasing.published_records import PublishedRecords
from suitecase.authoring.releasing.redaction import Redaction
from suitecase.authoring.releasing.release import Release
from suitecase.authoring.releasing.restrictions import restrictions_of
from suitecase.evidence.releases.slice_digests import used_metadata
from suitecase.figures.decision import Decision
from suitecase.figures.figures_file import RunFigures
from suitecase.figures.measured import MeasuredFigure
from suitecase.format.workspace_secrets import WorkspaceSecrets
from suitecase.report.page import Frame
from suitecase.report.results_file import Run
from suitecase.text.working_directory import absolute_path, working_directory
from suitecase_evaluators.answers.records.tally import Tally


@dataclass(frozen=True, kw_only=True)
class Contents:
    """What is published, and for whom.

    Attributes:
        release: the run with its suite, as they are in the workspace.
        redaction: leaves out what the audience may not read.
        conditions: what forbids publication.
        draft: whether the bundle is a draft.
        run: the published answers.
        baseline: the answers of the run that it is compared with; None for none.
        figures: the published figures and decisions.
    """

    release: Release
    redaction: Redaction
    conditions: tuple[Condition, ...]
    draft: bool
    run: Run
    baseline: Run | None
    figures: RunFigures

    @property
    def audience(self) -> Audience:
        """Who the bundle is for."""
        return self.redaction.audience

    @cached_property
    def reasons(self) -> tuple[str, ...] | None:
        """Why this is a draft, for its pages; None if it is not."""
        if not self.draft:
            return None
        return tuple(map(self._reason, self.conditions))

    def _reason(self, condition: Condition) -> str:
        text = condition.text
        if condition.kind is Kind.SUITE and self.audience.withholds_grading:
            text = text.partition(" ")[0]  # the message of a rule may quote what grades
        return self.redaction.of_people(f"{condition.kind}: {text} ({self.place(condition)})")

    def place(self, condition: Condition) -> str:
        """Return the place of a condition, which does not say where the workspace is."""
        path, root = condition.path, self.release.folder.root
        shown = path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name
        return shown if condition.line is None else f"{shown}:{condition.line}"

    @cached_property
    def notices(self) -> tuple[str, ...]:
        """The notices of the suite and its sources."""
        return tuple(map(self.redaction.text, notices_of(self.release)))

    def frame(self, links: Sequence[tuple[str, str]]) -> Frame:
        """Return what pages have around their content.

        Args:
            links: the pages with their names.
        """
        return Frame(
            title=self.release.name,
            links=tuple(links),
            draft=self.reasons,
            notices=self.notices,
            canary=self.release.governance.canary,
            audience=self.audience.in_words,
            redact=self.redaction.text,
        )


def contents_of(
    release: Release,
    redaction: Redaction,
    conditions: tuple[Condition, ...],
    records: PublishedRecords,
    *,
    draft: bool,
) -> Contents:
    """Return a release without what its audience may not read.

    Raises:
        OSError: there is no place for the records.
    """
    return Contents(
        release=release,
        redaction=redaction,
        conditions=conditions,
        draft=draft,
        run=_published(release.run, redaction, records),
        baseline=None
        if release.baseline is None
        else _published(release.baseline, redaction, records),
        figures=_figures(release, redaction),
    )


def redaction_of(release: Release, audience: Audience) -> Redaction:
    """Return what leaves out what an audience may not read of a release."""
    secrets = WorkspaceSecrets(
        *(run.path for run in (release.run, release.baseline) if run is not None)
    )
    secrets.add_suite(release.folder.shown(release.path))
    return Redaction(
        audience,
        restrictions_of(release),
        used_metadata(release.head),
        secrets.redact,
        PathRedactor(release.folder.root, _folders_of(release)),
        names_of(release, audience),
    )


def _folders_of(release: Release) -> list[Path]:
    """Return the folders of this machine that this is about, beside the workspace."""
    runs = [it for it in (release.run, release.baseline) if it is not None]
    folders = [working_directory(), *(absolute_path(run.path).parent for run in runs)]
    # Of a folder that the workspace is in, the rest of a path would be left.
    return [folder for folder in folders if not folder.is_relative_to(release.folder.root)]


def _published(run: Run, redaction: Redaction, records: PublishedRecords) -> Run:
    answers = records.of(run.answers, redaction)
    notes = tuple(map(redaction.text, run.notes))
    path = run.path.with_name(redaction.text(run.path.name))
    return replace(run, path=path, answers=answers, tally=Tally.of(answers), notes=notes)


def _figures(release: Release, redaction: Redaction) -> RunFigures:
    moments = release.moments
    return replace(
        release.figures,
        figures=tuple(_figure(figure, redaction) for figure in release.figures.figures),
        gates=tuple(_decision(gate, redaction) for gate in release.figures.gates),
        # Not when it is published: the bundle of a run is always the same.
        measured_at=moments[1] if moments is not None else "unknown",
    )


def _figure(figure: MeasuredFigure, redaction: Redaction) -> MeasuredFigure:
    """Return a figure without restricted texts in its name: values of metadata name slices."""
    return replace(
        figure,
        figure=redaction.text(figure.figure),
        slice=None if figure.slice is None else redaction.text(figure.slice),
        values={redaction.text(name): it for name, it in figure.values.items()},
    )


def _decision(decision: Decision, redaction: Redaction) -> Decision:
    return replace(
        decision,
        gate=redaction.text(decision.gate),
        figure=None if decision.figure is None else _figure(decision.figure, redaction),
        reason=redaction.text(decision.reason),
        needed=redaction.text(decision.needed),
        why=None if decision.why is None else redaction.text(decision.why),
        cases=tuple(map(redaction.identifier, decision.cases)),
        missing_cases=tuple(map(redaction.identifier, decision.missing_cases)),
    )
