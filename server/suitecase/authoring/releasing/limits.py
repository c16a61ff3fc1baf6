"""The appendix on limitations: what people say, and what follows from the run and the suite."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.authoring.releasing.calibrated import deciding_judges
from suitecase.authoring.releasing.contents import Contents
from suitecase.authoring.releasing.document import Block, Listing, Paragraph
from suitecase.authoring.releasing.release import Release
from suitecase.evidence.calibration_file import Calibration, find_calibration
from suitecase.evidence.labels.people import peoples_labels
from suitecase.figures.gates.slices import facet_value, selects
from suitecase.text.plural import counted
from suitecase_evaluators.answers.records.status import Status

#: Intervals of fewer units are wide, whatever was measured.
_FEW = 10
_MOST_NAMED = 5


def limitations(contents: Contents) -> Iterator[Block]:
    """Yield the limitations: those that the suite states, then those that were found."""
    stated = contents.release.governance.limitations
    yield Paragraph(
        stated.strip()
        if stated
        else "The suite does not say what it does not measure (`governance.limitations`)."
    )
    found = tuple(_found(contents))
    if found:
        yield Paragraph("What follows from the suite and the run:")
        yield Listing(found)


def _found(contents: Contents) -> Iterator[str]:
    release, run = contents.release, contents.release.run
    if contents.draft:
        yield "This is a draft: it may not be published."
    if run.remark:
        yield run.remark
    if release.asked.repeats == 1:
        yield "Each case was asked once, so how far answers to one case vary is not known."
    missing = sum(answer.status is Status.ERROR for answer in run.answers)
    if missing:
        are = "is" if missing == 1 else "are"
        yield f"{missing:,} of {counted(len(run.answers), 'answer')} {are} missing: an error is not a grade."
    unread = sum(answer.status is Status.JUDGE_FAILED for answer in run.answers)
    if unread:
        were = "was" if unread == 1 else "were"
        yield f"{counted(unread, 'answer')} {were} not graded, since the judge failed: they are missing."
    thin = dict.fromkeys(
        it.slice
        for it in contents.figures.figures
        if it.slice is not None and it.figure == "pass_rate" and it.interval.units < _FEW
    )
    if thin:
        yield f"Slices with fewer than {_FEW} cases or groups, which can show little: {_named(list(thin))}."
    yield from _facets(release)
    if not contents.figures.gates:
        yield "The suite has no gates: nothing says what a run has to meet."
    unclear = [it for it in contents.figures.gates if not it.clear and it.figure is not None]
    if unclear:
        gates = _named([f"`{it.gate}`" for it in unclear])
        yield f"The intervals of these gates reach beyond their thresholds: {gates}."
    for name in deciding_judges(release):
        protocol = (release.head.judges or {}).get(name)
        reference = protocol.calibration if protocol is not None else None
        if not isinstance(find_calibration(name, reference, release.folder), Calibration):
            yield f"How often the judge `{name}` is wrong is not known: it was not compared with people."
    for name in release.head.human or {}:
        labels = peoples_labels(release.suite, name, release.folder)
        unsettled = len(labels.to_adjudicate) if labels is not None else 0
        if unsettled:
            what = counted(unsettled, "item")
            yield f"People differ on {what} of answers for `{name}`, and nothing settles that yet."
    if contents.redaction.made.cases:
        cases = counted(len(contents.redaction.made.cases), "case")
        yield f"Restricted texts of {cases} are redacted, so not everything here can be checked."
    if contents.audience.withholds_grading:
        yield "What answers are graded by is withheld, so grades cannot be checked."


def _facets(release: Release) -> Iterator[str]:
    for name, it in release.asked.slices.items():
        if it.by is None:
            continue
        facts = [case.facts for case in release.asked.cases.values() if selects(it, case.facts)]
        without = sum(facet_value(it, own) is None for own in facts)
        if without:
            are, they_have = ("is", "it has") if without == 1 else ("are", "they have")
            yield f"{counted(without, 'case')} {are} in no group of `{name}`: {they_have} no `{it.by}`."


def _named(names: list[str]) -> str:
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")
