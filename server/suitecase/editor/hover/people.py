"""Hovers on names under `human`: who labeled answers, how far they agree, and what is open."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from suitecase.editor.markdown import code, escaped
from suitecase.evidence.governed import governed
from suitecase.evidence.labels.coefficients import MODES, rated_units, scale_of
from suitecase.evidence.labels.people import PeoplesLabels, peoples_labels
from suitecase.figures.statistics.agreement import (
    NoValue,
    agreeing_share,
    krippendorff_alpha,
    mean_kappa,
)
from suitecase.format.workspace import Folder
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.text.plural import counted

_KINDS = {"check": "met or not", "range": "scores"}


def people_text(name: str, suite: ParsedSuite, folder: Folder, path: Path) -> str | None:
    """Return what the labels under a name of `human` come to; None if that is unknown.

    Args:
        name: the name of the evaluator.
        suite: the file with the head.
        folder: its folder.
        path: its path.
    """
    whole = governed(suite, folder, path)
    people = peoples_labels(whole.suite, name, folder) if whole is not None else None
    if people is None:
        return None
    answers = counted(len({key[:2] for key in people.by_item}), "answer")
    raters = ", ".join(map(escaped, people.raters))
    by = f" labeled by {raters}" if raters else ""
    rows = list(_rows(people))
    sections = [f"**{code(name)}** · {answers}{by}"]
    if rows:
        sections.append("| | alpha | kappa | agree |\n|---|---|---|---|\n" + "\n".join(rows))
    elif people.by_item:
        sections.append("Agreement takes two raters of an answer.")
    sections.append("\n".join(f"- {it}" for it in _open(people)))
    if rows:
        command = f"suitecase agreement {folder.shown(path)}"
        sections.append(f"{code(command)} also shows intervals, items and pairs of raters.")
    return "\n\n".join(section for section in sections if section)


def _rows(people: PeoplesLabels) -> Iterator[str]:
    for mode in MODES:
        units = rated_units(people, mode)
        if units:
            scale = scale_of(mode, people.human)
            alpha = _shown(krippendorff_alpha(units, scale))
            kappa = _shown(mean_kappa(units, quadratic=mode == "range"))
            agree = agreeing_share(units)
            share = "none" if isinstance(agree, NoValue) else f"{agree:.0%}"
            yield f"| {_KINDS[mode]} | {alpha} {scale.value} | {kappa} | {share} |"


def _shown(value: float | NoValue) -> str:
    return "none" if isinstance(value, NoValue) else f"{value:z.2f}"


def _open(people: PeoplesLabels) -> Iterator[str]:
    for why in people.incomplete:
        yield f"not read, so that gates are undecided: {escaped(why)}"
    differing = len({key[:2] for key in people.to_adjudicate})
    unlabeled = sum(getattr(file.labels, "unlabeled", 0) for file in people.files)
    if differing:
        yield f"to adjudicate: {counted(differing, 'answer')}"
    if unlabeled:
        yield f"not labeled yet: {counted(unlabeled, 'row')}"
    if people.stale:
        yield f"of an earlier wording, which does not count: {counted(len(people.stale), 'label')}"
