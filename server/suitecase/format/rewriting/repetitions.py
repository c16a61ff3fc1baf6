"""Taking away what YAML has twice or does not know, where the text then means just the same."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from itertools import islice

from suitecase.format.rewriting.lines import apply
from suitecase.format.rewriting.removing import entry_removed
from suitecase.format.rule import Edit, Fix
from suitecase.text.compose import compose
from suitecase.text.composed import Problem, ProblemKind
from suitecase.text.document import Content
from suitecase.text.node import Mapping, Node, Scalar, Sequence, Span, plain

_TAG = re.compile(r"!\S*[ \t]+")
_BLANKS = " \t"
#: So many edits of a text are looked at, and of so many each by itself: each time the text is composed.
_MOST_EDITS = 2_000
_MOST_COMPOSED = 20


#: The fix of each problem of a content that has one, by the place of the problem.
FixesByPlace = dict[Span, Fix]


def repetitions_removed(content: Content) -> FixesByPlace:
    """Take the second of two equal entries away; not where they differ, and one is to be chosen."""
    fixes: FixesByPlace = {}
    for problem in _problems(content, "duplicate_key"):
        key = _key_at(content.node, problem.span)
        edits = entry_removed(content, key) if key is not None else None
        if key is not None and edits is not None:
            fixes[problem.span] = Fix(f"Remove the second `{key.text}`", edits)
    return _keeping_meaning(content, fixes)


def tags_removed(content: Content) -> FixesByPlace:
    """Take tags away that are ignored."""
    text, fixes = content.text, FixesByPlace()
    for problem in _problems(content, "tag"):
        start = problem.span.start
        found = _TAG.match(text, start)
        span = Span(*found.span()) if found else _tag_before(text, start)
        if span is not None:
            fixes[problem.span] = Fix("Remove the tag", (Edit(span, ""),))
    return _keeping_meaning(content, fixes)


def _problems(content: Content, kind: ProblemKind) -> Iterator[Problem]:
    return islice((one for one in content.problems if one.kind == kind), _MOST_EDITS)


def _tag_before(text: str, end: int) -> Span | None:
    """Return the tag that stands before an offset, with the blanks between."""
    word_end = end
    while word_end > 0 and text[word_end - 1] in _BLANKS:
        word_end -= 1
    start = word_end
    while start > 0 and not text[start - 1].isspace():
        start -= 1
    at = text.find("!", start, word_end)
    return None if word_end == end or at < 0 else Span(at, end)


def _keeping_meaning(content: Content, fixes: FixesByPlace) -> FixesByPlace:
    """Return the fixes after which a text says the same; the number of its keys is not compared.

    Few are tried one by one. Of many, all are tried at once, then all but those whose own value
    changes, or each half if that is none of them; what has not been tried in the end is no fix.
    """
    if not fixes:
        return {}
    before = compose(content.text)
    if before.root is None:
        return {}
    meaning = plain(before.root)
    every = list(fixes.items())
    waiting = deque([[one] for one in every] if len(every) <= _MOST_COMPOSED else [every])
    kept: FixesByPlace = {}
    for _ in range(_MOST_COMPOSED):
        if not waiting:
            break
        tried = waiting.popleft()
        after = compose(apply(content.text, [edit for _, fix in tried for edit in fix.edits]))
        if (
            after.root is not None
            and not after.broken
            and len(after.problems) <= len(before.problems) - len(tried)
            and plain(after.root) == meaning
        ):
            kept.update(tried)
        elif len(tried) > 1:
            changed: set[Span] = set()
            _changed(before.root, after.root, changed)
            unchanged = [one for one in tried if one[0] not in changed]
            half = len(tried) // 2
            halves = (tried[:half], tried[half:])
            waiting += (unchanged,) if 0 < len(unchanged) < len(tried) else halves
    return kept


def _changed(node: Node, other: Node | None, changed: set[Span]) -> bool:
    """Whether a value is another one in another tree; note the places of what is, and of its keys."""
    if isinstance(node, Mapping) and isinstance(other, Mapping):
        keys = [
            key.span
            for name, (key, value, _) in node.entries.items()
            if _changed(value, other.get(name), changed)
        ]
        changed.update(keys)
        return bool(keys)
    if isinstance(node, Sequence) and isinstance(other, Sequence):
        pairs = zip(node.items, other.items, strict=False)
        # Every one of them is looked at, also behind the first that is another one.
        items = [_changed(*pair, changed) for pair in pairs]
        return any(items)
    if other is not None and plain(node) == plain(other):
        return False
    changed.add(node.span)
    return True


def _key_at(node: Node | None, span: Span) -> Scalar | None:
    while node is not None:
        inner: list[Node] = []
        if isinstance(node, Mapping):
            for key, value, merged in node.entries.values():
                if key.span == span and not merged:
                    return key
                inner.append(value)
        elif isinstance(node, Sequence):
            inner = list(node.items)
        node = next((it for it in inner if it.start <= span.start < it.end), None)
    return None
