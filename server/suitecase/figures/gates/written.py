"""The gates and metrics of a head, with the places of their parts in its text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from suitecase.figures.gates.grammar import Figure, Gate, Part, Sum, figures_in
from suitecase.figures.gates.parsing import GateProblem, parse_gate, parse_metric
from suitecase.formats.suitecase.parsed import ParsedHead
from suitecase.text.embedded import embedded
from suitecase.text.node import Entry, Mapping, Node, Scalar, Sequence, Span


@dataclass(frozen=True, slots=True, eq=False)
class WrittenGate:
    """A gate of a suite.

    Attributes:
        node: its text.
        source: the text of the head, in which places count.
        tree: the gate; or why it is none.
        entry: the mapping it is in; None for the short form.
    """

    node: Scalar
    source: str
    tree: Gate | GateProblem
    entry: Mapping | None = None

    @property
    def key_name(self) -> str:
        """The key of the head that it is under."""
        return "gates"

    @property
    def level(self) -> Entry | None:
        """The entry of `level`."""
        return self.entry.entries.get("level") if self.entry is not None else None

    @property
    def is_warning(self) -> bool:
        """Whether its failure is only reported."""
        level = self.level
        return (
            level is not None and isinstance(level.value, Scalar) and level.value.text == "warning"
        )

    def span(self, part: Part) -> Span:
        """Return the place of a part of the text in the head."""
        return embedded(self.node, self.source).span(part.start, part.end)

    def figures(self) -> Iterator[Figure]:
        """Yield its figures; none where the text is wrong."""
        return iter(()) if isinstance(self.tree, GateProblem) else figures_in(self.tree)


@dataclass(frozen=True, slots=True, eq=False)
class WrittenMetric:
    """A metric of a suite.

    Attributes:
        key: its name.
        node: its text.
        source: the text of the head, in which places count.
        tree: the sum; or why it is none.
    """

    key: Scalar
    node: Scalar
    source: str
    tree: Sum | GateProblem

    @property
    def key_name(self) -> str:
        """The key of the head that it is under."""
        return "metrics"

    @property
    def name(self) -> str:
        return self.key.text

    def span(self, part: Part) -> Span:
        """Return the place of a part of the text in the head."""
        return embedded(self.node, self.source).span(part.start, part.end)

    def figures(self) -> Iterator[Figure]:
        """Yield its figures; none where the text is wrong."""
        return iter(()) if isinstance(self.tree, GateProblem) else figures_in(self.tree)


def gates_of(head: ParsedHead) -> list[WrittenGate]:
    """Return the gates of a head that are texts, in their order; blank ones are left out."""
    listed = head.node.get("gates") if head.node is not None else None
    found: list[WrittenGate] = []
    for item in listed.items if isinstance(listed, Sequence) else ():
        entry = item if isinstance(item, Mapping) else None
        node = _text(entry.get("gate") if entry is not None else item)
        if node is not None:
            found.append(WrittenGate(node, head.source, parse_gate(node.text), entry))
    return found


def metrics_of(head: ParsedHead) -> dict[str, WrittenMetric]:
    """Return the metrics of a head that are texts, by name; blank ones are left out."""
    listed = head.node.get("metrics") if head.node is not None else None
    found: dict[str, WrittenMetric] = {}
    for name, entry in listed if isinstance(listed, Mapping) else ():
        node = _text(entry.value)
        if node is not None:
            found[name] = WrittenMetric(entry.key, node, head.source, parse_metric(node.text))
    return found


def _text(node: Node | None) -> Scalar | None:
    if isinstance(node, Scalar) and isinstance(node.value, str) and node.text.strip():
        return node
    return None
