"""Evaluators and lists of them in today's spelling."""

from __future__ import annotations

from collections.abc import Callable

from suitecase.suite.spelling.notes import Notes
from suitecase.suite.spelling.respelling import AssertionList, Respelling
from suitecase.suite.spelling.rubrics import RubricSpeller
from suitecase.suite.spelling.trajectories import TrajectorySpeller
from suitecase.suite.spelling.tree import (
    each,
    inside,
    renamed,
    said,
    text_of,
    with_entries,
    with_value,
)
from suitecase.syntax.node import Entry, Mapping, Node, Scalar, Sequence
from suitecase_evaluators.registry import is_third_party

#: The keys a list of evaluators has had beside today's, the newer first: it went before the older.
ASSERTION_KEYS = ("assertions", "assert")
_RUBRICS = ("rubric", "rubrics")
_JUDGES = ("llm-judge", "llm-grader", "llm_grader")
_SCRIPTS = ("code", "code-judge", "code-grader", "code_grader")
_TYPES = {
    **dict.fromkeys((*_RUBRICS, *_JUDGES), "llm_judge"),
    **dict.fromkeys(_SCRIPTS, "code_judge"),
}
_AGGREGATORS = {
    **dict.fromkeys(_JUDGES, "llm_judge"),
    **dict.fromkeys(_SCRIPTS, "code_judge"),
    "weighted-average": "weighted_average",
}
#: Evaluators whose unknown keys were handed to the script or the prompt, and under which key.
_TAKES_CONFIG = {"code_judge": "config", "llm_judge": "config"}


class EvaluatorSpeller:
    """Rewrites evaluators.

    Args:
        known_keys: returns the keys an evaluator of a type has, or None for an unknown type.
    """

    def __init__(
        self,
        notes: Notes,
        known_keys: Callable[[str], frozenset[str] | None],
        rubrics: RubricSpeller,
    ) -> None:
        self._notes = notes
        self._known_keys = known_keys
        self._rubrics = rubrics
        self._trajectories = TrajectorySpeller(notes)

    def listed(self, node: Node) -> Node:
        """Rewrite a list of evaluators under a key of today."""
        if isinstance(node, Sequence) and any(_is_include(it) for it in node.items):
            items = [it for it in node.items if not self._included(it)]
            node = Sequence(node.start, node.end, items, flow=node.flow)
        return each(node, lambda item: self._evaluator(item, [], in_assertions=False))

    def assertions(
        self, written: Sequence, *, key: str | None, may_be_rubrics: bool
    ) -> tuple[Sequence, AssertionList]:
        """Rewrite a list as `assert` and `assertions` have it.

        Args:
            key: what it is called today.
            may_be_rubrics: whether a list of nothing but texts may be the case's `rubrics`.
        """
        texts = tuple(i for i, item in enumerate(written.items) if _is_text(item))
        if may_be_rubrics and texts and len(texts) == len(written.items):
            return written, AssertionList("rubrics", written)
        names, group = _names(written, texts)
        exact: list[Mapping] = []
        items: list[Node] = []
        for index, item in enumerate(written.items):
            if index in texts:
                if index == texts[0]:
                    items.append(_judge_of([written.items[it] for it in texts], group))
            elif not isinstance(item, Mapping):
                items.append(item)
            elif not self._included(item):
                items.append(_named(self._evaluator(item, exact, in_assertions=True), names, index))
        changed = Sequence(written.start, written.end, items, flow=written.flow)
        return changed, AssertionList(key, written, names, texts, group, tuple(exact))

    def _evaluator(self, entry: Mapping, exact: list[Mapping], *, in_assertions: bool) -> Mapping:
        entry = self._type(entry, _TYPES, "an evaluator")
        kind = text_of(entry.get("type"))
        if is_third_party(kind):
            return entry  # no format but today's has any, so none of its keys is an older spelling
        if kind == "llm_judge" and isinstance(entry.get("criteria"), Sequence):
            entry = self._notes.keys(entry, {"criteria": "rubrics"}, "a judge")
        elif kind == "code_judge":
            entry = self._notes.keys(entry, {"command": "script"}, "a `code_judge`")
        elif kind == "tool_trajectory":
            entry, implied = self._trajectories.evaluator(entry, exactly=in_assertions)
            exact += implied
        entry = self._gates(entry)
        entry = self._config(entry)
        entry = inside(entry, "rubrics", self._rubrics.rubrics)
        entry = inside(entry, "aggregator", self._aggregator)
        return self._members(entry)

    def _included(self, item: Node) -> bool:
        """Note an item that stands for the evaluators of another file."""
        if not isinstance(item, Mapping) or not _is_include(item):
            return False
        decide = "the evaluators of another file cannot be included today; write them out here"
        self._notes.entry("no_equal", item, "include", decide)
        return True

    def _type(self, entry: Mapping, types: dict[str, str], what: str) -> Mapping:
        written = entry.get("type")
        if not isinstance(written, Scalar):
            return entry
        new = types.get(written.text)
        if new is None:
            snake = written.text.replace("-", "_")
            if snake == written.text or self._known_keys(snake) is None:
                return entry
            new = snake
        self._notes.add(
            Respelling("evaluator_type", written, written.text, new, what, entry, "type")
        )
        return with_value(entry, "type", Scalar(written.start, written.end, new, "", None))

    def _aggregator(self, node: Node) -> Node:
        return (
            self._type(node, _AGGREGATORS, "an aggregator") if isinstance(node, Mapping) else node
        )

    def _gates(self, entry: Mapping) -> Mapping:
        """Take out the gates that evaluators of any type could have."""
        for name in ("required", "min_score"):
            written = entry.get(name)
            value = written.value if isinstance(written, Scalar) else None
            if value is False:
                why = f"`{name}: false` says nothing: an evaluator counts by its weight"
                entry = self._notes.gone(entry, name, why)
            elif isinstance(value, int | float):
                decide = (
                    f"an evaluator with `{name}` failed the case below a score; today an evaluator "
                    "counts by its weight, and only rubrics fail a case whatever the score "
                    "(`required`, `required_min_score`). Ask for it in a rubric, or take "
                    f"`{name}` away"
                )
                entry = self._notes.undecided(entry, name, decide)
        return entry

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
            new = f"{into}.{name}"
            self._notes.add(
                Respelling("config_key", it.key, name, new, "an evaluator", entry, name)
            )
        entries = {name: it for name, it in entry if name not in moved}
        first = next(iter(moved.values()))
        inner = {**moved, **(config.entries if config else {})}
        entries[into] = Entry(
            entry.key(into) or first.key,
            Mapping(first.key.start, first.value.end, inner, flow=False),
        )
        return with_entries(entry, entries)

    def _members(self, entry: Mapping) -> Mapping:
        for name in ASSERTION_KEYS:
            written = entry.get(name)
            if isinstance(written, Sequence) and "evaluators" not in entry:
                changed, listed = self.assertions(written, key="evaluators", may_be_rubrics=False)
                key = entry.entries[name].key
                self._notes.add(
                    Respelling(
                        "assertions",
                        key,
                        name,
                        "evaluators",
                        "a composite",
                        entry,
                        name,
                        listed=listed,
                    )
                )
                entry = renamed(entry, name, "evaluators")
                return with_value(entry, "evaluators", changed)
        return inside(entry, "evaluators", self.listed)


def unique_name(base: str, taken: set[str]) -> str:
    """Return a name that is not taken yet: the base, or the base with a number from 2 on."""
    name, number = base, 2
    while name in taken:
        name, number = f"{base}-{number}", number + 1
    return name


def _is_include(item: Node) -> bool:
    return isinstance(item, Mapping) and list(item.entries) == ["include"]


def _is_text(item: Node) -> bool:
    return isinstance(item, Scalar) and isinstance(item.value, str) and bool(item.text.strip())


def _names(written: Sequence, texts: tuple[int, ...]) -> tuple[dict[int, str], str]:
    """Return the names that items without one get, by index, and that of the judge of texts."""
    mappings = [it for it in written.items if isinstance(it, Mapping)]
    taken = {name for it in mappings if (name := text_of(it.get("name")))}
    names: dict[int, str] = {}
    group = ""
    for index, item in enumerate(written.items):
        if texts and index == texts[0]:
            group = unique_name("rubrics", taken)
            taken.add(group)
        elif isinstance(item, Mapping) and "name" not in item and "type" in item:
            kind = text_of(item.get("type")) or ""
            base = _TYPES.get(kind, kind.replace("-", "_"))
            if kind in _RUBRICS or (base == "llm_judge" and _has_rubrics(item)):
                base = "rubrics"
            names[index] = unique_name(base or "evaluator", taken)
            taken.add(names[index])
    return names, group


def _has_rubrics(item: Mapping) -> bool:
    return "rubrics" in item or isinstance(item.get("criteria"), Sequence)


def _named(entry: Mapping, names: dict[int, str], index: int) -> Mapping:
    if index not in names:
        return entry
    key = entry.entries["type"].key
    first = {"name": Entry(said(key, "name"), said(key, names[index]))}
    return with_entries(entry, {**first, **entry.entries})


def _judge_of(texts: list[Node], name: str) -> Mapping:
    first, last = texts[0], texts[-1]
    rubrics = Sequence(first.start, last.end, texts, flow=False)
    return Mapping(
        first.start,
        last.end,
        {
            "name": Entry(said(first, "name"), said(first, name)),
            "type": Entry(said(first, "type"), said(first, "llm_judge")),
            "rubrics": Entry(said(first, "rubrics"), rubrics),
        },
        flow=False,
    )
