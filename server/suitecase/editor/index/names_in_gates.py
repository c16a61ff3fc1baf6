"""The names in the gates, slices and metrics of a head."""

from __future__ import annotations

import re
from collections.abc import Iterator

from suitecase.editor.formula_parts import FormulaPart, FormulaPartKind, formula_parts
from suitecase.editor.index.occurrence import (
    FIGURES,
    InFormula,
    Occurrence,
    WrittenAs,
    occurrences_of,
)
from suitecase.figures.gates.meaning import BUILT_IN, FigureNames
from suitecase.formats.suitecase.model import SuiteHead
from suitecase.schema.key_roles import Kind
from suitecase.schema.role_texts import role_texts
from suitecase.text.embedded import embedded
from suitecase.text.node import UNRESOLVED, Copied, Mapping, Node, Scalar, Sequence
from suitecase_evaluators.schema.field_role import FieldRole

_BUILT_IN = frozenset(it.value for it in BUILT_IN)
_PASS_K = re.compile(r"pass[@^]\d+")
_NAMES = re.compile(r"`[^`\n]+`|[\w@^-]+")
#: What a name of an evaluator may be followed by that is none of its parts.
_OF_ALL = re.compile(r"pass_rate|macro_f1|recall\..*|ties|consistency", re.DOTALL)
#: What figures begin with that are of people's labels, or of a calibration.
_PROTOCOLS = ("human", "judges")
_GLOB = re.compile(r"[*?\[]")


def names_in_gates(head: Mapping, source: str, names: FigureNames | None) -> Iterator[Occurrence]:
    """Yield the names in the gates, slices and metrics of a head.

    Args:
        head: the head.
        source: the text of its spans.
        names: the figures of the suite; None of a sidecar, whose cases are in another file.
    """
    if not any(key in head for key in ("gates", "slices", "metrics")):
        return
    slices, metrics = _keys(head, "slices"), _keys(head, "metrics")
    for kind, keys in ((Kind.SLICE, slices), (Kind.METRIC, metrics)):
        for key in keys.values():
            yield from occurrences_of(key, source, kind, defines=True)
    declared = head.get("slices")
    for _, entry in declared if isinstance(declared, Mapping) else ():
        if isinstance(entry.value, Mapping):
            for tag in _texts(entry.value.get("tags")):
                yield from occurrences_of(tag, source, Kind.TAG)
            for case in _texts(entry.value.get("id")) if names is not None else ():
                if not _GLOB.search(case.text):
                    yield from occurrences_of(case, source, Kind.CASE)
    for text in role_texts(SuiteHead, head, FieldRole.GATE, FieldRole.METRIC):
        if text.node.style != UNRESOLVED and "\n" not in text.node.text:
            formula = _Formula(text.node, source)
            for part in formula_parts(text.node.text):
                yield from formula.occurrences(part, frozenset(slices), frozenset(metrics), names)


class _Formula:
    """The text of a gate or a metric."""

    def __init__(self, node: Scalar, source: str) -> None:
        self._original = node.origin if isinstance(node, Copied) else node
        self._alias = node.span if self._original is not node else None
        self._place = embedded(self._original, source)

    def occurrences(
        self,
        part: FormulaPart,
        slices: frozenset[str],
        metrics: frozenset[str],
        names: FigureNames | None,
    ) -> Iterator[Occurrence]:
        """Yield the names in a part of the text."""
        match part.kind:
            case FormulaPartKind.FIGURE:
                yield from self._figure(part, metrics, names)
            case FormulaPartKind.FACET:
                name = part.text.strip("`")
                yield self._name(Kind.SLICE, name, part.start, part.end, WrittenAs.FACET)
            case FormulaPartKind.SLICE:
                yield self._slice(part, slices)
            case _:
                pass

    def _slice(self, part: FormulaPart, slices: frozenset[str]) -> Occurrence:
        text = part.text
        facet = text.partition("=")[0].strip()
        if "=" in text and text not in slices and facet in slices:
            end = part.start + len(facet)
            return self._name(Kind.SLICE, facet, part.start, end, WrittenAs.SLICE)
        kind = Kind.SLICE if text in slices else Kind.TAG
        return self._name(kind, text, part.start, part.end, WrittenAs.SLICE)

    def _figure(
        self, part: FormulaPart, metrics: frozenset[str], names: FigureNames | None
    ) -> Iterator[Occurrence]:
        found = [*_NAMES.finditer(part.text)]
        texts = [it[0].strip("`") for it in found]
        whole = ".".join(texts)
        if not found or whole in _BUILT_IN or _PASS_K.fullmatch(whole):
            return
        if whole in metrics:
            yield self._name(Kind.METRIC, whole, part.start, part.end, WrittenAs.FIGURE)
            return
        known = names.evaluators if names is not None else {}
        if texts[0] in _PROTOCOLS and texts[0] not in known and len(texts) > 2:
            yield from self._of_protocol(part, found, texts, names)
            return
        count = next(
            (number for number in range(len(texts), 0, -1) if ".".join(texts[:number]) in known), 1
        )
        evaluator, rest = ".".join(texts[:count]), ".".join(texts[count:])
        end = part.start + found[count - 1].end()
        yield self._name(Kind.EVALUATOR, evaluator, part.start, end, WrittenAs.FIGURE)
        if rest and not _OF_ALL.fullmatch(rest):
            start = part.start + found[count].start()
            yield self._name(Kind.RUBRIC, rest, start, part.end, WrittenAs.PART, owner=evaluator)

    def _of_protocol(
        self,
        part: FormulaPart,
        found: list[re.Match[str]],
        texts: list[str],
        names: FigureNames | None,
    ) -> Iterator[Occurrence]:
        """Yield the names in `human.NAME.FIGURE`, `human.NAME.ITEM.FIGURE` or `judges.NAME.FIGURE`."""
        known = frozenset[str]() if names is None else names.people | names.judges
        ends = range(len(texts) - 1, 1, -1)
        end = next((it for it in ends if ".".join(texts[1:it]) in known), 2)
        name = ".".join(texts[1:end])
        first, last = part.start + found[1].start(), part.start + found[end - 1].end()
        yield self._name(Kind.EVALUATOR, name, first, last, WrittenAs.FIGURE)
        if texts[0] == "human" and len(texts) > end + 1:
            item = ".".join(texts[end:-1])
            first, last = part.start + found[end].start(), part.start + found[-2].end()
            yield self._name(Kind.RUBRIC, item, first, last, WrittenAs.PART, owner=name)

    def _name(
        self,
        kind: Kind,
        name: str,
        start: int,
        end: int,
        written_as: WrittenAs,
        owner: str | None = None,
    ) -> Occurrence:
        node = self._original
        return Occurrence(
            kind,
            name,
            self._place.span(start, end),
            FIGURES if owner is None else (*FIGURES, owner),
            alias=self._alias,
            owner=owner,
            formula=InFormula(node.span, node.text, start, end, written_as),
        )


def _keys(head: Mapping, name: str) -> dict[str, Scalar]:
    node = head.get(name)
    if not isinstance(node, Mapping):
        return {}
    return {key: entry.key for key, entry in node if not entry.merged}


def _texts(node: Node | None) -> Iterator[Scalar]:
    for item in node.items if isinstance(node, Sequence) else (node,):
        if isinstance(item, Scalar):
            yield item
