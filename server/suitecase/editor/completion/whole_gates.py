"""Completion of whole gates, with thresholds that the cases of the suite can reach."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.editor.completion.context import Context
from suitecase.editor.completion.item import Item, ItemKind
from suitecase.editor.completion.template import Stop, Template, rendered
from suitecase.editor.completion.thresholds import best_bound
from suitecase.figures.gates.meaning import FigureKind, Meaning
from suitecase.figures.gates.names import SuiteFigures
from suitecase.figures.gates.spelling import facet_text, protocol_text, slice_text, spelt
from suitecase.formats.suitecase.model import SuiteHead
from suitecase.schema.role_texts import role_texts
from suitecase.text.node import Mapping
from suitecase_evaluators.schema.field_role import FieldRole

#: How many tags and evaluators get a gate each.
_MOST = 5


def whole_gates(context: Context, figures: SuiteFigures) -> Iterator[Item]:
    """Yield gates that the suite does not have yet."""
    taken = {_compared(text) for text in _texts(figures)}
    seen: set[str] = set()
    for template, detail in _gates(figures):
        label = rendered(template, newline="\n")
        if _compared(label) in taken or label in seen:
            continue
        seen.add(label)
        quotes = context.style or ('"' if label.startswith("`") else "")
        if quotes and quotes in label:
            continue
        yield Item(
            label=label,
            kind=ItemKind.SCAFFOLD,
            template=template if context.style or not quotes else quoted_whole(template),
            detail=detail,
        )


def quoted_whole(template: Template) -> Template:
    """Return a whole gate in quotes: a plain text in YAML cannot start with a backquote."""
    return ('"', *template, '"')


def _texts(figures: SuiteFigures) -> Iterator[str]:
    node = figures.head.node
    for role_text in role_texts(SuiteHead, node, FieldRole.GATE) if node is not None else ():
        yield role_text.node.text


def _compared(gate: str) -> str:
    """Return what a gate compares, without the threshold."""
    return gate.replace("<", ">").partition(">")[0].strip()


def _gates(figures: SuiteFigures) -> Iterator[tuple[Template, str]]:
    yield ("pass_rate >= ", Stop("90%")), "gate on all cases"
    bound = best_bound(figures, None)
    if bound is not None:
        yield ("lower(pass_rate) >= ", Stop(f"{bound}%")), "gate on the bound, within reach"
    for name, declared in figures.slices.items():
        if declared.by:
            facet = facet_text(name)
            if facet is not None:
                yield (f"gap(pass_rate by {facet}) <= ", Stop("10%")), "gate on a facet"
            continue
        text = slice_text(name)
        if text is None:
            continue
        if declared.safety:
            yield (f"violation_rate[{text}] <= ", Stop("0%")), "gate on a safety slice"
        yield from _of_slice(figures, name, text, "slice")
    for name, _ in figures.tags.most_common(_MOST):
        text = slice_text(name)
        if text is not None and name not in figures.declared:
            yield from _of_slice(figures, name, text, "tag")
    for metric in figures.metrics:
        text = spelt(metric)
        if text is not None:
            yield (f"{text} >= ", Stop("80%")), "gate on a metric"
    for evaluator in [*figures.names.evaluators][:_MOST]:
        text = spelt(evaluator)
        if text is not None:
            yield (f"{text} >= ", Stop("80%")), "gate on an evaluator"
    yield from _of_people_and_judges(figures)
    yield ("error_rate <= ", Stop("1%")), "gate on missing answers"
    yield ("latency_ms <= ", Stop("4000")), "gate on the time of an answer"
    yield ("cost_usd <= ", Stop("0.01")), "gate on the cost of an answer"


def _of_people_and_judges(figures: SuiteFigures) -> Iterator[tuple[Template, str]]:
    names, head = figures.names, figures.head.node
    judges = head.get("judges") if head is not None else None  # also where the head has errors
    for name in sorted(names.people):
        text = protocol_text(Meaning(FigureKind.ALPHA, name))
        if text is not None:
            yield (f"{text} >= ", Stop("0.667")), "gate on the agreement of people"
    for name in sorted(names.judges):
        protocol = judges.get(name) if isinstance(judges, Mapping) else None
        kappa = protocol_text(Meaning(FigureKind.JUDGE_KAPPA, name))
        rate = spelt(name, "pass_rate")
        if not isinstance(protocol, Mapping) or "calibration" not in protocol:
            continue
        if kappa is None or rate is None:
            continue
        yield (f"lower({kappa}) >= ", Stop("0.6")), "gate on a judge"
        if name in names.evaluators:
            yield (f"corrected({rate}) >= ", Stop("80%")), "gate on a corrected rate"


def _of_slice(
    figures: SuiteFigures, name: str, text: str, what: str
) -> Iterator[tuple[Template, str]]:
    bound = best_bound(figures, name)
    if bound is not None:
        yield (
            (f"lower(pass_rate[{text}]) >= ", Stop(f"{bound}%")),
            f"gate on a {what}, within reach",
        )
    yield (f"pass_rate[{text}] >= ", Stop("90%")), f"gate on a {what}"
