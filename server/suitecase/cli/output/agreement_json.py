"""What `suitecase agreement` prints for programs."""

from __future__ import annotations

from typing import Any

from suitecase.authoring.labeling.agreement import Agreement, Coefficient, KindAgreement, Lean
from suitecase.cli.figures.agreement import MeasuredAgreement
from suitecase.cli.shown_paths import shown_path
from suitecase.evidence.labels.label import Label
from suitecase.evidence.labels.people import ItemKey, PlacedLabel
from suitecase.figures.statistics.agreement import NoValue
from suitecase.figures.statistics.interval import Interval
from suitecase.text.encoders.json_text import json_text

SCHEMA_VERSION = 1


def agreement_json(found: MeasuredAgreement) -> str:
    """Return how far people agree as a JSON object."""
    return json_text(
        {
            "schema_version": SCHEMA_VERSION,
            "suite": shown_path(found.path),
            "results": None if found.results is None else shown_path(found.results),
            "human": {
                agreement.name: _agreement(agreement, found) for agreement in found.agreements
            },
            "gates": [decision.to_json() for decision in found.decisions],
            "exit_code": found.exit_code,
        },
        indent=2,
        ascii_only=True,
    )


def _agreement(agreement: Agreement, found: MeasuredAgreement) -> dict[str, Any]:
    people = agreement.people
    absent = (found.absent or {}).get(agreement.name)
    return {
        "answers": agreement.answers,
        "raters": list(people.raters),
        "kinds": [_kind(kind) for kind in agreement.kinds],
        "items": [
            {
                "item": item.item,
                "kind": _KINDS[item.mode],
                "answers": item.answers,
                "alpha": _value(item.alpha),
                "agreement": _value(item.agreement),
                "lean": _lean(item.lean),
            }
            for item in agreement.items
        ],
        "pairs": [
            {
                "raters": list(pair.raters),
                "kind": _KINDS[pair.mode],
                "labeled": pair.labeled,
                "kappa": _value(pair.kappa),
                "agreement": pair.agreement,
                "lean": _lean(pair.lean),
            }
            for pair in agreement.pairs
        ],
        "to_adjudicate": [_open(it, people.labels_of(it)) for it in people.to_adjudicate],
        "stale": [_stale(it, agreement, found) for it in people.stale],
        "not_counted": {
            "files": [
                {"file": file.reference, "reason": file.why_unread}
                for file in people.files
                if file.why_unread is not None
            ],
            "of_broken_cases": [_placed(label) for label in people.of_broken_case],
            "unknown": [_placed(it) for it in people.unknown],
            "off_scale": [_placed(it) for it in people.off_scale],
            "contradicting": [
                {"first": _placed(it.first), "second": _placed(it.second)} for it in people.double
            ],
        },
        "not_in_results": None
        if absent is None
        else [{"case": case, "answer": answer} for case, answer in absent],
    }


_KINDS = {"check": "check", "range": "score"}


def _kind(kind: KindAgreement) -> dict[str, Any]:
    return {
        "kind": _KINDS[kind.mode],
        "scale": kind.scale.value,
        "labeled": kind.labeled,
        "answers": kind.answers,
        "alpha": _coefficient(kind.alpha),
        "kappa": _coefficient(kind.kappa),
        "agreement": _coefficient(kind.agreement),
        "within_one": None if kind.within_one is None else _coefficient(kind.within_one),
    }


def _coefficient(found: Coefficient) -> dict[str, Any]:
    interval = found.interval
    known = isinstance(interval, Interval) and not isinstance(found.value, NoValue)
    return {
        "estimate": _value(found.value),
        "low": interval.low if known and isinstance(interval, Interval) else None,
        "high": interval.high if known and isinstance(interval, Interval) else None,
        "reason": found.value.reason
        if isinstance(found.value, NoValue)
        else getattr(interval, "reason", None),
    }


def _value(value: float | NoValue) -> float | None:
    return None if isinstance(value, NoValue) else value


def _lean(lean: Lean | None) -> dict[str, Any] | None:
    return None if lean is None else {"more": lean.more, "less": lean.less, "points": lean.points}


def _open(key: ItemKey, labels: list[PlacedLabel]) -> dict[str, Any]:
    case, answer, item = key
    return {
        "case": case,
        "answer": answer,
        "item": item,
        "labels": [{**_placed(label), "rater": label.label.rater} for label in labels],
    }


def _placed(placed: PlacedLabel) -> dict[str, Any]:
    label: Label = placed.label
    return {
        "file": shown_path(placed.path),
        "line": label.line,
        "case": label.case,
        "item": label.item,
        "value": label.value,
    }


def _stale(placed: PlacedLabel, agreement: Agreement, found: MeasuredAgreement) -> dict[str, Any]:
    label = placed.label
    path, line = found.place_of(label, agreement.people.items.by_case[label.case][label.item])
    return {**_placed(placed), "item_file": shown_path(path), "item_line": line}
