"""Evaluators and lists of them in the current format."""

from __future__ import annotations

from collections.abc import Callable

from suitecase.formats.suitecase.legacy.normalize.legacy_syntax import (
    AssertionList,
    LegacySyntax,
    Notes,
)
from suitecase.formats.suitecase.legacy.normalize.rubrics import RubricNormalizer
from suitecase.formats.suitecase.legacy.normalize.trajectories import TrajectoryNormalizer
from suitecase.formats.suitecase.legacy.other_keys import EVALUATOR
from suitecase.text.node import UNRESOLVED, Entry, Mapping, Node, Scalar, Sequence
from suitecase.text.taken_names import TakenNames
from suitecase.text.tree_changes import (
    each,
    inside,
    renamed,
    said,
    text_of,
    with_entries,
    with_value,
    without,
)
from suitecase_evaluators.grade.judge.template import find_variables, looks_like_path
from suitecase_evaluators.grade.registry import is_third_party
from suitecase_evaluators.system.path_kinds import FILE_SCHEME

#: The keys a list of evaluators has had beside the current one, the newer first: it went before the older.
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
_CRITERIA_JUDGES = (*_JUDGES, "llm_judge")
_CRITERIA_KEYS = frozenset({"name", "type", "prompt", "weight", "required", "min_score"})
#: Flags of JavaScript: those that have an equal in the expression itself, and all that make no other
#: difference to whether something matches.
_INLINE_FLAGS = "ims"
_FLAGS = frozenset("dgimsu")
#: Where the keys that an evaluator does not know are handed to its script.
_CONFIG = "config"


class EvaluatorNormalizer:
    """Rewrites evaluators.

    Args:
        known_keys: returns the keys an evaluator of a type has, or None for an unknown type.
    """

    def __init__(
        self,
        notes: Notes,
        known_keys: Callable[[str], frozenset[str] | None],
        rubrics: RubricNormalizer,
    ) -> None:
        self._notes = notes
        self._known_keys = known_keys
        self._rubrics = rubrics
        self._trajectories = TrajectoryNormalizer(notes)

    def listed(self, node: Node) -> Node:
        """Rewrite a list of evaluators under a key of the current format."""
        if isinstance(node, Sequence) and any(_is_include(item) for item in node.items):
            items = [item for item in node.items if not self._included(item)]
            node = Sequence(node.start, node.end, items, flow=node.flow)
        return each(node, lambda item: self._evaluator(item, [], in_assertions=False))

    def assertions(
        self,
        listed: Sequence,
        *,
        key: str | None,
        may_be_rubrics: bool,
        in_composite: bool = False,
    ) -> tuple[Sequence, AssertionList]:
        """Rewrite a list as `assert` and `assertions` have it.

        Args:
            key: what it is called in the current format.
            may_be_rubrics: whether a list of nothing but texts may be the case's `rubrics`.
            in_composite: whether it lists the members of a composite.
        """
        texts = tuple(i for i, item in enumerate(listed.items) if _is_text(item))
        if may_be_rubrics and texts and len(texts) == len(listed.items):
            return listed, AssertionList("rubrics", listed)
        names, group = _names(listed, texts)
        # Each text counts as much as an evaluator beside them; a composite weighs its members
        # by what its aggregator says alone.
        weight = 1 if in_composite else max(1, len(texts))
        mappings = (it for it in listed.items if isinstance(it, Mapping))
        criteria = tuple(mapping for mapping in mappings if _has_inline_criteria(mapping))
        exact: list[Mapping] = []
        items: list[Node] = []
        for index, item in enumerate(listed.items):
            if index in texts:
                if index == texts[0]:
                    items.append(_judge_of([listed.items[text] for text in texts], group, weight))
            elif not isinstance(item, Mapping):
                items.append(item)
            elif not self._included(item):
                items.append(_named(self._evaluator(item, exact, in_assertions=True), names, index))
        changed = Sequence(listed.start, listed.end, items, flow=listed.flow)
        return changed, AssertionList(
            key, listed, names, texts, group, tuple(exact), weight, criteria
        )

    def _evaluator(self, entry: Mapping, exact: list[Mapping], *, in_assertions: bool) -> Mapping:
        if in_assertions and _has_inline_criteria(entry):
            entry = with_value(entry, "type", said(entry.entries["type"].value, "criteria"))
            return self._gates(renamed(entry, "prompt", "criteria"))
        entry = self._type(entry, _TYPES, "an evaluator")
        kind = text_of(entry.get("type"))
        if is_third_party(kind):
            return entry  # only the current format has any, so none of its keys is an older name
        if kind == "llm_judge" and isinstance(entry.get("criteria"), Sequence):
            entry = self._notes.keys(entry, {"criteria": "rubrics"}, "a judge")
        elif kind == "code_judge":
            entry = self._notes.keys(entry, {"command": "script"}, "a `code_judge`")
        elif kind == "tool_trajectory":
            entry, implied = self._trajectories.evaluator(entry, exactly=in_assertions)
            exact += implied
        elif kind == "regex":
            entry = self._flags(entry)
        entry = self._gates(entry)
        entry = self._without_equal(entry, kind)
        if kind == "llm_judge":
            entry = self._prompt(entry)
        entry = self._config(entry)
        entry = inside(entry, "rubrics", self._rubrics.rubrics)
        entry = inside(entry, "aggregator", self._aggregator)
        return self._members(entry)

    def _included(self, item: Node) -> bool:
        """Note an item that stands for the evaluators of another file."""
        if not isinstance(item, Mapping) or not _is_include(item):
            return False
        decide = "evaluators cannot be included from another file; list them here"
        self._notes.entry("unsupported_setting", item, "include", decide)
        return True

    def _type(self, entry: Mapping, types: dict[str, str], what: str) -> Mapping:
        type_node = entry.get("type")
        if not isinstance(type_node, Scalar):
            return entry
        new = types.get(type_node.text)
        if new is None:
            snake = type_node.text.replace("-", "_")
            if snake == type_node.text or self._known_keys(snake) is None:
                return entry
            new = snake
        self._notes.add(
            LegacySyntax("evaluator_type", type_node, type_node.text, new, what, entry, "type")
        )
        return with_value(entry, "type", Scalar(type_node.start, type_node.end, new, ""))

    def _aggregator(self, node: Node) -> Node:
        if not isinstance(node, Mapping):
            return node
        return self._prompt(self._type(node, _AGGREGATORS, "an aggregator"))

    def _prompt(self, entry: Mapping) -> Mapping:
        """Read a prompt that stands in a file, or is written by a script, as the current format names it."""
        prompt = entry.get("prompt")
        if isinstance(prompt, Mapping):
            changed = self._notes.keys(prompt, {"command": "script"}, "a prompt")
            return with_value(entry, "prompt", changed)
        text = text_of(prompt)
        if prompt is None or text is None or not text.startswith(FILE_SCHEME):
            return entry
        name = text.removeprefix(FILE_SCHEME)
        key = entry.entries["prompt"].key
        self._notes.add(
            LegacySyntax("prompt_file", key, text.strip(), name.strip(), "a judge", entry, "prompt")
        )
        return with_value(entry, "prompt", said(prompt, name))

    def _without_equal(self, entry: Mapping, kind: str | None) -> Mapping:
        """Take out what changed the answer or turned the result around, and does so no longer."""
        known = self._known_keys(kind) if kind is not None else None
        if known is None:
            return entry
        decisions = {name: it for name, it in EVALUATOR.items() if name not in known}
        negate = entry.get("negate")
        if "negate" not in known and isinstance(negate, Scalar):
            if negate.value is False:
                why = "`negate: false` has no effect"
                entry = self._notes.gone(entry, "negate", why)
            else:
                decisions["negate"] = (
                    f"it inverted the result, which is not possible for a `{kind}`: grade the "
                    "opposite instead"
                )
        return self._notes.all_without_equal(entry, decisions, "an evaluator")

    def _flags(self, entry: Mapping) -> Mapping:
        """Read the flags of a regular expression as part of it."""
        flags, value = text_of(entry.get("flags")), entry.get("value")
        if flags is None or not isinstance(value, Scalar) or not isinstance(value.value, str):
            return entry
        if value.text.startswith("(?") or not _FLAGS.issuperset(flags):
            return entry
        inline = "".join(inline_flag for inline_flag in _INLINE_FLAGS if inline_flag in flags)
        new = f"(?{inline})" if inline else ""
        self._notes.entry("regex_flags", entry, "flags", new, "an evaluator")
        return without(with_value(entry, "value", said(value, f"{new}{value.text}")), "flags")

    def _gates(self, entry: Mapping) -> Mapping:
        """Read `required` with a score, as the gates of evaluators were once written."""
        required = entry.get("required")
        value = required.value if isinstance(required, Scalar) else None
        if isinstance(value, bool) or not isinstance(value, int | float):
            return entry
        return self._notes.keys(entry, {"required": "min_score"}, "an evaluator")

    def _config(self, entry: Mapping) -> Mapping:
        """Move what an evaluator does not know into the configuration that its script reads."""
        known = self._known_keys(text_of(entry.get("type")) or "") if _runs_script(entry) else None
        if known is None:
            return entry
        into = _CONFIG
        moved = {name: it for name, it in entry if name not in known and not name.startswith("x-")}
        config = entry.get(into)
        if not moved or not (config is None or isinstance(config, Mapping)):
            return entry
        for name, setting in moved.items():
            new = f"{into}.{name}"
            self._notes.add(
                LegacySyntax("config_key", setting.key, name, new, "an evaluator", entry, name)
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
            members = entry.get(name)
            if isinstance(members, Sequence) and "evaluators" not in entry:
                changed, listed = self.assertions(
                    members, key="evaluators", may_be_rubrics=False, in_composite=True
                )
                key = entry.entries[name].key
                self._notes.add(
                    LegacySyntax(
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


def is_judge(entry: Mapping) -> bool:
    """Whether an entry of a list is a judge, by any of the names of its type."""
    return text_of(entry.get("type")) in (*_CRITERIA_JUDGES, *_RUBRICS)


def _runs_script(entry: Mapping) -> bool:
    """Whether an evaluator runs a script of the author's, which reads a configuration."""
    kind, prompt = text_of(entry.get("type")), entry.get("prompt")
    unknown = isinstance(prompt, Scalar) and prompt.style == UNRESOLVED
    return kind == "code_judge" or (
        kind == "llm_judge" and (isinstance(prompt, Mapping) or unknown)
    )


def _has_inline_criteria(entry: Mapping) -> bool:
    """Whether a judge's prompt is neither a file nor names a variable."""
    text = text_of(entry.get("prompt"))
    return (
        text is not None
        and text_of(entry.get("type")) in _CRITERIA_JUDGES
        and entry.entries.keys() <= _CRITERIA_KEYS
        and not text.startswith(FILE_SCHEME)
        and not looks_like_path(text)
        and not find_variables(text)
    )


def _is_include(item: Node) -> bool:
    return isinstance(item, Mapping) and list(item.entries) == ["include"]


def _is_text(item: Node) -> bool:
    return isinstance(item, Scalar) and isinstance(item.value, str) and bool(item.text.strip())


def _names(listed: Sequence, texts: tuple[int, ...]) -> tuple[dict[int, str], str]:
    """Return the names that items without one get, by index, and that of the judge of texts."""
    mappings = [it for it in listed.items if isinstance(it, Mapping)]
    taken = TakenNames(name for mapping in mappings if (name := text_of(mapping.get("name"))))
    names: dict[int, str] = {}
    group = ""
    for index, item in enumerate(listed.items):
        if texts and index == texts[0]:
            group = taken.take("rubrics")
        elif isinstance(item, Mapping) and "name" not in item and "type" in item:
            kind = text_of(item.get("type")) or ""
            base = _TYPES.get(kind, kind.replace("-", "_"))
            if _has_inline_criteria(item):
                base = "criteria"
            if kind in _RUBRICS or (base == "llm_judge" and _has_rubrics(item)):
                base = "rubrics"
            names[index] = taken.take(base or "evaluator")
    return names, group


def _has_rubrics(item: Mapping) -> bool:
    return "rubrics" in item or isinstance(item.get("criteria"), Sequence)


def _named(entry: Mapping, names: dict[int, str], index: int) -> Mapping:
    if index not in names:
        return entry
    key = entry.entries["type"].key
    first = {"name": Entry(said(key, "name"), said(key, names[index]))}
    return with_entries(entry, {**first, **entry.entries})


def _judge_of(texts: list[Node], name: str, weight: int) -> Mapping:
    first, last = texts[0], texts[-1]
    weighs = Entry(said(first, "weight"), Scalar(first.start, first.end, str(weight), ""))
    rubrics = Sequence(first.start, last.end, texts, flow=False)
    return Mapping(
        first.start,
        last.end,
        {
            "name": Entry(said(first, "name"), said(first, name)),
            "type": Entry(said(first, "type"), said(first, "llm_judge")),
            **({"weight": weighs} if weight != 1 else {}),
            "rubrics": Entry(said(first, "rubrics"), rubrics),
        },
        flow=False,
    )
