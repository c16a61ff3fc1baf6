"""What `suitecase agreement` prints for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from suitecase.authoring.labeling.agreement import (
    Agreement,
    Coefficient,
    ItemAgreement,
    KindAgreement,
    Lean,
    PairAgreement,
    open_items,
)
from suitecase.cli.figures.agreement import MeasuredAgreement
from suitecase.cli.output.gates_text import gates_text
from suitecase.cli.shown_paths import shown_path
from suitecase.figures.statistics.agreement import NoValue
from suitecase.figures.statistics.interval import Interval
from suitecase.text.encoders.terminal import Line
from suitecase.text.encoders.visible import visible
from suitecase.text.plural import counted

#: So many items, pairs and answers are listed at most.
_MOST = 10
_KINDS = {"check": "checks", "range": "scores"}


def agreement_text(found: MeasuredAgreement) -> Iterator[Line]:
    """Yield the lines about each evaluator, and about the gates."""
    for number, agreement in enumerate(found.agreements):
        if number:
            yield ""
        yield from map(visible, _about(agreement, found))
    if found.decisions:
        yield ""
        yield from gates_text(found.decisions)


def _about(agreement: Agreement, found: MeasuredAgreement) -> Iterator[str]:
    people = agreement.people
    raters = ", ".join(people.raters)
    labeled = sum(it.labeled for it in agreement.kinds)
    yield (
        f"{agreement.name}: {counted(agreement.answers, 'answer')}, "
        f"{counted(len(people.raters), 'rater')} ({raters}), {counted(labeled, 'item')} labeled by "
        "two or more"
    )
    if not agreement.kinds:
        yield "  nothing to measure: no item of an answer was labeled by two raters"
    for kind in agreement.kinds:
        yield _kind_line(kind)
        if isinstance(kind.alpha.value, NoValue):
            yield f"          no alpha: {kind.alpha.value.reason}"
    yield from _item_lines(agreement)
    yield from _pair_lines(agreement)
    yield from _open_lines(agreement)
    yield from _stale_lines(agreement, found)
    yield from _left_out_lines(agreement, found)


def _kind_line(kind: KindAgreement) -> str:
    quadratic = " quadratic" if kind.mode == "range" else ""
    near = f", within one point {_text(kind.within_one)}" if kind.within_one is not None else ""
    return (
        f"  {_KINDS[kind.mode]}  alpha {_text(kind.alpha)} {kind.scale.value}   "
        f"kappa {_text(kind.kappa)}{quadratic}   agree {_text(kind.agreement)}{near}"
    )


def _text(coefficient: Coefficient) -> str:
    if isinstance(coefficient.value, NoValue):
        return "none"
    interval = coefficient.interval
    shown = f"{coefficient.value:z.2f}"
    if not isinstance(interval, Interval):
        return f"{shown} (no interval: {interval.reason})"
    return f"{shown} [{interval.low:z.2f}, {interval.high:z.2f}]"


def _value(value: float | NoValue) -> str:
    return "none" if isinstance(value, NoValue) else f"{value:z.2f}"


def _item_lines(agreement: Agreement) -> Iterator[str]:
    if len(agreement.items) < 2:
        return
    width = max(len(item.item) for item in agreement.items[:_MOST])
    yield "  By item, the lowest alpha first:"
    for item in agreement.items[:_MOST]:
        yield f"    {item.item:<{width}}  {_item(item)}"
    if len(agreement.items) > _MOST:
        yield f"    and {len(agreement.items) - _MOST:,} more; `--format json` has all of them"


def _item(item: ItemAgreement) -> str:
    text = (
        f"alpha {_value(item.alpha):>5}   agree {_value(item.agreement):>4}   "
        f"{counted(item.answers, 'answer')}"
    )
    return text + _leaning(item.lean)


def _pair_lines(agreement: Agreement) -> Iterator[str]:
    if len({pair.raters for pair in agreement.pairs}) < 2:
        return
    names = [" and ".join(pair.raters) for pair in agreement.pairs[:_MOST]]
    width = max(map(len, names))
    yield "  By pair of raters:"
    for name, it in zip(names, agreement.pairs, strict=False):
        yield f"    {name:<{width}}  {_KINDS[it.mode]}  {_pair(it)}"
    if len(agreement.pairs) > _MOST:
        yield f"    and {len(agreement.pairs) - _MOST:,} more; `--format json` has all of them"


def _pair(pair: PairAgreement) -> str:
    text = (
        f"kappa {_value(pair.kappa):>5}   agree {pair.agreement:.2f}   "
        f"{counted(pair.labeled, 'item')}"
    )
    return text + _leaning(pair.lean)


def _leaning(lean: Lean | None) -> str:
    if lean is None or lean.points < 0.05:
        return ""
    points = "1.0 point" if f"{lean.points:.1f}" == "1.0" else f"{lean.points:.1f} points"
    return f"; {lean.more} gives {points} more than {lean.less}"


def _open_lines(agreement: Agreement) -> Iterator[str]:
    people = agreement.people
    by_answer = open_items(people)
    if not by_answer:
        return
    human = people.human
    by = "majority" if human.adjudication == "majority" else "median"
    if human.adjudication == "adjudicator":
        by = " or ".join(human.adjudicators or ()) or "an adjudicator"
    differ = "answer differs and has" if len(by_answer) == 1 else "answers differ and have"
    yield f"To adjudicate: {len(by_answer):,} {differ} no value by {by}."
    for (case, answer), keys in list(by_answer.items())[:_MOST]:
        for key in keys:
            labels = people.labels_of(key)
            place = f"{shown_path(labels[0].path)}:{labels[0].label.line}"
            values = ", ".join(
                f"{label.label.rater} {str(label.label.value).lower()}" for label in labels
            )
            yield f"  {place}: {key[2]} of {case} ({answer}): {values}"
    if len(by_answer) > _MOST:
        more = counted(len(by_answer) - _MOST, "more answer")
        yield f"  and {more}; `--format json` has all of them"
    yield "  `suitecase labels RUN --disagreements` writes a sheet of them."


def _stale_lines(agreement: Agreement, found: MeasuredAgreement) -> Iterator[str]:
    by_item: Counter[tuple[str, str, int]] = Counter()
    for _, label in agreement.people.stale:
        item = agreement.people.items.by_case[label.case][label.item]
        path, line = found.place_of(label, item)
        by_item[label.item, shown_path(path), line] += 1
    for (name, file, at), number in list(by_item.items())[:_MOST]:
        are = "is of an earlier wording" if number == 1 else "are of an earlier wording"
        do = "does" if number == 1 else "do"
        yield f"Stale: {counted(number, 'label')} {are} of `{name}` ({file}:{at}) and {do} not count."
    if len(by_item) > _MOST:
        yield f"Stale: and labels of {len(by_item) - _MOST:,} more items."


def _left_out_lines(agreement: Agreement, found: MeasuredAgreement) -> Iterator[str]:
    people = agreement.people
    for why in people.files_unread:
        yield f"Not read: {why}."
    problems = sum(len(getattr(file.labels, "problems", ())) for file in people.files)
    reasons = {
        "of unknown cases or items": len(people.unknown),
        "of cases with errors": len(people.of_broken_case),
        "off the scale": len(people.off_scale),
        "given twice with different values": 2 * len(people.double),
        "that cannot be read": problems,
    }
    parts = [f"{number:,} {why}" for why, number in reasons.items() if number]
    if parts:
        shown = shown_path(found.path)
        yield f"Not counted: {', '.join(parts)}. `suitecase check {shown}` lists them."
    unlabeled = sum(getattr(file.labels, "unlabeled", 0) for file in people.files)
    if unlabeled:
        yield f"Not labeled yet: {counted(unlabeled, 'row')}."
    absent = (found.absent or {}).get(agreement.name, ())
    if absent and found.results is not None:
        some = ", ".join(f"{case} ({answer})" for case, answer in absent[:3])
        more = f" and {len(absent) - 3:,} more" if len(absent) > 3 else ""
        yield (
            f"Not in {shown_path(found.results)}: {counted(len(absent), 'labeled answer')}: "
            f"{some}{more}."
        )
