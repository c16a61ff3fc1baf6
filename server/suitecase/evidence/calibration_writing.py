"""The text of a calibration file."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from suitecase.evidence.calibration_file import FORMAT, CalibratedAnswer, Calibration


def calibration_text(calibration: Calibration) -> str:
    """Return the text of a calibration file: the same text for the same calibration."""
    head: dict[str, Any] = {
        "calibration": FORMAT,
        "judge": calibration.judge,
        "at": calibration.at,
        "judge_hash": calibration.judge_hash,
        "judge_parts": dict(calibration.judge_parts),
        "asked": dict(calibration.asked),
        "reported_model": calibration.reported_model,
        "labels": dict(sorted(calibration.labels.items())),
        "adjudication": calibration.adjudication,
        "raters": list(calibration.raters),
        "probes_version": calibration.probes_version,
        "probes": dict(calibration.probes),
    }
    lines = [f" {_json(name)}: {_json(value)}," for name, value in head.items()]
    rows = in_order(calibration.answers)
    answers = ",\n".join(f"  {_json(_row(row))}" for row in rows)
    return "\n".join(["{", *lines, ' "answers": [', *([answers] if rows else []), " ]", "}", ""])


def _row(answer: CalibratedAnswer) -> dict[str, Any]:
    row: dict[str, Any] = {
        "case": answer.case,
        "answer": answer.answer,
        "people": dict(answer.people),
        "judge": None if answer.judge is None else dict(answer.judge),
        "people_pass": answer.people_pass,
        "judge_pass": answer.judge_pass,
    }
    if answer.quotes != (0, 0):
        row["quotes"] = list(answer.quotes)
    if answer.wording:
        row["wording"] = dict(answer.wording)
    return row | {"probed": list(answer.probed), "flips": list(answer.flips)}


def _json(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:  # half a surrogate pair, which JSON can write and UTF-8 cannot
        return json.dumps(value, allow_nan=False)
    return text


def in_order(answers: Iterable[CalibratedAnswer]) -> tuple[CalibratedAnswer, ...]:
    """Return answers in the order in which a file has them."""
    return tuple(sorted(answers, key=lambda it: (it.case, it.answer)))
