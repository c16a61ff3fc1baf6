"""The messages of a case in the current format."""

from __future__ import annotations

from suitecase.formats.suitecase.legacy.normalize.legacy_syntax import LegacySyntax, Notes
from suitecase.text.node import Entry, Mapping, Node, Sequence
from suitecase.text.tree_changes import each, inside, text_of, with_entries

_LISTS = ("input_messages", "input", "expected_messages", "expected_output")
_ANSWERS = ("assistant", "tool")


class MessageNormalizer:
    """Rewrites the messages of cases."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes

    def case(self, case: Mapping) -> Mapping:
        """Rewrite the messages of a case."""
        case = self._divided(case)
        for name in _LISTS:
            if isinstance(case.get(name), Sequence):
                case = inside(case, name, lambda node: each(node, self._message))
        return case

    def _divided(self, case: Mapping) -> Mapping:
        """Divide `messages` at the end of the conversation: the answers it ends with are expected.

        Answers further up are part of what the target gets.
        """
        entry = case.entries.get("messages")
        if entry is None or "input_messages" in case or "input" in case:
            return case
        listed = entry.value
        if not isinstance(listed, Sequence) or not listed.items:
            return case
        items = listed.items
        count = len(items)
        if "expected_messages" not in case and "expected_output" not in case:
            while count and _role(items[count - 1]) in _ANSWERS:
                count -= 1
        if count == 0:
            return case
        new = "input_messages" if count == len(items) else "input_messages and expected_messages"
        self._notes.add(
            LegacySyntax(
                "messages",
                entry.key,
                "messages",
                new,
                "a case",
                case,
                "messages",
                count=count,
                sequence=listed,
            )
        )
        entries: dict[str, Entry] = {}
        for name, value in case:
            if name != "messages":
                entries[name] = value
                continue
            entries["input_messages"] = Entry(value.key, _part(listed, items[:count]), value.merged)
            if count < len(items):
                entries["expected_messages"] = Entry(
                    value.key, _part(listed, items[count:]), value.merged
                )
        return with_entries(case, entries)

    def _message(self, message: Mapping) -> Mapping:
        return inside(message, "content", self._content)

    def _content(self, content: Node) -> Node:
        """Read a part that is split over two items of the list as the one it looks like."""
        if not isinstance(content, Sequence):
            return content
        items: list[Node] = []
        for item in content.items:
            last = items[-1] if items else None
            if (
                isinstance(last, Mapping)
                and isinstance(item, Mapping)
                and list(last.entries) == ["type"]
                and list(item.entries) == ["value"]
            ):
                key = item.entries["value"].key
                self._notes.add(
                    LegacySyntax(
                        "split_content",
                        key,
                        "- value",
                        "value",
                        "a content part",
                        item,
                        "value",
                        sequence=content,
                    )
                )
                items[-1] = Mapping(
                    last.start, item.end, {**last.entries, **item.entries}, flow=False
                )
            else:
                items.append(item)
        if len(items) == len(content.items):
            return content
        return Sequence(content.start, content.end, items, flow=content.flow)


def _role(message: Node) -> str | None:
    return text_of(message.get("role")) if isinstance(message, Mapping) else None


def _part(whole: Sequence, items: list[Node]) -> Sequence:
    return Sequence(items[0].start, items[-1].end, items, flow=whole.flow)
