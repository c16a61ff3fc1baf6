"""Rules on the cases that slices have."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.figures.gates.grammar import Extreme, Name, sum_of
from suitecase.figures.gates.names import SuiteFigures
from suitecase.figures.gates.parsing import GateProblem
from suitecase.format.figure_keys import Slice
from suitecase.format.rule import Finding, Fix, Related, Severity, replace, rule
from suitecase.text.near_names import nearest
from suitecase.text.node import Mapping, Scalar, Sequence, Span
from suitecase.text.plural import counted


def named_slices(figures: SuiteFigures) -> Iterator[tuple[Span, Name]]:
    """Yield the slices that gates and metrics name, with their places."""
    for formula in figures.formulas:
        for figure in formula.figures():
            if figure.slice is not None:
                yield formula.span(figure.slice), figure.slice


def slice_entry(figures: SuiteFigures, name: str) -> tuple[Scalar, Mapping] | None:
    """Return the key and the mapping of a declared slice."""
    node = figures.head.node.get("slices") if figures.head.node is not None else None
    entry = node.entries.get(name) if isinstance(node, Mapping) else None
    if entry is None or not isinstance(entry.value, Mapping):
        return None
    return entry.key, entry.value


@rule("SC804", affects="run")
def gate_on_empty_slice(figures: SuiteFigures) -> Iterator[Finding]:
    """A gate is about a slice that no case is in.

    Without cases there is no figure, so the gate can never be decided, and the run ends undecided.

    ```yaml bad
    slices:
      critical: {id: critical-*}
    gates:
      - pass_rate[critical] >= 90%  # <- finding@15
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```

    ```yaml good
    slices:
      critical: {id: critical-*}
    gates:
      - pass_rate[critical] >= 90%
    evalcases:
      - id: critical-greet
        input: Hi
        expected_outcome: Says hello
    ```
    """
    if not figures.all_known or not figures.profiles:
        return
    for span, name in named_slices(figures):
        choice = figures.choose(name.text)
        if choice is None or figures.cases_of(choice):
            continue
        entry = slice_entry(figures, choice.declared) if choice.declared is not None else None
        related = (Related("the slice", entry[0].span),) if entry is not None else ()
        yield Finding(
            span,
            f"no case is in the slice `{name.text}`, so its figures can never be measured",
            related=related,
        )
    for formula in figures.formulas:
        for term in () if isinstance(formula.tree, GateProblem) else sum_of(formula.tree).terms:
            if isinstance(term.of, Extreme) and term.of.facet.text in figures.facets:
                facet = figures.facets[term.of.facet.text]
                if not figures.values_of(term.of.facet.text).keys() - {None}:
                    yield Finding(
                        formula.span(term.of.facet),
                        f"no case has `{facet.by}`, so there is nothing to compare",
                    )


@rule("SC824", Severity.WARNING)
def empty_slice(figures: SuiteFigures) -> Iterator[Finding]:
    """No case is in a slice.

    All selectors of a slice have to match a case: one of its `tags`, one of the patterns of `id`,
    and every key of `metadata`. A misspelled tag matches none, and two selectors may each match
    some cases, but no case both.

    ```yaml bad
    slices:
      critical: {tags: critcal}  # <- finding@20
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        tags: [critical]
    ```

    ```yaml fixed
    slices:
      critical: {tags: critical}
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        tags: [critical]
    ```
    """
    if not figures.all_known or not figures.profiles:
        return
    gated = {name.text.partition("=")[0].strip() for _, name in named_slices(figures)}
    for name, declared in figures.slices.items():
        entry = slice_entry(figures, name)
        if name in gated or entry is None or figures.selected(name):
            continue
        yield _empty(figures, name, declared, *entry)


def _empty(
    figures: SuiteFigures, name: str, declared: Slice, key: Scalar, node: Mapping
) -> Finding:
    selectors = [it for it in ("tags", "id", "metadata") if it in node]
    for tag in _texts(node, "tags"):
        if tag.text not in figures.tags and len(_texts(node, "tags")) == 1:
            meant = nearest(tag.text, figures.tags)
            message = f"no case has the tag `{tag.text}`"
            fix: Fix | None = None
            if meant is not None:
                message += f"; did you mean `{meant}`?"
                fix = replace(tag.span, meant, f"Change to `{meant}`", safe=False)
            return Finding(tag.span, message, fix)
    if len(selectors) > 1:
        both = " and ".join(f"`{selector}`" for selector in selectors)
        return Finding(key.span, f"no case matches {both} of the slice `{name}` together")
    return Finding(key.span, f"no case is in the slice `{name}`")


def _texts(node: Mapping, key: str) -> list[Scalar]:
    found = node.get(key)
    listed = found.items if isinstance(found, Sequence) else [found]
    return [item for item in listed if isinstance(item, Scalar)]


@rule("SC823", Severity.INFO)
def slice_hides_tag(figures: SuiteFigures) -> Iterator[Finding]:
    """A slice has the name of a tag, and other cases.

    In gates and reports the name stands for the slice. Who knows the tag may expect its cases.

    ```yaml bad
    slices:
      critical: {id: refund-*}  # <- finding
    evalcases:
      - {id: refund-late, input: Hi, expected_outcome: Helps, tags: [critical]}
      - {id: greet, input: Hi, expected_outcome: Says hello, tags: [critical]}
    ```

    ```yaml good
    slices:
      refunds: {id: refund-*}
    evalcases:
      - {id: refund-late, input: Hi, expected_outcome: Helps, tags: [critical]}
      - {id: greet, input: Hi, expected_outcome: Says hello, tags: [critical]}
    ```
    """
    for name in sorted(figures.slices.keys() & figures.tags.keys()):
        entry = slice_entry(figures, name)
        here = figures.selected(name)
        tagged = [n for n, it in enumerate(figures.profiles) if name in it.facts.tags]
        if entry is not None and list(here) != tagged:
            yield Finding(
                entry[0].span,
                f"in gates, `{name}` is this slice with {counted(len(here), 'case')}, not the tag "
                f"of this name, which {counted(len(tagged), 'case has', 'cases have')}",
            )
