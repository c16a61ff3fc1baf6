"""Conditions on judges: one that decides cases has been compared with people, as it is now."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.authoring.releasing.condition import Condition, Kind
from suitecase.authoring.releasing.release import Release
from suitecase.evidence.calibration_file import (
    Calibration,
    CalibrationProblem,
    NoCalibration,
    find_calibration,
)
from suitecase.evidence.outdated_calibrations import changes_of_judge, sorted_answers, why_outdated
from suitecase.text.plural import counted
from suitecase_evaluators.grade.registry import description_of, judge_calls, with_members


def deciding_judges(release: Release) -> dict[str, list[str]]:
    """Return the judges that have a part in the score of cases, by name, with these cases.

    A judge with the weight 0 is only reported. One that compares answers with each other has no
    verdicts that people could label.
    """
    found: dict[str, list[str]] = {}
    for case in release.effective.cases:
        names = {
            config.name
            for evaluator in case.evaluators
            if evaluator.config.weight > 0
            for config in with_members((evaluator.config,))
            if any(judge_calls((config,)))
            and not description_of(config).members(config)
            and not description_of(config).compares
        }
        for name in sorted(names):
            found.setdefault(name, []).append(case.id)
    return found


def judge_conditions(release: Release) -> Iterator[Condition]:
    """Yield the judges that decide cases and are not calibrated as they are now."""
    total = len(release.asked.cases)
    for name, cases in deciding_judges(release).items():
        protocol = (release.head.judges or {}).get(name)
        reference = protocol.calibration if protocol is not None else None
        found = find_calibration(name, reference, release.folder)
        line = release.line_of("judges", name, "calibration")
        place = (release.head_file, line)
        if protocol is None:
            place = (release.path, release.asked.cases[cases[0]].line)
        decides = f"`{name}` decides {len(cases):,} of {counted(total, 'case')}"
        match found:
            case NoCalibration():
                text = f"{decides} and was not compared with people: {found.reason}"
                yield Condition(Kind.JUDGE, text, *place)
            case CalibrationProblem():
                text = f"the calibration of `{name}` cannot be used: {found.message}"
                yield Condition(Kind.JUDGE, text, found.path, found.line)
            case Calibration():
                why = _why_outdated(release, found)
                if why:
                    text = f"the calibration of `{name}` ({found.at[:10]}) is outdated: {why}"
                    yield Condition(Kind.JUDGE, text, *place)


def _why_outdated(release: Release, found: Calibration) -> str:
    changes = changes_of_judge(found, release.suite, release.folder)
    if changes:
        return why_outdated(changes)
    answers = sorted_answers(found, release.suite)
    if found.answers and not answers.current:
        return "what its items ask was reworded"
    return "" if found.answers else "it has no answers"
