"""`RESULTS.figures.jsonl`: the figures of a run and what was decided about its gates.

Stands beside the results file. One JSON object a line, each with its `kind`: one `run`, then `figure`s
and `gate`s. Standard library only: the language server reads it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from stat import S_ISREG
from typing import Any

from suitecase.figures.decision import Decision
from suitecase.figures.measured import MeasuredFigure
from suitecase.text.writing.files import ANYTHING, Change, write_file
from suitecase_evaluators.answers.records.reading import FIGURES
from suitecase_evaluators.answers.records.values import timestamp

SCHEMA_VERSION = 1
#: A larger file is not read: no run has so many figures.
_LARGEST = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class RunFigures:
    """The figures of a run.

    Attributes:
        results: the name of the results file.
        suite_path: the suite, relative to the root of its workspace.
        measured_at: in UTC, ISO 8601; None for now.
        answers: how many answers of the results they are from.
    """

    results: str
    suite_path: str
    figures: tuple[MeasuredFigure, ...] = ()
    gates: tuple[Decision, ...] = ()
    measured_at: str | None = None
    answers: int | None = None


def figures_path(results: Path) -> Path:
    """Return where the figures of a results file stand."""
    return results.with_name(results.name.removesuffix(".jsonl") + FIGURES)


def write_figures(results: Path, found: RunFigures) -> Path:
    """Write figures beside a results file, in place of earlier ones of the same targets, and return where.

    A run of several targets measures one after the other.

    Raises:
        OSError: they cannot be written.
    """
    path = figures_path(results)
    content = figures_text(_with_other_targets(found, read_figures(results))).encode()
    write_file(Change(path=path, content=content, before=ANYTHING, within=path.parent))
    return path


def _with_other_targets(found: RunFigures, earlier: RunFigures | None) -> RunFigures:
    """Return figures of a run together with earlier ones of its other targets."""
    if earlier is None or earlier.suite_path != found.suite_path:
        return found
    targets = _targets(found)
    figures = tuple(figure for figure in earlier.figures if figure.target not in targets)
    gates = tuple(gate for gate in earlier.gates if gate.target not in targets)
    if not (figures or gates):
        return found
    measured_before = not targets.isdisjoint(_targets(earlier))
    known = not measured_before and None not in (found.answers, earlier.answers)
    return replace(
        found,
        figures=(*figures, *found.figures),
        gates=(*gates, *found.gates),
        answers=(found.answers or 0) + (earlier.answers or 0) if known else None,
    )


def _targets(found: RunFigures) -> set[str]:
    return {figure.target for figure in found.figures} | {gate.target for gate in found.gates}


def figures_text(found: RunFigures) -> str:
    """Return figures as JSON lines."""
    return "".join(f"{_line(values)}\n" for values in figures_values(found))


def _line(values: Mapping[str, Any]) -> str:
    text = json.dumps(values, ensure_ascii=False, allow_nan=False)
    try:
        text.encode()
    except UnicodeEncodeError:  # a path that is not UTF-8, in the form that Python gives it
        return json.dumps(values, allow_nan=False)
    return text


def figures_values(found: RunFigures) -> Iterator[dict[str, Any]]:
    """Yield figures as JSON values: one of the run, then figures and gates."""
    yield {
        "kind": "run",
        "schema_version": SCHEMA_VERSION,
        "results": found.results,
        "suite": found.suite_path,
        "answers": found.answers,
        "measured_at": found.measured_at or timestamp(),
    }
    for figure in found.figures:
        yield {"kind": "figure", **figure.to_json()}
    for gate in found.gates:
        yield {"kind": "gate", **gate.to_json()}


def read_figures(results: Path) -> RunFigures | None:
    """Return the figures beside a results file.

    None if there are none, they cannot be read, or another version wrote them. Lines that are not
    understood are left out.
    """
    path = figures_path(results)
    try:
        status = path.stat()
        # Nobody may ever write into a named pipe.
        if status.st_size > _LARGEST or not S_ISREG(status.st_mode):
            return None
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    return parse_figures(text)


def parse_figures(text: str) -> RunFigures | None:
    """Return the figures of a text; None if it has none."""
    run: Mapping[str, Any] | None = None
    figures: list[MeasuredFigure] = []
    gates: list[Decision] = []
    for line in text.splitlines():
        with suppress(ValueError, KeyError, TypeError, AttributeError, RecursionError):
            found = json.loads(line)
            match found.get("kind"):
                case "run":
                    run = found
                case "figure":
                    figures.append(MeasuredFigure.from_json(found))
                case "gate":
                    gates.append(Decision.from_json(found))
    if run is None or run.get("schema_version") != SCHEMA_VERSION:
        return None
    answers = run.get("answers")
    return RunFigures(
        results=str(run.get("results", "")),
        suite_path=str(run.get("suite", "")),
        figures=tuple(figures),
        gates=tuple(gates),
        measured_at=str(run.get("measured_at", "")) or None,
        answers=answers if isinstance(answers, int) else None,
    )


def decisions_of(gates: Sequence[Decision], text: str) -> tuple[Decision, ...]:
    """Return the decisions about a gate, by its text: one for each target."""
    return tuple(gate for gate in gates if gate.gate == text)
