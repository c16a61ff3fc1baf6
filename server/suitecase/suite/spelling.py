"""Older spellings of a suite, read as today's.

The tree is rewritten where it has to be, with every node still at the place it was written at, so
that rules, the runner and the editor know one format only. What was respelled is kept as a list,
from which a rule makes its findings and quick fixes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from suitecase.syntax.node import Entry, Mapping, Node, Scalar, Sequence


@dataclass(frozen=True, slots=True)
class Respelling:
    """Something written in an older way.

    `node` is what to rewrite, from `old` to `new`. `kind` says what it is; `what` names the thing
    it belongs to, for people.
    """

    kind: Literal["key", "evaluator_type", "range_gate", "config_key", "target"]
    node: Scalar
    old: str
    new: str
    what: str
    parent: Mapping


_CASE_KEYS = {"outcome": "expected_outcome", "criteria": "expected_outcome"}
_TEXT_KEYS = {"description": "expected_outcome", "outcome": "expected_outcome"}
_TYPES = {"rubric": "llm_judge", "code": "code_judge"}
#: Evaluators whose unknown keys were handed to the script or the prompt, and under which key.
_TAKES_CONFIG = {"code_judge": "config", "llm_judge": "config"}


class Speller:
    """Rewrites the parts of a suite, noting what it did.

    Args:
        known_keys: returns the keys an evaluator of a type has, or None for an unknown type.
    """

    def __init__(self, known_keys: Callable[[str], frozenset[str] | None]) -> None:
        self._known_keys = known_keys
        self.respelled: list[Respelling] = []

    def head(self, head: Mapping) -> Mapping:
        """Rewrite everything of a suite but its cases."""
        target = head.entries.get("target")
        if target is not None:
            head = self._move_target(head, target)
        return self._inside(head, "execution", self._execution)

    def case(self, case: Mapping) -> Mapping:
        """Rewrite a case."""
        case = self._keys(case, _CASE_KEYS, "a case")
        case = self._inside(case, "rubrics", self._rubrics)
        case = self._inside(case, "evaluators", self._evaluators)
        return self._inside(case, "execution", self._execution)

    def _move_target(self, head: Mapping, target: Entry) -> Mapping:
        execution = head.get("execution")
        if not (execution is None or isinstance(execution, Mapping)):
            return head
        self.respelled.append(
            Respelling("target", target.key, "target", "execution.target", "a suite", head)
        )
        entries = {name: entry for name, entry in head if name != "target"}
        inner = dict(execution.entries) if execution else {}
        inner.setdefault("target", target)
        start, end = execution.span if execution else (target.key.start, target.value.end)
        place = head.key("execution") or target.key
        entries["execution"] = Entry(place, Mapping(start, end, inner, flow=False))
        return Mapping(head.start, head.end, entries, flow=head.flow)

    def _execution(self, node: Node) -> Node:
        return (
            self._inside(node, "evaluators", self._evaluators)
            if isinstance(node, Mapping)
            else node
        )

    def _evaluators(self, node: Node) -> Node:
        return self._each(node, self._evaluator)

    def _evaluator(self, entry: Mapping) -> Mapping:
        entry = self._type(entry)
        entry = self._config(entry)
        entry = self._inside(entry, "rubrics", self._rubrics)
        return self._inside(entry, "evaluators", self._evaluators)

    def _type(self, entry: Mapping) -> Mapping:
        written = entry.get("type")
        if not isinstance(written, Scalar) or written.text not in _TYPES:
            return entry
        new = _TYPES[written.text]
        self.respelled.append(
            Respelling("evaluator_type", written, written.text, new, "an evaluator", entry)
        )
        return self._with(entry, "type", Scalar(written.start, written.end, new, "", None))

    def _config(self, entry: Mapping) -> Mapping:
        """Move what such an evaluator does not know into its configuration, as was its meaning."""
        kind = entry.get("type")
        into = _TAKES_CONFIG.get(kind.text) if isinstance(kind, Scalar) else None
        known = self._known_keys(kind.text) if isinstance(kind, Scalar) and into else None
        if into is None or known is None:
            return entry
        moved = {name: it for name, it in entry if name not in known and not name.startswith("x-")}
        config = entry.get(into)
        if not moved or not (config is None or isinstance(config, Mapping)):
            return entry
        for name, it in moved.items():
            self.respelled.append(
                Respelling("config_key", it.key, name, f"{into}.{name}", "an evaluator", entry)
            )
        entries = {name: it for name, it in entry if name not in moved}
        first = next(iter(moved.values()))
        inner = {**moved, **(config.entries if config else {})}
        entries[into] = Entry(
            entry.key(into) or first.key,
            Mapping(first.key.start, first.value.end, inner, flow=False),
        )
        return Mapping(entry.start, entry.end, entries, flow=entry.flow)

    def _rubrics(self, node: Node) -> Node:
        return self._each(node, self._rubric)

    def _rubric(self, rubric: Mapping) -> Mapping:
        rubric = self._keys(rubric, _TEXT_KEYS, "a rubric")
        required = rubric.entries.get("required")
        if (
            required is not None
            and "score_ranges" in rubric
            and "required_min_score" not in rubric
            and isinstance(required.value, Scalar)
            and required.value.value is True
        ):
            self.respelled.append(
                Respelling(
                    "range_gate",
                    required.key,
                    "required: true",
                    "required_min_score: 10",
                    "a rubric with score ranges",
                    rubric,
                )
            )
        return self._inside(
            rubric, "score_ranges", lambda ranges: self._each(ranges, self._score_range)
        )

    def _score_range(self, score_range: Mapping) -> Mapping:
        return self._keys(score_range, _TEXT_KEYS, "a score range")

    def _keys(self, mapping: Mapping, spellings: dict[str, str], what: str) -> Mapping:
        """Rename keys; where the newer spelling is there too, the older one stays and is unknown."""
        if not any(old in mapping.entries for old in spellings):
            return mapping
        entries: dict[str, Entry] = {}
        for name, entry in mapping:
            new = spellings.get(name)
            if new is None or new in mapping.entries or new in entries:
                entries[name] = entry
            else:
                entries[new] = entry
                self.respelled.append(Respelling("key", entry.key, name, new, what, mapping))
        return Mapping(mapping.start, mapping.end, entries, flow=mapping.flow)

    def _inside(self, mapping: Mapping, name: str, change: Callable[[Node], Node]) -> Mapping:
        entry = mapping.entries.get(name)
        if entry is None:
            return mapping
        changed = change(entry.value)
        return mapping if changed is entry.value else self._with(mapping, name, changed)

    def _each(self, node: Node, change: Callable[[Mapping], Mapping]) -> Node:
        if not isinstance(node, Sequence):
            return node
        items = [change(item) if isinstance(item, Mapping) else item for item in node.items]
        if all(new is old for new, old in zip(items, node.items, strict=True)):
            return node
        return Sequence(node.start, node.end, items, flow=node.flow)

    def _with(self, mapping: Mapping, name: str, value: Node) -> Mapping:
        entries = dict(mapping.entries)
        entries[name] = Entry(entries[name].key, value, entries[name].merged)
        return Mapping(mapping.start, mapping.end, entries, flow=mapping.flow)
