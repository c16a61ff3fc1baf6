"""The calibration of a judge: its verdicts on answers that people have labeled.

`suitecase calibrate` writes the file, people commit it. It has every value, so that figures are computed
from it without asking a model. It is JSON with an answer on each line, so that changes can be reviewed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from suitecase.format.protocols import person_name
from suitecase.format.workspace import Folder, Found, Unreadable
from suitecase.text.compose import compose
from suitecase.text.node import Mapping as MappingNode
from suitecase.text.node import Node, Sequence, Span
from suitecase_evaluators.answers.rubric import TOP

#: The version of the format that is written, and the newest one that is read.
FORMAT: Final = 1
Value = bool | int | float


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibratedAnswer:
    """What people and the judge say about one answer.

    Attributes:
        case: the id of the case.
        answer: the digest of the answer's text.
        people: the value of each item on which people agree, or which was adjudicated.
        judge: the judge's values of these items; None if no reply of it could be read.
        people_pass: whether the answer passes by people's values.
        judge_pass: whether it passes by the judge; None if no reply could be read.
        quotes: how many quotes the judge gave that are in the answer, and how many it gave.
        probed: the probes that were tried on the answer.
        flips: those of them that turned the judge's verdict.
        wording: the wording of each item when it was judged.
    """

    case: str
    answer: str
    people: Mapping[str, Value]
    judge: Mapping[str, Value] | None
    people_pass: bool
    judge_pass: bool | None
    quotes: tuple[int, int] = (0, 0)
    probed: tuple[str, ...] = ()
    flips: tuple[str, ...] = ()
    wording: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """The content of a calibration file.

    Attributes:
        judge: the name of the evaluator.
        at: when the judge was asked.
        judge_hash: the hash of the judge, see `judge_hash`.
        judge_parts: what the hash covers, by part, so that messages can say what has changed.
        asked: the target, the model and the settings that it was asked with, for readers.
        reported_model: the model that the provider says has answered, if it does.
        labels: the digest of each label file.
        adjudication: how differences between people were settled.
        raters: the people who labeled.
        probes_version: the version of the probes; None if none was tried.
        probes: how many answers each probe was tried on.
        answers: sorted by case and answer.
    """

    judge: str
    at: str
    judge_hash: str
    judge_parts: Mapping[str, str]
    asked: Mapping[str, Any] = field(default_factory=dict)
    reported_model: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    adjudication: str = "majority"
    raters: tuple[str, ...] = ()
    probes_version: int | None = None
    probes: Mapping[str, int] = field(default_factory=dict)
    answers: tuple[CalibratedAnswer, ...] = ()


@dataclass(frozen=True, slots=True)
class CalibrationProblem:
    """Why a calibration file cannot be used.

    Attributes:
        path: the file.
        span: where in its text.
        line: the line, from 1.
        message: what is wrong there.
    """

    path: Path
    span: Span
    line: int
    message: str


def changed_parts(calibration: Calibration, parts: Mapping[str, str]) -> tuple[str, ...]:
    """Return the names of the parts in which the judge differs from the one that was calibrated.

    A part that only one of them has says nothing: another version of Suitecase tells parts apart
    in another way.

    Args:
        calibration: the calibration.
        parts: those of the judge as it is now, see `judge_parts`.
    """
    before = calibration.judge_parts
    return tuple(part for part in parts if part in before and before[part] != parts[part])


@lru_cache(maxsize=8)
def read_calibration(path: Path, text: str) -> Calibration | CalibrationProblem:
    """Read a calibration file; of the same text the same object. Never raises.

    Args:
        path: the file, for the problem.
        text: its text.
    """
    try:
        return _calibration(_loaded(text))
    except _WrongError as error:
        span = error.span or _place(text, error.at)
        return CalibrationProblem(path, span, text.count("\n", 0, span.start) + 1, error.message)


#: The start of a calibration file, also of one that was merged with conflicts.
_START = re.compile(r"\ufeff?\s*(?:\{[^{}\[\]]{0,200}\"calibration\"\s*:|\Z)")


def looks_like_calibration(text: str) -> bool:
    """Whether a text is that of a calibration file, or empty, so that it may be replaced."""
    return _START.match(text) is not None


@dataclass(frozen=True, slots=True)
class NoCalibration:
    """There is no calibration file to read; `reason` says why, for users."""

    reason: str


def find_calibration(
    judge: str, reference: str | None, folder: Folder
) -> Calibration | CalibrationProblem | NoCalibration:
    """Return the calibration of a judge, from the file that the suite names.

    Args:
        judge: the name of the evaluator.
        reference: what the suite has under `judges.NAME.calibration`.
        folder: the suite's folder.
    """
    if reference is None:
        return NoCalibration(f"`judges.{judge}` names no `calibration`")
    found = folder.find(reference.strip())
    if not isinstance(found, Found):
        return NoCalibration(f"`{judge}` has not been calibrated: {reference} does not exist")
    text = folder.read(found.path)
    if isinstance(text, Unreadable):
        return NoCalibration(f"{reference} cannot be read: {text.reason}")
    calibration = read_calibration(found.path, text)
    if isinstance(calibration, Calibration) and calibration.judge != judge:
        span = _place(text, ("judge",))
        line = text.count("\n", 0, span.start) + 1
        message = f"it is the calibration of `{calibration.judge}`, not of `{judge}`"
        return CalibrationProblem(found.path, span, line, message)
    return calibration


class _WrongError(Exception):
    """What is wrong with a file, and where: at keys and indices, or at a span."""

    def __init__(self, message: str, *at: str | int, span: Span | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.at = at
        self.span = span


def _loaded(text: str) -> Any:
    merge = next((name for name in ("<<<<<<<", ">>>>>>>") if f"\n{name}" in f"\n{text}"), None)
    if merge is not None:
        start = f"\n{text}".index(f"\n{merge}")
        message = "two versions of the calibration were merged with conflicts; calibrate again"
        raise _WrongError(message, span=Span(start, start + len(merge)))
    try:
        return json.loads(text.removeprefix("\ufeff"), parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        start = min(error.pos, max(len(text) - 1, 0))
        what = error.msg[:1].lower() + error.msg[1:]
        raise _WrongError(
            f"it is not valid JSON: {what}", span=Span(start, min(start + 1, len(text)))
        ) from None
    except RecursionError:
        raise _WrongError("it is not a calibration: it is nested too deeply") from None
    except ValueError as error:  # a number of thousands of digits
        raise _WrongError(f"it is not valid JSON: {error}") from None


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number of JSON")


def _calibration(data: Any) -> Calibration:
    if not isinstance(data, dict) or "calibration" not in data:
        raise _WrongError("it is not a calibration that `suitecase calibrate` wrote")
    version = data["calibration"]
    if type(version) is not int or version < 1:
        raise _WrongError("`calibration` must be the version of the format", "calibration")
    if version > FORMAT:
        raise _WrongError(
            f"a newer version of Suitecase wrote it (format {version}; this version reads "
            f"{FORMAT}); update Suitecase",
            "calibration",
        )
    answers = _of(data, "answers", list)
    read = tuple(_answer(row, number) for number, row in enumerate(answers))
    seen: dict[tuple[str, str], int] = {}
    for number, it in enumerate(read):
        first = seen.setdefault((it.case, it.answer), number)
        if first != number:
            raise _WrongError(
                f"the answer `{it.answer}` of the case `{it.case}` is there twice",
                "answers",
                number,
            )
    return Calibration(
        judge=_of(data, "judge", str),
        at=_of(data, "at", str),
        judge_hash=_of(data, "judge_hash", str),
        judge_parts=_texts(data, "judge_parts"),
        asked=_of(data, "asked", dict, {}),
        reported_model=_of(data, "reported_model", str, None),
        labels=_texts(data, "labels", {}),
        adjudication=_of(data, "adjudication", str, "majority"),
        raters=tuple(map(person_name, _list_of_texts(data, "raters"))),
        probes_version=_of(data, "probes_version", int, None),
        probes=_counts(data, "probes"),
        answers=read,
    )


def _answer(row: Any, number: int) -> CalibratedAnswer:
    at = ("answers", number)
    if not isinstance(row, dict):
        raise _WrongError("an answer must be a mapping", *at)
    judge = _of(row, "judge", dict, None, at=at)
    judge_pass = _of(row, "judge_pass", bool, None, at=at)
    if (judge is None) is not (judge_pass is None):
        raise _WrongError("`judge` and `judge_pass` must both be null, or neither", *at)
    quotes = _of(row, "quotes", list, [0, 0], at=at)
    if len(quotes) != 2 or not all(_is_count(quote) for quote in quotes) or quotes[0] > quotes[1]:
        raise _WrongError("`quotes` must be the numbers of valid and of all quotes", *at, "quotes")
    probed = _list_of_texts(row, "probed", at)
    flips = _list_of_texts(row, "flips", at)
    unknown = next((flip for flip in flips if flip not in probed), None)
    if unknown is not None:
        raise _WrongError(f"`{unknown}` is under `flips`, but not under `probed`", *at, "flips")
    return CalibratedAnswer(
        case=_of(row, "case", str, at=at),
        answer=_of(row, "answer", str, at=at),
        people=_values(row, "people", at),
        judge=None if judge is None else _values(row, "judge", at),
        people_pass=_of(row, "people_pass", bool, at=at),
        judge_pass=judge_pass,
        quotes=(quotes[0], quotes[1]),
        probed=probed,
        flips=flips,
        wording=_texts(row, "wording", {}, at),
    )


_REQUIRED: Final = object()
_KINDS: Final = {
    str: "a text",
    int: "a whole number",
    bool: "`true` or `false`",
    list: "a list",
    dict: "a mapping",
}


def _of(
    data: Mapping[str, Any],
    name: str,
    kind: type[Any],
    default: Any = _REQUIRED,
    at: tuple[str | int, ...] = (),
) -> Any:
    """Return a value of this type; without a default it has to be there."""
    value = data.get(name, default)
    if value is _REQUIRED:
        raise _WrongError(f"`{name}` is missing", *at)
    if value is default:
        return value
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise _WrongError(f"`{name}` must be {_KINDS[kind]}", *at, name)
    return value


def _texts(
    data: Mapping[str, Any], name: str, default: Any = _REQUIRED, at: tuple[str | int, ...] = ()
) -> dict[str, str]:
    found: dict[str, str] = _of(data, name, dict, default, at)
    for key, value in found.items():
        if not isinstance(value, str):
            raise _WrongError(f"`{key}` must be a text", *at, name, key)
    return found


def _list_of_texts(
    data: Mapping[str, Any], name: str, at: tuple[str | int, ...] = ()
) -> tuple[str, ...]:
    found = _of(data, name, list, [], at)
    for number, value in enumerate(found):
        if not isinstance(value, str):
            raise _WrongError(f"`{name}` must be a list of texts", *at, name, number)
    return tuple(found)


def _counts(data: Mapping[str, Any], name: str) -> dict[str, int]:
    found: dict[str, int] = _of(data, name, dict, {})
    for key, value in found.items():
        if not _is_count(value):
            raise _WrongError(f"`{key}` must be a number of answers", name, key)
    return found


def _values(data: Mapping[str, Any], name: str, at: tuple[str | int, ...]) -> dict[str, Value]:
    found: dict[str, Value] = _of(data, name, dict, at=at)
    for key, value in found.items():
        if not isinstance(value, bool | int | float) or not 0 <= value <= TOP:
            message = f"the value of `{key}` must be a number from 0 to {TOP}, `true` or `false`"
            raise _WrongError(message, *at, name, key)
    return found


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


def _place(text: str, at: Iterable[str | int]) -> Span:
    """Return where a value is, or else the nearest that is there."""
    node: Node | None = compose(text).root
    span = Span(0, min(1, len(text)))
    for step in at:
        if isinstance(node, MappingNode) and isinstance(step, str):
            node = node.get(step)
        elif isinstance(node, Sequence) and isinstance(step, int) and step < len(node.items):
            node = node.items[step]
        else:
            return span
        if node is None:
            return span
        span = Span(node.start, node.end)
    return span
