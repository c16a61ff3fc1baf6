"""Hovers on weights: their share of the score."""

from __future__ import annotations

from suitecase.editor.place import Place
from suitecase.editor.shares import percent, shares_at
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.text.node import Mapping, Scalar, Sequence, at


def share_at(suite: ParsedSuite, place: Place) -> str | None:
    """Return the share of the weight at a place; None if there is no weight."""
    steps: list[str | int] = ["", *place.path]
    listed, step, last = steps[:-2], steps[-2], steps[-1]
    index: int | None = None
    if last == "weight" and isinstance(step, int):
        index = step
    elif step == "weights" and listed[-1:] == ["aggregator"]:
        index = _member(place.root, (*listed[1:-1], "evaluators"), str(last))
        listed.append(step)
    if index is None:
        return None
    shares = shares_at(suite, place.case, place.root, tuple(listed[1:]))
    share = shares.of(index) if shares is not None else None
    if shares is None or share is None:
        return None
    weights = [f"{weight:g}" for weight in shares.weights if weight is not None]
    weights += [f"{shares.beside:g}"] if shares.beside else []
    beside = (
        f", of which {shares.beside:g} belong to what grades beside this list"
        if shares.beside
        else ""
    )
    own = shares.weights[index] or 0.0
    return (
        f"**{percent(share)}** of the score: {own:g} of "
        f"{' + '.join(weights)} = {shares.total:g}{beside}."
    )


def _member(root: Mapping, path: tuple[str | int, ...], name: str) -> int | None:
    node, _, taken = at(root, path)
    items = node.items if taken == len(path) and isinstance(node, Sequence) else []
    for index, member in enumerate(items):
        own = member.get("name") if isinstance(member, Mapping) else None
        if isinstance(own, Scalar) and own.text == name:
            return index
    return None
