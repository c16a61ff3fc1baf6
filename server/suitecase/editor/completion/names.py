"""Completion of names: targets, members of a composite, values used by other cases."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from suitecase.editor.completion.context import Context
from suitecase.editor.completion.governance_values import governance_values
from suitecase.editor.completion.item import Item, ItemKind
from suitecase.editor.completion.scaffolds import next_id, unique
from suitecase.editor.completion.slice_values import is_in_metadata, metadata_keys, slice_values
from suitecase.editor.navigation.spelled_name import spelled
from suitecase.format.figure_keys import Intervals, Slice
from suitecase.format.target_files import EMBEDDED, ParsedTargets
from suitecase.formats.suitecase.elements import ParsedEvaluator
from suitecase.formats.suitecase.model import Case
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedSuite
from suitecase.schema.fields import Field, field_at
from suitecase.text.cache import Cache
from suitecase.text.node import Mapping as Tree
from suitecase.text.node import Node, Scalar
from suitecase.text.node import Sequence as Listed
from suitecase_evaluators.answers.rubric import Rubric
from suitecase_evaluators.grade.evaluator import EvaluatorConfig
from suitecase_evaluators.schema.field_role import FieldRole
from suitecase_evaluators.targets.config import TargetConfig, TargetsFile

#: The values of a case that other cases may share, by key.
_SHARED_WORDS: Cache[dict[str, tuple[str, ...]]] = Cache()
#: The keys of a case with such values.
_SHARED = ("conversation_id", "tags")
_RUBRICS = "rubrics"
_GOVERNING = frozenset(("judges", "human", "governance"))
_WORDS = re.compile(r"[a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Named:
    """A name and a short description."""

    name: str
    detail: str
    kind: ItemKind = ItemKind.NAME


def names(
    context: Context, suite: ParsedSuite | None, targets: ParsedTargets | None
) -> Iterator[Item]:
    """Yield the names that a value may refer to.

    Args:
        context: the cursor.
        suite: its suite.
        targets: the suite's targets file, or the one the cursor is in.
    """
    if context.in_prose:
        return
    if context.shape in ("key", "own line"):
        yield from keys_of_governance(context, suite)
    if context.shape == "key":
        yield from members(context)
        yield from metadata_of_slice(context, suite)
        return
    for candidate in _candidates(context, suite, targets):
        quoted = spelled(candidate.name, context.style, is_json=context.layout.quotes_keys)
        if quoted is None or "\n" in candidate.name:
            continue
        text = quoted[1:-1] if context.style else quoted
        yield Item(
            label=candidate.name, kind=candidate.kind, template=(text,), detail=candidate.detail
        )


def case_ids(suite: ParsedSuite | None) -> Sequence[str]:
    """Return the ids of a suite's cases, in order."""
    cases = suite.cases if suite is not None else ()
    return [case.id.text for case in cases if case.id is not None]


def _candidates(
    context: Context, suite: ParsedSuite | None, targets: ParsedTargets | None
) -> Iterator[Named]:
    field = context.field
    if suite is not None and (is_in_metadata(context) or _is_of_slices(field)):
        yield from (Named(*slice_value) for slice_value in slice_values(context, suite))
    if suite is not None:
        yield from (Named(*value) for value in governance_values(context, suite))
    if field is None:
        return
    model, name = field.model, field.name
    if field.role is FieldRole.TARGET and issubclass(model, TargetConfig):
        own = context.parent.get("name") if isinstance(context.parent, Tree) else None
        own_name = own.text if isinstance(own, Scalar) else None
        yield from (target for target in _targets(targets) if target.name != own_name)
    elif field.role is FieldRole.TARGET:
        yield from _targets(targets)
        if targets is None or EMBEDDED not in targets.spans:
            yield Named(EMBEDDED, "embedded: repeats the question", ItemKind.TARGET)
    elif name == "name" and issubclass(model, EvaluatorConfig | TargetConfig):
        yield from _own_name(context, "provider" if issubclass(model, TargetConfig) else "type")
    elif model is Case and name == "id" and suite is not None:
        yield Named(next_id(case_ids(suite)), "the next id")
    elif model is Rubric and name == "id":
        yield from _rubric_ids(context, suite)
    elif model is Case and name in _SHARED and suite is not None:
        siblings = context.parent.items if isinstance(context.parent, Listed) else []
        taken = {sibling.text for sibling in siblings if isinstance(sibling, Scalar)}
        detail = "conversation" if name == "conversation_id" else "tag"
        is_item = isinstance(context.path[-1], int)
        if is_item or name == "conversation_id":
            for word in _shared_words(suite, name):
                if word not in taken and word != context.word:
                    yield Named(word, f"{detail} of other cases")


def _is_of_slices(field: Field | None) -> bool:
    return field is not None and field.model in (Slice, Intervals)


def _targets(targets: ParsedTargets | None) -> Iterator[Named]:
    for entry in targets.entries if targets is not None else ():
        if entry.name is not None:
            provider = entry.provider.text if entry.provider is not None else "target"
            yield Named(entry.name.text, provider, ItemKind.TARGET)


def _own_name(context: Context, key: str) -> Iterator[Named]:
    """Yield a name for an entry that no other entry has."""
    kind = context.parent.get(key) if isinstance(context.parent, Tree) else None
    if isinstance(kind, Scalar) and isinstance(kind.value, str):
        listed = context.node_at(context.holder[:-1])
        items = listed.items if isinstance(listed, Listed) else []
        other_names = {
            it.text
            for item in items
            if item is not context.parent and isinstance(item, Tree)
            for it in (item.get("name"),)
            if isinstance(it, Scalar)
        }
        yield Named(unique(kind.text, other_names), "an unused name")


def _rubric_ids(context: Context, suite: ParsedSuite | None) -> Iterator[Named]:
    """Yield an id based on a rubric's text, and the ids of rubrics in other cases."""
    listed = context.node_at(context.holder[:-1])
    others = [
        item.get("id")
        for item in (listed.items if isinstance(listed, Listed) else ())
        if isinstance(item, Tree) and item is not context.parent
    ]
    taken = {other.text for other in others if isinstance(other, Scalar)}
    outcome = context.parent.get("expected_outcome") if isinstance(context.parent, Tree) else None
    words = _WORDS.findall(outcome.text.lower()) if isinstance(outcome, Scalar) else []
    if words:
        yield Named(unique("-".join(words[:3]), taken), "from what it expects")
    for word in _shared_words(suite, _RUBRICS) if suite is not None else ():
        if word not in taken and word != context.word:
            yield Named(word, "rubric of other cases")


def members(context: Context) -> Iterator[Item]:
    """Yield the members of a composite that have no weight yet, as keys of its `weights`."""
    weights = context.holder if context.shape == "key" else context.path
    field = field_at(context.model, context.root, weights)
    if field is None or field.role is not FieldRole.WEIGHTS:
        return
    item = max((end for end, it in enumerate(weights, 1) if isinstance(it, int)), default=0)
    owner = context.node_at(weights[:item])
    if not isinstance(owner, Tree):
        return
    for name in member_names(owner):
        if name in context.present and context.shape == "key":
            continue
        yield from _key(context, name, "member")


def metadata_of_slice(context: Context, suite: ParsedSuite | None) -> Iterator[Item]:
    """Yield the keys of the cases' metadata, as keys of the `metadata` of a slice."""
    for name, detail in metadata_keys(context, suite) if suite is not None else ():
        yield from _key(context, name, detail)


def keys_of_governance(context: Context, suite: ParsedSuite | None) -> Iterator[Item]:
    """Yield the evaluators under `judges` and `human`, and the sources of cases."""
    path = context.holder if context.shape == "key" else context.path
    if suite is None or context.followed or not path or path[0] not in _GOVERNING:
        return
    # Most suites have none of these keys.
    from suitecase.editor.completion.governance_names import governance_keys

    for name, detail in governance_keys(path, suite):
        if name in context.present and context.shape == "key":
            continue
        yield from _key(context, name, detail)


def _key(context: Context, name: str, detail: str) -> Iterator[Item]:
    quoted = spelled(name, context.style, is_json=context.layout.quotes_keys)
    if quoted is None or "\n" in name:
        return
    text = quoted[1:-1] if context.style else quoted
    template = (text,) if context.has_colon or context.style else (f"{text}: ",)
    yield Item(label=name, kind=ItemKind.NAME, template=template, detail=detail)


def answered_cases(context: Context, ids: Callable[[], Iterable[str]]) -> Iterator[Item]:
    """Yield the cases that a target has no response for yet, as keys of its `response`."""
    path = context.holder if context.shape == "key" else context.path
    if path[-1:] != ("response",) or context.shape not in ("key", "own line"):
        return
    if not issubclass(context.model, TargetsFile) or context.followed:
        return
    for name in dict.fromkeys(ids()):
        if name in context.present and context.shape == "key":
            continue
        yield from _key(context, name, "case")


def member_names(composite: Tree) -> Iterable[str]:
    """Return the names of a composite's members."""
    listed = next(ParsedEvaluator(composite).values(FieldRole.MEMBERS), None)
    members = listed.node if listed is not None else None
    items: list[Node] = members.items if isinstance(members, Listed) else []
    names_of_items = (item.get("name") for item in items if isinstance(item, Tree))
    return dict.fromkeys(
        name.text for name in names_of_items if isinstance(name, Scalar) and name.text
    )


def _shared_words(suite: ParsedSuite, name: str) -> Iterable[str]:
    """Return the values that cases have under a key, the most frequent first."""
    counts: dict[str, int] = {}
    for case in suite.cases:
        for word in _SHARED_WORDS.of(case.content, _words, case)[name]:
            counts[word] = counts.get(word, 0) + 1
    return sorted(counts, key=lambda it: -counts[it])


def _words(case: ParsedCase) -> dict[str, tuple[str, ...]]:
    words = {key: _texts(case.node, key) for key in _SHARED}
    words[_RUBRICS] = _ids_of_rubrics(case.node)
    return words


def _ids_of_rubrics(case: Tree | None) -> tuple[str, ...]:
    listed = case.get("rubrics") if case is not None else None
    items = listed.items if isinstance(listed, Listed) else []
    ids = (item.get("id") for item in items if isinstance(item, Tree))
    return tuple(it.text for it in ids if isinstance(it, Scalar) and it.text)


def _texts(case: Tree | None, key: str) -> tuple[str, ...]:
    value = case.get(key) if case is not None else None
    items = value.items if isinstance(value, Listed) else [value]
    return tuple(item.text for item in items if isinstance(item, Scalar) and item.text)
