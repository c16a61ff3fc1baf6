"""Hovers on slices, facets and tags: their cases, and how these did last."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from suitecase.editor.figure_words import intervals, units
from suitecase.editor.markdown import code
from suitecase.editor.results import DocumentResults
from suitecase.editor.verdicts import sign
from suitecase.figures.gates.names import SuiteFigures
from suitecase.figures.gates.slices import facet_value
from suitecase.figures.statistics.binomial import lower_bound_if_all_pass
from suitecase.format.figure_keys import Slice
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.text.plural import counted

#: How many cases, and values of a facet, are listed.
_MOST = 20


def slice_text(
    name: str, suite: ParsedSuite, figures: SuiteFigures, results: DocumentResults
) -> str | None:
    """Return what a slice or a tag is, and its cases; None for an unknown name."""
    choice = figures.choose(name)
    if choice is None:
        return facet_text(name, suite, figures)
    numbers = figures.cases_of(choice)
    declared = figures.slices[choice.declared] if choice.declared is not None else None
    kind = "tag" if declared is None else "safety slice" if declared.safety else "slice"
    if choice.value is not None:
        kind = f"slice of the facet {code(choice.declared or '')}"
    sections = [f"**{code(name)}** · {kind} · {counted(len(numbers), 'case')}"]
    if declared is not None:
        sections += [declared.description or "", _selectors(declared)]
    sections.append(_ids(numbers, figures))
    sections.append(_verdicts(numbers, figures, results))
    n = units(figures, numbers)
    if n:
        bound = lower_bound_if_all_pass(n, intervals(figures).confidence)
        of = f" of {counted(n, 'group')}" if n < len(numbers) else ""
        sections.append(f"If every case{of} passes, the lower bound of `pass_rate` is {bound:.3f}.")
    return "\n\n".join(section for section in sections if section)


def facet_text(name: str, suite: ParsedSuite, figures: SuiteFigures) -> str | None:
    """Return the values of a facet with their cases; None for a name that is not a facet."""
    facet = figures.slices.get(name)
    if facet is None or not facet.by:
        return None
    values = figures.values_of(name)
    rows = [
        f"- {code(f'{name}={value}')}: {counted(len(cases), 'case')}"
        for value, cases in sorted(values.items(), key=lambda it: -len(it[1]))
        if value is not None
    ]
    without = len(values.get(None, ()))
    sections = [
        f"**{code(name)}** · facet by {code(facet.by)} · {counted(len(rows), 'value')}",
        facet.description or "",
        "\n".join(rows[:_MOST])
        + (f"\n- and {len(rows) - _MOST:,} more" if len(rows) > _MOST else ""),
        f"Without a value: {counted(without, 'case')}." if without else "",
    ]
    return "\n\n".join(section for section in sections if section)


def slices_of_case(number: int, figures: SuiteFigures) -> str | None:
    """Return the slices that a case is in, with what gates on them."""
    names: list[str] = []
    for name, declared in figures.slices.items():
        if number not in figures.selected(name):
            continue
        value = facet_value(declared, figures.profiles[number].facts)
        if not declared.by:
            names.append(name)
        elif value is not None:
            names.append(f"{name}={value}")
    gated = {
        figure.slice.text
        for gate in figures.gates
        for figure in gate.figures()
        if figure.slice is not None
    }
    tags = figures.profiles[number].facts.tags
    names += sorted(tag for tag in tags if tag in gated and tag not in names)
    if not names:
        return None
    return "Slices: " + ", ".join(map(code, names))


def _selectors(declared: Slice) -> str:
    parts: list[str] = []
    if declared.tags is not None:
        tags = [declared.tags] if isinstance(declared.tags, str) else declared.tags
        parts.append("a tag among " + ", ".join(map(code, tags)))
    if declared.id is not None:
        globs = [declared.id] if isinstance(declared.id, str) else declared.id
        parts.append("an id that matches " + " or ".join(map(code, globs)))
    parts += [
        f"{code(f'metadata.{key}')} {code(str(it))}"
        for key, it in (declared.metadata or {}).items()
    ]
    return f"Cases with {', and '.join(parts)}." if parts else ""


def _ids(numbers: Sequence[int], figures: SuiteFigures) -> str:
    ids = [code(figures.profiles[number].facts.id) for number in numbers[:_MOST]]
    more = f" and {len(numbers) - _MOST:,} more" if len(numbers) > _MOST else ""
    return ", ".join(ids) + more


def _verdicts(numbers: Sequence[int], figures: SuiteFigures, results: DocumentResults) -> str:
    found = (results.last.get(figures.profiles[number].facts.id) for number in numbers)
    counts = Counter(result.status for result in found if result is not None)
    if not counts:
        return ""
    words = (f"{sign(status)} {n:,} {status.word}" for status, n in counts.most_common())
    return f"Last results: {', '.join(words)}"
