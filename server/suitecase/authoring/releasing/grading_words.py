"""The appendix on grading: evaluators, judges and people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from suitecase.authoring.releasing.calibrated import deciding_judges
from suitecase.authoring.releasing.contents import Contents
from suitecase.authoring.releasing.document import Block, Grid, Paragraph
from suitecase.authoring.releasing.measured import protocol_figures
from suitecase.evidence.calibration_file import Calibration, find_calibration
from suitecase.figures.measured import MeasuredFigure
from suitecase.figures.wording import short_figure
from suitecase.text.plural import counted
from suitecase_evaluators.grade.evaluator import EvaluatorConfig
from suitecase_evaluators.grade.registry import with_members

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
                known = any(it is config for it in configs)
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
    references = ", ".join(f"`{it}`" for it in (protocol.references if protocol else None) or ())
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
    good = sum(it.people_pass for it in found.answers)
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
    for name, it in people.items():
        how = {
            "adjudicator": "the value of an adjudicator",
            "majority": "the value that most gave",
            "median": "the median",
        }[it.adjudication]
        yield Paragraph(
            f"People label answers by the rubrics of `{name}`: "
            f"{counted(it.raters, 'person', 'people')} each. Where they differ, {how} counts. Scores are "
            f"compared on an {it.scale} scale."
        )
        yield from _figures(f"human.{name}.", figures)
    if not people:
        yield Paragraph("No labels of people are part of the suite (`human`).")


def _figures(start: str, figures: dict[str, MeasuredFigure]) -> Iterator[Block]:
    rows = tuple(
        (f"`{name}`", short_figure(it), f"{it.cases:,}")
        for name, it in figures.items()
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
        _text(value) for it in configs if (value := getattr(it, key, None)) is not None
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
