"""Which probes of `calibrate` can be tried on which judges."""

from __future__ import annotations

from collections.abc import Iterable

from suitecase.format.protocols import PROBES
from suitecase_evaluators.grade.evaluator import EvaluatorConfig
from suitecase_evaluators.grade.registry import description_of

ITEM_ORDER = "item_order"
ORDER = "order"


def applies(probe: str, config: EvaluatorConfig) -> bool:
    """Whether a probe can be tried on what a judge grades.

    `order` swaps the two answers of a comparison, `item_order` at least two rubric items. The other
    probes change the answer, which every judge sees.
    """
    description = description_of(config)
    if probe == ORDER:
        return description.compares
    if probe == ITEM_ORDER:
        prompt = description.prompt(config)
        return prompt is not None and len(prompt.rubrics) > 1
    return True


def why_not_applicable(probe: str, name: str, configs: Iterable[EvaluatorConfig]) -> str | None:
    """Return why a probe can be tried on none of the judges of a name; None if it can on one.

    Args:
        probe: the probe.
        name: the name of the judges.
        configs: the judges of that name in a suite; if there are none, nothing is known.
    """
    known = list(configs)
    if not known or any(applies(probe, it) for it in known):
        return None
    if probe == ORDER:
        return f"`order` swaps two answers that are compared; `{name}` sees one answer"
    return f"`item_order` reverses the rubric items; `{name}` never has two of them"


def probes_of(chosen: Iterable[str] | None, config: EvaluatorConfig) -> tuple[str, ...]:
    """Return the probes to try on what a judge grades, in their order.

    Args:
        chosen: those that the suite names; None for all.
        config: the judge.
    """
    names = PROBES if chosen is None else tuple(dict.fromkeys(chosen))
    return tuple(name for name in names if applies(name, config))
