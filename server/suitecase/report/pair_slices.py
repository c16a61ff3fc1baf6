"""The slices of the cases of two runs: those that the suite declares, and its tags."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from suitecase.report.pairs import Pair
from suitecase.suite.gates.slices import facet_value, selects
from suitecase.suite.model import Slice

#: Only so many tags, and values of a facet, are slices: those with the most cases.
MOST = 50


def sliced(
    pairs: Sequence[Pair], declared: Mapping[str, Slice]
) -> tuple[dict[str, list[Pair]], int]:
    """Return the pairs of each slice that has some, and how many slices were left out.

    A declared slice goes before a tag of its name. Facets have a slice for each value.
    """
    found: dict[str, list[Pair]] = {}
    left_out = 0
    for name, it in declared.items():
        mine = [pair for pair in pairs if selects(it, pair.facts)]
        if it.by is None:
            found[name] = mine
            continue
        values = [facet_value(it, pair.facts) for pair in mine]
        chosen, ignored = _most_frequent(value for value in values if value is not None)
        left_out += ignored
        for value in chosen:
            found[f"{name}={value}"] = [
                pair for pair, own in zip(mine, values, strict=True) if own == value
            ]
    tags, ignored = _most_frequent(
        tag for pair in pairs for tag in pair.facts.tags if tag not in declared
    )
    by_tag: dict[str, list[Pair]] = {tag: [] for tag in tags}
    for pair in pairs:
        for tag in pair.facts.tags & by_tag.keys():
            by_tag[tag].append(pair)
    # What all cases have is no slice.
    found |= {tag: mine for tag, mine in by_tag.items() if len(mine) < len(pairs)}
    return {name: mine for name, mine in found.items() if mine}, left_out + ignored


def _most_frequent(names: Iterable[str]) -> tuple[list[str], int]:
    """Return the most frequent names in alphabetical order, and how many others there are."""
    counts = Counter(names)
    order = sorted(counts, key=lambda name: (-counts[name], name))
    return sorted(order[:MOST]), max(0, len(order) - MOST)
