"""Rules on facets, on sensitive slices, and on groups of cases."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.figures.gates.about import compares_facet, extremes_in, is_about
from suitecase.figures.gates.names import SuiteFigures
from suitecase.figures.gates.parsing import GateProblem
from suitecase.figures.gates.settings import groups_node, groups_of
from suitecase.figures.gates.spelling import spelt
from suitecase.figures.rules.safety_slices import flag_of, gate_added
from suitecase.figures.rules.slice_cases import slice_entry
from suitecase.format.rule import Finding, Severity, rule
from suitecase.text.plural import counted

#: With fewer units than this, resampling says little.
FEW_UNITS = 5
#: So many cases are named in a message at most.
_NAMED = 3


def _with_values(figures: SuiteFigures) -> Iterator[tuple[str, dict[str | None, list[int]]]]:
    """Yield the facets with the cases of each value, where all cases are known."""
    if figures.all_known:
        for name in figures.facets:
            values = figures.values_of(name)
            if values:
                yield name, values


def _is_compared(figures: SuiteFigures, facet: str) -> bool:
    return any(compares_facet(formula, facet) for formula in figures.formulas)


@rule("SC815", Severity.WARNING)
def single_value_facet(figures: SuiteFigures) -> Iterator[Finding]:
    """All cases of a facet have the same value.

    A facet divides cases by a key of their `metadata`, to compare the parts. With one value there is
    one part, with the same figures as the whole.

    ```yaml bad
    slices:
      language: {by: metadata.language}  # <- finding@18
    evalcases:
      - {id: greet, input: Hallo, expected_outcome: Says hello, metadata: {language: de}}
      - {id: thank, input: Danke, expected_outcome: Is polite, metadata: {language: de}}
    ```

    ```yaml good
    slices:
      language: {by: metadata.language}
    evalcases:
      - {id: greet, input: Hallo, expected_outcome: Says hello, metadata: {language: de}}
      - {id: thank, input: Thanks, expected_outcome: Is polite, metadata: {language: en}}
    ```
    """
    for name, values in _with_values(figures):
        entry = slice_entry(figures, name)
        only = next(iter(values))
        if len(values) > 1 or only is None or len(values[only]) < 2 or entry is None:
            continue
        if not _is_compared(figures, name):
            yield Finding(
                entry[1].entries["by"].value.span,
                f"all {counted(len(values[only]), 'case')} of `{name}` have the value `{only}`, so "
                "there is nothing to compare",
            )


@rule("SC827", affects="run")
def gate_on_single_value(figures: SuiteFigures) -> Iterator[Finding]:
    """A gate compares the values of a facet, of which there is only one.

    The gap between the values is then always 0, and the least and the greatest value are the same:
    the gate says nothing about differences, whatever its threshold.

    ```yaml bad
    slices:
      language: {by: metadata.language}
    gates:
      - gap(pass_rate by language) <= 10%  # <- finding@22
    evalcases:
      - {id: greet, input: Hallo, expected_outcome: Says hello, metadata: {language: de}}
      - {id: thank, input: Danke, expected_outcome: Is polite, metadata: {language: de}}
    ```

    ```yaml good
    slices:
      language: {by: metadata.language}
    gates:
      - gap(pass_rate by language) <= 10%
    evalcases:
      - {id: greet, input: Hallo, expected_outcome: Says hello, metadata: {language: de}}
      - {id: thank, input: Thanks, expected_outcome: Is polite, metadata: {language: en}}
    ```
    """
    of_facets = dict(_with_values(figures))
    for formula in figures.formulas:
        for extreme in extremes_in(formula):
            values = of_facets.get(extreme.facet.text, {}).keys() - {None}
            if len(values) == 1:
                yield Finding(
                    formula.span(extreme.facet),
                    f"`{extreme.facet.text}` has only the value `{next(iter(values))}`, so there "
                    "is nothing to compare",
                )


@rule("SC816", Severity.WARNING)
def missing_facet_value(figures: SuiteFigures) -> Iterator[Finding]:
    """A case has no value of a facet.

    It is then in none of the facet's slices, and a comparison of them leaves it out. If the facet is
    only about some of the cases, select them with `tags`, `id` or `metadata` beside `by`.

    ```yaml bad
    slices:
      language: {by: metadata.language}  # <- finding@18
    evalcases:
      - {id: greet, input: Hallo, expected_outcome: Says hello, metadata: {language: de}}
      - {id: thank, input: Thanks, expected_outcome: Is polite, metadata: {language: en}}
      - {id: leave, input: Bye, expected_outcome: Says goodbye}
    ```

    ```yaml good
    slices:
      language: {by: metadata.language, id: "*-text"}
    evalcases:
      - {id: greet-text, input: Hallo, expected_outcome: Says hello, metadata: {language: de}}
      - {id: thank-text, input: Thanks, expected_outcome: Is polite, metadata: {language: en}}
      - {id: leave, input: Bye, expected_outcome: Says goodbye}
    ```
    """
    for name, values in _with_values(figures):
        missing, entry = values.get(None, []), slice_entry(figures, name)
        if not missing or entry is None or (len(values) == 1 and _is_compared(figures, name)):
            continue
        by, total = figures.facets[name].by, sum(map(len, values.values()))
        if len(values) == 1:
            message = f"no case has `{by}`, so `{name}` has no slices"
        else:
            ids = [f"`{figures.profiles[it].facts.id}`" for it in missing[:_NAMED]]
            more = f" and {len(missing) - _NAMED} more" if len(missing) > _NAMED else ""
            has = "has" if len(missing) == 1 else "have"
            message = (
                f"{len(missing)} of {counted(total, 'case')} {has} no `{by}`, so no slice of "
                f"`{name}` has {', '.join(ids)}{more}"
            )
        yield Finding(entry[1].entries["by"].value.span, message)


@rule("SC817", gradable=True, affects="run")
def sensitive_without_basis(figures: SuiteFigures) -> Iterator[Finding]:
    """A sensitive slice does not say why its attribute may be recorded.

    `sensitive: true` marks an attribute of people, such as their age or gender. Recording and
    comparing it needs a reason that the law accepts; `basis` says which.

    ```yaml bad
    slices:
      language:
        by: metadata.language
        sensitive: true  # <- finding
    gates:
      - gap(pass_rate by language) <= 10%
    evalcases:
      - {id: greet, input: Hallo, expected_outcome: Says hello, metadata: {language: de}}
      - {id: thank, input: Thanks, expected_outcome: Is polite, metadata: {language: en}}
    ```

    ```yaml good
    slices:
      language:
        by: metadata.language
        sensitive: true
        basis: The language is that of the message; nothing about the person is kept
    gates:
      - gap(pass_rate by language) <= 10%
    evalcases:
      - {id: greet, input: Hallo, expected_outcome: Says hello, metadata: {language: de}}
      - {id: thank, input: Thanks, expected_outcome: Is polite, metadata: {language: en}}
    ```
    """
    for name, declared in figures.slices.items():
        flag = flag_of(figures, name, "sensitive")
        if declared.sensitive and declared.basis is None and flag is not None:
            yield Finding(
                flag.key.span,
                f"say under `basis` why `{declared.by or name}` may be recorded and compared",
            )


@rule("SC818", Severity.WARNING)
def sensitive_slice_without_gate(figures: SuiteFigures) -> Iterator[Finding]:
    """No gate is about a sensitive slice.

    An attribute of people is recorded so that they are treated alike. A gate on the gap between its
    values says how large a difference is acceptable.

    ```yaml bad
    slices:
      language:
        by: metadata.language
        sensitive: true  # <- finding
        basis: The language is that of the message; nothing about the person is kept
    evalcases:
      - {id: greet, input: Hallo, expected_outcome: Says hello, metadata: {language: de}}
      - {id: thank, input: Thanks, expected_outcome: Is polite, metadata: {language: en}}
    ```

    ```yaml fixed
    gates:
      - gap(pass_rate by language) <= 10%
    slices:
      language:
        by: metadata.language
        sensitive: true
        basis: The language is that of the message; nothing about the person is kept
    evalcases:
      - {id: greet, input: Hallo, expected_outcome: Says hello, metadata: {language: de}}
      - {id: thank, input: Thanks, expected_outcome: Is polite, metadata: {language: en}}
    ```
    """
    for name, declared in figures.slices.items():
        flag = flag_of(figures, name, "sensitive")
        if not declared.sensitive or flag is None:
            continue
        if any(is_about(it, name, figures) for it in figures.gates):
            continue
        if any(isinstance(it.tree, GateProblem) and name in it.node.text for it in figures.gates):
            continue  # it may be that gate
        written = spelt(name)
        if declared.by and written is not None:
            gate = f"gap(pass_rate by {written}) <= 10%"
            message = f"no gate compares the groups of `{name}`; add a gate such as `{gate}`"
            yield Finding(flag.key.span, message, deferred_fix=gate_added(gate))
        else:
            yield Finding(flag.key.span, f"no gate is about the sensitive slice `{name}`")


@rule("SC819", Severity.WARNING)
def few_groups(figures: SuiteFigures) -> Iterator[Finding]:
    """The cases are in very few groups.

    Cases of a group are resampled together, so an interval is as uncertain as the number of groups
    makes it. With fewer than five of them it says little.

    ```yaml bad
    intervals:
      groups: metadata.customer  # <- finding@11
    evalcases:
      - {id: greet, input: Hallo, expected_outcome: Says hello, metadata: {customer: ann}}
      - {id: thank, input: Thanks, expected_outcome: Is polite, metadata: {customer: ann}}
      - {id: leave, input: Bye, expected_outcome: Says goodbye, metadata: {customer: ben}}
    ```

    ```yaml good
    intervals:
      groups: none
    evalcases:
      - {id: greet, input: Hallo, expected_outcome: Says hello, metadata: {customer: ann}}
      - {id: thank, input: Thanks, expected_outcome: Is polite, metadata: {customer: ann}}
      - {id: leave, input: Bye, expected_outcome: Says goodbye, metadata: {customer: ben}}
    ```
    """
    node = groups_node(figures)
    if node is None or not figures.all_known:
        return
    groups = groups_of(figures)
    alone = len(groups.pop(None, ()))
    largest = max(map(len, groups.values()), default=0)
    if largest > 1 and len(groups) + alone < FEW_UNITS:
        total = sum(map(len, groups.values())) + alone
        yield Finding(
            node.span,
            f"the {counted(total, 'case')} are in {counted(len(groups) + alone, 'group')}, which "
            "are resampled as a whole, so intervals say little",
        )


@rule("SC828", Severity.WARNING)
def groups_without_value(figures: SuiteFigures) -> Iterator[Finding]:
    """No case has the value that cases are grouped by.

    Then each case is resampled alone, as if the results were independent of each other, and the
    intervals may be too narrow. The key may be misspelled.

    ```yaml bad
    intervals:
      groups: metadata.costumer  # <- finding@11
    evalcases:
      - {id: greet, input: Hallo, expected_outcome: Says hello, metadata: {customer: ann}}
      - {id: thank, input: Thanks, expected_outcome: Is polite, metadata: {customer: ben}}
    ```

    ```yaml good
    intervals:
      groups: metadata.customer
    evalcases:
      - {id: greet, input: Hallo, expected_outcome: Says hello, metadata: {customer: ann}}
      - {id: thank, input: Thanks, expected_outcome: Is polite, metadata: {customer: ben}}
    ```
    """
    node = groups_node(figures)
    if node is None or not figures.all_known or not figures.profiles or node.text == "none":
        return
    if groups_of(figures).keys() == {None}:
        yield Finding(node.span, f"no case has `{node.text}`, so no cases are resampled together")
