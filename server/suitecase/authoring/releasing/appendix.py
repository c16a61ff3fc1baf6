"""The appendix of a bundle: how cases were sampled, answers graded and figures computed, and the limits.

It is generated from the suite, its lock, calibrations and labels. What only people can say comes from
`governance`; where it is missing, the appendix says that it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from suitecase.authoring.releasing.calibrated import deciding_judges
from suitecase.authoring.releasing.contents import Contents
from suitecase.authoring.releasing.document import Block, Grid, Listing, Paragraph, Section
from suitecase.authoring.releasing.measured import protocol_figures
from suitecase.authoring.releasing.release import Release
from suitecase.evidence.calibration_file import Calibration, find_calibration
from suitecase.evidence.governed import lock_name
from suitecase.evidence.labels.people import peoples_labels
from suitecase.evidence.releases.lock_file import LockFile
from suitecase.evidence.releases.lock_state import lock_of
from suitecase.evidence.sources import cases_of_source, sources_of
from suitecase.figures.gate_words import label_of, value_of
from suitecase.figures.gates.slices import facet_value, selects
from suitecase.figures.measured import MeasuredFigure
from suitecase.figures.statistics.interval import Interval, Method
from suitecase.figures.wording import short_figure
from suitecase.text.plural import counted
from suitecase_evaluators.answers.records.status import Status
from suitecase_evaluators.answers.score import BORDERLINE_AT, PASS_AT
from suitecase_evaluators.grade.evaluator import EvaluatorConfig
from suitecase_evaluators.grade.registry import with_members


def appendix_of(contents: Contents) -> tuple[Section, ...]:
    """Return the sections of the appendix, with nothing in them that the audience may not read."""
    release = contents.release
    sections = (
        Section("The suite", tuple(_suite(contents))),
        Section("Sampling", tuple(_sampling(release))),
        Section("Grading", tuple(grading_blocks(contents))),
        Section("Aggregation", tuple(_aggregation(contents))),
        Section("Limitations", tuple(limitations(contents))),
    )
    return tuple(section.mapped(contents.redaction.text) for section in sections)


def _suite(contents: Contents) -> Iterator[Block]:
    release = contents.release
    governance = release.governance
    if release.head.description:
        yield Paragraph(release.head.description)
    lock = lock_of(release.path, release.folder)
    if isinstance(lock, LockFile):
        locked = f"locked on {lock.at[:10]} in `{lock_name(release.path)}`"
    else:
        locked = "not locked"
    license_ = governance.license or "not stated (`governance.license`)"
    yield Listing(
        (
            f"Version: {release.version or 'none'}, {locked}",
            f"Cases: {len(release.asked.cases):,}",
            f"License: {license_}",
            f"Authors: {_authors(contents)}",
            f"Kept apart from the people who build the model: {_team(contents)}",
            "Canary: " + (governance.canary or "none, so copies in training data cannot be found"),
        )
    )
    if governance.deprecated:
        yield Paragraph("Cases that earlier versions had:")
        yield Grid(
            ("Case", "Last version", "Reason", "Replacement"),
            tuple(
                (it.id, it.version or "—", it.reason, it.replacement or "—")
                for it in governance.deprecated
            ),
        )


def _authors(contents: Contents) -> str:
    authors = contents.release.governance.authors
    return ", ".join(authors) if authors else "not stated (`governance.authors`)"


def _team(contents: Contents) -> str:
    governance = contents.release.governance
    if governance.model_team is None or governance.authors is None:
        return "not stated (`governance.authors` and `governance.model_team`)"
    both = sorted(set(governance.authors) & set(governance.model_team))
    if both:
        return (
            f"no, {counted(len(both), 'author')} also {'builds' if len(both) == 1 else 'build'} it"
        )
    return "yes, nobody is in both lists"


def _sampling(release: Release) -> Iterator[Block]:
    sampling = release.governance.sampling
    yield Paragraph(
        sampling.strip()
        if sampling
        else "The suite does not say how its cases were chosen (`governance.sampling`)."
    )
    repeats = release.asked.repeats
    often = "once" if repeats == 1 else f"{repeats:,} times"
    yield Paragraph(
        f"The suite has {counted(len(release.asked.cases), 'case')}, and each is asked {often}. "
        f"The run has {counted(len(release.run.answers), 'answer')} by "
        f"{', '.join(f'`{target}`' for target in release.tables.targets)}."
    )
    slices = tuple(
        (
            name,
            f"{sum(selects(it, case.facts) for case in release.asked.cases.values()):,}",
            it.description or (f"by `{it.by}`" if it.by else ""),
        )
        for name, it in release.asked.slices.items()
    )
    if slices:
        yield Grid(("Slice", "Cases", "What the cases have in common"), slices)
    sources = tuple(
        (
            name,
            f"{len(cases_of_source(release.suite, name)):,}",
            it.license or "not stated",
            ", ".join(it.restricted or ()) or "—",
        )
        for name, it in sources_of(release.suite.head).items()
    )
    if sources:
        yield Grid(("Source", "Cases", "License", "Restricted parts"), sources)
    else:
        yield Paragraph("The suite names no sources of its cases (`governance.sources`).")


def _aggregation(contents: Contents) -> Iterator[Block]:
    release = contents.release
    intervals = release.asked.intervals
    yield Paragraph(
        "The score of an answer is the mean of the scores of its evaluators by weight, from 0 to 1. It "
        f"passes from {PASS_AT:g} and is borderline from {BORDERLINE_AT:g}, unless an evaluator or a "
        "rubric is below its minimum: then it fails. The value of a case is the mean over its answers, "
        "and cases weigh alike."
    )
    used = {
        figure.interval.method
        for figure in contents.figures.figures
        if isinstance(figure.interval, Interval)
    }
    names = [it.label for it in Method if it in used]
    yield Paragraph(
        f"Intervals have a confidence of {100 * intervals.confidence:g}%"
        + (f" ({'; '.join(names)})" if names else "")
        + f", with {intervals.resamples:,} draws and the seed {intervals.seed} where they are drawn. "
        + _groups(contents)
    )
    yield Paragraph(
        "Missing answers are not left out: a gate holds only if it holds with each of them counted "
        "against it, and is undecided if they could change it. Errors of targets and judges that could "
        "not be read are missing answers, not wrong ones."
    )
    if release.asked.metrics:
        yield Grid(("Metric", "Formula"), tuple(release.asked.metrics.items()))
    if contents.figures.gates:
        yield Grid(
            ("Gate", "Target", "Outcome", "Measured"),
            tuple(
                (f"`{gate.gate}`", gate.target, label_of(gate).lower(), value_of(gate))
                for gate in contents.figures.gates
            ),
        )


def _groups(contents: Contents) -> str:
    groups = contents.release.asked.intervals.groups
    whole = next((figure for figure in contents.figures.figures if figure.slice is None), None)
    if whole is None or whole.interval.units == whole.cases:
        return "Cases are resampled one by one."
    by = f"`{groups}`"
    return f"Cases with the same {by} are resampled together: {counted(whole.interval.units, 'group')}."


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
        figure.slice
        for figure in contents.figures.figures
        if figure.slice is not None
        and figure.figure == "pass_rate"
        and figure.interval.units < _FEW
    )
    if thin:
        yield f"Slices with fewer than {_FEW} cases or groups, which can show little: {_named(list(thin))}."
    yield from _facets(release)
    if not contents.figures.gates:
        yield "The suite has no gates: nothing says what a run has to meet."
    unclear = [
        gate for gate in contents.figures.gates if not gate.clear and gate.figure is not None
    ]
    if unclear:
        gates = _named([f"`{gate.gate}`" for gate in unclear])
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
    for name, asked in release.asked.slices.items():
        if asked.by is None:
            continue
        facts = [case.facts for case in release.asked.cases.values() if selects(asked, case.facts)]
        without = sum(facet_value(asked, own) is None for own in facts)
        if without:
            are, they_have = ("is", "it has") if without == 1 else ("are", "they have")
            yield f"{counted(without, 'case')} {are} in no group of `{name}`: {they_have} no `{asked.by}`."


def _named(names: list[str]) -> str:
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")


#: Settings that say how texts are compared; all others are in the manifest.
_COMPARING = ("normalize", "synonyms", "tolerance", "relative", "find", "labels", "min_score")
#: Settings of a judge.
_ASKING = ("target", "model", "temperature", "votes", "quotes", "max_output_tokens")


def grading_blocks(contents: Contents) -> Iterator[Block]:
    """Yield how answers are graded: by which evaluators, judges and people."""
    release = contents.release
    by_name: dict[str, tuple[set[str], int, list[EvaluatorConfig]]] = {}
    for case in release.effective.cases:
        for evaluator in case.evaluators:
            for config in with_members((evaluator.config,)):
                kinds, number, configs = by_name.get(config.name, (set(), 0, []))
                known = any(other is config for other in configs)
                by_name[config.name] = (
                    kinds | {config.type},
                    number + 1,
                    configs if known else [*configs, config],
                )
    yield Grid(
        ("Evaluator", "Type", "Cases", "Weight", "How texts are compared"),
        tuple(
            (
                name,
                ", ".join(sorted(kinds)),
                f"{number:,}",
                _values(configs, "weight"),
                "withheld" if contents.audience.withholds_grading else _comparing(configs),
            )
            for name, (kinds, number, configs) in by_name.items()
        ),
    )
    if not contents.audience.withholds_grading:
        yield Paragraph(
            "`manifest.json` has all settings of each evaluator, with its rubrics and their scores."
        )
    figures = protocol_figures(release)
    deciding = deciding_judges(release)
    for name, cases in deciding.items():
        yield from _judge(contents, name, len(cases), by_name[name][2], figures)
    if not deciding:
        yield Paragraph("No model decides: no judge has a weight above 0.")
    yield from _people(contents, figures)


def _judge(
    contents: Contents,
    name: str,
    cases: int,
    configs: list[EvaluatorConfig],
    figures: dict[str, MeasuredFigure],
) -> Iterator[Block]:
    release = contents.release
    protocol = (release.head.judges or {}).get(name)
    asked = [
        f"{key.replace('_', ' ')} {text}"
        for key in _ASKING
        if (text := _values(configs, key)) and text != "—"
    ]
    references = ", ".join(
        f"`{reference}`" for reference in (protocol.references if protocol else None) or ()
    )
    of = counted(len(release.asked.cases), "case")
    text = f"The judge `{name}` has a part in the score of {cases:,} of {of}."
    text += (
        f" Its settings: {'; '.join(asked)}." if asked else " Its settings are the default ones."
    )
    if references:
        text += f" It is shown the files {references}."
    yield Paragraph(text)
    reference = protocol.calibration if protocol is not None else None
    found = find_calibration(name, reference, release.folder)
    if not isinstance(found, Calibration):
        yield Paragraph(f"The judge `{name}` was not compared with people.")
        return
    good = sum(answer.people_pass for answer in found.answers)
    model = f", answered by `{found.reported_model}`" if found.reported_model else ""
    probes = ", ".join(f"{probe} ({number:,})" for probe, number in found.probes.items())
    yield Paragraph(
        f"It was compared with people on {found.at[:10]}{model}: on "
        f"{counted(len(found.answers), 'answer')}, of which people pass {good:,}, labeled by "
        f"{counted(len(found.raters), 'person', 'people')} with differences settled by "
        f"{found.adjudication}. "
        + (
            f"Probes, with the answers that they were tried on: {probes}."
            if probes
            else "No probe was tried."
        )
    )
    yield from _figures(f"judges.{name}.", figures)


def _people(contents: Contents, figures: dict[str, MeasuredFigure]) -> Iterator[Block]:
    people = contents.release.head.human or {}
    for name, labels in people.items():
        how = {
            "adjudicator": "the value of an adjudicator",
            "majority": "the value that most gave",
            "median": "the median",
        }[labels.adjudication]
        yield Paragraph(
            f"People label answers by the rubrics of `{name}`: "
            f"{counted(labels.raters, 'person', 'people')} each. Where they differ, {how} counts. Scores are "
            f"compared on an {labels.scale} scale."
        )
        yield from _figures(f"human.{name}.", figures)
    if not people:
        yield Paragraph("No labels of people are part of the suite (`human`).")


def _figures(start: str, figures: dict[str, MeasuredFigure]) -> Iterator[Block]:
    rows = tuple(
        (f"`{name}`", short_figure(figure), f"{figure.cases:,}")
        for name, figure in figures.items()
        if name.startswith(start)
    )
    if rows:
        yield Grid(("Figure", "Estimate and interval", "Answers"), rows)


def _comparing(configs: list[EvaluatorConfig]) -> str:
    parts = [
        f"{key.replace('_', ' ')} {text}"
        for key in _COMPARING
        if (text := _values(configs, key)) and text != "—"
    ]
    return "; ".join(parts) or "—"


def _values(configs: list[EvaluatorConfig], key: str) -> str:
    """Return the values of a setting in the evaluators of a name: `—` for none."""
    found = dict.fromkeys(
        _text(value) for config in configs if (value := getattr(config, key, None)) is not None
    )
    several = list(found)
    if len(several) > 1:
        return f"{several[0]} and {counted(len(several) - 1, 'other')}"
    return several[0] if several else "—"


def _text(value: Any) -> str:
    match value:
        case dict():
            return counted(len(value), "entry", "entries")
        case list() | tuple():
            return ", ".join(map(str, value[:6])) + (", …" if len(value) > 6 else "")
        case float():
            return f"{value:g}"
    return str(value)
