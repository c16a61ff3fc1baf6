"""Parsing a text to a document: part by part if that is safe, and only the changed parts."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import chain, compress, count
from operator import is_not
from typing import Any

from suitecase.text.case_index import CaseIndex, Change, known_of
from suitecase.text.compact import compact, pack
from suitecase.text.compose import compose
from suitecase.text.composed import Composed
from suitecase.text.document import Content, Document, Piece, Pieces
from suitecase.text.garbage_collection import without_garbage_collection
from suitecase.text.lines import Chunk, Lines
from suitecase.text.node import Mapping, Node, Scalar
from suitecase.text.node import Sequence as Listed
from suitecase.text.passing import Expected, PassingContents, PassingPieces
from suitecase.text.segment import Split, split

#: So many cases are parsed before something is asked of them: few enough for the caches of a processor.
_AT_ONCE = 64


def parse(
    text: str | Lines,
    list_keys: Collection[str],
    *,
    reuse: Document | None = None,
    segmented: bool = True,
    root_list: bool = False,
    expected: Expected | None = None,
) -> Document:
    """Parse a text whose cases are in a list under one of the keys. Never raises on any text.

    Args:
        text: the text, with any line breaks, with or without a byte order mark. Of one given as
            lines that is an edited version of `reuse`, only what was edited is looked at.
        list_keys: the names the list of cases may have.
        reuse: an earlier version, whose unchanged parts are reused.
        segmented: False parses the whole text at once, with the same result, only slower.
        root_list: the items of a list at the root of the text are cases, too.
        expected: what is going to be asked of cases that are parsed one by one. No trees of them are kept;
            those of a text given as lines are packed.
    """
    lines = Lines(text) if isinstance(text, str) else text
    with without_garbage_collection():
        if not segmented:
            return _parse_whole(lines, list_keys, root_list=root_list)
        earlier = None if reuse is None else reuse.apart or reuse
        document = None
        if earlier is not None and lines is text and expected is None:
            document = _parse_edited(lines, earlier, list_keys, root_list=root_list)
        if document is None:
            parts = expected.parts if expected is not None else None
            parts = parts or split(str(lines), list_keys, root_list=root_list)
            if parts is not None:
                document = _parse_parts(
                    lines, earlier, list_keys, parts, in_chunks=lines is text, expected=expected
                )
        if document is not None and _is_sure(document):
            return document
        whole = _parse_whole(lines, list_keys, root_list=root_list)
        if document is not None and whole.head.content.broken and document.broken:
            return document
        whole.apart = document or earlier
        return whole


def _parse_parts(
    lines: Lines,
    earlier: Document | None,
    list_keys: Collection[str],
    parts: Split,
    *,
    in_chunks: bool,
    expected: Expected | None,
) -> Document | None:
    """Parse head and items; None if they turn out not to be such parts."""
    text = str(lines)
    reusable = (
        {content.text: content for content in _contents(earlier)} if earlier is not None else {}
    )
    head = _content(text[: parts.items[0]] + text[parts.end :], reusable)
    if expected is not None and parts.proven and not head.broken and not in_chunks:
        cases = _passing(text, parts, expected)
        return _document(lines, head, cases, parts, list_keys, _key_start(text, parts))
    texts = _items(text, parts)
    contents: list[Content] = []
    facts: CaseIndex[Content] | None = None
    if expected is not None and in_chunks:
        known = known_of(_packed_later(texts, reusable, contents), expected.looks)
        facts = CaseIndex(tuple(contents), known)
    else:
        contents += [_item(it, reusable, stays=in_chunks) for it in texts]
    if in_chunks:
        tail = text[parts.end :]
        chunks = [
            Chunk(it)
            for it in (text[: parts.items[0]], *(content.text for content in contents), tail)
        ]
        lines = Lines(text, [chunk for chunk in chunks if chunk.text])
    cases = Pieces(tuple(contents), parts.items)
    return _document(lines, head, cases, parts, list_keys, _key_start(text, parts), facts)


def _packed_later(
    texts: Sequence[str], reusable: dict[str, Content], contents: list[Content]
) -> Iterator[list[Content]]:
    """Yield the contents of items, some at a time, whose trees are packed afterwards.

    Args:
        texts: the text of each item.
        reusable: contents by their text.
        contents: receives all of them.
    """
    for first in range(0, len(texts), _AT_ONCE):
        some = [_item(text, reusable, stays=False) for text in texts[first : first + _AT_ONCE]]
        contents += some
        yield some
        for content in some:
            pack(content.node)


def _parse_edited(
    lines: Lines, earlier: Document, list_keys: Collection[str], *, root_list: bool
) -> Document | None:
    """Parse a text of which a stretch was edited; None where more than that may be different.

    That stretch is split with an item before and behind it, between the head's two parts: see
    `segment` for why this gives what splitting the whole text gives.
    """
    old, new = earlier.lines.chunks, lines.chunks
    contents = earlier.cases.contents
    lead = int(earlier.starts_with_head)  # 0 where a list at the root starts at once, else 1
    tail = len(old) - lead - len(contents)  # 1 where the head goes on behind the items, else 0
    if earlier.indent is None or tail not in (0, 1):
        return None
    same_before, same_behind = _common(old, new)
    # How many chunks are left out before and behind the stretch, of which the items stay.
    before = max(same_before - 1, lead) if same_before else 0
    after = max(same_behind - 1, tail) if same_behind else 0
    stretch = new[before : len(new) - after]
    head_chunk = new[:lead] if before else ()
    tail_chunk = new[len(new) - tail :] if after and tail else ()
    text = "".join([it.text for it in chain(head_chunk, stretch, tail_chunk)])
    parts = split(text, list_keys, root_list=root_list)
    if parts is None or not parts.proven or parts.indent != earlier.indent:
        return None
    if before and parts.items[0] != sum(len(it.text) for it in head_chunk):
        return None
    items_before, items_behind = max(before - lead, 0), max(after - tail, 0)
    if items_behind and parts.end != len(text) - sum(len(it.text) for it in tail_chunk):
        return None
    replaced = contents[items_before : len(contents) - items_behind]
    reusable = {it.text: it for it in replaced}
    items = tuple(_item(item, reusable, stays=True) for item in _items(text, parts))
    reusable = {earlier.head.content.text: earlier.head.content}
    head = _content(text[: parts.items[0]] + text[parts.end :], reusable)
    known = {it.text: it for it in (*stretch, *tail_chunk)}
    texts = [item.text for item in items]
    if not before:
        texts.insert(0, text[: parts.items[0]])
    if not items_behind:
        after = 0
        texts.append(text[parts.end :])
    chunks = [known.get(it) or Chunk(it) for it in texts]
    lines = lines.with_chunks(before, len(new) - after, chunks)
    now = (*contents[:items_before], *items, *contents[len(contents) - items_behind :])
    lead = int(parts.items[0] > 0)
    cases = Pieces(now, lines.starts[lead : len(now) + lead])
    first, last = _common(replaced, items)
    change = Change(
        items_before + first,
        len(contents) - items_behind - last,
        len(now) - items_behind - last,
    )
    facts = earlier.case_index.changed(now, change)
    return _document(lines, head, cases, parts, list_keys, _key_start(text, parts), facts)


def _document(
    lines: Lines,
    head: Content,
    cases: Pieces,
    parts: Split,
    list_keys: Collection[str],
    key_start: int,
    facts: CaseIndex[Content] | None = None,
) -> Document | None:
    """Return the document of the parts; None if the head or an alias shows that they are not valid."""
    root, first = head.node, parts.items[0]
    if parts.key is None:
        return _root_list(lines, head, cases, parts, facts)
    if not isinstance(root, Mapping):
        return None
    names = [name for name, _ in root if name in list_keys]
    if len(names) != 1:
        return None
    key, value, merged = root.entries[names[0]]
    if merged or key.start != key_start or value.start != value.end or value.end > first:
        return None
    last = cases[-1]
    piece = Piece(head, 0, first, last.start + len(last.content.text) - first)
    indent = parts.indent if parts.proven else None
    document = Document(lines, piece, cases, key, None, segmented=True, indent=indent)
    if facts is not None:
        document.case_index = facts
    return None if _refers_across(document) else document


def _root_list(
    lines: Lines, head: Content, cases: Pieces, parts: Split, facts: CaseIndex[Content] | None
) -> Document | None:
    """Return the document of a list at the root; None if what is before it or an alias is invalid."""
    if head.broken:
        return None
    if head.node is not None:  # what `---` alone is parsed as
        head = replace(head, node=None)
    indent = parts.indent if parts.proven else None
    document = Document(
        lines, Piece(head), cases, None, None, segmented=True, indent=indent, root_list=True
    )
    if facts is not None:
        document.case_index = facts
    return None if _refers_across(document) else document


def _refers_across(document: Document) -> bool:
    """Whether a part uses an anchor that another one defines."""
    head = document.head.content
    known = head.anchors
    for content in document.case_index.values(_referring):
        if content.unknown_aliases & known:
            return True
        known |= content.anchors
    return bool(head.unknown_aliases & known)


def _referring(content: Content) -> Content | None:
    return content if content.anchors or content.unknown_aliases else None


def _is_sure(document: Document) -> bool:
    """Whether the parts certainly mean the same as the whole, or the whole is certainly broken too."""
    if document.indent is None:
        return False
    if _needs_the_rest(document.head.content) and not document.root_list:
        return False
    unsure = document.case_index.numbers(_needs_the_rest)
    if not unsure:
        return True
    broken = document.case_index.numbers(_is_broken_within)
    return bool(broken and broken[0] < unsure[0]) or _stays_broken(document, unsure[0])


def _needs_the_rest(content: Content) -> bool:
    """Whether text after this part might change how it parses."""
    return content.open_ended or (content.node is None and not content.broken)


def _is_broken_within(content: Content) -> bool:
    return content.broken and not content.open_ended


def _stays_broken(document: Document, number: int) -> bool:
    """Whether the text is broken whatever stands behind an item that lacks its end.

    So it is where that item fails together with some of those behind it.
    """
    contents = document.cases.contents
    if not contents[number].open_ended:
        return False
    text, taken, more = contents[number].text, number + 1, 1
    while taken < len(contents):
        text += "".join([content.text for content in contents[taken : taken + more]])
        composed = compose(text)
        if not composed.open_ended:
            return composed.broken
        taken, more = taken + more, more * 4
    head = document.head
    tail = "" if head.gap_at is None else head.content.text[head.gap_at :]
    return not tail or compose(text + tail).open_ended


def _parse_whole(lines: Lines, list_keys: Collection[str], *, root_list: bool) -> Document:
    text = str(lines)
    content = _content(text, {})
    head = Piece(content)
    root = content.node
    items: tuple[Content, ...] = ()
    list_key: Scalar | None = None
    list_node: Node | None = None
    if isinstance(root, Mapping):
        entry = next((it for name, it in root if name in list_keys), None)
        if entry:
            list_key, list_node, _ = entry
    root_list = root_list and isinstance(root, Listed)
    if root_list:
        list_node = root
    if isinstance(list_node, Listed):
        items = tuple(
            Content(text, item, (), content.broken, False, frozenset(), frozenset())
            for item in list_node.items
        )
    cases = Pieces(items, (0,) * len(items))
    return Document(lines, head, cases, list_key, list_node, segmented=False, root_list=root_list)


def _common(old: Sequence[Any], new: Sequence[Any]) -> tuple[int, int]:
    """Return the number of identical objects at the start and at the end of two sequences."""
    least = min(len(old), len(new))
    before = next(compress(count(), map(is_not, old, new)), least)
    after = next(compress(count(), map(is_not, reversed(old), reversed(new))), least)
    return before, min(after, least - before)


def _key_start(text: str, parts: Split) -> int:
    return 0 if parts.key is None else parts.key + text.startswith("\ufeff", parts.key)


def _items(text: str, parts: Split) -> list[str]:
    ends = (*parts.items[1:], parts.end)
    return [text[start:end] for start, end in zip(parts.items, ends, strict=True)]


def _contents(document: Document) -> Sequence[Content]:
    return (document.head.content, *document.cases.contents)


def _passing(text: str, parts: Split, expected: Expected) -> Pieces:
    starts = array("Q", (*parts.items, parts.end))

    def text_of(number: int) -> str:
        return text[starts[number] : starts[number + 1]]

    def parse_item(text: str) -> Content:
        return _item(text, {}, stays=False)

    contents = PassingContents(parts.items, text_of, parse_item, expected)
    return PassingPieces(contents, parts.items)


def _item(text: str, reusable: dict[str, Content], *, stays: bool) -> Content:
    """Return the content of an item; its tree is worth compacting where it `stays`."""
    content = reusable.get(text)
    if content is None:
        composed = compose(text)
        items = composed.root.items if isinstance(composed.root, Listed) else []
        composed.root = items[0] if len(items) == 1 else None
        if stays:
            compact(composed.root)
        content = reusable[text] = _content_of(text, composed)
    return content


def _content(text: str, reusable: dict[str, Content]) -> Content:
    content = reusable.get(text)
    if content is None:
        content = reusable[text] = _content_of(text, compose(text))
    return content


def _content_of(text: str, composed: Composed) -> Content:
    return Content(
        text,
        composed.root,
        tuple(composed.problems),
        composed.broken,
        composed.open_ended,
        composed.anchors,
        composed.unknown_aliases,
        tuple(composed.anchor_names),
        lacks_values=composed.lacks_values,
        has_old_readings=composed.has_old_readings,
    )
