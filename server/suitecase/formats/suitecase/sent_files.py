"""The files whose text a suite sends."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from suitecase.format.workspace import Folder, Found
from suitecase.formats.suitecase.elements import ParsedMessage
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedHead, ParsedSuite
from suitecase.text.node import Mapping, Scalar, Sequence


def sent_references(part: ParsedHead | ParsedMessage) -> Iterator[Scalar]:
    """Yield the nodes that name files whose text is sent."""
    if isinstance(part, ParsedHead):
        prompt = part.node.get("prompt") if part.node else None
        named = [prompt.get("file")] if isinstance(prompt, Mapping) else []
    else:
        content = part.node.get("content")
        parts = content.items if isinstance(content, Sequence) else []
        named = [
            message_node.get("value")
            for message_node in parts
            if isinstance(message_node, Mapping)
            and isinstance(kind := message_node.get("type"), Scalar)
            and kind.text == "file"
        ]
    for content_part in named:
        if (
            isinstance(content_part, Scalar)
            and isinstance(content_part.value, str)
            and content_part.text.strip()
        ):
            yield content_part


def files_sent(suite: ParsedSuite, folder: Folder) -> frozenset[Path]:
    """Return the files that a suite sends: its prompt, and those that messages name."""
    parts: tuple[ParsedHead | ParsedCase, ...] = (suite.head, *suite.cases)
    senders = (
        element for part in parts if not part.content.broken for element in (part, *part.elements())
    )
    found = (
        folder.find(reference.text)
        for sender in senders
        if isinstance(sender, ParsedHead | ParsedMessage)
        for reference in sent_references(sender)
    )
    return frozenset(it.path for it in found if isinstance(it, Found))
