"""The slices of the cases of two runs: those that the suite declares, and its tags."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from suitecase.report.pairs import PairList

if TYPE_CHECKING:
    from suitecase.format.figure_keys import Slice

#: Only so many tags, and values of a facet, are slices: those with the most cases.
MOST = 50


def sliced(pairs: PairList, declared: Mapping[str, Slice]) -> tuple[dict[str, PairList], int]:
    """Return the pairs of each slice that has some, and how many slices were left out.

    A declared slice goes before a tag of its name. Facets have a slice for each value.
    """
    found, left_out = _declared(pairs, declared) if declared else ({}, 0)
    tags, ignored = _most_frequent(
        Counter(
            tag
            for case in pairs.cases
            for tag in case.tags
            if tag not in declared and tag not in found
        )
    )
    by_tag: dict[str, array[int]] = {tag: array("I") for tag in tags}
    for at, case in enumerate(pairs.cases):
        for tag in case.tags & by_tag.keys():
            by_tag[tag].append(at)
    # What all cases have is not a slice.
    found |= {tag: pairs.chosen(it) for tag, it in by_tag.items() if len(it) < len(pairs)}
    return {name: mine for name, mine in found.items() if mine}, left_out + ignored


def _declared(pairs: PairList, declared: Mapping[str, Slice]) -> tuple[dict[str, PairList], int]:
    # Imports what reads suites, which most comparisons do without.
    from suitecase.figures.gates.slices import CaseFacts, facet_value, selects

    found: dict[str, PairList] = {}
    left_out = 0
    facts = [CaseFacts(it.case, it.tags, it.metadata) for it in pairs.cases]
    for name, it in declared.items():
        mine = [at for at, own in enumerate(facts) if selects(it, own)]
        if it.by is None:
            found[name] = pairs.chosen(mine)
            continue
        by_value: dict[str, array[int]] = {}
        for at in mine:
            value = facet_value(it, facts[at])
            if value is not None:
                by_value.setdefault(value, array("I")).append(at)
        chosen, ignored = _most_frequent({value: len(of) for value, of in by_value.items()})
        left_out += ignored
        found |= {f"{name}={value}": pairs.chosen(by_value[value]) for value in chosen}
    return found, left_out


def _most_frequent(counts: Mapping[str, int]) -> tuple[list[str], int]:
    """Return the most frequent names in alphabetical order, and how many others there are."""
    order = sorted(counts, key=lambda name: (-counts[name], name))
    return sorted(order[:MOST]), max(0, len(order) - MOST)
