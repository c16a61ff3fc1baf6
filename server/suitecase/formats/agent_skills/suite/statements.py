"""The statements that an answer to an eval is graded by, as a judge is told them.

A statement is a text, or an object that tools have given keys of their own. Of such an object the judge
is told one text, or all of it where no key has one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from suitecase.formats.agent_skills.suite.parsed import SkillEval
from suitecase.text.node import Entry, Mapping, Node, Scalar, Sequence, is_empty, plain

#: Has a list of statements like the others, or one of them as a text.
BEHAVIOR = "expected_behavior"
#: The keys of an eval that have its statements.
STATING = ("assertions", "expectations", BEHAVIOR)
#: The keys of a statement that is an object, the first of which with a text is what the judge is told.
_TEXT_KEYS = ("text", "description", "statement", "criterion", "assertion")
#: Keys of such an object that sort or explain it, and change nothing about how it is graded.
_LABELS = frozenset(
    {
        *("id", "name", "title", "label", "kind", "category", "tags", "source"),
        *("note", "notes", "comment", "rationale", "reason", "why", "explanation"),
    }
)
#: Types of statements that a judge decides.
_JUDGED = re.compile(
    r"(?:(?:llm|model|semantic|manual)_?)?"
    r"(?:judged?|graded|rubric|check|statement|assertion|expectation|criterion|boolean|bool|text)?"
)
#: Keys that turn a statement around where they are true.
_NEGATING = frozenset(
    {
        *("negate", "negated", "negative", "is_negative", "negation", "not", "invert", "inverted"),
        *("inverse", "forbidden", "absent", "must_not", "should_not", "should_fail"),
    }
)
#: Keys that turn a statement around where they are false.
_AFFIRMING = frozenset(
    {
        *("expected", "expect", "expected_result", "expected_value", "should_pass", "must_pass"),
        *("should_hold", "holds", "present", "positive"),
    }
)
#: Keys that turn a statement around by a word, which is about the text where nothing else is looked for.
_SENSES = frozenset({"type", "kind", "polarity", "sense", "mode", "operator", "check", "match"})
_NEGATION = re.compile(
    r"not|never|absent|forbidden|negative|negated|excludes?|excluded|(?:must|should|does|do)_not|"
    r"(?=\w+\Z)(?:\w+_)?not_(?:contain|match|equal|regex|include|present)\w*"
)
_OPERANDS = frozenset(
    {
        *("pattern", "patterns", "regex", "value", "values", "substring", "string", "strings"),
        *("path", "paths", "tool", "tools", "command"),
    }
)
#: Keys that say nothing which could be true or false.
_SAYING_NOTHING = frozenset({"id", "weight", "required", "passed", "category", "tags"}) | _NEGATING


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of an eval: the text that the judge sees, and the keys that are ignored.

    Attributes:
        text: what the judge is told; None of an item that says nothing.
        key: the key that has the text; None where all of the item is it.
        place: where the text stands.
        unread: the keys of which the judge is not told, though they say how to grade.
        inverting: those of them that mean that the text must not be so.
    """

    text: str | None
    key: str | None
    place: Node
    unread: tuple[Entry, ...] = ()
    inverting: tuple[Entry, ...] = ()


def statements(own: SkillEval) -> Iterator[tuple[str, Node]]:
    """Yield each item of the lists of statements of an eval, with the key that it is under."""
    for name in STATING:
        listed = own.node.get(name) if own.node is not None else None
        if isinstance(listed, Sequence):
            for item in listed.items:
                yield name, item
        elif name == BEHAVIOR and isinstance(listed, Scalar) and not is_empty(listed):
            yield name, listed


def expected_output(own: SkillEval) -> str | None:
    """Return what a good answer is, by which an eval without statements is graded; None if nothing says it."""
    found = own.node.get("expected_output") if own.node is not None else None
    return text_of(found) if found is not None else None


def statement_of(item: Node) -> Statement:
    """Return an item of a list of statements as the judge sees it."""
    if not isinstance(item, Mapping):
        return Statement(text_of(item), None, item)
    texts = ((key, it) for key in _TEXT_KEYS if (it := item.get(key)) and not is_empty(it))
    key, value = next(texts, (None, None))
    if key is None or not isinstance(value, Scalar):
        says = any(name not in _SAYING_NOTHING and not is_empty(it.value) for name, it in item)
        return Statement(text_of(item) if says else None, None, item)
    others = [(it, _inverts(it, item)) for name, it in item if name != key]
    inverting = tuple(it for it, inverts in others if inverts)
    unread = tuple(it for it, inverts in others if not inverts and _says_how_to_grade(it))
    return Statement(text_of(value), key, value, unread, inverting)


def _says_how_to_grade(entry: Entry) -> bool:
    """Whether a key beside the text of a statement is more than a label, or than what holds anyway."""
    name, value = entry.key.text.casefold(), entry.value
    if name in _LABELS or name.startswith(("x-", "_")) or is_empty(value):
        return False
    if not isinstance(value, Scalar):
        return True
    if name == "type":
        return _JUDGED.fullmatch(_word(value)) is None
    if name == "weight":
        return value.value != 1
    return not _is_true(value) if name in _AFFIRMING else not _is_false(value)


def _inverts(entry: Entry, item: Mapping) -> bool:
    """Whether a key means that the text of a statement must not be so."""
    name, value = entry.key.text.casefold(), entry.value
    if not isinstance(value, Scalar):
        return False
    if name in _NEGATING:
        return _is_true(value)
    if name in _AFFIRMING:
        return _is_false(value)
    if name == "weight":
        return isinstance(value.value, int | float) and value.value < 0
    looks_for_more = any(it in _OPERANDS for it, _ in item)
    is_negation = name in _SENSES and _NEGATION.fullmatch(_word(value)) is not None
    return is_negation and not looks_for_more


def _word(value: Scalar) -> str:
    return value.text.strip().replace("-", "_").replace(" ", "_").casefold()


def _is_true(value: Scalar) -> bool:
    return _word(value) in ("true", "yes", "pass", "1")


def _is_false(value: Scalar) -> bool:
    return _word(value) in ("false", "no", "fail", "0")


def text_of(node: Node) -> str | None:
    """Return a text as it is and any other value as JSON; None if it is blank."""
    if is_empty(node):
        return None
    return node.text if isinstance(node, Scalar) else json.dumps(plain(node), ensure_ascii=False)
