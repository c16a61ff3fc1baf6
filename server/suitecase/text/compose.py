"""Composing libyaml's events to a tree, including as much as possible of a text with errors.

The tree is built without recursion, so that no depth of nesting can crash the process: libyaml's
own composer overflows the stack at 100,000 levels.
"""

from __future__ import annotations

import re
from sys import intern
from typing import Any

import yaml
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from suitecase.text.composed import AnchorName, Composed, Problem, ProblemKind
from suitecase.text.garbage_collection import without_garbage_collection
from suitecase.text.messages import TOO_DEEP, open_quote, problem_of
from suitecase.text.node import (
    UNRESOLVED,
    Copied,
    Entry,
    Mapping,
    Node,
    Scalar,
    Sequence,
    Span,
    Tagged,
)
from suitecase.text.readable import ReadableText, readable
from suitecase.text.scalar import (
    LONGEST_OLD_WORD,
    NULLS,
    NUMERIC_START,
    OLD_READING_START,
    has_old_reading,
)

try:
    from yaml._yaml import CParser
except ImportError as missing:  # pragma: no cover - PyYAML's wheels all carry libyaml
    raise ImportError(
        "Suitecase needs PyYAML built with libyaml; install PyYAML from a wheel "
        "(pip install --force-reinstall --only-binary :all: PyYAML)",
        name="yaml._yaml",
    ) from missing

#: Suites need about fifteen.
MAX_DEPTH = 100
TOO_DEEP_MESSAGE = f"nested more than {MAX_DEPTH} levels deep"
#: The maximum number of nodes from aliases in a text. An alias bomb of nine lines has billions.
MAX_ALIASED_NODES = 50_000

CORE_TAGS = frozenset(
    f"tag:yaml.org,2002:{name}" for name in ("str", "int", "float", "bool", "null", "map", "seq")
) | {"!"}
_BLANKS = " \t\r\n"
#: An anchor and a tag, and the blanks and comments after them.
_PROPERTIES = re.compile(r"(?:[&!][^ \t\r\n]*(?:[ \t\r\n]|(?<=[ \t\r\n])#[^\r\n]*)*)*")
_YAML_TAG = "tag:yaml.org,2002:"
_MERGE_TAG = f"{_YAML_TAG}merge"
#: So many characters of a tag are told: a directive can make each of them long.
_LONGEST_TAG = 100
#: Creates an entry without the overhead of a named tuple's constructor.
_new_tuple = tuple.__new__
_NO_ENTRIES: dict[str, Entry] = {}


def compose(text: str) -> Composed:
    """Parse a text with one YAML document. Never raises on any text."""
    result = Composed()
    source = readable(text)
    if source.problem is not None:
        result.problems.append(source.problem)
        result.broken = True
    parser = CParser(source.text)
    try:
        with without_garbage_collection():
            _Composer(source, result).run(parser)
    except yaml.YAMLError as error:
        span, message, at_end = problem_of(error, source.text)
        if begun := open_quote(result.root, source.text, span.start):
            span, message = begun, "this quoted text is not closed where it should be"
        if getattr(error, "problem", None) == TOO_DEEP:
            result.problems.append(Problem("limit", span, TOO_DEEP_MESSAGE))
        elif not any(
            problem.kind == "syntax" and problem.span.start <= span.start
            for problem in result.problems
        ):
            result.problems.append(Problem("syntax", span, message))
        result.broken = True
        result.open_ended = at_end
    finally:
        parser.dispose()
    return result


class _Frame:
    """A collection that is still open, with the `items` of a sequence or the `entries` of a mapping.

    `key` waits for its value; `merges` are the keys `<<` with their values, None if there are none. In
    `is_template` is whether it is `{{ ... }}`, which YAML reads as a mapping in a mapping.
    """

    __slots__ = ("anchor", "entries", "is_template", "items", "key", "merges", "node")

    def __init__(
        self,
        node: Mapping | Sequence,
        items: list[Node] | None,
        entries: dict[str, Entry],
        anchor: str | None,
    ) -> None:
        self.node = node
        self.items = items
        self.entries = entries
        self.anchor = anchor
        self.key: Node | None = None
        self.merges: list[tuple[Scalar, Node]] | None = None
        self.is_template = False


class _LimitReachedError(Exception):
    """The text exceeds a limit; parsing ends here."""


class _Composer:
    def __init__(self, source: ReadableText, result: Composed) -> None:
        self.text = source.text
        self.restore = source.restore
        self.result = result
        self.stack: list[_Frame] = []
        self.anchors: dict[str, Node] = {}
        self.unknown: set[str] = set()
        self.numbers: dict[str, int] = {}
        self.aliased = 0
        #: Whether the text ended inside collections, which are then not reported as incomplete.
        self.ended = False

    def run(self, parser: CParser) -> None:
        try:
            self._read(parser)
        except _LimitReachedError:
            self.result.broken = True
        finally:
            self.ended = len(self.stack) > 0
            while self.stack:
                self._close(self.stack[-1].node.end)
            if self.anchors or self.unknown:
                self.result.anchors = frozenset(self.anchors)
                self.result.unknown_aliases = frozenset(self.unknown)

    def _read(self, parser: CParser) -> None:
        # A text has thousands of scalars, so the common case is inlined here.
        get_event, stack, restore = parser.get_event, self.stack, self.restore
        add, enter, result = self._add, self._enter, self.result
        documents = 0
        while True:
            event: Any = get_event()  # the stubs say that marks may be missing
            kind = type(event)
            if kind is ScalarEvent:
                start, end = event.start_mark.index, event.end_mark.index
                style = event.style
                anchor, tag = event.anchor, event.tag
                if style == "|" or style == ">":
                    end = start + len(self.text[start:end].rstrip(_BLANKS))
                if start == end:
                    result.lacks_values = True
                    start = end = self._place_of_nothing(start)
                if anchor is not None or tag is not None:
                    self._note_anchor(anchor, start)
                    start = self._after_properties(start, end)
                    self._check_tag(tag, Span(start, end))
                    result.lacks_values = result.lacks_values or start == end
                text = event.value.translate(restore) if restore else event.value
                if not style:
                    if text in NULLS:
                        result.lacks_values = True
                    # Most keys are longer words than those that have one.
                    if (
                        (len(text) <= LONGEST_OLD_WORD or text[0] in NUMERIC_START)
                        and text[:1] in OLD_READING_START
                        and has_old_reading(text)
                    ):
                        result.has_old_readings = True
                if tag is None:
                    node = Scalar(start, end, text, style)
                else:
                    node = Tagged(start, end, text, style, tag)
                if anchor is not None or not stack:
                    add(node, anchor)
                    continue
                frame = stack[-1]
                if frame.items is not None:
                    frame.items.append(node)
                elif frame.key is None:
                    frame.key = node
                else:
                    enter(frame, node)
                if end > frame.node.end:  # noqa: PLR1730 - a call for each scalar takes longer
                    frame.node.end = end
            elif kind is MappingStartEvent or kind is SequenceStartEvent:
                self._open(event, is_mapping=kind is MappingStartEvent)
            elif kind is MappingEndEvent or kind is SequenceEndEvent:
                self._close(event.end_mark.index)
            elif kind is AliasEvent:
                self._alias(event.anchor, Span(event.start_mark.index, event.end_mark.index))
            elif kind is DocumentStartEvent:
                documents += 1
                if documents > 1:
                    self._problem(
                        "document",
                        Span(event.start_mark.index, event.end_mark.index),
                        "a second document starts here; a suite must be one document, so the rest would "
                        "be ignored",
                    )
                    return
            elif kind is StreamEndEvent:
                return

    def _problem(
        self, kind: ProblemKind, span: Span, message: str, other: Span | None = None
    ) -> None:
        if not self.ended:
            self.result.problems.append(Problem(kind, span, message, other))

    def _note_anchor(self, name: str | None, start: int) -> None:
        """Record the place of an anchor, among the properties that start at an offset."""
        if name is not None:
            at = max(self.text.find(f"&{name}", start), start) + 1
            number = self.numbers[name] = len(self.result.anchor_names)
            given = AnchorName(name, Span(at, at + len(name)), number, defines=True)
            self.result.anchor_names.append(given)

    def _after_properties(self, start: int, end: int) -> int:
        """Return the start of a value itself, after its anchor and its tag."""
        match = _PROPERTIES.match(self.text, start, end)
        return match.end() if match else start

    def _place_of_nothing(self, start: int) -> int:
        """Return the place of a missing value.

        For a key without a colon, libyaml places it wherever the text continues.
        """
        key = self.stack[-1].key if self.stack else None
        return start if key is None or self.text[start - 1] == ":" else key.end

    def _check_tag(self, tag: str | None, span: Span) -> None:
        if tag is not None and tag not in CORE_TAGS:
            tag_name = tag.replace(_YAML_TAG, "!!", 1) if tag.startswith(_YAML_TAG) else tag
            if len(tag_name) > _LONGEST_TAG:
                tag_name = f"{tag_name[:_LONGEST_TAG]}..."
            self._problem(
                "tag", span, f"the tag {tag_name} has no meaning in a suite and is ignored"
            )

    def _open(self, event: Any, *, is_mapping: bool) -> None:
        start = event.start_mark.index
        if len(self.stack) >= MAX_DEPTH:
            self._problem("limit", Span(start, start + 1), TOO_DEEP_MESSAGE)
            raise _LimitReachedError
        flow = bool(event.flow_style)
        if event.anchor is not None or event.tag is not None:
            self._check_tag(event.tag, Span(start, event.end_mark.index))
            self._note_anchor(event.anchor, start)
            start = self._after_properties(start, len(self.text))
        if is_mapping:
            entries: dict[str, Entry] = {}
            mapping = Mapping(start, start, entries, flow=flow)
            self.stack.append(_Frame(mapping, None, entries, event.anchor))
        else:
            items: list[Node] = []
            sequence = Sequence(start, start, items, flow=flow)
            self.stack.append(_Frame(sequence, items, _NO_ENTRIES, event.anchor))

    def _close(self, end: int) -> None:
        frame = self.stack.pop()
        node = frame.node
        if node.flow and end > node.end:
            node.end = end
        if frame.key is not None:
            # The text ended after a key: keep it for completion.
            place = frame.key.end
            self._enter(frame, Scalar(place, place, "", ""))
        for key, value in frame.merges or ():
            self._merge(frame.entries, key, value)
        self._add(self._template(node) if frame.is_template else node, frame.anchor)

    def _template(self, node: Node) -> Scalar:
        """Report a template without quotes, and return it as a text whose value is not known."""
        message = "`{{` starts a mapping in a mapping here; quote a text that starts with `{{`"
        self._problem("template", node.span, message)
        return Scalar(node.start, node.end, self.text[node.start : node.end], UNRESOLVED)

    def _add(self, node: Node, anchor: str | None) -> None:
        if anchor is not None:
            self.anchors[anchor] = node
        if not self.stack:
            if self.result.root is None:
                self.result.root = node
            return
        frame = self.stack[-1]
        if frame.items is not None:
            frame.items.append(node)
        elif frame.key is None:
            frame.key = node
        else:
            self._enter(frame, node)
        frame.node.end = max(frame.node.end, node.end)

    def _enter(self, frame: _Frame, value: Node) -> None:
        """Add a value to the key that waits for it."""
        key, frame.key = frame.key, None
        if not isinstance(key, Scalar):
            if key is not None and _is_template(frame.node, key, value):
                frame.is_template = True
            elif key is not None:
                message = "a key must be a plain name, not a list or a mapping"
                self._problem("key", key.span, message)
            return
        name = key.text
        if name == "<<" and ((not key.style and key.tag is None) or key.tag == _MERGE_TAG):
            frame.merges = frame.merges or []
            frame.merges.append((key, value))
            return
        if key.tag is not None or name[:1] in NUMERIC_START:
            name = key.name
        else:
            # Thousands of cases share their keys: interned, they take a tenth less memory.
            key.text = name = intern(name)
        entries = frame.entries
        if name in entries:
            first = entries.pop(name)
            self._problem(
                "duplicate_key", key.span, f"the key `{name}` is given twice", first.key.span
            )
        entries[name] = _new_tuple(Entry, (key, value, False))

    def _merge(self, entries: dict[str, Entry], key: Scalar, value: Node) -> None:
        sources = value.items if isinstance(value, Sequence) else [value]
        for source in sources:
            if not isinstance(source, Mapping):
                self._problem("merge", key.span, "`<<` takes a mapping or a list of mappings")
                continue
            for name, entry in source:
                if name not in entries:
                    entries[name] = Entry(entry.key, entry.value, merged=True)

    def _alias(self, name: str, span: Span) -> None:
        target = self.anchors.get(name)
        place = Span(span.start + 1, span.end)
        number = self.numbers.get(name)
        self.result.anchor_names.append(AnchorName(name, place, number, defines=False))
        if target is None:
            if any(frame.anchor == name for frame in self.stack):
                self._problem("alias", span, f"the alias *{name} refers to itself")
            else:
                self.unknown.add(name)
                self._problem("alias", span, f"no anchor &{name} is defined before this alias")
            self._add(Scalar(*span, f"*{name}", UNRESOLVED), None)
            return
        self._add(self._copy(target, span, len(self.stack)), None)

    def _copy(self, node: Node, span: Span, depth: int) -> Node:
        """Copy the value of an alias, with all places at the alias."""
        self.aliased += 1
        if self.aliased > MAX_ALIASED_NODES or depth > MAX_DEPTH:
            self._problem(
                "limit",
                span,
                f"aliases expand to more than {MAX_ALIASED_NODES:,} values or nest more than "
                f"{MAX_DEPTH} levels deep",
            )
            raise _LimitReachedError
        if isinstance(node, Scalar):
            return Copied(*span, node)
        if isinstance(node, Sequence):
            items = [self._copy(item, span, depth + 1) for item in node.items]
            return Sequence(*span, items, flow=True)
        entries = {
            name: Entry(
                Copied(*span, entry.key),
                self._copy(entry.value, span, depth + 1),
                entry.merged,
            )
            for name, entry in node
        }
        return Mapping(*span, entries, flow=True)


def _is_template(outer: Node, key: Node, value: Node) -> bool:
    """Whether `{{ ... }}` stands where a text is meant: YAML reads it as two mappings."""
    return (
        isinstance(outer, Mapping)
        and isinstance(key, Mapping)
        and outer.flow
        and key.start == outer.start + 1
        and value.start == value.end
    )
